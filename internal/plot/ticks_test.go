//go:build !page

package plot

import "testing"

// TestLogTicks: an axis on a log scale has at least two numbers, whatever its range.
func TestLogTicks(t *testing.T) {
	for _, c := range [][2]float64{{1120, 1210}, {300, 3000}, {1, 10}, {0.02, 0.09}, {1e-300, 1e300}, {63, 17000}, {5, 6}} {
		numbers := 0
		for _, tick := range logTicks(c[0], c[1]) {
			if tick.label != "" {
				numbers++
			}
		}
		if numbers < 2 || numbers > 12 {
			t.Errorf("from %g to %g: %d numbers", c[0], c[1], numbers)
		}
	}
}
