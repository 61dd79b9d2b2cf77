// Package pass improves functions of the loop form. Each pass is a function that
// changes the body of a loop.Func and keeps its meaning; the statements of the old
// body are not modified. Optimize runs them all (optimize.go).
//
//	simplify.go     algebra of zeros and ones; cse.go what was computed before, dead.go what nothing needs
//	check.go        checks that hold; early.go and late.go where the others stand, guards.go what they tell
//	hoist.go        out of loops; inward.go into branches, sink.go linear work out of loops
//	finite.go       terms of what is only tested for being finite
//	fuse.go         two loops made one; split.go one made two, twins.go loops that run the same body
//	accum.go        additions made stores
//	flat.go         a nest and a loop over what it has stored made one nest
//	inplace.go      copies that are not needed; place.go, forward.go and reuse.go buffers that are not
//	unroll.go       loops of few turns; offsets.go the addresses in them, peel.go the first turn,
//	                interchange.go nests, branch.go branches
//	lanes.go        what a target runs in vectors; strides.go and relayout.go how memory is read then,
//	                transpose.go matrices of recurrences, tile.go and alike.go products of matrices
//
// What they know: number.go and intern.go which values are equal, prover.go, affine.go and span.go
// integers, liveness.go what is needed, rows.go which rows a buffer has, known.go what one pass
// leaves for another.
//
// A pass may assume that the function verifies, and that it can only fail by a Check:
// a negative count of a loop or length of a buffer that nothing depends on
// is not a failure. Operations on doubles keep their IEEE meaning; totals
// may be reordered, as Note [Loops] of package loop allows.
package pass

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// rewriter rebuilds a body while variables are replaced.
type rewriter struct {
	subst loop.VarMap[loop.Atom]
	m     loop.Mapper
}

var rewriters = sync.Pool{New: func() any {
	r := &rewriter{}
	r.m = loop.Mapper{Use: r.atom, Share: true}
	return r
}}

// newRewriter makes a rewriter that handles blocks by a function.
func newRewriter(block func(*loop.Block) *loop.Block) *rewriter {
	r := rewriters.Get().(*rewriter)
	r.m.Block = block
	return r
}

// release gives the memory of a rewriter that is not used any more back, for others.
func (r *rewriter) release() {
	r.subst.Clear()
	r.m.Block = nil
	rewriters.Put(r)
}

// atom is what an atom has become.
func (r *rewriter) atom(a loop.Atom) loop.Atom {
	for {
		v, ok := a.(*loop.Var)
		if !ok {
			return a
		}
		to := r.subst.Get(v)
		if to == nil {
			return a
		}
		a = to
	}
}

// let is what an operation has become.
func (r *rewriter) let(s *loop.Let) *loop.Let {
	for i, a := range s.Args {
		if v, ok := a.(*loop.Var); ok && r.subst.Get(v) != nil {
			var room [3]loop.Atom
			args := room[:copy(room[:], s.Args)]
			for k := i; k < len(args); k++ {
				args[k] = r.atom(args[k])
			}
			return loop.NewLet(s.Var, s.Op, args...)
		}
	}
	return s
}

// atoms is what atoms have become; if none has changed, the same slice.
func (r *rewriter) atoms(as []loop.Atom) []loop.Atom {
	for i, a := range as {
		v, ok := a.(*loop.Var)
		if !ok || r.subst.Get(v) == nil {
			continue
		}
		out := slices.Clone(as)
		for k := i; k < len(out); k++ {
			out[k] = r.atom(out[k])
		}
		return out
	}
	return as
}

// without is a slice without the elements that are dropped: the slice itself if none is.
func without[T any](xs []T, dropped []bool) []T {
	if !slices.Contains(dropped, true) {
		return xs
	}
	var out []T
	for i, x := range xs {
		if !dropped[i] {
			out = append(out, x)
		}
	}
	return out
}

// yielding is a block that yields other atoms: the block itself if they are as many.
func yielding(b *loop.Block, yield []loop.Atom) *loop.Block {
	if len(yield) == len(b.Yield) {
		return b
	}
	return &loop.Block{Stmts: b.Stmts, Yield: yield}
}

// same tells whether two atoms are one variable or equal literals.
func same(a, b loop.Atom) bool {
	if a == b {
		return true
	}
	x, ok := a.(*loop.Const)
	y, ok2 := b.(*loop.Const)
	return ok && ok2 && x.Kind == y.Kind && x.Word() == y.Word()
}

// written calls f with each buffer that a statement writes to, at any depth.
func written(s loop.Stmt, f func(*loop.Var)) {
	switch s := s.(type) {
	case *loop.Store:
		f(s.Buf)
	case *loop.Accum:
		f(s.Buf)
	case *loop.Call:
		for _, v := range s.AddedTo() {
			f(v)
		}
	case *loop.For:
		writtenIn(s.Body, f)
	case *loop.While:
		writtenIn(s.Cond, f)
		writtenIn(s.Body, f)
	case *loop.If:
		writtenIn(s.Then, f)
		writtenIn(s.Else, f)
	}
}

func writtenIn(b *loop.Block, f func(*loop.Var)) {
	for _, s := range b.Stmts {
		switch s.(type) {
		case *loop.Let, *loop.Load: // most are
		default:
			written(s, f)
		}
	}
}
