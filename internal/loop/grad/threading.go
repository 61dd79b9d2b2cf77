package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// role is what a function of a component does with the tape: Note [Recursion].
type role uint8

const (
	counting role = iota
	recording
	reading
)

// threaded is a function of a component that counts or records.
func (d *derivatives) threaded(f *loop.Func, as role) *loop.Func {
	suffix := ".count"
	if as == recording {
		suffix = ".record"
	}
	return d.called(f, suffix, func() *loop.Func { return d.thread(f, as) })
}

// threading takes the cursors through a function.
type threading struct {
	d         *derivatives
	component *component
	as        role
	cursors   []loop.Atom // in the words and, unless the tape is read, in the doubles
	tape      callTape    // unless it is counted
}

// thread is a function of a component that has the cursors as parameters, and the tape. They come
// after its own, but for the buffers that it writes to: these come after what it reads. Unless it
// reads the tape, it gives the cursors after its own results.
func (d *derivatives) thread(f *loop.Func, as role) *loop.Func {
	copier := loop.NewCopier()
	defer copier.Release()
	out := &loop.Func{Name: f.Name}
	param := func(name string, k loop.Kind) *loop.Var {
		v := loop.NewVar(name, k)
		out.Params = append(out.Params, v)
		return v
	}
	own := len(f.Params) - f.Adds
	for _, p := range f.Params[:own] {
		out.Params = append(out.Params, copier.Bind(p))
	}
	t := &threading{d: d, component: d.componentOf(f), as: as, cursors: []loop.Atom{param("word", loop.I64)}}
	if as != reading {
		t.cursors = append(t.cursors, param("double", loop.I64))
	}
	if as == reading {
		t.tape = callTape{param("words", loop.I64s), param("doubles", loop.F64s)}
	}
	for _, p := range f.Params[own:] {
		out.Params = append(out.Params, copier.Bind(p))
	}
	out.Adds = f.Adds
	if as == recording {
		t.tape = callTape{param("words", loop.I64s), param("doubles", loop.F64s)}
		out.Adds += 2
	}
	body := copier.Block(f.Body)
	if t.component.writes() {
		body = t.kept(body)
	}
	switch as {
	case reading:
		out.Body = t.stmts(body.Stmts).Block(body.Yield...)
	case counting:
		body.Yield = given(body.Yield, t.component.needs(f).results)
		out.Body = t.block(body)
	default:
		out.Body = t.block(body)
	}
	return out
}

// calls tells whether a statement calls a function of the component.
func (t *threading) calls(s loop.Stmt) bool {
	is := func(s loop.Stmt) bool {
		c, ok := s.(*loop.Call)
		return ok && (t.component.members[c.Func] || isKeeper(c.Func))
	}
	return is(s) || loop.AnyWithin(s, is)
}

// block takes the cursors through a block, which then yields them too.
func (t *threading) block(b *loop.Block) *loop.Block {
	out := t.stmts(b.Stmts)
	return out.Block(slices.Concat(b.Yield, t.cursors)...)
}

// stmts takes the cursors through statements.
func (t *threading) stmts(stmts []loop.Stmt) *loop.Builder {
	b := &loop.Builder{}
	for _, s := range stmts {
		if !t.calls(s) {
			b.Add(s)
			continue
		}
		switch s := s.(type) {
		case *loop.Call:
			t.call(b, s)
		case *loop.If:
			c, start := *s, t.cursors
			c.Then = t.block(s.Then)
			t.cursors = start
			c.Else = t.block(s.Else)
			results := t.fresh()
			c.Results = slices.Concat(s.Results, results)
			t.follow(results)
			b.Add(&c)
		case *loop.For:
			c, n := *s, len(s.States)
			c.Parallel, c.Lanes = false, false
			results := t.enter(&c.States)
			body := t.stmts(s.Body.Stmts)
			c.Body = body.Block(slices.Concat(s.Body.Yield[:n], t.cursors, s.Body.Yield[n:])...)
			t.follow(results)
			b.Add(&c)
		case *loop.While:
			if loop.Any(s.Cond, t.calls) {
				b.Add(t.stmts(rotated(s)).Stmts...)
				continue
			}
			c := *s
			results := t.enter(&c.States)
			c.Body = t.block(s.Body)
			t.follow(results)
			b.Add(&c)
		}
	}
	return b
}

