package paperstest

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Lab loads each module of programs once.
type Lab struct {
	world *driver.World
	units map[string]*driver.Unit
}

// NewLab returns a laboratory with only the standard library in it.
func NewLab() *Lab {
	return &Lab{world: driver.NewWorld(nil), units: map[string]*driver.Unit{}}
}

// Value evaluates an expression in the scope of a program's module. It returns nil if there is no
// expression.
func (l *Lab) Value(t testing.TB, p Program, expression string) value.Value {
	t.Helper()
	if expression == "" {
		return nil
	}
	var list diag.List
	unit := l.world.LoadText("<value>", expression+"\n", []*driver.Unit{l.unit(t, p)}, &list)
	if list.Failed() {
		t.Fatalf("%s: %v", p.Name, list.Sorted()[0])
	}
	result, d := driver.Run(context.Background(), unit, driver.Settings{})
	if d != nil {
		t.Fatalf("%s: %v", p.Name, d)
	}
	return result.Value
}

func (l *Lab) unit(t testing.TB, p Program) *driver.Unit {
	t.Helper()
	if unit := l.units[p.Source]; unit != nil {
		return unit
	}
	var list diag.List
	unit := l.world.LoadText("program.flx", p.Source, nil, &list)
	if list.Failed() {
		t.Fatalf("%s: %v\n%s", p.Name, list.Sorted()[0], p.Source)
	}
	l.units[p.Source] = unit
	return unit
}

// Problem returns the problem of a program. If the program gives no cotangent and its result is
// not a Real, the result is the cotangent.
func (l *Lab) Problem(t testing.TB, p Program, maxOps int64) *papers.Problem {
	t.Helper()
	var list diag.List
	e := lab.Experiment{
		Unit: l.unit(t, p), Fun: p.Fn, At: p.At, Cotangent: p.Cotangent, MaxOps: maxOps,
		Settings: driver.Settings{Limits: interp.DefaultLimits(), Verify: true},
	}
	problem := lab.Problem(context.Background(), l.world, e, &list)
	if list.Failed() && p.Cotangent == "" && list.Sorted()[0].Code == diag.Mismatch {
		list = diag.List{}
		e.Cotangent = "_fn _at"
		problem = lab.Problem(context.Background(), l.world, e, &list)
	}
	if list.Failed() {
		t.Fatalf("%s: %v\n%s", p.Name, list.Sorted()[0], p.Source)
	}
	return problem
}
