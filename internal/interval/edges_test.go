package interval

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// TestEdges pins functions that the ITL suites do not cover, at the ends of
// their domains, poles and extrema. Enclosures are given to a few digits.
func TestEdges(t *testing.T) {
	inf := math.Inf(1)
	e := Empty()
	poly := func(n int) func(Interval) Interval {
		return func(x Interval) Interval { return Polygamma(n, x) }
	}
	for _, c := range []struct {
		name    string
		f       func(Interval) Interval
		x, want Interval
	}{
		{"log1p", Log1p, Interval{-1, -1}, e},
		{"log1p", Log1p, Interval{-3, 0}, Interval{-inf, 0}},
		{"expm1", Expm1, Interval{-inf, 0}, Interval{-1, 0}},
		{"atanh", Atanh, Interval{1, 1}, e},
		{"atanh", Atanh, Interval{-1, 0}, Interval{-inf, 0}},
		{"cbrt", Cbrt, Interval{-8, 27}, Interval{-2, 3}},
		{"erf", Erf, line, unit},
		{"erfc", Erfc, Interval{0, inf}, Interval{0, 1}},
		{"erfcx", Erfcx, Interval{0, inf}, Interval{0, 1}},
		{"erfcx", Erfcx, line, halfLine},
		{"sigmoid", Sigmoid, line, Interval{0, 1}},
		{"softplus", Softplus, Interval{-inf, 0}, Interval{0, math.Ln2}},
		{"lgamma", Lgamma, Interval{1, 2}, Interval{-0.1214862905358496, 0}},
		{"lgamma", Lgamma, Interval{0, 2}, Interval{-0.1214862905358496, inf}},
		{"lgamma", Lgamma, Interval{0, 1}, Interval{0, inf}},
		{"lgamma", Lgamma, Interval{0, 0}, e},
		{"lgamma", Lgamma, Interval{-3, -3}, e},
		{"lgamma", Lgamma, Interval{3, 4}, Interval{math.Ln2, math.Log(6)}},
		{"lgamma", Lgamma, Interval{-0.9, -0.1}, Interval{1.2654376221108654, 2.3689613327287886}},
		{"lgamma", Lgamma, Interval{-1, 0}, Interval{1.2654376221108654, inf}},
		{"lgamma", Lgamma, Interval{-0.2, 0.5}, Interval{0.5723649429247001, inf}},
		{"lgamma", Lgamma, Interval{-0.2, 3}, Interval{-0.1214862905358496, inf}},
		{"lgamma", Lgamma, Interval{-2.5, -0.5}, Interval{-0.05624371649767405, inf}},
		{"lgamma", Lgamma, Interval{-2.7, 9}, Interval{-0.1214862905358496, inf}},
		{"digamma", Digamma, Interval{0, 0}, e},
		{"digamma", Digamma, Interval{-0.5, 0.5}, line},
		{"digamma", Digamma, Interval{0, 1}, Interval{-inf, -0.5772156649015329}},
		{"digamma", Digamma, Interval{-0.5, 0}, Interval{0.03648997397857652, inf}},
		{"digamma", Digamma, Interval{-1, -0.5}, Interval{-inf, 0.03648997397857652}},
		{"digamma", Digamma, Interval{1, inf}, Interval{-0.5772156649015329, inf}},
		{"trigamma", poly(1), Interval{0, 1}, Interval{math.Pi * math.Pi / 6, inf}},
		{"trigamma", poly(1), Interval{1, inf}, Interval{0, math.Pi * math.Pi / 6}},
		{"tetragamma", poly(2), Interval{1, 2}, Interval{-2.4041138063191885, -0.4041138063191886}},
		{"trigamma", poly(1), Interval{-0.5, 1}, Interval{math.Pi * math.Pi / 6, inf}},
		{"trigamma", poly(1), Interval{-0.5, inf}, Interval{0, inf}},
		{"trigamma", poly(1), Interval{-0.5, -0.25}, Interval{8.933026591184719, 18.541879647671606}},
		{"trigamma", poly(1), Interval{-inf, -0x1p53}, Interval{math.Pi * math.Pi, inf}},
		{"trigamma", poly(1), Interval{-3, -3}, e},
		{"tetragamma", poly(2), Interval{-0.5, 1}, line},
		{"tetragamma", poly(2), Interval{-1, -0.5}, Interval{-inf, -0.8287966442343199}},
		{"tetragamma", poly(2), Interval{-0.5, 0}, Interval{-0.8287966442343199, inf}},
		{"sin", Sin, Interval{1, 1e22}, unit},
		{"sin", Sin, Interval{1, 2}, Interval{math.Sin(1), 1}},
		{"sin", Sin, Interval{4, 5}, Interval{-1, math.Sin(4)}},
		{"cos", Cos, Interval{-0.5, 0.25}, Interval{math.Cos(0.5), 1}},
		{"cos", Cos, Interval{3, 4}, Interval{-1, math.Cos(4)}},
		{"tan", Tan, Interval{1.5, 1.6}, line},
	} {
		got := c.f(c.x)
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-14*math.Abs(b) }
		if got.IsEmpty() != c.want.IsEmpty() || !got.IsEmpty() && !(near(got.Lo, c.want.Lo) && near(got.Hi, c.want.Hi)) {
			t.Errorf("%s %v = [%v, %v], want [%v, %v]", c.name, c.x, got.Lo, got.Hi, c.want.Lo, c.want.Hi)
		}
		if v := c.f(Empty()); !v.IsEmpty() {
			t.Errorf("%s of the empty set is %v", c.name, v)
		}
	}
	for _, c := range []struct{ got, want Interval }{
		{Hypot(Interval{3, 3}, Interval{4, 4}), Interval{5, 5}},
		{Hypot(line, Interval{2, 3}), Interval{2, inf}},
		{LogAddExp(line, Interval{0, 0}), Interval{0, inf}},
		{Rootn(Interval{-27, 8}, 3), Interval{-3, 2}},
		{Rootn(Interval{-4, 16}, 4), Interval{0, 2}},
		{Rootn(Interval{4, 4}, -2), Interval{0.5, 0.5}},
		{Pow(Interval{4, 9}, Interval{0.5, 0.5}), Interval{2, 3}},
		{Pow(Interval{0, 0}, Interval{-1, 0}), e},
		{Pown(Interval{-2, 3}, 2), Interval{0, 9}},
		{Pown(Interval{0, 0}, -1), e},
	} {
		if !c.got.Equal(c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// TestLgammaDip: the bound of the least value in a gap is sharp far out.
func TestLgammaDip(t *testing.T) {
	for _, g := range []float64{-1, -2, -3, -10, -150, -1e4, -1e9, -1e13} {
		dip := lgammaDip(g)
		least := math.Inf(1)
		for i := 1; i < 1000; i++ {
			if p := g + float64(i)/1000; p > g && p < g+1 {
				least = math.Min(least, Lgamma(Interval{p, p}).Hi)
			}
		}
		if dip > least || dip < least-1e-5-1e-12*math.Abs(least) {
			t.Errorf("least value above %v is bounded by %v, seen %v", g, dip, least)
		}
	}
}

// TestLgammaLeft compares Lgamma on intervals left of zero with the hull of
// its values at many points.
func TestLgammaLeft(t *testing.T) {
	for lo := -9.05; lo < 1; lo += 0.37 {
		for hi := lo + 0.01; hi < 2; hi += 0.29 {
			x := Interval{lo, hi}
			got := Lgamma(x)
			seen := Interval{math.Inf(1), math.Inf(-1)}
			const n = 400
			for i := range n + 1 {
				p := lo + (hi-lo)*float64(i)/n
				v := Lgamma(Interval{p, p})
				if v.IsEmpty() {
					continue
				}
				seen = Interval{math.Min(seen.Lo, v.Lo), math.Max(seen.Hi, v.Hi)}
				if !v.Subset(got) && !(v.Lo >= got.Lo-1e-15 && v.Hi <= got.Hi+1e-15) {
					t.Fatalf("Lgamma[%v, %v] = %v misses %v at %v", lo, hi, got, v, p)
				}
			}
			if got.Lo < seen.Lo-1e-2 {
				t.Errorf("Lgamma[%v, %v] = %v, values only reach down to %v", lo, hi, got, seen.Lo)
			}
		}
	}
}

// TestPolygammaLeft compares Polygamma on intervals left of zero with the hull
// of its values at many points.
func TestPolygammaLeft(t *testing.T) {
	const points = 100
	for _, n := range []int{1, 2, 9} {
		for lo := -3.05; lo < 1; lo += 0.37 {
			for hi := lo + 0.01; hi < 2; hi += 0.29 {
				got := Polygamma(n, Interval{lo, hi})
				least := math.Inf(1)
				for i := range points + 1 {
					p := math.Min(hi, lo+(hi-lo)*float64(i)/points)
					v := Polygamma(n, Interval{p, p})
					if !v.IsEmpty() && (v.Lo < nextDn(got.Lo) || v.Hi > nextUp(got.Hi)) {
						t.Fatalf("Polygamma(%d, [%v, %v]) = %v misses %v at %v", n, lo, hi, got, v, p)
					}
					least = math.Min(least, v.Lo)
				}
				if n%2 == 1 && got.Lo < least/2 {
					t.Errorf("Polygamma(%d, [%v, %v]) = %v, values only reach down to %v", n, lo, hi, got, least)
				}
			}
		}
	}
}

// TestPolygammaMinimum: minima are known to a double, in every gap and for every order.
func TestPolygammaMinimum(t *testing.T) {
	for _, n := range []int{1, 3, 5, 21, 101, 999} {
		for _, g := range []float64{-1, -2, -3, -10, -1e3, -1e5, -1e7, -1e12, -0x1p52} {
			v := kernel.PolygammaMinimum(n, g)
			if !(v.E < v.H*0x1p-60) {
				t.Errorf("the minimum of polygamma %d above %v is %v, known to 2^%.1f", n, g, v.H, math.Log2(v.E/v.H))
			}
		}
	}
	for _, c := range []struct {
		n       int
		g, want float64
	}{{1, -1, 8.933026591184719841}, {3, -2, 194.59427301917864641}, {21, -5, 4.285818862427967047e26}, {1, -1000, 9.868604401172689357}} {
		if got := kernel.PolygammaMinimum(c.n, c.g).Nearest(); got != c.want {
			t.Errorf("the minimum of polygamma %d above %v is %v, want %v", c.n, c.g, got, c.want)
		}
	}
}

// TestPolygammaLargeOrder: powers and factorials out of range, but not their product.
func TestPolygammaLargeOrder(t *testing.T) {
	for _, n := range []int{100, 171, 300, 501, 1000} {
		for q := -300; q <= 300; q += 7 {
			x := float64(n) / math.E * math.Exp(float64(q)/float64(n)*2)
			lo, hi := new(ball.Ball).Polygamma(int64(n), ball.FromFloat64(x), 120).Float64s()
			got := Polygamma(n, Interval{x, x})
			if !(got.Lo <= lo && hi <= got.Hi && got.Lo >= nextDn(nextDn(lo)) && got.Hi <= nextUp(nextUp(hi))) {
				t.Errorf("Polygamma(%d, %v) = [%v, %v], want [%v, %v]", n, x, got.Lo, got.Hi, lo, hi)
			}
		}
	}
}
