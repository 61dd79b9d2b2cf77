package lab_test

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/check/checktest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var decimal = regexp.MustCompile(`\b[0-9]+\.[0-9]+(?:e-?[0-9]+)?\b`)

// TestRandomDerivatives: programs that are well typed by construction, as functions of a factor
// of their literals: backwards, forwards and by the paper's `delta` they have one derivative.
// -rapid.checks=10000 looks longer.
func TestRandomDerivatives(t *testing.T) {
	w := driver.NewWorld(nil)
	var modules []checktest.Module
	for _, m := range []checktest.Module{{Name: "array"}, {Name: "list"}, {}} {
		m.Interface = w.Library(cmp.Or(m.Name, "prelude"), &diag.List{}).Info.Interface
		modules = append(modules, m)
	}
	programs := checktest.Programs(modules...)
	delta := lab.Strategies()
	for _, s := range lab.Strategies() {
		if s.Name == "delta" {
			delta = []papers.Strategy{s}
		}
	}
	compared := 0
	property.Check(t, func(t *rapid.T) {
		program := programs.Draw(t, "program")
		if types.Member(program.Type, types.Diff) != nil {
			return
		}
		defer w.Forget()
		source := program.Decls + "let f (x : Real) : " + types.Show(program.Type) + " = " + decimal.ReplaceAllString("("+program.Final+")", "($0 * x)") + "\n"
		ours := loaded(t, w, source+"let y = f 1\nlet b = unflatten y [0.5 for _ in flatten y]\n(vjp f 1 b, innerReal b (jvp f 1 1))\n")
		limits := interp.DefaultLimits()
		limits.Depth = 10_000
		result, d := driver.Run(context.Background(), ours, driver.Settings{Limits: limits})
		if d != nil {
			switch d.Code {
			case diag.TiedComparison, diag.TiedJump, diag.TiedKink, diag.NotFinite:
				return // there is no derivative
			}
		}
		var sink diag.List
		unit := loaded(t, w, source+"0\n")
		outcome := lab.Differentiate(context.Background(), w, lab.Experiment{
			Unit: unit, Fun: "f", At: "1.0", Cotangent: "(let y = f 1 in unflatten y [0.5 for _ in flatten y])",
			MaxOps: 20_000, Settings: driver.Settings{Limits: limits},
		}, delta, &sink)
		if sink.Failed() || outcome[0].Failure != nil {
			if d == nil && !sink.Failed() && outcome[0].Failure.Code != diag.StrategyLimits {
				t.Fatalf("%s\nhas the derivative %v, but for delta", source, result.Value)
			}
			return
		}
		if d != nil {
			t.Fatalf("%s\nhas a derivative by delta, but %v", source, d)
		}
		pair := value.RealsOf(result.Value)
		theirs := value.RealsOf(outcome[0].Answer.Gradient)[0]
		if scale := 1 + math.Abs(theirs); math.IsNaN(theirs) || math.IsInf(theirs, 0) {
			return // 0 times infinity is a matter of the order
		} else if !(math.Abs(pair[0]-theirs) <= 1e-9*scale && math.Abs(pair[1]-theirs) <= 1e-9*scale) {
			t.Fatalf("%s\nbackwards %v, forwards %v, by delta %v", source, pair[0], pair[1], theirs)
		}
		compared++
	})
	t.Logf("%d derivatives were compared", compared)
}

func loaded(t *rapid.T, w *driver.World, text string) *driver.Unit {
	var list diag.List
	unit := w.LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted())
	}
	return unit
}
