package pass

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Hoisting]
//
// What is computed in each turn of a loop and does not depend on the turn moves in front of the
// loop: operations, and buffers with the loops that fill them. In front of a loop it runs even if
// the loop has no turn. Operations cannot fail; but a read might be out of range, and a length
// negative. So a read moves only if the loop is known to have a turn, and not over a check that may
// be about its index (Note [Guards]), nor does a loop with reads or writes; an inner loop and a
// buffer move with a count and length that are 0 if the outer loop has no turn:
//
//	for i < n { t = alloc f64s k; for j < k { t[j] = exp q[j] }; … }
//	k' = select.i (lt.i 0 n) k 0; t = alloc f64s k'; for j < k' { t[j] = exp q[j] }; for i < n { … }

//
// For a target, an outermost loop with inner loops that keep such reads is there twice: for when
// they have turns, and for when they have none:
//
//	for i < n { …; for j < k, add.f from 0.0 { x = xs[a]; … } gives t; … t … }
//	if (lt.i 0 k) { for i < n { …; x = xs[a]; for j < k, add.f from 0.0 { … } gives t; … t … } } else { for i < n { …; … 0.0 … } }

// Hoist moves what does not depend on the turn out of loops: Note [Hoisting].
func Hoist(f *loop.Func) {
	hoist(f, false)
}

// HoistReads also moves reads out of inner loops that may have no turn: Note [Hoisting].
func HoistReads(f *loop.Func) {
	hoist(f, true)
}

func hoist(f *loop.Func, branches bool) {
	h := hoisters.Get().(*hoister)
	h.consumed, h.guards.body, h.branches = loop.Updated(f.Body), f.Body, branches
	f.Body = h.block(f.Body)
	h.consumed, h.guards.body = nil, nil
	h.guards.real.Clear()
	hoisters.Put(h)
}

type hoister struct {
	consumed map[*loop.Var]bool
	guards   guards
	positive []loop.Atom // counts of the loops around
	branches bool        // an outermost loop may become two

	// What staying works with: variables that depend on the turn, buffers that are made in the
	// body, and in a loop in it, and the statements that stay.
	varies, mine, inside loop.VarSet
	stays                []bool
}

// hoisters keep the memory of the sets.
var hoisters = sync.Pool{New: func() any { return &hoister{} }}

func (h *hoister) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
		s := b.Stmts[i]
		x, ok := s.(*loop.For)
		if !ok {
			out.Add(loop.MapBlocks(s, h.block))
			continue
		}
		if h.branches && len(h.positive) == 0 {
			if count := h.holding(x); count != nil {
				h.twice(out, x, count)
				continue
			}
		}
		h.positive = append(h.positive, x.Count)
		x = loop.MapBlocks(x, h.block).(*loop.For)
		h.positive = h.positive[:len(h.positive)-1]
		h.loop(out, x)
	}
	return out.Rebuilt(b, b.Yield)
}

// mostTwice is how many statements a loop may have that becomes two: each of its counts makes two
// of it.
const mostTwice = 512

// holding is the count of loops in a loop that have reads which could leave them if they were known
// to have a turn, or nil.
func (h *hoister) holding(s *loop.For) (count *loop.Var) {
	if size(s.Body) > mostTwice {
		return nil
	}
	var inside *loop.VarSet // what is bound in the loop, once that is asked
	loop.Any(s.Body, func(x loop.Stmt) bool {
		f, ok := x.(*loop.For)
		if !ok {
			return false
		}
		n, ok := f.Count.(*loop.Var)
		if !ok || n == s.Count || h.sure(n) {
			return false
		}
		if inside == nil {
			inside = loop.Local(s)
			loop.Params(s, inside.Add)
		}
		if !inside.Has(n) && h.held(f) {
			count = n
		}
		return count != nil
	})
	if inside != nil {
		inside.Release()
	}
	return count
}

// held tells whether a loop has reads that could leave it if it were known to have a turn.
func (h *hoister) held(s *loop.For) bool {
	now := slices.Clone(h.staying(s, false))
	sure := h.staying(s, true)
	for i, x := range s.Body.Stmts {
		if _, ok := x.(*loop.Load); ok && now[i] && !sure[i] {
			return true
		}
	}
	return false
}

// twice appends a loop for when loops in it of some count have turns, and for when they have not.
func (h *hoister) twice(out *loop.Builder, s *loop.For, count *loop.Var) {
	x := &loop.If{Cond: out.Let("some", loop.LtI, loop.Int(0), count)}
	for _, st := range s.States {
		x.Results = append(x.Results, st.Result)
	}
	for _, r := range s.Reds {
		x.Results = append(x.Results, r.Result)
	}
	copied := func(b *loop.Block) *loop.For {
		y := *s
		y.Body = b
		c := loop.NewCopier()
		defer c.Release()
		return c.Stmt(&y).(*loop.For)
	}
	branch := func(y *loop.For, positive ...loop.Atom) *loop.Block {
		h.positive = append(h.positive, positive...)
		b := &loop.Block{Stmts: []loop.Stmt{y}}
		for _, st := range y.States {
			b.Yield = append(b.Yield, st.Result)
		}
		for _, r := range y.Reds {
			b.Yield = append(b.Yield, r.Result)
		}
		h.guards.more(b)
		for v := range loop.Updated(b) { // under the names of the copy
			h.consumed[v] = true
		}
		b = h.block(b)
		h.positive = h.positive[:len(h.positive)-len(positive)]
		return b
	}
	e := &emptied{count: count}
	e.rewriter = newRewriter(e.block)
	x.Then = branch(copied(s.Body), count)
	h.branches = false // the rest is for arrays without elements
	x.Else = branch(copied(e.block(s.Body)))
	h.branches = true
	e.release()
	out.Add(x)
}

