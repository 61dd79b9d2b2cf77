package looptest

import (
	"math/rand/v2"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Recurrent is the loss of a long short-term memory of one layer with diagonal weights, as
// lowering gives it: two states that are buffers, replaced in each turn. Its parameters are the
// weights and the biases of the gates (forget, in, out, change; each as wide as the state), the
// first states, the sequence, and then the number of turns and the width.
func Recurrent() *loop.Func {
	w, bias, h0, c0, seq := buf("w"), buf("bias"), buf("h0"), buf("c0"), buf("seq")
	n, width := loop.NewVar("n", loop.I64), loop.NewVar("width", loop.I64)
	var b, body loop.Builder
	s := &loop.For{Index: loop.NewVar("t", loop.I64), Count: n}
	h := loop.State{Var: buf("h"), Init: h0, Result: buf("h")}
	c := loop.State{Var: buf("c"), Init: c0, Result: buf("c")}
	s.States = []loop.State{h, c}
	next, cell := body.Alloc("h", loop.F64s, width, false), body.Alloc("c", loop.F64s, width, false)
	body.Parallel("j", width, func(b *loop.Builder, j *loop.Var) {
		gate := func(k int64, x loop.Atom, f string) loop.Atom {
			i := at(b, loop.Int(k), width, j)
			a := b.Let("a", loop.AddF, b.Let("p", loop.MulF, b.Load("w", w, i), x),
				b.Load("b", bias, i))
			return b.Let("g", loop.Lookup(f), a)
		}
		x, old := b.Load("x", seq, at(b, s.Index, width, j)), b.Load("h", h.Var, j)
		keep, in, out := gate(0, x, "sigmoid"), gate(1, old, "sigmoid"), gate(2, x, "sigmoid")
		change := gate(3, old, "tanh")
		kept := b.Let("k", loop.MulF, b.Load("c", c.Var, j), keep)
		now := b.Let("c", loop.AddF, kept, b.Let("p", loop.MulF, in, change))
		b.Store(cell, j, now)
		b.Store(next, j, b.Let("h", loop.MulF, out, b.Let("t", loop.Lookup("tanh"), now)))
	})
	sum := body.Sum("j", width, func(b *loop.Builder, j *loop.Var) loop.Atom {
		return b.Let("e", loop.Lookup("exp"), b.Load("h", next, j))
	})
	lse := body.Let("lse", loop.Lookup("log"), body.Let("s", loop.AddF, sum, loop.Real(2)))
	after := body.Let("t", loop.AddI, s.Index, loop.Int(1))
	fit := body.Sum("j", width, func(b *loop.Builder, j *loop.Var) loop.Atom {
		z := b.Let("z", loop.SubF, b.Load("h", next, j), lse)
		return b.Let("p", loop.MulF, b.Load("x", seq, at(b, after, width, j)), z)
	})
	total := loop.NewVar("total", loop.F64)
	s.Reds = []loop.Red{{Op: loop.AddF, Init: loop.Real(0), Result: total}}
	s.Body = body.Block(next, cell, fit)
	b.Add(s)
	return &loop.Func{Name: "recurrent", Params: []*loop.Var{w, bias, h0, c0, seq, n, width},
		Body: b.Block(total)}
}

// RecurrentArgs are random arguments of Recurrent.
func RecurrentArgs(rng *rand.Rand, n, width int) []loop.Value {
	normal := func(n int) loop.Value {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = rng.NormFloat64()
		}
		return loop.RealsValue(xs)
	}
	return []loop.Value{normal(4 * width), normal(4 * width), normal(width), normal(width),
		normal((n + 1) * width),
		loop.IntValue(int64(n)), loop.IntValue(int64(width))}
}
