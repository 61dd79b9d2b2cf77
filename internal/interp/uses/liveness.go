// Package uses says how the body of a function, in core, uses its variables: where each is used for
// the last time (Liveness), and where an array of arrays is updated in one of its rows (Rows). It
// knows core alone; package interp gives registers back, and updates arrays in place, by it.
package uses

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
)

// Liveness says for each statement which variables are used there for the
// last time, and for each variable how often it is used at all. Registers are
// given back accordingly.
//
// Inside the branches of an If or a Case a variable of the surrounding code
// can die too, each time in the branch that is taken. Inside the body of a
// loop it cannot: the next iteration needs it again; it Dies at the loop.
type Liveness struct {
	Dies map[core.Stmt][]*core.Var
	Uses core.VarMap[int]

	live  core.VarSet
	trail []*core.Var // variables made live, in order, for undoing
	free  map[any][]*core.Var
}

// LivenessOf computes that of a function's body.
func LivenessOf(body *core.Block) *Liveness {
	l := &Liveness{
		Dies: map[core.Stmt][]*core.Var{},
		free: map[any][]*core.Var{},
	}
	l.block(body)
	return l
}

// use makes a variable live and tells whether it was not.
func (l *Liveness) use(v *core.Var) bool {
	if l.live.Has(v) {
		return false
	}
	l.live.Add(v)
	l.trail = append(l.trail, v)
	return true
}

// block walks backwards from the live variables after the block.
func (l *Liveness) block(b *core.Block) {
	if v, ok := b.Result.(*core.Var); ok {
		*l.Uses.At(v)++
		l.use(v)
	}
	for i := len(b.Stmts) - 1; i >= 0; i-- {
		l.stmt(b.Stmts[i])
	}
}

func (l *Liveness) stmt(s core.Stmt) {
	switch s := s.(type) {
	case *core.Let:
		l.op(s, s.Op)
	case *core.LetRec:
		for _, fun := range s.Funs {
			l.captures(s, fun)
		}
		// Each function of the group may refer to the others, so that none of
		// them is dead before all are made; compile relies on no more.
	}
}

func (l *Liveness) dying(at core.Stmt, v *core.Var) {
	if l.use(v) {
		l.Dies[at] = append(l.Dies[at], v)
	}
}

// captures counts the free variables of a lambda as uses.
func (l *Liveness) captures(at core.Stmt, fun *core.Lambda) {
	for _, v := range l.FreeVars(fun) {
		*l.Uses.At(v) += 2 // a capture is more than the one use that fusion looks for
		l.dying(at, v)
	}
}

// FreeVars are the free variables of an operation, in the order of their first uses.
func (l *Liveness) FreeVars(op core.Op) []*core.Var {
	free, ok := l.free[op]
	if !ok {
		free = l.freeIn(op)
		l.free[op] = free
	}
	return free
}

// freeIn finds the free variables of an operation from those of the operations inside it, so that
// what is nested is walked once and not once for each level.
func (l *Liveness) freeIn(op core.Op) (free []*core.Var) {
	var done core.VarSet // bound inside, or found
	use := func(v *core.Var) {
		if !done.Has(v) {
			done.Add(v)
			free = append(free, v)
		}
	}
	parts := core.Parts{Bind: done.Add, Atom: func(a core.Atom) {
		if v, ok := a.(*core.Var); ok {
			use(v)
		}
	}}
	inner := func(op core.Op) {
		if !hasBlocks(op) {
			parts.Visit(op)
			return
		}
		for _, v := range l.FreeVars(op) {
			use(v)
		}
	}
	parts.Block = func(b *core.Block) {
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *core.Let:
				inner(s.Op)
				done.Add(s.Var)
			case *core.LetRec:
				for _, v := range s.Vars {
					done.Add(v)
				}
				for _, fun := range s.Funs {
					inner(fun)
				}
			}
		}
		parts.Atom(b.Result)
	}
	parts.Visit(op)
	return free
}

// hasBlocks tells whether there are blocks in an operation.
func hasBlocks(op core.Op) bool {
	switch op.(type) {
	case *core.Lambda, *core.If, *core.Case, *core.Build, *core.Map, *core.Reduce, *core.Scan,
		*core.Loop:
		return true
	}
	return false
}

func (l *Liveness) op(at core.Stmt, op core.Op) {
	switch op := op.(type) {
	case *core.Lambda:
		l.captures(at, op)
		return
	case *core.If:
		l.branches(at, op, op.Then, op.Else)
	case *core.Case:
		blocks := make([]*core.Block, 0, len(op.Arms)+1)
		for _, arm := range op.Arms {
			blocks = append(blocks, arm.Body)
		}
		if op.Default != nil {
			blocks = append(blocks, op.Default)
		}
		l.branches(at, op, blocks...)
	case *core.Build, *core.Map, *core.Reduce, *core.Scan, *core.Loop:
		for _, v := range l.FreeVars(op) {
			l.dying(at, v)
		}
		parts := core.Parts{Block: func(b *core.Block) {
			mark := len(l.trail)
			l.block(b)
			l.undo(mark)
		}}
		parts.Visit(op)
	}
	parts := core.Parts{Atom: func(a core.Atom) {
		if v, ok := a.(*core.Var); ok {
			*l.Uses.At(v)++
			l.dying(at, v)
		}
	}}
	parts.Visit(op)
}

// branches walks blocks of which one runs.
func (l *Liveness) branches(at core.Stmt, op core.Op, blocks ...*core.Block) {
	for _, b := range blocks {
		mark := len(l.trail)
		l.block(b)
		l.undo(mark)
	}
	for _, v := range l.FreeVars(op) {
		l.dying(at, v)
	}
}

// prolong lets a variable that dies with one of some statements, or inside of one, die with a later
// one of the same block.
func (l *Liveness) prolong(v *core.Var, before []core.Stmt, last core.Stmt) {
	found := false
	core.Walk(&core.Block{Stmts: before}, func(s core.Stmt) {
		if slices.Contains(l.Dies[s], v) {
			l.Dies[s] = slices.DeleteFunc(slices.Clone(l.Dies[s]),
				func(x *core.Var) bool { return x == v })
			found = true
		}
	})
	if found {
		l.Dies[last] = append(l.Dies[last], v)
	}
}

func (l *Liveness) undo(mark int) {
	for _, v := range l.trail[mark:] {
		l.live.Remove(v)
	}
	l.trail = l.trail[:mark]
}