// emptied replaces the loops of some count, which have no turn, by their starts.
type emptied struct {
	*rewriter
	count *loop.Var
}

func (e *emptied) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		f, ok := s.(*loop.For)
		if !ok || f.Count != loop.Atom(e.count) {
			out.Add(e.m.Stmt(s))
			continue
		}
		for _, st := range f.States {
			e.subst.Set(st.Result, e.atom(st.Init))
		}
		for _, r := range f.Reds {
			e.subst.Set(r.Result, e.atom(r.Init))
		}
	}
	return out.Rebuilt(b, e.atoms(b.Yield))
}

// loop appends a loop after what can leave it.
func (h *hoister) loop(out *loop.Builder, s *loop.For) {
	sure := h.sure(s.Count)
	stays := h.staying(s, sure)
	if slices.Contains(stays, false) {
		leaving, body := []loop.Stmt(nil), make([]loop.Stmt, 0, len(stays))
		for i, x := range s.Body.Stmts {
			if stays[i] {
				body = append(body, x)
			} else {
				leaving = append(leaving, x)
			}
		}
		g := &guard{out: out, count: s.Count, sure: sure, done: map[loop.Atom]loop.Atom{}}
		for _, x := range leaving {
			switch x := x.(type) {
			case *loop.Alloc:
				out.Add(&loop.Alloc{Var: x.Var, Len: g.size(x.Len), Zero: x.Zero})
			case *loop.For:
				y := *x
				y.Count = g.size(x.Count)
				out.Add(&y)
			default:
				out.Add(x)
			}
		}
		left := *s
		left.Body = &loop.Block{Stmts: body, Yield: s.Body.Yield}
		s = &left
	}
	out.Add(s)
}

// sure tells whether a loop of a count is known to have a turn.
func (h *hoister) sure(count loop.Atom) bool {
	if k, ok := count.(*loop.Const); ok {
		return k.I > 0
	}
	for _, a := range h.positive {
		if same(a, count) {
			return true
		}
	}
	return false
}

// guard makes sizes that are 0 if a loop has no turn.
type guard struct {
	out   *loop.Builder
	count loop.Atom
	sure  bool
	some  loop.Atom // whether it has a turn
	done  map[loop.Atom]loop.Atom
}

func (g *guard) size(n loop.Atom) loop.Atom {
	if g.sure || same(n, g.count) {
		return n
	}
	if g.done[n] == nil {
		if g.some == nil {
			g.some = g.out.Let("some", loop.LtI, loop.Int(0), g.count)
		}
		g.done[n] = g.out.Let("n", loop.SelI, g.some, n, loop.Int(0))
	}
	return g.done[n]
}

// staying says which statements of a loop's body must stay in it, until it is asked again.
func (h *hoister) staying(s *loop.For, sure bool) []bool {
	h.varies.Clear()
	h.mine.Clear()
	vary := h.varies.Add
	loop.Params(s, vary)
	for _, x := range s.Body.Stmts {
		if x, ok := x.(*loop.Alloc); ok {
			h.mine.Add(x.Var)
			if h.consumed[x.Var] {
				vary(x.Var)
			}
		}
	}
	for _, a := range s.Body.Yield {
		if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() {
			vary(v)
		}
	}
	// A statement comes after those that bind what it uses. Only a write may make something vary
	// that stands in front of it: what else is written to the buffer, and the buffer.
	h.stays = append(h.stays[:0], make([]bool, len(s.Body.Stmts))...)
	stays, again := h.stays, true
	mark := func(v *loop.Var) {
		again = again || !h.varies.Has(v)
		vary(v)
	}
	for again {
		again = false
		checked := false
		for i, x := range s.Body.Stmts {
			before := checked
			checked = checked || h.guards.in(x)
			if stays[i] || !(before && accesses(x)) && !h.depends(x, sure) {
				continue
			}
			stays[i] = true
			switch x := x.(type) {
			case *loop.Let:
				h.varies.Add(x.Var)
			case *loop.Load:
				h.varies.Add(x.Var)
			default:
				loop.Defs(x, vary)
				written(x, mark)
			}
		}
	}
	return stays
}

// depends tells whether a statement depends on the turn, or cannot leave for another reason.
func (h *hoister) depends(x loop.Stmt, sure bool) bool {
	varies, found := &h.varies, false
	switch x := x.(type) {
	case *loop.Let:
		return slices.ContainsFunc(x.Args, varies.HasAtom)
	case *loop.Length:
		return varies.Has(x.Buf)
	case *loop.Alloc:
		return varies.HasAtom(x.Len) || varies.Has(x.Var)
	case *loop.Load:
		return !sure || varies.Has(x.Buf) || varies.HasAtom(x.At)
	case *loop.For:
		if loop.Mentions(x, varies) {
			return true
		}
		h.inside.Clear()
		loop.Walk(x.Body, func(y loop.Stmt) {
			switch y := y.(type) {
			case *loop.Check, *loop.Call, *loop.While, *loop.Update, *loop.Copy:
				found = true
			case *loop.Alloc:
				h.inside.Add(y.Var)
			}
		})
		written(x, func(v *loop.Var) { found = found || !h.mine.Has(v) && !h.inside.Has(v) })
	default:
		return true
	}
	return found
}
