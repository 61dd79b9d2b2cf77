// Package linalg evaluates linear algebra on doubles. It takes arrays of reals as the interpreter
// has them, one slice per row, and returns arrays whose rows lie one after the other. gonum's
// BLAS and LAPACK do the work. The package knows neither programs nor derivatives: those are
// columns of the table of primitives.
package linalg

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Array is a real, a vector or a matrix. Its elements must not be modified.
type Array struct {
	Rank int         // 0, 1 or 2
	Rows [][]float64 // those of a matrix; otherwise all there is, as one row
}

// Room reports whether there is memory for a number of reals, which an operation is about to
// take, by an error that says why there is not.
type Room func(reals int) *diag.Diagnostic

// Unlimited reports that there is room for any number of reals.
func Unlimited(int) *diag.Diagnostic { return nil }

// Real returns a number as an array.
func Real(x float64) Array { return Array{0, [][]float64{{x}}} }

// Vector returns an array of one dimension.
func Vector(xs []float64) Array { return Array{1, [][]float64{xs}} }

// Matrix returns the matrix of n rows whose elements are data.
func Matrix(n int, data []float64) Array {
	rows := make([][]float64, n)
	m := 0
	if n > 0 {
		m = len(data) / n
	}
	for i := range rows {
		rows[i] = data[i*m : (i+1)*m]
	}
	return Array{2, rows}
}

// Cols returns the length of the rows, or 0 if there are none.
func (a Array) Cols() int {
	if len(a.Rows) == 0 {
		return 0
	}
	return len(a.Rows[0])
}

// Len returns the number of elements.
func (a Array) Len() int { return len(a.Rows) * a.Cols() }

// Copy returns the elements of a in a new slice, row after row.
func (a Array) Copy() []float64 {
	data := make([]float64, 0, len(a.Rows)*a.Cols())
	for _, row := range a.Rows {
		data = append(data, row...)
	}
	return data
}

// data returns the elements of a row after row. It returns those of a itself if its rows follow
// one another in memory.
func (a Array) data() []float64 {
	n, m := len(a.Rows), a.Cols()
	if n == 0 || m == 0 {
		return nil
	}
	first := a.Rows[0]
	if cap(first) < n*m {
		return a.Copy()
	}
	all := first[:n*m]
	for i, row := range a.Rows {
		if &row[0] != &all[i*m] {
			return a.Copy()
		}
	}
	return all
}

// Regular checks that the rows of each matrix have one length.
func Regular(args []Array) *diag.Diagnostic {
	for _, a := range args {
		for i, row := range a.Rows {
			if len(row) != len(a.Rows[0]) {
				return diag.Errorf(
					diag.SizesDiffer,
					diag.Span{},
					"the rows should have one length, but row 0 has %d and row %d has %d",
					len(a.Rows[0]),
					i,
					len(row),
				)
			}
		}
	}
	return nil
}

// shapes returns the failure of an operation on matrices whose shapes do not fit.
func shapes(what string, a, b Array) *diag.Diagnostic {
	return diag.Errorf(
		diag.SizesDiffer,
		diag.Span{},
		"%s: the shapes %d × %d and %d × %d do not fit",
		what,
		len(a.Rows),
		a.Cols(),
		len(b.Rows),
		b.Cols(),
	)
}

// square checks that a matrix has as many columns as rows.
func square(what string, a Array) *diag.Diagnostic {
	if len(a.Rows) == a.Cols() {
		return nil
	}
	return diag.Errorf(
		diag.SizesDiffer,
		diag.Span{},
		"%s needs a square matrix, and this one is %d × %d",
		what,
		len(a.Rows),
		a.Cols(),
	)
}

// finite reports whether every element is a number: LAPACK is not defined otherwise.
func finite(arrays ...Array) bool {
	for _, a := range arrays {
		for _, row := range a.Rows {
			for _, x := range row {
				if math.IsNaN(x - x) {
					return false
				}
			}
		}
	}
	return true
}

// lower returns the lower triangle of a square matrix, whose rows have different lengths.
func lower(a Array) Array {
	triangle := Array{2, make([][]float64, len(a.Rows))}
	for i, row := range a.Rows {
		triangle.Rows[i] = row[:i+1]
	}
	return triangle
}

// undefined returns a matrix with no known element.
func undefined(rows, cols int) Array {
	data := make([]float64, rows*cols)
	for i := range data {
		data[i] = math.NaN()
	}
	return Matrix(rows, data)
}
