package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Calls]
//
// A call is reversed by a call of the function's reverse derivative, which gives the function's
// results too, and adds the cotangents of buffers to buffers that it is given. So the first run of
// the call is not needed where its results are: as in a sum of products,
//
//	p = call f x                   p = call f x
//	s = mul.f a p           →      s = mul.f a p                →     cp = mul.f cs a
//	                               ca = mul.f cs p                    p cx = call f.rev x cp
//	                               cp = mul.f cs a                    s = mul.f a p
//	                               p' cx = call f.rev x cp            ca = mul.f cs p
//
// what depends on the results can wait until after the reversal, which does not. Branches and loops
// that have calls in them give the values of their results in the same way. If a function calls
// itself, this is the difference between the cost of the function and that times the depth of the
// recursion. A function that calls itself and whose reversal would have to run such a call first is
// reversed in another way: Note [Recursion].

// calls tells whether there are calls in a statement, other than of functions with rules and of
// those that read the tape.
func (r *reverser) calls(s loop.Stmt) bool {
	found := false
	loop.Walk(&loop.Block{Stmts: []loop.Stmt{s}}, func(s loop.Stmt) {
		c, ok := s.(*loop.Call)
		found = found || ok && c.Func.Rule == nil && r.d.reads[c.Func] == nil
	})
	return found
}

// reversed is the reverse derivative of a function for calls.
func (d *derivatives) reversed(f *loop.Func, of calling) *loop.Func {
	return d.called(f, ".rev"+of.String(), func() *loop.Func {
		out := d.reverse(f, of, true)
		d.once(f, out)
		return out
	})
}

// call reverses a call by one of the function's reverse derivative, or of what reverses it with a
// tape.
func (r *reverser) call(s *loop.Call) {
	if s.Func.Rule != nil {
		r.ruled(s)
		return
	}
	if isKeeper(r.d.reads[s.Func]) {
		r.give(s.Args[0], r.bufs[s.Results[0]])
		return
	}
	if s.Func.Body == nil {
		panic(notCovered("a function that is being made"))
	}
	of, own := r.act.calling(s), len(s.Args)-s.Func.Adds
	out := &loop.Call{Args: r.atoms(s.Args[:own])}
	for _, v := range s.AddedTo() {
		out.Args = append(out.Args, r.length(v))
	}
	var values []*loop.Var
	if f := r.d.reads[s.Func]; f != nil {
		at := own - 3
		out.Args[at] = r.b.Let("word", loop.AddI, out.Args[at], loop.Int(recordOf(f).width))
		out.Func = r.d.back(f, of.ofRead(at))
	} else if t, ok := r.recordedCalls[s]; ok {
		out.Args = slices.Insert(out.Args, own, loop.Atom(loop.Int(0)), loop.Atom(t.words), loop.Atom(t.doubles))
		out.Func = r.d.back(s.Func, of)
	} else {
		for _, v := range s.Results {
			values = append(values, loop.NewVar(v.Name, v.Kind))
		}
		out.Func, out.Results = r.d.reversed(s.Func, of), slices.Clone(values)
	}
	for i, v := range s.Results {
		switch {
		case !of.results[i]:
		case v.Kind == loop.F64:
			out.Args = append(out.Args, orZero(r.cots[v]))
		default:
			out.Args = append(out.Args, r.cotangent(v))
		}
	}
	for i, v := range s.AddedTo() {
		if of.wanted[own+i] {
			out.Args = append(out.Args, r.cotangent(v))
		}
	}
	added := 0
	var given []*loop.Var // buffers that have the cotangent they are given
	for i, a := range s.Args[:own] {
		v, ok := a.(*loop.Var)
		if !of.wanted[i] || !ok || !v.Kind.IsBuffer() {
			continue
		}
		if r.chains[v] != nil {
			panic(notCovered("a call with a buffer that is updated"))
		}
		into := r.bufs[v]
		if into == nil {
			into = r.zeros(v)
			given = append(given, v, into)
		}
		out.Args = append(out.Args, into)
		added++
	}
	out.Func.Adds = added // it may be being made
	r.b.Add(out)
	result := func(k loop.Kind) *loop.Var {
		v := loop.NewVar("d", k)
		out.Results = append(out.Results, v)
		return v
	}
	for i, a := range s.Args {
		if of.wanted[i] && !a.AtomKind().IsBuffer() {
			r.give(a, result(loop.F64))
		}
	}
	for k := 0; k < len(given); k += 2 {
		r.give(given[k], given[k+1])
	}
	r.tied = either(r.b, r.tied, result(loop.Bool))
	if values != nil {
		r.settle(s, out, s.Results, values)
	}
}

