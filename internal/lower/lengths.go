package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Lengths that change]
//
// The arrays of a loop's state are taken to keep their lengths, which then are not states. In
//
//	loop xs = [] for i < n do if p i then concat xs [f i] else xs
//
// that is found to be wrong when the body has been lowered, and the loop is lowered again with a
// length that is a state, in one of two ways:
//
//   - The array *grows*: turns only append to it, and how much is known in front of the loop. Then
//     it lies in a buffer that is made in front of the loop, with room for what all turns append.
//     An append writes behind the last element, in place, and checks that there is room.
//   - Otherwise each turn makes a new buffer of the length that it has then.
//
// The rows of an array of arrays have a length that is known in front of the loop.
//
// If it is not known whether a length changes, it is taken to keep, and a check makes sure of it:
// in
//
//	loop h = h0 for _ < n do matVec w h
//
// nothing says that w is square, but the second turn fails if it is not. It is taken to change if a
// turn gives the array that is another part of the state, or one of two that a branch chooses
// among.

// lengths is what is known of the lengths and functions of a loop's state.
type lengths struct {
	count   loop.Atom            // of turns, nil if it is not known
	changes map[string]*lengthOf // by the path of an array

	now []loop.Atom // the lengths in a turn

	functions map[string]value // like those that a function may be which turns change, by its path
	restarts  int
}

// lengthOf says how the length of an array changes.
type lengthOf struct {
	how  changing
	elem value // like the elements; nil if they are like those that the loop starts with
}

type changing uint8

const (
	grows   changing = iota
	changes          // in another way
	keeps            // which a check makes sure of
)

// lengthChange is what lowering a body panics with where an array of its state does not have the
// length it is taken to have, or a function is not the one it is taken to be.
type lengthChange struct{ of *lengths }

// change notes that the length of an array is not what it was taken to be, and starts again.
func (n *lengths) change(path string, to lengthOf) {
	n.changes[path] = &to
	panic(lengthChange{n})
}

// mostRestarts bounds how often a loop is lowered again because of the functions in its state.
const mostRestarts = 20

// choose notes that a function of the state is like one of several, and starts again.
func (n *lengths) choose(l *lowerer, path string, among value) {
	if n.restarts++; n.restarts > mostRestarts {
		l.fail("a loop over ever more functions")
	}
	inside := func(p string) bool { return strings.HasPrefix(p, path+".") }
	maps.DeleteFunc(n.changes, func(p string, _ *lengthOf) bool { return inside(p) })
	maps.DeleteFunc(n.functions, func(p string, _ value) bool { return inside(p) })
	n.functions[path] = among
	panic(lengthChange{n})
}

// withLengths lowers a loop of so many turns, if that is known; lower is given the state it starts
// with. The arrays at the given paths seem to grow.
func (l *lowerer) withLengths(init value, count loop.Atom, grown []string,
	lower func(n *lengths, start value) value) value {
	n := &lengths{count: count, changes: map[string]*lengthOf{}, functions: map[string]value{}}
	for _, path := range grown {
		n.changes[path] = &lengthOf{how: grows}
	}
	init = l.defined(init)
	for {
		var result value
		done := l.attemptUnless(func() { result = lower(n, l.starting(n, init, "")) },
			func(stop any) bool {
				c, ok := stop.(lengthChange)
				return ok && c.of == n
			})
		if done {
			return result
		}
	}
}

// starting is a state that a loop starts with. Arrays that grow lie where they are; others are
// owned.
func (l *lowerer) starting(n *lengths, v value, path string) value {
	if among := n.functions[path]; among != nil {
		v = l.fit(v, l.idle(among, len(l.open)), func(part value) value { return part })
	}
	switch v := l.defined(v).(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = l.starting(n, part, fmt.Sprint(path, ".", i))
		}
		return p
	case *array:
		c := n.changes[path]
		if c == nil && v.loose != nil && n.count != nil {
			c = &lengthOf{how: grows}
			n.changes[path] = c
		}
		if c == nil || c.how == keeps {
			start := l.owned(v)
			l.tellLengths(start)
			return start
		}
		own := &loose{outer: v.loose, depth: len(l.open)}
		if c.how == grows {
			own.room, own.each = l.natural("room"), loop.Int(0)
			if own.outer != nil {
				own.room = own.outer.room
			}
		}
		if own.outer != nil && c.how == grows {
			return &array{n: v.n, elem: v.elem, loose: own}
		}
		start := l.owned(v).(*array)
		if c.elem != nil {
			start = l.newArray(v.n, c.elem)
			l.parallel(v.n, func(i *loop.Var) { l.put(l.locate(start, i), l.element(v, i)) })
		}
		return &array{n: start.n, elem: start.elem, loose: own}
	default:
		return v
	}
}

