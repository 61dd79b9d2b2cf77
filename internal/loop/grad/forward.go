package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Forward]
//
// Each statement is followed by one for the tangents: a scalar's is a scalar, a buffer's a buffer
// that is written and read at the same places. A loop's states and totals are followed by their
// tangents. Totals that are not sums become states first. The tangents of buffers that a function
// writes to come after these.

// forward makes the forward derivative of a function. Decided are results that are relevant,
// besides those that hold doubles.
func (d *derivatives) forward(f *loop.Func, wanted, decided, zero []bool) *loop.Func {
	results := make([]bool, len(f.Body.Yield))
	for i, y := range f.Body.Yield {
		results[i] = isReal(y.AtomKind())
	}
	of := calling{wanted, results, decided}
	f = d.ordered(f, of, loop.MulF, loop.MaxF, loop.MinF)
	p := d.pusher(f, of)
	out := &loop.Func{Name: f.Name + ".fwd"}
	params := func(from, to int) {
		for _, x := range f.Params[from:to] {
			out.Params = append(out.Params, p.env.Bind(x))
		}
		for i := from; i < to; i++ {
			if x := f.Params[i]; wanted[i] {
				out.Params = append(out.Params, p.tangent(x))
				if zero[i] {
					delete(p.tans, x)
				}
			}
		}
	}
	read := len(f.Params) - f.Adds
	params(0, read)
	before := len(out.Params)
	params(read, len(f.Params))
	out.Adds = len(out.Params) - before
	p.block(f.Body.Stmts)
	yield := p.atoms(f.Body.Yield)
	for i, y := range f.Body.Yield {
		if results[i] {
			yield = append(yield, p.tangentOf(y))
		}
	}
	out.Body = p.b.Block(append(yield, p.tied)...)
	return out
}

func (d *derivatives) pusher(f *loop.Func, of calling) *pusher {
	act := d.analyse(f, of)
	withoutCaptured(f, act)
	return &pusher{d: d, act: act,
		b: &loop.Builder{}, env: loop.NewCopier(),
		tans: map[*loop.Var]loop.Atom{}, tied: loop.Truth(false)}
}

func (p *pusher) block(stmts []loop.Stmt) {
	for _, s := range stmts {
		p.stmt(s)
	}
}

func (p *pusher) stmt(s loop.Stmt) {
	p.d.program.Watch.Poll()
	if p.watched(s) {
		return
	}
	if !p.act.touches(s) && !writesActive(p.act, s) {
		p.primal(s)
		return
	}
	switch s := s.(type) {
	case *loop.Let:
		if !p.resolved(s) {
			p.primal(s)
			p.let(s)
		}
	case *loop.Alloc:
		p.primal(s)
		t := p.tangent(s.Var)
		p.b.Add(&loop.Alloc{Var: t, Len: p.env.Atom(s.Len), Zero: s.Zero})
	case *loop.Load, *loop.Store, *loop.Accum:
		p.primal(s)
		p.access(s)
	case *loop.Copy:
		t := p.tangentOf(s.Buf).(*loop.Var)
		p.primal(s)
		p.b.Add(&loop.Copy{Var: p.tangent(s.Var), Buf: t})
	case *loop.Update:
		p.update(s)
	case *loop.For:
		p.loop(s)
	case *loop.While:
		p.while(s)
	case *loop.If:
		p.branch(s)
	case *loop.Call:
		p.call(s)
	}
}

// primal emits a statement as it is.
func (p *pusher) primal(s loop.Stmt) {
	if p.dirs != nil {
		s = p.dirs.again(s)
	}
	if s != nil {
		emit(p.b, p.env, s)
	}
}

// access emits what a read or a write does to tangents.
func (p *pusher) access(s loop.Stmt) {
	switch s := s.(type) {
	case *loop.Load:
		if t := p.of(s.Buf); t != nil {
			load := &loop.Load{Var: loop.NewVar("d"+s.Var.Name, loop.F64), Buf: t.(*loop.Var)}
			p.dirs.readsElement(load, s)
			load.At = p.dirs.place(s.Buf, p.env.Atom(s.At))
			p.b.Add(load)
			p.tans[s.Var] = load.Var
		}
	case *loop.Store:
		d := p.tangentOf(s.Value)
		p.b.Store(p.of(s.Buf).(*loop.Var), p.dirs.place(s.Buf, p.env.Atom(s.At)), d)
	case *loop.Accum:
		if t := p.of(s.Value); t != nil {
			if p.dirs != nil {
				p.dirs.reads(s.Buf)
			}
			p.b.Accum(p.of(s.Buf).(*loop.Var), p.dirs.place(s.Buf, p.env.Atom(s.At)), t)
		}
	}
}

