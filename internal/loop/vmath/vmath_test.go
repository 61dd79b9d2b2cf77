package vmath

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

var points = flag.Int("vmath.points", 3000, "random points a function and range")

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
	type step func()
	var compile func(b *loop.Block) []step
	compile = func(b *loop.Block) (steps []step) {
		for _, s := range b.Stmts {
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
			case *loop.If:
				cond := slot(s.Cond)
				branch := func(b *loop.Block) func() {
					inner := compile(b)
					from, to := make([]int, len(b.Yield)), make([]int, len(b.Yield))
					for i, a := range b.Yield {
						from[i], to[i] = slot(a), slot(s.Results[i])
					}
					return func() {
						for _, step := range inner {
							step()
						}
						for i := range from {
							regs[to[i]] = regs[from[i]]
						}
					}
				}
				then, otherwise := branch(s.Then), branch(s.Else)
				steps = append(steps, func() {
					if regs[cond] != 0 {
						then()
					} else {
						otherwise()
					}
				})
			default:
				t.Fatalf("%s has a statement %T", f.Name, s)
			}
		}
		return steps
	}
	steps := compile(f.Body)
	result := slot(f.Body.Yield[0])
	return func(args ...float64) float64 {
		for i, p := range params {
			if f.Params[i].Kind == loop.I64 {
				regs[p] = uint64(int64(args[i]))
			} else {
				regs[p] = math.Float64bits(args[i])
			}
		}
		for _, step := range steps {
			step()
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

// unary has the ranges of each function of one number, its true value and its bound.
var unary = []struct {
	name   string
	val    func(float64) kernel.Val
	bound  float64
	ranges []ranged
}{
	{"exp", kernel.ExpVal, 1, []ranged{{-745, 710}, {-1, 1}, {0, 1e-3}, {-1e-3, 0}, {-745.2, -700}}},
	{"exp2", kernel.Exp2Val, 1, []ranged{{-1075, 1024}, {-1, 1}, {0, 1e-3}}},
	{"expm1", kernel.Expm1Val, 1, []ranged{{-40, 710}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}}},
	{"sinh", kernel.SinhVal, 1, []ranged{{-711, 711}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}}},
	{"cosh", kernel.CoshVal, 1, []ranged{{-711, 711}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}}},
	{"tanh", kernel.TanhVal, 1, []ranged{{-25, 25}, {-2, 2}, {0, 1}, {-1, 0}}},
	{"sigmoid", kernel.SigmoidVal, 1, []ranged{{-746, 40}, {-2, 2}, {0, 1}, {-1, 0}, {-40, -1}}},
	{"log", kernel.LogVal, 1, []ranged{{0, most}, {0.5, 2}, {0.99, 1.01}, {0, 0x1p-1022}}},
	{"log2", kernel.Log2Val, 1, []ranged{{0, most}, {0.5, 2}, {0.99, 1.01}, {0, 0x1p-1022}}},
	{"log10", kernel.Log10Val, 1, []ranged{{0, most}, {0.5, 2}, {0.99, 1.01}, {0, 0x1p-1022}}},
	{"log1p", kernel.Log1pVal, 1, []ranged{{0, most}, {-1, 0}, {-1, 2}, {-0.01, 0.01}, {0, 1}}},
}

func TestAccuracy(t *testing.T) {
	for _, u := range unary {
		t.Run(u.name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(1, 2))
			f := compiled(t, Define(loop.Lookup(u.name)))
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
				if !(worst <= u.bound) {
					t.Errorf("%s %v = %v is %v ulps from %v", u.name, at, f(at), worst, u.val(at).Nearest())
				}
				t.Logf("[%g, %g]: %.3f ulps", r.lo, r.hi, worst)
			}
		})
	}
}

// TestSpecial: definitions agree with the table at its special arguments, and with the table's
// evaluator at others of that kind.
func TestSpecial(t *testing.T) {
	odd := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 3, -3, math.Inf(1), math.Inf(-1), math.NaN(),
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, -0x1p-1022, most, -most, 1e300, -1e300,
		1e-300, -1e-300, 0x1p-60, -0x1p-60}
	for name := range definitions {
		op := loop.Lookup(name)
		if op.Prim == nil {
			continue
		}
		f := compiled(t, Define(op))
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
			if !same && !near {
				t.Errorf("%s %v = %v, not %v", name, args, got, want)
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
