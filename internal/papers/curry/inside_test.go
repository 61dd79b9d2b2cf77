package curry_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestInside: both forms cover programs that take derivatives themselves, and
// agree with the interpreter's own (§6.1).
func TestInside(t *testing.T) {
	for _, test := range paperstest.Inner {
		t.Run(test.Name, func(t *testing.T) {
			p, _ := problem(t, test)
			own, d := solve(t, "compiled", p)
			if d != nil {
				t.Fatal(d)
			}
			want := value.RealsOf(own.Gradient)
			for _, name := range names {
				answer, d := solve(t, name, p)
				if d != nil {
					t.Errorf("%s: %v", name, d)
					continue
				}
				if got := value.RealsOf(answer.Value); !allClose(got, value.RealsOf(own.Value)) {
					t.Errorf("%s: the value is %v, want %s", name, got, value.Show(own.Value))
				}
				if got := value.RealsOf(answer.Gradient); !allClose(got, want) {
					t.Errorf("%s: the gradient is %v, want %v", name, got, want)
				}
			}
		})
	}
}

func allClose(xs, ys []float64) bool {
	if len(xs) != len(ys) {
		return false
	}
	for i := range xs {
		if !close(xs[i], ys[i], 1e-11) {
			return false
		}
	}
	return true
}

// TestInsideShapes: a cotangent of another shape is refused at the derivative.
func TestInsideShapes(t *testing.T) {
	for _, source := range []string{
		"let g (xs : []Real) : []Real = [y * y for y in xs]\nlet f (x : Real) : Real = sum (vjp g [1, 2] [x])",
		"let f (x : Real) : Real = match vjp (fun y => Some (x * y)) 2 None with | y -> y",
	} {
		p, _ := problem(t, paperstest.Program{Name: "shapes", Source: source, Fn: "f", At: "2"})
		for _, name := range names {
			if _, d := solve(t, name, p); d == nil || d.Code != diag.ShapesDiffer || !d.Span.Known() {
				t.Errorf("%s: %v", name, d)
			}
		}
	}
}