// writesActive tells whether a statement writes to an active buffer, if only what is not
// active itself.
func writesActive(act *activity, s loop.Stmt) bool {
	writes := func(s loop.Stmt) bool {
		switch s := s.(type) {
		case *loop.Store:
			return act.active(s.Buf)
		case *loop.Accum:
			return act.active(s.Buf)
		}
		return false
	}
	return writes(s) || loop.AnyWithin(s, writes)
}

// let emits the tangent of an operation's result.
func (p *pusher) let(s *loop.Let) {
	rule := p.d.rule(s.Op)
	args := append(p.atoms(s.Args), p.env.Atom(s.Var))
	if p.act.mayTie(s) {
		p.ties(func() loop.Atom { return p.act.tieOf(p.b, s, args, p.env.Atom) })
		return
	}
	p.feature(s, args)
	sum := p.sum(p.b, s, args)
	if sum == nil {
		return
	}
	p.tans[s.Var] = sum
	if rule.Kink != nil && !p.d.narrow {
		var moving []loop.Atom
		for i, a := range s.Args {
			if rule.Partials[i] != nil {
				moving = append(moving, p.of(a))
			}
		}
		tie := p.b.Let("tie", loop.And, atKink(p.b, rule, args), matters(p.b, moving...))
		p.tied = either(p.b, p.tied, tie)
	}
}

// sum is the tangent of an operation's result by its rule, for its arguments and its result.
func (p *pusher) sum(b *loop.Builder, s *loop.Let, args []loop.Atom) (sum loop.Atom) {
	rule := p.d.rule(s.Op)
	for i, a := range s.Args {
		if t := p.of(a); t != nil && rule.Partials[i] != nil {
			sum = plus(b, sum, scaled(b, t, rule.Partials[i], args))
		}
	}
	return sum
}

// update replaces the element of a buffer and of its tangent. A buffer has a tangent if it is
// active.
func (p *pusher) update(s *loop.Update) {
	t, d := p.tangentOf(s.Buf).(*loop.Var), p.tangentOf(s.Value)
	at := p.env.Atom(s.At)
	p.primal(s)
	p.b.Add(&loop.Update{Var: p.tangent(s.Var), Buf: t, At: at, Value: d})
}

// states maps states and appends those of the tangents. It gives the numbers of those that have
// one.
func (p *pusher) states(states []loop.State) (out []loop.State, moving []int) {
	for _, st := range states {
		out = append(out, loop.State{Init: p.env.Atom(st.Init)})
	}
	for i, st := range states {
		if p.act.active(st.Var) || p.act.active(st.Result) {
			out = append(out, loop.State{Init: p.tangentOf(st.Init)})
			moving = append(moving, i)
		}
	}
	for i, st := range states {
		out[i].Var = p.env.Bind(st.Var)
	}
	for k, i := range moving {
		out[len(states)+k].Var = p.tangent(states[i].Var)
	}
	return out, moving
}

// results binds the results of states.
func (p *pusher) results(out, states []loop.State, moving []int) {
	for i, st := range states {
		out[i].Result = p.env.Bind(st.Result)
	}
	for k, i := range moving {
		out[len(states)+k].Result = p.tangent(states[i].Result)
	}
}

// next gives the next states, and the tangents of those that move.
func (p *pusher) next(yield []loop.Atom, n int, moving []int) []loop.Atom {
	out := p.atoms(yield[:n])
	for _, i := range moving {
		out = append(out, p.tangentOf(yield[i]))
	}
	return out
}

func (p *pusher) loop(s *loop.For) {
	out := &loop.For{Count: p.env.Atom(s.Count), Parallel: s.Parallel, Thrifty: s.Thrifty}
	inits := make([]loop.Atom, len(s.Reds))
	tans := make([]loop.Atom, len(s.Reds))
	for i, r := range s.Reds {
		inits[i] = p.env.Atom(r.Init)
		if p.act.active(r.Result) {
			tans[i] = p.tangentOf(r.Init)
		}
	}
	states, moving := p.states(s.States)
	out.States = states
	out.Index = p.env.Bind(s.Index)
	var totals totals
	var next []loop.Atom
	b, tied := p.inner(func() {
		p.block(s.Body.Stmts)
		next = p.next(s.Body.Yield, len(s.States), moving)
		for i, r := range s.Reds {
			y := s.Body.Yield[len(s.States)+i]
			totals.add(r.Op, inits[i], p.env.Atom(y), func(v *loop.Var) { p.env.Set(r.Result, v) })
			if tans[i] == nil {
				continue
			}
			if r.Op != loop.AddF {
				panic(notCovered("a total by " + r.Op.Name))
			}
			totals.add(loop.AddF, tans[i], p.tangentOf(y), func(v *loop.Var) { p.tans[r.Result] = v })
		}
	})
	if !isFalse(tied) {
		totals.add(loop.Or, loop.Truth(false), tied, func(any *loop.Var) { p.tied = either(p.b, p.tied, any) })
	}
	out.Reds = totals.reds
	out.Body = b.Block(append(next, totals.yield...)...)
	p.results(out.States, s.States, moving)
	p.b.Add(out)
	for _, then := range totals.then {
		then()
	}
}

