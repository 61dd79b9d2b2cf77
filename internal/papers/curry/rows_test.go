package curry_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// structural has programs for the rows that move elements around, and for
// values that are differentiated through but not with respect to.
var structural = []paperstest.Program{
	{Name: "concat", Source: "import array\nlet f ((xs, ys) : ([]Real, []Real)) : Real = let zs = array.concat xs (array.concat ys xs) in sum [zs[i] ^ (i + 1) for i < length zs]", Fn: "f", At: "([0.5, 1.5], [2, 0.25, 1])"},
	{Name: "flatten", Source: "import array\nlet f (rows : [][]Real) : Real = let zs = array.flatten rows in sum [zs[i] * real i * zs[0] for i < length zs]", Fn: "f", At: "[[1, 2], [], [3]]"},
	{Name: "scatter", Source: "import array\nlet f ((xs, ys) : ([]Real, []Real)) : []Real = array.scatter xs [2, 0, 2] [y * y for y in ys]", Fn: "f", At: "([1, 2, 3, 4], [5, 6, 7])"},
	{Name: "accumulate", Source: "import array\nlet f ((xs, ys) : ([]Real, []Real)) : []Real = [x * x for x in array.accumulate xs [2, 0, 2] ys]", Fn: "f", At: "([1, 2, 3, 4], [5, 6, 7])"},
	{Name: "accumulate pairs", Source: "import array\nlet f (x : Real) : Real = let ps = array.accumulate [(x, 1), (2, x)] [1, 1] [(x, x), (1, x)] in sum [a * b for (a, b) in ps]", Fn: "f", At: "0.5"},
	{Name: "accumulate integers", Source: "import array\nlet f (x : Real) : Real = let ns = array.accumulate [1, 2] [1, 1] [3, 4] in x ^ ns[1] * real ns[0]", Fn: "f", At: "1.1"},
	{Name: "set", Source: "import array\nlet f (x : Real) : []Real = array.set [x, x * x, 1] 1 (sin x)", Fn: "f", At: "0.5"},
	{Name: "filter", Source: "import array\nlet f (xs : []Real) : Real = product (array.filter (fun x => x > 1) xs)", Fn: "f", At: "[0.5, 2, 3, 0.25, 4]"},
	{Name: "argmax", Source: "import array\nlet f (xs : []Real) : Real = xs[array.argmax xs] * xs[array.argmin xs]", Fn: "f", At: "[0.5, 2, 3, 0.25, 4]"},
	{Name: "sort by", Source: "import array\nlet f (xs : []Real) : Real = let ys = array.sortBy (fun x => -x) xs in ys[0] * ys[1] - ys[2]", Fn: "f", At: "[0.5, 2, 3]"},
	{Name: "strings", Source: "let f ((s, x) : (String, Real)) : Real = if join s \"b\" == \"ab\" && s < \"b\" then x * x else -x", Fn: "f", At: "(\"a\", 3)"},
	{Name: "show", Source: "let f (x : Real) : Real = if show (floor x, [true]) == \"(2, [true])\" then x * x else -x", Fn: "f", At: "2.5"},
	{Name: "truth values", Source: "let f ((b, x) : (Bool, Real)) : Real = if not b || b == true && x > 0 then x * x else -x", Fn: "f", At: "(true, 2)"},
	{Name: "integer arithmetic", Source: "let f (x : Real) : Real = let n = floor x in x * real (mod (n * n + 7) 5 - div n 2 + max n 2 - abs (-n)) ^ 2", Fn: "f", At: "3.5"},
	{Name: "matrix inverse", Source: "import linalg\nlet f (a : [2][2]Real) : []Real = linalg.solve a [1, 2]", Fn: "f", At: "[[4, 1], [1, 3]]"},
	{Name: "constants", Source: "let k = 3 * pi\nlet g = fun (x : Real) => x * k\nlet table = [k, 2 * k]\nlet f (x : Real) : Real = g (x * table[1]) + table[0]", Fn: "f", At: "0.1"},
	{Name: "a definition that is no lambda", Source: "let h (a b : Real) : Real = a * b * b\nlet f : Real -> Real = h 3", Fn: "f", At: "2"},
	{Name: "empty arrays", Source: "let f (xs : []Real) : Real = sum xs + (loop a = 1 for x in xs do a * x)", Fn: "f", At: "[]"},
	{Name: "unit", Source: "let f (u : ()) : Real = 2", Fn: "f", At: "()"},
	{Name: "closure over an array", Source: "let f (xs : []Real) : Real =\n  let at = fun (i : Int) => xs[i]\n  sum [at i * at (2 - i) for i < 3] * at 1", Fn: "f", At: "[1, 2, 3]"},
	{Name: "closure over a closure over data", Source: "import list\nlet f (xs : List Real) : Real =\n  let total = fun (k : Real) => list.fold (fun a x => a + k * x) 0 xs\n  let g = fun y => total y * total 2\n  g (g 0.1)", Fn: "f", At: "Cons 0.5 (Cons 0.25 Nil)"},
	{Name: "recursive closure as a value", Source: "import list\nlet f (x : Real) : Real =\n  let rec pow (n : Int) : Real = if n == 0 then 1 else x * pow (n - 1)\n  list.fold (fun a n => a + pow n) 0 (Cons 1 (Cons 3 (Cons 2 Nil)))", Fn: "f", At: "1.2"},
	{Name: "recursive closures capture one another", Source: "let f ((x, y) : (Real, Real)) : Real =\n  let rec a (n : Int) (z : Real) : Real = if n == 0 then z else let k = b x in k (n - 1)\n  and b (w : Real) (n : Int) : Real = if n == 0 then w * y else a (n - 1) (w * y)\n  a 3 y + b y 2", Fn: "f", At: "(1.2, 0.7)"},
	{Name: "partial application of a closure", Source: "let f ((x, y) : (Real, Real)) : Real =\n  let g = fun (a : Real) (b : Real) (c : Real) => a * b * x + c\n  let h = g y\n  let k = h x\n  k 1 * h 2 3 * k y", Fn: "f", At: "(1.2, 0.7)"},
}

