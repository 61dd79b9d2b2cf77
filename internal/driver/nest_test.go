package driver_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestNestsAreCompiled: in a derivative that an operation without compiled code leaves to the tape,
// loops in loops are one entry. Its value and its derivatives run as compiled code, which is made
// once.
func TestNestsAreCompiled(t *testing.T) {
	const hot = `let hot (xs : []Real) (a : Real) : Real = sum [sum [sin (a * x * real k) for k < 100] for x in xs]
let all (a : Real) : Real = hot [real i / 100 for i < 1000] (gammaP a 2)
`
	for _, test := range []struct {
		name, text  string
		runs, codes int // so many at least, and at most
	}{
		{"gradient", hot + "sum [grad all (2 + real i / 10) for i < 6]", 6, 5},
		{"derivative", hot + "sum [deriv all (2 + real i / 10) for i < 6]", 6, 5},
		{"second derivative", hot + "sum [deriv (deriv all) (2 + real i / 10) for i < 6]", 12, 5},
		{"beside, in the loop", `let inner (x : Real) : Real = sum [sin (x * real k) for k < 20]
let all (a : Real) : Real = sum [inner (a * real i) * gammaP (real i + 1) a for i < 100]
sum [grad all (2 + real i / 10) for i < 3]`, 300, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			var list diag.List
			unit := driver.NewWorld(nil).LoadText("in.flx", test.text, nil, &list)
			if list.Failed() {
				t.Fatal(list.Sorted()[0])
			}
			want, d := driver.Run(context.Background(), unit, driver.Settings{Engine: "interp", Limits: interp.DefaultLimits()})
			if d != nil {
				t.Fatal(d)
			}
			ran, codes := 0, atomic.Int64{}
			counted := func(p *loop.Program) (loop.Code, error) {
				codes.Add(1)
				return countedCode{portable.Compile(p.Funcs[0]), &ran}, nil
			}
			got, d := driver.Run(context.Background(), unit,
				driver.Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{Engine: counted, Eager: true}})
			if d != nil {
				t.Fatal(d)
			}
			if !closeReals(want.Value, got.Value, 1e-12) {
				t.Errorf("%s, not %s", value.Show(got.Value), value.Show(want.Value))
			}
			if ran < test.runs || int(codes.Load()) > test.codes {
				t.Errorf("%d runs of %d pieces of compiled code", ran, codes.Load())
			}
		})
	}
}
