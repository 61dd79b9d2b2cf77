package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Pushed loops]
//
// Where only a few scalars flow into a loop with states, the loop carries the tangents of its
// states by each of them, and its reversal is a product with what these are in the end. There is
// neither a tape nor a second loop.
//
//	for i < n, x : f64 = a { y = f x p; yield y } gives z
//	→
//	for i < n, x : f64 = a, xa = 1.0, xp = 0.0 {
//	  y = f x p; ya = mul.f f_x xa; yp = add.f (mul.f f_x xp) f_p; yield y ya yp
//	} gives z, za, zp
//	a' = mul.f z' za; p' = mul.f z' zp
//
// With k scalars, the loop does k products for each active argument of an operation, where the
// reversal would do one, but store and load what is on the tape. A double on the tape is taken to
// cost as much as four products.
//
// A While is pushed as a For is whose turns begin with its condition, and need not be run a second
// time then. Whether comparisons were tied leaves a For as a total, and a While as a state.

// onTape is the cost of a double on the tape, in products.
const onTape = 4

// sources are the active scalars that flow into a loop with states; ok tells whether it is better
// pushed than taped.
func (r *reverser) sources(s *loop.For) (found []*loop.Var, ok bool) {
	stored, products := 0, 0
	for _, st := range s.States {
		if st.Var.Kind.IsBuffer() || r.act.active(st.Result) && !r.act.active(st.Var) {
			return nil, false
		}
		if r.act.active(st.Var) {
			stored++
		}
	}
	for _, red := range s.Reds {
		if r.act.active(red.Result) && red.Op != loop.AddF {
			return nil, false
		}
	}
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *loop.Let:
			if !r.act.touches(x) {
				continue
			}
			rule := r.d.rule(x.Op)
			if r.act.mayTie(x) {
				continue
			}
			if rule.Kink != nil {
				return nil, false
			}
			if x.Op.Cost >= dear {
				stored++
			}
			for i, a := range x.Args {
				if p := rule.Partials[i]; p != nil && r.act.active(a) {
					if products++; cost(p.Body.Stmts) >= dear {
						stored++
					}
				}
			}
		case *loop.Load:
			if r.act.active(x.Buf) || r.chains[x.Buf] != nil {
				return nil, false
			}
		case *loop.Length, *loop.Check:
		default:
			return nil, false
		}
	}
	found = slices.DeleteFunc(r.captured(s.Body), func(v *loop.Var) bool {
		return slices.ContainsFunc(s.States, func(st loop.State) bool { return st.Var == v })
	})
	for _, st := range s.States {
		if v, ok := st.Init.(*loop.Var); ok && r.act.active(st.Var) && r.act.active(v) && !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	if len(found)*products > products+onTape*stored {
		return nil, false
	}
	return found, true
}

