package driver_test

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/portable"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestNestsAreCompiled: in a gradient that an operation without compiled code leaves to the tape, loops in loops are one entry, whose value
// compiled code gives.
func TestNestsAreCompiled(t *testing.T) {
	const text = `let hot (xs : []Real) (a : Real) : Real = sum [sum [sin (a * x * real k) for k < 100] for x in xs]
let all (a : Real) : Real = hot [real i / 100 for i < 1000] (gammaP a 2)
sum [grad all (2 + real i / 10) for i < 6]
`
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	want, d := driver.Run(context.Background(), unit, driver.Settings{Engine: "interp", Limits: interp.DefaultLimits()})
	if d != nil {
		t.Fatal(d)
	}
	ran := 0
	counted := func(p *loop.Program) (loop.Code, error) { return countedCode{portable.Compile(p.Funcs[0]), &ran}, nil }
	got, d := driver.Run(context.Background(), unit,
		driver.Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{Engine: counted, Eager: true}})
	if d != nil {
		t.Fatal(d)
	}
	if !closeReals(want.Value, got.Value, 1e-12) {
		t.Errorf("%s, not %s", value.Show(got.Value), value.Show(want.Value))
	}
	if ran < 6 {
		t.Errorf("%d runs of compiled code", ran)
	}
}
