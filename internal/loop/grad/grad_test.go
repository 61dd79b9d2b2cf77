package grad_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

func all(f *loop.Func) []bool {
	wanted := make([]bool, len(f.Params))
	for i, p := range f.Params {
		wanted[i] = p.Kind == loop.F64 || p.Kind == loop.F64s
	}
	return wanted
}

func verify(t *testing.T, p *loop.Program, f *loop.Func) {
	t.Helper()
	q := &loop.Program{Funcs: append([]*loop.Func{f}, p.Funcs...)}
	for _, g := range loop.Reached(f).Funcs {
		if !slices.Contains(q.Funcs, g) {
			t.Fatalf("%s is called, and not in the program", g.Name)
		}
	}
	if err := loop.Verify(q); err != nil {
		t.Fatalf("%v\n%s", err, loop.Print(q))
	}
}

func run(t *testing.T, f *loop.Func, args ...loop.Value) []loop.Value {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%v\n%s", r, f)
		}
	}()
	out, err := loop.Eval(f, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	return out
}

func reverse(t *testing.T, f *loop.Func) *loop.Func {
	t.Helper()
	p := loop.Reached(f)
	r, err := grad.Reverse(p, f, all(f), looptest.Rules)
	if err != nil && strings.Contains(err.Error(), "updated") {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, r)
	return r
}

func forward(t *testing.T, f *loop.Func) *loop.Func {
	t.Helper()
	p := loop.Reached(f)
	r, err := grad.Forward(p, f, all(f), looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, r)
	return r
}

// reals gives the doubles of values that hold doubles.
func reals(f []loop.Kind, vs []loop.Value) []float64 {
	var out []float64
	for i, k := range f {
		switch k {
		case loop.F64:
			out = append(out, vs[i].Real())
		case loop.F64s:
			out = append(out, vs[i].Reals()...)
		}
	}
	return out
}

func kinds(as []loop.Atom) []loop.Kind {
	out := make([]loop.Kind, len(as))
	for i, a := range as {
		out[i] = a.AtomKind()
	}
	return out
}

func paramKinds(vs []*loop.Var) []loop.Kind {
	out := make([]loop.Kind, len(vs))
	for i, v := range vs {
		out[i] = v.Kind
	}
	return out
}

// like makes random values of the same shape as those of doubles among some.
func like(rng *rand.Rand, ks []loop.Kind, vs []loop.Value) []loop.Value {
	var out []loop.Value
	for i, k := range ks {
		switch k {
		case loop.F64:
			out = append(out, loop.RealValue(rng.Float64()*2-1))
		case loop.F64s:
			xs := make([]float64, len(vs[i].Buf))
			for j := range xs {
				xs[j] = rng.Float64()*2 - 1
			}
			out = append(out, loop.RealsValue(xs))
		}
	}
	return out
}

// moved adds h times a tangent to the arguments that hold doubles.
func moved(f *loop.Func, args, tangent []loop.Value, h float64) []loop.Value {
	out := append([]loop.Value{}, args...)
	k := 0
	for i, p := range f.Params {
		switch p.Kind {
		case loop.F64:
			out[i] = loop.RealValue(args[i].Real() + h*tangent[k].Real())
			k++
		case loop.F64s:
			xs, d := args[i].Reals(), tangent[k].Reals()
			for j := range xs {
				xs[j] += h * d[j]
			}
			out[i] = loop.RealsValue(xs)
			k++
		}
	}
	return out
}

func dot(xs, ys []float64) float64 {
	s := 0.0
	for i := range xs {
		s += xs[i] * ys[i]
	}
	return s
}

func onlyReals(ks []loop.Kind) []loop.Kind {
	var out []loop.Kind
	for _, k := range ks {
		if k == loop.F64 || k == loop.F64s {
			out = append(out, k)
		}
	}
	return out
}

func tied(out []loop.Value) bool { return out[len(out)-1].Word != 0 }

// TestRandom: on random functions the reverse derivative is the transpose of the forward one, which
// agrees with differences of the function; and so for derivatives of derivatives.
func TestRandom(t *testing.T) {
	agreeOnRandom(t, 150, 2, looptest.Options{}, func(seed uint64, f *loop.Func) {
		if seed%5 == 4 {
			pass.InPlace(f)
		}
	})
}

// agreeOnRandom checks derivatives of random functions that have what o asks for besides what all
// have, and are prepared.
func agreeOnRandom(t *testing.T, n int, stream uint64, o looptest.Options, prepare func(seed uint64, f *loop.Func)) {
	checked, skipped := 0, 0
	for seed := range looptest.Checks(n) {
		rng := rand.New(rand.NewPCG(seed, stream))
		o.Size, o.Whiles, o.Updates, o.Smooth, o.Copies = 4, true, true, seed%2 == 0, seed%5 > 2
		f, args := looptest.Random(rng, o)
		prepare(seed, f)
		if agree(t, rng, fmt.Sprintf("seed %d", seed), f, args, true) {
			checked++
		} else {
			skipped++
		}
	}
	t.Logf("%d checked, %d at ties or not finite", checked, skipped)
	if checked < 3*skipped {
		t.Error("too few functions are checked")
	}
}