func TestStructural(t *testing.T) {
	for _, program := range structural {
		t.Run(program.Name, func(t *testing.T) { compare(t, program) })
	}
}

// TestRows: every row of the table with partial derivatives, and those over
// arrays, at their samples of moderate size.
func TestRows(t *testing.T) {
	checked := 0
	for _, row := range prim.All() {
		if row.Hidden || len(row.Partials) == 0 && row.Pullback == nil || row.Name == "inner" || row.Name == "scale" || row.Name == "zeroLike" {
			continue // the last three are expanded before anyone sees them
		}
		params, _ := types.Splay(row.Scheme.Type, row.Arity())
		for _, sample := range row.Samples {
			if !moderate(sample) {
				continue
			}
			checked++
			source, at := rowProgram(row, params, sample)
			program := paperstest.Program{Name: row.Name, Source: source, Fn: "f", At: at}
			t.Run(fmt.Sprint(row.Name, sample), func(t *testing.T) { compare(t, program) })
		}
	}
	if checked < 50 {
		t.Errorf("only %d samples", checked)
	}
}

// moderate leaves out samples at which differences say little: large ones,
// small ones, and those next to a pole (at 1 or π/2).
func moderate(sample []float64) bool {
	for _, x := range sample {
		if a := math.Abs(x); a > 20 || a < 0.05 || a != 1 && math.Abs(a-1) < 1e-3 || math.Abs(a-math.Pi/2) < 1e-2 {
			return false
		}
	}
	return len(sample) > 0
}

// rowProgram returns a function that applies a row, integers being constants.
func rowProgram(row *prim.Prim, params []types.Type, sample []float64) (source, at string) {
	name := row.Name
	if !strings.ContainsAny(name[:1], "abcdefghijklmnopqrstuvwxyz") {
		name = "(" + name + ")"
	}
	if row.Pullback != nil {
		return "let f (xs : []Real) = " + name + " xs", strings.ReplaceAll(fmt.Sprint(sample), " ", ", ")
	}
	var args, vars, values []string
	for i, x := range sample {
		if types.Resolve(params[i]) == types.Type(types.Int) {
			args = append(args, fmt.Sprintf("(%d)", int(x)))
			continue
		}
		v := fmt.Sprint("x", i)
		args, vars = append(args, v), append(vars, v+" : Real")
		values = append(values, fmt.Sprint(x))
	}
	apply := name + " " + strings.Join(args, " ")
	if len(vars) == 1 {
		return "let f (" + vars[0] + ") : Real = " + apply, values[0]
	}
	pattern := strings.ReplaceAll(strings.Join(vars, ", "), " : Real", "")
	tuple := "(" + strings.TrimSuffix(strings.Repeat("Real, ", len(vars)), ", ") + ")"
	return "let f ((" + pattern + ") : " + tuple + ") : Real = " + apply, "(" + strings.Join(values, ", ") + ")"
}
