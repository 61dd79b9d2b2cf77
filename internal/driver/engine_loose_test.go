package driver_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

const looseText = `import linalg
import array
let step (x : Real) : Real = if x > 1 then x^2 else 3 * x
let steps (xs : []Real) : Real = sum [sum [if x > real k then x * x else -x for k < 3] for x in xs]
let cells (xs : []Real) : Real = sum [sum [real (floor (x * real k)) * x for k < 3] for x in xs]
let signs (xs : []Real) : Real = sum [sum [sign (x - real k) * x * x for k < 3] for x in xs]
let kinks (xs : []Real) : Real = sum [sum [max x (real k) * x for k < 3] for x in xs]
let order (xs : []Real) : Real = let s = array.sort xs in sum [real (k + 1) * s[k] for k < length s]
let roots (xs : []Real) : Real = sum [sum [sqrt x * real k for k < 3] for x in xs]
let search (xs : []Real) : Real = loop y = xs[0] for x in xs do if x >= y then x * x else y
let odd (x : Real) : Real = gammaP 2 (1 + x^2)
`

// TestLooseEnginesAgree: with --ties=ieee and --check-finite=false compiled code gives what the
// interpreter gives: at ties of comparisons, roundings and kinks, alone and together, to the second
// order, and where slopes are infinite or values are not numbers.
func TestLooseEnginesAgree(t *testing.T) {
	for _, ask := range []string{
		"(deriv step 1, grad steps [1, 2], jvp steps [1, 0.5] [1, 1], grad steps [0, 1, 2])",
		"(grad cells [1, 2, 0.5], grad signs [0, 1, 2], jvp cells [2, 1] [1, 3])",
		"(grad kinks [0, 1, 2], grad order [1, 2, 1], grad search [1, 2, 2, 1])",
		"(grad (fun v => kinks v + steps v * signs v) [0, 1, 2], jvp (fun v => kinks v * steps v) [1, 1] [1, -1])",
		"(hessian steps [1, 2], hessian kinks [1, 2], hessian (fun v => cells v * steps v) [1, 2])",
		"(grad (fun v => inner (grad steps v) [1, 2]) [1, 2], deriv (deriv step) 1)",
		"(grad roots [1, 0], jvp roots [0, 1] [1, 0], jvp roots [0, 1] [0, 1])",
		"jacobian (fun v => [sqrt v[0] * v[1], v[1]]) [0, 0]",
		"(grad (fun v => v[0] / v[1]) [0, 0], grad (fun v => sum [log x * 0 for x in v]) [0, 1])",
		"grad (fun v => steps v * odd v[0] + kinks v) [1, 2]",
		"(grad (fun v => roots v * odd v[1]) [1, 0], hessian (fun v => kinks v * odd v[1]) [1, 2])",
		"grad (fun v => (linalg.eigSym [[v[0], 0], [0, v[1]]]).values[0] * steps v) [1, 2]",
	} {
		for _, opts := range []interp.Options{loose, {IEEETies: true}, {AllowInfinite: true}} {
			agreeWith(t, opts, ask, looseText+ask+"\n")
		}
	}
}

// TestLooseIsCompiled: with --ties=ieee a gradient at the tie of a comparison runs as compiled code,
// and so does one with kinks beside it.
func TestLooseIsCompiled(t *testing.T) {
	for _, ask := range []string{
		"grad steps [1, 2]",
		"grad (fun v => steps v + kinks v) [0, 1]",
		"grad (fun v => cells v + signs v) [0, 1, 2, 3]",
	} {
		unit := loadText(t, looseText+ask+"\n")
		failed := 0
		s := driver.Settings{Limits: interp.DefaultLimits(), Compile: loose}
		want, d := driver.Run(t.Context(), unit, s)
		if d != nil {
			t.Fatal(d)
		}
		s.Compile.Eager = true
		s.Compile.Engine = func(p *loop.Program) (loop.Code, error) {
			code, err := portableEngine(p)
			return failing{code, &failed}, err
		}
		got, d := driver.Run(t.Context(), unit, s)
		if d != nil || !closeReals(want.Value, got.Value, 1e-12) {
			t.Errorf("%s is %v by the interpreter, %v compiled (%v)", ask, want.Value, got.Value, d)
		}
		if failed > 1 { // the first run meets kinks, which are resolved then
			t.Errorf("%s: compiled code gave up %d times", ask, failed)
		}
	}
}

// failing counts the runs of code that are given up.
type failing struct {
	loop.Code
	failed *int
}

func (c failing) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	err := c.Code.RunInto(into, args, opts)
	if err != nil {
		*c.failed++
	}
	return err
}
