package driver

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// loops has the operations of linear algebra as loops over elements, and a comparison of a function
// of a matrix with another: of their values, derivatives both ways, and second derivatives.
const loops = `
import array
import linalg

let matMul (a b : [][]Real) : [][]Real =
  [sum [a[i, k] * b[k, j] for k < length b] for i < length a, j < length b[0]]

-- Without pivots: the matrices are dominated by their diagonals.
let solve (a b : [][]Real) : [][]Real =
  let n = length a
  let done =
    loop w = [array.concat a[i] b[i] for i < n] for k < n do
      let top = [x / w[k, k] for x in w[k]]
      [if i == k then top else [w[i, j] - w[i, k] * top[j] for j < length top] for i < n]
  [row[n:] for row in done]

let lower (a : [][]Real) : [][]Real = [if j <= i then a[i, j] else 0 for i < length a, j < length a]

let cholesky (a : [][]Real) : [][]Real =
  loop l = [[0 for _ in row] for row in a] for i < length a do
    let row = loop r = l[i] for j < i do array.set r j ((a[i, j] - inner r[0:j] l[j][0:j]) / l[j, j])
    array.set l i (array.set row i (sqrt (a[i, i] - inner row row)))

let rec det (a : [][]Real) : Real =
  if length a == 1 then
    a[0, 0]
  else
    let n = length a
    let rest = [a[i + 1, j + 1] - a[i + 1, 0] / a[0, 0] * a[0, j + 1] for i < n - 1, j < n - 1]
    a[0, 0] * det rest

let gramSchmidt (a : [][]Real) : linalg.Qr =
  let start = {q = linalg.transpose a, r = [[0 for _ in row] for row in a]}
  let done =
    loop f = start for k < length a do
      let unit = (1 / sqrt (inner f.q[k] f.q[k])) .* f.q[k]
      let row = [if j < k then 0 else inner unit f.q[j] for j < length a]
      {
        q = [if j < k then f.q[j] else if j == k then unit else f.q[j] - row[j] .* unit for j < length a],
        r = array.set f.r k row
      }
  {q = linalg.transpose done.q, r = done.r}

let expm (a : [][]Real) : [][]Real =
  let start = (linalg.identity (length a), linalg.identity (length a))
  let (total, _) =
    loop (total, term) = start for k < 40 do
      let next = (1 / real (k + 1)) .* matMul term a
      (total + next, next)
  total

let close f g (a da db : [][]Real) : []Real =
  let distance x y = sqrt (inner (x - y) (x - y)) / (1 + sqrt (inner y y))
  let w = jvp g a db
  [
    distance (f a) (g a),
    distance (jvp f a da) (jvp g a da),
    distance (vjp f a w) (vjp g a w),
    distance (jvp (fun x => jvp f x da) a db) (jvp (fun x => jvp g x da) a db),
    distance (vjp (fun x => jvp f x da) a w) (vjp (fun x => jvp g x da) a w),
    distance (vjp (fun x => vjp f x w) a db) (vjp (fun x => vjp g x w) a db)
  ]

let n = 4

let random (k : Int) : [][]Real = [sin (real (k + 5 * i + 3 * j + k * i * j)) for i < n, j < n]

-- Symmetric, and dominated by its diagonal.
let regular (a : [][]Real) : [][]Real = a + linalg.transpose a + 8 .* linalg.identity n
`

