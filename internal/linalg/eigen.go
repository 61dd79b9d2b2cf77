package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// A result that consists of several matrices is one matrix: the rows of one after those of the
// other.

// Qr returns the rows of q and then those of r, where a = q r, the columns of q are orthonormal,
// and r is upper triangular with a positive diagonal.
func Qr(room Room, args []Array) (Array, *diag.Diagnostic) {
	a := args[0]
	n, m := len(a.Rows), a.Cols()
	if n < m {
		return Array{}, diag.Errorf(diag.SizesDiffer, diag.Span{},
			"qr needs at least as many rows as columns, and this matrix is %d × %d", n, m)
	}
	if d := room(2 * (n + m) * m); d != nil {
		return Array{}, d
	}
	if !finite(a) {
		return undefined(n+m, m), nil
	}
	data := make([]float64, (n+m)*m)
	if m == 0 {
		return Matrix(n+m, data), nil
	}
	q := general(n, m, data[:n*m])
	copy(q.Data, a.data())
	tau, work := make([]float64, m), make([]float64, 64*max(n, m))
	lapack64.Geqrf(q, tau, work, len(work))
	r := data[n*m:]
	for i := range m {
		copy(r[i*m+i:(i+1)*m], q.Data[i*m+i:(i+1)*m])
	}
	lapack64.Orgqr(q, tau, work, len(work))
	for i := range m {
		pivot := r[i*m+i]
		if !(math.Abs(pivot) > 1e-14*blas64.Nrm2(blas64.Vector{N: n, Inc: m, Data: a.Copy()[i:]})) {
			return Array{}, singular(
				"the columns of the matrix are dependent: column %d is a combination of those "+
					"before it",
				i,
			)
		}
		if pivot < 0 {
			blas64.Scal(-1, blas64.Vector{N: m - i, Inc: 1, Data: r[i*m+i:]})
			blas64.Scal(-1, blas64.Vector{N: n, Inc: m, Data: q.Data[i:]})
		}
	}
	return Matrix(n+m, data), nil
}

// Leading returns the index of the element of an eigenvector that is made positive: the first
// that is not much smaller than the largest one. Elements that are equal by the symmetry of a
// problem are then not a tie.
func Leading(size func(i int) float64, n int) int {
	most := 0.0
	for i := range n {
		most = max(most, size(i))
	}
	for i := range n {
		if size(i)*1.3717421 >= most {
			return i
		}
	}
	return 0
}

// EigSym returns the eigenvalues of a symmetric matrix in ascending order, as a row, and then its
// eigenvectors, one per row. Only the lower triangle of the matrix is read.
func EigSym(room Room, args []Array) (Array, *diag.Diagnostic) {
	a := args[0]
	if d := square("eigSym", a); d != nil {
		return Array{}, d
	}
	n := len(a.Rows)
	if d := room(2 * (n + 1) * n); d != nil {
		return Array{}, d
	}
	if !finite(lower(a)) {
		return undefined(n+1, n), nil
	}
	data := make([]float64, (n+1)*n)
	if n == 0 {
		return Matrix(1, data), nil
	}
	v := a.Copy()
	work := make([]float64, 1)
	symmetric := blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: v}
	lapack64.Syev(lapack.EVCompute, symmetric, data[:n], work, -1)
	work = make([]float64, int(work[0]))
	if !lapack64.Syev(lapack.EVCompute, symmetric, data[:n], work, len(work)) {
		return Array{}, singular("the eigenvalues were not found: the iteration does not converge")
	}
	for k := range n {
		row := data[(k+1)*n : (k+2)*n]
		for i := range n {
			row[i] = v[i*n+k]
		}
		if row[Leading(func(i int) float64 { return math.Abs(row[i]) }, n)] < 0 {
			blas64.Scal(-1, blas64.Vector{N: n, Inc: 1, Data: row})
		}
	}
	return Matrix(n+1, data), nil
}

// Svd returns the rows of u, a row of the singular values in descending order, and the rows of v,
// where a = u (diagonal s) vᵀ and the columns of u and v are orthonormal.
func Svd(room Room, args []Array) (Array, *diag.Diagnostic) {
	a := args[0]
	n, m := len(a.Rows), a.Cols()
	if n < m {
		return Array{}, diag.Errorf(diag.SizesDiffer, diag.Span{},
			"svd needs at least as many rows as columns, and this matrix is %d × %d", n, m).
			WithHint("take that of the transpose, and exchange u and v")
	}
	if d := room(3 * (n + 1 + m) * m); d != nil {
		return Array{}, d
	}
	if !finite(a) {
		return undefined(n+1+m, m), nil
	}
	data := make([]float64, (n+1+m)*m)
	if m == 0 {
		return Matrix(n+1+m, data), nil
	}
	u, vt := general(n, m, data[:n*m]), general(m, m, make([]float64, m*m))
	s, work := data[n*m:(n+1)*m], make([]float64, 1)
	given := general(n, m, a.Copy())
	lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, given, u, vt, s, work, -1)
	work = make([]float64, int(work[0]))
	if !lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, given, u, vt, s, work, len(work)) {
		return Array{}, singular(
			"the singular values were not found: the iteration does not converge",
		)
	}
	v := data[(n+1)*m:]
	for k := range m {
		row := vt.Data[k*m : (k+1)*m]
		if row[Leading(func(i int) float64 { return math.Abs(row[i]) }, m)] < 0 {
			blas64.Scal(-1, blas64.Vector{N: m, Inc: 1, Data: row})
			blas64.Scal(-1, blas64.Vector{N: n, Inc: m, Data: u.Data[k:]})
		}
		for i, x := range row {
			v[i*m+k] = x
		}
	}
	return Matrix(n+1+m, data), nil
}
