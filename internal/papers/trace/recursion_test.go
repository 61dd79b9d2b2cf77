package trace_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers/trace"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// smooth makes the text of a random smooth expression over names.
func smooth(r *rand.Rand, names []string, depth int) string {
	if depth == 0 {
		if r.IntN(4) == 0 {
			return fmt.Sprintf("%.3f", r.Float64())
		}
		return names[r.IntN(len(names))]
	}
	x, y := smooth(r, names, depth-1), smooth(r, names, depth-1)
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf("(%s + %s)", x, y)
	case 1:
		return fmt.Sprintf("(%s * %s)", x, y)
	case 2:
		return fmt.Sprintf("sin (%s)", x)
	case 3:
		return fmt.Sprintf("tanh (%s - %s)", x, y)
	}
	return fmt.Sprintf("exp (-(%s)^2)", x)
}

// TestRecursion is Prop. 4.4 (2): the reverse derivative of a recursive
// function, dr (μf. F f), is the recursive function of the derivatives,
// μf′. G (μf. F f) f′, where G is given by dr (F f) = G f (dr f). Here
//
//	F f (n, x) = if n = 0 then B x else E (x, f (n - 1, A x))
//
// for random smooth A, B and E, and the derivative of E (x, f (n - 1, A x)) is
// written out with those of A, B and E and of the smaller f.
func TestRecursion(t *testing.T) {
	compared := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 44))
		a, b, e := smooth(r, []string{"x"}, 2), smooth(r, []string{"x"}, 2), smooth(r, []string{"x", "y"}, 2)
		source := fmt.Sprintf(`let a (x : Real) : Real = %s
let b (x : Real) : Real = %s
let e ((x, y) : (Real, Real)) : Real = %s
let rec f (n : Int) (x : Real) : Real = if n == 0 then b x else e (x, f (n - 1) (a x))
let rec df (n : Int) (x : Real) : Real =
  if n == 0 then
    deriv b x
  else
    let (ex, ey) = grad e (x, f (n - 1) (a x))
    ex + ey * df (n - 1) (a x) * deriv a x
let g (x : Real) : Real = f 3 x
let dg (x : Real) : Real = df 3 x
`, a, b, e)
		at := fmt.Sprintf("%.3f", r.Float64()*2-1)
		p, _ := problem(t, paperstest.Program{Name: source, Source: source, Fn: "g", At: "(" + at + ")"})
		p.MaxOps = 10_000
		answer, d := trace.Pruned().Run(bg, p)
		if d != nil {
			continue // beyond the bound
		}
		compared++
		q, code := problem(t, paperstest.Program{Name: source, Source: source, Fn: "dg", At: "(" + at + ")"})
		want, d := code.Call(bg, interp.Limits{}, q.Fun.Name, q.At)
		if d != nil {
			t.Fatal(d)
		}
		if got := value.RealsOf(answer.Gradient)[0]; !near(got, float64(want.(value.Real)), 1e-12) {
			t.Errorf("seed %d: the derivative is %v, the recursion of the derivatives gives %v\n%s", seed, got, want, source)
		}
	}
	if compared < 60 {
		t.Errorf("only %d recursions", compared)
	}
}

// TestNeighbourhood is Thm 6.2 (2) on random programs: where a program has the
// trace C at a point, it agrees with C on an open set around the point; and so
// on some small interval.
func TestNeighbourhood(t *testing.T) {
	compared := 0
	for seed := range int64(1500) {
		p := randomProblem(seed)
		if p == nil {
			continue
		}
		traced, _, d := trace.Symbolic(bg, p)
		if d != nil {
			continue // Thm 6.7 is TestTheoremsOnRandomPrograms
		}
		x, point := traced.Var, float64(p.At.(value.Real))
		agrees := func(h float64) bool {
			for _, moved := range []float64{point + h, point - h} {
				q := *p
				q.At = value.Real(moved)
				v, _, d := trace.Evaluate(bg, &q)
				if d != nil {
					return false
				}
				got, _, d := trace.Eval(bg, traced.Body, map[*trace.Var]trace.Val{x: moved}, 0)
				if d != nil || !allNear(flat(got), flat(trace.RealPart(v)), 0) {
					return false
				}
			}
			return true
		}
		compared++
		if !agrees(1e-4) && !agrees(1e-7) && !agrees(1e-10) && !agrees(1e-13) {
			t.Errorf("seed %d: no neighbourhood of %v", seed, point)
		}
	}
	if compared < 400 {
		t.Errorf("only %d programs", compared)
	}
}
