package vmath

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

var points = flag.Int("vmath.points", 1000, "random points a function and range")

// failed stands for a failed check.
const failed = 12345.678

// compiled runs a straight-line function faster than loop.Eval does.
func compiled(t testing.TB, f *loop.Func) func(args ...float64) float64 {
	slots := map[*loop.Var]int{}
	var regs []uint64
	slot := func(a loop.Atom) int {
		if c, ok := a.(*loop.Const); ok {
			regs = append(regs, c.Word())
			return len(regs) - 1
		}
		v := a.(*loop.Var)
		if _, ok := slots[v]; !ok {
			slots[v] = len(regs)
			regs = append(regs, 0)
		}
		return slots[v]
	}
	params := make([]int, len(f.Params))
	for i, p := range f.Params {
		params[i] = slot(p)
	}
	var steps []func()
	checked := true
	for _, s := range f.Body.Stmts {
		switch s := s.(type) {
		case *loop.Let:
			args, into, op := make([]int, len(s.Args)), slot(s.Var), s.Op
			for i, a := range s.Args {
				args[i] = slot(a)
			}
			words := make([]uint64, len(args))
			steps = append(steps, func() {
				for i, a := range args {
					words[i] = regs[a]
				}
				regs[into] = op.Eval(words)
			})
		case *loop.Check:
			cond := slot(s.Cond)
			steps = append(steps, func() { checked = regs[cond] != 0 })
		default:
			t.Fatalf("%s has a statement %T", f.Name, s)
		}
	}
	result := slot(f.Body.Yield[0])
	return func(args ...float64) float64 {
		for i, p := range params {
			if f.Params[i].Kind == loop.I64 {
				regs[p] = uint64(int64(args[i]))
			} else {
				regs[p] = math.Float64bits(args[i])
			}
		}
		checked = true
		for _, step := range steps {
			step()
		}
		if !checked {
			return failed
		}
		return math.Float64frombits(regs[result])
	}
}

// ulps is the distance of got from a true value h + l, in units in the last place of h. Below the
// normal numbers a unit is the least subnormal.
func ulps(got float64, v kernel.Val) float64 {
	want := v.Nearest()
	if math.IsInf(want, 0) || math.IsInf(got, 0) {
		if got == want || math.Abs(got) == math.MaxFloat64 || math.Abs(want) == math.MaxFloat64 {
			return 0
		}
		return math.Inf(1)
	}
	// Both are scaled so that H has a moderate size.
	_, e := math.Frexp(v.H)
	return math.Abs((math.Ldexp(got, -e-v.K)-math.Ldexp(v.H, -e))-math.Ldexp(v.L, -e)) /
		math.Ldexp(ulpOf(want), -e-v.K)
}

// ranged is an interval from which points are drawn, spread over the magnitudes if it is wide.
type ranged struct{ lo, hi float64 }

func (r ranged) draw(rnd *rand.Rand) float64 {
	if r.lo < 0 && r.hi > 0 || rnd.IntN(4) == 0 || r.lo == 0 && rnd.IntN(2) == 0 {
		return r.lo + (r.hi-r.lo)*rnd.Float64()
	}
	lo, hi := int64(math.Float64bits(math.Abs(r.lo))), int64(math.Float64bits(math.Abs(r.hi)))
	if lo > hi {
		lo, hi = hi, lo
	}
	x := math.Float64frombits(uint64(lo + rnd.Int64N(hi-lo+1)))
	if r.lo < 0 {
		x = -x
	}
	return x
}

const most = math.MaxFloat64

