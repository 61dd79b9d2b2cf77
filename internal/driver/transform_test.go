package driver

import (
	"fmt"
	"math"
	"testing"
)

// TestTransforms compares `fft` with the sum that defines it, for lengths of every kind, its
// inverse with the identity, and its pullback with the transform itself, of which it is the
// conjugate.
func TestTransforms(t *testing.T) {
	t.Parallel()
	const module = `let zs = [(sin (3 * real i + 1), cos (real (i * i))) for i < %d] in
 let n = length zs in
 let w k = (cos (2 * pi * real (mod k n) / real n), -(sin (2 * pi * real (mod k n) / real n))) in
 let naive = [fold (fun (s : (Real, Real)) j => s + fft.multiply zs[j] (w (j * k))) (0, 0) (iota n) for k < n] in
 let distance (u v : [](Real, Real)) = norm (flatten u - flatten v) in
 let back = vjp fft.forward zs zs in
 let conjugate us = [(u[0], -u[1]) for u in us] in
 distance (fft.forward zs) naive + distance (fft.inverse (fft.forward zs)) zs
   + distance back (conjugate (fft.forward (conjugate zs)))`
	var exprs []string
	for _, n := range []int{1, 2, 3, 5, 7, 8, 12, 16, 31} {
		exprs = append(exprs, fmt.Sprintf(module, n))
	}
	for k, d := range realsOf(t, exprs) {
		if !(d < 1e-12) {
			t.Errorf("off by %v: %s", d, exprs[k])
		}
	}
}

// TestPolynomials checks roots and quotients by multiplying out, and derivatives of roots by the
// implicit function theorem.
func TestPolynomials(t *testing.T) {
	t.Parallel()
	exprs := []string{
		"norm (poly.realRoots (-9) 9 (poly.fromRoots [-3.5, -1, 0.25, 2, 7]) - [-3.5, -1, 0.25, 2, 7])",
		"let (q, r) = poly.div [3, 1, 4, 1, 5] [2, 7, 1] in norm (poly.add (poly.mul q [2, 7, 1]) r - [3, 1, 4, 1, 5])",
		"norm (poly.mul [1, 2, 3] [4, 5] - fft.convolve [1, 2, 3] [4, 5])",
		"norm (flatten (map (poly.evalComplex [3, 1, 4, 1, 5]) (poly.roots [3, 1, 4, 1, 5])))",
		"norm (map (poly.eval (poly.interpolate [0, 1, 3, 4] [2, -1, 5, 0])) [0, 1, 3, 4] - [2, -1, 5, 0])",
		"norm (poly.fit 2 [0, 1, 2, 3] (map (poly.eval [1, -2, 3]) [0, 1, 2, 3]) - [1, -2, 3])",
		// the root 2 of x² + b x + 2 at b = -3 moves by -x / (2 x + b)
		"deriv (fun b => (poly.realRoots 0 9 [2, b, 1])[1]) (-3) + 2",
	}
	for k, d := range realsOf(t, exprs) {
		if !(math.Abs(d) < 1e-11) {
			t.Errorf("%s is %v", exprs[k], d)
		}
	}
}
