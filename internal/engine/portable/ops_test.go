package portable

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// TestIntegerOps: operations on integers, Booleans and comparisons give what their definitions
// give, one at a time and in strips.
func TestIntegerOps(t *testing.T) {
	ints := []int64{0, 1, -1, 2, -2, 3, 7, -7, 63, 64, 1<<31 - 1, 1 << 31, -1 << 31, -1<<31 - 1, 3037000499, 3037000500, -3037000500,
		1 << 32, 1<<62 - 1, 1 << 62, -1 << 62, math.MaxInt64 - 1, math.MaxInt64, math.MinInt64 + 1, math.MinInt64}
	reals := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324}
	words := map[loop.Kind][]uint64{loop.Bool: {0, 1}}
	for _, n := range ints {
		words[loop.I64] = append(words[loop.I64], uint64(n))
	}
	for _, x := range reals {
		words[loop.F64] = append(words[loop.F64], math.Float64bits(x))
	}
	for _, op := range []*loop.Op{loop.AddI, loop.SubI, loop.MulI, loop.MaxI, loop.MinI, loop.DivI, loop.ModI,
		loop.AndI, loop.OrI, loop.XorI, loop.ShlI, loop.ShrI, loop.ShrU, loop.AddOver, loop.SubOver, loop.MulOver,
		loop.EqF, loop.NeF, loop.LtF, loop.LeF, loop.EqI, loop.NeI, loop.LtI, loop.LeI, loop.And, loop.Or,
		loop.Not, loop.NegI, loop.Bits, loop.ToWord} {
		k := op.Args[0]
		var xs, ys []uint64
		for _, x := range words[k] {
			for _, y := range words[k] {
				xs, ys = append(xs, x), append(ys, y)
			}
		}
		scalar, strip := Compile(pairs(op, false)), Compile(pairs(op, true))
		for what, code := range map[string]*Code{"alone": scalar, "in strips": strip} {
			out, err := code.Run([]loop.Arg{buf(k, xs), buf(k, ys)}, loop.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range xs {
				want, got := op.Eval([]uint64{xs[i], ys[i]}[:len(op.Args)]), uint64(out[0].I[i])
				if got != want {
					t.Errorf("%s of %#x and %#x is %#x %s, and not %#x", op, xs[i], ys[i], got, what, want)
				}
			}
		}
	}
}

// buf is a buffer of words; Booleans are integers there.
func buf(k loop.Kind, words []uint64) loop.Arg {
	var a loop.Arg
	for _, w := range words {
		if k == loop.F64 {
			a.F = append(a.F, math.Float64frombits(w))
		} else {
			a.I = append(a.I, int64(w))
		}
	}
	return a
}

// pairs is a function that applies an operation to the elements of two buffers, in a parallel loop
// or one by one.
func pairs(op *loop.Op, parallel bool) *loop.Func {
	kind := loop.I64s
	if op.Args[0] == loop.F64 {
		kind = loop.F64s
	}
	x, y, i := loop.NewVar("x", kind), loop.NewVar("y", kind), loop.NewVar("i", loop.I64)
	var b, body loop.Builder
	out := b.Alloc("out", loop.I64s, b.Length(x), false)
	args := []loop.Atom{body.Load("a", x, i), body.Load("b", y, i)}
	if op.Args[0] == loop.Bool {
		for k, a := range args {
			args[k] = body.Let("c", loop.NeI, a, loop.Int(0))
		}
	}
	r := body.Let("r", op, args[:len(op.Args)]...)
	if op.Result == loop.Bool {
		r = body.Let("w", loop.ToWord, r)
	}
	body.Store(out, i, r)
	s := &loop.For{Index: i, Count: b.Length(x), Parallel: parallel, Body: body.Block()}
	b.Add(s)
	return &loop.Func{Name: "pairs", Params: []*loop.Var{x, y}, Body: b.Block(out)}
}
