package lower

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// op lowers an operation.
func (l *lowerer) op(let *core.Let, env *env) value {
	switch op := let.Op.(type) {
	case *core.Prim:
		return l.prim(let, op, env)
	case *core.Lambda:
		return &closure{fun: op, env: env}
	case *core.Apply:
		if let == l.last {
			if v := l.finishedBy(op, env); v != nil {
				return v
			}
		}
		f := l.atom(op.Fun, env)
		at := l.at
		v := l.apply(f, l.atoms(op.Args, env))
		l.at = at
		return v
	case *core.Tuple:
		return &product{parts: l.atoms(op.Elems, env)}
	case *core.Proj:
		return l.part(op.Of, op.Index, let.Var.Ty, env)
	case *core.Record:
		return &product{parts: l.atoms(op.Elems, env)}
	case *core.Field:
		return l.part(op.Of, op.Index, let.Var.Ty, env)
	case *core.Construct:
		return l.construct(op, env)
	case *core.Case:
		return l.caseOf(op, env, l.block, reachOf)
	case *core.If:
		return l.choice(l.scalar(op.Cond, env),
			func() value { return l.inner(op.Then, env) }, func() value {
				return l.inner(op.Else, env)
			},
			reachOf(op.Then), reachOf(op.Else))
	case *core.Array:
		return l.arrayLiteral(let, op, env)
	case *core.Build, *core.Map:
		return l.elements(op, env)
	case *core.Index:
		a, i := l.array(op.Of, env), l.scalar(op.At, env)
		l.inRange(i, a.n)
		return l.element(a, i)
	case *core.Slice:
		return l.sliceOf(op, env)
	case *core.Reduce:
		return l.reduce(op, env)
	case *core.Scan:
		return l.scan(op, env)
	case *core.Loop:
		return l.loop(op, env)
	case *core.CheckSize:
		return l.checkSize(op, env)
	}
	l.fail("an operation")
	return nil
}

// part is a component of a tuple or record.
func (l *lowerer) part(of core.Atom, k int, ty types.Type, env *env) value {
	switch v := l.atom(of, env).(type) {
	case *product:
		return v.parts[k]
	case *bottom:
		return &bottom{ty}
	}
	l.fail("a component of a value of type %s", types.Show(of.Type()))
	return nil
}

// checkSize is the condition under which core.CheckSize.Failure gives nil.
func (l *lowerer) checkSize(op *core.CheckSize, env *env) value {
	got, want := l.scalar(op.Got, env), l.scalar(op.Want, env)
	if none, n := l.rowsOf(got); none != nil && (op.Of == core.SizeLength || l.span(want).Lo >= 0) {
		if other, m := l.rowsOf(want); other != nil {
			fits := l.let("fits", loop.Or, other, l.let("equal", loop.EqI, n, m))
			l.check(l.let("fits", loop.Or, none, fits), l.at)
			return unit
		}
	}
	fits := l.let("equal", loop.EqI, got, want)
	either := func(n loop.Atom) {
		if l.span(n).Lo < 0 {
			fits = l.let("fits", loop.Or, fits, l.let("unknown", loop.LtI, n, loop.Int(0)))
		}
	}
	either(got)
	if op.Of == core.SizeLength {
		either(want)
	}
	l.check(fits, l.at)
	return unit
}

// rowsOf tells of a size of rows, which is -1 if there are none, whether there are none and what it
// is otherwise. It gives nil for another integer that may be negative.
func (l *lowerer) rowsOf(size loop.Atom) (none, n loop.Atom) {
	if l.span(size).Lo >= 0 {
		return loop.Truth(false), size
	}
	def := l.def(size)
	if def == nil || def.Op != loop.SelI || !isInt(def.Args[1], -1) {
		return nil, nil
	}
	if n = def.Args[2]; l.span(n).Lo < 0 {
		return nil, nil
	}
	return def.Args[0], n
}