// unary has the ranges of each function of one number, and its true value.
var unary = []struct {
	name   string
	val    func(float64) kernel.Val
	ranges []ranged
}{
	{"exp", kernel.ExpVal, []ranged{{-745, 710}, {-1, 1}, {0, 1e-3}, {-1e-3, 0}, {-745.2, -700}}},
	{"exp2", kernel.Exp2Val, []ranged{{-1075, 1024}, {-1, 1}, {0, 1e-3}}},
	{"expm1", kernel.Expm1Val, []ranged{{-40, 710}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}}},
	{"sinh", kernel.SinhVal, []ranged{{-711, 711}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}}},
	{"cosh", kernel.CoshVal, []ranged{{-711, 711}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}}},
	{"tanh", kernel.TanhVal, []ranged{{-25, 25}, {-2, 2}, {0, 1}, {-1, 0}}},
	{"sigmoid", kernel.SigmoidVal, []ranged{{-746, 40}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}, {-39.2, -36.7}}},
	{"logistic", logisticVal, []ranged{{-746, 746}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}}},
	{"sech2", sech2Val, []ranged{{-373, 373}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}}},
	{"log", kernel.LogVal, []ranged{{0, most}, {0.5, 2}, {0.99, 1.01}, {0, 0x1p-1022}}},
	{"log2", kernel.Log2Val, []ranged{{0, most}, {0.5, 2}, {0.99, 1.01}, {0, 0x1p-1022}}},
	{"log10", kernel.Log10Val, []ranged{{0, most}, {0.5, 2}, {0.99, 1.01}, {0, 0x1p-1022}}},
	{"softplus", kernel.SoftplusVal, []ranged{{-745, 800}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}, {-745, -700}}},
	{"asinh", kernel.AsinhVal, []ranged{{0, most}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}}},
	{"acosh", kernel.AcoshVal, []ranged{{1, most}, {1, 2}, {1, 1.001}, {1, 0x1p32}}},
	{"atanh", kernel.AtanhVal, []ranged{{-1, 1}, {0, 1}, {0.9, 1}, {-1, 0}}},
	{"sin", kernel.SinVal, []ranged{{-10, 10}, {-1, 1}, {0, 1}, {-1, 0}, {1, maxAngle}, {-1e3, -1}}},
	{"cos", kernel.CosVal, []ranged{{-10, 10}, {-1, 1}, {0, 1}, {-1, 0}, {1, maxAngle}, {-1e3, -1}}},
	{"tan", kernel.TanVal, []ranged{{-10, 10}, {-1, 1}, {0, 1}, {-1, 0}, {1, maxAngle}, {-1e3, -1}}},
	{"atan", kernel.AtanVal, []ranged{{-10, 10}, {-1, 1}, {0, 1}, {-1, 0}, {1, most}}},
	{"asin", kernel.AsinVal, []ranged{{-1, 1}, {0, 1}, {-1, 0}, {0.99, 1}}},
	{"acos", kernel.AcosVal, []ranged{{-1, 1}, {0, 1}, {-1, 0}, {0.99, 1}, {0.4, 0.6}}},
	{"cbrt", kernel.CbrtVal, []ranged{{0, most}, {-2, 2}, {1, 8}, {-1, 0}}},
	{"erf", kernel.ErfVal, []ranged{{-6, 6}, {0, 1}, {-1, 0}, {0.5, 2}}},
	{"erfc", kernel.ErfcVal, []ranged{{-6, 6}, {0, 1}, {-1, 0}, {0.5, 2}, {2, 10}, {10, 27.2}, {26, 27.2}}},
	{"erfcx", kernel.ErfcxVal, []ranged{{-26.6, 26}, {0, 1}, {-1, 0}, {0.5, 28.5}, {27, 33}, {1, most}, {-26.65, -20}}},
	{"lgamma", kernel.LgammaVal, []ranged{{0, 10}, {0, most / 1000}, {0.5, 3}, {0.9, 1.1}, {1.9, 2.1}, {2, 20}, {-1, 0}, {7, 100}}},
	{"digamma", kernel.DigammaVal, []ranged{{0, 10}, {0, most}, {0.5, 3}, {1.4, 1.5}, {2, 20}, {-0.4, 0}, {7, 100}}},
	{"log1p", kernel.Log1pVal, []ranged{{0, most}, {-1, 0}, {-1, 2}, {-0.01, 0.01}, {0, 1}}},
}

// logisticVal is sigmoid x · sigmoid (-x).
func logisticVal(x float64) kernel.Val {
	a, b := kernel.SigmoidVal(x), kernel.SigmoidVal(-x)
	h := a.H * b.H
	return kernel.Val{H: h, L: math.FMA(a.H, b.H, -h) + a.H*b.L + a.L*b.H, K: a.K + b.K}
}

// sech2Val is 4 logistic (2 x).
func sech2Val(x float64) kernel.Val {
	v := logisticVal(2 * x)
	v.K += 2
	return v
}

// both are the definitions for targets with and without fma.
var both = map[string]func(*loop.Op) *loop.Func{"": Define, " unfused": DefineUnfused}

func TestAccuracy(t *testing.T) {
	for how, define := range both {
		for _, u := range unary {
			t.Run(u.name+how, func(t *testing.T) {
				t.Parallel()
				rnd := rand.New(rand.NewPCG(1, 2))
				f := compiled(t, define(loop.Lookup(u.name)))
				for _, r := range u.ranges {
					worst, at := 0.0, 0.0
					for range *points {
						x := r.draw(rnd)
						if x == 0 {
							continue
						}
						if e := ulps(f(x), u.val(x)); !(e <= worst) {
							worst, at = e, x
						}
					}
					if !(worst <= Bound(loop.Lookup(u.name))) {
						t.Errorf("%s %v = %v is %v ulps from %v", u.name, at, f(at), worst, u.val(at).Nearest())
					}
					t.Logf("[%g, %g]: %.3f ulps", r.lo, r.hi, worst)
				}
			})
		}
	}
}

