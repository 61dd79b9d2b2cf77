package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// approximants lists degrees of Padé's approximants of e^a, each with the greatest norm of a for
// which its backward error is below the roundoff of doubles (Higham, "The scaling and squaring
// method for the matrix exponential revisited", 2005, table 2.3).
var approximants = []struct {
	degree int
	norm   float64
}{{3, 1.495585217958292e-2}, {5, 2.539398330063230e-1}, {7, 9.504178996162932e-1},
	{9, 2.097847961257068}, {13, 5.371920351148152}}

// Expm returns the exponential of a matrix.
func Expm(room Room, args []Array) (Array, *diag.Diagnostic) {
	a := args[0]
	if d := square("expm", a); d != nil {
		return Array{}, d
	}
	n := len(a.Rows)
	if d := room(10 * n * n); d != nil {
		return Array{}, d
	}
	if !finite(a) {
		return undefined(n, n), nil
	}
	if n == 0 {
		return Matrix(0, nil), nil
	}
	x := general(n, n, a.Copy())
	norm := lapack64.Lange(lapack.MaxColumnSum, x, make([]float64, n))
	degree, squarings := 0, 0
	for _, approximant := range approximants {
		if degree = approximant.degree; norm <= approximant.norm {
			break
		}
	}
	if highest := approximants[len(approximants)-1].norm; norm > highest {
		_, squarings = math.Frexp(norm / highest)
		for i := range x.Data {
			x.Data[i] = math.Ldexp(x.Data[i], -squarings)
		}
	}
	x = pade(x, degree)
	for range squarings {
		x = times(x, x)
	}
	return Matrix(n, x.Data), nil
}

// pade returns Padé's approximant of e^a: p(a) / p(-a) for a polynomial p of that degree, 3 to
// 13.
func pade(a blas64.General, degree int) blas64.General {
	var p [15]float64
	p[0] = 1
	for k := 1; k <= degree; k++ {
		p[k] = p[k-1] * float64(degree-k+1) / float64(k*(2*degree-k+1))
	}
	n := a.Rows
	powers := []blas64.General{general(n, n, make([]float64, n*n))} // of a²
	for i := range n {
		powers[0].Data[i*n+i] = 1
	}
	for len(powers) <= min(degree/2, 3) {
		if len(powers) == 1 {
			powers = append(powers, times(a, a))
		} else {
			powers = append(powers, times(powers[1], powers[len(powers)-1]))
		}
	}
	sum := func(p []float64, powers []blas64.General) blas64.General {
		s := general(n, n, make([]float64, n*n))
		for k, power := range powers {
			blas64.Implementation().Daxpy(n*n, p[2*k], power.Data, 1, s.Data, 1)
		}
		return s
	}
	half := func(p []float64) blas64.General { // p[0] + p[2] a² + p[4] a⁴ + …
		s := sum(p, powers)
		if degree > 7 {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, powers[3], sum(p[8:], powers[1:]), 1, s)
		}
		return s
	}
	even, odd := half(p[:]), times(a, half(p[1:]))
	for i, x := range odd.Data {
		even.Data[i], odd.Data[i] = even.Data[i]-x, even.Data[i]+x
	}
	pivots := make([]int, n)
	lapack64.Getrf(even, pivots) // p(-a) is well conditioned at these norms
	lapack64.Getrs(blas.NoTrans, even, odd, pivots)
	return odd
}

// times returns the product of two square matrices.
func times(a, b blas64.General) blas64.General {
	c := general(a.Rows, a.Rows, make([]float64, a.Rows*a.Rows))
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
	return c
}
