package linalg

import (
	"math"
	"testing"
)

// TestEigenBasis: the vectors of real eigenvalues are eigenvectors, and a rotation has a pair.
func TestEigenBasis(t *testing.T) {
	a := [][]float64{{-1000, 999, 0}, {1, -2, 0}, {0, 3, 5}}
	re, im, v, ok := EigenBasis(a)
	if !ok {
		t.Fatal("no basis")
	}
	for k := range a {
		if im[k] != 0 {
			t.Fatalf("eigenvalue %d has the imaginary part %v", k, im[k])
		}
		for i := range a {
			sum := -re[k] * v[i][k]
			for j := range a {
				sum += a[i][j] * v[j][k]
			}
			if math.Abs(sum) > 1e-10 {
				t.Errorf("eigenvector %d: %v is left in row %d", k, sum, i)
			}
		}
	}
	re, im, _, ok = EigenBasis([][]float64{{-1, 2}, {-2, -1}})
	if !ok || im[0] != -im[1] ||
		math.Abs(re[0]+1)+math.Abs(math.Abs(im[0])-2) > 1e-14 {
		t.Errorf("a turn: %v + i %v", re, im)
	}
	if _, _, _, ok := EigenBasis([][]float64{{math.NaN()}}); ok {
		t.Error("NaN has a basis")
	}
}
