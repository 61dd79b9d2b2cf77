package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Inward moves operations that only one side of a branch needs to the start of that side. It is the
// last pass: others want operations as far outside as they can be.
//
//	m = mul.i i n; if c { x = xs[m]; … } else { … }    →    if c { m = mul.i i n; x = xs[m]; … } else { … }
func Inward(f *loop.Func) {
	m := &inwardMover{}
	f.Body = m.block(f.Body)
}

func isIf(s loop.Stmt) bool {
	_, ok := s.(*loop.If)
	return ok
}

// inwardMover moves the operations of a block into its branches.
type inwardMover struct {
	users loop.VarMap[user] // of the variables that operations of the block bind
	kept  []loop.Stmt       // what stays in the block, after what stays in those around it
}

// user says who needs a variable that an operation of the block binds: nobody so far, several, or
// just the side of a branch with that number. It is 0 for other variables.
type user int32

const (
	nobody user = 1 + iota
	several
	firstSide
)

func (m *inwardMover) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	if !slices.ContainsFunc(b.Stmts, isIf) {
		for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
			out.Add(loop.MapBlocks(b.Stmts[i], m.block))
		}
		return out.Rebuilt(b, b.Yield)
	}
	first := len(m.kept)
	m.move(b)
	for i := first; i < len(m.kept); i++ {
		out.Add(loop.MapBlocks(m.kept[i], m.block))
	}
	m.kept = m.kept[:first]
	return out.Rebuilt(b, b.Yield)
}

// move keeps the statements of a block that stay in it, and moves the others.
func (m *inwardMover) move(b *loop.Block) {
	for _, s := range b.Stmts {
		if let, ok := s.(*loop.Let); ok {
			m.users.Set(let.Var, nobody)
		}
	}
	var side user // that needs something
	need := func(a loop.Atom) {
		v, ok := a.(*loop.Var)
		if !ok {
			return
		}
		switch m.users.Get(v) {
		case 0, several, side:
		case nobody:
			m.users.Set(v, side)
		default:
			m.users.Set(v, several)
		}
	}
	side = several
	for _, a := range b.Yield {
		need(a)
	}
	var moved [][]loop.Stmt // to the sides of the branches, the last first
	for _, s := range slices.Backward(b.Stmts) {
		side = several
		switch x := s.(type) {
		case *loop.Let:
			if to := m.users.Get(x.Var); to >= firstSide {
				moved[to-firstSide] = append(moved[to-firstSide], x)
				side = to
			}
			loop.Uses(x, need)
		case *loop.If:
			need(x.Cond)
			for _, b := range []*loop.Block{x.Then, x.Else} {
				side = firstSide + user(len(moved))
				loop.AllUses(b, need)
				moved = append(moved, nil)
			}
		default:
			loop.Uses(s, need)
			loop.Blocks(s, func(b *loop.Block) { loop.AllUses(b, need) })
		}
	}
	branch := len(moved) // the number of its Then
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *loop.Let:
			if m.users.Get(x.Var) >= firstSide {
				continue
			}
		case *loop.If:
			branch -= 2
			then, otherwise := started(x.Then, moved[branch]), started(x.Else, moved[branch+1])
			if then != x.Then || otherwise != x.Else {
				s = &loop.If{Results: x.Results, Cond: x.Cond, Then: then, Else: otherwise}
			}
		}
		m.kept = append(m.kept, s)
	}
	m.users.Clear()
}

// started is a block with more statements at its start, the last first.
func started(b *loop.Block, more []loop.Stmt) *loop.Block {
	if len(more) == 0 {
		return b
	}
	slices.Reverse(more)
	return &loop.Block{Stmts: slices.Concat(more, b.Stmts), Yield: b.Yield}
}
