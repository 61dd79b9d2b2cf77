package grad

import "github.com/fluxion-lang/fluxion/internal/loop"

// bounds finds bounds of integers in a loop that are known in front of it.
type bounds struct {
	out   *loop.Builder               // to which the bounds are appended
	atom  func(a loop.Atom) loop.Atom // what an old integer from outside of the loop is there
	bound map[*loop.Var]bool          // in the loop
	ints  map[*loop.Var]*loop.Let     // in the loop
	loops map[*loop.Var]*loop.For     // that have an index, in the loop or it
}

func boundsOf(s loop.Stmt, out *loop.Builder, atom func(loop.Atom) loop.Atom) *bounds {
	v := &bounds{out, atom, map[*loop.Var]bool{}, map[*loop.Var]*loop.Let{}, map[*loop.Var]*loop.For{}}
	bind := func(x *loop.Var) { v.bound[x] = true }
	enter := func(s loop.Stmt) {
		loop.Params(s, bind)
		if s, ok := s.(*loop.For); ok {
			v.loops[s.Index] = s
		}
	}
	enter(s)
	loop.Blocks(s, func(b *loop.Block) {
		loop.Walk(b, func(s loop.Stmt) {
			enter(s)
			loop.Defs(s, bind)
			if s, ok := s.(*loop.Let); ok && s.Var.Kind == loop.I64 {
				v.ints[s.Var] = s
			}
		})
	})
	return v
}

// early is an old integer that is known in front of the loop, as a new one; or nil.
func (v *bounds) early(a loop.Atom) loop.Atom {
	if x, ok := a.(*loop.Var); ok && v.bound[x] {
		return nil
	}
	return v.atom(a)
}

// most is a bound of an old integer that is known in front of the loop, as a new one; or nil.
func (v *bounds) most(a loop.Atom) loop.Atom {
	if n := v.early(a); n != nil {
		return n
	}
	x := a.(*loop.Var)
	if s := v.loops[x]; s != nil {
		return v.most(s.Count)
	}
	let := v.ints[x]
	if let == nil {
		return nil
	}
	switch let.Op {
	case loop.MinI:
		n, m := v.most(let.Args[0]), v.most(let.Args[1])
		switch {
		case n != nil && m != nil:
			return v.out.Let("most", loop.MinI, n, m)
		case n != nil:
			return small(n)
		case m != nil:
			return small(m)
		}
	case loop.MaxI, loop.AddI:
		return v.both(let.Op, let.Args[0], let.Args[1])
	case loop.SelI:
		return v.both(loop.MaxI, let.Args[1], let.Args[2])
	case loop.SubI:
		if y, ok := let.Args[1].(*loop.Var); ok && v.loops[y] != nil { // an index
			return v.most(let.Args[0])
		}
	}
	return nil
}

// small is a bound, unless it is a literal that says nothing about a program's loops.
func small(n loop.Atom) loop.Atom {
	if k, ok := n.(*loop.Const); ok && k.I >= 1<<20 {
		return nil
	}
	return n
}

// both combines the bounds of two old integers.
func (v *bounds) both(op *loop.Op, x, y loop.Atom) loop.Atom {
	n, m := v.most(x), v.most(y)
	if n == nil || m == nil {
		return nil
	}
	return v.out.Let("most", op, n, m)
}
