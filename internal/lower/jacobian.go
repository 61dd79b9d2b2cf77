package lower

import (
	"maps"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// fewDirections is how many directions a point may have for its Jacobian to be made of columns in
// any case, all of them at once.
const fewDirections = 32

// jacobian is made of rows, by reverse derivatives, or of columns, by forward ones, whichever are
// fewer.
func jacobian(l *lowerer, let *core.Let, op *core.Prim, env *env) value {
	point, ok := l.owned(l.use(op.Args[1], env)).(*array)
	if !ok {
		l.fail("a Jacobian at a point that is not an array of reals")
	}
	s := l.apart(l.atom(op.Args[0], env), point)
	result, ok := s.value.(*array)
	if !ok {
		l.fail("a Jacobian of a function whose value is not an array of reals")
	}
	m := s.outside(l, result.n)
	if m == nil {
		s, m = l.measured(s, point)
	}
	unit := func(n, k loop.Atom) value {
		return l.fill(n, func(i *loop.Var) value {
			is := l.let("is", loop.EqI, i, k)
			return &scalar{l.let("e", loop.SelF, is, loop.Real(1), loop.Real(0))}
		})
	}
	n, fixed := l.root(point.n).(*loop.Const)
	if fixed && n.I <= fewDirections {
		if out := l.allColumns(s, point, m, n, unit); out != nil {
			return out
		}
	}
	push := l.forwardOf(s, make([]bool, len(s.fun.Params)))
	rows := func() value {
		pull := l.reverseOf(s)
		return l.fill(m, func(k *loop.Var) value {
			_, row := l.pullBack(s, pull, point, unit(m, k))
			return row
		})
	}
	columns := func() value {
		out := l.newArray(m, point)
		c := out.elem.(*array).elem.(*column)
		l.parallel(point.n, func(k *loop.Var) {
			_, column := l.pushForward(s, push, point, l.owned(unit(point.n, k)))
			l.parallel(m, func(j *loop.Var) {
				at := l.plus(l.times(j, c.steps[0]), k)
				l.add(&loop.Store{Buf: c.buf, At: at,
					Value: l.plain(l.element(column.(*array), j))})
			})
		})
		return out
	}
	if fixed && n.I <= fewDirections {
		return columns()
	}
	return l.choice(l.let("few", loop.LeI, m, point.n), rows, columns, open, open)
}

// measured runs a function whose value is an array, so that its length is known outside, and gives
// the function with what is known then.
func (l *lowerer) measured(s *separate, point value) (*separate, loop.Atom) {
	f := &loop.Func{Name: s.fun.Name, Params: s.fun.Params, Body: settled(s.fun.Body)}
	results := l.emitCopy(f, s.args(l, point))
	n := l.rebuilt(s.value, &results, nil).(*array).n
	known := *s
	known.given = map[*loop.Var]loop.Atom{s.value.(*array).n.(*loop.Var): n}
	maps.Copy(known.given, s.given)
	return &known, n
}

// allColumns is a Jacobian by the derivative in all directions at once; nil if there is none, or
// ties are to be resolved.
func (l *lowerer) allColumns(s *separate, point *array, m loop.Atom, n *loop.Const,
	unit func(n, k loop.Atom) value) value {
	all, err := l.differentiated(s,
		func(p *loop.Program, f *loop.Func, wanted []bool, rules grad.Rules) (*loop.Func, error) {
			expanded := *f
			pass.Expand(&expanded, l.options(f))
			return grad.Directions(p, &expanded, wanted, n.I, rules)
		})
	if err != nil || mayTie(all) && l.resolves() && l.resolved(s, grad.Forward) != nil {
		return nil
	}
	units := l.owned(l.fill(n, func(i *loop.Var) value { return unit(n, i) }))
	masks := l.owned(l.fill(loop.Int(n.I+1), func(i *loop.Var) value {
		return &scalar{l.let("bit", loop.ShlI, loop.Int(1), i)}
	}))
	more := append(l.realAtoms(units), masks.(*array).elem.(*column).buf)
	results := l.untied(s, nil, all, point, more)
	v := l.rebuilt(s.value, &results, nil)
	out := l.withParts(&array{n: m, elem: point}, results)
	l.checkFinite(v)
	l.checkFinite(out)
	return out
}
