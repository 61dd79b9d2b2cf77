package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Functions with rules]
//
// A function may have a derivative of its own (loop.Rule), which is a function of tangents, Push,
// or of cotangents, Pull. It is emitted where the derivative of a call of the function stands; the
// call itself stays as it is, so that a derivative of the derivative uses the rule again, and
// differentiates what was emitted.
//
// The mode that a rule is not for transposes it. The rule is linear in its last parameters, so that
// it is differentiated by these, in reverse, at 0:
//
//	Push x dx = mul.f x dx        Pull x by = the cotangent of dx at dx = 0, by being that of the result: mul.f x by
//
// A rule says nothing of what else its function depends on. If some of that varies, the derivative
// is not covered. So it is if what the rule itself captures varies, in a derivative around the one
// that uses the rule: for that, captured reals go through a call of a function that has an empty
// rule.

// captured lets the reals that a rule captures through, as what must not vary. Args are the first
// arguments of the rule.
func captured(b *loop.Builder, rule *loop.Func, reals int, args []loop.Atom) []loop.Atom {
	used := map[loop.Atom]bool{}
	loop.AllUses(rule.Body, func(a loop.Atom) { used[a] = true })
	call := &loop.Call{}
	f := &loop.Func{Name: "captured", Rule: &loop.Rule{}, Body: &loop.Block{}}
	for i, a := range args {
		v, ok := a.(*loop.Var)
		if i < reals || !ok || !isReal(v.Kind) || !used[rule.Params[i]] {
			continue
		}
		p, out := loop.NewVar(v.Name, v.Kind), loop.NewVar(v.Name, v.Kind)
		f.Params, f.Body.Yield = append(f.Params, p), append(f.Body.Yield, p)
		call.Args, call.Results = append(call.Args, v), append(call.Results, out)
		args[i] = out
	}
	if len(call.Args) > 0 {
		call.Func = f
		b.Add(call)
	}
	return args
}

// differs tells whether a rule that is used with the given tangents or cotangents is not the
// derivative of its function, if that is asked.
func differs(b *loop.Builder, rule *loop.Rule, args, by []loop.Atom) loop.Atom {
	if rule.Differs == nil {
		return loop.Truth(false)
	}
	used := loop.Atom(loop.Truth(true))
	if !slices.ContainsFunc(by, func(a loop.Atom) bool { return a.AtomKind().IsBuffer() }) {
		used = matters(b, by...)
	}
	v := loop.NewVar("differs", loop.Bool)
	b.Add(&loop.Call{Func: rule.Differs, Args: slices.Concat(args, []loop.Atom{used}), Results: []*loop.Var{v, loop.NewVar("used", loop.Bool)}})
	return v
}

// linear applies a rule to tangents or cotangents.
func (d *derivatives) linear(b *loop.Builder, rule *loop.Func, reals int, args, by []loop.Atom) []loop.Atom {
	args = captured(b, rule, reals, args)
	return inline(b, rule, append(args, by...))
}

// transposed applies the transpose of a rule to tangents or cotangents, and tells whether it is
// tied. Zeros are in the place of the rule's own last arguments.
func (d *derivatives) transposed(b *loop.Builder, rule *loop.Func, reals int, args, zeros, by []loop.Atom) ([]loop.Atom, loop.Atom) {
	f := d.transposes[rule]
	if f == nil {
		wanted, results := make([]bool, len(rule.Params)), make([]bool, len(rule.Body.Yield))
		for i := len(args); i < len(wanted); i++ {
			wanted[i] = true
		}
		for i := range results {
			results[i] = true
		}
		f = d.reverse(rule, calling{wanted: wanted, results: results}, false)
		d.transposes[rule] = f
	}
	args = captured(b, rule, reals, args)
	args = append(append(args, zeros...), by...)
	out := inline(b, f, args)
	last := len(out) - 1
	return out[len(rule.Body.Yield):last], out[last]
}

// ruled pushes tangents through a call of a function with a rule.
func (p *pusher) ruled(s *loop.Call) {
	rule := s.Func.Rule
	p.primal(s)
	args := p.atoms(s.Args)
	var by []loop.Atom
	for _, a := range s.Args[:rule.Reals] {
		by = append(by, p.tangentOf(a))
	}
	p.ties(func() loop.Atom { return differs(p.b, rule, args, by) })
	var out []loop.Atom
	switch {
	case rule.Push != nil:
		out = p.d.linear(p.b, rule.Push, rule.Reals, args, by)
	case rule.Pull != nil:
		var zeros []loop.Atom
		for _, v := range s.Results {
			if isReal(v.Kind) {
				zeros = append(zeros, zeroLike(p.b, p.env.Atom(v)))
			}
		}
		var tied loop.Atom
		out, tied = p.d.transposed(p.b, rule.Pull, rule.Reals, args, zeros, by)
		p.ties(func() loop.Atom { return tied })
	default:
		panic(notCovered("a rule that is differentiated once more than was foreseen"))
	}
	for _, v := range s.Results {
		if isReal(v.Kind) {
			p.tans[v], out = out[0], out[1:]
		}
	}
}

// zeroLike is a zero, or a buffer of zeros with the length of another.
func zeroLike(b *loop.Builder, a loop.Atom) loop.Atom {
	if a.AtomKind() == loop.F64 {
		return loop.Real(0)
	}
	return b.Alloc("zeros", loop.F64s, b.Length(a.(*loop.Var)), true)
}

// ruled pulls cotangents back through a call of a function with a rule.
func (r *reverser) ruled(s *loop.Call) {
	rule := s.Func.Rule
	args := r.atoms(s.Args)
	for _, a := range s.Args {
		if v, ok := a.(*loop.Var); ok && r.chains[v] != nil {
			panic(notCovered("a call with a buffer that is updated"))
		}
	}
	var by []loop.Atom
	for _, v := range s.Results {
		switch {
		case r.chains[v] != nil:
			panic(notCovered("a call that makes a buffer which is updated"))
		case v.Kind == loop.F64:
			by = append(by, orZero(r.cots[v]))
		case v.Kind == loop.F64s && r.bufs[v] == nil:
			by = append(by, r.zeros(v))
		case v.Kind == loop.F64s:
			by = append(by, r.bufs[v])
		}
	}
	r.tied = either(r.b, r.tied, differs(r.b, rule, args, by))
	var out []loop.Atom
	switch {
	case rule.Pull != nil:
		out = r.d.linear(r.b, rule.Pull, rule.Reals, args, by)
	case rule.Push != nil:
		var zeros []loop.Atom
		for _, a := range args[:rule.Reals] {
			zeros = append(zeros, zeroLike(r.b, a))
		}
		var tied loop.Atom
		out, tied = r.d.transposed(r.b, rule.Push, rule.Reals, args, zeros, by)
		r.tied = either(r.b, r.tied, tied)
	default:
		panic(notCovered("a rule that is differentiated once more than was foreseen"))
	}
	for i, a := range s.Args[:rule.Reals] {
		r.give(a, out[i])
	}
}
