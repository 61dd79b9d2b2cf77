package rectangle

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interval"
)

// erf returns its Taylor series, for small arguments.
func erf(z complex128) complex128 {
	sum, term := z, z
	for n := 1.0; n < 120; n++ {
		term *= -z * z / complex(n, 0)
		sum += term / complex(2*n+1, 0)
	}
	return sum * complex(2/math.Sqrt(math.Pi), 0)
}

// references are the functions as they are elsewhere. Branches are those of the continuation from
// the part of the line in the rectangle.
var references = map[string]struct {
	rect  func(Rect) Rect
	point func(complex128) complex128
}{
	"sqr":   {Sqr, func(z complex128) complex128 { return z * z }},
	"recip": {Recip, func(z complex128) complex128 { return 1 / z }},
	"cube": {
		func(x Rect) Rect { return PowInt(x, 3) },
		func(z complex128) complex128 { return z * z * z },
	},
	"power -5": {func(x Rect) Rect { return PowInt(x, -5) }, func(z complex128) complex128 {
		return 1 / (z * z * z * z * z)
	}},
	"power 0.7": {
		func(x Rect) Rect { return Pow(x, Real(interval.Point(0.7))) },
		func(z complex128) complex128 { return cmplx.Pow(z, 0.7) },
	},
	"exp":   {Exp, cmplx.Exp},
	"expm1": {Expm1, func(z complex128) complex128 { return cmplx.Exp(z) - 1 }},
	"exp2":  {Exp2, func(z complex128) complex128 { return cmplx.Pow(2, z) }},
	"log":   {Log, cmplx.Log},
	"log1p": {Log1p, func(z complex128) complex128 { return cmplx.Log(1 + z) }},
	"log2":  {Log2, func(z complex128) complex128 { return cmplx.Log(z) / math.Ln2 }},
	"log10": {Log10, cmplx.Log10}, "sqrt": {Sqrt, cmplx.Sqrt},
	"cbrt": {Cbrt, func(z complex128) complex128 {
		if real(z) < 0 {
			return -cmplx.Pow(-z, 1.0/3)
		}
		return cmplx.Pow(z, 1.0/3)
	}},
	"hypot": {
		func(x Rect) Rect { return Hypot(x, Real(interval.Point(0.5))) },
		func(z complex128) complex128 { return cmplx.Sqrt(z*z + 0.25) },
	},
	"sin": {Sin, cmplx.Sin}, "cos": {Cos, cmplx.Cos}, "tan": {Tan, cmplx.Tan},
	"sinh": {Sinh, cmplx.Sinh}, "cosh": {Cosh, cmplx.Cosh}, "tanh": {Tanh, cmplx.Tanh},
	"sigmoid":  {Sigmoid, func(z complex128) complex128 { return 1 / (1 + cmplx.Exp(-z)) }},
	"softplus": {Softplus, func(z complex128) complex128 { return cmplx.Log(1 + cmplx.Exp(z)) }},
	"asin":     {Asin, cmplx.Asin}, "acos": {Acos, cmplx.Acos}, "atan": {Atan, cmplx.Atan},
	"asinh": {Asinh, cmplx.Asinh}, "acosh": {Acosh, cmplx.Acosh}, "atanh": {Atanh, cmplx.Atanh},
	"erfcx": {Erfcx, func(z complex128) complex128 { return cmplx.Exp(z*z) * (1 - erf(z)) }},
	"erf":   {Erf, erf}, "erfc": {Erfc, func(z complex128) complex128 { return 1 - erf(z) }},
}

// contains reports whether z lies in x, but for what doubles round.
func contains(x Rect, z complex128) bool {
	slack := 1e-12 * (1 + cmplx.Abs(z))
	wide := interval.Interval{Lo: -slack, Hi: slack}
	return interval.Add(x.Re, wide).Contains(real(z)) && interval.Add(x.Im, wide).Contains(imag(z))
}

