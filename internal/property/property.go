// Package property runs random tests so that two runs of one tree are one
// test: a failure that comes with a draw of the dice would be blamed on
// whatever change it met. New cases are drawn on purpose, by another seed:
//
//	RAPID_SEED=7 go test ./...
//
// and more of them by a larger number of checks, which is 100 in the suite:
//
//	RAPID_CHECKS=10000 go test ./internal/driver
package property

import (
	"flag"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// seed is where rapid starts when nobody said; its own default, 0, stands for
// a number drawn anew each time.
const seed = "1"

// settle puts the seed in its place.
var settle = sync.OnceValue(func() error {
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		return f.Value.Set(seed)
	}
	return nil
})

// Check is rapid.Check from a fixed seed.
func Check(t *testing.T, prop func(*rapid.T)) {
	t.Helper()
	if err := settle(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, prop)
}

// Long reports whether more was asked for than the suite runs, so that a test takes the cases that
// are slow too.
func Long() bool { return Rounds(100) > 100 }

// Rounds returns how many cases a test draws that does not use rapid: n in the
// suite, and as many more as RAPID_CHECKS asks rapid for.
func Rounds(n int) int {
	checks := flag.Lookup("rapid.checks").Value.(flag.Getter).Get().(int)
	return max(1, n*checks/100)
}
