package lower_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

const recursions = `
let rec fib (n : Int) : Int = if n < 2 then n else fib (n - 1) + fib (n - 2)

let rec deep (n : Int) (x : Real) : Real = if n == 0 then x else sin (deep (n - 1) x) + x

let rec tree (d : Int) (x : Real) : Real =
  if d == 0 then x else tree (d - 1) (x * 0.9) * tree (d - 1) (x + 0.1)

let rec squares (xs : []Real) : Real =
  let n = length xs
  if n == 0 then 0
  else if n == 1 then xs[0]^2
  else squares xs[:div n 2] + squares xs[div n 2:]

let rec doubled (xs : []Real) : []Real =
  let n = length xs
  if n < 2 then xs else map (fun x => 2 * x) (doubled xs[:div n 2])

let rec isEven (n : Int) : Bool = if n == 0 then true else isOdd (n - 1)
and isOdd (n : Int) : Bool = if n == 0 then false else isEven (n - 1)

let rec minor (n : Int) (a : []Real) (row : Int) (used : []Bool) : Real =
  let (total, _) =
    loop (total, sign) = (0, 1) for column < n do
      if used[column] then (total, sign)
      else
        let now = [used[c] || c == column for c < n]
        let rest = if row == n - 1 then 1 else minor n a (row + 1) now
        (total + sign * a[row * n + column] * rest, -sign)
  total

let determinant (a : []Real) : Real = minor 4 a 0 [false for _ < 4]

let matrix = [sin (real (i * i)) for i < 16]

let rec kink (n : Int) (x : Real) : Real = if n == 0 then abs x else kink (n - 1) x * 2
`

// TestRecursion: functions that call themselves give the same by every engine, with their
// derivatives and their errors.
func TestRecursion(t *testing.T) {
	used := &regions{}
	with := everyEngine(t, used)
	for _, main := range []string{
		"(fib 12, deep 50 0.5, tree 5 1.1, isEven 101, doubled [1, 2, 3, 4, 5])",
		"(deriv (deep 50) 0.5, grad (fun v => deep 50 v[0]) [0.5], deriv (tree 5) 1.1, deriv (deriv (tree 3)) 1.1)",
		"(squares matrix, grad squares matrix, jvp squares matrix matrix)",
		"(determinant matrix, grad determinant matrix, grad (fun a => sum (grad determinant a)) matrix)",
		"jvp (fun a => grad determinant a) matrix matrix",
		"deriv (fun x => x * sum [sum (grad determinant matrix) * x^i for i < 3]) 0.7",
		"(deriv (kink 5) 0.1, deriv (kink 5) 0)",
		"minor 4 [1, 2, 3] 0 [false for _ < 4]",
		"grad (fun a => minor 4 a 0 [false for _ < 4]) [1, 2, 3]",
	} {
		compare(t, main, with, func(sink *diag.List) *driver.Unit {
			return driver.NewWorld(nil).LoadText("main", recursions+"\n"+main+"\n", nil, sink)
		})
	}
	if used.ran < 10 {
		t.Errorf("only %d regions ran as compiled code", used.ran)
	}
}

// TestRecursionOnce: in the reversal of the determinant no minor is computed before it is reversed.
func TestRecursionOnce(t *testing.T) {
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", recursions, nil, &list)
	program, d := driver.PrepareRoots(context.Background(), unit, "main.determinant")
	if d != nil {
		t.Fatal(d)
	}
	source := lower.NewSource(program)
	program.EachDef(func(def *core.Def) {
		if def.Name != "main.determinant" {
			return
		}
		low, err := source.Gradient(def)
		if err != nil {
			t.Fatal(err)
		}
		low.Optimize()
		p := low.Program()
		if err := loop.Verify(p); err != nil {
			t.Fatal(err)
		}
		if text := loop.Print(p); len(p.Funcs) != 2 || strings.Count(text, "call ") != 2 {
			t.Errorf("the derivative has %d functions:\n%s", len(p.Funcs), text)
		}
	})
}

// TestRecursionStops: the limits of depth and time hold in compiled recursions.
func TestRecursionStops(t *testing.T) {
	for _, engine := range driver.Engines() {
		s := driver.Settings{Engine: engine, Compile: interp.Options{Eager: true}, Limits: interp.Limits{Depth: 2000}}
		background := context.Background()
		run := func(main string) (driver.Result, *diag.Diagnostic) {
			var list diag.List
			return driver.Run(background, driver.NewWorld(nil).LoadText("main", recursions+"\n"+main+"\n", nil, &list), s)
		}
		if r, d := run("deep 1500 0.5"); d != nil || value.Show(r.Value) != "1.4973003890958925" {
			t.Errorf("%s: %v", engine, d)
		}
		if _, d := run("deep 3000 0.5"); d == nil || d.Code != diag.DepthLimit {
			t.Errorf("%s: a recursion that is too deep gives %v", engine, d)
		}
		ctx, done := stop.Within(context.Background(), 50*time.Millisecond)
		background = ctx
		start := time.Now()
		if _, d := run("fib 60"); d == nil || time.Since(start) > 20*time.Second {
			t.Errorf("%s: a recursion that takes too long gives %v", engine, d)
		}
		done()
	}
}
