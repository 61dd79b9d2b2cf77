package solve

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// polynomial has exact coefficients, lowest first.
type polynomial []*big.Rat

func (p polynomial) at(x *big.Rat) *big.Rat {
	y := new(big.Rat)
	for i := len(p) - 1; i >= 0; i-- {
		y.Mul(y, x).Add(y, p[i])
	}
	return y
}

// float returns the value rounded to a double, by evaluating exactly.
func (p polynomial) float(x float64) float64 {
	y, _ := p.at(new(big.Rat).SetFloat64(x)).Float64()
	return y
}

func (p polynomial) antiderivative() polynomial {
	q := polynomial{new(big.Rat)}
	for i, c := range p {
		q = append(q, new(big.Rat).Quo(c, big.NewRat(int64(i+1), 1)))
	}
	return q
}

func (p polynomial) derivative() polynomial {
	q := polynomial{}
	for i := 1; i < len(p); i++ {
		q = append(q, new(big.Rat).Mul(p[i], big.NewRat(int64(i), 1)))
	}
	return q
}

// withRoots returns the product of (x - root).
func withRoots(roots []*big.Rat) polynomial {
	p := polynomial{big.NewRat(1, 1)}
	for _, root := range roots {
		q := make(polynomial, len(p)+1)
		for i := range q {
			q[i] = new(big.Rat)
			if i > 0 {
				q[i].Add(q[i], p[i-1])
			}
			if i < len(p) {
				q[i].Sub(q[i], new(big.Rat).Mul(root, p[i]))
			}
		}
		p = q
	}
	return p
}

func drawPolynomial(t *rapid.T, degree int) polynomial {
	p := polynomial{}
	for range rapid.IntRange(1, degree+1).Draw(t, "terms") {
		p = append(p, big.NewRat(rapid.Int64Range(-1000, 1000).Draw(t, "coefficient"), rapid.Int64Range(1, 50).Draw(t, "denominator")))
	}
	return p
}

// TestIntegratePolynomials compares with exact antiderivatives.
func TestIntegratePolynomials(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawPolynomial(t, 12)
		a := rapid.Float64Range(-3, 3).Draw(t, "a")
		b := rapid.Float64Range(-3, 3).Draw(t, "b")
		e, err := Integrate(func(x float64) (float64, error) { return p.float(x), nil }, a, b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if a == b {
			return
		}
		q := p.antiderivative()
		exact := new(big.Rat).Sub(q.at(new(big.Rat).SetFloat64(b)), q.at(new(big.Rat).SetFloat64(a)))
		want, _ := exact.Float64()
		if off := math.Abs(e.Value - want); off > e.Error+ulp(want) {
			t.Errorf("off by %g ± %g", off, e.Error)
		}
		if e.Evals > 400 {
			t.Errorf("%d evaluations", e.Evals)
		}
	})
}

// TestIntegrateRough measures how far the stated uncertainty can be relied on:
// integrals of sums of c·|x-k|^p, with steps, kinks and singularities at the
// ends or anywhere far enough from them to be seen. An estimate of an error is
// no bound; it falls short in less than one of a thousand of these, and never
// by more than a factor of 4.
func TestIntegrateRough(t *testing.T) {
	type term struct{ c, k, p float64 }
	exponents := []float64{-0.6, -0.25, 0, 0.5, 1, 1.5, 2, 3}
	r := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	failures, short, hit, evals := 0, 0, 0, 0
	for range trials {
		a, b := -2*r.Float64(), 0.1+2*r.Float64()
		var terms []term
		want, size := 0.0, 0.0
		for range 1 + r.IntN(5) {
			s := term{c: 20*r.Float64() - 10, p: exponents[r.IntN(len(exponents))]}
			switch r.IntN(4) {
			case 0:
				s.k = a
			case 1:
				s.k = b
			default:
				s.k = a + (b-a)*(0.04+0.92*r.Float64())
			}
			terms = append(terms, s)
			left, right := math.Pow(s.k-a, s.p+1)/(s.p+1), math.Pow(b-s.k, s.p+1)/(s.p+1)
			if s.p == 0 { // a step
				left = -left
			}
			want += s.c * (left + right)
			size += math.Abs(s.c) * (math.Abs(left) + right)
		}
		e, err := Integrate(func(x float64) (float64, error) {
			y := 0.0
			for _, s := range terms {
				if s.p == 0 {
					y += math.Copysign(s.c, s.c*(x-s.k))
				} else {
					y += s.c * math.Pow(math.Abs(x-s.k), s.p)
				}
			}
			return y, nil
		}, a, b, Options{})
		evals += e.Evals
		var failure *NoConvergence
		switch {
		case errors.As(err, new(*BadValue)):
			hit++ // a singularity was hit
			continue
		case errors.As(err, &failure):
			failures++
			e = failure.Best
		case err != nil:
			t.Fatal(err)
		}
		off := math.Max(0, math.Abs(e.Value-want)-4*epsilon*size)
		if off > e.Error {
			short++
		}
		if off > 4*e.Error {
			t.Errorf("%v on [%v, %v]: %v, want %v: off by %g ± %g (%v)", terms, a, b, e.Value, want, off, e.Error, err)
		}
	}
	t.Logf("%d of %d fall short, %d do not converge, %d hit a singularity; %d evaluations each", short, trials, failures, hit, evals/trials)
	if short > trials/1000 {
		t.Errorf("%d of %d fall short", short, trials)
	}
}

