package lower

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Functions chosen at run time]
//
// A function that is known where it is applied is a closure, and costs nothing. In
//
//	let f = if k == 0 then sin else (fun x => a * x) in f y
//	[(fun x => tanh (a * x)) for a in as]
//	loop f = sin for i < n do if p i then f else cos
//
// it is known only which functions it may be. It then is data: a product of a tag, which says which
// one it is, and of what each of them captures (defunctionalisation). Only what flows to a place
// counts, so that there is no sum of all functions of a type. Where there is one function the tag
// is left out. To apply such a product is to choose by its tag, with the body of each function
// lowered where it stands.
//
// Closures become data where they meet others: at the end of a branch, as elements of an array, and
// as the state of a loop that changes it. The loop is then lowered again, with the functions that
// its body has given (lengths.go). A function that captures a function of its own kind would be
// recursive data, and is not covered.

// first is the first part of the k-th function; there are as many parts as there are in front of
// one behind the last.
func (f *functions) first(k int) int {
	at := 0
	if len(f.of) > 1 {
		at = 1 // the tag
	}
	for _, a := range f.of[:k] {
		at += a.size()
	}
	return at
}

// captives are the parts of the k-th function of a product.
func (p *product) captives(k int) []value {
	at := p.funs.first(k)
	return p.parts[at : at+p.funs.of[k].size()]
}

// tagOf says which of its functions a product is.
func (p *product) tagOf() value {
	if len(p.funs.of) > 1 {
		return p.parts[0]
	}
	return &scalar{loop.Int(0)}
}

// isAmong tells whether a function is one of those that a state may be.
func (l *lowerer) isAmong(v, state value) bool {
	if c, ok := state.(*closure); ok {
		d, ok := v.(*closure)
		return ok && c.fun == d.fun && c.env == d.env && slices.Equal(c.args, d.args)
	}
	p, ok := l.data(v).(*product)
	return ok && !slices.ContainsFunc(p.funs.of, func(f *alternative) bool {
		return state.(*product).funs.find(f) < 0
	})
}

// data is a value whose functions are products, and so are functions that have failed: they are
// none.
func (l *lowerer) data(v value) value {
	switch v := v.(type) {
	case *closure:
		return l.functionData(v)
	case *bottom:
		if DataShapeOf(v.ty) != nil {
			break
		}
		switch t := types.Resolve(v.ty).(type) {
		case *types.Fun:
			return &product{funs: &functions{ty: t}}
		case *types.Tuple, *types.Record:
			p := &product{}
			for _, part := range types.Parts(t) {
				p.parts = append(p.parts, l.data(l.defined(&bottom{part})))
			}
			return p
		}
	case *product:
		var out *product
		for i, part := range v.parts {
			d := l.data(part)
			if d == part {
				continue
			}
			if out == nil {
				out = v.fresh()
				copy(out.parts, v.parts)
			}
			out.parts[i] = d
		}
		if out != nil {
			return out
		}
	}
	return v
}

// functionData is a closure as data.
func (l *lowerer) functionData(c *closure) *product {
	a := &alternative{fun: c.fun, def: c.def, rec: c.rec, args: len(c.args)}
	p := &product{funs: &functions{of: []*alternative{a}}}
	keep := func(v value) {
		v = l.data(v)
		if mayBe(v, c.fun) {
			l.failWith(closureHint, "a function that is made of others of its kind")
		}
		p.parts = append(p.parts, v)
	}
	if c.def == nil {
		for _, v := range captured(c) {
			if x := c.env.lookup(v); x != nil { // others are known functions
				a.vars = append(a.vars, v)
				keep(x)
			}
		}
	}
	for _, arg := range c.args {
		keep(arg)
	}
	return p
}

// mayBe tells whether a function is among those of a value.
func mayBe(v value, fun *core.Lambda) bool {
	switch v := v.(type) {
	case *product:
		return v.funs != nil && slices.ContainsFunc(v.funs.of,
			func(a *alternative) bool { return a.fun == fun }) ||
			slices.ContainsFunc(v.parts, func(part value) bool { return mayBe(part, fun) })
	case *array:
		return mayBe(v.elem, fun)
	}
	return false
}