// fresh makes a variable for each cursor.
func (t *threading) fresh() []*loop.Var {
	var out []*loop.Var
	for _, a := range t.cursors {
		name := "at"
		if v, ok := a.(*loop.Var); ok {
			name = v.Name
		}
		out = append(out, loop.NewVar(name, loop.I64))
	}
	return out
}

// follow lets the cursors be variables.
func (t *threading) follow(vs []*loop.Var) {
	t.cursors = make([]loop.Atom, len(vs))
	for i, v := range vs {
		t.cursors[i] = v
	}
}

// enter makes states of the cursors, and gives their results.
func (t *threading) enter(states *[]loop.State) (results []*loop.Var) {
	vars := t.fresh()
	results = t.fresh()
	*states = slices.Clone(*states)
	for i, v := range vars {
		*states = append(*states, loop.State{Var: v, Init: t.cursors[i], Result: results[i]})
	}
	t.follow(vars)
	return results
}

// rotated is a While whose condition is evaluated in front of it and at the end of each turn.
func rotated(s *loop.While) []loop.Stmt {
	b := &loop.Builder{}
	condition := func(b *loop.Builder, states []loop.Atom) loop.Atom {
		copier := loop.NewCopier()
		defer copier.Release()
		for i, st := range s.States {
			copier.Set(st.Var, states[i])
		}
		cond := copier.Block(s.Cond)
		b.Add(cond.Stmts...)
		return cond.Yield[0]
	}
	var inits []loop.Atom
	for _, st := range s.States {
		inits = append(inits, st.Init)
	}
	more := newState("more", loop.Bool, condition(b, inits))
	body := &loop.Builder{Stmts: slices.Clone(s.Body.Stmts)}
	next := condition(body, s.Body.Yield)
	b.Add(&loop.While{States: append(slices.Clone(s.States), more), Cond: &loop.Block{Yield: []loop.Atom{more.Var}},
		Body: body.Block(append(slices.Clone(s.Body.Yield), next)...)})
	return b.Stmts
}

// call takes the cursors through a call.
func (t *threading) call(b *loop.Builder, s *loop.Call) {
	if isKeeper(s.Func) {
		t.keep(b, s)
		return
	}
	r, own := recordOf(s.Func), len(s.Args)-s.Func.Adds
	if t.as == reading {
		next := loop.NewVar("word", loop.I64)
		b.Add(&loop.Call{Func: t.d.reader(s.Func), Results: append(slices.Clone(s.Results), next),
			Args: slices.Concat(s.Args[:own], t.cursors, []loop.Atom{t.tape.words, t.tape.doubles}, s.Args[own:])})
		t.cursors = []loop.Atom{next}
		return
	}
	at := t.cursors[0]
	args := slices.Insert(slices.Clone(s.Args), own, b.Let("word", loop.AddI, at, loop.Int(r.width)), t.cursors[1])
	if t.as == recording {
		args = append(args, t.tape.words, t.tape.doubles)
	}
	end, start := loop.NewVar("word", loop.I64), loop.NewVar("double", loop.I64)
	results := s.Results
	if t.as == counting {
		needed := t.component.needs(s.Func)
		results = given(results, needed.results)
		for i, v := range s.Results {
			if !needed.results[i] {
				b.Add(zero(v))
			}
		}
		for i, p := range s.Func.Params[:own] {
			if !needed.params[i] {
				args[i] = loop.Literal(p.Kind, 0)
			}
		}
	}
	b.Add(&loop.Call{Func: t.d.threaded(s.Func, t.as), Args: args, Results: append(slices.Clone(results), end, start)})
	store := func(k int64, x loop.Atom) { t.store(b, at, k, x) }
	store(0, end)
	if r.start > 0 {
		store(r.start, start)
	}
	words, doubles := loop.Atom(end), loop.Atom(start)
	for i, v := range s.Results {
		switch v.Kind {
		case loop.F64:
			if t.as == recording {
				b.Store(t.tape.doubles, doubles, v)
			}
			doubles = b.Let("double", loop.AddI, doubles, loop.Int(1))
		case loop.I64:
			store(r.words[i], v)
		case loop.Bool:
			store(r.words[i], b.Let("w", loop.ToWord, v))
		case loop.F64s:
			doubles = t.elements(b, v, t.tape.doubles, doubles, func(n loop.Atom) { store(r.words[i], n) })
		case loop.I64s:
			words = t.elements(b, v, t.tape.words, words, func(n loop.Atom) { store(r.words[i], n) })
		}
	}
	t.cursors = []loop.Atom{words, doubles}
}