// TestRandomTwice: derivatives of derivatives.
func TestRandomTwice(t *testing.T) {
	for seed := range looptest.Checks(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		o := looptest.Options{Size: 3, Depth: 2, Whiles: true, Updates: true, Smooth: true, Copies: seed%5 > 2}
		f, args := looptest.Random(rng, o)
		if seed%5 == 4 {
			pass.InPlace(f)
		}
		var g *loop.Func
		var more []loop.Value
		if seed%2 == 0 {
			if g = reverse(t, f); g == nil {
				continue
			}
			more = like(rng, kinds(f.Body.Yield), run(t, f, args...))
		} else {
			g = forward(t, f)
			more = like(rng, paramKinds(f.Params), args)
		}
		agree(t, rng, fmt.Sprintf("seed %d", seed), g, append(append([]loop.Value{}, args...), more...), false)
	}
}

// agree compares the derivatives of a function at a point.
func agree(t *testing.T, rng *rand.Rand, name string, f *loop.Func, args []loop.Value, differences bool) bool {
	t.Helper()
	value := run(t, f, args...)
	out := kinds(f.Body.Yield)
	tangent, cot := like(rng, paramKinds(f.Params), args), like(rng, out, value)
	rev, fwd := reverse(t, f), forward(t, f)
	if rev == nil {
		return false
	}
	back := run(t, rev, append(append([]loop.Value{}, args...), cot...)...)
	ahead := run(t, fwd, append(append([]loop.Value{}, args...), tangent...)...)
	if tied(back) || tied(ahead) {
		return false
	}
	for _, got := range [][]loop.Value{back, ahead} {
		if !same(reals(out, value), reals(out, got[:len(out)])) {
			t.Fatalf("%s: the derivative has another value\n%s", name, f)
		}
	}
	push := reals(onlyReals(out), ahead[len(out):])
	pull := reals(onlyReals(paramKinds(f.Params)), back[len(out):])
	x, y := dot(push, reals(onlyReals(out), cot)), dot(pull, reals(onlyReals(paramKinds(f.Params)), tangent))
	if math.IsNaN(x) || math.IsNaN(y) || math.Abs(x) > 1e6 {
		return false
	}
	if math.Abs(x-y) > 1e-8*(1+math.Abs(x)) {
		t.Fatalf("%s: forward gives %v, reverse %v\n%s\n%s\n%s", name, x, y, f, fwd, rev)
	}
	if !differences {
		return true
	}
	near := slopes(func(h float64) []float64 {
		return reals(out, run(t, f, moved(f, args, tangent, h)...))
	})
	for i, d := range near {
		tolerance := 1e-4 // where something jumps or bends nearby
		if d.uncertain <= 1e-10 {
			tolerance = 1e-8
		}
		if math.Abs(d.at) < 100 && math.Abs(d.at-push[i]) > tolerance*(1+math.Abs(d.at)) {
			t.Fatalf("%s: result %d has the slope %v ± %.1g, forward gives %v\n%s\n%s",
				name, i, d.at, d.uncertain, push[i], f, fwd)
		}
	}
	return true
}

// slope is a derivative by differences, and how uncertain it is relative to 1 and its size.
type slope struct{ at, uncertain float64 }

// slopes returns the derivatives of functions at 0 by central differences of ever narrower steps,
// extrapolated to a step of 0 (Ridders 1982): of smooth functions they are right to ten digits.
func slopes(f func(h float64) []float64) (best []slope) {
	const rounds = 6
	var before [][]float64 // by function, the extrapolations of the last round
	h := 1. / 64
	for round := range rounds {
		up, down := f(h), f(-h)
		if round == 0 {
			best, before = make([]slope, len(up)), make([][]float64, len(up))
		}
		for i := range up {
			now := []float64{(up[i] - down[i]) / (2 * h)}
			for k, factor := 0, 4.; k < round; k, factor = k+1, factor*4 {
				now = append(now, (factor*now[k]-before[i][k])/(factor-1))
				change := math.Max(math.Abs(now[k+1]-now[k]), math.Abs(now[k+1]-before[i][k]))
				change /= 1 + math.Abs(now[k+1])
				if round == 1 || change <= best[i].uncertain || math.IsNaN(best[i].uncertain) {
					best[i] = slope{now[k+1], change}
				}
			}
			before[i] = now
		}
		h /= 2
	}
	const narrow = 1e-6
	up, down := f(narrow), f(-narrow)
	for i := range best {
		if !(best[i].uncertain <= 1e-10) {
			best[i].at = (up[i] - down[i]) / (2 * narrow)
		}
	}
	return best
}

func same(xs, ys []float64) bool {
	for i := range xs {
		if xs[i] != ys[i] && !(math.IsNaN(xs[i]) && math.IsNaN(ys[i])) {
			return false
		}
	}
	return len(xs) == len(ys)
}
