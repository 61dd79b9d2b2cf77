package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

func elaborated(t *testing.T, text string) *core.Program {
	t.Helper()
	_, program, sink := front(text)
	if program == nil {
		t.Fatal(rendered(sink))
	}
	if err := core.Verify(program, core.Poly); err != nil {
		t.Fatal(err)
	}
	return program
}

// TestLongLetChain: a chain of lets becomes one flat block, however long.
func TestLongLetChain(t *testing.T) {
	const n = 9_900 // the parser stops at 10,000
	var text strings.Builder
	text.WriteString("let f (x0 : Real) =\n")
	for i := range n {
		fmt.Fprintf(&text, "  let x%d = x%d + 1.0\n", i+1, i)
	}
	fmt.Fprintf(&text, "  x%d\n", n)
	program := elaborated(t, text.String())
	if got := len(program.Defs[0].Function().Body.Stmts); got != n {
		t.Errorf("%d statements, want %d", got, n)
	}
}

// TestLongPolymorphicChain: each binding uses the one before at one type.
func TestLongPolymorphicChain(t *testing.T) {
	const n = 2_000
	var text strings.Builder
	text.WriteString("let f (x : Real) =\n  let g0 y = y\n")
	for i := range n {
		fmt.Fprintf(&text, "  let g%d y = g%d y\n", i+1, i)
	}
	fmt.Fprintf(&text, "  g%d x\n", n)
	program := elaborated(t, text.String())
	if got := len(program.Defs[0].Function().Body.Stmts); got != n+2 {
		t.Errorf("%d statements, want %d", got, n+2)
	}
}

// TestLongMatch: many literals and many constructors.
func TestLongMatch(t *testing.T) {
	const n = 2_000
	var text strings.Builder
	text.WriteString("let f (k : Int) : Int = match k with\n")
	for i := range n {
		fmt.Fprintf(&text, "  | %d -> %d\n", i, i+1)
	}
	text.WriteString("  | _ -> 0\n")
	elaborated(t, text.String())
}

// TestTooManyInstances: a local function whose instances double with each
// binding is refused, and soon.
func TestTooManyInstances(t *testing.T) {
	var text strings.Builder
	text.WriteString("let f (x : Real) =\n  let g0 y = ()\n")
	for i := range 20 {
		// Two instances of the one before, at different types of bounded size.
		fmt.Fprintf(&text, "  let g%d y = (let _ = g%d (fun (z : Real) => y) in g%d [y])\n", i+1, i, i)
	}
	text.WriteString("  g20 x\n")
	_, _, sink := front(text.String())
	for _, d := range sink.Sorted() {
		if d.Code == diag.ProgramTooLarge {
			return
		}
	}
	t.Fatalf("want %s, got\n%s", diag.ProgramTooLarge, rendered(sink))
}

// TestEverySpan: each statement says where it comes from.
func TestEverySpan(t *testing.T) {
	program := elaborated(t, `import builtin
data List a = Nil | Cons a (List a)
let total = builtin.reduce (+) 0.0
let pairs (xs : []Real) = builtin.zip xs (builtin.scan max 0.0 xs)
let f (xs : [n]Real) (ys : [n]Real) l : [n]Real =
  let (a, b) = (xs[0], ys[round xs[0]:])
  match l with
  | Nil -> [a + y for y in ys]
  | Cons x Nil -> loop zs = xs while zs[0] < x do zs + ys
  | Cons _ (Cons y _) -> if y < 0.0 && a > y then xs else {p = b}.p
f [1, 2] [3, 4] Nil
`)
	program.EachDef(func(d *core.Def) {
		core.Walk(d.Body, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok && !let.At.Known() {
				t.Errorf("%s: no place for %s = %s", d.Name, let.Var.Name, core.PrintOp(let.Op))
			}
		})
	})
}
