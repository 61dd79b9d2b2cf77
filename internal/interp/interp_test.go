package interp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// compile reads, verifies and compiles core text.
func compile(t testing.TB, text string, opts Options) *Code {
	t.Helper()
	p, d := core.Parse("test.core", text)
	if d != nil {
		t.Fatalf("%v", d)
	}
	if d := core.Verify(p, core.Mono); d != nil {
		t.Fatalf("%v", d)
	}
	code, d := CompileWith(p, opts)
	if d != nil {
		t.Fatalf("%v", d)
	}
	return code
}

// outcome is the printed value, or the code and message of the error.
func outcome(code *Code, lim Limits) string {
	v, d := code.Run(context.Background(), lim)
	if d != nil {
		return string(d.Code) + " " + d.Message
	}
	return value.Show(v)
}

// The files of testdata hold programs, each followed by `-- gives: VALUE` or
// `-- fails: CODE message`.
func TestPrograms(t *testing.T) {
	names, err := filepath.Glob("testdata/*.core")
	if err != nil || len(names) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n, c := range strings.Split(string(text), "\n==== ") {
			title, program, _ := strings.Cut(c, "\n")
			if n == 0 {
				continue // the file's comment
			}
			t.Run(filepath.Base(name)+"/"+title, func(t *testing.T) {
				at := strings.LastIndex(program, "-- gives: ")
				if at < 0 {
					at = strings.LastIndex(program, "-- fails: ")
				}
				want := strings.TrimSpace(program[at+len("-- gives: "):])
				for _, opts := range []Options{{}, {Count: true}} {
					code := compile(t, program[:at], opts)
					if got := outcome(code, Limits{Memory: 1 << 30}); got != want {
						t.Errorf("%+v: got %s, want %s\n%s", opts, got, want, code.Disassemble())
					}
				}
			})
		}
	}
}

const countDown = `
def down : Int -> Int =
  let f : Int -> Int = fun (n : Int) ->
    let c : Bool = %==[Int] n 0
    let r : Int = if c then
      ret 0
    else
      let m : Int = %-[Int] n 1
      let r1 : Int = call @down m
      let r2 : Int = %+[Int] r1 1
      ret r2
    ret r
  ret f
main : Int =
  let r : Int = call @down 1000000
  ret r
`

// A million calls deep, not one of them a tail call.
func TestDeepRecursion(t *testing.T) {
	code := compile(t, countDown, Options{})
	if got := outcome(code, DefaultLimits()); got != "1000000" {
		t.Error(got)
	}
	for _, c := range []struct {
		lim  Limits
		code diag.Code
	}{
		{Limits{Depth: 1000}, diag.DepthLimit},
		{Limits{Memory: 4 << 20}, diag.MemoryLimit},
	} {
		if got := outcome(code, c.lim); !strings.HasPrefix(got, string(c.code)) {
			t.Errorf("%+v: %s", c.lim, got)
		}
	}
}

// Mutual tail calls, direct and through closures, need no space.
func TestTailCalls(t *testing.T) {
	code := compile(t, `
def even : Int -> Bool =
  let f : Int -> Bool = fun (n : Int) ->
    let c : Bool = %==[Int] n 0
    let r : Bool = if c then
      ret true
    else
      let m : Int = %-[Int] n 1
      let r1 : Bool = call @odd m
      ret r1
    ret r
  ret f
def odd : Int -> Bool =
  let f : Int -> Bool = fun (n : Int) ->
    let c : Bool = %==[Int] n 0
    let r : Bool = if c then
      ret false
    else
      let m : Int = %-[Int] n 1
      let r1 : Bool = call @via @even m
      ret r1
    ret r
  ret f
def via : (Int -> Bool) -> Int -> Bool =
  let f : (Int -> Bool) -> Int -> Bool = fun (g : Int -> Bool) (n : Int) ->
    let r : Bool = call g n
    ret r
  ret f
main : Bool =
  let r : Bool = call @even 3000001
  ret r
`, Options{})
	if got := outcome(code, Limits{Depth: 10, Memory: 4 << 20}); got != "false" {
		t.Error(got)
	}
}

const spin = `
main : Int =
  let r : Int = loop (s : Int) from 0 while
    ret true
  do
    ret 1
  ret r
`

