package jit

import "github.com/fluxion-lang/fluxion/internal/loop"

// effort estimates the work of a block: operations, and those of the loops in it.
type effort struct {
	own   float64
	loops []turning
}

// turning is the work of a loop's turns.
type turning struct {
	count loop.Atom // nil if it is not known
	half  bool      // count is that of a loop around whose index counts the turns: they are half as many, on average
	turn  effort
}

// someTurns is how many turns a loop of unknown length is taken to have.
const someTurns = 50

func effortOf(b *loop.Block) effort { return effortInside(b, map[*loop.Var]loop.Atom{}) }

// effortInside is that of a block inside of loops, of which the counts are given by their indices.
func effortInside(b *loop.Block, around map[*loop.Var]loop.Atom) effort {
	var out effort
	for _, s := range b.Stmts {
		out.own++
		switch s := s.(type) {
		case *loop.Let:
			out.own += float64(s.Op.Cost)
		case *loop.For:
			around[s.Index] = s.Count
			t := turning{count: s.Count, turn: effortInside(s.Body, around)}
			if v, ok := s.Count.(*loop.Var); ok && around[v] != nil {
				t.count, t.half = around[v], true
			}
			out.loops = append(out.loops, t)
		case *loop.While:
			for _, b := range []*loop.Block{s.Cond, s.Body} {
				out.loops = append(out.loops, turning{turn: effortInside(b, around)})
			}
		default:
			loop.Blocks(s, func(b *loop.Block) {
				in := effortInside(b, around)
				out.own += in.own
				out.loops = append(out.loops, in.loops...)
			})
		}
	}
	return out
}

// work is the effort in units of a cheap operation, where some integers are known.
func (e *effort) work(known func(*loop.Var) (int64, bool)) float64 {
	total := e.own
	for i := range e.loops {
		t := &e.loops[i]
		turns := float64(someTurns)
		switch count := t.count.(type) {
		case *loop.Const:
			turns = float64(max(count.I, 0))
		case *loop.Var:
			if n, ok := known(count); ok {
				turns = float64(max(n, 0))
			}
		}
		if t.half {
			turns /= 2
		}
		total += turns * t.turn.work(known)
	}
	return total
}

// unknown knows nothing.
func unknown(*loop.Var) (int64, bool) { return 0, false }
