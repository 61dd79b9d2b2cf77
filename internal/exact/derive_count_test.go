package exact_test

import (
	"fmt"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/exact"
)

// TestGradientOperations counts operations: a gradient costs a constant times the value, whatever
// the number of inputs, through every construct of the language.
func TestGradientOperations(t *testing.T) {
	for _, test := range []struct {
		name, of string
		most     float64 // operations of the gradient for one of the value
	}{
		{"a sum", "fun x => sum [log (1 + exp (t * 0.5)) for t in x]", 4},
		{"closures", "fun x => let fs = [fun s => s * t + exp s for t in x] in sum [f 0.3 for f in fs]", 4},
		{"recursion", "fun x => let rec go (i : Int) (s : Real) = if i < 0 then s else go (i - 1) (sin (s * x[i])) in go (length x - 1) 1", 4},
		{"data", "fun x => fold (fun s o => match o with | Some t -> s * (1 - t / 9) | None -> s) 1 [Some t for t in x]", 4},
		{"arrays", "fun x => logsumexp (map exp x) + norm x + inner x (softmax x)", 4},
		{"kinks", "fun x => sum [max t (t * t) + abs (t - 1/3) for t in x]", 6},
		{"an integral", "fun x => integral 0 1 (fun s => sin (s * inner x x / real (length x)))", 8},
		{"integrals", "fun x => sum [integral 0 t (fun s => exp (s * t)) for t in x]", 8},
		{"a root", "fun x => root 0 2 (fun s => s * s - inner x x / real (length x))", 8},
		{"an optimum", "fun x => maxOver 0 2 (fun s => sin s * inner x x / real (length x))", 8},
		{"a gradient", "fun x => inner x (grad (fun y => exp (inner y y / real (length y))) x)", 8},
	} {
		for _, n := range []int{10, 100, 1000} {
			at := fmt.Sprintf("[0.5 + real i / %d for i < %d]", 4*n, n)
			value := operations(t, fmt.Sprintf("(%s) (%s)", test.of, at))
			gradient := operations(t, fmt.Sprintf("grad (%s) (%s)", test.of, at))
			t.Logf("%s of %d inputs: %d operations, its gradient %.1f times as many", test.name, n, value, float64(gradient)/float64(value))
			if float64(gradient) > test.most*float64(value) {
				t.Errorf("%s of %d inputs takes %d operations, its gradient %d", test.name, n, value, gradient)
			}
		}
	}
}

// TestHessianOperations: a matrix of second derivatives costs a constant times the value for each
// row.
func TestHessianOperations(t *testing.T) {
	for _, n := range []int{10, 30, 100} {
		at := fmt.Sprintf("[0.5 + real i / %d for i < %d]", 4*n, n)
		f := "fun x => exp (inner x x / real (length x)) + sum [sin (t * x[0]) for t in x]"
		value := operations(t, fmt.Sprintf("(%s) (%s)", f, at))
		hessian := operations(t, fmt.Sprintf("hessian (%s) (%s)", f, at))
		t.Logf("%d inputs: %d operations, a row %.1f times as many", n, value, float64(hessian)/float64(value)/float64(n))
		if hessian > 10*n*value {
			t.Errorf("%d inputs: the value takes %d operations, the matrix %d", n, value, hessian)
		}
	}
}

func operations(t *testing.T, text string) int {
	t.Helper()
	n, err := exact.Operations(prepared(t, text), exact.Cheapest)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}
