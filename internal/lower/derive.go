package lower

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// Note [Derivatives]
//
// The derivative of a known function at a point is lowered by lowering the function as one of its
// own, differentiating that (package grad), and emitting the derivative where it is wanted. The
// parameters of the function are the reals of the point; what else it uses, the lengths of arrays
// included, is free in it, and becomes a further parameter by which it is not differentiated. Since
// the derivative is emitted as statements, a derivative around it differentiates them in turn.
//
// Where the derivative is tied (Note [Ties in compiled code]), or it or the value is not finite,
// the run is given up by a Check.

// checkpoint is the function itself, with loops of which derivatives keep little.
func checkpoint(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	s := l.scope()
	first := len(s.Stmts)
	v := l.apply(l.atom(op.Args[0], env), []value{l.use(op.Args[1], env)})
	s.Stmts = append(s.Stmts[:first:first], thrifty(&loop.Block{Stmts: s.Stmts[first:]}).Stmts...)
	return v
}

// thrifty is a block with its outermost loops with states marked.
func thrifty(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if f, ok := s.(*loop.For); ok && len(f.States) > 0 {
			marked := *f
			marked.Thrifty = true
			out.Add(&marked)
		} else {
			out.Add(loop.MapBlocks(s, thrifty))
		}
	}
	return out.Rebuilt(b, b.Yield)
}

// separate is a function lowered as one of its own.
type separate struct {
	fun    *loop.Func
	value  value // in terms of the variables of scopes
	reals  int   // parameters that are reals of the point
	scopes *emitter
	// what the parameters of a shared form stand for, which it is a copy of, or nil
	given  map[*loop.Var]loop.Atom
	simple bool // whether it was optimised

	watched int // last parameters, which are the direction along which it watches its errors

	// that it uses: those of its parameters that are not reals of the point, and integers that it
	// computes of them
	free    []*loop.Var
	of      identity    // of the function and of the point
	level   levels      // of the derivatives around it
	ruled   bool        // whether there are calls of functions with rules in it
	facts   int         // that are known of its free variables
	emitted int         // statements that it took
	derived []derivedBy // its derivatives, each made once
}

// derivedBy is a derivative: along directions some of whose reals are known to be zero, or in
// reverse.
type derivedBy struct {
	zero []bool // nil for the reverse derivative
	fun  *loop.Func
}

// separately lowers a function that is to be differentiated, at a point whose columns are owned.
func (l *lowerer) separately(f func(point value) value, point value) *separate {
	s := l.separatelyFor(l.separating+1, l.linear, f, point)
	l.watch(s)
	return s
}

// separatelyFor lowers a function that is to be differentiated so many times, and transposed if
// linear.
func (l *lowerer) separatelyFor(times int, linear bool, f func(point value) value,
	point value) *separate {
	outer := l.emitter
	own := newEmitter(outer.until)
	own.intFacts, own.sizes = outer.intFacts, outer.sizes
	own.given, own.below = outer.given, outer.below
	own.emitted, own.joined, own.made = outer.emitted, outer.joined, outer.made
	top := own.scope()
	for _, s := range outer.open {
		maps.Copy(top.known, s.known)
		maps.Copy(top.equal, s.equal)
		for key, a := range s.ints {
			if !key.op.OfReals {
				top.ints[key] = a
			}
		}
		top.apart = append(top.apart, s.apart...)
	}
	l.emitter = own
	before, transposed := l.separating, l.linear
	l.separating, l.linear = times, linear
	defer func() {
		l.separating, l.linear = before, transposed
		l.emitter = outer
		outer.emitted = own.emitted
		outer.loops = outer.loops || own.loops
	}()
	s := &separate{fun: &loop.Func{Name: "f"}, scopes: own}
	x := l.mapReals(point, func(leaf value, dims []loop.Atom) value {
		s.reals++
		switch leaf := leaf.(type) {
		case *column:
			v := l.fresh("x", leaf.buf.Kind)
			l.sizes[v] = l.size(dims)
			s.fun.Params = append(s.fun.Params, v)
			return &column{leaf.kind, v, loop.Int(0), l.rowMajor(dims), nil}
		default:
			v := l.fresh("x", loop.F64)
			s.fun.Params = append(s.fun.Params, v)
			return &scalar{v}
		}
	})
	s.value = l.owned(f(x))
	s.fun.Body = own.scope().Block(l.parts(s.value)...)
	s.capture(&l.defs)
	l.stateLengths(s.fun, l.statedLengths(s.fun))
	return s
}

