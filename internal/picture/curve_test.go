package picture

import (
	"math"
	"strings"
	"testing"
)

// TestCurve looks at some lines of drawings: the dots, the axes, the labels.
func TestCurve(t *testing.T) {
	space := func(n int) string { return strings.Repeat(" ", n) }
	for _, c := range []struct {
		name     string
		from, to float64
		f        func(float64) float64
		lines    map[int]string
	}{
		{"a slope", -1, 1, func(x float64) float64 { return x }, map[int]string{
			0:             " 1" + space(37) + "│" + space(31) + "⣀⠤⠒⠉",
			curveRows - 1: "-1 ⣀⠤⠒⠉" + space(32) + "│",
			curveRows:     space(3) + "-1" + space(69) + "1",
		}},
		{"no axis in view", 1, 2, func(x float64) float64 { return x }, map[int]string{
			1: space(66) + "⣀⠤⠒⠉",
		}},
		{"a constant", 0, 1, func(float64) float64 { return 3 }, map[int]string{
			0:             "4 │",
			9:             space(2) + strings.Repeat("⠉", curveColumns),
			curveRows - 1: "2 │",
		}},
		{"a jump", -1, 1, func(x float64) float64 { return math.Copysign(1, x) }, map[int]string{
			0:             " 1" + space(37) + strings.Repeat("⠉", 36),
			curveRows - 1: "-1 " + strings.Repeat("⣀", 36) + "│",
		}},
		{"poles", -4, 4, math.Tan, map[int]string{
			0: " 7.988" + space(21) + "⢀⠇" + space(14) + "│" + space(12) + "⡇",
		}},
		{"half without values", -1, 1, math.Sqrt, map[int]string{
			0: space(6) + "1" + space(37) + "│" + space(31) + "⢀⡠⠔⠊",
		}},
		{"too large to subtract", 0, 1, func(x float64) float64 { return math.Copysign(math.MaxFloat64, x-0.5) }, map[int]string{
			9: space(3) + "┼" + strings.Repeat("─", curveColumns-1),
		}},
	} {
		ys := make([]float64, Samples)
		for i := range ys {
			ys[i] = c.f(c.from + (c.to-c.from)*float64(i)/(Samples-1))
		}
		var b strings.Builder
		if !Curve(&b, c.from, c.to, ys) {
			t.Errorf("%s: nothing drawn", c.name)
			continue
		}
		got := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		for row, want := range c.lines {
			if len(got) != curveRows+1 || got[row] != want {
				t.Errorf("%s: line %d is not\n%q in\n%s", c.name, row, want, b.String())
			}
		}
	}
	if Curve(new(strings.Builder), 0, 1, []float64{math.NaN(), math.Inf(1)}) {
		t.Error("something was drawn of nothing")
	}
}
