package trace_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers/trace"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var bg = context.Background()

// problem makes a problem of a program, with ones for the cotangent, and the
// program compiled. Calls of `rd`, if the source has that, become trace.RD.
func problem(t testing.TB, p paperstest.Program) (*papers.Problem, *interp.Code) {
	t.Helper()
	text := p.Source + "\nlet argumentOf (f : a -> b) (x : a) : a = x\nargumentOf " + p.Fn + " (" + p.At + ")\n"
	var sink diag.List
	unit := driver.NewWorld(nil).LoadText("test.flx", text, nil, &sink)
	if sink.Failed() {
		t.Fatalf("%s: %v\n%s", p.Name, sink.Sorted()[0].Error(), text)
	}
	linked, d := driver.Link(unit)
	if d != nil {
		t.Fatal(d)
	}
	name := unit.Info.Name + "." + p.Fn
	mono, d := opt.Mono(linked, opt.Options{Roots: []string{name}})
	if d != nil {
		t.Fatal(d)
	}
	code, d := interp.Compile(mono)
	if d != nil {
		t.Fatal(d)
	}
	at, d := code.Run(bg, interp.Limits{})
	if d != nil {
		t.Fatal(d)
	}
	prob := &papers.Problem{Program: mono, At: at, MaxOps: 1_000_000}
	for _, def := range mono.Defs {
		if def.Name == name {
			prob.Fun = def
		}
		core.Walk(def.Body, func(s core.Stmt) {
			let, ok := s.(*core.Let)
			if !ok {
				return
			}
			call, ok := let.Op.(*core.Apply)
			if !ok {
				return
			}
			if g, ok := call.Fun.(*core.Global); ok && strings.HasPrefix(g.Name, unit.Info.Name+".rd") {
				inst := []types.Type{call.Args[1].Type(), call.Args[2].Type()}
				let.Op = &core.Prim{Prim: trace.RD, Inst: inst, Args: call.Args}
			}
		})
	}
	y, _, d := trace.Evaluate(bg, prob)
	if d != nil {
		t.Fatalf("%s: %v", p.Name, d)
	}
	prob.Cotangent = papers.MapReals(y, func(float64) float64 { return 1 })
	return prob, code
}

func near(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*(1+math.Abs(a)+math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
}

func allNear(as, bs []float64, tolerance float64) bool {
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if !near(as[i], bs[i], tolerance) {
			return false
		}
	}
	return true
}

func inner(xs, ys []float64) (sum float64) {
	for i := range xs {
		sum += xs[i] * ys[i]
	}
	return sum
}

// numeric is the gradient by central differences.
func numeric(t *testing.T, code *interp.Code, p *papers.Problem) []float64 {
	xs := papers.Reals(p.At)
	gradient := make([]float64, len(xs))
	for i := range xs {
		h := 1e-5 * (1 + math.Abs(xs[i]))
		side := func(h float64) float64 {
			moved := append([]float64(nil), xs...)
			moved[i] += h
			y, d := code.Call(bg, interp.Limits{}, p.Fun.Name, papers.WithReals(p.At, moved))
			if d != nil {
				t.Fatal(d)
			}
			return inner(papers.Reals(p.Cotangent), papers.Reals(y))
		}
		gradient[i] = (side(h) - side(-h)) / (2 * h)
	}
	return gradient
}

// refused are the programs with functions in data that inlining does not
// remove.
var refused = map[string]bool{"functions in an array": true, "list of closures": true}

func TestPrograms(t *testing.T) {
	covered := 0
	published := trace.Strategies()[0]
	for _, program := range paperstest.Programs {
		p, code := problem(t, program)
		answer, d := trace.Pruned().Run(bg, p)
		if d != nil {
			if d.Code != diag.StrategyLimits || !refused[program.Name] {
				t.Errorf("%s: %v", program.Name, d)
			}
			continue
		}
		y, d := code.Call(bg, interp.Limits{}, p.Fun.Name, p.At)
		if d != nil || !allNear(papers.Reals(y), papers.Reals(answer.Value), 1e-14) || value.Show(papers.MapReals(y, zero)) != value.Show(papers.MapReals(answer.Value, zero)) {
			t.Errorf("%s: value %s, want %s", program.Name, value.Show(answer.Value), value.Show(y))
		}
		if !reflect.DeepEqual(papers.MapReals(answer.Gradient, zero), papers.MapReals(p.At, zero)) {
			t.Errorf("%s: the gradient %s is not like the point %s", program.Name, value.Show(answer.Gradient), value.Show(p.At))
		}
		if want := numeric(t, code, p); !allNear(papers.Reals(answer.Gradient), want, 1e-6) {
			t.Errorf("%s: gradient %s, numerically %v", program.Name, value.Show(answer.Gradient), want)
		}
		literal, d := published.Run(bg, p)
		switch {
		case d != nil && d.Code != diag.StrategyBudget:
			t.Errorf("%s: %v", program.Name, d)
		case d != nil:
			t.Logf("%s: %v", program.Name, d)
		case !allNear(papers.Reals(literal.Gradient), papers.Reals(answer.Gradient), 1e-12):
			t.Errorf("%s: gradient %s, pruned %s", program.Name, value.Show(literal.Gradient), value.Show(answer.Gradient))
		default:
			covered++
		}
	}
	t.Logf("%d of %d programs within budget", covered, len(paperstest.Programs))
}

func zero(float64) float64 { return 0 }