// TestRootPolynomials: of a polynomial with known rational roots, evaluated
// exactly, the one between two neighbours' middles is found to the last bit.
func TestRootPolynomials(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		var roots []*big.Rat
		for range rapid.IntRange(1, 7).Draw(t, "roots") {
			roots = append(roots, big.NewRat(rapid.Int64Range(-1e6, 1e6).Draw(t, "numerator"), rapid.Int64Range(1, 1e6).Draw(t, "denominator")))
		}
		slices.SortFunc(roots, func(x, y *big.Rat) int { return x.Cmp(y) })
		p, dp := withRoots(roots), withRoots(roots).derivative()
		i := rapid.IntRange(0, len(roots)-1).Draw(t, "which")
		want, _ := roots[i].Float64()
		lo, hi := want-1, want+1
		if i > 0 {
			before, _ := roots[i-1].Float64()
			lo = before/2 + want/2
		}
		if i < len(roots)-1 {
			after, _ := roots[i+1].Float64()
			hi = after/2 + want/2
		}
		if math.Min(want-lo, hi-want) < 1e-9 {
			t.Skip("a multiple root")
		}
		f := func(x float64) (float64, error) { return p.float(x), nil }
		df := func(x float64) (float64, error) { return dp.float(x), nil }
		for _, df := range []Func{nil, df} {
			x, err := Root(f, df, lo, hi, Options{MaxEvals: 250})
			if err != nil {
				t.Fatal(err)
			}
			if away(x, want) > 1 {
				t.Errorf("%v, want %v", x, want)
			}
		}
	})
}

// TestFirstRootPolynomials: roots in [0, 1] that the grid can tell apart.
func TestFirstRootPolynomials(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		var roots []*big.Rat
		want := math.NaN()
		at := int64(0)
		for range rapid.IntRange(0, 5).Draw(t, "roots") {
			at += rapid.Int64Range(1e6/64, 1e6/2).Draw(t, "gap")
			root := big.NewRat(at, 1e6)
			roots = append(roots, root)
			if math.IsNaN(want) && at <= 1e6 {
				want, _ = root.Float64()
			}
		}
		p := withRoots(roots)
		x, err := FirstRoot(func(x float64) (float64, error) { return p.float(x), nil }, nil, Options{MaxEvals: 300})
		if math.IsNaN(want) {
			if !errors.As(err, new(*NoSignChange)) {
				t.Fatal(x, err)
			}
		} else if err != nil || away(x, want) > 1 {
			t.Fatal(x, err, want)
		}
	})
}

// TestMaximumPolynomials: the maximum is no lower than f anywhere else.
func TestMaximumPolynomials(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawPolynomial(t, 7)
		dp := p.derivative()
		a := rapid.Float64Range(-2, 1).Draw(t, "a")
		b := a + rapid.Float64Range(0.01, 3).Draw(t, "width")
		f := func(x float64) (float64, error) { return p.float(x), nil }
		df := func(x float64) (float64, error) { return dp.float(x), nil }
		with, err := Maximum(f, df, a, b, Options{MaxEvals: 2000})
		if err != nil && !errors.As(err, new(*Tie)) {
			t.Fatal(err)
		}
		if with.X < a || with.X > b {
			t.Errorf("%v is outside [%v, %v]", with.X, a, b)
		}
		size := 0.0
		for i := range 200 {
			x := math.Min(a+(b-a)*float64(i)/199, b) // a + (b - a) may be beyond b
			y := p.float(x)
			size = math.Max(size, math.Abs(y))
			if y > with.Value+4*epsilon*size {
				t.Errorf("%v at %v, but the maximum is said to be %v", y, x, with.Value)
			}
		}
		if slope := dp.float(with.X); err == nil && with.End == 0 && math.Abs(slope)*(b-a) > 1e-9*size {
			t.Errorf("the slope at %v is %v", with.X, slope)
		}
		without, err := Maximum(f, nil, a, b, Options{MaxEvals: 2000})
		if err != nil && !errors.As(err, new(*Tie)) {
			t.Fatal(err)
		}
		if math.Abs(with.Value-without.Value) > 8*epsilon*size {
			t.Errorf("%v with the derivative, %v without", with.Value, without.Value)
		}
		if err == nil && math.Abs(with.X-without.X) > with.XError+without.XError {
			t.Errorf("at %v ± %v with the derivative, at %v ± %v without", with.X, with.XError, without.X, without.XError)
		}
	})
}
