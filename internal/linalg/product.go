package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// MatMul returns a b.
func MatMul(room Room, args []Array) (Array, *diag.Diagnostic) {
	return product(room, args[0], args[1], blas.NoTrans, blas.NoTrans)
}

// MatMulTN returns aᵀ b.
func MatMulTN(room Room, args []Array) (Array, *diag.Diagnostic) {
	return product(room, args[0], args[1], blas.Trans, blas.NoTrans)
}

// MatMulNT returns a bᵀ.
func MatMulNT(room Room, args []Array) (Array, *diag.Diagnostic) {
	return product(room, args[0], args[1], blas.NoTrans, blas.Trans)
}

func product(room Room, a, b Array, ta, tb blas.Transpose) (Array, *diag.Diagnostic) {
	n, k := len(a.Rows), a.Cols()
	if ta == blas.Trans {
		n, k = k, n
	}
	l, m := len(b.Rows), b.Cols()
	if tb == blas.Trans {
		l, m = m, l
	}
	if k != l && len(a.Rows) > 0 && len(b.Rows) > 0 {
		return Array{}, shapes("the product of matrices", a, b)
	}
	if d := room(n * m); d != nil {
		return Array{}, d
	}
	c := make([]float64, n*m)
	if len(c) > 0 && k > 0 {
		blas64.Implementation().Dgemm(
			ta,
			tb,
			n,
			m,
			k,
			1,
			a.data(),
			a.Cols(),
			b.data(),
			b.Cols(),
			0,
			c,
			m,
		)
	}
	return Matrix(n, c), nil
}

// MatVec returns a x.
func MatVec(room Room, args []Array) (Array, *diag.Diagnostic) {
	a, x := args[0], args[1].Rows[0]
	if len(a.Rows) > 0 && a.Cols() != len(x) {
		return Array{}, shapes("a matrix times a vector", a, Array{2, [][]float64{x}})
	}
	if d := room(len(a.Rows)); d != nil {
		return Array{}, d
	}
	y := make([]float64, len(a.Rows))
	for i, row := range a.Rows {
		y[i] = blas64.Implementation().Ddot(len(x), row, 1, x, 1)
	}
	return Vector(y), nil
}

// VecMat returns xᵀ a.
func VecMat(room Room, args []Array) (Array, *diag.Diagnostic) {
	x, a := args[0].Rows[0], args[1]
	if len(a.Rows) != len(x) {
		return Array{}, shapes("a vector times a matrix", Array{2, [][]float64{x}}, a)
	}
	if d := room(a.Cols()); d != nil {
		return Array{}, d
	}
	y := make([]float64, a.Cols())
	for i, row := range a.Rows {
		blas64.Implementation().Daxpy(len(y), x[i], row, 1, y, 1)
	}
	return Vector(y), nil
}

// Outer returns x yᵀ.
func Outer(room Room, args []Array) (Array, *diag.Diagnostic) {
	x, y := args[0].Rows[0], args[1].Rows[0]
	if d := room(len(x) * len(y)); d != nil {
		return Array{}, d
	}
	c := make([]float64, 0, len(x)*len(y))
	for _, u := range x {
		for _, v := range y {
			c = append(c, u*v)
		}
	}
	return Matrix(len(x), c), nil
}
