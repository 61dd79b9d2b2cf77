package driver_test

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// costFactor bounds the operations of a gradient, those of its sweep included,
// by those of the function. docs/performance.md says so.
const costFactor = 8

// counted runs a program and gives what it has done.
func counted(t *testing.T, text string, opts interp.Options) (interp.Stats, *diag.Diagnostic) {
	t.Helper()
	return countedWithin(t, text, opts, interp.DefaultLimits())
}

// countedWithin is counted with limits.
func countedWithin(t *testing.T, text string, opts interp.Options, limits interp.Limits) (interp.Stats, *diag.Diagnostic) {
	t.Helper()
	opts.Count = true
	m := compiled(t, text, opts).NewMachine()
	_, d := m.Run(context.Background(), limits)
	return m.Stats(), d
}

// compiled is a program for the interpreter.
func compiled(t *testing.T, text string, opts interp.Options) *interp.Code {
	t.Helper()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	program, d := driver.Prepare(context.Background(), unit, false)
	if d != nil {
		t.Fatal(d)
	}
	code, d := interp.CompileWith(program, opts)
	if d != nil {
		t.Fatal(d)
	}
	return code
}

func operations(s interp.Stats) float64 { return float64(s.Prims + s.Swept + s.Calls) }

// families are programs that do more the larger n is.
var families = map[string]struct {
	fun  string // of x, a Real, and of n, written %[1]d
	most int
}{
	"loop":      {"fun x => loop y = x for i < %[1]d do y + 0.001 * sin (y + real i)", 400_000}, // over 10^6 operations
	"while":     {"fun x => fst (loop (y, k) = (x, 0) while k < %[1]d do (0.5 * y * y + 0.1, k + 1))", 300_000},
	"recursion": {"let rec f (k : Int) (y : Real) : Real = if k == 0 then y else sin (f (k - 1) (y * 0.99)) in f %[1]d", 300_000},
	"closures":  {"let rec c (k : Int) (f : Real -> Real) : Real -> Real = if k == 0 then f else c (k - 1) (fun x => f (0.5 * x) + 0.1) in c %[1]d sin", 100_000},
	"list": {"fun x => let rec up (k : Int) (l : List Real) : List Real = if k == 0 then l else up (k - 1) (Cons (x * real k) l) in " +
		"let rec add (l : List Real) (s : Real) : Real = match l with | Nil -> s | Cons y r -> add r (s + y * y) in add (up %[1]d Nil) 0", 100_000},
	"sharing":   {"fun x => loop y = x for _ < %[1]d do (y + y) / 2", 300_000},
	"map":       {"fun x => sum [sin (x * real i) for i < %[1]d]", 1_000_000},
	"fold":      {"fun x => fold (fun s y => tanh (s + x * y)) 0 [real i for i < %[1]d]", 300_000},
	"scan":      {"fun x => sum (scan (fun s y => sin (s + y)) 0 [x * real i for i < %[1]d])", 300_000},
	"gather":    {"fun x => let v = [x * real i for i < %[1]d] in sum [v[mod (7 * i) %[1]d] * v[i] for i < %[1]d]", 300_000},
	"matrix":    {"fun x => let v = [x * real i for i < 100] in sum [inner [x + real (i * j) for j < 100] v for i < div %[1]d 100]", 300_000},
	"functions": {"fun x => let fs = [fun y => x * y + real i for i < 10] in loop y = x for i < %[1]d do 0.1 * fs[mod i 10] y", 100_000},
}

