package driver

import (
	"context"
	"fmt"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// sparseFunctions are functions of the array xs, of at least one element.
var sparseFunctions = []string{
	"[x^2 for x in xs]",
	"[xs[i] * xs[mod (i + 1) (length xs)] for i < length xs]",
	"[xs[i] * sin xs[mod (7 * i * i) (length xs)] + xs[0]^2 for i < length xs]", // a full column
	"[if i == 0 then sum [x^3 for x in xs] else xs[i] for i < length xs]",       // a full row
	"[xs[mod (5 * i) (length xs)] - 0.5 for i < 2 * length xs]",                 // more rows than columns
	"[xs[0] * xs[length xs - 1]]",
	"[1 for _ in xs]",
	"grad (fun xs => sum [(xs[i + 1] - xs[i]^2)^2 for i < length xs - 1]) xs",
	"grad (fun xs => log (sum [exp x for x in xs])) xs", // full
}

// TestSparse: sparse Jacobians are the usual ones, whatever their pattern.
func TestSparse(t *testing.T) {
	for _, f := range sparseFunctions {
		for _, n := range []int{1, 2, 3, 8, 13} {
			text := fmt.Sprintf(`import sparse
let f (xs : []Real) : []Real = %s
let xs = [0.7 + 0.3 * sin (real (i * i)) for i < %d]
let m = sparse.sparseJacobian f xs
let v = [real (i + 1) for i < length xs]
let wrong = sum [abs (a - b) for (a, b) in zip (flatten (sparse.dense m)) (flatten (jacobian f xs))]
let product = sum [abs (a - b) for (a, b) in zip (sparse.times m v) (jvp f xs v)]
(wrong <= 1e-14, product <= 1e-12, sum [if x == 0 then 1 else 0 for x in map (fun x => ceil (abs x)) m.values], m.starts[m.rows] == length m.values)
`, f, n)
			var list diag.List
			unit := NewWorld(nil).LoadText("main", text, nil, &list)
			if unit == nil || list.Failed() {
				t.Fatalf("%s\n%v", text, list.Sorted()[0])
			}
			for _, engine := range []string{"interp", BestEngine()} {
				r, d := Run(context.Background(), unit, Settings{Engine: engine, Limits: interp.Limits{Memory: 1 << 30, Depth: 10_000}})
				if d != nil {
					t.Fatalf("%s with %d: %v", f, n, d)
				}
				if got := value.Show(r.Value); got != "(true, true, 0, true)" {
					t.Errorf("%s with %d by %s: %s", f, n, engine, got)
				}
			}
		}
	}
}

// TestSmallEntries: an entry that a pattern lacks is found if it is more than rounding, and in exact
// evaluation however small it is.
func TestSmallEntries(t *testing.T) {
	t.Parallel()
	const text = "let f xs = [xs[0] + %s * xs[1]^2, xs[1]] in sparse.dense (sparse.jacobian (sparse.pattern f [1, 0]) f [1, 1])"
	var list diag.List
	unit := NewWorld(nil).LoadText("main", "import sparse\n"+fmt.Sprintf(text, "1e-11"), nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	r, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits()})
	if d != nil || value.Show(r.Value) != "[[1, 2e-11], [0, 1]]" {
		t.Errorf("%v, %v", r.Value, d)
	}
	all, d := solved(t, "import sparse\n"+fmt.Sprintf(text, "1e-30"), 40)
	if lo, _ := all[1].Lo.Float64(); d != nil || !(lo > 1.9e-30) {
		t.Errorf("%v, %v", all, d)
	}
}
