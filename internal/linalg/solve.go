package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// singular returns the failure of an operation that needs a regular matrix.
func singular(format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.BadMatrix, diag.Span{}, format, args...)
}

// general returns the matrix of gonum with given elements, which it may overwrite.
func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: data}
}

// factor returns the LU factorisation of a square matrix, with partial pivoting, and reports
// whether no pivot is 0.
func factor(a Array) (lu blas64.General, pivots []int, ok bool) {
	n := len(a.Rows)
	lu = general(n, n, a.Copy())
	pivots = make([]int, n)
	if n == 0 {
		return lu, pivots, true
	}
	return lu, pivots, lapack64.Getrf(lu, pivots)
}

// exchange says how much larger an element must be for its row to become the next pivot. The
// definition of the row states it too, because all modes must take the same pivots.
const exchange = 1.3717421

// Lu returns the factors of a matrix whose rows are exchanged: the upper one and, below the
// diagonal, the lower one, whose diagonal is 1. A row of the indices of a's rows follows.
func Lu(room Room, args []Array) (Array, *diag.Diagnostic) {
	a := args[0]
	if d := square("lu", a); d != nil {
		return Array{}, d
	}
	n := len(a.Rows)
	if d := room(n * (n + 1)); d != nil {
		return Array{}, d
	}
	if !finite(a) {
		return undefined(n+1, n), nil
	}
	all := Matrix(n+1, append(a.Copy(), make([]float64, n)...))
	w, order := all.Rows[:n], all.Rows[n]
	for i := range order {
		order[i] = float64(i)
	}
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if math.Abs(w[i][k]) > exchange*math.Abs(w[best][k]) {
				best = i
			}
		}
		if w[best][k] == 0 {
			return Array{}, singular("the matrix is singular")
		}
		if best != k {
			blas64.Implementation().Dswap(n, w[k], 1, w[best], 1)
			order[k], order[best] = order[best], order[k]
		}
		for i := k + 1; i < n; i++ {
			w[i][k] /= w[k][k]
			blas64.Implementation().Daxpy(n-k-1, -w[i][k], w[k][k+1:], 1, w[i][k+1:], 1)
		}
	}
	return all, nil
}

// Solve returns the x with a x = b. A matrix that is singular to the precision of doubles is an
// error: every digit of x would be wrong.
func Solve(room Room, args []Array) (Array, *diag.Diagnostic) {
	a, b := args[0], args[1]
	if d := square("solve", a); d != nil {
		return Array{}, d
	}
	n := len(a.Rows)
	if d := room(n * (n + b.Cols())); d != nil {
		return Array{}, d
	}
	if len(b.Rows) != n {
		return Array{}, shapes("solve", a, b)
	}
	if !finite(a, b) {
		return undefined(n, b.Cols()), nil
	}
	lu, pivots, ok := factor(a)
	if !ok {
		return Array{}, singular("the matrix is singular")
	}
	x := b.Copy()
	if n == 0 || b.Cols() == 0 {
		return Matrix(n, x), nil
	}
	norm := lapack64.Lange(lapack.MaxColumnSum, general(n, n, a.data()), make([]float64, n))
	if rcond := lapack64.Gecon(lapack.MaxColumnSum, lu, norm, make([]float64, 4*n),
		make([]int, n)); rcond < 0x1p-53 {
		return Array{}, singular(
			"the matrix is singular to the precision of doubles: its condition number is about "+
				"%.1g",
			1/rcond,
		)
	}
	lapack64.Getrs(blas.NoTrans, lu, general(n, b.Cols(), x), pivots)
	return Matrix(n, x), nil
}

// Det returns the determinant.
func Det(room Room, args []Array) (Array, *diag.Diagnostic) {
	a := args[0]
	if d := square("det", a); d != nil {
		return Array{}, d
	}
	if d := room(len(a.Rows) * len(a.Rows)); d != nil {
		return Array{}, d
	}
	lu, pivots, ok := factor(a)
	if !ok {
		return Real(0), nil
	}
	det := 1.0
	for i, p := range pivots {
		det *= lu.Data[i*lu.Stride+i]
		if p != i {
			det = -det
		}
	}
	return Real(det), nil
}

