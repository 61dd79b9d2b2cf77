package driver

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// solved returns the reals of a program's value, exactly evaluated.
func solved(t *testing.T, text string, digits int64) ([]exact.Enclosure, *diag.Diagnostic) {
	t.Helper()
	return solvedWatching(t, text, digits, nil)
}

// solvedWatching is solved, and watch receives the progress.
func solvedWatching(t *testing.T, text string, digits int64, watch func(exact.Progress)) (
	[]exact.Enclosure, *diag.Diagnostic) {
	t.Helper()
	var list diag.List
	unit := NewWorld(nil).LoadText("test", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	eps := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(digits), nil))
	limits := interp.DefaultLimits()
	r, d := RunExact(t.Context(), unit, Settings{Limits: limits}, Exactly{Eps: eps, Watch: watch})
	return exact.Enclosures(r.Value), d
}

// TestFlows: the enclosure of a solution, and of its derivatives, meets that of its closed form,
// and both are narrow.
func TestFlows(t *testing.T) {
	turns := "(fun _ (x, v) => (v, -x))"
	for _, c := range []struct {
		flow, closed string
		digits       int64
	}{
		{"ode.solve (fun _ y => y) 0 1 1", "e", 12},
		{"ode.solve (fun _ y => -y) 0 1 1", "exp (-1)", 30},
		{"ode.solve (fun _ y => -50 * y) 0 1 1", "exp (-50)", 12},
		{"ode.solve (fun _ y => y) 1 0 e", "1", 12}, // backwards
		{"ode.solve (fun _ y => y) 2 2 3", "3", 12},
		{"ode.solve (fun t y => t * y) 0 2 1", "exp 2", 12},
		{"ode.solve (fun t _ => 1 / (1 + t^2)) 0 3 0", "atan 3", 12},
		{"ode.solve (fun _ y => y * (1 - y)) 0 3 0.1", "sigmoid (3 - log 9)", 12},
		{"ode.solve (fun _ y => 1 + y^2) 0 1.4 0", "tan 1.4", 10},
		{"ode.solve " + turns + " 0 60 (1, 0)", "(cos 60, -(sin 60))", 11}, // no wrapping
		{"let s = ode.solve (fun t s => {a = cos t, b = [s.a]}) 0 2 {a = 0, b = [1]} in (s.a, s.b[0])", "(sin 2, 2 - cos 2)", 12},
		{"ode.samples (fun _ y => y) [0, 1, 0.5] 1", "[1, e, sqrt e]", 12},
		{"ode.stiff ode.standard (fun t y => 40 * (sin t - y) + cos t) 0 1 1", "sin 1 + exp (-40)", 11},
		{"ode.adjoint ode.standard (fun _ y => -y) 0 1 1", "exp (-1)", 12},
		{"ode.at (ode.stiffTrajectory ode.standard (fun _ y => -y) 0 2 1) 1", "exp (-1)", 12},
		{"match ode.event (ode.trajectory ode.standard " + turns + " 0 9 (1, 0)) (fun t (x, _) => t * x) with | Some e -> (e.time, e.state) | None -> (0, (0, 0))",
			"(pi / 2, (0, -1))", 9},
		{"match ode.event (ode.trajectory ode.standard " + turns + " 0 9 (1, 0)) (fun _ (x, _) => x + 2) with | Some _ -> 1 | None -> 2", "2", 9},
		// derivatives: by a parameter, the state and both times; mixed and of third order; by many
		// reals
		{"grad (fun (c, a, b, y) => ode.solve (fun _ y => c * y) a b y) (2, 0, 1, 3)", "(3 * exp 2, -6 * exp 2, 6 * exp 2, exp 2)", 11},
		{"nthDeriv 3 (fun c => ode.solve (fun _ y => c * y) 0 1 1) 2", "exp 2", 11},
		{"deriv (fun w => deriv (fun t => fst (ode.solve (fun _ (x, v) => (v, -w^2 * x)) 0 t (1, 0))) 1) 2", "-(sin 2) - 2 * cos 2", 10},
		{"nthDeriv 2 (fun y => ode.solve (fun _ y => -(y^2)) 0 1 y) 1", "-0.25", 11},
		{"grad (fun v => ode.solve (fun _ y => v[0] * y + v[1]) v[2] v[3] v[4] + v[5]) [1, 0, 0, 1, 2, 7]",
			"[2 * e, e - 1, -2 * e, 2 * e, e, 1]", 11},
		// a search over solutions, and a solution whose field searches
		{"root 1 2 (fun t => fst (ode.solve " + turns + " 0 t (1, 0)))", "pi / 2", 9},
		{"integral 0 1 (fun y => ode.solve (fun _ y => -(y^2)) 0 1 y)", "1 - log 2", 5},
		{"maxOver 1 3 (fun t => fst (ode.solve " + turns + " 0 t (0, 1)))", "1", 9},
		{"maxOver (-3) (-1) (fun t => -(fst (ode.at (ode.trajectory ode.standard " + turns + " 0 4 (0, 1)) t)))", "1", 9},
		{"ode.solve (fun t _ => integral 0 t (fun x => cos x)) 0 1 0", "1 - cos 1", 9},
		{"ode.solve (fun t y => abs y + t) 0 1 1", "2 * e - 2", 11}, // a kink that is not met
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

// TestFlowsWithoutEnd: where there is no enclosure the error says why, and how far it comes.
func TestFlowsWithoutEnd(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"ode.solve (fun _ y => sqrt y) 0 1 0", "smooth, which it may not be at the time 0"},
		{"ode.solve (fun _ y => if y < 0.5 then 1 else -1) 0 1 0", "it may slide, touch or begin to part"},
		{"ode.solve (fun _ y => if y > 0 then 1 else -1) 0 1 0", "it may slide, touch or begin to part"},
		{"deriv (fun c => ode.solve (fun _ y => stopGradient (c * y)) 0 1 1) 2", "effort ran out"},
		{"deriv (fun z => match ode.event (ode.trajectory ode.standard (fun _ y => 1 - y) 0 1 z) (fun _ y => y) with | Some _ -> 0 | None -> 1) 0",
			"may be equal"},
	} {
		_, d := solved(t, "import ode\n"+c.text, 8)
		if d == nil || d.Code != diag.EffortSpent && d.Code != diag.Undecided || !strings.Contains(d.Message, c.says) {
			t.Errorf("%s: %v, want %s", c.text, d, c.says)
		}
	}
}