// tellLengths checks the lengths of buffers that a loop starts with and that are given to a
// function which is differentiated. They are what lower knows; the derivative is cheaper if it
// knows it too (package grad, Note [Steady states]).
func (l *lowerer) tellLengths(v value) {
	if l.separating == 0 {
		return
	}
	mapLeaves(v, nil, func(leaf value, dims []loop.Atom) value {
		if c, ok := leaf.(*column); ok {
			given := l.depths.Get(c.buf) == 0 || l.depth(c.buf) == 0 && !l.made[c.buf]
			if given {
				l.check(l.let("equal", loop.EqI, l.lengthOf(c.buf), l.size(dims)), l.at)
			}
		}
		return leaf
	})
}

// mapState rebuilds a state. Its leaves are those of mapLeaves, and lengths that are states.
func mapState(v value, dims []loop.Atom, in *loose,
	f func(leaf value, dims []loop.Atom, in *loose) value) value {
	switch v := v.(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = mapState(part, dims, in, f)
		}
		return p
	case *array:
		n := v.n
		if v.loose != nil {
			in = v.loose
			n = f(&scalar{n}, nil, in).(*scalar).atom
		}
		return &array{n: n, elem: mapState(v.elem, also(dims, n), in, f), loose: v.loose}
	}
	return f(v, dims, in)
}

// afterLoop is a state with lengths that do not change any more, but in a loop around.
func afterLoop(v value) value {
	switch v := v.(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = afterLoop(part)
		}
		return p
	case *array:
		out := *v
		if v.loose != nil && v.loose.room != nil {
			out.loose = v.loose.outer
		} else {
			out.loose = nil
		}
		return &out
	}
	return v
}

// next is what a body yields for a state.
func (n *lengths) next(l *lowerer, state, next value, path string, yield *[]loop.Atom) {
	if isFunction(state) && !l.isAmong(next, state) {
		n.choose(l, path, l.union(state, next))
	}
	switch s := state.(type) {
	case *product:
		after := l.matching(s, next)
		for i, part := range s.parts {
			n.next(l, part, after.parts[i], fmt.Sprint(path, ".", i), yield)
		}
	case *array:
		after := l.defined(next).(*array)
		switch c := n.changes[path]; {
		case s.loose == nil:
			after = l.owned(after).(*array)
			if (c == nil || c.how != keeps) &&
				(l.changesLength(s.n, after.n) || n.exchanged(l, s.n, after.n)) {
				how := changes
				if n.count != nil && c == nil {
					how = grows
				}
				n.change(path, lengthOf{how, l.constantLengths(after.elem, len(l.open)-1, true)})
			}
			l.equalLengths(s.n, after.n)
		case s.loose.room != nil:
			if after.loose != s.loose {
				how := changes
				if s.loose.outer != nil {
					how = keeps
				}
				n.change(path, lengthOf{how, l.constantLengths(after.elem, len(l.open)-1, true)})
			}
			*yield = append(*yield, after.n)
		default:
			after = l.owned(after).(*array)
			*yield = append(*yield, after.n)
		}
		l.sameLengths(s.elem, after.elem)
		mapLeaves(after, nil, func(leaf value, _ []loop.Atom) value {
			switch leaf := leaf.(type) {
			case *column:
				leaf.free()
				*yield = append(*yield, leaf.buf)
			case *pending:
				panic(notTotal{})
			}
			return leaf
		})
	case *scalar:
		*yield = append(*yield, l.plain(next))
	case *closure, *text:
	default:
		panic(notTotal{})
	}
}

// changesLength tells whether an array of a state seems to change its length.
func (l *lowerer) changesLength(before, after loop.Atom) bool {
	if l.same(before, after) {
		return false
	}
	if l.grows(before, after) {
		return true
	}
	v, ok := l.root(after).(*loop.Var)
	if !ok {
		return false
	}
	return l.joined[v] || l.defs.Get(v) != nil && l.depthOf(v) == len(l.open)-1
}