// SolveLower returns the x with l x = b, where l is the lower triangle of the first argument.
func SolveLower(room Room, args []Array) (Array, *diag.Diagnostic) {
	return triangular(room, args, blas.Lower)
}

// SolveUpper returns the x with u x = b, where u is the upper triangle of the first argument.
func SolveUpper(room Room, args []Array) (Array, *diag.Diagnostic) {
	return triangular(room, args, blas.Upper)
}

func triangular(room Room, args []Array, uplo blas.Uplo) (Array, *diag.Diagnostic) {
	a, b := args[0], args[1]
	if d := square("the solution of a triangular system", a); d != nil {
		return Array{}, d
	}
	n := len(a.Rows)
	if d := room(n * b.Cols()); d != nil {
		return Array{}, d
	}
	if len(b.Rows) != n {
		return Array{}, shapes("the solution of a triangular system", a, b)
	}
	for i, row := range a.Rows {
		if row[i] == 0 {
			return Array{}, singular(
				"the triangular matrix is singular: element %d of its diagonal is 0",
				i,
			)
		}
	}
	x := b.Copy()
	if len(x) > 0 {
		t := blas64.Triangular{Uplo: uplo, Diag: blas.NonUnit, N: n, Stride: n, Data: a.data()}
		blas64.Trsm(blas.Left, blas.NoTrans, 1, t, general(n, b.Cols(), x))
	}
	return Matrix(n, x), nil
}

// Cholesky returns the lower triangular l with l lᵀ = a, of which only the lower triangle is
// read.
func Cholesky(room Room, args []Array) (Array, *diag.Diagnostic) {
	a := args[0]
	if d := square("cholesky", a); d != nil {
		return Array{}, d
	}
	n := len(a.Rows)
	if d := room(n * n); d != nil {
		return Array{}, d
	}
	if !finite(lower(a)) {
		return undefined(n, n), nil
	}
	l := a.Copy()
	if n == 0 {
		return Matrix(0, l), nil
	}
	if _, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: l}); !ok {
		row, pivot := firstPivot(a)
		pivot = min(pivot, 0) // Potrf rounds otherwise
		return Array{}, diag.Errorf(diag.BadMatrix, diag.Span{},
			"the matrix is not positive definite: the pivot of row %d is %v", row, pivot)
	}
	for i := range n {
		clear(l[i*n+i+1 : (i+1)*n])
	}
	return Matrix(n, l), nil
}

// CholeskyPivot returns the first pivot of Cholesky's factorisation that is not positive, or else
// the last one, and its row.
func CholeskyPivot(room Room, args []Array) (Array, *diag.Diagnostic) {
	a := args[0]
	if d := square("cholesky", a); d != nil {
		return Array{}, d
	}
	if d := room(len(a.Rows) * len(a.Rows)); d != nil {
		return Array{}, d
	}
	row, pivot := firstPivot(a)
	if n := len(a.Rows); n > 0 && pivot > 0 && finite(lower(a)) {
		// Potrf rounds otherwise: whether the factorisation exists is for it to say
		l := blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: a.Copy()}
		if _, ok := lapack64.Potrf(l); !ok {
			pivot = 0
		}
	}
	return Vector([]float64{pivot, float64(row)}), nil
}

// firstPivot returns the first pivot of Cholesky's factorisation that is not positive, or else
// the last one, with its row.
func firstPivot(a Array) (row int, pivot float64) {
	l := make([][]float64, len(a.Rows))
	pivot = 1
	for i, given := range a.Rows {
		l[i] = make([]float64, i+1)
		row, pivot = i, given[i]
		for j := range i {
			l[i][j] = (given[j] - blas64.Implementation().Ddot(j, l[i], 1, l[j], 1)) / l[j][j]
			pivot -= l[i][j] * l[i][j]
		}
		if !(pivot > 0) {
			return row, pivot
		}
		l[i][i] = math.Sqrt(pivot)
	}
	return row, pivot
}
