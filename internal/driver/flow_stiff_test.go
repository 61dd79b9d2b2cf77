package driver

import (
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// TestStiffFlows: solutions whose fast part would ask for millions of steps of Taylor's formula meet
// their closed forms, and so do their derivatives.
func TestStiffFlows(t *testing.T) {
	cosine := "(p[0] * (p[0] * cos p[2] + sin p[2]) / (p[0]^2 + 1) + (p[1] - p[0]^2 / (p[0]^2 + 1)) * exp (-p[0] * p[2]))"
	follow := "ode.solve (fun t y => -p[0] * (y - cos t)) 0 p[2] p[1]"
	at := func(body, point string) string { return "(fun (p : [3]Real) => " + body + ") " + point }
	grad := func(body, point string) string { return "grad (fun (p : [3]Real) => " + body + ") " + point }
	for _, c := range []struct {
		flow, closed string
		digits       int64
	}{
		{at(follow, "[1e5, 0, 1]"), at(cosine, "[1e5, 0, 1]"), 10},
		{at(follow, "[1e6, 0, 1]"), at(cosine, "[1e6, 0, 1]"), 10},
		{at(follow, "[1e5, 2, 1]"), at(cosine, "[1e5, 2, 1]"), 25},
		{at(follow, "[1e4, 2, 0.0001]"), at(cosine, "[1e4, 2, 0.0001]"), 10},
		{grad(follow, "[1e5, 0.5, 2]"), grad(cosine, "[1e5, 0.5, 2]"), 10},
		{"nthDeriv 2 (fun w => " + at(follow, "[1e5, 0, w]") + ") 1", "nthDeriv 2 (fun w => " + at(cosine, "[1e5, 0, w]") + ") 1", 8},
		// backwards, nonlinear, and through a kink and jumps
		{"ode.solve (fun _ y => 1e5 * (y - 3)) 2 1 5", "3 + 2 * exp (-1e5)", 10},
		{"ode.solve (fun _ y => -1e5 * y * (y - 1)) 0 1 0.5", "1 / (1 + exp (-1e5))", 10},
		{"ode.solve (fun t y => -1e5 * (y - abs (t - 0.5))) 0 1 0", "0.5 - 1e-5", 9},
		{"ode.solve (fun t y => -1e5 * (y - real (floor (4 * t)))) 0 1.1 0", "4", 9},
		// systems: two rates, a pair of eigenvalues that decays, and a slow one that turns
		{"ode.solve (fun _ (x, y) => (998 * x + 1998 * y, -999 * x - 1999 * y)) 0 10 (1, 0)",
			"(2 * exp (-10) - exp (-1e4), -exp (-10) + exp (-1e4))", 10},
		{"ode.solve (fun _ (x, y) => (-1e5 * x + 2e5 * y, -2e5 * x - 1e5 * y + 1)) 0 1 (1, 0)", "(4e-6, 2e-6)", 10},
		{"let (_, y, z) = ode.solve (fun _ (x, y, z) => (-1e5 * (x - y), z, -y)) 0 20 (1, 1, 0) in (y, z)", "(cos 20, -(sin 20))", 10},
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			got, d := solved(t, "import ode\n"+c.flow, c.digits)
			if d != nil {
				t.Fatal(c.flow, d)
			}
			want, d := solved(t, c.closed, c.digits)
			if d != nil || len(want) != len(got) {
				t.Fatal(c.closed, d)
			}
			for k := range got {
				if got[k].Lo.Cmp(want[k].Hi) > 0 || want[k].Lo.Cmp(got[k].Hi) > 0 {
					t.Errorf("%s: %s, want %s", c.flow, got[k].Fluxion(), want[k].Fluxion())
				}
			}
		})
	}
}

