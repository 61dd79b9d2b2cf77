package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Fusion]
//
// Two parallel loops of one block that have the same count become one if the second does not need
// what the first computes as a whole. What stands between them moves: in front
// of them, or behind if it depends on the first. No access moves over a check that
// it may need: Note [Guards]. The second may read a buffer that the first
// writes if each turn reads just the element which the same turn has stored: the
// read becomes the value. Nobody may read the buffer any more then, and it goes away.
//
// So the value of a sum and its gradient, which runs the sum's body again, come to stand in
// one loop, where CSE finds that the body is there twice.

// Fuse joins parallel loops of the same count: Note [Fusion].
func Fuse(f *loop.Func) {
	u := &fuser{guards: guards{body: f.Body}}
	f.Body = u.block(f.Body)
}

type fuser struct {
	guards guards
	// What the first of two loops binds and writes, and what stays behind it does.
	mine, others dependents
	// What stands between two loops.
	before, behind []loop.Stmt
}

func (u *fuser) block(b *loop.Block) *loop.Block {
	stmts := b.Stmts
	for n := 0; n < len(stmts); n++ {
		if _, ok := stmts[n].(*loop.For); !ok {
			continue
		}
		for u.join(&stmts, n, b.Stmts) {
		}
	}
	joined := &loop.Block{Stmts: stmts}
	out := loop.Rebuild(joined)
	for i := out.Nested(joined, 0); i < len(stmts); i = out.Nested(joined, i+1) {
		out.Add(loop.MapBlocks(stmts[i], u.block))
	}
	return out.Rebuilt(b, b.Yield)
}

// reach bounds how far apart loops are that are joined.
const reach = 100

// pair tells whether a statement is a loop that may be joined with a parallel loop in front of it.
func pair(a *loop.For, s loop.Stmt) bool {
	b, ok := s.(*loop.For)
	return ok && b.Parallel && same(a.Count, b.Count)
}

// join joins the loop that is statement n with a later one, if it can. The statements are copied if
// they are still the old ones.
func (u *fuser) join(stmts *[]loop.Stmt, n int, old []loop.Stmt) bool {
	a, ok := (*stmts)[n].(*loop.For)
	if !ok || !a.Parallel {
		return false
	}
	last := min(n+reach, len(*stmts)-1) // of the loops that it may be joined with
	for last > n && !pair(a, (*stmts)[last]) {
		last--
	}
	if last == n {
		return false
	}
	var head *first // the first loop, when it is needed
	mine, others := &u.mine, &u.others
	mine.vars.Clear()
	others.vars.Clear()
	mine.add(a)
	before, behind := u.before[:0], u.behind[:0]
	defer func() { u.before, u.behind = before, behind }()
	own := u.guards.in(a) // whether the first loop has guards
	checked := false      // whether a guard stays behind
	for m := n + 1; m <= last; m++ {
		s := (*stmts)[m]
		depends, late := mine.needed(s), others.needed(s)
		if pair(a, s) && !late && !(checked && accesses(s)) {
			if head == nil {
				head = newFirst(a)
			}
			if x := s.(*loop.For); !depends || head.serves(x) {
				c := head.fused(x)
				if &(*stmts)[0] == &old[0] {
					*stmts = slices.Clone(old)
				}
				between := append(append(before, c), behind...)
				copy((*stmts)[n:], between)
				*stmts = slices.Delete(*stmts, n+len(between), m+1)
				return true
			}
		}
		if depends || late || updates(s) || (own || checked) && accesses(s) {
			others.add(s)
			behind = append(behind, s)
			checked = checked || u.guards.in(s)
		} else {
			before = append(before, s)
		}
	}
	return false
}

// dependents is what some statements bind and write.
type dependents struct{ vars loop.VarSet }

func (d *dependents) add(s loop.Stmt) {
	loop.Defs(s, d.vars.Add)
	written(s, d.vars.Add)
}

// updates tells whether a statement updates buffers, which nothing may read afterwards.
func updates(s loop.Stmt) bool { return isUpdate(s) || loop.AnyWithin(s, isUpdate) }

// needed tells whether a statement uses something of that.
func (d *dependents) needed(s loop.Stmt) bool {
	return !d.vars.Unused() && loop.Mentions(s, &d.vars)
}

// first is the first of two loops that may be joined.
type first struct {
	*loop.For
	stored map[*loop.Var]loop.Atom // what a turn stores at its index
	other  map[*loop.Var]bool      // what it writes in other ways
}

func newFirst(a *loop.For) *first {
	f := &first{For: a}
	for _, s := range a.Body.Stmts {
		st, ok := s.(*loop.Store)
		if ok && st.At == loop.Atom(a.Index) && f.stored[st.Buf] == nil && !f.other[st.Buf] {
			put(&f.stored, st.Buf, st.Value)
			continue
		}
		written(s, func(v *loop.Var) {
			put(&f.other, v, true)
			delete(f.stored, v)
		})
	}
	return f
}

// serves tells whether each turn of a second loop needs of the first just what the same turn has
// stored.
func (a *first) serves(b *loop.For) bool {
	if len(a.Reds) > 0 {
		var results dependents
		if loop.Defs(a.For, results.vars.Add); results.needed(b) {
			return false
		}
	}
	return a.servesBlock(b.Body, b.Index)
}

// servesBlock tells of a block of the second loop, whose index is i, whether it neither reads what
// the first loop writes in other ways, nor uses what it has stored but by reading it at the index.
func (a *first) servesBlock(b *loop.Block, i *loop.Var) bool {
	ok := true
	use := func(x loop.Atom) {
		if v, is := x.(*loop.Var); is && v.Kind.IsBuffer() {
			ok = ok && a.stored[v] == nil && !a.other[v]
		}
	}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Let, *loop.Alloc, *loop.Check:
		case *loop.Load:
			ok = !a.other[s.Buf] && (s.At == loop.Atom(i) || a.stored[s.Buf] == nil)
		case *loop.Store:
			ok = a.stored[s.Buf] == nil
		case *loop.Accum:
			ok = a.stored[s.Buf] == nil
		case *loop.Length:
			ok = a.stored[s.Buf] == nil
		default:
			loop.Uses(s, use)
			loop.Blocks(s, func(b *loop.Block) { ok = ok && a.servesBlock(b, i) })
		}
		if !ok {
			return false
		}
	}
	for _, x := range b.Yield {
		use(x)
	}
	return ok
}

// fused is two loops in one.
func (a *first) fused(b *loop.For) *loop.For {
	body := &loop.Block{Stmts: slices.Clone(a.Body.Stmts)}
	inner := newRewriter(nil)
	inner.subst.Set(b.Index, a.Index)
	inner.m.Block = func(x *loop.Block) *loop.Block {
		out := &loop.Block{}
		for _, s := range x.Stmts {
			if l, ok := s.(*loop.Load); ok && a.stored[l.Buf] != nil {
				inner.subst.Set(l.Var, inner.atom(a.stored[l.Buf]))
				continue
			}
			out.Stmts = append(out.Stmts, inner.m.Stmt(s))
		}
		out.Yield = inner.atoms(x.Yield)
		return out
	}
	second := inner.m.Block(b.Body)
	inner.release()
	body.Stmts = append(body.Stmts, second.Stmts...)
	body.Yield = slices.Concat(a.Body.Yield, second.Yield)
	return &loop.For{Index: a.Index, Count: a.Count, Parallel: true, Lanes: a.Lanes && b.Lanes,
		Reds: slices.Concat(a.Reds, b.Reds), Body: body}
}