// cotangent is that of an old buffer, zeros if it has none.
func (r *reverser) cotangent(v *loop.Var) *loop.Var {
	if to := r.bufs[v]; to != nil {
		return to
	}
	return r.zeros(v)
}

// settle lets an old statement have its results from its reversal, and removes its first run, if
// what depends on that can wait.
func (r *reverser) settle(s, reversal loop.Stmt, results, values []*loop.Var) {
	first := r.firsts[s]
	if first == nil || writesOutside(s) {
		return
	}
	stmts := r.b.Stmts
	from, to := slices.Index(stmts, first), slices.Index(stmts, reversal)
	if from < 0 || to < 0 {
		return
	}
	late, unbound := map[*loop.Var]bool{}, map[*loop.Var]bool{} // what is not complete yet, and what is not there yet
	bind := func(v *loop.Var) { late[v], unbound[v] = true, true }
	loop.Defs(first, bind)
	for _, v := range results {
		if v.Kind.IsBuffer() {
			return // where it lives is not known
		}
	}
	depends := func(x loop.Stmt) bool {
		found := false
		among := func(set map[*loop.Var]bool) func(loop.Atom) {
			return func(a loop.Atom) {
				v, ok := a.(*loop.Var)
				found = found || ok && set[v]
			}
		}
		needs(x, among(late))
		loop.AllUses(&loop.Block{Stmts: []loop.Stmt{x}}, among(unbound))
		return found
	}
	var now, wait []loop.Stmt
	for _, x := range stmts[from+1 : to] {
		if !depends(x) {
			now = append(now, x)
			continue
		}
		if _, check := x.(*loop.Check); check {
			return // it may guard what follows
		}
		wait = append(wait, x)
		loop.Defs(x, bind)
		writes(x, func(v *loop.Var) { late[v] = true })
	}
	if depends(reversal) {
		return
	}
	subst := map[*loop.Var]loop.Atom{}
	for i, v := range results {
		if w, ok := r.env.Atom(v).(*loop.Var); ok {
			subst[w] = values[i]
		}
		r.env.Set(v, values[i])
	}
	rename := func(a loop.Atom) loop.Atom {
		if v, ok := a.(*loop.Var); ok && subst[v] != nil {
			return subst[v]
		}
		return a
	}
	m := loop.Mapper{Use: rename, Bind: func(v *loop.Var) *loop.Var { return v }}
	m.Block = func(b *loop.Block) *loop.Block {
		out := &loop.Block{}
		for _, s := range b.Stmts {
			out.Stmts = append(out.Stmts, m.Stmt(s))
		}
		for _, a := range b.Yield {
			out.Yield = append(out.Yield, rename(a))
		}
		return out
	}
	for _, list := range [][]loop.Stmt{wait, stmts[to+1:]} {
		for i, x := range list {
			list[i] = m.Stmt(x)
		}
	}
	r.b.Stmts = slices.Concat(stmts[:from], now, stmts[to:to+1], wait, stmts[to+1:])
	r.tied = rename(r.tied)
	for v, a := range r.cots {
		if a != nil {
			r.cots[v] = rename(a)
		}
	}
}

// writesOutside tells whether a statement writes to a buffer that it does not make.
func writesOutside(s loop.Stmt) bool {
	found := false
	inside := allocated([]loop.Stmt{s})
	writes(s, func(v *loop.Var) { found = found || !inside[v] })
	return found
}