// TestStiffProblems: Robertson's reaction, as Hairer and Wanner's tables have it, and Van der Pol's equation with μ =
// 1000 while it creeps, where y²/2 - log y - t/μ is constant but for terms in 1/μ².
func TestStiffProblems(t *testing.T) {
	robertson := "ode.solve (fun _ (x, y, z) => (-0.04 * x + 1e4 * y * z, 0.04 * x - 1e4 * y * z - 3e7 * y^2, 3e7 * y^2)) 0 "
	for _, c := range []struct {
		text string
		want []float64
		by   float64
	}{
		{robertson + "0.4 (1, 0, 0)", []float64{0.985172113863, 3.38639537897e-5, 0.0147940221821}, 1e-9},
		{robertson + "40 (1, 0, 0)", []float64{0.715827068719, 9.18553476456e-6, 0.284163745746}, 1e-9},
		{"let y = fst (ode.solve (fun _ (y, v) => (v, 1000 * (1 - y^2) * v - y)) 0 500 (2, 0)) in log y - y^2 / 2 - 0.5",
			[]float64{0.6931471805599453 - 2}, 1e-5},
	} {
		got, d := solved(t, "import ode\n"+c.text, 10)
		if d != nil {
			t.Errorf("%s: %v", c.text, d)
			continue
		}
		for k, want := range c.want {
			lo, _ := got[k].Lo.Float64()
			hi, _ := got[k].Hi.Float64()
			if hi-lo > 1.1e-10 || lo > want+c.by || hi < want-c.by {
				t.Errorf("%s: component %d: %s, want %v", c.text, k, got[k].Fluxion(), want)
			}
		}
	}
}

// TestTooManySteps: what oscillates fast is refused for that reason, and not tried again and again.
func TestTooManySteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, says string
		calls      int64 // of the right-hand side; with a second effort there are more
	}{
		{"ode.solve (fun t _ => cos (1e7 * t)) 0 1 0",
			"or its equation, varies fast there: ask for a shorter time", 300_000},
		{"ode.solve (fun _ (x, y) => (1e5 * y, -1e5 * x)) 0 1 (1, 0)",
			"oscillates with the angular frequency 1e+05", 900_000},
	} {
		if !property.Long() && strings.Contains(c.text, "(x, y)") {
			continue
		}
		calls := int64(0)
		_, d := solvedWatching(t, "import ode\n"+c.text, 8, func(p exact.Progress) {
			calls += p.Calls
		})
		if d == nil || d.Code != diag.EffortSpent || !strings.Contains(d.Message, c.says) {
			t.Errorf("%s: %v, want %s", c.text, d, c.says)
		}
		if calls > c.calls {
			t.Errorf("%s: refused after %d calls", c.text, calls)
		}
	}
}

// TestManyCrossings: hundreds of jumps and kinks are passed, each at little cost, and the time of one does not
// blur that of the next.
func TestManyCrossings(t *testing.T) {
	for _, c := range []struct {
		flow, closed string
		digits       int64
	}{
		{"ode.solve (fun t _ => real (floor t)) 0 120 0", "7140", 7},
		{"ode.solve (fun t _ => abs (sin t)) 0 330 0", "2 * 105 + 1 - cos (330 - 105 * pi)", 9},
		{"deriv (fun c => ode.solve (fun t y => -y + real (floor (c * t))) 0 40.5 0) 1",
			"deriv (fun c => sum [1 - exp (real k / c - 40.5) for k < 41 if k > 0]) 1", 6},
	} {
		got, d := solved(t, "import ode\n"+c.flow, c.digits)
		if d != nil {
			t.Fatal(c.flow, d)
		}
		want, d := solved(t, c.closed, c.digits)
		if d != nil {
			t.Fatal(c.closed, d)
		}
		if got[0].Lo.Cmp(want[0].Hi) > 0 || want[0].Lo.Cmp(got[0].Hi) > 0 {
			t.Errorf("%s: %s, want %s", c.flow, got[0].Fluxion(), want[0].Fluxion())
		}
	}
}
