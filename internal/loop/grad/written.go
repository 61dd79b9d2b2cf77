package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Functions that write]
//
// A function may write to buffers that it is given: those that record a tape do, and reverse
// derivatives, which add cotangents. To differentiate a derivative is to differentiate these. To
// its caller, a call of such a function is one write:
//
//	call g x b         →      call g.rev x b cb        where cb, the cotangent of b, is complete
//	y = b[0]
//
// So the reverse derivative reads the cotangents of the buffers that the function writes to, and
// passes them on to where these are passed on. In the place of the buffers it has their lengths.
// The reversal of a block runs it again, and must not write again to buffers from outside: where it
// calls g for its results, or for what it writes to other buffers, it calls
//
//	g.silent    does what g does, but for writing to some of the buffers, in whose place it has their lengths
//
// A function of a component that writes is always reversed with a tape (Note [Recursion]). What it has
// written to a buffer of its caller is not among its results. If the caller is in the component too
// and has made the buffer, it puts its elements on the tape when all is written, and takes them
// from there when it is reversed:
//
//	b = alloc; call g x b; y = b[0]    →    b = alloc; call g.read x … b; b' = call kept b …; y = b'[0]
//
// That costs no more than the buffer itself. Where it is read, the record is
//
//	words      where the doubles start, and their number  or  the number of integers, and these
//
// The cotangent of b' is added to that of b.

// silenced is a call that does not write to some of the buffers that its function writes to, of
// which it is given the lengths: nil for the others.
func (d *derivatives) silenced(c *loop.Call, lengths []loop.Atom) *loop.Call {
	own := len(c.Args) - len(lengths)
	args, drop := slices.Clone(c.Args[:own]), make([]bool, len(lengths))
	for i, n := range lengths {
		if drop[i] = n != nil; drop[i] {
			args = append(args, n)
		}
	}
	if len(args) == own {
		return c
	}
	for i, a := range c.Args[own:] {
		if !drop[i] {
			args = append(args, a)
		}
	}
	return &loop.Call{Results: c.Results, Func: d.silent(c.Func, drop), Args: args}
}

// silent is a function that does not write to some of the buffers that another one writes to. Their
// lengths are parameters that come before the buffers that it writes to.
func (d *derivatives) silent(f *loop.Func, drop []bool) *loop.Func {
	return d.called(f, ".silent"+pattern(drop), func() *loop.Func {
		copier := loop.NewCopier()
		defer copier.Release()
		out, own := &loop.Func{}, len(f.Params)-len(drop)
		for _, p := range f.Params[:own] {
			out.Params = append(out.Params, copier.Bind(p))
		}
		lengths := map[*loop.Var]loop.Atom{}
		for i, p := range f.Params[own:] {
			if drop[i] {
				n := lengthParam(p)
				out.Params, lengths[p] = append(out.Params, n), n
			}
		}
		for i, p := range f.Params[own:] {
			if !drop[i] {
				out.Params = append(out.Params, copier.Bind(p))
				out.Adds++
			}
		}
		out.Body = d.muted(copier.Block(f.Body), lengths)
		return out
	})
}

// lengthParam is the parameter that a function has in the place of a buffer.
func lengthParam(p *loop.Var) *loop.Var { return loop.NewVar(p.Name+".length", loop.I64) }

// muted is a block that does not write to some buffers, which have lengths.
func (d *derivatives) muted(b *loop.Block, lengths map[*loop.Var]loop.Atom) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Store:
			if lengths[s.Buf] == nil {
				out.Add(s)
			}
		case *loop.Accum:
			if lengths[s.Buf] == nil {
				out.Add(s)
			}
		case *loop.Length:
			if n := lengths[s.Buf]; n != nil {
				out.Add(&loop.Let{Var: s.Var, Op: loop.AddI, Args: []loop.Atom{n, loop.Int(0)}})
			} else {
				out.Add(s)
			}
		case *loop.Call:
			var given []loop.Atom
			for _, v := range s.AddedTo() {
				given = append(given, lengths[v])
			}
			out.Add(d.silenced(s, given))
		default:
			out.Add(loop.MapBlocks(s, func(b *loop.Block) *loop.Block { return d.muted(b, lengths) }))
		}
	}
	return out.Rebuilt(b, b.Yield)
}

