package prim

import (
	"github.com/fluxion-lang/fluxion/internal/linalg"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// A row whose result consists of several matrices returns a single one, in which the rows of one
// matrix follow those of the other.

// apart returns an expression for 1 / (x - y), for two eigenvalues. They must differ by more than
// rounding errors.
func apart(x, y, scale, what string) string {
	return "(let gap = " + x + " - " + y + " in if abs gap <= 1e-14 * abs (" + scale + ") then " +
		"fail \"" + what + "\" else 1 / gap)"
}

const (
	multipleEigen    = "eigSym has no derivative where two eigenvalues are equal"
	multipleSingular = "svd has no derivative where two singular values are equal, or one is 0"
)

// decompositions returns the rows about orthogonal matrices. The matrix a is square, b is not.
func decompositions(a, b types.Type) []*Prim {
	rows := func(name string, from, to string) string {
		return "let " + name + " = r[" + from + ":" + to + "] in "
	}

	// Modified Gram-Schmidt, which makes no decision by the sign of an element.
	gram := "let m = if length a == 0 then 0 else length a[0] in let n = length a in " +
		"let zero = [[0 for _ < m] for _ < m] in " +
		"let done = loop s = {q = [[row[j] for row in a] for j < m], r = zero} for k < m do " +
		"let size = builtin.norm s.q[k] in " +
		"let unit = [x / size for x in s.q[k]] in " +
		"let row = [if j < k then 0 else if j == k then size else inner unit s.q[j] for j < m] " +
		"in " +
		"{q = [if j < k then s.q[j] else if j == k then unit else [s.q[j][i] - row[j] * unit[i] " +
		"for i < n] for j < m], " +
		"r = builtin.scatter s.r [k] [row]} in " +
		"builtin.append [[column[i] for column in done.q] for i < n] done.r"
	split := "let n = length a in let m = length r - n in " + rows("q", "0", "n") + rows(
		"u", "n", "n + m")
	dqr := split + "let z = (let x = builtin.solveLower " + flipped("u") +
		" [[row[j] for row in da] for j < m] in " +
		"[[row[i] for row in x] for i < n]) in " +
		"let p = builtin.matMulTN q z in " +
		"let w = [if i < j then p[i, j] + p[j, i] else if i == j then p[i, j] else 0 for i < m, " +
		"j < m] in " +
		"let dq = (let y = builtin.matMul q w in [[z[i, j] - y[i, j] for j < m] for i < n]) in " +
		"builtin.append dq (builtin.matMul w u)"
	bqr := split + "let bq = br[0:n] in let bu = br[n:n + m] in " +
		"let p = (let x = builtin.matMulNT u bu in let y = builtin.matMulTN bq q in [x[i, j] - " +
		"y[i, j] for i < m, j < m]) in " +
		"let s = " + symmetric("p") + " in " +
		"let x = (let y = builtin.matMul q s in [[bq[i, j] + y[i, j] for i < n] for j < m]) in " +
		"let z = builtin.solveUpper u x in [[row[i] for row in z] for i < n]"

	values := "let n = length a in let w = r[0] in " + rows("v", "1", "n + 1") +
		"let top = (loop t = 0 for x in w do max t (abs x)) in "
	quotient := "[if i == j then 0 else m[i, j] * " + apart("w[i]", "w[j]", "top", multipleEigen) +
		" for i < n, j < n]"
	deig := values + "let m = builtin.matMulNT (builtin.matMul v " + symmetric("da") + ") v in " +
		"let f = " + quotient + " in builtin.append [[m[i, i] for i < n]] (builtin.matMul f v)"
	beig := values + "let m = builtin.matMulNT br[1:n + 1] v in " +
		"let g = (let f = " + quotient +
		" in [if i == j then br[0][i] else f[i, j] for i < n, j < n]) in " +
		"let s = builtin.matMulTN v (builtin.matMul g v) in " + folded("s")

	parts := "let n = length a in let m = length r[0] in " + rows("u", "0", "n") +
		"let s = r[n] in " + rows("v", "n + 1", "n + 1 + m")
	gap := apart("s[j] * s[j]", "s[i] * s[i]", "s[0] * s[0]", multipleSingular)
	small := "(if s[j] <= 1e-14 * s[0] then fail \"" + multipleSingular + "\" else 1 / s[j])"
	dsvd := parts + "let dav = builtin.matMul da v in let p = builtin.matMulTN u dav in " +
		"let ku = [if i == j then 0 else (p[i, j] * s[j] + s[i] * p[j, i]) * " + gap +
		" for i < m, j < m] in " +
		"let kv = [if i == j then 0 else (s[i] * p[i, j] + p[j, i] * s[j]) * " + gap +
		" for i < m, j < m] in " +
		"let up = builtin.matMul u p in let uk = builtin.matMul u ku in " +
		"let du = [uk[i, j] + (dav[i, j] - up[i, j]) * " + small + " for i < n, j < m] in " +
		"builtin.append du (builtin.append [[p[i, i] for i < m]] (builtin.matMul v kv))"
	bsvd := parts + "let bu = br[0:n] in let bs = br[n] in let bv = br[n + 1:n + 1 + m] in " +
		"let gu = builtin.matMulTN u bu in let gv = builtin.matMulTN v bv in " +
		"let p = [if i == j then bs[i] - gu[i, i] * " + small + " else " +
		"(s[j] * (gu[i, j] - gu[j, i]) + s[i] * (gv[i, j] - gv[j, i])) * " + gap +
		" - gu[i, j] * " + small + " for i < m, j < m] in " +
		"let up = builtin.matMul u p in " +
		"builtin.matMulNT [up[i, j] + bu[i, j] * " + small + " for i < n, j < m] v"
	// By the eigenvalues of aᵀ a, in descending order.
	bySym := "let m = if length a == 0 then 0 else length a[0] in let e = builtin.eigSym " +
		"(builtin.matMulTN a a) in " +
		"let s = [sqrt e[0][m - 1 - j] for j < m] in " +
		"let v = [e[m - j][i] for i < m, j < m] in " +
		"let u = [[row[j] / s[j] for j < m] for row in builtin.matMul a v] in " +
		"builtin.append u (builtin.append [s] v)"
	// The rows of both triangular factors in one matrix, and the order of the rows of a.
	ordered := "let n = length a in let order = [round x for x in r[n]] in " +
		"let l = [if j < i then r[i, j] else if j == i then 1 else 0 for i < n, j < n] in " +
		"let u = [if i <= j then r[i, j] else 0 for i < n, j < n] in "
	dlu := ordered + "let x = builtin.solveLower l [da[i] for i in order] in " +
		"let w = (let y = builtin.solveLower " + flipped("u") + " " + flipped("x") + " in " +
		flipped("y") + ") in " +
		"let dl = builtin.matMul l [if j < i then w[i, j] else 0 for i < n, j < n] in " +
		"let du = builtin.matMul " + upper("w") + " u in " +
		"builtin.append [if j < i then dl[i, j] else du[i, j] for i < n, j < n] [[0 for _ < n]]"
	blu := ordered + "let x = builtin.matMulTN l [if j < i then br[i, j] else 0 for i < n, j < " +
		"n] in " +
		"let y = builtin.matMulNT [if i <= j then br[i, j] else 0 for i < n, j < n] u in " +
		"let z = builtin.solveUpper " + flipped("l") +
		" [if j < i then x[i, j] else y[i, j] for i < n, j < n] in " +
		"let t = (let s = builtin.solveUpper u " + flipped("z") + " in " + flipped("s") +
		") in builtin.scatter t order t"
	// Each row is followed by its index.
	exchange := "let n = length a in " +
		"let done = loop w = [builtin.append a[i] [real i] for i < n] for k < n do " + pivot +
		"if abs w[pivot, k] > 0 then let top = w[pivot] in " +
		"[if i < k then w[i] else if i == k then top else let row = w[if i == pivot then k else " +
		"i] in " +
		"let factor = row[k] / top[k] in [if j == k then factor else if j > k && j < n then " +
		"row[j] - factor * top[j] " +
		"else row[j] for j < n + 1] for i < n] else fail \"the matrix is singular\" in " +
		"builtin.append [row[0:n] for row in done] [[row[n] for row in done]]"
	return []*Prim{
		{
			ID: Lu, Name: "lu", Params: []string{"a"},
			Scheme: forAll(types.Funs(array(types.AnySize, a.(*types.Array).Elem), a)),
			Doc: "The rows of both triangular factors in one matrix, and a row with the order " +
				"of the rows of a.\nbuiltin.lu [[0, 2], [1, 3]] -- [[1, 3], [0, 2], [1, 0]]",
			Float: Whole(linalg.Lu), Pushforward: []string{dlu}, Pullback: []string{blu},
			Definition: exchange,
			Regular: isSquare("a") + " && (let top = loop t = 0 for row in a do loop t = t for x " +
				"in row do max t (abs x) in " +
				each("a", "abs r[i, i] > 1e-10 * top") + ")",
		},
		{
			ID: Qr, Name: "qr", Params: []string{"a"},
			Scheme: forAll(types.Funs(array(types.AnySize, b.(*types.Array).Elem), b)),
			Doc: "The rows of an orthogonal and those of an upper triangular matrix whose " +
				"product is a.\nbuiltin.qr [[2]] -- [[1], [2]]",
			Float: Whole(linalg.Qr), Pushforward: []string{dqr}, Pullback: []string{bqr},
			Definition: gram,
			Regular: "let n = length a in let m = length r - n in m <= n && (loop ok = true for " +
				"i < m do " +
				"ok && r[n + i, i] > 1e-5 * builtin.norm [row[i] for row in a])",
		},
		{
			ID: EigSym, Name: "eigSym", Params: []string{"a"},
			Scheme: forAll(types.Funs(array(types.AnySize, a.(*types.Array).Elem), a)),
			Doc: "The eigenvalues of a symmetric matrix in ascending order, and then its " +
				"eigenvectors, a row each.\nbuiltin.eigSym [[2]] -- [[2], [1]]",
			Float: Whole(linalg.EigSym), Pushforward: []string{deig}, Pullback: []string{beig},
		},
		{
			ID: Svd, Name: "svd", Params: []string{"a"},
			Scheme: forAll(types.Funs(array(types.AnySize, b.(*types.Array).Elem), b)),
			Doc: "The rows of u, the singular values, and the rows of v.\nbuiltin.svd [[2]] " +
				"-- [[1], [2], [1]]",
			Float: Whole(linalg.Svd), Pushforward: []string{dsvd}, Pullback: []string{bsvd},
			Definition: bySym,
		},
	}
}
