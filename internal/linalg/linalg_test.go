package linalg

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// integers returns a matrix of small integers, whose products are exact in doubles. Its rows do not
// follow one another in memory if apart is true.
func integers(r *rand.Rand, rows, cols int, apart bool) Array {
	a := Array{Rank: 2, Rows: make([][]float64, rows)}
	data := make([]float64, rows*cols)
	for i := range a.Rows {
		if a.Rows[i] = data[i*cols : (i+1)*cols : (i+1)*cols]; apart {
			a.Rows[i] = make([]float64, cols)
		}
		for j := range a.Rows[i] {
			a.Rows[i][j] = float64(r.IntN(19) - 9)
		}
	}
	return a
}

// multiply returns the product of two matrices by its definition.
func multiply(a, b [][]float64) [][]float64 {
	c := make([][]float64, len(a))
	for i := range a {
		c[i] = make([]float64, len(b[0]))
		for j := range c[i] {
			for k := range b {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

func transpose(a [][]float64) [][]float64 {
	t := make([][]float64, len(a[0]))
	for j := range t {
		for i := range a {
			t[j] = append(t[j], a[i][j])
		}
	}
	return t
}

// diagonal returns a square matrix with zeros beside the diagonal.
func diagonal(xs []float64) [][]float64 {
	d := make([][]float64, len(xs))
	for i, x := range xs {
		d[i] = make([]float64, len(xs))
		d[i][i] = x
	}
	return d
}

// same checks that matrices agree up to a tolerance.
func same(t *testing.T, what string, got, want [][]float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i := range got {
		if len(got[i]) != len(want[i]) {
			t.Fatalf("%s: row %d has %d columns, want %d", what, i, len(got[i]), len(want[i]))
		}
		for j, x := range got[i] {
			if !(math.Abs(x-want[i][j]) <= tolerance) {
				t.Errorf("%s: element (%d, %d) is %v, want %v", what, i, j, x, want[i][j])
			}
		}
	}
}

// run applies an operation that must not fail.
func run(
	t *testing.T, op func(Room, []Array) (Array, *diag.Diagnostic), args ...Array,
) [][]float64 {
	t.Helper()
	a, d := op(Unlimited, args)
	if d != nil {
		t.Fatal(d)
	}
	return a.Rows
}

// TestProducts compares products with their definition, exactly, for rows that follow one another
// in memory and for rows that do not.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, apart := range []bool{false, true} {
		for range 20 {
			n, k, m := 1+r.IntN(6), 1+r.IntN(6), 1+r.IntN(6)
			a, b := integers(r, n, k, apart), integers(r, k, m, apart)
			x := integers(r, 1, k, false)
			ta, tb := Array{2, transpose(a.Rows)}, Array{2, transpose(b.Rows)}
			want := multiply(a.Rows, b.Rows)
			same(t, "a b", run(t, MatMul, a, b), want, 0)
			same(t, "aᵀ b", run(t, MatMulTN, ta, b), want, 0)
			same(t, "a bᵀ", run(t, MatMulNT, a, tb), want, 0)
			column := transpose(x.Rows)
			same(t, "a x", transpose(run(t, MatVec, a, Vector(x.Rows[0]))), multiply(a.Rows, column), 0)
			same(t, "xᵀ b", run(t, VecMat, Vector(x.Rows[0]), b), multiply(x.Rows, b.Rows), 0)
			outer := run(t, Outer, Vector(x.Rows[0]), Vector(a.Rows[0]))
			same(t, "x yᵀ", outer, multiply(column, a.Rows[:1]), 0)
		}
	}
}

// TestSolutions: systems with integer solutions have those, and determinants of triangles are the
// products of their diagonals, whatever rows are added to one another.
func TestSolutions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 7; n++ {
		lower, upper := integers(r, n, n, n%2 == 0), integers(r, n, n, n%2 == 1)
		det := 1.
		for i := range n {
			lower.Rows[i][i] = 1
			upper.Rows[i][i] = float64(1 + r.IntN(5))
			det *= upper.Rows[i][i]
			for j := range n {
				if j > i {
					lower.Rows[i][j] = 0
				} else if j < i {
					upper.Rows[i][j] = 0
				}
			}
		}
		x := integers(r, n, 3, false)
		same(t, "l x = b", run(t, SolveLower, lower, Array{2, multiply(lower.Rows, x.Rows)}), x.Rows, 1e-6)
		same(t, "u x = b", run(t, SolveUpper, upper, Array{2, multiply(upper.Rows, x.Rows)}), x.Rows, 1e-6)
		a := Array{2, multiply(lower.Rows, upper.Rows)}
		same(t, "a x = b", run(t, Solve, a, Array{2, multiply(a.Rows, x.Rows)}), x.Rows, 1e-4)
		if got := run(t, Det, a)[0][0]; math.Abs(got-det) > 1e-7*det {
			t.Errorf("the determinant is %v, want %v", got, det)
		}
		swapped := Array{2, append(append([][]float64{}, a.Rows[1:]...), a.Rows[0])} // a cycle of n rows
		sign := math.Copysign(1, float64(n%2*2-1))
		if got := run(t, Det, swapped)[0][0]; math.Abs(got-sign*det) > 1e-7*det {
			t.Errorf("the determinant of %d rows in another order is %v, want %v", n, got, sign*det)
		}
	}
}

// TestFactors: the factors of a matrix are of the form that they should be, and their product is
// the matrix.
func TestFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		m := 1 + r.IntN(5)
		n := m + r.IntN(3)
		a := integers(r, n, m, r.IntN(2) == 0)
		one := diagonal(make([]float64, m))
		for i := range one {
			one[i][i] = 1
		}

		qr := run(t, Qr, a)
		q, upper := qr[:n], qr[n:]
		same(t, "q r", multiply(q, upper), a.Rows, 1e-12)
		same(t, "qᵀ q", multiply(transpose(q), q), one, 1e-13)
		for i, row := range upper {
			for j, x := range row {
				if j < i && x != 0 || j == i && !(x > 0) {
					t.Errorf("element (%d, %d) of r is %v", i, j, x)
				}
			}
		}

		usv := run(t, Svd, a)
		u, s, v := usv[:n], usv[n], usv[n+1:]
		same(t, "u s vᵀ", multiply(multiply(u, diagonal(s)), transpose(v)), a.Rows, 1e-12)
		same(t, "uᵀ u", multiply(transpose(u), u), one, 1e-13)
		same(t, "vᵀ v", multiply(transpose(v), v), one, 1e-13)
		for i, x := range s {
			if x < 0 || i > 0 && x > s[i-1] {
				t.Errorf("singular values are %v", s)
			}
		}

		square := Array{2, multiply(transpose(a.Rows), a.Rows)} // symmetric, positive definite
		lu := run(t, Lu, square)
		l, w, order := diagonal(one[0]), diagonal(one[0]), lu[m]
		permuted := make([][]float64, m)
		for i := range m {
			l[i] = append([]float64{}, lu[i]...)
			w[i] = append([]float64{}, lu[i]...)
			permuted[i] = square.Rows[int(order[i])]
			for j := range m {
				switch {
				case j > i:
					l[i][j] = 0
				case j == i:
					l[i][j] = 1
				default:
					w[i][j] = 0
				}
			}
		}
		same(t, "l u", multiply(l, w), permuted, 1e-10)

		for i := range m { // what is above the diagonal is not read
			for j := i + 1; j < m; j++ {
				square.Rows[i][j] = math.NaN()
			}
		}
		c := run(t, Cholesky, square)
		product := multiply(c, transpose(c))
		eigen := run(t, EigSym, square)
		values, vectors := eigen[0], eigen[1:]
		again := multiply(multiply(transpose(vectors), diagonal(values)), vectors)
		for i := range m {
			for j := i + 1; j < m; j++ {
				square.Rows[i][j] = square.Rows[j][i]
				if c[i][j] != 0 {
					t.Errorf("element (%d, %d) of l is %v", i, j, c[i][j])
				}
			}
			if i > 0 && values[i] < values[i-1] {
				t.Errorf("eigenvalues are %v", values)
			}
			leading := Leading(func(k int) float64 { return math.Abs(vectors[i][k]) }, m)
			if !(vectors[i][leading] > 0) {
				t.Errorf("the sign of the eigenvector %v", vectors[i])
			}
		}
		same(t, "l lᵀ", product, square.Rows, 1e-10)
		same(t, "vᵀ λ v", again, square.Rows, 1e-10)
		same(t, "v vᵀ", multiply(vectors, transpose(vectors)), one, 1e-13)
	}
}