func TestTimeLimit(t *testing.T) {
	code := compile(t, spin, Options{})
	start := time.Now()
	timed, done := stop.Within(context.Background(), 20*time.Millisecond)
	defer done()
	if _, d := code.Run(timed, Limits{}); d == nil || d.Code != diag.TimeLimit || !strings.Contains(d.Message, "20ms") {
		t.Error(d)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, d := code.Run(ctx, Limits{}); d == nil || d.Code != diag.Interrupted {
		t.Error(d)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, d := code.Run(ctx, Limits{}); d == nil || d.Code != diag.TimeLimit {
		t.Error(d)
	}
}

// Lists that are garbage at once do not count; a list that is kept does.
func TestMemoryLimit(t *testing.T) {
	garbage := compile(t, `
data List = Nil | Cons Int List
main : Int =
  let r : Int = loop (s : Int) from 0 for (i : Int) < 2000000 do
    let nil : List = Nil
    let l : List = Cons i nil
    let s1 : Int = case l of
    | Cons (x : Int) (xs : List) ->
      ret x
    | Nil ->
      ret 0
    ret s1
  ret r
`, Options{})
	if got := outcome(garbage, Limits{Memory: 16 << 20}); got != "1999999" {
		t.Error(got)
	}
	kept := compile(t, `
data List = Nil | Cons Int List
main : List =
  let nil : List = Nil
  let r : List = loop (s : List) from nil for (i : Int) < 2000000 do
    let l : List = Cons i s
    ret l
  ret r
`, Options{})
	if got := outcome(kept, Limits{Memory: 16 << 20}); !strings.HasPrefix(got, "E0602") {
		t.Error(got[:min(len(got), 100)])
	}
	if got := outcome(kept, Limits{Memory: 1 << 30}); !strings.HasPrefix(got, "Cons 1999999 (Cons 1999998 (") {
		t.Error(got[:min(len(got), 100)])
	}
	huge := compile(t, `
main : []Int =
  let r : []Int = build (i : Int) < 1000000000000000 ->
    ret i
  ret r
`, Options{})
	if got := outcome(huge, Limits{Memory: 1 << 30}); !strings.HasPrefix(got, "E0602 the run needs more memory than the limit of 1 GiB") {
		t.Error(got)
	}
	if got := outcome(huge, Limits{}); !strings.HasPrefix(got, "E0602") {
		t.Error(got)
	}
}

// Calling definitions with values, again and again on one machine.
func TestCall(t *testing.T) {
	code := compile(t, `
data List a = Nil | Cons a (List a)
data Color = Red | Green
def base : Real =
  let x : Real = %sqrt 4.0
  ret x
def f : (Real, {n : Int}) -> []Real -> (Real, []Real) =
  let f : (Real, {n : Int}) -> []Real -> (Real, []Real) = fun (p : (Real, {n : Int})) (xs : []Real) ->
    let x : Real = proj 0 p
    let r : {n : Int} = proj 1 p
    let n : Int = field n r
    let m : Real = %real n
    let y : Real = %*[Real] x m
    let z : Real = %+[Real] y @base
    let q : (Real, []Real) = (z, xs)
    ret q
  ret f
def flip : Color -> Color =
  let f : Color -> Color = fun (c : Color) ->
    let r : Color = case c of
    | Red ->
      let g : Color = Green
      ret g
    | Green ->
      let g1 : Color = Red
      ret g1
    ret r
  ret f
def tail : List Int -> List Int =
  let f : List Int -> List Int = fun (l : List Int) ->
    let r : List Int = case l of
    | Cons (x : Int) (xs : List Int) ->
      ret xs
    | Nil ->
      ret l
    ret r
  ret f
`, Options{})
	m := code.NewMachine()
	defer m.Release()
	call := func(name string, args ...value.Value) string {
		v, d := m.Call(context.Background(), Limits{}, name, args...)
		if d != nil {
			return d.Error()
		}
		return value.Show(v)
	}
	pair := value.Tuple{value.Real(3), value.Record{{Name: "n", Value: value.Int(2)}}}
	for _, c := range []struct{ got, want string }{
		{call("base"), "2"},
		{call("f", pair, value.Reals{1, 2}), "(8, [1, 2])"},
		{call("f", pair), "<function : []Real -> (Real, []Real)>"},
		{call("flip", value.Con{Name: "Red"}), "Green"},
		{call("tail", value.Con{Name: "Cons", Args: []value.Value{value.Int(1), value.Con{Name: "Cons", Args: []value.Value{value.Int(-2), value.Con{Name: "Nil"}}}}}), "Cons (-2) Nil"},
		{call("flip", value.Int(3)), "?: error[E0301]: argument 1 of flip: a value of the type Color is expected, not 3"},
		{call("nothing"), "?: error[E0201]: there is no definition nothing"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestCounts(t *testing.T) {
	code := compile(t, `
main : Real =
  let r : Real = loop (s : Real) from 0.5 for (i : Int) < 100 do
    let a : Real = %*[Real] s s
    let b : Real = %+[Real] a 0.1
    ret b
  ret r
`, Options{Count: true})
	m := code.NewMachine()
	if _, d := m.Run(context.Background(), Limits{}); d != nil {
		t.Fatal(d)
	}
	if got := m.Stats().Prims; got != 200 {
		t.Errorf("%d primitive operations", got)
	}
}

// A tree of shared parts is small while it runs and would be of exponential
// size as a result: the limit holds for results, too.
func TestResultLimit(t *testing.T) {
	code := compile(t, `
data Tree = Leaf | Node Tree Tree
main : Tree =
  let leaf : Tree = Leaf
  let r : Tree = loop (s : Tree) from leaf for (i : Int) < 60 do
    let l : Tree = Node s s
    ret l
  ret r
`, Options{})
	if got := outcome(code, Limits{Memory: 32 << 20}); !strings.HasPrefix(got, "E0602") {
		t.Error(got[:min(len(got), 100)])
	}
}

// Errors say where they arose and through which calls.
func TestErrorContext(t *testing.T) {
	code := compile(t, `
def inner : Int -> Int =
  let f : Int -> Int = fun (n : Int) ->
    let r : Int = %div 1 n
    let s : Int = %+[Int] r 1
    ret s
  ret f
def outer : Int -> Int =
  let f : Int -> Int = fun (n : Int) ->
    let r : Int = call @inner n
    let s : Int = %+[Int] r 1
    ret s
  ret f
main : Int =
  let r : Int = call @outer 0
  ret r
`, Options{})
	_, d := code.Run(context.Background(), Limits{})
	if d == nil {
		t.Fatal("no error")
	}
	got := d.Span.String()
	for _, r := range d.Related {
		got += "; " + r.Span.String() + " " + r.Message
	}
	if want := "test.core:4:9; test.core:10:9 in a call of `inner`; test.core:15:7 in a call of `outer`"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Partial applications with arguments by reference survive the clearing of
// dead registers that memory pressure brings.
func TestCallsUnderPressure(t *testing.T) {
	code := compile(t, `
data List = Nil | Cons Int List
def pick : List -> List -> List -> Int -> Int =
  let f : List -> List -> List -> Int -> Int = fun (a : List) (b : List) (c : List) (n : Int) ->
    let r : Int = case c of
    | Cons (x : Int) (xs : List) ->
      let y : Int = %+[Int] x n
      ret y
    | Nil ->
      ret 0
    ret r
  ret f
def apply : (Int -> Int) -> Int -> Int =
  let f : (Int -> Int) -> Int -> Int = fun (g : Int -> Int) (n : Int) ->
    let r : Int = call g n
    ret r
  ret f
main : Int =
  let r : Int = loop (s : Int) from 0 for (i : Int) < 300000 do
    let nil : List = Nil
    let l : List = Cons i nil
    let g : List -> List -> Int -> Int = call @pick l
    let h : Int -> Int = call g l l
    let k : Int = call @apply h 1
    ret k
  ret r
`, Options{})
	if got := outcome(code, Limits{Memory: 5 << 20}); got != "300000" {
		t.Error(got)
	}
}

// One Code serves many goroutines.
func TestConcurrentRuns(t *testing.T) {
	code := compile(t, countDown, Options{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if v, d := code.Call(context.Background(), Limits{}, "down", value.Int(20000)); d != nil || v != value.Int(20000) {
				t.Error(v, d)
			}
		})
	}
	wg.Wait()
}

// A value of too many slots is refused when the program is compiled.
func TestTooLarge(t *testing.T) {
	elems := make([]types.Type, layout.MaxSlots+1)
	for n := range elems {
		elems[n] = types.Real
	}
	v := core.NewVar("x", &types.Tuple{Elems: elems})
	p := &core.Program{Defs: []*core.Def{core.FunDef("f", nil, &core.Lambda{Params: []*core.Var{v}, Body: core.Ret(v)}, diag.Span{})}}
	if _, d := Compile(p); d == nil || d.Code != diag.ProgramTooLarge {
		t.Error(d)
	}
}