// binary is the same for functions of two numbers.
var binary = []struct {
	name   string
	val    func(x, y float64) kernel.Val
	ranges [][2]ranged
}{
	{"atan2", kernel.Atan2Val, [][2]ranged{{{-1, 1}, {-1, 1}}, {{0, most}, {0, most}}, {{0, most}, {-most, 0}}, {{0, 1}, {-1, 0}}, {{0, 1e-300}, {0, 1e-300}}}},
	{"hypot", kernel.HypotVal, [][2]ranged{{{-1, 1}, {-1, 1}}, {{0, most}, {0, most}}, {{0, 1e-300}, {0, 1e-300}}}},
	{"pow", kernel.PowVal, [][2]ranged{{{0, 10}, {-300, 300}}, {{0, most}, {-1, 1}}, {{0.5, 2}, {-700, 700}}, {{0.999, 1.001}, {-1e5, 1e5}},
		{{0, 0x1p-1022}, {-1, 1}}, {{0.999999999, 1.000000001}, {-1e12, 1e12}}}},
	{"pow.i", func(x, n float64) kernel.Val { return kernel.PowVal(x, math.Trunc(n)) },
		[][2]ranged{{{0, 10}, {-300, 300}}, {{0.5, 2}, {-700, 700}}, {{0, 10}, {-5, 5}}, {{0.999999999, 1.000000001}, {-1e12, 1e12}}}},
	{"logaddexp", kernel.LogAddExpVal, [][2]ranged{{{0, 10}, {0, 10}}, {{0, 1000}, {0, 1000}}, {{-700, -1}, {-700, -1}}, {{1, most}, {1, most}}}},
}

func TestAccuracy2(t *testing.T) {
	for how, define := range both {
		for _, u := range binary {
			t.Run(u.name+how, func(t *testing.T) {
				t.Parallel()
				rnd := rand.New(rand.NewPCG(1, 2))
				f := compiled(t, define(loop.Lookup(u.name)))
				for _, r := range u.ranges {
					worst, atX, atY := 0.0, 0.0, 0.0
					for range *points {
						x, y := r[0].draw(rnd), r[1].draw(rnd)
						if u.name == "pow.i" {
							y = math.Trunc(y)
						}
						if x == 0 || y == 0 {
							continue
						}
						if e := ulps(f(x, y), u.val(x, y)); !(e <= worst) {
							worst, atX, atY = e, x, y
						}
					}
					if !(worst <= Bound(loop.Lookup(u.name))) {
						t.Errorf("%s %v %v = %v is %v ulps from %v", u.name, atX, atY, f(atX, atY), worst, u.val(atX, atY).Nearest())
					}
					t.Logf("%v: %.3f ulps", r, worst)
				}
			})
		}
	}
}

// TestSpecial: definitions agree with the table at its special arguments, and with the table's
// evaluator at others of that kind.
func TestSpecial(t *testing.T) {
	odd := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 3, -3, math.Inf(1), math.Inf(-1), math.NaN(),
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, -0x1p-1022, most, -most, 1e300, -1e300,
		1e-300, -1e-300, 0x1p-60, -0x1p-60}
	for how, define := range both {
		for name := range definitions {
			op := loop.Lookup(name)
			if op.Prim == nil {
				continue
			}
			f := compiled(t, define(op))
			cases := op.Prim.Special
			switch g := op.Prim.Float.(type) {
			case prim.Real1:
				for _, x := range odd {
					cases = append(cases, []float64{x, g(x)})
				}
			case prim.Real2:
				for _, x := range odd {
					for _, y := range odd {
						cases = append(cases, []float64{x, y, g(x, y)})
					}
				}
			case prim.RealInt:
				for _, x := range odd {
					for _, n := range []int64{0, 1, -1, 2, -2, 3, -3, 1001, -1001, 1 << 40, 1<<52 - 1, -1 << 40} {
						cases = append(cases, []float64{x, float64(n), g(x, n)})
					}
				}
			}
			for _, c := range cases {
				args, want := c[:len(c)-1], c[len(c)-1]
				got := f(args...)
				same := got == want && math.Signbit(got) == math.Signbit(want) || got != got && want != want
				near := got-got == 0 && want-want == 0 && want != 0 && math.Abs(got-want) <= 2*ulpOf(want)
				large := got == failed && math.Abs(args[0]) > maxAngle // Note [Large angles]
				if !same && !near && !large {
					t.Errorf("%s%s %v = %v, not %v", name, how, args, got, want)
				}
			}
		}
	}
}

func ulpOf(x float64) float64 { x = math.Abs(x); return math.Nextafter(x, math.Inf(1)) - x }