// TestDerivativesFindConstants: constants are evaluated once, however many derivatives use them.
func TestDerivativesFindConstants(t *testing.T) {
	const constants = "let w = sum [sin (real i) for i < 10000]\nlet table = [w + real i for i < 100]\nlet g = if w > 0 then sin else cos\n" +
		"let f x = x * x + table[3] * x\nlet h x = f x * g x\n"
	for _, derivative := range []string{"deriv f", "deriv (deriv f)", "grad f", "jvp f 0.1", "deriv h"} {
		once, d := counted(t, constants+derivative+" 0.1\n", interp.Options{})
		if d != nil {
			t.Fatal(d)
		}
		often, d := counted(t, constants+"loop x = 0.1 for _ < 100 do x - 0.001 * "+derivative+" x\n", interp.Options{})
		if d != nil {
			t.Fatal(d)
		}
		if operations(often) > 2*operations(once) {
			t.Errorf("%s: %.0f operations once, %.0f operations 100 times", derivative, operations(once), operations(often))
		}
	}
}

// TestGradientCost: a gradient costs a bounded multiple of its function, at any size.
func TestGradientCost(t *testing.T) {
	for name, family := range families {
		t.Run(name, func(t *testing.T) {
			sizes := []int{1000, 10_000}
			if property.Long() {
				sizes = append(sizes, family.most)
			}
			for _, n := range sizes {
				f := fmt.Sprintf("let f : Real -> Real = "+family.fun+"\n", n)
				primal, d := counted(t, f+"f 0.3\n", interp.Options{})
				if d != nil {
					t.Fatal(d)
				}
				for _, by := range []string{"grad", "deriv"} {
					gradient, d := counted(t, f+by+" f 0.3\n", interp.Options{})
					if d != nil {
						t.Fatal(d)
					}
					ratio := operations(gradient) / operations(primal)
					if ratio > costFactor {
						t.Errorf("%s of %d: %.2f times the operations", by, n, ratio)
					}
					if float64(gradient.Taped) > operations(primal)+1 { // and the variable
						t.Errorf("%s of %d: %d entries of the tape for %.0f operations", by, n, gradient.Taped, operations(primal))
					}
					t.Logf("%s of %d: %.2f times the operations, %d entries", by, n, ratio, gradient.Taped)
				}
			}
		})
	}
}

// TestGradientCostOfRandomFunctions: random functions too.
func TestGradientCostOfRandomFunctions(t *testing.T) {
	t.Parallel()
	n := *seeds / 2
	if testing.Short() {
		n = 20
	}
	worst := 0.0
	for seed := range n {
		g := &calculus{Rand: rand.New(rand.NewSource(seed + 2_000_000)), length: 30 + int(seed%40), pointed: seed%2 == 0}
		text := fmt.Sprintf("let f : []Real -> Real = %s\nlet p = %s\n", g.function(4), g.point())
		primal, d := counted(t, text+"f p\n", interp.Options{})
		if d != nil {
			t.Fatal(d)
		}
		gradient, d := counted(t, text+"grad f p\n", interp.Options{})
		if d != nil {
			continue
		}
		// The variables themselves cost something, used or not.
		ratio := operations(gradient) / (operations(primal) + float64(g.length))
		worst = max(worst, ratio)
		if ratio > costFactor {
			t.Errorf("seed %d: %.2f times the operations\n%s", seed, ratio, text)
		}
	}
	t.Logf("at most %.2f times the operations", worst)
}

// TestRowsOverArraysAreEntries: rows over arrays are single entries of the tape.
func TestRowsOverArraysAreEntries(t *testing.T) {
	for f, most := range map[string]int64{
		"fun v => norm v + logsumexp v":                                    3,
		"fun v => (softmax v)[3]":                                          1,
		"fun v => (linalg.matVec rows v)[7]":                               1,
		"fun v => (linalg.matMul few [[x] for x in v])[1][0]":              1,
		"fun v => (linalg.solve [v[:2], v[2:4]] (linalg.matVec few v))[0]": 2,
	} {
		text := "import linalg\nlet rows = [[real (i + j) for j < 1000] for i < 100]\n" +
			"let few = [[real (i * j) for j < 1000] for i < 2]\n" +
			fmt.Sprintf("grad (%s) [cos (real i) for i < 1000]\n", f)
		stats, d := counted(t, text, interp.Options{})
		if d != nil {
			t.Fatal(d)
		}
		if stats.Taped > most || stats.Elements > 4000 {
			t.Errorf("%s: %d entries and %d elements", f, stats.Taped, stats.Elements)
		}
	}
}