// push runs a loop with the tangents of its states. If it stands for a While, that is run instead.
func (r *reverser) push(s *loop.For, while *loop.While, sources []*loop.Var) {
	p := &pushed{sources: sources, tangents: map[*loop.Var][]loop.Atom{}}
	r.pushed[s] = p
	inside := map[*loop.Var][]loop.Atom{} // the tangents of old variables in the body
	p.of = func(a loop.Atom) []loop.Atom {
		v, ok := a.(*loop.Var)
		if !ok {
			return nil
		}
		if k := slices.Index(sources, v); k >= 0 && inside[v] == nil {
			unit := make([]loop.Atom, len(sources))
			unit[k] = loop.Real(1)
			return unit
		}
		return inside[v]
	}
	var states []loop.State
	state := func(name string, k loop.Kind, init loop.Atom) loop.State {
		st := newState(name, k, init)
		states = append(states, st)
		return st
	}
	first := make([]loop.State, len(s.States))
	for i, st := range s.States {
		first[i] = state(st.Var.Name, st.Var.Kind, r.env.Atom(st.Init))
	}
	for _, st := range s.States {
		if !r.act.active(st.Var) {
			continue
		}
		for _, v := range sources {
			t := state("d"+st.Var.Name, loop.F64, loop.Real(0))
			if st.Init == loop.Atom(v) {
				states[len(states)-1].Init = loop.Real(1)
			}
			inside[st.Var] = append(inside[st.Var], t.Var)
			p.tangents[st.Result] = append(p.tangents[st.Result], t.Result)
		}
	}
	index := r.env.Bind(s.Index)
	for i, st := range s.States {
		r.env.Set(st.Var, first[i].Var)
	}
	var cond *loop.Block
	if while != nil {
		cond = r.rerunBlock(while.Cond)
	}
	var b loop.Builder
	tied := loop.Atom(loop.Truth(false))
	for _, x := range s.Body.Stmts {
		r.rerun(&b, x)
		if let, ok := x.(*loop.Let); ok && r.act.mayTie(let) {
			args := append(r.atoms(let.Args), r.env.Atom(let.Var))
			tied = either(&b, tied, r.act.tieOf(&b, let, args, r.env.Atom))
		} else if ok && r.act.touches(let) {
			if ts := r.tangents(&b, let, p); ts != nil {
				inside[let.Var] = ts
			}
		}
	}
	yield := r.atoms(s.Body.Yield[:len(s.States)])
	along := func(a loop.Atom) {
		ts := p.of(a)
		for k := range sources {
			if ts == nil {
				yield = append(yield, loop.Real(0))
			} else {
				yield = append(yield, orZero(ts[k]))
			}
		}
	}
	for i, st := range s.States {
		if inside[st.Var] != nil {
			along(s.Body.Yield[i])
		}
		r.env.Set(st.Result, first[i].Result)
	}
	if while != nil {
		ties := tied
		if !isFalse(tied) {
			st := state("tied", loop.Bool, loop.Truth(false))
			yield = append(yield, either(&b, st.Var, tied))
			ties = st.Result
		}
		r.b.Add(&loop.While{States: states, Cond: cond, Body: b.Block(yield...)})
		r.tied = either(r.b, r.tied, ties)
		return
	}
	out := &loop.For{Index: index, Count: r.env.Atom(s.Count), States: states}
	for i, red := range s.Reds {
		total := loop.NewVar(red.Result.Name, red.Result.Kind)
		out.Reds = append(out.Reds, loop.Red{Op: red.Op, Init: r.env.Atom(red.Init), Result: total})
		yield = append(yield, r.env.Atom(s.Body.Yield[len(s.States)+i]))
		r.env.Set(red.Result, total)
	}
	for i, red := range s.Reds {
		if !r.act.active(red.Result) {
			continue
		}
		for range sources {
			t := loop.NewVar("d"+red.Result.Name, loop.F64)
			out.Reds = append(out.Reds, loop.Red{Op: loop.AddF, Init: loop.Real(0), Result: t})
			p.tangents[red.Result] = append(p.tangents[red.Result], t)
		}
		along(s.Body.Yield[len(s.States)+i])
	}
	if isFalse(tied) {
		out.Body = b.Block(yield...)
		r.b.Add(out)
		return
	}
	any := loop.NewVar("tied", loop.Bool)
	out.Reds = append(out.Reds, loop.Red{Op: loop.Or, Init: loop.Truth(false), Result: any})
	out.Body = b.Block(append(yield, tied)...)
	r.b.Add(out)
	r.tied = either(r.b, r.tied, any)
}

// tangents emits the tangents of an operation's result, nil if it is a structural zero.
func (r *reverser) tangents(b *loop.Builder, s *loop.Let, p *pushed) []loop.Atom {
	rule := r.d.rule(s.Op)
	args := append(r.atoms(s.Args), r.env.Atom(s.Var))
	var sums []loop.Atom
	for i, a := range s.Args {
		ts := p.of(a)
		if ts == nil || rule.Partials[i] == nil {
			continue
		}
		if sums == nil {
			sums = make([]loop.Atom, len(ts))
		}
		for k, t := range ts {
			if t != nil {
				sums[k] = plus(b, sums[k], scaled(b, t, rule.Partials[i], args))
			}
		}
	}
	return sums
}

// pull is the reversal of a loop that carried tangents.
func (r *reverser) pull(s *loop.For, p *pushed) {
	from := func(result *loop.Var) {
		cot := r.cots[result]
		for k, t := range p.tangents[result] {
			if cot != nil {
				r.give(p.sources[k], r.b.Let("d", loop.MulF, cot, t))
			}
		}
	}
	for _, st := range s.States {
		from(st.Result)
	}
	for _, red := range s.Reds {
		from(red.Result)
		if red.Init.AtomKind() == loop.F64 {
			r.give(red.Init, r.cots[red.Result])
		}
	}
}
