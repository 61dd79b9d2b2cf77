// Package property runs random tests so that two runs of one tree are one
// test: a failure that comes with a draw of the dice would be blamed on
// whatever change it met. New cases are drawn on purpose, by another seed:
//
//	RAPID_SEED=7 go test ./...
package property

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
)

// seed is where rapid starts when nobody said; its own default is a number
// drawn anew each time, written 0.
const seed = "1"

func init() {
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		if err := f.Value.Set(seed); err != nil {
			panic(err)
		}
	}
}

// Check is rapid.Check from a fixed seed.
func Check(t *testing.T, prop func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, prop)
}
