package exact_test

import (
	_ "embed"
	"strings"
	"testing"
)

//go:embed testdata/roots_optima.txt
var rootsAndOptima string

// TestRootsAndOptima holds roots, optima and their derivatives to values that
// another system computed; see testdata/roots_optima.py.
func TestRootsAndOptima(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(rootsAndOptima), "\n")
	for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
		lines = lines[1:]
	}
	if len(lines)%3 != 0 || len(lines) < 3*100 {
		t.Fatalf("%d lines", len(lines))
	}
	for ; len(lines) > 0; lines = lines[3:] {
		text, rough := strings.CutPrefix(lines[0], "~")
		for _, eps := range []string{"1e-3", "1e-10", "1e-40"} {
			if rough && eps == "1e-40" {
				continue
			}
			check(t, text, eps, lines[2])
		}
	}
}