// linearAlgebra pairs the operations of the library with loops.
var linearAlgebra = []struct{ name, whole, loops string }{
	{"matMul", "fun a => linalg.matMul a (linalg.matMul b a)", "fun a => matMul a (matMul b a)"},
	{"matMulTN", "fun a => linalg.matMulTN a (linalg.matMulTN b a)", "fun a => matMul (linalg.transpose a) (matMul (linalg.transpose b) a)"},
	{"matMulNT", "fun a => linalg.matMulNT a (linalg.matMulNT a b)", "fun a => matMul a (linalg.transpose (matMul a (linalg.transpose b)))"},
	{"matVec", "fun a => [linalg.matVec a (linalg.matVec a a[0])]", "fun a => let c = linalg.transpose [a[0]] in linalg.transpose (matMul a (matMul a c))"},
	{"vecMat", "fun a => [linalg.vecMat (linalg.vecMat a[0] a) a]", "fun a => matMul (matMul [a[0]] a) a"},
	{"outer", "fun a => linalg.outer a[0] a[1]", "fun a => matMul (linalg.transpose [a[0]]) [a[1]]"},
	{"solve", "fun a => linalg.solveAll a (linalg.matMul b a)", "fun a => solve a (matMul b a)"},
	{"one side", "fun a => [linalg.solve a a[0]]", "fun a => linalg.transpose (solve a (linalg.transpose [a[0]]))"},
	{"inverse", "fun a => linalg.inverse a", "fun a => solve a (linalg.identity n)"},
	{"solveLower", "fun a => linalg.solveLowerAll a (linalg.matMul b a)", "fun a => solve (lower a) (matMul b a)"},
	{"solveUpper", "fun a => linalg.solveUpperAll a (linalg.matMul b a)",
		"fun a => solve (linalg.transpose (lower (linalg.transpose a))) (matMul b a)"},
	{"cholesky", "linalg.cholesky", "cholesky"},
	{"tryCholesky", "fun a => match linalg.tryCholesky a with | Some l -> l | None -> a", "cholesky"},
	{"lu", "fun a => let f = linalg.lu a in matMul [if j < i then f.lu[i, j] else if i == j then 1 else 0 for i < n, j < n] " +
		"[if i <= j then f.lu[i, j] else 0 for i < n, j < n]", "fun a => [a[i] for i in (linalg.lu a).perm]"},
	{"logDet", "fun a => [[linalg.logDet a]]", "fun a => [[log (det (let l = lower a in l + linalg.transpose l - [if i == j then a[i, i] else 0 for i < n, j < n]))]]"},
	{"det", "fun a => [[linalg.det a]]", "fun a => [[det a]]"},
	{"expm", "fun a => linalg.expm (0.1 .* a)", "fun a => expm (0.1 .* a)"},
	{"qr, q", "fun a => (linalg.qr a).q", "fun a => (gramSchmidt a).q"},
	{"qr, r", "fun a => (linalg.qr a).r", "fun a => (gramSchmidt a).r"},
	{"least squares", "fun a => [linalg.leastSquares a b[0]]", "fun a => linalg.transpose (solve a (linalg.transpose [b[0]]))"},
	{"eigSym", "fun a => let e = linalg.eigSym a in linalg.matMulTN e.vectors [map (fun x => exp (0.1 * e.values[i]) * x) e.vectors[i] for i < n]",
		"fun a => let l = 0.1 .* lower a in expm (l + linalg.transpose l - [if i == j then l[i, i] else 0 for i < n, j < n])"},
	{"svd", "fun a => let f = linalg.svd a in linalg.matMul [[f.s[j]^3 * row[j] for j < n] for row in f.u] (linalg.transpose f.v)",
		"fun a => matMul a (matMul (linalg.transpose a) a)"},
}

// TestLinearAlgebra compares the operations that are one entry of the tape with
// loops.
func TestLinearAlgebra(t *testing.T) {
	for _, c := range linearAlgebra {
		text := loops + fmt.Sprintf("let b = random 7\n\nclose (%s) (%s) (regular (random 1)) (random 2) (random 3)\n", c.whole, c.loops)
		v := onDoubles(t, c.name, text)
		if v == nil {
			continue
		}
		for k, x := range v.(value.Reals) {
			if !(x < 1e-11) {
				t.Errorf("%s: comparison %d differs by %g", c.name, k, x)
			}
		}
	}
}

// TestLinearAlgebraExactly encloses the values and gradients that doubles give.
func TestLinearAlgebraExactly(t *testing.T) {
	for _, c := range linearAlgebra {
		text := loops + fmt.Sprintf("let b = random 7\n\nlet f = %s\n\nlet a = [round (10 * x) for x in flatten (regular (random 1))]\n\n", c.whole)
		text = strings.Replace(text, "let n = 4", "let n = 3", 1)
		at := "array.reshape n (map real a)"
		derivatives := ", grad (fun x => (f x)[0, 0]) p, jvp (fun x => jvp f x p) p b)\n"
		text += "let p = " + at + "\n\n(f p" + derivatives
		v := onDoubles(t, c.name, text)
		if v == nil {
			continue
		}
		var list diag.List
		unit := NewWorld(nil).LoadText(c.name, text, nil, &list)
		r, d := RunExact(context.Background(), unit, Settings{Limits: interp.DefaultLimits()}, Exactly{Eps: new(big.Rat).SetFrac64(1, 1e18)})
		if d != nil {
			t.Errorf("%s: %v", c.name, d)
			continue
		}
		pairs, ok := certificates(v, r.Value)
		if !ok {
			t.Errorf("%s: %s and %s", c.name, value.Show(v), value.Show(r.Value))
			continue
		}
		for _, pair := range pairs {
			if n := goodDigits(pair.x, pair.e); n < 10 && math.Abs(pair.x) > 1e-9 {
				t.Errorf("%s: %v has %d good digits", c.name, pair.x, n)
			}
		}
	}
}

