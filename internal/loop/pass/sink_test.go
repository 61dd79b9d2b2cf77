package pass_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestSink: what the turns of a loop add to a buffer is the same after linear functions have left
// the loop. The functions go through inner sums, whose loops have states or counts of their own
// turn, and through buffers of the turn.
func TestSink(t *testing.T) {
	sunk := 0
	for seed := range looptest.Checks(400) {
		g := &linearGenerator{Rand: rand.New(rand.NewPCG(seed, 7))}
		f, args := g.function()
		before := f.String()
		want := eval(t, "before", "", f, args)
		pass.Sink(f)
		if got := eval(t, "sink", before, f, args); !close(f, want, got) {
			t.Fatalf("seed %d: %v, was %v\n%s\nfrom\n%s", seed, got, want, f, before)
		}
		if f.String() != before {
			sunk++
		}
	}
	if sunk < 20 {
		t.Errorf("only %d functions were sunk", sunk)
	}
}

// linearGenerator makes loops that add linear functions of what varies to a buffer.
type linearGenerator struct {
	*rand.Rand
	b     *loop.Builder
	reals []loop.Atom // in scope
	ints  []loop.Atom
}

func (g *linearGenerator) function() (*loop.Func, []loop.Value) {
	const n, m = 4, 3
	xs, ks, y := loop.NewVar("xs", loop.F64s), loop.NewVar("ks", loop.I64s), loop.NewVar("y", loop.F64)
	f := &loop.Func{Name: "f", Params: []*loop.Var{xs, ks, y}}
	out := loop.NewVar("out", loop.F64s)
	g.b = &loop.Builder{}
	g.reals, g.ints = []loop.Atom{y}, []loop.Atom{loop.Int(m)}
	g.b.Add(&loop.Alloc{Var: out, Len: loop.Int(m), Zero: true})
	g.loop(loop.Int(n), func(i *loop.Var) {
		g.reals = append(g.reals, g.b.Load("x", xs, i))
		g.ints = append(g.ints, g.b.Load("k", ks, i))
		for range 1 + g.IntN(4) {
			g.step()
		}
		value := g.real()
		g.loop(loop.Int(m), func(j *loop.Var) {
			g.b.Accum(out, j, g.b.Let("v", loop.MulF, value, g.reals[0]))
		})
	})
	f.Body = g.b.Block(out)
	reals, ints := make([]float64, n), make([]int64, n)
	for i := range reals {
		reals[i], ints[i] = g.Float64()*4-2, g.Int64N(4)
	}
	return f, []loop.Value{loop.RealsValue(reals), loop.IntsValue(ints), loop.RealValue(g.Float64())}
}

func (g *linearGenerator) real() loop.Atom {
	if n := len(g.reals); g.IntN(3) > 0 {
		return g.reals[n-1]
	}
	return g.reals[g.IntN(len(g.reals))]
}

// loop appends a parallel loop.
func (g *linearGenerator) loop(count loop.Atom, body func(i *loop.Var)) {
	g.add(&loop.For{Index: loop.NewVar("i", loop.I64), Count: count, Parallel: true}, func(s *loop.For) []loop.Atom {
		body(s.Index)
		return nil
	})
}

func (g *linearGenerator) add(s *loop.For, body func(*loop.For) []loop.Atom) {
	b, reals, ints := g.b, g.reals, g.ints
	g.b = &loop.Builder{}
	yield := body(s)
	s.Body = g.b.Block(yield...)
	g.b, g.reals, g.ints = b, reals, ints
	g.b.Add(s)
}

// step appends something that makes a real.
func (g *linearGenerator) step() {
	var r loop.Atom
	switch g.IntN(6) {
	case 0:
		r = g.b.Let("r", loop.MulF, g.real(), g.reals[0])
	case 1:
		r = g.b.Let("r", loop.AddF, g.real(), g.real())
	case 2: // a sum over a loop
		total := loop.NewVar("total", loop.F64)
		s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: g.ints[g.IntN(len(g.ints))], Parallel: true,
			Reds: []loop.Red{{Op: loop.AddF, Init: loop.Real(0), Result: total}}}
		g.add(s, func(*loop.For) []loop.Atom {
			return []loop.Atom{g.b.Let("r", loop.MulF, g.real(), g.reals[0])}
		})
		r = total
	case 3: // a sum of the states of a loop
		total, state, last := loop.NewVar("total", loop.F64), loop.NewVar("s", loop.F64), loop.NewVar("s", loop.F64)
		s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: g.ints[g.IntN(len(g.ints))],
			States: []loop.State{{Var: state, Init: g.real(), Result: last}},
			Reds:   []loop.Red{{Op: loop.AddF, Init: loop.Real(0), Result: total}}}
		g.add(s, func(*loop.For) []loop.Atom {
			return []loop.Atom{g.b.Let("r", loop.MulF, state, loop.Real(0.5)), state}
		})
		r = total
	case 4: // through a buffer
		buf := loop.NewVar("buf", loop.F64s)
		g.b.Add(&loop.Alloc{Var: buf, Len: loop.Int(2), Zero: true})
		x := g.real()
		g.loop(loop.Int(2), func(i *loop.Var) { g.b.Accum(buf, i, g.b.Let("v", loop.MulF, x, g.reals[0])) })
		r = g.b.Load("r", buf, loop.Int(1))
	case 5:
		r = g.b.Let("r", loop.Lookup("sin"), g.real())
	}
	g.reals = append(g.reals, r)
}