// TestContainment: the values at the points of a rectangle that meets the line lie in the result,
// for every function; and no function gives None everywhere.
func TestContainment(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for name, f := range references {
		known := 0
		for range 1500 {
			re, size := 4*random.Float64()-2, math.Exp2(-8*random.Float64())
			x := Rect{
				interval.Interval{Lo: re, Hi: re + size},
				interval.Interval{Lo: -size * random.Float64(), Hi: size * random.Float64()},
			}
			y := f.rect(x)
			if y.IsNone() {
				continue
			}
			known++
			for range 4 {
				z := complex(re+size*random.Float64(), x.Im.Lo+(x.Im.Hi-x.Im.Lo)*random.Float64())
				if w := f.point(z); !contains(y, w) {
					t.Fatalf("%s at %v is %v, not in %v, for %v", name, z, w, y, x)
				}
				if w := f.point(z); cmplx.Abs(w) > y.Mag()*(1+1e-12)+1e-12 {
					t.Fatalf("%s at %v is %v, larger than %g", name, z, w, y.Mag())
				}
			}
		}
		if known < 150 {
			t.Errorf("%s: only %d rectangles", name, known)
		}
	}
}

// TestUnion: on two rectangles that share an edge, a function that is known on both has the same
// value there, whatever the imaginary parts are.
func TestUnion(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	for name, f := range references {
		for range 1500 {
			re, im, size := 8*random.Float64()-4, 12*random.Float64()-6, 2*random.Float64()
			edge := interval.Interval{Lo: im, Hi: im + size}
			left := f.rect(Rect{interval.Interval{Lo: re - size, Hi: re}, edge})
			right := f.rect(Rect{interval.Interval{Lo: re, Hi: re + size}, edge})
			middle := f.rect(Rect{interval.Interval{Lo: re - size/4, Hi: re + size/4}, edge})
			if left.IsNone() || right.IsNone() || middle.IsNone() {
				continue
			}
			on := Rect{interval.Intersect(left.Re, right.Re), interval.Intersect(left.Im, right.Im)}
			on = Rect{interval.Intersect(on.Re, middle.Re), interval.Intersect(on.Im, middle.Im)}
			if on.IsNone() {
				t.Fatalf("%s has several values at %g + i %v", name, re, edge)
			}
		}
	}
}

// TestNone: nothing is known across a cut, at a pole, or of what is not known.
func TestNone(t *testing.T) {
	around := func(re float64) Rect {
		return Rect{
			interval.Interval{Lo: re - 0.1, Hi: re + 0.1},
			interval.Interval{Lo: -0.1, Hi: 0.1},
		}
	}
	for name, y := range map[string]Rect{
		"log 0": Log(around(0)), "log -1": Log(around(-1)), "sqrt 0": Sqrt(around(0)),
		"recip 0": Recip(around(0)), "cbrt 0": Cbrt(around(0)), "tan": Tan(around(math.Pi / 2)),
		"asin 1": Asin(around(1)), "acosh 1": Acosh(around(1)), "atanh -1": Atanh(around(-1)),
		"pow": Pow(around(-1), around(0.5)), "hypot": Hypot(around(0), around(0)),
		"division": Quo(around(1), around(0)),
		"tanh":     Tanh(Rect{Im: interval.Interval{Lo: 1.5, Hi: 1.6}}),
	} {
		if !y.IsNone() {
			t.Errorf("%s is %v", name, y)
		}
	}
	for name, f := range references {
		if y := f.rect(None()); !y.IsNone() {
			t.Errorf("%s of None is %v", name, y)
		}
	}
	for name, f := range map[string]func(x, y Rect) Rect{
		"add": Add, "sub": Sub, "mul": Mul, "quo": Quo, "pow": Pow, "hypot": Hypot,
	} {
		for _, other := range []Rect{Real(interval.Point(1)), around(1), Real(interval.Point(0))} {
			if !f(None(), other).IsNone() || !f(other, None()).IsNone() {
				t.Errorf("%s of None and %v is known", name, other)
			}
		}
	}
}