// TestFlowsStopAnywhere: a deadline that ends the search for the place where a decision changes ends the
// run, too. It crashed.
func TestFlowsStopAnywhere(t *testing.T) {
	t.Parallel()
	var list diag.List
	text := "import ode\node.solve (fun t _ => if floor (t * 100) == 333 then 100 else 0) 0 10 0"
	unit := NewWorld(nil).LoadText("test", text, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	for k := range 25 {
		ctx, done := stop.Within(context.Background(), time.Duration(k+1)*4*time.Millisecond)
		_, d := RunExact(ctx, unit, Settings{Limits: interp.DefaultLimits()}, Exactly{Eps: big.NewRat(1, 1e9)})
		done()
		if d == nil || d.Code != diag.TimeLimit && d.Code != diag.EffortSpent {
			t.Errorf("%v", d)
		}
	}
}

// TestAdjointMemory: four times the steps take about twice the tape, and four times without
// checkpoints. The gradients are the same.
func TestAdjointMemory(t *testing.T) {
	longest := func(solver string, end int) float64 {
		text := fmt.Sprintf("import ode\ngrad (fun c => fst (%s ode.standard (fun _ (x, v) => (v, -c * sin x)) 0 %d (1, 0))) 1.5", solver, end)
		want, _ := ran(t, fmt.Sprintf("import ode\ngrad (fun c => fst (ode.solve (fun _ (x, v) => (v, -c * sin x)) 0 %d (1, 0))) 1.5", end), interp.Options{})
		got, stats := ran(t, text, interp.Options{})
		if !(farthest(got, want) < 1e-9) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		return float64(stats.Longest)
	}
	short, long := longest("ode.adjoint", 25), longest("ode.adjoint", 100)
	all := longest("ode.solveWith", 100)
	t.Logf("%v, %v of %v", short, long, all)
	if long > 2.3*short || 5*long > all {
		t.Errorf("%v entries, then %v, and %v without checkpoints", short, long, all)
	}
}
