package degenerate

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// fixed are cases that were once answered wrongly on doubles, with the truth: NaN where there is
// none.
var fixed = []struct {
	text string
	want float64
}{
	{"deriv (deriv (fun c => integral 0 c (fun x => c))) 0", 2},
	{"deriv (deriv (fun t => integral 0 t (fun s => exp (t - s)))) 0", 1},
	{"deriv (fun c => integral01 (fun x => real (floor (x + c)))) 0", 1},
	{"deriv (fun c => integral 0 3 (fun x => real (round (x - c)))) 0.5", -3},
	{"deriv (deriv (fun c => integral01 (fun x => if x < c^2 then 1 else 0))) 0", 2},
	{"deriv (deriv (fun b => integral01 (fun x => abs (x - b)))) 1", math.NaN()},
	{"deriv (deriv (fun a => maxOver (-1) 1 (fun x => -(x-a)^2))) 1", math.NaN()},
	{"deriv (fun a => argmaxOver 0 2 (fun x => min (sin (a*x)) (cos x))) 0.7", -math.Pi / (2 * 1.7 * 1.7)},
	{"deriv (fun a => argmaxOver 0 2 (fun x => -abs (exp x - 2 - a) - x^2 * 0.1)) 0.3", 1 / 2.3},
	{"integral 0 1 (fun x => exp (-((x - 0.37123) / 0.0001)^2))", 1e-4 * 1.7724538509055160},
	{"integralLine (fun x => exp (-(x - 1117)^2))", 1.7724538509055160},
	{"deriv (fun c => integral 0 1 (fun x => tanh ((x - c) * 3e4))) 0.407", -2},
	{"deriv (fun c => integral 0 1 (fun x => if (x - 0.4)^2 < c then 1 else 0)) 1e-6", 1000},
	{"deriv (fun c => integral01 (fun x => 1e10*x + root 0 2 (fun y => if x < c then y - 1 else y - 1.5))) 0.4", -0.5},
	{"deriv (fun c => integral 0.25 2.25 (fun x => (if x < 2.5 - c then 1 else 2) * " +
		"(if (x - 0.3) * (x - c - 0.25) < 0 then 3 else 1))) 0.25", math.NaN()},
	{"deriv (deriv (fun c => integral 0.25 2.25 (fun x => (if x < 2.25 - (c - 0.25)^2 then 1 else 2) * " +
		"(if (x - 0.3) * (x - c - 0.25) < 0 then 3 else 1)))) 0.25", 2},
	{"deriv (fun c => max (firstRoot (fun x => (x - c^3) * (x - (0.5 - c)))) 0.5) 0", math.NaN()},
	{"deriv (fun c => if firstRoot (fun x => (x - c) * (x - 0.5)) < 0.25 then 1 else 2) 0", math.NaN()},
	{"deriv (fun c => integral (-1) 1 (fun x => if x^3 < c then 1 else 0)) 0", math.NaN()},
}

// TestFixedFloat: on doubles each of them is right or an error.
func TestFixedFloat(t *testing.T) {
	world := driver.NewWorld(nil)
	for _, c := range fixed {
		result, d := driver.Run(context.Background(), load(t, world, c.text),
			driver.Settings{Limits: interp.DefaultLimits()})
		if d != nil {
			t.Logf("%s\n    %s", c.text, d)
			continue
		}
		got := float64(result.Value.(value.Real))
		if !(math.Abs(got-c.want) <= accuracy*math.Max(1e-3, math.Abs(c.want))) {
			t.Errorf("%s is %v, want %v", c.text, got, c.want)
		}
	}
}

// TestFixedExact: each of them is enclosed or refused.
func TestFixedExact(t *testing.T) {
	world := driver.NewWorld(nil)
	for _, c := range fixed {
		limits := interp.DefaultLimits()
		ctx, done := stop.Within(context.Background(), time.Second)
		result, d := driver.RunExact(ctx, load(t, world, c.text),
			driver.Settings{Limits: limits}, driver.Exactly{Eps: narrow})
		done()
		e, ok := result.Value.(exact.Enclosure)
		if !ok || math.IsNaN(c.want) && d != nil {
			t.Logf("%s\n    %v", c.text, d)
			continue
		}
		lo, _ := e.Lo.Float64()
		hi, _ := e.Hi.Float64()
		if slack := 1e-12 * math.Abs(c.want); !(lo-slack <= c.want && c.want <= hi+slack) {
			t.Errorf("%s is %s, want %v", c.text, e.Fluxion(), c.want)
		}
	}
}

// load compiles a text.
func load(t *testing.T, world *driver.World, text string) *driver.Unit {
	t.Helper()
	var list diag.List
	unit := world.LoadText("case", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s: %v", text, list.Sorted()[0])
	}
	return unit
}