// store puts an integer on the tape, if it is written, in some place of a record.
func (t *threading) store(b *loop.Builder, record loop.Atom, k int64, x loop.Atom) {
	if t.as == recording {
		b.Store(t.tape.words, b.Let("at", loop.AddI, record, loop.Int(k)), x)
	}
}

// elements puts those of a buffer on the tape, and gives where they end.
func (t *threading) elements(b *loop.Builder, v, to *loop.Var, at loop.Atom, length func(n loop.Atom)) loop.Atom {
	n := b.Length(v)
	length(n)
	if t.as == counting {
		b.Check(b.Let("ok", loop.Not, b.Let("over", loop.AddOver, at, n)), diag.Span{})
	} else {
		b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
			b.Store(to, b.Let("at", loop.AddI, at, i), b.Load("x", v, i))
		})
	}
	return b.Let("at", loop.AddI, at, n)
}

// record is how the results of a function are on the tape.
type record struct {
	width int64   // of the record, in words
	start int64   // where it says where the doubles are; 0 if there are none
	words []int64 // where it has a result, or the length of one
}

// recordOf is how the results of a function are on the tape.
func recordOf(f *loop.Func) record {
	r := record{width: 1, words: make([]int64, len(f.Body.Yield))}
	word := func() int64 {
		r.width++
		return r.width - 1
	}
	for i, a := range f.Body.Yield {
		if isReal(a.AtomKind()) && r.start == 0 {
			r.start = word()
		}
		if a.AtomKind() != loop.F64 {
			r.words[i] = word()
		}
	}
	return r
}

// reader is a function that reads the results of a call of another from the tape. It has the
// parameters of that, the cursor, and the tape, in the order of thread. It gives the results and
// the next cursor. It does not write to the buffers that the other one writes to, but their
// cotangents are those of what is written.
func (d *derivatives) reader(f *loop.Func) *loop.Func {
	if out := d.readers[f]; out != nil {
		return out
	}
	out := &loop.Func{Name: f.Name + ".read"}
	own := len(f.Params) - f.Adds
	for _, p := range f.Params {
		out.Params = append(out.Params, loop.NewVar(p.Name, p.Kind))
	}
	out.Adds = f.Adds
	at, tape := loop.NewVar("word", loop.I64), callTape{loop.NewVar("words", loop.I64s), loop.NewVar("doubles", loop.F64s)}
	out.Params = slices.Insert(out.Params, own, at, tape.words, tape.doubles)
	b, r := &loop.Builder{}, recordOf(f)
	load := func(name string, k int64) loop.Atom {
		return b.Load(name, tape.words, b.Let("at", loop.AddI, at, loop.Int(k)))
	}
	words, doubles := load("word", 0), loop.Atom(nil)
	if r.start > 0 {
		doubles = load("double", r.start)
	}
	var yield []loop.Atom
	for i, a := range f.Body.Yield {
		switch k := a.AtomKind(); k {
		case loop.F64:
			yield = append(yield, b.Load("x", tape.doubles, doubles))
			doubles = b.Let("double", loop.AddI, doubles, loop.Int(1))
		case loop.I64:
			yield = append(yield, load("x", r.words[i]))
		case loop.Bool:
			yield = append(yield, b.Let("x", loop.NeI, load("w", r.words[i]), loop.Int(0)))
		default:
			from, start := tape.doubles, &doubles
			if k == loop.I64s {
				from, start = tape.words, &words
			}
			n, first := load("n", r.words[i]), *start
			yield = append(yield, part(b, from, first, n))
			*start = b.Let("at", loop.AddI, first, n)
		}
	}
	out.Body = b.Block(append(yield, words)...)
	d.readers[f], d.reads[out] = out, f
	return out
}

// part is a copy of a part of a buffer.
func part(b *loop.Builder, from *loop.Var, start, n loop.Atom) *loop.Var {
	out := b.Alloc("xs", from.Kind, n, false)
	b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
		b.Store(out, i, b.Load("x", from, b.Let("at", loop.AddI, start, i)))
	})
	return out
}