// TestFailures: shapes that do not fit and matrices that are singular are errors, matrices with
// something that is no number are undefined, and there may be no room.
func TestFailures(t *testing.T) {
	two, wide := Matrix(2, []float64{1, 2, 2, 4}), Matrix(1, []float64{1, 2})
	flat := Matrix(2, []float64{0, 0, 0, 0})
	for name, c := range map[string]struct {
		op   func(Room, []Array) (Array, *diag.Diagnostic)
		args []Array
		want diag.Code
	}{
		"product of shapes":      {MatMul, []Array{wide, wide}, diag.SizesDiffer},
		"matrix and vector":      {MatVec, []Array{two, Vector([]float64{1})}, diag.SizesDiffer},
		"vector and matrix":      {VecMat, []Array{Vector([]float64{1}), two}, diag.SizesDiffer},
		"wide system":            {Solve, []Array{wide, wide}, diag.SizesDiffer},
		"system and right side":  {Solve, []Array{two, wide}, diag.SizesDiffer},
		"singular system":        {Solve, []Array{two, two}, diag.BadMatrix},
		"singular lu":            {Lu, []Array{flat}, diag.BadMatrix},
		"singular triangle":      {SolveLower, []Array{flat, two}, diag.BadMatrix},
		"triangle and right":     {SolveUpper, []Array{two, wide}, diag.SizesDiffer},
		"wide det":               {Det, []Array{wide}, diag.SizesDiffer},
		"wide qr":                {Qr, []Array{wide}, diag.SizesDiffer},
		"dependent columns":      {Qr, []Array{two}, diag.BadMatrix},
		"wide svd":               {Svd, []Array{wide}, diag.SizesDiffer},
		"wide eigSym":            {EigSym, []Array{wide}, diag.SizesDiffer},
		"not positive definite":  {Cholesky, []Array{two}, diag.BadMatrix},
		"wide cholesky":          {Cholesky, []Array{wide}, diag.SizesDiffer},
		"nearly singular system": {Solve, []Array{Matrix(2, []float64{1, 1, 1, 1 + 0x1p-52}), two}, diag.BadMatrix},
	} {
		if a, d := c.op(Unlimited, c.args); d == nil || d.Code != c.want {
			t.Errorf("%s: %v, %v, want the code %v", name, a, d, c.want)
		}
	}
	nan := Matrix(2, []float64{1, 0, math.NaN(), 1})
	full := diag.Errorf(diag.MemoryLimit, diag.Span{}, "there is no room")
	for name, op := range map[string]func(Room, []Array) (Array, *diag.Diagnostic){
		"solve": Solve, "lu": Lu, "qr": Qr, "svd": Svd, "eigSym": EigSym, "cholesky": Cholesky, "expm": Expm,
	} {
		a, d := op(Unlimited, []Array{nan, nan})
		if d != nil || a.Len() == 0 || !math.IsNaN(a.Rows[0][0]) {
			t.Errorf("%s of a NaN is %v, %v", name, a, d)
		}
		refuse := func(reals int) *diag.Diagnostic {
			if reals < 4 {
				t.Errorf("%s asks for %d reals", name, reals)
			}
			return full
		}
		if _, d := op(refuse, []Array{two, two}); !errors.Is(d, full) {
			t.Errorf("%s without room: %v", name, d)
		}
		if a, d := op(Unlimited, []Array{Matrix(0, nil), Matrix(0, nil)}); d != nil || a.Len() != 0 {
			t.Errorf("%s of nothing is %v, %v", name, a, d)
		}
	}
	ragged := Array{2, [][]float64{{1, 2}, {3}}}
	if d := Regular([]Array{two, ragged}); d == nil || d.Code != diag.SizesDiffer {
		t.Errorf("rows of two lengths: %v", d)
	}
	if d := Regular([]Array{two, wide, Real(1)}); d != nil {
		t.Errorf("rows of one length: %v", d)
	}
}

// TestFirstPivot: the pivot that refuses a matrix is that of exact arithmetic.
func TestFirstPivot(t *testing.T) {
	a := Matrix(3, []float64{4, 0, 0, 2, 1, 0, 0, 3, 1}) // the second pivot is 1 - 1
	got, d := CholeskyPivot(Unlimited, []Array{a})
	if d != nil || got.Rows[0][0] != 0 || got.Rows[0][1] != 1 {
		t.Errorf("%v, %v", got, d)
	}
}
