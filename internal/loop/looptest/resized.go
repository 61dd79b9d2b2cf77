package looptest

import "github.com/fluxion-lang/fluxion/internal/loop"

// resized is a loop whose states are buffers that have another length in each turn: they grow,
// shrink, change places, or are made anew with a length that depends on what was computed. Their
// lengths are states too.
func (g *generator) resized(b *loop.Builder, sc *scope, depth int) {
	var states []loop.State
	state := func(name string, k loop.Kind, init loop.Atom) loop.State {
		st := loop.State{Var: loop.NewVar(name, k), Init: init, Result: loop.NewVar(name, k)}
		states = append(states, st)
		return st
	}
	in := sc.inner()
	x := state("x", loop.F64, g.atom(sc, loop.F64))
	g.add(in, x.Var)
	turns := state("t", loop.I64, loop.Int(0))
	g.add(in, turns.Var)
	var now, after []buffer
	for range 1 + g.IntN(3) {
		from := recent(g, sc.bufs)
		n, buf := state("n", loop.I64, from.len), state("s", from.v.Kind, from.v)
		now, after = append(now, buffer{buf.Var, n.Var}), append(after,
			buffer{buf.Result, n.Result})
	}
	for _, s := range now {
		in.bufs, in.lens = append(in.bufs, s), append(in.lens, s.len)
	}
	most := loop.Int(int64(g.IntN(5)))
	cond, body := &loop.Builder{}, &loop.Builder{}
	going := cond.Block(cond.Let("more", loop.LtI, turns.Var, most))
	g.stmts(body, in, depth-1)
	yield := []loop.Atom{g.atom(in, loop.F64), body.Let("t", loop.AddI, turns.Var, loop.Int(1))}
	for i, s := range now {
		next := s
		switch other := now[g.IntN(len(now))]; {
		case g.IntN(3) == 0 && other.v.Kind == s.v.Kind:
			next = other
		case g.IntN(3) == 0 && len(in.bools) > 0:
			next = g.eitherLength(body, in, s)
		default:
			next = g.anotherLength(body, in, now[i])
		}
		yield = append(yield, next.len, next.v)
	}
	if g.IntN(3) == 0 {
		b.Add(&loop.While{States: states, Cond: going, Body: body.Block(yield...)})
	} else {
		b.Add(&loop.For{Index: loop.NewVar("i", loop.I64), Count: most, States: states,
			Body: body.Block(yield...), Thrifty: g.IntN(4) == 0})
	}
	g.add(sc, x.Result, turns.Result)
	sc.bufs = append(sc.bufs, after...)
}

// anotherLength makes a buffer of the kind of another, with a length of its own.
func (g *generator) anotherLength(b *loop.Builder, sc *scope, of buffer) buffer {
	var n loop.Atom
	switch g.IntN(3) {
	case 0:
		n = b.Let("n", loop.AddI, of.len, loop.Int(1))
	case 1:
		n = b.Let("n", loop.MaxI, b.Let("n", loop.SubI, of.len, loop.Int(1)), loop.Int(1))
	default:
		n = b.Let("n", loop.AddI, b.Let("n", loop.AndI, g.atom(sc, loop.I64), loop.Int(3)),
			loop.Int(1))
	}
	buf := b.Alloc("next", of.v.Kind, n, false)
	b.Parallel("j", n, func(b *loop.Builder, j *loop.Var) {
		in := sc.within(j, n)
		g.stmts(b, in, 0)
		if of.v.Kind == loop.F64s {
			b.Store(buf, j, g.atom(in, loop.F64))
		} else {
			b.Store(buf, j, g.atom(in, loop.I64))
		}
	})
	return buffer{buf, n}
}

// eitherLength is a buffer, or another that a branch makes.
func (g *generator) eitherLength(b *loop.Builder, sc *scope, of buffer) buffer {
	s := &loop.If{Cond: g.atom(sc, loop.Bool)}
	var then, otherwise loop.Builder
	next := g.anotherLength(&then, sc.inner(), of)
	out := buffer{loop.NewVar("either", of.v.Kind), loop.NewVar("n", loop.I64)}
	s.Results = []*loop.Var{out.v, out.len.(*loop.Var)}
	s.Then, s.Else = then.Block(next.v, next.len), otherwise.Block(of.v, of.len)
	b.Add(s)
	return out
}
