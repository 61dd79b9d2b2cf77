// Package lower makes loop form from core. It is given a function of a
// monomorphic program, whose arguments and result contain no function values,
// and hands on a function of scalars and buffers with a signature that says
// which parameter is which part of the arguments.
//
// Lowering is evaluation with symbols: a value of the program is a tree whose leaves are scalars of
// the loop form or columns of buffers (value.go), and each operation of core is carried
// out on such trees while its statements are emitted (emit.go). So function values, tuples,
// records, rows of matrices and slices cost nothing: a call is lowered where
// it stands, a slice is the same column from another place on. What remains are loops over scalars.
//
//	lower.go      the functions of the package
//	source.go     what is lowered, and what comes of it
//	lowerer.go    the state of lowering; covers.go a quick test of what cannot be lowered
//	value.go      values; shape.go their types, pieces.go their scalars and buffers,
//	              reals.go their reals, move.go values that are moved
//	emit.go       statements, and where integers are placed; difference.go their differences
//	block.go      statements of core; operation.go operations, choice.go branches
//	prim.go       rows of the table of primitives
//	structural.go rows that are written by hand; sort.go and polygamma.go two of them
//	array.go      comprehensions; joined.go rows of different lengths, update.go updates
//	loops.go      loops; total.go what they only add to, lengths.go arrays whose lengths change
//	functions.go  functions chosen at run time; recursion.go, tail.go those that call themselves
//	variant.go    data; node.go recursive data
//	derive.go     derivatives; jacobian.go Jacobians, apart.go what is derived in several places,
//	              ties.go kinks
//	watch.go      errors of approximations in what is differentiated
//	rules.go      derivatives of operations; ruled.go those that a program states
//	compare.go    the comparison of a rule of a program with its function
//	shared.go     definitions that are lowered once for several functions
//
// A run of loop form may give up where a Check fails (an index out of range, an overflow, rows of
// different lengths), or where a derivative is at a kink. Its caller then
// runs the function in the interpreter, which is the meaning.
//
// It must not know how loop form is run.
package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Optimize makes the function ready for a target. Passes are told what the checks of lengths in
// front of it say, and need not go over them.
func (l *Lowered) Optimize() { l.OptimizeUntil(nil) }

// OptimizeUntil is Optimize as long as a watch allows: beyond that, it panics as Poll of the watch
// does.
func (l *Lowered) OptimizeUntil(w *stop.Watch) {
	optimize := pass.Optimize
	if l.optimised {
		optimize = pass.Schedule
	}
	body, n := l.Func.Body, 4*len(l.stated)
	checks := body.Stmts[:n:n]
	l.Func.Body = &loop.Block{Stmts: body.Stmts[n:], Yield: body.Yield}
	for _, f := range l.Program().Funcs {
		o := pass.Options{Schedule: true, After: l.after, Watch: w}
		if f == l.Func {
			o.Lengths, o.Longest = l.stated, Most
		}
		optimize(f, o)
	}
	body = l.Func.Body
	l.Func.Body = &loop.Block{Stmts: append(checks, body.Stmts...), Yield: body.Yield}
}

// Function lowers a function. Free are the variables that it captures: first-order values, which
// are parameters before its own. known gives the function that a captured variable stands for, or
// nil.
func (s *Source) Function(name string, fun *core.Lambda, free []*core.Var,
	known func(*core.Var) *core.Lambda) (*Lowered, error) {
	return s.function(newLowerer(s, known), name, fun, free)
}

// Resolved is Function with the ties of derivatives resolved: Note [Ties in compiled code].
func (s *Source) Resolved(name string, fun *core.Lambda, free []*core.Var) (*Lowered, error) {
	l := newLowerer(s, nil)
	l.ties = true
	return s.function(l, name, fun, free)
}

// Comparing is Function, with code that compares the rules which it uses with the derivatives that
// they replace, and gives up where they seem to be wrong: Note [Rules that compiled code compares].
// Its last result is how often each of Rules was used. It is nil if there are no rules, and if it
// is not covered.
func (s *Source) Comparing(name string, fun *core.Lambda, free []*core.Var) *Lowered {
	if !s.HasRules() {
		return nil
	}
	l := newLowerer(s, nil)
	l.comparing = true
	low, err := s.function(l, name, fun, free)
	if err != nil || len(low.Rules) == 0 {
		return nil
	}
	return low
}

