package interval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exact is wide enough for every sum, product and fma of doubles.
const exact = 6400

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(exact).SetFloat64(x) }

// rounded is v rounded upward, as doubles are.
func rounded(v *big.Float) float64 { return directed(v, big.ToPositiveInf) }

// near1 perturbs a double by a few neighbours.
func near1(r *rand.Rand, x float64) float64 {
	for range r.IntN(3) {
		x = nextUp(x)
	}
	for range r.IntN(3) {
		x = nextDn(x)
	}
	return x
}

// adversary returns operands whose sum, product and quotient are near the
// edges: exact cancellation, the ends of the range, subnormals.
func adversary(r *rand.Rand) (a, b, c float64) {
	a, b, c = randomDouble(r), randomDouble(r), randomDouble(r)
	switch r.IntN(8) {
	case 0:
		b = near1(r, -a)
	case 1:
		a, b = near1(r, math.Copysign(math.MaxFloat64, a)), near1(r, math.Copysign(math.MaxFloat64, b))
	case 2:
		b = near1(r, math.Ldexp(1+r.Float64(), -1074+r.IntN(110)-math.Ilogb(a)))
	case 3:
		b = near1(r, math.Ldexp(1+r.Float64(), 1022+r.IntN(2)-math.Ilogb(a)))
	case 4:
		c = near1(r, -a*b)
	case 5:
		a, b = float64(r.IntN(1000)), float64(r.IntN(1000))
	}
	for _, p := range []*float64{&a, &b, &c} {
		if *p-*p != 0 {
			*p = 1
		}
	}
	return a, b, c
}

// TestDirectedRounding compares every directed operation with exact
// arithmetic.
func TestDirectedRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n := 20_000
	if testing.Short() {
		n = 5_000
	}
	check := func(op string, got, want float64, args ...float64) {
		t.Helper()
		if got != want {
			t.Fatalf("%s %x = %x, want %x", op, args, got, want)
		}
	}
	for range n {
		a, b, c := adversary(r)
		x, y, z := bigOf(a), bigOf(b), bigOf(c)
		v := new(big.Float).SetPrec(exact)
		check("addUp", addUp(a, b), rounded(v.Add(x, y)), a, b)
		check("addDn", -addDn(-a, -b), rounded(v), a, b)
		check("mulUp", mulUp(a, b), rounded(v.Mul(x, y)), a, b)
		check("mulDn", -mulDn(-a, b), rounded(v), a, b)
		check("fmaUp", fmaUp(a, b, c), rounded(v.Add(v, z)), a, b, c)
		if b != 0 {
			// With 200 bits and truncation towards -∞, rounding up is wrong
			// only if the quotient is a double; a sticky bit fixes that.
			q := new(big.Float).SetPrec(200).SetMode(big.ToNegativeInf).Quo(x, y)
			if q.Acc() != big.Exact {
				q.Add(q, new(big.Float).SetMantExp(bigOf(1), q.MantExp(nil)-190))
			}
			check("divUp", divUp(a, b), rounded(q), a, b)
			check("divDn", -divDn(-a, b), rounded(q), a, b)
		}
		if a > 0 {
			s := sqrtUp(a)
			if bigOf(s).Cmp(v.Sqrt(x)) < 0 || v.Mul(bigOf(nextDn(s)), bigOf(nextDn(s))).Cmp(x) >= 0 {
				t.Fatalf("sqrtUp %x = %x", a, s)
			}
			s = sqrtDn(a)
			if v.Mul(bigOf(s), bigOf(s)).Cmp(x) > 0 || v.Mul(bigOf(nextUp(s)), bigOf(nextUp(s))).Cmp(x) <= 0 {
				t.Fatalf("sqrtDn %x = %x", a, s)
			}
		}
		k := r.IntN(2200) - 1100
		check("scaleUp", scaleUp(a, k), rounded(v.SetMantExp(x, k)), a, float64(k))
		check("scaleDn", -scaleDn(-a, k), rounded(v), a, float64(k))
	}
}

// TestPownHard drives the path that the kernel cannot decide.
func TestPownHard(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 2000 {
		x, n := 1+r.Float64(), 2+r.IntN(40)
		for _, m := range []big.RoundingMode{big.ToNegativeInf, big.ToPositiveInf} {
			want := pownUp(x, n)
			if m == big.ToNegativeInf {
				want = pownDn(x, n)
			}
			if p, _, ok := exactPower(x, n); !ok {
				if got := pownHard(x, n, m, math.NaN()); got != want {
					t.Fatalf("%x^%d: %x by multi-precision, %x by the kernel", x, n, got, want)
				}
			} else if p == 0 {
				t.Fatal("impossible")
			}
		}
	}
}

// TestNoAllocation: the double tier never allocates on ordinary arguments.
func TestNoAllocation(t *testing.T) {
	x, y := Interval{1.25, 1.5}, Interval{-0.75, 0.5}
	for name, f := range map[string]func(){
		"arithmetic": func() { sinkInterval = FMA(Div(Sub(Mul(Add(x, y), y), x), x), x, y) },
		"powers":     func() { sinkInterval = Pow(Pown(x, 7), Rootn(x, 3)) },
		"elementary": func() { sinkInterval = Exp(Log(Sin(Cos(Tan(Atan(Sinh(Asinh(x)))))))) },
		"binary":     func() { sinkInterval = Hypot(Atan2(x, y), LogAddExp(x, y)) },
		"special":    func() { sinkInterval = Erf(Erfc(Lgamma(Digamma(Polygamma(2, x))))) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
