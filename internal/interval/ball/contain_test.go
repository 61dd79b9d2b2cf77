package ball

import (
	"math/big"
	"math/rand"
	"sort"
	"strings"
	"testing"
)

// randPoint returns a random dyadic of at most bits bits, with magnitude around 2^[lo, hi].
func randPoint(r *rand.Rand, bits, lo, hi int) *Ball {
	z := new(Ball)
	z.man.Rand(r, new(big.Int).Lsh(intOne, uint(r.Intn(bits)+1)))
	z.man.Add(&z.man, intOne)
	z.exp = int64(lo + r.Intn(hi-lo+1) - z.man.BitLen())
	if r.Intn(2) == 0 {
		z.man.Neg(&z.man)
	}
	return z
}

// randBall has a relative radius from 2^2 down to 2^-p, or none.
func randBall(r *rand.Rand, p, lo, hi int) *Ball {
	z := randPoint(r, p, lo, hi)
	switch r.Intn(8) {
	case 0:
	case 1: // near an integer or half-integer, where many functions have edges
		z.SetInt64(int64(r.Intn(7) - 3))
		z.Mul2(z, -int64(r.Intn(2)))
		z.rad = magUp(uint64(r.Uint32()), int64(-32-r.Intn(p)))
	case 2: // a tie: an end exactly at an integer
		z.SetInt64(int64(2*r.Intn(7) - 5))
		z.Mul2(z, -1)
		z.rad = magPow2(-1)
	default:
		k := r.Intn(p + 2)
		if r.Intn(2) == 0 {
			k = r.Intn(14)
		}
		z.rad = magUp(uint64(r.Uint32())+1, z.top()-32-int64(k)+2)
	}
	return z
}

// randIn returns a point of x: an end, the midpoint, or in between.
func randIn(r *rand.Rand, x *Ball) *Ball {
	z := new(Ball)
	switch r.Intn(6) {
	case 0:
		return x.lower(z)
	case 1:
		return x.upper(z)
	}
	var d Ball
	d.man.SetUint64(x.rad.m)
	d.exp = x.rad.e
	d.Mul(&d, FromInt64(int64(r.Intn(2049)-1024)), 200)
	d.Mul2(&d, -10)
	return z.Add(z.Mid(x), &d, 1<<15)
}

// Magnitudes of arguments that keep the tests fast.
var testScale = map[string][2]int{
	"exp": {-30, 8}, "expm1": {-30, 8}, "exp2": {-30, 8}, "exp10": {-30, 8}, "sinh": {-30, 8}, "cosh": {-30, 8},
	"erf": {-30, 4}, "erfc": {-30, 4}, "lgamma": {-12, 7}, "digamma": {-12, 7}, "trigamma": {-12, 5}, "tetragamma": {-12, 5}, "asin": {-20, 1}, "acos": {-20, 1}, "atanh": {-20, 1}, "pow": {-8, 5},
}

func arity(name string) int {
	switch name {
	case "atan2", "pow", "hypot", "logaddexp", "add", "sub", "mul", "quo", "max", "min":
		return 2
	case "pi", "e", "ln2", "ln10", "gamma", "polygamma":
		return 0
	}
	return 1
}

func sortedFuncs() []string {
	var names []string
	for n := range testFuncs {
		if arity(n) > 0 {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	return names
}

func randArgs(r *rand.Rand, name string, p int) []*Ball {
	s, ok := testScale[name]
	if !ok {
		s = [2]int{-30, 30}
	}
	args := make([]*Ball, arity(name))
	for i := range args {
		args[i] = randBall(r, p, s[0], s[1])
		if name == "pow" && i == 0 && r.Intn(4) > 0 {
			args[i].Abs(args[i])
		}
	}
	return args
}

// TestContainment: f(x) for a random point x of a ball X, evaluated with many more
// bits, lies in f(X).
func TestContainment(t *testing.T) {
	for _, name := range sortedFuncs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 1500
			if testing.Short() {
				n = 200
			}
			if strings.HasSuffix(name, "gamma") { // slow
				n /= 4
			}
			f := testFuncs[name]
			r := rand.New(rand.NewSource(int64(len(name)) + int64(name[0])))
			undefined := 0
			for range n {
				p := 20 + r.Intn(120)
				args := randArgs(r, name, p)
				var z, w, wide Ball
				f(&z, args, uint(p))
				for range 3 {
					at := make([]*Ball, len(args))
					for i, a := range args {
						at[i] = randIn(r, a)
					}
					f(&w, at, uint(p)+80)
					if w.IsEmpty() {
						undefined++
						if !z.Partial() {
							t.Fatalf("%s%v at %v is undefined and not marked", name, args, at)
						}
						continue
					}
					if z.kind == whole || w.kind == whole {
						continue
					}
					wide.Set(&z)
					wide.rad = wide.rad.add(w.rad.shl(1))
					if !wide.Contains(&w) {
						t.Fatalf("%s at %d bits\nof %v\ngives %v\nbut at %v\nit is %v", name, p, args, z.Interval(50), at, w.Interval(50))
					}
				}
			}
			if undefined > 5*n/2 {
				t.Errorf("%d of %d points undefined", undefined, 3*n)
			}
		})
	}
}