// kept is a block in which the buffers that functions of the component write to are kept on the tape:
// each when all is written. Where the tape is read, what follows uses what is on the tape.
func (t *threading) kept(b *loop.Block) *loop.Block {
	out := &loop.Builder{}
	from := map[*loop.Var]*loop.Var{}
	m := &loop.Mapper{Use: func(a loop.Atom) loop.Atom {
		if v, ok := a.(*loop.Var); ok && from[v] != nil {
			return from[v]
		}
		return a
	}}
	m.Block = func(b *loop.Block) *loop.Block { // of what is written already
		out := &loop.Block{Yield: m.Uses(b.Yield)}
		for _, s := range b.Stmts {
			out.Stmts = append(out.Stmts, m.Stmt(s))
		}
		return out
	}
	last := t.lastWrites(b)
	for i, s := range b.Stmts {
		if s = loop.MapBlocks(s, t.kept); len(from) > 0 {
			s = m.Stmt(s)
		}
		out.Add(s)
		for _, v := range last[i] {
			c := &loop.Call{Func: keeper(v.Kind), Args: []loop.Atom{v}}
			if t.as == reading {
				from[v] = loop.NewVar(v.Name, v.Kind)
				c.Results = []*loop.Var{from[v]}
			}
			out.Add(c)
		}
	}
	return out.Block(m.Uses(b.Yield)...)
}

// lastWrites has, for each statement of a block, the buffers of the block that are complete after
// it, and that functions of the component write to.
func (t *threading) lastWrites(b *loop.Block) [][]*loop.Var {
	out := make([][]*loop.Var, len(b.Stmts))
	for i, s := range b.Stmts {
		a, ok := s.(*loop.Alloc)
		if !ok {
			continue
		}
		last, byMembers := i, false
		for k, s := range b.Stmts[i+1:] {
			writes(s, func(v *loop.Var) {
				if v == a.Var {
					last = i + 1 + k
				}
			})
			byMembers = byMembers || loop.Any(&loop.Block{Stmts: []loop.Stmt{s}}, func(s loop.Stmt) bool {
				c, ok := s.(*loop.Call)
				return ok && t.component.members[c.Func] && slices.Contains(c.AddedTo(), a.Var)
			})
		}
		if byMembers {
			out[last] = append(out[last], a.Var)
		}
	}
	return out
}

// keeper is the one for buffers of a kind.
func keeper(k loop.Kind) *loop.Func {
	if k == loop.F64s {
		return keepDoubles
	}
	return keepWords
}

// keep takes the cursors through a call of a keeper.
func (t *threading) keep(b *loop.Builder, s *loop.Call) {
	v, at := s.Args[0].(*loop.Var), t.cursors[0]
	if t.as == reading {
		next := loop.NewVar("word", loop.I64)
		b.Add(&loop.Call{Func: t.d.keptReader(v.Kind), Args: []loop.Atom{v, at, t.tape.words, t.tape.doubles}, Results: append(s.Results, next)})
		t.cursors = []loop.Atom{next}
		return
	}
	if v.Kind == loop.I64s {
		first := b.Let("word", loop.AddI, at, loop.Int(1))
		t.cursors = []loop.Atom{t.elements(b, v, t.tape.words, first, func(n loop.Atom) { t.store(b, at, 0, n) }), t.cursors[1]}
		return
	}
	start := t.cursors[1]
	t.store(b, at, 0, start)
	end := t.elements(b, v, t.tape.doubles, start, func(n loop.Atom) { t.store(b, at, 1, n) })
	t.cursors = []loop.Atom{b.Let("word", loop.AddI, at, loop.Int(2)), end}
}

// keptReader is the function that reads a buffer from the tape. It has the buffer as a parameter,
// the cursor and the tape, and gives what is on the tape, and the next cursor.
func (d *derivatives) keptReader(k loop.Kind) *loop.Func {
	if out := d.readers[keeper(k)]; out != nil {
		return out
	}
	at, tape := loop.NewVar("word", loop.I64), callTape{loop.NewVar("words", loop.I64s), loop.NewVar("doubles", loop.F64s)}
	out := &loop.Func{Name: "kept", Params: []*loop.Var{loop.NewVar("xs", k), at, tape.words, tape.doubles}}
	b := &loop.Builder{}
	from, second := tape.words, b.Let("at", loop.AddI, at, loop.Int(1))
	var start, n, next loop.Atom
	if k == loop.I64s {
		start, n = second, b.Load("n", tape.words, at)
		next = b.Let("word", loop.AddI, second, n)
	} else {
		from, start, n = tape.doubles, b.Load("double", tape.words, at), b.Load("n", tape.words, second)
		next = b.Let("word", loop.AddI, at, loop.Int(2))
	}
	whole := part(b, from, start, n)
	out.Body = b.Block(whole, next)
	d.readers[keeper(k)], d.reads[out] = out, keeper(k)
	return out
}

// writes calls f with each buffer that a statement writes to.
func writes(s loop.Stmt, f func(*loop.Var)) {
	loop.Walk(&loop.Block{Stmts: []loop.Stmt{s}}, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Store:
			f(s.Buf)
		case *loop.Accum:
			f(s.Buf)
		case *loop.Update:
			f(s.Buf)
		case *loop.Call:
			for _, v := range s.AddedTo() {
				f(v)
			}
		}
	})
}
