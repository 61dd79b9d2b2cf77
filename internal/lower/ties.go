package lower

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/rules"
)

// Note [Ties in compiled code]
//
// A derivative tells whether it was tied (package grad). Usually the run is given up then. Where
// ties are resolved, the derivative is computed again, of the function whose kinks are resolved
// along a fixed direction of the point, and along the opposite one, and the mean is taken: what the
// interpreter does (package tape, Note [Ties]), along the same direction. That takes more code,
// which few runs need; so a region is first compiled without it.
//
// Only a derivative that no other is taken of is resolved, since a second derivative at a kink is
// an error, and a comparison at a tie is one too.

// resolves tells whether ties of derivatives that are lowered now are resolved.
func (l *lowerer) resolves() bool { return l.ties && l.separating == 0 && !l.linear }

// resolvable tells whether ties of the function that is being lowered are going to be resolved, and
// what is emitted belongs to its own body, which is settled afterwards.
func (l *lowerer) resolvable() bool {
	return l.ties && l.separating == 1 && !l.linear && l.inside == 0
}

// settled is a block without Toward, which is 0 where ties are not resolved.
func settled(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		s = loop.MapBlocks(s, settled)
		if let, ok := s.(*loop.Let); ok && let.Op == loop.Toward {
			s = loop.NewLet(let.Var, loop.FromBits, loop.Int(0))
		}
		out.Add(s)
	}
	return out.Rebuilt(b, b.Yield)
}

// untied emits f, a derivative of a separate function at a point, with what it takes besides the
// point, and gives its results without tied. How is the way in which it was derived, or nil if ties
// cannot be resolved in this way.
func (l *lowerer) untied(s *separate, how how, f *loop.Func, point value,
	more []loop.Atom) []loop.Atom {
	emit := l.emit
	if l.ties { // which makes a function of its own each time
		f, emit = &loop.Func{Name: f.Name, Params: f.Params, Body: settled(f.Body)}, l.emitCopy
	}
	results := emit(f, append(s.args(l, point), more...))
	last := len(results) - 1
	results, tied := results[:last], results[last]
	if !mayTie(f) {
		return results
	}
	l.out.Tied = true
	var resolved *loop.Func
	if how != nil && l.resolves() {
		resolved = l.resolved(s, how)
	}
	if resolved == nil {
		l.check(l.not(tied), l.at)
		return results
	}
	values := len(s.fun.Body.Yield)
	again := l.push()
	means := l.means(results[values:], func(sign loop.Atom) []loop.Atom {
		direction := l.realAtoms(l.owned(l.direction(point, sign)))
		out := l.emitCopy(resolved, append(append(s.args(l, point), direction...), more...))
		l.check(l.not(out[last]), l.at)
		return out[values:last]
	})
	l.pop()
	choice := &loop.If{Cond: tied, Then: again.Block(means...),
		Else: &loop.Block{Yield: results[values:]}}
	out := results[:values:values]
	for _, a := range results[values:] {
		v := l.fresh("d", a.AtomKind())
		choice.Results = append(choice.Results, v)
		out = append(out, v)
	}
	l.add(choice)
	return out
}

// mayTie tells whether a derivative may be tied, which its last result says.
func mayTie(f *loop.Func) bool {
	tied, known := f.Body.Yield[len(f.Body.Yield)-1].(*loop.Const)
	return !known || tied.I != 0
}

// resolved is a derivative of a separate function with its kinks resolved, or nil if there is none.
func (l *lowerer) resolved(s *separate, how how) *loop.Func {
	f, _ := l.differentiated(s,
		func(p *loop.Program, f *loop.Func, wanted []bool, rules grad.Rules) (*loop.Func, error) {
			f, err := grad.Resolve(p, f, wanted, rules)
			if f == nil {
				return nil, err
			}
			f.Body = settled(f.Body) // what does not move is copied as it is
			pass.Optimize(f, l.options(f))
			return how(p, f, append(wanted, make([]bool, len(f.Params)-len(wanted))...), rules)
		})
	return f
}

// means are the means of what a body gives with 1 and with -1, reals and buffers of reals that have
// the lengths of others.
func (l *lowerer) means(like []loop.Atom, body func(sign loop.Atom) []loop.Atom) []loop.Atom {
	means := make([]loop.Atom, len(like))
	for i, a := range like {
		if a.AtomKind() == loop.F64s {
			means[i] = l.alloc("mean", loop.F64, l.lengthOf(a.(*loop.Var)), true)
		}
	}
	s := l.push()
	k := l.index(loop.Int(2))
	sign := l.let("sign", loop.SubF, loop.Real(1),
		l.let("x", loop.MulF, loop.Real(2), l.let("x", loop.ToReal, k)))
	half := func(x loop.Atom) loop.Atom { return l.let("half", loop.MulF, loop.Real(0.5), x) }
	turns := &loop.For{Index: k, Count: loop.Int(2)}
	var yield []loop.Atom
	for i, a := range body(sign) {
		if means[i] == nil {
			turns.Reds = append(turns.Reds, loop.Red{Op: loop.AddF, Init: loop.Real(0)})
			yield = append(yield, half(a))
			continue
		}
		to, from := means[i].(*loop.Var), a.(*loop.Var)
		l.parallel(l.lengthOf(from), func(j *loop.Var) {
			x := l.fresh("x", loop.F64)
			l.add(&loop.Load{Var: x, Buf: from, At: j})
			l.add(&loop.Accum{Buf: to, At: j, Value: half(x)})
		})
	}
	turns.Body = s.Block(yield...)
	l.pop()
	next := 0
	for i := range means {
		if means[i] == nil {
			v := l.fresh("mean", loop.F64)
			turns.Reds[next].Result, means[i] = v, v
			next++
		}
	}
	l.loops = true
	l.add(turns)
	return means
}

// direction is the fixed direction of a point, times a number: rules.Direction of its reals from
// left to right.
func (l *lowerer) direction(point value, sign loop.Atom) value {
	all := l.fill(l.bounded(l.count(point)), func(i *loop.Var) value {
		bits := rules.DirectionBits[loop.Atom](l.let("h", loop.AddI, i, loop.Int(1)), words{l})
		return &scalar{l.let("x", loop.MulF, l.let("x", loop.FromBits, bits), sign)}
	})
	return l.replaced(point, all.(*array))
}

// words computes with words and reals as statements of the loop form.
type words struct{ l *lowerer }

func (w words) Times(x loop.Atom, by uint64) loop.Atom {
	return w.l.let("h", loop.MulI, x, loop.Int(int64(by)))
}

func (w words) Fold(x loop.Atom, by uint) loop.Atom {
	return w.l.let("h", loop.XorI, x, w.l.let("h", loop.ShrU, x, loop.Int(int64(by))))
}

func (w words) Double(x loop.Atom) loop.Atom {
	return w.l.let("h", loop.OrI, w.l.let("h", loop.ShrU, x, loop.Int(12)), loop.Int(0x3FF<<52))
}

func (w words) Quotient(x, y loop.Atom) loop.Atom { return w.l.let("unit", loop.DivF, x, y) }

func (w words) IfPositive(c, x, y loop.Atom) loop.Atom {
	return w.l.let("unit", loop.SelF, w.l.let("moves", loop.LtF, loop.Real(0), c), x, y)
}
