package looptest

import "github.com/fluxion-lang/fluxion/internal/loop"

// versions is an array that is replaced by others like it: copies that are updated once, alone, on
// a side of a branch, or in a loop whose states may be one another, or buffers from outside.
func (g *generator) versions(b *loop.Builder, sc *scope, depth int) {
	from := g.reals(sc)
	switch g.IntN(5) {
	case 0, 1:
		g.version(b, sc, from)
	case 2:
		s := &loop.If{Cond: g.atom(sc, loop.Bool),
			Results: []*loop.Var{loop.NewVar("c", loop.F64s)}}
		side := func() *loop.Block {
			in, body := sc.inner(), &loop.Builder{}
			g.stmts(body, in, depth-1)
			return body.Block(g.next(body, in, from).v)
		}
		s.Then, s.Else = side(), side()
		b.Add(s)
		sc.bufs = append(sc.bufs, buffer{s.Results[0], from.len})
	default:
		g.carried(b, sc, from, depth)
	}
}

// version is a copy of a buffer that is updated.
func (g *generator) version(b *loop.Builder, sc *scope, from buffer) buffer {
	own, next := loop.NewVar("own", loop.F64s), loop.NewVar("v", loop.F64s)
	b.Add(&loop.Copy{Var: own, Buf: from.v})
	b.Add(&loop.Update{Var: next, Buf: own, At: g.at(b, sc, from.len), Value: g.atom(sc, loop.F64)})
	out := buffer{next, from.len}
	sc.bufs = append(sc.bufs, out)
	return out
}

// next is a buffer as long as another: a version of it, itself, or some other.
func (g *generator) next(b *loop.Builder, sc *scope, like buffer) buffer {
	switch g.IntN(6) {
	case 0:
		return like
	case 1:
		for range 8 {
			if other := recent(g, sc.bufs); other.v.Kind == loop.F64s && same(other.len, like.len) {
				return other
			}
		}
	}
	for range 1 + g.IntN(3) {
		like = g.version(b, sc, like)
		if g.IntN(2) == 0 {
			g.load(b, sc)
		}
	}
	return like
}

// carried is a loop with one or two such buffers as states.
func (g *generator) carried(b *loop.Builder, sc *scope, from buffer, depth int) {
	in, body := sc.inner(), &loop.Builder{}
	states := make([]loop.State, 1+g.IntN(2))
	for k := range states {
		init := from
		if g.IntN(3) == 0 {
			init = g.next(b, sc, from)
		}
		states[k] = loop.State{Var: loop.NewVar("s", loop.F64s), Init: init.v,
			Result: loop.NewVar("s", loop.F64s)}
		in.bufs = append(in.bufs, buffer{states[k].Var, from.len})
	}
	turn := func() []loop.Atom {
		g.stmts(body, in, depth-1)
		yield := make([]loop.Atom, len(states))
		for k := range states {
			yield[k] = g.next(body, in, buffer{states[g.IntN(len(states))].Var, from.len}).v
		}
		return yield
	}
	if g.o.Whiles && g.IntN(3) == 0 {
		turns := loop.State{Var: loop.NewVar("k", loop.I64), Init: loop.Int(0),
			Result: loop.NewVar("k", loop.I64)}
		cond := g.condition(in, turns.Var)
		g.add(in, turns.Var)
		yield := turn()
		yield = append(yield, body.Let("k", loop.AddI, turns.Var, loop.Int(1)))
		b.Add(&loop.While{States: append(states, turns), Cond: cond, Body: body.Block(yield...)})
	} else {
		s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: g.count(sc), States: states}
		in = in.within(s.Index, s.Count)
		s.Body = body.Block(turn()...)
		b.Add(s)
	}
	for _, st := range states {
		sc.bufs = append(sc.bufs, buffer{st.Result, from.len})
	}
}
