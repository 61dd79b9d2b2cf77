package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Rules in compiled code]
//
// A function with a derivative of its own is the function itself where it is not differentiated.
// Where it is, a call of it becomes a Call of a function of the loop form with a loop.Rule, which
// package grad uses; when all is differentiated, such calls are replaced by the body of the
// function.
//
// The interpreter runs the function on plain numbers, so that what it does is not differentiated at
// any order. The rule is differentiated for derivatives of higher order. Where n derivatives are
// around, it is lowered for n-1, so that a rule which uses the function that it is for, like
//
//	let rec root x = withDerivative heron (fun x dx => dx / (2 * root x)) x
//
// is lowered n times. The transposition of a rule is one derivative more, but by tangents or
// cotangents only. If these go through a function with a rule in their turn, of which no rule was
// lowered, the derivative is not covered.
//
// The interpreter compares a rule with the derivative that it replaces. The rules that compiled
// code uses are told (Lowered.Rules), and whoever runs it sees to it that they were compared; or
// they are compared by the code itself: Note [Rules that compiled code compares].

// withRule applies a function with a derivative of the program's own.
func withRule(l *lowerer, let *core.Let, op *core.Prim, env *env) value {
	if l.separating == 0 && !l.linear {
		return l.unruled(op, env)
	}
	l.ruled++
	for _, t := range []types.Type{op.Args[2].Type(), let.Var.Ty} {
		if s := DataShapeOf(t); s == nil || s.hasNodes() {
			l.fail("a rule for values of type %s", types.Show(t))
		}
	}
	// the tag of the value, which the function gives, would be an argument of the rule
	if hasVariants(let.Var.Ty) {
		l.fail("a rule for a function with values of type %s", types.Show(let.Var.Ty))
	}
	fun, by := l.atom(op.Args[0], env), l.atom(op.Args[1], env)
	x := l.owned(l.use(op.Args[2], env))
	at := l.at
	defer func() { l.at = at }()
	f := l.separatelyFor(0, false, func(x value) value { return l.apply(fun, []value{x}) }, x)
	g := &loop.Func{Name: "ruled", Params: f.fun.Params[:f.reals:f.reals], Body: f.fun.Body,
		Rule: &loop.Rule{Reals: f.reals}}
	call := &loop.Call{Func: g, Args: l.realAtoms(x)}
	var results []loop.Atom
	for _, a := range g.Body.Yield {
		v := l.fresh("y", a.AtomKind())
		call.Results, results = append(call.Results, v), append(results, v)
	}
	y := f.called(l, results)
	free := slices.Clone(f.fun.Params[f.reals:])
	if l.separating > 0 {
		free = l.addRule(g, op, fun, by, x, y, free)
	}
	g.Params = append(g.Params, free...)
	for _, v := range free {
		call.Args = append(call.Args, v)
	}
	l.add(call)
	return y
}

// addRule lowers the rule of a function, which is given as a function of the loop form and as a
// value. Free are the variables that the function of the loop form captures; addRule gives them
// with those that the rule captures.
func (l *lowerer) addRule(g *loop.Func, op *core.Prim, fun, by, x, y value,
	free []*loop.Var) []*loop.Var {
	f, ok := fun.(*closure)
	r, ok2 := by.(*closure)
	if !ok || !ok2 {
		l.fail("a rule that is chosen when the program runs")
	}
	known := core.Rule{Fun: f.fun, By: r.fun}
	number := slices.Index(l.out.Rules, known)
	if number < 0 {
		number = len(l.out.Rules)
		l.out.Rules = append(l.out.Rules, known)
	}
	push := op.Prim.ID == prim.WithDerivative
	second, like := y, x
	if push {
		second, like = x, y
	}
	s := l.separatelyFor(l.separating-1, true, func(p value) value {
		return l.owned(l.tangentAt(like, l.apply(by, p.(*product).parts)))
	}, &product{parts: []value{x, second}})
	free = alsoFree(free, s)
	n := g.Rule.Reals
	var compared *separate
	if l.comparing {
		compared = l.ruleDiffers(l.separating, push, fun, by, x, y)
		free = alsoFree(free, compared)
	}
	rule := &loop.Func{Name: "rule",
		Params: slices.Concat(s.fun.Params[:n], free, s.fun.Params[n:s.reals]), Body: s.fun.Body}
	rule.Body.Yield = l.realAtoms(s.value)
	pass.Optimize(rule, l.options(rule))
	if push {
		g.Rule.Push = rule
	} else {
		g.Rule.Pull = rule
	}
	if l.comparing {
		used := loop.NewVar("used", loop.Bool)
		b := &loop.Builder{Stmts: compared.fun.Body.Stmts}
		differs := b.Let("differs", loop.And, compared.fun.Body.Yield[0], used)
		g.Rule.Differs = &loop.Func{Name: "differs",
			Params: append(slices.Concat(compared.fun.Params[:n], free), used),
			Body:   b.Block(differs, used), Rule: &loop.Rule{Counted: number + 1}}
	}
	return free
}

// alsoFree adds to a list of variables those that a separate function captures.
func alsoFree(free []*loop.Var, s *separate) []*loop.Var {
	for _, v := range s.fun.Params[s.reals:] {
		if !slices.Contains(free, v) {
			free = append(free, v)
		}
	}
	return free
}

// called is the value of a separate function that is called, of the call's results. Lengths are
// those that are known outside.
func (s *separate) called(l *lowerer, results []loop.Atom) value {
	return l.rebuiltBy(s.value, &results, nil, func(was, _ loop.Atom) loop.Atom {
		n := s.outside(l, was)
		if n == nil {
			l.fail("a rule for a function whose result has a length that depends on its reals")
		}
		return n
	})
}

// unruled applies a function without what the program says of how it is differentiated or enclosed.
func (l *lowerer) unruled(op *core.Prim, env *env) value {
	apply := core.Unruled(op).(*core.Apply)
	return l.apply(l.atom(apply.Fun, env), []value{l.use(apply.Args[0], env)})
}