// lengthsIn are the lengths of the arrays of a state.
func lengthsIn(state value) []loop.Atom {
	switch v := state.(type) {
	case *product:
		var all []loop.Atom
		for _, part := range v.parts {
			all = append(all, lengthsIn(part)...)
		}
		return all
	case *array:
		return []loop.Atom{v.n}
	}
	return nil
}

// exchanged tells whether an array of a state gets the length of another part of it.
func (n *lengths) exchanged(l *lowerer, before, after loop.Atom) bool {
	return !l.same(before, after) && slices.ContainsFunc(n.now, func(other loop.Atom) bool {
		return !l.same(before, other) && l.same(after, other)
	})
}

// append appends to an array that grows, in place; nil if it does not.
func (l *lowerer) append(a, b *array) value {
	g := a.loose
	if g == nil || g.room == nil || l.depthOf(b.n) >= g.depth {
		return nil
	}
	end := l.plus(a.n, b.n)
	l.check(l.let("room", loop.LeI, end, g.room), l.at)
	g.each = l.plus(g.each, b.n)
	l.sameLengths(a.elem, b.elem)
	dense := l.compact(&array{n: b.n, elem: b.elem, lit: b.lit}, l.dense).(*array)
	return &array{n: end, elem: l.behind(a, dense), loose: g}
}

// behind writes the elements of an array behind those of another, which has room for them.
func (l *lowerer) behind(a, b *array) value {
	var walk func(to, from value, items []value, dims []loop.Atom) value
	walk = func(to, from value, items []value, dims []loop.Atom) value {
		switch to := to.(type) {
		case *product:
			p := to.fresh()
			for i, part := range to.parts {
				var inner []value
				for _, item := range items {
					inner = append(inner, item.(*product).parts[i])
				}
				p.parts[i] = walk(part, from.(*product).parts[i], inner, dims)
			}
			return p
		case *array:
			return &array{n: to.n, elem: walk(to.elem, from.(*array).elem, nil, also(dims, to.n))}
		}
		if _, ok := to.(*text); ok {
			return to
		}
		c, d := to.(*column), from.(*column)
		d.free()
		own := l.fresh("own", c.buf.Kind)
		l.add(&loop.Copy{Var: own, Buf: c.buf})
		at := l.times(a.n, c.steps[0])
		out := &column{c.kind, own, c.base, c.steps, nil}
		if len(items) > 0 && len(items) <= fewElements {
			for k, item := range items {
				out.buf = l.update(out.buf, l.plus(at, loop.Int(int64(k))), l.plain(item))
			}
			return out
		}
		out.buf = l.updates(own, l.size(also(dims, b.n)), func(k loop.Atom) (loop.Atom, loop.Atom) {
			return l.plus(at, k), l.load(d.kind, d.buf, l.plus(d.base, k))
		})
		return out
	}
	return walk(a.elem, b.elem, b.lit, nil)
}

// update replaces an element of a buffer.
func (l *lowerer) update(buf *loop.Var, at, by loop.Atom) *loop.Var {
	v := l.fresh("own", buf.Kind)
	if n, ok := l.sizes[buf]; ok {
		l.sizes[v] = n
	}
	l.add(&loop.Update{Var: v, Buf: buf, At: at, Value: l.word(by)})
	return v
}

// updates replaces so many elements of a buffer.
func (l *lowerer) updates(buf *loop.Var, count loop.Atom,
	each func(k loop.Atom) (at, by loop.Atom)) *loop.Var {
	l.loops = true
	s := l.push()
	k := l.index(count)
	v := l.fresh("s", buf.Kind)
	l.given[v] = true
	at, by := each(k)
	next := l.update(v, at, by)
	l.pop()
	r := l.fresh("s", buf.Kind)
	if n, ok := l.sizes[buf]; ok {
		l.sizes[r] = n
	}
	l.add(&loop.For{Index: k, Count: count, States: []loop.State{{Var: v, Init: buf, Result: r}},
		Body: s.Block(next)})
	return r
}

