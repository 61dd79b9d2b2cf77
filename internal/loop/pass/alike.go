package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Nests that are alike]
//
// A nest that runs as it was, since its matrices are small, is in lanes and as much code as some
// tiles. Most products of a program have the same layout, so that their nests differ in the names
// of variables alone. Such nests become calls of one function, whose parameters are the variables
// from outside.

// sharedNest is a nest that others may be alike.
type sharedNest struct {
	first *loop.For
	at    *loop.Block // where it runs
	f     *loop.Func  // what is called in its place, once there is another
	// outermost is whether it matters that no loop is around the nest.
	outermost bool
}

// asItWas is a block with a nest: Note [Nests that are alike]. No function is called both for nests
// that are outermost and for others.
func (t *tiler) asItWas(s *loop.For, outermost bool) *loop.Block {
	b := &loop.Block{Stmts: []loop.Stmt{s}}
	for _, n := range t.nests {
		r := &renaming{to: map[*loop.Var]*loop.Var{}, bound: map[*loop.Var]bool{}}
		if n.outermost != outermost || !r.stmt(n.first, s) {
			continue
		}
		if n.f == nil {
			n.f = n.function()
			t.made = append(t.made, n.f)
		}
		call := &loop.Call{Func: n.f}
		for _, p := range n.f.Params {
			call.Args = append(call.Args, r.to[p])
		}
		b.Stmts[0] = call
		return b
	}
	t.nests = append(t.nests, &sharedNest{first: s, at: b, outermost: outermost})
	return b
}

// function makes a function of the nest, and a call of that where it runs.
func (n *sharedNest) function() *loop.Func {
	f := &loop.Func{Name: "product.small", Body: &loop.Block{Stmts: []loop.Stmt{n.first}}}
	var to loop.VarSet
	written(n.first, to.Add)
	var last []*loop.Var
	for _, v := range loop.Free(f.Body) {
		if to.Has(v) {
			last = append(last, v)
		} else {
			f.Params = append(f.Params, v)
		}
	}
	f.Params, f.Adds = append(f.Params, last...), len(last)
	call := &loop.Call{Func: f}
	for _, p := range f.Params {
		call.Args = append(call.Args, p)
	}
	n.at.Stmts[0] = call
	return f
}

// renaming tells whether statements are others with other names for the variables that they bind,
// and for those from outside.
type renaming struct {
	to    map[*loop.Var]*loop.Var
	bound map[*loop.Var]bool // by the other statements
}

func (r *renaming) atom(a, b loop.Atom) bool {
	x, ok := a.(*loop.Var)
	y, ok2 := b.(*loop.Var)
	if !ok || !ok2 {
		return !ok && !ok2 && same(a, b)
	}
	if old := r.to[x]; old != nil {
		return old == y
	}
	if x.Kind != y.Kind || r.bound[y] {
		return false
	}
	r.to[x] = y
	return true
}

func (r *renaming) atoms(as, bs []loop.Atom) bool {
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if !r.atom(as[i], bs[i]) {
			return false
		}
	}
	return true
}

func (r *renaming) bind(x, y *loop.Var) bool {
	r.to[x], r.bound[y] = y, true
	return x.Kind == y.Kind
}

func (r *renaming) block(a, b *loop.Block) bool {
	if len(a.Stmts) != len(b.Stmts) {
		return false
	}
	for i := range a.Stmts {
		if !r.stmt(a.Stmts[i], b.Stmts[i]) {
			return false
		}
	}
	return r.atoms(a.Yield, b.Yield)
}

// stmt knows the statements that products of matrices are made of.
func (r *renaming) stmt(a, b loop.Stmt) bool {
	switch x := a.(type) {
	case *loop.Let:
		y, ok := b.(*loop.Let)
		return ok && x.Op == y.Op && r.atoms(x.Args, y.Args) && r.bind(x.Var, y.Var)
	case *loop.Load:
		y, ok := b.(*loop.Load)
		return ok && r.atom(x.Buf, y.Buf) && r.atom(x.At, y.At) && r.bind(x.Var, y.Var)
	case *loop.Store:
		y, ok := b.(*loop.Store)
		return ok && r.atom(x.Buf, y.Buf) && r.atom(x.At, y.At) && r.atom(x.Value, y.Value)
	case *loop.Accum:
		y, ok := b.(*loop.Accum)
		return ok && r.atom(x.Buf, y.Buf) && r.atom(x.At, y.At) && r.atom(x.Value, y.Value)
	case *loop.For:
		y, ok := b.(*loop.For)
		if !ok || x.Parallel != y.Parallel || x.Lanes != y.Lanes || len(x.States)+len(y.States) > 0 || len(x.Reds) != len(y.Reds) ||
			!r.atom(x.Count, y.Count) || !r.bind(x.Index, y.Index) || !r.block(x.Body, y.Body) {
			return false
		}
		for i, red := range x.Reds {
			if other := y.Reds[i]; red.Op != other.Op || !r.atom(red.Init, other.Init) || !r.bind(red.Result, other.Result) {
				return false
			}
		}
		return true
	}
	return false
}