// capture makes parameters of the free variables. Integers that operations on others give are
// computed in front of the body instead, so that what the function knows of them is what is known
// outside.
func (s *separate) capture(defs *loop.VarMap[*loop.Let]) {
	bound := map[*loop.Var]bool{}
	for _, p := range s.fun.Params {
		bound[p] = true
	}
	var front loop.Builder
	var bind func(v *loop.Var)
	bind = func(v *loop.Var) {
		if bound[v] {
			return
		}
		bound[v] = true
		s.free = append(s.free, v)
		def := defs.Get(v)
		if def == nil || def.Op.OfReals {
			s.fun.Params = append(s.fun.Params, v)
			return
		}
		for _, a := range def.Args {
			if v, ok := a.(*loop.Var); ok {
				bind(v)
			}
		}
		front.Add(def)
	}
	for _, v := range loop.Free(s.fun.Body) {
		bind(v)
	}
	s.fun.Body.Stmts = append(front.Stmts, s.fun.Body.Stmts...)
}

// mapReals rebuilds a value, with the leaves that are real mapped.
func (l *lowerer) mapReals(v value, f func(leaf value, dims []loop.Atom) value) value {
	return mapLeaves(v, nil, func(leaf value, dims []loop.Atom) value {
		switch leaf := leaf.(type) {
		case *scalar:
			if leaf.atom.AtomKind() != loop.F64 {
				return leaf
			}
		case *column:
			leaf.free()
			if leaf.kind != loop.F64 {
				return leaf
			}
		case *pending:
			panic(notTotal{})
		default:
			return leaf
		}
		return f(leaf, dims)
	})
}

// realAtoms are the reals of a value and the buffers of reals.
func (l *lowerer) realAtoms(v value) []loop.Atom {
	var atoms []loop.Atom
	l.mapReals(v, func(leaf value, _ []loop.Atom) value {
		switch leaf := leaf.(type) {
		case *scalar:
			atoms = append(atoms, leaf.atom)
		case *column:
			atoms = append(atoms, leaf.buf)
		}
		return leaf
	})
	return atoms
}

// wanted are the parameters for the reals of the point.
func (s *separate) wanted() []bool {
	w := make([]bool, len(s.fun.Params))
	for i := range s.reals {
		w[i] = true
	}
	return w
}

// args are what the function is called with, at a point.
func (s *separate) args(l *lowerer, point value) []loop.Atom {
	args := l.realAtoms(point)
	others := s.fun.Params[s.reals : len(s.fun.Params)-s.watched]
	for _, p := range others {
		args = append(args, p)
	}
	if s.watched > 0 {
		args = append(args, l.realAtoms(l.owned(l.direction(point, loop.Real(1))))...)
	}
	return args
}

// outside is an integer of the function as one of the block around it, or nil.
func (s *separate) outside(l *lowerer, n loop.Atom) loop.Atom {
	v, ok := n.(*loop.Var)
	if !ok {
		return n
	}
	if a, ok := s.given[v]; ok {
		return a
	}
	if s.scopes.depths.Get(v) == 0 {
		return n
	}
	def := s.scopes.defs.Get(v)
	if def == nil {
		return nil
	}
	args := make([]loop.Atom, len(def.Args))
	for i, a := range def.Args {
		if args[i] = s.outside(l, a); args[i] == nil {
			return nil
		}
	}
	return l.let(v.Name, def.Op, args...)
}

// fitted is a cotangent of the function's value, with its lengths, which must be known outside.
func (s *separate) fitted(l *lowerer, v value) value {
	f := &fitting{l, func(n loop.Atom) loop.Atom {
		if n = s.outside(l, n); n == nil {
			l.fail("a derivative of a function whose result has a length that depends on its reals")
		}
		return n
	}}
	return f.value(s.value, v)
}

// emit emits the body of a function with the given arguments, and gives its results. It is copied,
// unless it is emitted for the first time.
func (l *lowerer) emit(f *loop.Func, args []loop.Atom) []loop.Atom {
	if l.emits[f] {
		return l.emitCopy(f, args)
	}
	l.emits[f] = true
	body := f.Body.With(f.Params, args)
	for _, s := range body.Stmts {
		loop.Defs(s, func(v *loop.Var) { l.bindAt(v, len(l.open)-1) })
		l.add(s)
	}
	return slices.Clone(body.Yield)
}