// appendedTo gives the paths of the arrays in a state that a body appends to, as far as its
// statements show it. The elements of those arrays have no lengths of their own. It saves lowering
// the body in vain.
func appendedTo(body *core.Block, state *core.Var) []string {
	paths := map[core.Atom]string{state: ""}
	var found []string
	core.Walk(body, func(s core.Stmt) {
		let, ok := s.(*core.Let)
		if !ok {
			return
		}
		part := func(of core.Atom, k int) {
			if path, ok := paths[of]; ok {
				paths[let.Var] = fmt.Sprint(path, ".", k)
			}
		}
		switch op := let.Op.(type) {
		case *core.Proj:
			part(op.Of, op.Index)
		case *core.Field:
			part(op.Of, op.Index)
		case *core.Prim:
			if op.Prim.ID != prim.Append {
				break
			}
			elem := types.Resolve(op.Args[0].Type()).(*types.Array).Elem
			nested := types.Contains(elem, func(t types.Type) bool {
				_, ok := t.(*types.Array)
				return ok
			})
			if path, ok := paths[op.Args[0]]; ok && !nested {
				found = append(found, path)
			}
		}
	})
	return found
}

// makeRoom makes the buffers of arrays that grow, with the elements that a loop starts with.
func (l *lowerer) makeRoom(n *lengths, start value, states []loop.State) {
	k := 0
	var first loop.Atom // how many elements there are before the loop
	mapState(start, nil, nil, func(leaf value, dims []loop.Atom, in *loose) value {
		switch leaf := leaf.(type) {
		case *scalar:
			if first = leaf.atom; in != nil && in.room != nil && len(dims) == 0 && in.outer == nil {
				room := l.bounded(l.plus(first, l.times(in.each, n.count)))
				l.add(&loop.Let{Var: in.room, Op: loop.AddI, Args: []loop.Atom{room, loop.Int(0)}})
			}
		case *column:
			if in == nil || in.room == nil || in.outer != nil {
				break
			}
			// copies read all of it
			buf := l.alloc("grown", leaf.kind, l.times(in.room, leaf.steps[0]), true)
			l.parallel(l.times(first, leaf.steps[0]), func(i *loop.Var) {
				l.add(&loop.Store{Buf: buf, At: i, Value: l.word(l.load(leaf.kind, leaf.buf, i))})
			})
			states[k].Init = buf
		default:
			return leaf
		}
		k++
		return leaf
	})
}

// appendedBy tells a loop around how much the turns of a loop append to arrays that grow in both.
func (n *lengths) appendedBy(l *lowerer, start value, path string) {
	switch v := start.(type) {
	case *product:
		for i, part := range v.parts {
			n.appendedBy(l, part, fmt.Sprint(path, ".", i))
		}
	case *array:
		own := v.loose
		if own == nil || own.room == nil || own.outer == nil {
			return
		}
		all := l.times(own.each, n.count)
		if l.depthOf(all) >= own.outer.depth {
			n.change(path, lengthOf{how: keeps})
		}
		own.outer.each = l.plus(own.outer.each, all)
	}
}

// bounded is an integer that must be at most the largest length.
func (l *lowerer) bounded(n loop.Atom) loop.Atom {
	if l.span(n).Hi <= Most {
		return n
	}
	l.check(l.let("few", loop.LeI, n, loop.Int(Most)), l.at)
	m := l.let("n", loop.MinI, n, loop.Int(Most)) // which passes know to be small
	l.scope().equal[m] = l.root(n)
	return m
}

// sameLengths checks that arrays have the lengths they had in an earlier turn.
func (l *lowerer) sameLengths(before, after value) {
	switch b := before.(type) {
	case *product:
		after := l.matching(b, after)
		for i, part := range b.parts {
			l.sameLengths(part, after.parts[i])
		}
	case *array:
		a := after.(*array)
		if l.grows(b.n, a.n) {
			l.fail("an array that grows in a loop")
		}
		l.equalLengths(b.n, a.n)
		l.sameLengths(b.elem, a.elem)
	case *closure:
		if before != after {
			l.fail("a loop over functions")
		}
	}
}

// grows tells whether a length is known to differ from another.
func (l *lowerer) grows(before, after loop.Atom) bool {
	if def := l.def(after); def != nil {
		if def.Op == loop.MinI && isInt(def.Args[1], Most) { // bounded
			return l.grows(before, def.Args[0])
		}
		if def.Op == loop.AddI {
			for i := range 2 {
				if c, ok := def.Args[1-i].(*loop.Const); ok && c.I != 0 &&
					l.same(def.Args[i], before) {
					return true
				}
			}
		}
	}
	s, t := l.span(before), l.span(after)
	return s.Hi < t.Lo || t.Hi < s.Lo
}