// TestIsotone: a ball inside another has its image inside the other's image, up to
// the rounding of radii and the mean value form (a thirty-second of the radius) and midpoints.
func TestIsotone(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 50
	}
	for _, name := range sortedFuncs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := testFuncs[name]
			r := rand.New(rand.NewSource(77 + int64(len(name)) + int64(name[0])))
			for range n {
				p := 20 + r.Intn(120)
				args := randArgs(r, name, p)
				inner := make([]*Ball, len(args))
				for i, a := range args {
					u, v := randIn(r, a), randIn(r, a)
					if u.cmpPoint(v) > 0 {
						u, v = v, u
					}
					inner[i] = new(Ball).setEnds(u, v, 400)
				}
				var z, w Ball
				f(&z, args, uint(p))
				f(&w, inner, uint(p)+40)
				if z.kind == whole || w.kind == empty {
					continue
				}
				if w.kind == whole {
					t.Fatalf("%s of %v is bounded, of the smaller %v it is not", name, args, inner)
				}
				z.rad = z.rad.add(z.rad.shl(-5)).add(w.rad.shl(-5)).add(magInt(&w.man, w.exp).shl(-int64(p) - 30))
				if !z.Contains(&w) {
					t.Fatalf("%s of %v\nis %v\nof the smaller %v\nit is %v", name, args, z.Interval(40), inner, w.Interval(40))
				}
			}
		})
	}
}

// TestSharp: for monotone functions the range is known from the ends; the result
// exceeds it by a hundredth of the radius at most, and rounding.
func TestSharp(t *testing.T) {
	for _, name := range []string{"exp", "expm1", "exp2", "exp10", "log", "log1p", "log2", "log10", "sqrt", "cbrt", "atan", "asin", "acos",
		"sinh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "sigmoid", "softplus"} {
		f := testFuncs[name]
		r := rand.New(rand.NewSource(5))
		var worst float64
		for range 400 {
			p := 40 + r.Intn(100)
			x := randArgs(r, name, p)[0]
			if r.Intn(2) == 0 {
				x.Abs(x)
			}
			var lo, hi, a, b, z, h Ball
			x.ends(&lo, &hi)
			f(&z, []*Ball{x}, uint(p))
			f(&a, []*Ball{&lo}, uint(p)+80)
			f(&b, []*Ball{&hi}, uint(p)+80)
			if z.kind != finite || z.part || a.kind != finite || b.kind != finite {
				continue
			}
			h.Hull(&a, &b, uint(p)+80)
			allowed := h.rad.add(h.rad.shl(-6)).add(magInt(&h.man, h.exp).add(h.rad).shl(4 - int64(p)))
			if z.rad.cmp(allowed) > 0 {
				t.Errorf("%s of %v at %d bits is %v, true range %v", name, x, p, z.Interval(40), h.Interval(40))
				break
			}
			if h.rad.top() > h.top()-int64(p)+24 {
				ex := z.rad.sub(h.rad).div(h.rad)
				worst = max(worst, float64(ex.m)*pow2(ex.e))
			}
		}
		t.Logf("%-9s worst excess of radius %.2g", name, worst)
	}
}

func pow2(e int64) float64 {
	return FromInt64(1).Mul2(FromInt64(1), max(e, -1000)).approx()
}