// TestMatMulIsAnEntry: the product of two matrices is one entry, whichever of them varies, and a
// derivative of it costs a constant times the product.
func TestMatMulIsAnEntry(t *testing.T) {
	for _, f := range []string{"linalg.matMul m a", "linalg.matMul a m", "linalg.matMul m m"} {
		for _, n := range []int{20, 40} {
			text := fmt.Sprintf("import linalg\nlet a = [[sin (real (i + 2 * j)) for j < %d] for i < %d]\n"+
				"let f (m : [][]Real) : Real = sum [sum row for row in %s]\n", n, n, f)
			primal, d := counted(t, text+"f a\n", interp.Options{})
			if d != nil {
				t.Fatal(d)
			}
			for by, sums := range map[string]int{"grad f a": 1, "jvp f a a": 1, "grad (fun m => jvp f m a) a": 3} {
				stats, d := counted(t, text+by+"\n", interp.Options{})
				if d != nil {
					t.Fatal(d)
				}
				// The product, and the sums of the elements.
				if stats.Taped > int64(sums*(n*n+2*n)+10) || operations(stats) > 12*operations(primal) {
					t.Errorf("%s of %s, %d: %d entries, %.1f times the operations",
						by, f, n, stats.Taped, operations(stats)/operations(primal))
				}
			}
		}
	}
}

// TestForwardNeedsNoTape: a forward derivative of what loops is compiled code, of partial applications too, and needs no
// tape.
func TestForwardNeedsNoTape(t *testing.T) {
	const text = "let f (xs : []Real) (c : Real) : Real = loop s = 0 for x in xs do s + exp (c * x) * sin s\n" +
		"let xs = [1, 2, 3]\n"
	for _, by := range []string{"jvp (f xs) 0.5 1", "deriv (f xs) 0.5", "deriv (fun c => f xs (2 * c)) 3"} {
		v, stats := ranBy(t, text+by+"\n", interp.Options{Engine: portableEngine, Eager: true})
		if stats.Taped > 0 {
			t.Errorf("%s: %d entries of the tape", by, stats.Taped)
		}
		if onTape, _ := ranBy(t, text+by+"\n", interp.Options{}); !closeReals(v, onTape, 1e-13) {
			t.Errorf("%s is %s, and %s on the tape", by, value.Show(v), value.Show(onTape))
		}
	}
}

// ranBy is the value of a program with what its run has done.
func ranBy(t *testing.T, text string, opts interp.Options) (value.Value, interp.Stats) {
	t.Helper()
	program, d := driver.Prepare(context.Background(), loadText(t, text), false)
	if d != nil {
		t.Fatal(d)
	}
	code, d := interp.CompileWith(program, opts)
	if d != nil {
		t.Fatal(d)
	}
	m := code.NewMachine()
	v, d := m.Run(context.Background(), interp.DefaultLimits())
	if d != nil {
		t.Fatal(d)
	}
	return v, m.Stats()
}

// TestNestedCost: each derivative around another costs a factor.
func TestNestedCost(t *testing.T) {
	for _, by := range []string{"deriv", "grad"} {
		last := 0.0
		for k := 0; k <= 5; k++ {
			text := "let f (x : Real) : Real = loop y = x for _ < 20 do sin (y * x)\n" + strings.Repeat(by+" (", k) + "f" + strings.Repeat(")", k) + " 0.3\n"
			stats, d := counted(t, text, interp.Options{})
			if d != nil {
				t.Fatal(d)
			}
			if k > 0 {
				ratio := operations(stats) / last
				t.Logf("%s of order %d: %.0f operations, %.2f times those of the order below", by, k, operations(stats), ratio)
				if ratio > costFactor {
					t.Errorf("%s of order %d: %.2f times the operations of the order below", by, k, ratio)
				}
			}
			last = operations(stats)
		}
	}
}