// closureOf is the k-th function of a product.
func (p *product) closureOf(k int) *closure {
	a := p.funs.of[k]
	c := &closure{fun: a.fun, def: a.def, rec: a.rec}
	parts := p.captives(k)
	if a.def == nil {
		c.env = newEnv(nil)
		for i, v := range a.vars {
			c.env.bind(v, parts[i])
		}
		if a.rec != nil {
			bindGroup(a.rec, c.env)
		}
	}
	c.args = parts[len(a.vars):]
	return c
}

// applyOneOf applies a function that is data.
func (l *lowerer) applyOneOf(p *product, args []value) value {
	n := len(p.funs.of)
	if n == 0 {
		return &bottom{resultOf(p.funs.ty, len(args))}
	}
	tag := l.plain(p.tagOf())
	at := l.at
	var from func(k int) value
	from = func(k int) value {
		l.at = at
		if k == n-1 {
			return l.apply(p.closureOf(k), args)
		}
		is := l.let("is", loop.EqI, tag, loop.Int(int64(k)))
		return l.choice(is, func() value { return l.apply(p.closureOf(k), args) },
			func() value { return from(k + 1) }, open, open)
	}
	return from(0)
}

// resultOf is the type of a function's result, after so many arguments.
func resultOf(t types.Type, args int) types.Type {
	for range args {
		t = types.Resolve(t).(*types.Fun).Result
	}
	return t
}

// mostFunctions bounds the functions that one may be: all of them are lowered wherever it is
// applied.
const mostFunctions = 32

// union is like two values of one type, with the functions of both. Its scalars and columns are
// theirs, and perhaps not known in one place.
func (l *lowerer) union(x, y value) value {
	x, y = l.data(x), l.data(y)
	if _, failed := x.(*bottom); failed {
		return y
	}
	a, ok := x.(*product)
	if !ok {
		return x
	}
	b, ok := y.(*product)
	if !ok {
		return x
	}
	if a.funs == nil {
		p := a.fresh()
		for i, part := range a.parts {
			p.parts[i] = l.union(part, b.parts[i])
		}
		return p
	}
	all := &functions{of: slices.Clone(a.funs.of), ty: a.funs.ty}
	for _, f := range b.funs.of {
		if all.find(f) < 0 {
			all.of = append(all.of, f)
		}
	}
	if len(all.of) > mostFunctions {
		l.fail("a choice between more than %d functions", mostFunctions)
	}
	p := &product{funs: all, parts: make([]value, all.first(len(all.of)))}
	if len(all.of) > 1 {
		p.parts[0] = &scalar{loop.Int(0)}
	}
	for k, f := range all.of {
		i, j := a.funs.find(f), b.funs.find(f)
		for n := range f.size() {
			switch {
			case j < 0:
				p.captives(k)[n] = a.captives(i)[n]
			case i < 0:
				p.captives(k)[n] = b.captives(j)[n]
			default:
				p.captives(k)[n] = l.union(a.captives(i)[n], b.captives(j)[n])
			}
		}
	}
	return p
}

// fit is a value with the functions of another, which it may be any of. What it does not capture
// itself is given by missing, from what the other one captures.
func (l *lowerer) fit(v, like value, missing func(value) value) value {
	to, ok := like.(*product)
	if !ok {
		return v
	}
	from, ok := l.data(v).(*product)
	if !ok {
		return v
	}
	if to.funs == nil {
		p := from.fresh()
		for i, part := range from.parts {
			p.parts[i] = l.fit(part, to.parts[i], missing)
		}
		return p
	}
	p := to.fresh()
	l.fitTag(p, from)
	for k, f := range to.funs.of {
		own := from.funs.find(f)
		for n, part := range to.captives(k) {
			if own >= 0 {
				p.captives(k)[n] = l.fit(from.captives(own)[n], part, missing)
			} else {
				p.captives(k)[n] = missing(part)
			}
		}
	}
	return p
}

