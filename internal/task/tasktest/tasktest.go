// Package tasktest checks that calls leave no goroutines behind.
package tasktest

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// module is in the names of functions of Fluxion.
const module = "github.com/fluxion-lang/fluxion"

// Goroutines returns the stacks of the goroutines that run code of Fluxion, without tests.
// What its libraries run for themselves is not among them.
func Goroutines() (ours []string) {
	stacks := make([]byte, 1<<16)
	for {
		n := runtime.Stack(stacks, true)
		if n < len(stacks) {
			stacks = stacks[:n]
			break
		}
		stacks = make([]byte, 2*len(stacks))
	}
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(stack, module) && !strings.Contains(stack, "testing.tRunner(") &&
			!strings.Contains(stack, "main.main(") {
			ours = append(ours, stack)
		}
	}
	return ours
}

// Ended fails the test if more goroutines of Fluxion run than before, once those that have done
// their work had a moment to go.
func Ended(t testing.TB, before int) {
	t.Helper()
	for range 300 {
		if len(Goroutines()) <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ours := Goroutines()
	t.Errorf("%d goroutines, and %d before\n%s", len(ours), before, strings.Join(ours, "\n\n"))
}
