package pass

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Only whether finite]
//
// A gradient checks that the value of its function is finite, and needs no more of it:
//
//	for i < n, add.f from 0.0 { …; l = log t; y = add.f l r; yield y } gives total
//	size = abs.f total; finite = lt.f size inf; check finite
//
// Where only that is asked of a sum, a term whose size is bounded can be replaced by 0 where it is
// finite, and by NaN elsewhere. A logarithm is finite where its argument is positive and finite, and
// its size is below 745.2; a sine or cosine is finite where its argument is. Such a term cannot make a
// sum of other numbers overflow or keep it from doing so: if all the numbers by which it is
// multiplied on the way are below 2^100 each, and are no more than eight, it is below 2^810, while
// the largest doubles are 2^970 apart.

const (
	finiteFactor  = 0x1p100
	finiteFactors = 8
)

// finiteWhere has the operations whose results are bounded, and says where they are finite.
var finiteWhere = map[*loop.Op]func(b *loop.Builder, x loop.Atom) loop.Atom{
	loop.Lookup("log"): func(b *loop.Builder, x loop.Atom) loop.Atom {
		positive := b.Let("positive", loop.LtF, loop.Real(0), x)
		return b.Let("finite", loop.And, positive, b.Let("below", loop.LtF, x, loop.Real(math.Inf(1))))
	},
	loop.Lookup("sin"): finiteArgument,
	loop.Lookup("cos"): finiteArgument,
}

func finiteArgument(b *loop.Builder, x loop.Atom) loop.Atom {
	return b.Let("finite", loop.LtF, b.Let("size", loop.AbsF, x), loop.Real(math.Inf(1)))
}

// Finite replaces bounded terms of what is only tested for being finite: Note [Only whether finite].
func Finite(f *loop.Func) {
	if !loop.Any(f.Body, func(s loop.Stmt) bool { let, ok := s.(*loop.Let); return ok && finiteWhere[let.Op] != nil }) {
		return
	}
	t := &finiteTerms{uses: map[*loop.Var]int{}, defs: map[*loop.Var]loop.Stmt{}, found: map[loop.Stmt]bool{}}
	loop.AllUses(f.Body, func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok {
			t.uses[v]++
		}
	})
	var checks []*loop.Check
	loop.Walk(f.Body, func(s loop.Stmt) {
		loop.Defs(s, func(v *loop.Var) { t.defs[v] = s })
		if c, ok := s.(*loop.Check); ok {
			checks = append(checks, c)
		}
	})
	for _, c := range checks {
		less := t.once(c.Cond, loop.LtF)
		if less == nil {
			continue
		}
		if inf, ok := less.Args[1].(*loop.Const); !ok || !math.IsInf(inf.F, 1) {
			continue
		}
		if size := t.once(less.Args[0], loop.AbsF); size != nil {
			t.find(size.Args[0], finiteFactors)
		}
	}
	if len(t.found) > 0 {
		f.Body = t.block(f.Body)
	}
}

// finiteTerms finds the terms that can be replaced.
type finiteTerms struct {
	uses  map[*loop.Var]int
	defs  map[*loop.Var]loop.Stmt
	found map[loop.Stmt]bool
}

// once returns the operation of a kind that defines an atom which is used nowhere else, or nil.
func (t *finiteTerms) once(a loop.Atom, op *loop.Op) *loop.Let {
	if v, ok := a.(*loop.Var); ok && t.uses[v] == 1 {
		if let, ok := t.defs[v].(*loop.Let); ok && let.Op == op {
			return let
		}
	}
	return nil
}

// find finds the terms of an atom of which only is asked whether it is finite. They may be
// multiplied by so many more factors.
func (t *finiteTerms) find(a loop.Atom, factors int) {
	v, ok := a.(*loop.Var)
	if !ok || t.uses[v] != 1 {
		return
	}
	switch s := t.defs[v].(type) {
	case *loop.Let:
		switch {
		case finiteWhere[s.Op] != nil:
			t.found[s] = true
		case s.Op == loop.AddF || s.Op == loop.SubF || s.Op == loop.NegF:
			for _, x := range s.Args {
				t.find(x, factors)
			}
		case s.Op == loop.MulF && factors > 0:
			for i, x := range s.Args {
				if c, ok := s.Args[1-i].(*loop.Const); ok && math.Abs(c.F) <= finiteFactor {
					t.find(x, factors-1)
				}
			}
		}
	case *loop.For:
		for i, r := range s.Reds {
			if r.Result == v && r.Op == loop.AddF {
				t.find(s.Body.Yield[len(s.States)+i], factors)
			}
		}
	}
}

// block replaces what was found.
func (t *finiteTerms) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if !t.found[s] {
			out.Add(loop.MapBlocks(s, t.block))
			continue
		}
		let := s.(*loop.Let)
		finite := finiteWhere[let.Op](out, let.Args[0])
		out.Add(loop.NewLet(let.Var, loop.SelF, finite, loop.Real(0), loop.Real(math.NaN())))
	}
	return out.Rebuilt(b, b.Yield)
}
