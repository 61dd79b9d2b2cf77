package driver_test

import (
	"fmt"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// TestSearchGradients counts the work that certifies a search: its gradient costs a constant times
// its value, whatever the number of variables, and a row of its second derivatives as well.
func TestSearchGradients(t *testing.T) {
	work := func(text string) float64 {
		s, d := counted(t, text+"\n", interp.Options{})
		if d != nil {
			t.Fatalf("%s: %v", text, d)
		}
		return float64(s.Certified)
	}
	for name, of := range map[string]string{
		"an integral": "fun p => integral 0 1 (fun x => exp (inner p p * x / real (length p)))",
		"a root":      "fun p => root 0 3 (fun x => x * x - inner p p / real (length p))",
		"an optimum":  "fun p => maxOver 0 2 (fun x => sin x * inner p p / real (length p))",
	} {
		for _, n := range []int{5, 50} {
			at := fmt.Sprintf("[0.5 + real i / %d for i < %d]", n, n)
			value, gradient := work("("+of+") "+at), work("grad ("+of+") "+at)
			t.Logf("%s of %d variables: %.0f, the gradient %.1f times as much", name, n, value, gradient/value)
			if gradient > 6*value {
				t.Errorf("%s of %d variables takes %.0f, the gradient %.0f", name, n, value, gradient)
			}
		}
		at := "[0.5 + real i / 20 for i < 20]"
		value, hessian := work("("+of+") "+at), work("hessian ("+of+") "+at)
		if hessian > 20*12*value {
			t.Errorf("%s of 20 variables takes %.0f, the second derivatives %.0f", name, value, hessian)
		}
	}
}

// TestSearchArrays: an array that searches capture is translated for package exact once, unless it
// changes, and its memory is charged.
func TestSearchArrays(t *testing.T) {
	const table = "let xs = [real i / 10000 for i < 10000]\n"
	one, d := counted(t, table+"integral01 (fun x => x * xs[7])\n", interp.Options{})
	many, e := counted(t, table+"loop s = 0 for i < 50 do s + integral01 (fun x => x * xs[i])\n", interp.Options{})
	if d != nil || e != nil {
		t.Fatal(d, e)
	}
	if many.Bytes > 2*one.Bytes {
		t.Errorf("one search takes %d bytes, 50 take %d", one.Bytes, many.Bytes)
	}
	const changing = "let (s, _) = loop (s, xs) = (0, [1 for i < 100]) for i < 10 do\n" +
		"    let ys = array.set xs 3 (real i)\n    (s + integral01 (fun x => x * ys[3]), ys)\n" +
		"[s][if abs (s - 22.5) < 1e-9 then 0 else 1]\n"
	if _, d := counted(t, changing, interp.Options{}); d != nil {
		t.Errorf("an array that is updated between searches: %v", d)
	}
	large := "let xs = [real i for i < 100000]\nintegral01 (fun x => x * xs[7])\n"
	limits := interp.Limits{Memory: 3 << 20, Depth: 10_000}
	if _, d := countedWithin(t, large, interp.Options{}, limits); d == nil || d.Code != diag.MemoryLimit {
		t.Errorf("the translation of an array is not charged: %v", d)
	}
}