// TestVerified: definitions are well formed and straight lines.
func TestVerified(t *testing.T) {
	for name := range definitions {
		f := Define(loop.Lookup(name))
		if err := loop.Verify(&loop.Program{Funcs: []*loop.Func{f}}); err != nil {
			t.Error(err)
		}
		t.Logf("%s: %d operations", name, len(f.Body.Stmts))
	}
}

// TestComplete: every operation of the language's table is defined or one that targets know, and
// the accuracy of every definition that rounds is tested.
func TestComplete(t *testing.T) {
	known := map[*loop.Op]bool{loop.AddF: true, loop.SubF: true, loop.MulF: true, loop.DivF: true, loop.NegF: true,
		loop.AbsF: true, loop.Sqrt: true}
	for _, p := range prim.All() {
		if op := loop.OfPrim(p); op != nil && Define(op) == nil && !known[op] {
			t.Errorf("%s has no definition", op)
		}
	}
	measured := map[string]bool{"ldexp": true, "inner": true, "scale": true} // these round once
	for _, u := range unary {
		measured[u.name] = true
	}
	for _, u := range binary {
		measured[u.name] = true
	}
	for name, d := range definitions {
		if d.bound > 0 && !measured[name] {
			t.Errorf("the accuracy of %s is not tested", name)
		}
	}
}

// TestCancellation: where the terms of logaddexp cancel, the error is small beside them.
func TestCancellation(t *testing.T) {
	f := compiled(t, Define(loop.Lookup("logaddexp")))
	rnd := rand.New(rand.NewPCG(1, 2))
	for range *points {
		x := -5 * rnd.Float64()
		y := math.Log1p(-math.Exp(x)) // exp x + exp y = 1
		if got, want := f(x, y), kernel.LogAddExp(x, y); math.Abs(got-want) > 0x1p-52 {
			t.Fatalf("logaddexp %v %v = %v, not %v", x, y, got, want)
		}
	}
}

// TestShort: exp and sigmoid are within an ulp without the second part of the reduced argument
// (Note [Exponentials]). Each operation is off by half an ulp of its result at most, and its error
// reaches the result by a known factor.
func TestShort(t *testing.T) {
	half := func(x float64) float64 { return ulpOf(x) / 2 }
	c := expTail
	worst := map[string]float64{}
	const grid = 20000
	for i := -grid; i <= grid; i++ {
		r := math.Ln2 / 2 * (float64(i) + 0.5) / (grid + 1)
		z, e, q := r*r, math.Exp(r), math.Expm1(r)
		even, odd := c[0]+z*(c[2]+z*(c[4]+z*c[6])), c[1]+z*(c[3]+z*(c[5]+z*c[7]))
		tail := even + r*odd
		first := 0.5 + r*tail
		short := half(r)*e + half(q) + half(z)*first + half(first)*z
		// What is added before the last coefficients is less than a thirtieth of them.
		short += math.Abs(r) * z * (half(tail) + 1.04*(half(even)+math.Abs(r)*half(odd)))

		v, p := kernel.Expm1Val(r), new(big.Float).SetPrec(150)
		x := new(big.Float).SetPrec(150).SetFloat64(r)
		for k := len(c) - 1; k >= -3; k-- {
			p.Add(p.Mul(p, x), big.NewFloat(append([]float64{0, 1, 0.5}, c...)[k+3]))
		}
		p.Sub(p.Sub(p, big.NewFloat(math.Ldexp(v.H, v.K))), big.NewFloat(math.Ldexp(v.L, v.K)))
		miss, _ := p.Float64()
		short += math.Abs(miss)

		worst["exp"] = max(worst["exp"], 0.5+short/ulpOf(e))
		for n := -60; n <= 60; n++ {
			w := math.Ldexp(1, -max(n, -n))
			c := w
			if n > 0 {
				c = 1
			}
			d := 1 + w + c*q
			worst["sigmoid"] = max(worst["sigmoid"], 0.5+short*c/(d*d)/ulpOf(1/d))
		}
	}
	for name, ulps := range worst {
		if t.Logf("%s: %.4f ulps", name, ulps); ulps > 0.999 {
			t.Errorf("%s may be off by %.4f ulps", name, ulps)
		}
	}
}

// TestOperations: the functions of recurrent networks take at most so many operations; those that
// only change the kind of a number are not counted.
func TestOperations(t *testing.T) {
	for name, most := range map[string]int{"exp": 22, "sigmoid": 40, "tanh": 48} {
		n := 0
		for _, s := range Define(loop.Lookup(name)).Body.Stmts {
			if let, ok := s.(*loop.Let); ok && let.Op != loop.Bits && let.Op != loop.FromBits {
				n++
			}
		}
		if t.Logf("%s: %d operations", name, n); n > most {
			t.Errorf("%s takes %d operations, at most %d are expected", name, n, most)
		}
	}
}
