package prim

import (
	"fmt"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/linalg"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Matrices]
//
// An operation of linear algebra is one entry of the tape, however many multiplications it takes.
// Its derivative is a few operations of the same kind. For x = a⁻¹ b, say,
//
//	dx = a⁻¹ (db - da x)        bb = a⁻ᵀ bx,  ba = -bb xᵀ
//
// The rules are written with the rows themselves, so they have derivatives too. A row that uses
// only a triangle of an argument ignores the rest of its tangent, and returns 0 for the rest of
// its cotangent.

// matrices returns the rows of linear algebra. The library wraps each in a function of module
// linalg.
func matrices() []*Prim {
	n, m, k := size("n"), size("m"), size("k")
	vector := func(n *types.Size) types.Type { return array(n, types.Real) }
	matrix := func(n, m *types.Size) types.Type { return array(n, vector(m)) }
	ab := []string{"a", "b"}
	rows := []*Prim{
		{
			ID: MatMul, Name: "matMul", Params: ab,
			Scheme: forAll(types.Funs(matrix(n, m), matrix(n, k), matrix(k, m))),
			Doc: "The product of two matrices.\nbuiltin.matMul [[1, 2]] [[3], [4]] -- " +
				"[[11]]",
			Float:       Whole(linalg.MatMul),
			Pushforward: []string{"builtin.matMul da b", "builtin.matMul a db"},
			Pullback:    []string{"builtin.matMulNT br b", "builtin.matMulTN a br"},
			Definition: "let m = " + width("b") +
				" in [inner x [b[k, j] for k < length x] for x in a, j < m]",
			Regular: "true",
		},
		{
			ID: MatMulTN, Name: "matMulTN", Params: ab,
			Scheme: forAll(types.Funs(matrix(n, m), matrix(k, n), matrix(k, m))),
			Doc: "The product of the transpose of a matrix with another " +
				"matrix.\nbuiltin.matMulTN [[1], [2]] [[3], [4]] -- [[11]]",
			Float:       Whole(linalg.MatMulTN),
			Pushforward: []string{"builtin.matMulTN da b", "builtin.matMulTN a db"},
			Pullback:    []string{"builtin.matMulNT b br", "builtin.matMul a br"},
			Definition: "let n = " + width("a") + " in let m = " + width("b") + " in " +
				"[inner [x[i] for x in a] [b[k, j] for k < length a] for i < n, j < m]",
			Regular: "true",
		},
		{
			ID: MatMulNT, Name: "matMulNT", Params: ab,
			Scheme: forAll(types.Funs(matrix(n, m), matrix(n, k), matrix(m, k))),
			Doc: "The product of a matrix with the transpose of " +
				"another.\nbuiltin.matMulNT [[1, 2]] [[3, 4]] -- [[11]]",
			Float:       Whole(linalg.MatMulNT),
			Pushforward: []string{"builtin.matMulNT da b", "builtin.matMulNT a db"},
			Pullback:    []string{"builtin.matMul br b", "builtin.matMulTN br a"},
			Definition:  "[inner x y for x in a, y in b]",
			Regular:     "true",
		},
		{
			ID: MatVec, Name: "matVec", Params: []string{"a", "x"},
			Scheme:      forAll(types.Funs(vector(n), matrix(n, m), vector(m))),
			Doc:         "A matrix times a vector.\nbuiltin.matVec [[1, 2]] [3, 4] -- [11]",
			Float:       Whole(linalg.MatVec),
			Pushforward: []string{"builtin.matVec da x", "builtin.matVec a dx"},
			Pullback:    []string{"builtin.outer br x", "builtin.vecMat br a"},
			Definition:  "[inner row x for row in a]",
			Regular:     "true",
		},
		{
			ID: VecMat, Name: "vecMat", Params: []string{"x", "a"},
			Scheme:      forAll(types.Funs(vector(m), vector(n), matrix(n, m))),
			Doc:         "A vector times a matrix.\nbuiltin.vecMat [1, 2] [[3], [4]] -- [11]",
			Float:       Whole(linalg.VecMat),
			Pushforward: []string{"builtin.vecMat dx a", "builtin.vecMat x da"},
			Pullback:    []string{"builtin.matVec a br", "builtin.outer x br"},
			Definition: "let m = " + width("a") +
				" in [inner x [a[k, j] for k < length x] for j < m]",
			Regular: "true",
		},
		{
			ID: Outer, Name: "outer", Params: []string{"x", "y"},
			Scheme: forAll(types.Funs(matrix(n, m), vector(n), vector(m))),
			Doc: "The products of each element of a vector with each of " +
				"another.\nbuiltin.outer [1, 2] [3] -- [[3], [6]]",
			Float:       Whole(linalg.Outer),
			Pushforward: []string{"builtin.outer dx y", "builtin.outer x dy"},
			Pullback:    []string{"builtin.matVec br y", "builtin.vecMat x br"},
			Definition:  "[u * v for u in x, v in y]",
			Regular:     "true",
		},
	}
	rows = append(rows, systems(matrix(n, n), matrix(n, m))...)
	rows = append(rows, decompositions(matrix(n, n), matrix(n, m))...)
	for _, row := range rows {
		row.Hidden = true
	}
	return rows
}

// width returns an expression for the number of columns of a matrix, which is 0 if it has no
// rows.
func width(a string) string { return "(if length " + a + " == 0 then 0 else length " + a + "[0])" }

// flipped returns an expression for the transpose of a square matrix.
func flipped(a string) string {
	return "(let all = " + a + " in [all[j, i] for i < length all, j < length all])"
}

// lower returns an expression for the lower triangle of a square matrix, and upper one for the
// upper triangle.
func lower(a string) string {
	return "(let all = " + a + " in [if j <= i then all[i, j] else 0 for i < length all, j < " +
		"length all])"
}

func upper(a string) string {
	return "(let all = " + a + " in [if i <= j then all[i, j] else 0 for i < length all, j < " +
		"length all])"
}

// half returns an expression for the lower triangle of a square matrix with half its diagonal.
func half(a string) string {
	return "(let all = " + a + " in [if j < i then all[i, j] else if j == i then all[i, j] / 2 " +
		"else 0 " +
		"for i < length all, j < length all])"
}

// symmetric returns an expression for the symmetric matrix with the lower triangle of a matrix.
func symmetric(a string) string {
	return "(let all = " + a + " in [if j <= i then all[i, j] else all[j, i] for i < length all, " +
		"j < length all])"
}

// folded returns an expression for the transpose of symmetric: the cotangent of a lower triangle.
func folded(a string) string {
	return "(let all = " + a + " in [if j < i then all[i, j] + all[j, i] else if j == i then " +
		"all[i, j] else 0 " +
		"for i < length all, j < length all])"
}

// isSquare returns a condition that holds if a matrix is square.
func isSquare(a string) string {
	return "(length " + a + " == 0 || length " + a + "[0] == length " + a + ")"
}

// each returns an expression that checks a condition for every i below the length of an array.
func each(a, cond string) string {
	return "loop ok = true for i < length " + a + " do ok && (" + cond + ")"
}

// wellConditioned is a condition that holds if the condition number of a is known to be so small
// that solve does not refuse a. It bounds the inverses of the triangular factors by those of the
// matrices with the same absolute values, and negative signs off the diagonal.
const wellConditioned = "let n = length a in let f = builtin.lu a in " +
	"let y = loop y = [1 for _ in a] for i < n do builtin.scatter y [i] [loop t = 1 for j < i do " +
	"t + abs f[i, j] * y[j]] in " +
	"let z = loop z = [1 for _ in a] for k < n do let i = n - 1 - k in " +
	"builtin.scatter z [i] [(loop t = 1 for j < k do t + abs f[i, i + 1 + j] * z[i + 1 + j]) / " +
	"abs f[i, i]] in " +
	"let top = fun xs => loop t = 0 for x in xs do max t x in " +
	"real (n * n) * top [loop t = 0 for x in row do t + abs x for row in a] * top y * top z < 1e15"

// negated returns an expression for minus a matrix.
func negated(a string) string { return "[[-x for x in row] for row in " + a + "]" }

// pivot selects the row with which elimination continues in column k of w. Comparing equal
// elements must not be an error, neither in exact evaluation, which cannot decide equality, nor
// under a derivative. So a row is exchanged only if its element is larger by some factor. That is
// stable up to the factor, and the factor is not a ratio that occurs by design.
const pivot = "let pivot = loop best = k for i < n do " +
	"if i > k && abs w[i, k] > 1.3717421 * abs w[best, k] then i else best in "

// columnSum returns an expression for a norm of a square matrix: the largest sum of the absolute
// values in a column.
func columnSum(a string) string {
	return "(let all = " + a + " in loop t = 0 for j < length all do max t (loop s = 0 for row " +
		"in all do s + abs row[j]))"
}

// exponential returns an expression for the exponential of a square matrix, by sums and products
// alone. If the norm is at most 0.64 it is the Taylor polynomial of degree 16, whose remainder is
// below the roundoff of doubles. Otherwise the matrix is halved first, and the result squared. Of
// the polynomial,
//
//	p = ((q₄ a⁴ + q₃) a⁴ + …) a⁴ + q₀,  qₖ = (1 + a/(4k+1) + a²/((4k+1)(4k+2)) + a³/…) / (4k)!
//
// it needs the powers up to a⁴ and three more products. The number of halvings is not
// differentiated.
func exponential() string {
	const degree = 16
	text := "let halvings = (loop h = {k = 0, size = " + columnSum("builtin.stopGradient a") +
		"} while h.size > 0.64 && h.k < 64 do " +
		"{k = h.k + 1, size = h.size / 2}).k in " +
		"let b = (let f = 0.5 ^ halvings in [[x * f for x in row] for row in a]) in " +
		"let b2 = builtin.matMul b b in let b3 = builtin.matMul b2 b in let b4 = builtin.matMul " +
		"b2 b2 in "
	factorial := big.NewInt(1)
	inverse := make([]string, degree+1)
	for k := range inverse {
		if k > 0 {
			factorial.Mul(factorial, big.NewInt(int64(k)))
		}
		inverse[k] = "1 / " + factorial.String()
	}
	sum := "b4[i, j] * (" + inverse[degree] + ")"
	for k := degree - 4; k >= 0; k -= 4 {
		text += fmt.Sprintf("let q%d = [%s + b3[i, j] * (%s) + b2[i, j] * (%s) + b[i, j] * (%s) "+
			"+ (if i == j then %s else 0) "+
			"for i < length a, j < length a] in ", k, sum, inverse[k+3], inverse[k+2], inverse[k+1],
			inverse[k])
		if k > 0 {
			text += fmt.Sprintf("let p%d = builtin.matMul q%d b4 in ", k, k)
			sum = fmt.Sprintf("p%d[i, j]", k)
		}
	}
	return text + "loop x = q0 for _ < halvings do builtin.matMul x x"
}

// systems returns the rows about square matrices and systems of equations.
func systems(a, b types.Type) []*Prim {
	// Solves l x = b: each row follows from those above it.
	forward := "let zero = [[0 for _ in row] for row in b] in " +
		"loop x = zero for i < length b do " +
		"let known = builtin.vecMat l[i][0:i] x[0:i] in " +
		"let next = if i == 0 then b[0] else [u - v for (u, v) in builtin.zip b[i] known] in " +
		"builtin.scatter x [i] [[u / l[i, i] for u in next]]"
	backward := "let n = length b in let zero = [[0 for _ in row] for row in b] in " +
		"loop x = zero for k < n do let i = n - 1 - k in " +
		"let known = builtin.vecMat u[i][i + 1:i + 1 + k] x[i + 1:i + 1 + k] in " +
		"let next = if k == 0 then b[i] else [v - w for (v, w) in builtin.zip b[i] known] in " +
		"builtin.scatter x [i] [[v / u[i, i] for v in next]]"
	gauss := "let n = length a in " +
		"let done = loop w = [builtin.append a[i] b[i] for i < n] for k < n do " + pivot +
		"if abs w[pivot, k] > 0 then let top = [x / w[pivot, k] for x in w[pivot]] in " +
		"[if i == k then top else let row = w[if i == pivot then k else i] in " +
		"[row[j] - row[k] * top[j] for j < length row] for i < n] " +
		"else fail \"the matrix is singular\" in [row[n:length row] for row in done]"
	crout := "let zero = [[0 for _ in row] for row in a] in loop l = zero for i < length a do " +
		"let row = loop r = l[i] for j < i do builtin.scatter r [j] [(a[i, j] - inner r[0:j] " +
		"l[j][0:j]) / l[j, j]] in " +
		"let d = a[i, i] - inner row row in " +
		"if d > 0 then builtin.scatter l [i] [builtin.scatter row [i] [sqrt d]] " +
		"else fail \"the matrix is not positive definite\""
	first := "let zero = [[0 for _ in row] for row in a] in " +
		"let done = loop s = {l = zero, d = 1, k = 0} for i < length a do " +
		"if s.d > 0 then let l = s.l in let row = loop r = l[i] for j < i do " +
		"builtin.scatter r [j] [(a[i, j] - inner r[0:j] l[j][0:j]) / l[j, j]] in " +
		"let d = a[i, i] - inner row row in " +
		"{l = if d > 0 then builtin.scatter l [i] [builtin.scatter row [i] [sqrt d]] else l, d = " +
		"d, k = i} " +
		"else s in [done.d, real done.k]"
	// The pivot k is a[k, k] - b·A⁻¹b, for the block A above and b beside it. The derivative is a
	// quadratic form in [-A⁻¹b, 1].
	direction := "let k = round r[1] in let x = (if k == 0 then [] else " +
		"builtin.solve [" + "a[max i j, min i j] for i < k, j < k] [[a[k, j]] for j < k]) in " +
		"let w = [if j < k then -x[j, 0] else if j == k then 1 else 0 for j < length a] in "
	// The product of the pivots. Nothing is divided by the last one, which may be 0.
	pivots := "if length a == 0 then 1 else let n = length a in " +
		"let done = loop s = {w = a, d = 1} for k < n - 1 do let w = s.w in " + pivot +
		"let p = w[pivot, k] in if abs p > 0 then " +
		"{w = [let row = w[if i == pivot then k else if i == k then pivot else i] in if i <= k " +
		"then row " +
		"else [row[j] - row[k] / p * w[pivot, j] for j < n] for i < n], " +
		"d = if pivot == k then s.d * p else -(s.d * p)} " +
		"else {w = w, d = 0} in done.d * done.w[n - 1, n - 1]"
	// The exponential of a matrix of four blocks contains the derivative in one of its blocks.
	block := func(a, da string) string {
		return "let n = length a in let x = " + a + " in let dx = " + da + " in " +
			"let e = builtin.expm [if i < n then (if j < n then x[i, j] else dx[i, j - n]) " +
			"else if j < n then 0 else x[i - n, j - n] for i < 2 * n, j < 2 * n] in [e[i, j + n] " +
			"for i < n, j < n]"
	}
	minor := "builtin.det [a[if k < i then k else k + 1, if l < j then l else l + 1] for k < " +
		"length a - 1, l < length a - 1]"
	cofactors := "[let m = " + minor +
		" in if mod (i + j) 2 == 0 then m else -m for i < length a, j < length a]"
	return []*Prim{
		{
			ID: Cholesky, Name: "cholesky", Params: []string{"a"}, Scheme: forAll(types.Funs(a, a)),
			Doc: "The lower triangular matrix whose product with its transpose is the " +
				"symmetric matrix with the lower triangle of a.\nbuiltin.cholesky [[4, 2], [2, " +
				"5]] -- [[2, 0], [1, 2]]",
			Float: Whole(linalg.Cholesky),
			Pushforward: []string{"let x = builtin.solveLower r " + symmetric("da") + " in " +
				"builtin.matMul r " + half("builtin.solveLower r "+flipped("x"))},
			Pullback: []string{"let u = " + flipped("r") + " in let y = builtin.solveUpper u " +
				half("builtin.matMulTN r br") + " in " +
				"let s = builtin.solveUpper u " + flipped("y") + " in " + folded("s")},
			Definition: crout,
			Regular: isSquare("a") + " && (" + each(
				"a", "r[i, i] * r[i, i] > 1e-10 * abs a[i, i]") + ")",
		},
		{
			ID: CholeskyPivot, Name: "choleskyPivot", Params: []string{"a"},
			Scheme: forAll(types.Funs(array(types.AnySize, types.Real), a)),
			Doc: "The first pivot of Cholesky's factorisation that is not positive, or else the " +
				"last one, and its row.\n" +
				"builtin.choleskyPivot [[4, 2], [2, 1]] -- [0, 1]",
			Float: Whole(linalg.CholeskyPivot),
			Pushforward: []string{direction + "[inner (builtin.outer w w) " + symmetric(
				"da") + ", 0]"},
			Pullback:   []string{direction + folded("scale br[0] (builtin.outer w w)")},
			Definition: first,
			Regular: isSquare("a") +
				" && (let k = round r[1] in abs r[0] > 1e-10 * abs a[k, k])",
		},
		{
			ID: Det, Name: "det", Params: []string{"a"}, Scheme: forAll(types.Funs(types.Real, a)),
			Doc:   "The determinant.\nbuiltin.det [[1, 2], [3, 4]] -- -2",
			Float: Whole(linalg.Det),
			// The inverse times the determinant is the matrix of cofactors. It exists even where
			// the inverse does not.
			Pushforward: []string{"if abs r > 0 then let x = builtin.solve a da in r * (loop t = " +
				"0 for i < length a do t + x[i, i]) else inner " + cofactors + " da"},
			Pullback: []string{"if abs r > 0 then let x = builtin.solve " + flipped("a") +
				" [if i == j then br * r else 0 for i < length a, j < length a] in x else scale " +
				"br " + cofactors},
			Definition: pivots,
			Regular: isSquare("a") + " && abs r > 1e-10 * (loop p = 1 for row in a do p * " +
				"(loop t = 0 for x in row do max t (abs x)))",
		},
		{
			ID: Expm, Name: "expm", Params: []string{"a"}, Scheme: forAll(types.Funs(a, a)),
			Doc: "The exponential of a square matrix, the sum of its powers divided by " +
				"factorials.\nbuiltin.expm [[0, 1], [0, 0]] -- [[1, 1], [0, 1]]",
			Float:       Whole(linalg.Expm),
			Pushforward: []string{block("a", "da")},
			Pullback:    []string{block(flipped("a"), "br")},
			Definition:  exponential(),
			Regular:     isSquare("a") + " && " + columnSum("a") + " < 700",
		},
		{
			ID: Solve, Name: "solve", Params: []string{"a", "b"},
			Scheme: forAll(types.Funs(b, a, b)),
			Doc:    "The matrix x for which a x is b.\nbuiltin.solve [[2]] [[3]] -- [[1.5]]",
			Float:  Whole(linalg.Solve),
			Pushforward: []string{negated("builtin.solve a (builtin.matMul da r)"),
				"builtin.solve a db"},
			Pullback: []string{negated("builtin.matMulNT bb r"), "builtin.solve " + flipped(
				"a") + " br"},
			Definition: gauss,
			Regular:    isSquare("a") + " && (" + wellConditioned + ")",
		},
		{
			ID: SolveLower, Name: "solveLower", Params: []string{"l", "b"},
			Scheme: forAll(types.Funs(b, a, b)),
			Doc: "The matrix x for which the lower triangle of l times x is " +
				"b.\nbuiltin.solveLower [[2, 0], [1, 1]] [[2], [3]] -- [[1], [2]]",
			Float: Whole(linalg.SolveLower),
			Pushforward: []string{negated("builtin.solveLower l (builtin.matMul " + lower("dl") +
				" r)"), "builtin.solveLower l db"},
			Pullback: []string{negated(lower("builtin.matMulNT bb r")), "builtin.solveUpper " +
				flipped("l") + " br"},
			Definition: forward,
			Regular:    isSquare("l") + " && (" + each("l", "abs l[i, i] > 0") + ")",
		},
		{
			ID: SolveUpper, Name: "solveUpper", Params: []string{"u", "b"},
			Scheme: forAll(types.Funs(b, a, b)),
			Doc: "The matrix x for which the upper triangle of u times x is " +
				"b.\nbuiltin.solveUpper [[1, 1], [0, 2]] [[3], [4]] -- [[1], [2]]",
			Float: Whole(linalg.SolveUpper),
			Pushforward: []string{negated("builtin.solveUpper u (builtin.matMul " + upper("du") +
				" r)"), "builtin.solveUpper u db"},
			Pullback: []string{negated(upper("builtin.matMulNT bb r")), "builtin.solveLower " +
				flipped("u") + " br"},
			Definition: backward,
			Regular:    isSquare("u") + " && (" + each("u", "abs u[i, i] > 0") + ")",
		},
	}
}
