package linalg

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// EigenBasis returns the real and the imaginary parts of the eigenvalues of a square matrix, and a
// real matrix of its eigenvectors, one in each column. A conjugate pair of eigenvalues stands
// together, and its two columns are the real and the imaginary part of one vector. The columns may
// depend on one another. ok is false if the matrix is not finite or the iteration does not
// converge.
func EigenBasis(rows [][]float64) (re, im []float64, vectors [][]float64, ok bool) {
	n := len(rows)
	a := Array{Rank: 2, Rows: rows}
	if n == 0 || !finite(a) {
		return nil, nil, nil, false
	}
	re, im = make([]float64, n), make([]float64, n)
	v := general(n, n, make([]float64, n*n))
	none := blas64.General{Stride: 1}
	work := make([]float64, 1)
	solve := func(lwork int) int {
		return lapack64.Geev(lapack.LeftEVNone, lapack.RightEVCompute,
			general(n, n, a.Copy()), re, im, none, v, work, lwork)
	}
	solve(-1)
	work = make([]float64, int(work[0]))
	if first := solve(len(work)); first != 0 {
		return nil, nil, nil, false
	}
	return re, im, Matrix(n, v.Data).Rows, true
}
