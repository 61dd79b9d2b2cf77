package interp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// compiledCount is how many functions of a name were compiled.
func compiledCount(code *Code, name string) (n int) {
	for _, fn := range code.Funs {
		if fn.Name == name {
			n++
		}
	}
	return n
}

// Many goroutines enter functions for the first time: by calls, tail calls, calls of values and as
// constants. Each is compiled once, and what is not entered is not compiled.
func TestCompiledWhenEntered(t *testing.T) {
	const text = `
def even : Int -> Bool =
  let f : Int -> Bool = fun (n : Int) ->
    let c : Bool = %==[Int] n 0
    let r : Bool = if c then
      ret true
    else
      let m : Int = %-[Int] n 1
      let s : Bool = call @odd m
      ret s
    ret r
  ret f
def odd : Int -> Bool =
  let f : Int -> Bool = fun (n : Int) ->
    let c : Bool = %==[Int] n 0
    let r : Bool = if c then
      ret false
    else
      let m : Int = %-[Int] n 1
      let s : Bool = call @even m
      ret s
    ret r
  ret f
def thousand : Int =
  let a : Int = %*[Int] 10 100
  ret a
def twice : (Int -> Int) -> Int -> Int =
  let f : (Int -> Int) -> Int -> Int = fun (g : Int -> Int) (x : Int) ->
    let y : Int = call g x
    let z : Int = call g y
    ret z
  ret f
def more : Int -> Int =
  let f : Int -> Int = fun (n : Int) ->
    let r : Int = %+[Int] n @thousand
    ret r
  ret f
def unused : Int -> Int =
  let f : Int -> Int = fun (n : Int) ->
    let r : Int = %+[Int] n 1
    ret r
  ret f
def run : Int -> Int =
  let f : Int -> Int = fun (n : Int) ->
    let e : Bool = call @even n
    let r : Int = if e then
      let a : Int = call @twice @more n
      let b : Int = call @more a
      ret b
    else
      let a : Int = call @unused n
      ret a
    ret r
  ret f
`
	for range 20 {
		code := compile(t, text, Options{})
		if len(code.Funs) > 0 {
			t.Fatalf("%d functions are compiled before any is entered", len(code.Funs))
		}
		var wait sync.WaitGroup
		for k := range 8 {
			wait.Go(func() {
				n := int64(2 * k)
				for range 10 {
					v, d := code.Call(context.Background(), Limits{}, "run", value.Int(n))
					if d != nil || v != value.Int(n+3000) {
						t.Errorf("run %d: %v %v", n, v, d)
					}
				}
			})
		}
		wait.Wait()
		for name, want := range map[string]int{"run": 1, "even": 1, "odd": 1, "thousand": 1, "twice": 1, "more": 1, "unused": 0} {
			if k := compiledCount(code, name); k != want {
				t.Errorf("%s is compiled %d times, not %d", name, k, want)
			}
		}
	}
}

// A definition with more values than there are registers fails where it is entered, and nowhere
// else.
func TestRefused(t *testing.T) {
	var large strings.Builder
	large.WriteString("def large : Real -> Real =\n  let f : Real -> Real = fun (x : Real) ->\n")
	for k := range machine.MaxRegs + 1 {
		fmt.Fprintf(&large, "    let x%d : Real = %%*[Real] x %d.0\n", k, k)
	}
	large.WriteString("    let s0 : Real = %+[Real] x x\n")
	for k := range machine.MaxRegs + 1 {
		fmt.Fprintf(&large, "    let s%d : Real = %%+[Real] s%d x%d\n", k+1, k, k)
	}
	fmt.Fprintf(&large, "    ret s%d\n  ret f\n", machine.MaxRegs+1)
	p, err := core.Parse("test.core", large.String()+`
def run : Bool -> Real =
  let f : Bool -> Real = fun (c : Bool) ->
    let r : Real = if c then
      let y : Real = call @large 1.0
      ret y
    else
      ret 2.0
    ret r
  ret f
`)
	if err != nil {
		t.Fatal(err)
	}
	at := diag.Span{File: diag.NewFile("test.flx", "let large x = x"), Start: 4, End: 9}
	p.Defs[0].At = at
	code, d := Compile(p)
	if d != nil {
		t.Fatal(d)
	}
	for range 2 {
		if v, d := code.Call(context.Background(), Limits{}, "run", value.Bool(false)); d != nil || v != value.Real(2) {
			t.Error(v, d)
		}
		_, d := code.Call(context.Background(), Limits{}, "run", value.Bool(true))
		if d == nil || d.Code != diag.ProgramTooLarge {
			t.Errorf("%+v", d)
		}
		if d.Span != at {
			t.Errorf("at %v, and not at the definition", d.Span)
		}
	}
}

// The interpreter's code of a definition that runs as compiled code is made when a run is given up,
// and not before.
func TestFront(t *testing.T) {
	const text = `
def f : []Real -> Int -> Real =
  let g : []Real -> Int -> Real = fun (xs : []Real) (i : Int) ->
    let ys : []Real = map (x : Real) in xs ->
      let y : Real = %*[Real] x 2.0
      ret y
    let n : Int = %length[Real] ys
    let few : Bool = %<[Int] n 3
    let r : Real = if few then
      let a : Real = index ys i
      ret a
    else
      let a : Real = index xs i
      ret a
    ret r
  ret g
def c : Real =
  let xs : []Real = build (i : Int) < 5 ->
    let x : Real = %real i
    ret x
  let r : Real = index xs 3
  ret r
`
	engine := func(p *loop.Program) (loop.Code, error) { return portable.CompileOrdered(p.Funcs[0]), nil }
	code, plain := compile(t, text, Options{Engine: engine, Eager: true}), compile(t, text, Options{})
	xs := value.Reals{1, 2, 3, 4}
	call := func(code *Code, i int64) string {
		v, d := code.Call(context.Background(), Limits{}, "f", xs, value.Int(i))
		if d != nil {
			return string(d.Code) + " " + d.Message + " " + d.Span.String()
		}
		return value.Show(v)
	}
	for k, c := range []struct{ index, compiled int }{{2, 1}, {0, 1}, {4, 2}, {3, 2}} {
		if got, want := call(code, int64(c.index)), call(plain, int64(c.index)); got != want {
			t.Errorf("f at %d: %s, not %s", c.index, got, want)
		}
		if n := compiledCount(code, "f"); n != c.compiled {
			t.Errorf("after call %d there are %d functions", k, n)
		}
	}
	v, d := code.Call(context.Background(), Limits{}, "c")
	if d != nil || v != value.Real(3) || compiledCount(code, "c") != 1 {
		t.Error(v, d, compiledCount(code, "c"))
	}
}