func (s *Source) function(l *lowerer, name string, fun *core.Lambda,
	free []*core.Var) (low *Lowered, err error) {
	defer recoverNotCovered(&err)
	var args []value
	for _, v := range free {
		l.top.bind(v, l.param(v.Name, v.Ty))
		l.out.Params = append(l.out.Params, v.Ty)
	}
	for _, p := range fun.Params {
		args = append(args, l.param(p.Name, p.Ty))
		l.out.Params = append(l.out.Params, p.Ty)
	}
	l.last = lastCall(fun.Body)
	result := l.inline(fun, l.top, args)
	return l.finish(name, result, fun.Body.Result.Type()), nil
}

// Block lowers a block, as a function of its free variables.
func (s *Source) Block(name string, b *core.Block, known func(*core.Var) *core.Lambda) (*Lowered,
	[]*core.Var, error) {
	var free []*core.Var
	for _, v := range core.FreeVars(b) {
		if known == nil || known(v) == nil {
			free = append(free, v)
		}
	}
	low, err := s.Function(name, &core.Lambda{Body: b}, free, known)
	return low, free, err
}

// Definition lowers a definition: a function, or what computes a constant.
func (s *Source) Definition(d *core.Def) (*Lowered, error) {
	d = s.meant(d)
	if fun := d.Function(); fun != nil {
		return s.Function(d.Name, fun, nil, nil)
	}
	low, _, err := s.Block(d.Name, d.Body, nil)
	return low, err
}

// Gradient lowers the value of a definition, a function whose result is a real, together with its
// gradient by all arguments: a pair.
func (s *Source) Gradient(d *core.Def) (low *Lowered, err error) {
	defer recoverNotCovered(&err)
	l := newLowerer(s, nil)
	fun := d.Function()
	if fun == nil || types.Resolve(fun.Body.Result.Type()) != types.Type(types.Real) {
		l.fail("the gradient of what is not a function with a real result")
	}
	point := &product{}
	var params []types.Type
	for _, p := range fun.Params {
		point.parts = append(point.parts, l.param(p.Name, p.Ty))
		params = append(params, p.Ty)
	}
	sep := l.separately(func(x value) value { return l.inline(fun, nil, x.(*product).parts) },
		point)
	v, cotangent := l.pullBack(sep, l.reverseOf(sep), point, &scalar{loop.Real(1)})
	l.out.Params = params
	gradient := types.Type(&types.Tuple{Elems: params})
	if len(params) == 1 {
		gradient, cotangent = params[0], cotangent.(*product).parts[0]
	}
	return l.finish(d.Name, &product{parts: []value{v, cotangent}},
		&types.Tuple{Elems: []types.Type{types.Real, gradient}}), nil
}

// finish makes the function that gives a value.
func (l *lowerer) finish(name string, result value, ty types.Type) *Lowered {
	s := DataShapeOf(ty)
	if s != nil && s.hasNodes() {
		l.failWith(RecursiveHint, "a result of type %s", types.Show(ty))
	}
	if hasFunctions(ty) || s != nil && !l.source.Data && hasVariants(ty) {
		l.fail("a result of type %s", types.Show(ty))
	}
	var yield []loop.Atom
	if done, ok := result.(finished); ok {
		yield, l.out.optimised = done.parts, true
	} else {
		yield = l.parts(l.owned(l.defined(result)))
	}
	l.out.Result = ty
	l.out.Func = &loop.Func{Name: name, Params: l.params, Body: l.scope().Block(yield...)}
	l.inlineRuled()
	if !l.partial {
		for _, f := range l.out.Program().Funcs {
			if grad.Watches(f) {
				f.Body = writtenOut(f.Body)
			}
		}
		l.out.stated = l.stateLengths(l.out.Func, nil)
	}
	l.out.Loops = l.loops
	l.after("lowered", l.out.Func)
	return l.out
}

// inlineRuled puts the bodies of functions with rules where they are called. If rules are compared,
// the function's last result is how often each was used.
func (l *lowerer) inlineRuled() {
	var counts *loop.Var
	if l.comparing && len(l.out.Rules) > 0 {
		counts = loop.NewVar("counts", loop.F64s)
	}
	for _, f := range l.out.Program().Funcs {
		if f != l.out.Func && loop.InlineRuled(f, nil) {
			l.fail("the comparison of rules in a recursive function")
		}
	}
	f := l.out.Func
	loop.InlineRuled(f, counts)
	if counts != nil {
		alloc := &loop.Alloc{Var: counts, Len: loop.Int(int64(len(l.out.Rules))), Zero: true}
		f.Body = &loop.Block{Stmts: append([]loop.Stmt{alloc}, f.Body.Stmts...),
			Yield: append(slices.Clone(f.Body.Yield), counts)}
	}
}