// while has a state more if something in it may be tied. What its condition meets is found in
// its body, where the condition is evaluated again, and after the loop.
func (p *pusher) while(s *loop.While) {
	states, moving := p.states(s.States)
	out := &loop.While{States: states}
	cond, _ := p.inner(func() { p.block(s.Cond.Stmts) })
	out.Cond = cond.Block(p.env.Atom(s.Cond.Yield[0]))
	var next []loop.Atom
	body, tied := p.inner(func() {
		p.block(s.Cond.Stmts)
		p.block(s.Body.Stmts)
		next = p.next(s.Body.Yield, len(s.States), moving)
	})
	p.results(out.States, s.States, moving)
	if !isFalse(tied) {
		flag := newState("tied", loop.Bool, loop.Truth(false))
		out.States = append(out.States, flag)
		next = append(next, either(body, flag.Var, tied))
		defer func() { p.tied = either(p.b, p.tied, flag.Result) }()
	}
	out.Body = body.Block(next...)
	p.b.Add(out)
	for _, st := range s.States {
		p.env.Set(st.Var, p.env.Atom(st.Result))
		if t := p.tans[st.Result]; t != nil {
			p.tans[st.Var] = t
		}
	}
	p.block(s.Cond.Stmts)
}

func (p *pusher) branch(s *loop.If) {
	var moving []int
	for i, v := range s.Results {
		if p.act.active(v) {
			moving = append(moving, i)
		}
	}
	out := &loop.If{Cond: p.env.Atom(s.Cond)}
	var blocks [2]*loop.Builder
	var tied [2]loop.Atom
	var yield [2][]loop.Atom
	for k, block := range []*loop.Block{s.Then, s.Else} {
		blocks[k], tied[k] = p.inner(func() {
			p.block(block.Stmts)
			yield[k] = p.next(block.Yield, len(s.Results), moving)
		})
	}
	for _, v := range s.Results {
		out.Results = append(out.Results, p.env.Bind(v))
	}
	for _, i := range moving {
		out.Results = append(out.Results, p.tangent(s.Results[i]))
	}
	p.b.Add(out)
	if !isFalse(tied[0]) || !isFalse(tied[1]) {
		any := loop.NewVar("tied", loop.Bool)
		out.Results = append(out.Results, any)
		yield[0], yield[1] = append(yield[0], tied[0]), append(yield[1], tied[1])
		p.tied = either(p.b, p.tied, any)
	}
	out.Then, out.Else = blocks[0].Block(yield[0]...), blocks[1].Block(yield[1]...)
}

// call calls the function's forward derivative.
func (p *pusher) call(s *loop.Call) {
	if s.Func.Rule != nil {
		p.ruled(s)
		return
	}
	if s.Func.Body == nil {
		panic(notCovered("a function that is being made"))
	}
	wanted, decided := make([]bool, len(s.Args)), p.act.decided(s)
	var args []loop.Atom
	pass := func(from, to int) {
		args = append(args, p.atoms(s.Args[from:to])...)
		for i := from; i < to; i++ {
			// What varies may have a tangent that is zero: it may be tied.
			if a := s.Args[i]; p.of(a) != nil || p.act.active(a) || decided != nil && p.act.varying(a) {
				wanted[i] = true
				args = append(args, p.tangentOf(a))
			}
		}
	}
	read := len(s.Args) - s.Func.Adds
	pass(0, read)
	before := len(args)
	pass(read, len(s.Args))
	how := ".fwd"
	switch {
	case p.d.resolve:
		how = ".resolved"
	case p.d.watch:
		how = ".watched"
	case p.d.narrow:
		how = ".narrow"
	}
	how += pattern(wanted)
	if decided != nil {
		how += "." + pattern(decided)
	}
	out := &loop.Call{Args: args, Func: p.d.called(s.Func, how, func() *loop.Func {
		return p.d.forward(s.Func, wanted, decided, make([]bool, len(wanted)))
	})}
	out.Func.Adds = len(args) - before // it may be being made
	for _, v := range s.Results {
		out.Results = append(out.Results, p.env.Bind(v))
	}
	for _, v := range s.Results {
		if isReal(v.Kind) {
			out.Results = append(out.Results, p.tangent(v))
		}
	}
	any := loop.NewVar("tied", loop.Bool)
	out.Results = append(out.Results, any)
	p.b.Add(out)
	p.tied = either(p.b, p.tied, any)
}
