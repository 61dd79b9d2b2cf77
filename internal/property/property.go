// Package property runs random tests reproducibly: two runs of the same tree draw the same cases.
// Otherwise a random failure would be blamed on an unrelated change. New cases are drawn on
// purpose, by another seed:
//
//	RAPID_SEED=7 go test ./...
//
// and more cases by a larger number of checks, 30 by default and 100 in CI:
//
//	RAPID_CHECKS=10000 go test ./internal/driver
package property

import (
	"flag"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// seed is the default seed. Rapid's own default, 0, draws a new seed in each run.
const seed = "1"

// usual is rapid's own default number of checks; suite is the default here.
const usual, suite = 100, 30

// settle sets the seed and the number of checks, unless the command line or the environment does.
var settle = sync.OnceValue(func() error {
	if f := flag.Lookup("rapid.checks"); os.Getenv("RAPID_CHECKS") == "" && !given(f.Name) {
		if err := f.Value.Set(strconv.Itoa(suite)); err != nil {
			return err
		}
	}
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		return f.Value.Set(seed)
	}
	return nil
})

// given reports whether the command line sets a flag.
func given(name string) (found bool) {
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// Check runs rapid.Check from a fixed seed.
func Check(t *testing.T, prop func(*rapid.T)) {
	t.Helper()
	if err := settle(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, prop)
}

// First returns the first seed of the cases that a test draws without rapid. Different seeds of
// rapid give seeds that are far apart.
func First() uint64 {
	if err := settle(); err != nil {
		panic(err)
	}
	return (flag.Lookup("rapid.seed").Value.(flag.Getter).Get().(uint64) - 1) << 32
}

// Long reports whether more cases were asked for than by default, so that a test also takes slow
// cases.
func Long() bool { return Rounds(usual) > usual }

// Rounds returns how many cases a test without rapid draws: n stands for 100 of rapid's checks.
func Rounds(n int) int {
	if err := settle(); err != nil {
		panic(err)
	}
	checks := flag.Lookup("rapid.checks").Value.(flag.Getter).Get().(int)
	return max(1, n*checks/usual)
}

// Main runs the tests of a package that produces much garbage, and collects it less often, which
// saves a fifth of the time. It keeps GOGC if that is set.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
