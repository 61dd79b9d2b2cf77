package driver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// failing are definitions of which the last ones fail, or never end, for some arguments.
const failing = `
let rec down (x : Real) : Real = if x < -1e300 then 0 else down (x - 0)
let spin (x : Real) : Real = loop s = x while s < 1e300 do s * 1
let halt (x : Real) : Real = let n = loop n = 0 while n < 5 do n + 1 in x + real n
let at (x : Real) : Real = [x, 2 * x][2 + floor (x * 0)]
let slow (x : Real) : Real = let y = down x in 7
let mixed (n : Int) (x : Real) : []Real = [if mod i 2 == 0 then 1.0 else x * real i + 0.1 for i < n]
let sorted (x : Real) : Real = let s = array.sort (mixed 80 x) in sum [s[i] * real i for i < 80]
let jumps (x : Real) : Real = sum [if y <= 1 then y else 2 * y for y in mixed 80 x]
let rounds (x : Real) : Real = sum [y * real (floor y) for y in mixed 80 x]
let pair (x : Real) : Real = if [x, 1.0, 1.0][1] < [x, 1.0, 1.0][2] then x else 2 * x
let kink (x : Real) : Real = if x < x * 1 + 0 then x else 2 * x
`

// partial draws an expression of a variable x, of which some part may fail or have no end.
func partial(t *rapid.T, depth int) string {
	leaf := func() string {
		return rapid.SampledFrom([]string{"x", "x", "2", "halt x", "down x", "spin x", "at x", "slow x", "fail \"no\"",
			"sorted x", "jumps x", "rounds x", "pair x", "kink x", "real (div 1 (floor (x * 0)))"}).Draw(t, "leaf")
	}
	if depth == 0 {
		return leaf()
	}
	e := func() string { return partial(t, depth-1) }
	switch rapid.IntRange(0, 7).Draw(t, "form") {
	case 0:
		return fmt.Sprintf("(let u = %s in %s)", e(), e())
	case 1:
		return fmt.Sprintf("(if x < %s then %s else %s)", rapid.SampledFrom([]string{"0", "100"}).Draw(t, "bound"), e(), e())
	case 2:
		return fmt.Sprintf("(%s + %s)", e(), e())
	case 3:
		return fmt.Sprintf("(%s * 0 + %s)", e(), e())
	case 4:
		return fmt.Sprintf("(sum [%s for k < %d])", e(), rapid.SampledFrom([]int{0, 3}).Draw(t, "turns"))
	case 5:
		return fmt.Sprintf("(let u = loop s = x for k < 3 do s * 0.5 + %s in %s)", e(), e())
	case 6:
		return fmt.Sprintf("([%s, %s])[%d]", e(), e(), rapid.IntRange(0, 1).Draw(t, "element"))
	}
	return leaf()
}

// outcomes returns what the engines make of `ask`, one after the other: values or codes of
// errors. The code compiled of a whole definition is among them.
func outcomes(t *testing.T, text, ask string) map[string]string {
	t.Helper()
	var list diag.List
	unit := NewWorld(nil).LoadText("in.flx", "import array\n"+failing+text+"let asked (x : Real) : Real = "+ask+"\nasked 3\n", nil, &list)
	if list.Failed() {
		t.Fatalf("%v\n%s", list.Sorted()[0], text)
	}
	shown := func(v value.Value, d *diag.Diagnostic) string {
		if d != nil {
			return string(d.Code)
		}
		return value.Show(v)
	}
	all := map[string]string{}
	for _, engine := range Engines() {
		steps := 0
		limits := interp.Limits{Reached: func(limit diag.Code) bool {
			steps++
			return limit == diag.TimeLimit && steps > stepsAtMost
		}}
		s := Settings{Limits: limits, Engine: engine, Deterministic: true, Compile: interp.Options{Eager: true}}
		r, d := Run(context.Background(), unit, s)
		all[engine] = shown(r.Value, d)
		if engine == "interp" {
			continue
		}
		k, d := unit.Kernel(context.Background(), s, "asked")
		if d != nil {
			t.Fatal(d)
		}
		steps = 0
		m := k.Code.NewMachine()
		v, d := m.Call(context.Background(), k.Limits, k.Name, value.Real(3))
		m.Release()
		all[engine+" called"] = shown(v, d)
		if k.Loops != nil {
			steps = 0
			all[engine+" whole"] = whole(k)
		}
	}
	return all
}

// stepsAtMost is how many steps a program may take; those of the test that end take a hundredth.
const stepsAtMost = 100_000

// whole runs a definition as compiled code alone; what that gives up is "".
func whole(k *Kernel) string {
	constants, err := k.Constants(context.Background())
	if err != nil {
		return ""
	}
	polls, late := 0, errors.New("stepsAtMost")
	out, err := k.Loops.Run(append([]loop.Arg{loop.ScalarArg(3)}, constants...), loop.RunOptions{Often: true, Poll: func() error {
		if polls++; polls > stepsAtMost {
			return late
		}
		return nil
	}})
	switch {
	case err == late:
		return string(diag.TimeLimit)
	case err != nil:
		return "" // the interpreter says why
	}
	return value.Show(value.Real(out[0].Real()))
}

// agree reports outcomes that differ.
func agree(t *testing.T, what string, all map[string]string) {
	t.Helper()
	for engine, got := range all {
		if want := all["interp"]; got != want && !(strings.HasSuffix(engine, " whole") && got == "") {
			t.Errorf("%s: %s gives %s, and interp %s", what, engine, got, want)
		}
	}
}

// TestFailuresAgree: programs that fail, that have no end, or whose derivative is at a tie, of
// which parts are not used or in branches, end in the same way by every engine.
func TestFailuresAgree(t *testing.T) {
	for ask, want := range map[string]string{
		"down x": "E0601", "slow x": "E0601", "let u = spin x in 2": "E0601", "halt x": "8",
		"sum [slow y for y in [x, 1]] * 0": "E0601", "let u = at x in 2": "E0501", "deriv slow x": "E0601",
		"deriv (fun y => let u = spin 1 in y) x": "E0601",
		"deriv sorted x":                         "105860", "deriv jumps x": "3200", "deriv rounds x": "", "deriv pair x": "2", "deriv kink x": "",
		"deriv (deriv sorted) x": "0", "deriv (fun y => sorted (y * 1 / 3)) (x / 3)": "",
	} {
		all := outcomes(t, "", ask)
		if got := all["interp"]; want != "" && got != want {
			t.Errorf("%s is %s, want %s", ask, got, want)
		}
		agree(t, ask, all)
	}
	if t.Failed() {
		return
	}
	property.Check(t, func(r *rapid.T) {
		body := partial(r, rapid.IntRange(1, 3).Draw(r, "depth"))
		ask := rapid.SampledFrom([]string{"f x", "deriv f x", "let (v, g) = valueAndGrad f x in v + g", "jvp f x 2"}).Draw(r, "ask")
		agree(t, ask+" of "+body, outcomes(t, "let f (x : Real) : Real = "+body+"\n", ask))
		if t.Failed() {
			r.FailNow()
		}
	})
}