// emitCopy is emit by a copy.
func (l *lowerer) emitCopy(f *loop.Func, args []loop.Atom) []loop.Atom {
	c := loop.NewCopier()
	for i, p := range f.Params {
		c.Set(p, args[i])
	}
	for _, s := range f.Body.Stmts {
		s = c.Stmt(s)
		loop.Defs(s, func(v *loop.Var) { l.bindAt(v, len(l.open)-1) })
		l.add(s)
	}
	out := make([]loop.Atom, len(f.Body.Yield))
	for i, a := range f.Body.Yield {
		out[i] = c.Atom(a)
	}
	c.Release()
	return out
}

// rebuilt is a value like another, of the given parts.
func (l *lowerer) rebuilt(like value, parts *[]loop.Atom, dims []loop.Atom) value {
	return l.rebuiltBy(like, parts, dims, func(_, n loop.Atom) loop.Atom {
		if v, ok := n.(*loop.Var); ok {
			if l.spans.Get(v) == nil {
				l.spans.Set(v, &natural)
			}
		}
		return n
	})
}

// rebuiltBy is rebuilt with lengths that a function gives, for the length in the other value and
// the part that is given for it.
func (l *lowerer) rebuiltBy(like value, parts *[]loop.Atom, dims []loop.Atom,
	length func(was, n loop.Atom) loop.Atom) value {
	next := func() loop.Atom {
		a := (*parts)[0]
		*parts = (*parts)[1:]
		return a
	}
	switch like := like.(type) {
	case *scalar:
		return &scalar{next()}
	case *column:
		buf := next().(*loop.Var)
		l.sizes[buf] = l.size(dims)
		return &column{like.kind, buf, loop.Int(0), l.rowMajor(dims), nil}
	case *product:
		p := like.fresh()
		for i, part := range like.parts {
			p.parts[i] = l.rebuiltBy(part, parts, dims, length)
		}
		return p
	case *array:
		n := length(like.n, next())
		return &array{n: n, elem: l.rebuiltBy(like.elem, parts, also(dims, n), length)}
	}
	return like
}

// withParts is a value with its reals, and buffers of reals, replaced.
func (l *lowerer) withParts(v value, atoms []loop.Atom) value {
	k := 0
	return l.mapReals(v, func(leaf value, dims []loop.Atom) value {
		a := atoms[k]
		k++
		if c, ok := leaf.(*column); ok {
			buf := a.(*loop.Var)
			l.sizes[buf] = l.size(dims)
			return &column{c.kind, buf, loop.Int(0), l.rowMajor(dims), nil}
		}
		return &scalar{a}
	})
}

// checkFinite gives up where a real is not finite. It does so where infinities are results like
// others, too: the interpreter says which they are. The derivative of sqrt x * y by y is 0 at 0,
// but forwards, along y, it is the infinite slope of sqrt times 0 that is added.
func (l *lowerer) checkFinite(v value) {
	if hasVariant(v) {
		l.check(l.allFinite(v), l.at)
		return
	}
	l.mapReals(v, func(leaf value, dims []loop.Atom) value {
		c, ok := leaf.(*column)
		if !ok {
			l.check(l.finite(leaf.(*scalar).atom), l.at)
			return leaf
		}
		all := &array{n: l.size(dims),
			elem: &column{loop.F64, c.buf, loop.Int(0), []loop.Atom{loop.Int(1)}, nil}}
		l.loops = true
		s := l.push()
		i := l.index(all.n)
		x := l.finite(l.plain(l.element(all, i)))
		l.pop()
		r := l.fresh("finite", loop.Bool)
		l.add(&loop.For{Index: i, Count: all.n, Parallel: true,
			Reds: []loop.Red{{Op: loop.And, Init: loop.Truth(true), Result: r}}, Body: s.Block(x)})
		l.check(r, l.at)
		return leaf
	})
}

// reverseOf is the reverse derivative of a separate function.
func (l *lowerer) reverseOf(s *separate) *loop.Func { return l.derivedOnce(s, nil, grad.Reverse) }

