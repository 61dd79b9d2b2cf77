package lower_test

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

const descents = `
let cost (p : []Real) (k : Int) : Real = 
  sum [sum [(sin (x * real i) - cos x)^2 / real (i + k + 1) for i < 40] for x in p]
let first = [0.1 * real i for i < 30]
let counted (n : Int) : []Real =
  loop p = first for k < n do p - 0.01 .* grad (fun q => cost q k) p
let chosen (n : Int) : []Real =
  let last = loop s = {p = first, k = 0} while s.k < n do
    {p = s.p - 0.01 .* grad (fun q => cost q s.k) s.p, k = s.k + 1}
  last.p
let failing (n : Int) : []Real =
  loop p = first for k < n do
    if k > 30 then fail "too far" else p - 0.01 .* grad (fun q => cost q k) p
let kinks (n : Int) : Real =
  loop p = 3 for k < n do p - 0.5 * grad (fun q => abs (q - 1) + real k / 100 * q) p
`

// TestRestOfLoop: a loop that takes gradients is compiled while it runs, once and with its
// gradient, and gives the same as without.
func TestRestOfLoop(t *testing.T) {
	for _, main := range []string{"counted 60", "chosen 60", "failing 60", "kinks 60", "counted 0", "deriv (fun x => sum (counted 3) * x) 2"} {
		var list diag.List
		unit := driver.NewWorld(nil).LoadText("main", descents+"\n"+main+"\n", nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		want, d := driver.Run(context.Background(), unit, driver.Settings{})
		compiled, ran := 0, 0
		engine := func(p *loop.Program) (loop.Code, error) {
			compiled++
			return counting{portable.Compile(p.Funcs[0]), &ran}, nil
		}
		got, e := driver.Run(context.Background(), unit, driver.Settings{Compile: interp.Options{Engine: engine}})
		switch {
		case d != nil && (e == nil || d.Message != e.Message || d.Span != e.Span) || d == nil && e != nil:
			t.Errorf("%s: %v, and with an engine %v", main, d, e)
		case d == nil && !agree(want.Value, got.Value):
			t.Errorf("%s: %s, and with an engine %s", main, value.ShowAtMost(want.Value, 20), value.ShowAtMost(got.Value, 20))
		}
		if (main == "counted 60" || main == "chosen 60") && (compiled != 1 || ran != 1) {
			t.Errorf("%s: %d regions were compiled, and ran %d times", main, compiled, ran)
		}
	}
}

// counting counts the runs of code.
type counting struct {
	loop.Code
	ran *int
}

func (c counting) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	*c.ran++
	return c.Code.RunInto(into, args, opts)
}

// TestTriedAgain: a function that was given up at many points runs as compiled code at good ones
// again, soon, and points at which it is given up cost few attempts.
func TestTriedAgain(t *testing.T) {
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", "let f (k : Int) : Real = sum [[1, 2][mod (i * k) 50] for i < 9]\n", nil, &list)
	ran := 0
	engine := func(p *loop.Program) (loop.Code, error) { return counting{portable.Compile(p.Funcs[0]), &ran}, nil }
	functions, d := unit.Functions(context.Background(), driver.Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{Engine: engine, Eager: true}}, "f")
	if d != nil {
		t.Fatal(d)
	}
	call := func(k int64, times int) (runs int) {
		before := ran
		for range times {
			functions.Call(context.Background(), "f", value.Int(k))
		}
		return ran - before
	}
	if n := call(7, 1000); n < 4 || n > 30 {
		t.Errorf("%d of 1000 attempts in vain", n)
	}
	if call(0, 1000); call(0, 10) != 10 {
		t.Errorf("it was not tried again")
	}
}

// ending ends a context in one of its runs, which do not poll.
type ending struct {
	loop.Code
	ran    *int
	cancel func()
}

func (e ending) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	if *e.ran++; *e.ran == 5 {
		e.cancel()
	}
	opts.Poll = nil
	return e.Code.RunInto(into, args, opts)
}

// TestShortRunsEnd: a program that runs short pieces of compiled code and does little else ends
// when it must.
func TestShortRunsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", "integral 0 1 (fun y => sum [sin (y * real k) for k < 1000])\n", nil, &list)
	ran := 0
	engine := func(p *loop.Program) (loop.Code, error) {
		return ending{portable.Compile(p.Funcs[0]), &ran, cancel}, nil
	}
	_, d := driver.Run(ctx, unit, driver.Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{Engine: engine, Eager: true}})
	if d == nil || d.Code != diag.Interrupted || ran != 5 {
		t.Errorf("it ends with %v after %d runs", d, ran)
	}
}