// fitTag gives a product the tag of another, by its own functions.
func (l *lowerer) fitTag(p, from *product) {
	where := make([]int, len(from.funs.of))
	same := len(p.funs.of) > 1 && len(where) > 1
	for k, f := range from.funs.of {
		if where[k] = p.funs.find(f); where[k] < 0 {
			l.fail("a function that is not one of those in its place")
		}
		same = same && where[k] == k
	}
	switch {
	case len(p.funs.of) < 2:
	case same:
		p.parts[0] = from.parts[0]
	case len(where) == 0:
		p.parts[0] = &scalar{loop.Int(0)}
	default:
		last := len(where) - 1
		tag := loop.Atom(loop.Int(int64(where[last])))
		for k := last - 1; k >= 0; k-- {
			is := l.let("is", loop.EqI, l.plain(from.parts[0]), loop.Int(int64(k)))
			tag = l.let("tag", loop.SelI, is, loop.Int(int64(where[k])), tag)
		}
		p.parts[0] = &scalar{tag}
	}
}

// matching is the product that is put in the place of another.
func (l *lowerer) matching(to *product, from value) *product {
	if to.funs != nil {
		from = l.fit(from, to, func(part value) value { return l.idle(part, math.MaxInt) })
	}
	p, ok := l.defined(from).(*product)
	if !ok {
		l.failWith(textHint, "functions or texts in a value")
	}
	l.sameTable(to, p)
	return p
}

// alike are values of one type with the same functions in them.
func (l *lowerer) alike(vs []value) []value {
	if !slices.ContainsFunc(vs, func(v value) bool { return l.data(v) != v }) {
		return vs
	}
	all := vs[0]
	for _, v := range vs {
		all = l.union(all, v)
	}
	out := make([]value, len(vs))
	for i, v := range vs {
		out[i] = l.fit(v, all, func(part value) value { return part }) // which nothing reads
	}
	return out
}

// idle is a value like another for what nothing reads. The lengths of its arrays are known outside
// of blocks of a depth.
func (l *lowerer) idle(like value, depth int) value {
	var walk func(v value, dims []loop.Atom) value
	walk = func(v value, dims []loop.Atom) value {
		switch v := v.(type) {
		case *product:
			p := v.fresh()
			for i, part := range v.parts {
				p.parts[i] = walk(part, dims)
			}
			return p
		case *array:
			n := l.root(v.n)
			if l.depthOf(n) >= depth {
				n = loop.Int(0)
			}
			return &array{n: n, elem: walk(v.elem, also(dims, n))}
		case *pending:
			panic(notTotal{})
		case *scalar, *column:
			k := kindOf(v)
			if len(dims) == 0 {
				return &scalar{loop.Literal(k, 0)}
			}
			return &column{k, l.alloc("none", k, l.size(dims), true), loop.Int(0), l.rowMajor(dims),
				nil}
		}
		return l.data(l.defined(v))
	}
	return walk(like, nil)
}

// functions joins functions that two blocks yield.
func (j *joining) functions(x, y value) value {
	l := j.l
	if a, ok := x.(*closure); ok {
		if b, ok := y.(*closure); ok && a.fun == b.fun && a.env == b.env &&
			len(a.args) == len(b.args) {
			c := *a
			c.args = make([]value, len(a.args))
			for i := range a.args {
				c.args[i] = j.join(a.args[i], b.args[i])
			}
			return &c
		}
	}
	all := l.union(x, y).(*product)
	fit := func(s *scope, v value) (p *product) {
		l.within(s, func() {
			p = l.fit(v, all, func(value) value {
				return &bottom{types.Unit}
			}).(*product)
		})
		return p
	}
	a, b := fit(j.a, x), fit(j.b, y)
	p := all.fresh()
	for i := range p.parts {
		p.parts[i] = j.join(a.parts[i], b.parts[i])
	}
	return p
}
