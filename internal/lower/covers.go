package lower

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Lowering may differentiate a block before it finds that it cannot lower it. A summary of the
// block, which is made in one walk, tells so sooner.

// summary is what is known of a block, or of a definition, without lowering it.
type summary struct {
	covered bool
	size    int  // operations, those of derivatives counted for what becomes of them
	watches bool // errors of an approximation are watched in it
}

// derivedSize is how many operations a derivative makes of one.
const derivedSize = 6

// Watches tells whether a block, or what it calls, watches errors of an approximation.
func (s *Source) Watches(b *core.Block) bool {
	s.summing.Lock()
	defer s.summing.Unlock()
	return s.summarise(b).watches
}

// Covers tells whether a block, and what it calls, has nothing in it that is never covered, and how
// many operations they have. Lowering it may still fail.
func (s *Source) Covers(b *core.Block) (covered bool, size int) {
	s.summing.Lock()
	defer s.summing.Unlock()
	sum := s.summarise(b)
	return sum.covered, sum.size
}

// most bounds sizes: those of derivatives in each other multiply.
const most = 1 << 40

// plus is a summary of this and another part.
func (s summary) plus(t summary) summary {
	return summary{s.covered && t.covered, min(s.size+t.size, most), s.watches || t.watches}
}

// summariser makes summaries of the blocks in one, each once.
type summariser struct {
	*Source
	funs map[core.Atom]*core.Block // local functions
	kept map[*core.Var]bool        // keptIn
	done map[*core.Block]summary
}

func (s *Source) summarise(b *core.Block) summary {
	z := &summariser{s, map[core.Atom]*core.Block{}, keptIn(b), map[*core.Block]summary{}}
	return z.block(b)
}

// used is what an atom adds.
func (z *summariser) used(a core.Atom) summary {
	if g, ok := a.(*core.Global); ok {
		return z.summariseDef(g.Name)
	}
	return summary{covered: true}
}

func (z *summariser) block(b *core.Block) summary {
	if sum, ok := z.done[b]; ok {
		return sum
	}
	sum := summary{covered: true}
	add := func(t summary) { sum = sum.plus(t) }
	size := func(n int) { add(summary{covered: true, size: min(n, most)}) }
	parts := core.Parts{
		Block: func(b *core.Block) { add(z.block(b)) },
		Atom:  func(a core.Atom) { add(z.used(a)) },
	}
	for _, stmt := range b.Stmts {
		let, ok := stmt.(*core.Let)
		if !ok {
			for _, f := range stmt.(*core.LetRec).Funs {
				parts.Visit(f)
			}
			continue
		}
		size(1)
		switch op := let.Op.(type) {
		case *core.Lambda:
			z.funs[let.Var] = op.Body
			body := z.block(op.Body)
			body.covered = body.covered || z.kept[let.Var]
			add(body)
			continue
		case *core.Tuple, *core.Record:
			core.OpAtoms(op, func(a core.Atom) {
				of := z.used(a)
				of.covered = true
				add(of)
			})
			continue
		case *core.Prim:
			sum.watches = sum.watches || op.Prim.ID == prim.Deviation
			sum.covered = sum.covered && hasRow(op) && (op.Prim.ID != prim.Note || !z.Watched)
			switch op.Prim.ID {
			case prim.Reverse, prim.Forward:
				size(derivedSize * z.functionOf(op.Args[0]).size)
			case prim.Jacobian:
				size(2 * derivedSize * z.functionOf(op.Args[0]).size)
			}
		case *core.Construct:
			sum.covered = sum.covered && !makesNode(op)
		case *core.Case:
			data, ok := types.Resolve(op.Of.Type()).(*types.Data)
			sum.covered = sum.covered && ok && (!isNode(data) || DataShapeOf(data) != nil)
		}
		parts.Visit(let.Op)
	}
	add(z.used(b.Result))
	z.done[b] = sum
	return sum
}

// keptIn gives the local functions of a block that are only put into records and tuples. Such a
// function is lowered where it is taken out and called, if it is: the quantiles of a distribution
// do not matter to a program that uses its density.
func keptIn(b *core.Block) map[*core.Var]bool {
	var kept map[*core.Var]bool
	core.Walk(b, func(stmt core.Stmt) {
		if let, ok := stmt.(*core.Let); ok {
			if _, function := let.Op.(*core.Lambda); function {
				if kept == nil {
					kept = map[*core.Var]bool{}
				}
				kept[let.Var] = true
			}
		}
	})
	if kept == nil {
		return nil
	}
	others := map[*core.Var]int{} // how often each is used otherwise
	count := func(a core.Atom, n int) {
		if v, ok := a.(*core.Var); ok && kept[v] {
			others[v] += n
		}
	}
	core.Walk(b, func(stmt core.Stmt) {
		if let, ok := stmt.(*core.Let); ok {
			switch let.Op.(type) {
			case *core.Tuple, *core.Record:
				core.OpAtoms(let.Op, func(a core.Atom) { count(a, -1) })
			}
		}
	})
	core.Atoms(b, func(a core.Atom) { count(a, 1) })
	for v, n := range others {
		kept[v] = n == 0
	}
	return kept
}

// unknownSize is the size that a function which is not known is taken to have.
const unknownSize = 20

// functionOf looks at a function that is differentiated, a local one or a definition.
func (z *summariser) functionOf(f core.Atom) summary {
	if body := z.funs[f]; body != nil {
		return z.block(body)
	}
	if g, ok := f.(*core.Global); ok {
		return z.summariseDef(g.Name)
	}
	return summary{covered: true, size: unknownSize}
}

// summariseDef looks at a definition once. A constant that may be an argument is fine whatever it
// is made of.
func (s *Source) summariseDef(name string) summary {
	if sum, ok := s.summaries[name]; ok {
		return sum
	}
	s.summaries[name] = summary{covered: true} // where it calls itself
	def := s.defs[name]
	sum := summary{}
	switch {
	case def == nil:
	case def.Function() == nil && !isSmall(def.Body) && DataShapeOf(def.Type) != nil:
		sum.covered = true
	case def.Function() != nil:
		sum = s.summarise(def.Function().Body)
	default:
		sum = s.summarise(def.Body)
	}
	s.summaries[name] = sum
	return sum
}

// hasRow tells whether there is a way to lower a primitive.
func hasRow(op *core.Prim) bool {
	p := op.Prim
	if structural[p.ID] != nil || p.Regular != "" || integers[p.ID] != nil || p.Order != 0 {
		return true
	}
	switch p.Float.(type) {
	case prim.Constant, prim.FromInt, prim.ToInt, prim.Bool1:
		return true
	}
	return loop.OfPrim(p) != nil
}
