// Package property runs random tests reproducibly: two runs of the same tree draw the same cases.
// Otherwise a random failure would be blamed on an unrelated change. New cases are drawn on
// purpose, by another seed:
//
//	RAPID_SEED=7 go test ./...
//
// and more cases by a larger number of checks, which is 100 by default:
//
//	RAPID_CHECKS=10000 go test ./internal/driver
package property

import (
	"flag"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// seed is the default seed. Rapid's own default, 0, draws a new seed in each run.
const seed = "1"

// settle sets the seed.
var settle = sync.OnceValue(func() error {
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		return f.Value.Set(seed)
	}
	return nil
})

// Check runs rapid.Check from a fixed seed.
func Check(t *testing.T, prop func(*rapid.T)) {
	t.Helper()
	if err := settle(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, prop)
}

// First returns the first seed of the cases that a test draws without rapid. Different seeds of rapid
// give seeds that are far apart.
func First() uint64 {
	if err := settle(); err != nil {
		panic(err)
	}
	return (flag.Lookup("rapid.seed").Value.(flag.Getter).Get().(uint64) - 1) << 32
}

// Long reports whether more cases were asked for than by default, so that a test also takes slow
// cases.
func Long() bool { return Rounds(100) > 100 }

// Rounds returns how many cases a test without rapid draws: n by default, and proportionally more
// if RAPID_CHECKS is larger.
func Rounds(n int) int {
	checks := flag.Lookup("rapid.checks").Value.(flag.Getter).Get().(int)
	return max(1, n*checks/100)
}