func onDoubles(t *testing.T, name, text string) value.Value {
	t.Helper()
	v, d := onFloats(t, text)
	if d != nil {
		t.Errorf("%s: %v", name, d)
	}
	return v
}

// TestVerified encloses solutions and eigenvalues to 20 digits, where elimination in intervals
// fails or where doubles have no digit left; and refuses what cannot be enclosed.
func TestVerified(t *testing.T) {
	const hilbert = "import linalg\nlet h (n : Int) : [][]Real = [1 / real (i + j + 1) for i < n, j < n]\n"
	for _, c := range []struct{ text, want string }{
		// The solution is [1, …, 1].
		{hilbert + "let a = h 16\nlinalg.solve a [sum row for row in a] - [1 for _ < 16]", ""},
		{hilbert + "let a = h 40 + linalg.identity 40\nlinalg.solve a [sum row for row in a] - [1 for _ < 40]", ""},
		{"import linalg\nlinalg.solve [[0, 1], [1, 0]] [0, 0]", ""},
		{hilbert + "let e = linalg.eigSym (h 8)\nlinalg.matVec (h 8) e.vectors[7] - e.values[7] .* e.vectors[7]", ""},
		{"import linalg\n(linalg.eigSym [[1, 1, 1], [1, 1, 1], [1, 1, 1]]).values - [0, 0, 3]", ""},
		{"import linalg\n(linalg.eigSym [[1, 1, 1], [1, 1, 1], [1, 1, 1]]).vectors[0]", "E0512"},
		{"import linalg\nlinalg.solve [[1, 2], [2, 4]] [1, 2]", "E0512"},
		{hilbert + "let l = linalg.cholesky (h 12)\nlinalg.matMulNT l l - h 12", ""},
		{hilbert + "let a = h 12\n1e60 * (linalg.det a * linalg.det (linalg.inverse a) - 1)", ""},
		{hilbert + "linalg.det (h 16 + linalg.identity 16) - exp (linalg.logDet (h 16 + linalg.identity 16))", ""},
		{"import linalg\nlinalg.det [[0, 1, 0], [1, 0, 0], [0, 0, 1]] + 1", ""},
		{"import linalg\nlinalg.det [[1, 2], [2, 4]]", ""},
		{hilbert + "let f = linalg.qr (h 8)\nlinalg.matMul f.q f.r - h 8", ""},
		{hilbert + "let f = linalg.qr [row[0:4] for row in h 9]\nlinalg.matMulTN f.q f.q - linalg.identity 4", ""},
		{"import linalg\nlinalg.qr [[1, 2], [2, 4]]", "E0512"},
		{"import linalg\nlinalg.cholesky [[1, 2], [2, 4]]", "E0512"},
		// derivatives: of the determinant the cofactors, of log det the inverse, of exp A by a
		// factor A exp A
		{hilbert + "let a = h 4 + linalg.identity 4\ngrad linalg.det a - linalg.det a .* linalg.inverse a", ""},
		{hilbert + "let a = h 4 + linalg.identity 4\nlet b = h 4\njvp linalg.logDet a b - sum [linalg.dot x y for (x, y) in zip (linalg.inverse a) b]", ""},
		{hilbert + "nthDeriv 3 (fun t => linalg.det (h 3 + t .* linalg.identity 3)) 1 - 6", ""},
		{hilbert + "let a = 3 .* h 4\njvp linalg.expm a a - linalg.matMul a (linalg.expm a)", ""},
		{hilbert + "let a = h 3\nnthDeriv 2 (fun t => (linalg.expm (t .* a))[0, 1]) 2 - (linalg.matMul (linalg.matMul a a) (linalg.expm (2 .* a)))[0, 1]", ""},
	} {
		var list diag.List
		unit := NewWorld(nil).LoadText("verified", c.text, nil, &list)
		if list.Failed() {
			t.Errorf("%s: %v", c.text, list.Sorted()[0])
			continue
		}
		eps, _ := new(big.Rat).SetString("1e-20")
		r, d := RunExact(context.Background(), unit, Settings{Limits: interp.DefaultLimits()}, Exactly{Eps: eps})
		switch {
		case d != nil && string(d.Code) != c.want, d == nil && c.want != "":
			t.Errorf("%s: %v, want %q", c.text, d, c.want)
		case d == nil:
			for _, e := range exact.Enclosures(r.Value) {
				if e.Lo.Sign() > 0 || e.Hi.Sign() < 0 {
					t.Errorf("%s: 0 is not in %v", c.text, e)
				}
			}
		}
	}
}