// forwardOf is its forward derivative, in directions some of whose reals are known to be zero.
func (l *lowerer) forwardOf(s *separate, zero []bool) *loop.Func {
	return l.derivedOnce(s, zero,
		func(p *loop.Program, f *loop.Func, wanted []bool, rules grad.Rules) (*loop.Func, error) {
			return grad.Along(p, f, wanted, zero, rules)
		})
}

// derivative differentiates a separate function.
func (l *lowerer) derivative(s *separate, how how) *loop.Func {
	f, err := l.differentiated(s, how)
	if err != nil {
		l.fail("a derivative (%v)", err)
	}
	return f
}

// how is a way to differentiate a function.
type how func(p *loop.Program, f *loop.Func, wanted []bool, rules grad.Rules) (*loop.Func, error)

// differentiated differentiates a separate function in some way.
func (l *lowerer) differentiated(s *separate, how how) (*loop.Func, error) {
	if !s.simple {
		l.after("lowered, to be differentiated", s.fun)
		o := l.options(s.fun)
		o.Watch = l.until
		pass.Optimize(s.fun, o)
		s.simple = true
	}
	rules := grad.Rules(Rules)
	if l.source.IEEETies {
		rules = grad.Decided(Rules)
	}
	p := &loop.Program{Funcs: []*loop.Func{s.fun}, Watch: l.until}
	f, err := how(p, s.fun, s.wanted(), rules)
	if f != nil {
		l.after("differentiated", f)
	}
	return f, err // which is optimised with what is around it
}

// options say how a separate function is optimised.
func (l *lowerer) options(f *loop.Func) pass.Options {
	return pass.Options{Lengths: l.statedLengths(f), Longest: Most, After: l.source.After}
}

func reverse(l *lowerer, let *core.Let, op *core.Prim, env *env) value {
	l.withoutNodes(let.Var.Ty)
	point, weights := l.owned(l.use(op.Args[1], env)), l.use(op.Args[2], env)
	s := l.apart(l.atom(op.Args[0], env), point)
	v, cotangent := l.pullBack(s, l.reverseOf(s), point, weights)
	return &product{parts: []value{v, cotangent}}
}

// pullBack is a function's value at a point, and the cotangent of the point that belongs to that of
// the value.
func (l *lowerer) pullBack(s *separate, f *loop.Func, point, weights value) (v, cotangent value) {
	weights = l.owned(s.fitted(l, weights))
	results := l.untied(s, grad.Reverse, f, point, l.realAtoms(weights))
	v = l.rebuilt(s.value, &results, nil)
	l.sameConstructors(v, weights)
	cotangent = l.withParts(point, results)
	l.checkFinite(v)
	l.checkFinite(cotangent)
	return v, cotangent
}

func forward(l *lowerer, let *core.Let, op *core.Prim, env *env) value {
	l.withoutNodes(let.Var.Ty)
	l.withoutNodes(op.Args[1].Type())
	point := l.owned(l.use(op.Args[1], env))
	s := l.apart(l.atom(op.Args[0], env), point)
	tangent := l.owned(l.tangentAt(point, l.use(op.Args[2], env)))
	zero := make([]bool, len(s.fun.Params))
	for i, t := range l.realAtoms(tangent) {
		k, ok := t.(*loop.Const)
		zero[i] = ok && k.F == 0
	}
	v, dv := l.pushForward(s, l.forwardOf(s, zero), point, tangent)
	return &product{parts: []value{v, dv}}
}

// pushForward is a function's value at a point, and the tangent of the value that belongs to that
// of the point.
func (l *lowerer) pushForward(s *separate, f *loop.Func, point, tangent value) (v, dv value) {
	results := l.untied(s, grad.Forward, f, point, l.realAtoms(tangent))
	v = l.rebuilt(s.value, &results, nil)
	dv = l.withParts(v, results)
	l.checkFinite(v)
	l.checkFinite(dv)
	return v, dv
}

// derivedOnce is a derivative of a separate function.
func (l *lowerer) derivedOnce(s *separate, zero []bool, how how) *loop.Func {
	for _, d := range s.derived {
		if (d.zero == nil) == (zero == nil) && slices.Equal(d.zero, zero) {
			return d.fun
		}
	}
	f := l.derivative(s, how)
	s.derived = append(s.derived, derivedBy{zero, f})
	return f
}
