package jit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// generator draws well-formed functions. Its sums of doubles are of integers, so that their order
// does not matter, and all engines agree to the last bit.
type generator struct {
	r     *rand.Rand
	funcs []*loop.Func
	left  int // statements to come
	lanes int // loops with lanes around
	loops int // loops around
}

// scope is what a block may use.
type scope struct {
	b    *loop.Builder
	f, i []loop.Atom
	c    []loop.Atom
	bufs []*loop.Var // of at least one element, all written
}

func (s *scope) inner() *scope {
	return &scope{b: &loop.Builder{}, f: s.f[:len(s.f):len(s.f)], i: s.i[:len(s.i):len(s.i)], c: s.c[:len(s.c):len(s.c)],
		bufs: s.bufs[:len(s.bufs):len(s.bufs)]}
}

func (s *scope) add(a loop.Atom) {
	switch a.AtomKind() {
	case loop.F64:
		s.f = append(s.f, a)
	case loop.I64:
		s.i = append(s.i, a)
	case loop.Bool:
		s.c = append(s.c, a)
	}
}

func pick[T any](r *rand.Rand, xs []T) T {
	// Newer ones more often.
	k := max(r.IntN(len(xs)), r.IntN(len(xs)))
	return xs[k]
}

var specialReals = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 3, math.Inf(1), math.Inf(-1), math.NaN(), 1e300, 5e-324, -2.5}
var specialInts = []int64{0, 1, -1, 2, 7, 64, math.MaxInt64, math.MinInt64, 1 << 40, -3}

func (g *generator) atom(s *scope, k loop.Kind) loop.Atom {
	if g.r.IntN(5) == 0 {
		switch k {
		case loop.F64:
			return loop.Real(specialReals[g.r.IntN(len(specialReals))])
		case loop.I64:
			return loop.Int(specialInts[g.r.IntN(len(specialInts))])
		}
		return loop.Truth(g.r.IntN(2) == 0)
	}
	switch k {
	case loop.F64:
		return pick(g.r, s.f)
	case loop.I64:
		return pick(g.r, s.i)
	}
	return pick(g.r, s.c)
}

func machineOps() []*loop.Op {
	return []*loop.Op{loop.AddF, loop.SubF, loop.MulF, loop.DivF, loop.NegF, loop.AbsF, loop.MaxF, loop.MinF, loop.Sqrt, loop.Fma, loop.FloorF,
		loop.CeilF, loop.TruncF, loop.RoundF, loop.AddI, loop.SubI, loop.MulI, loop.NegI, loop.MaxI, loop.MinI, loop.DivI, loop.ModI,
		loop.AndI, loop.OrI, loop.XorI, loop.ShlI, loop.ShrI, loop.ShrU, loop.AddOver, loop.SubOver, loop.MulOver, loop.EqF, loop.NeF,
		loop.LtF, loop.LeF, loop.EqI, loop.NeI, loop.LtI, loop.LeI, loop.And, loop.Or, loop.Not, loop.SelF, loop.SelI, loop.SelB,
		loop.ToReal, loop.ToInt, loop.Bits, loop.FromBits, loop.ToWord}
}

func (g *generator) let(s *scope) {
	all := machineOps()
	op := all[g.r.IntN(len(all))]
	args := make([]loop.Atom, len(op.Args))
	for i, k := range op.Args {
		args[i] = g.atom(s, k)
	}
	v := loop.NewVar("t", op.Result)
	s.b.Add(&loop.Let{Var: v, Op: op, Args: args})
	s.add(v)
}

// index is a random index into a buffer.
func (g *generator) index(s *scope, buf *loop.Var) loop.Atom {
	return s.b.Let("at", loop.ModI, g.atom(s, loop.I64), s.b.Length(buf))
}

// whole is a double that is a small integer.
func (g *generator) whole(s *scope) loop.Atom {
	return s.b.Let("w", loop.ToReal, s.b.Let("m", loop.AndI, g.atom(s, loop.I64), loop.Int(1023)))
}

// small is an integer from 0 to 12.
func (g *generator) small(s *scope) loop.Atom {
	return s.b.Let("n", loop.ModI, g.atom(s, loop.I64), loop.Int(13))
}

func (g *generator) statements(s *scope, n int) {
	for range n {
		if g.left--; g.left < 0 {
			g.let(s)
			return
		}
		g.statement(s)
	}
}

func (g *generator) states(s *scope, n int) []loop.State {
	var out []loop.State
	for range n {
		k := []loop.Kind{loop.F64, loop.I64, loop.Bool}[g.r.IntN(3)]
		out = append(out, loop.State{Var: loop.NewVar("s", k), Init: g.atom(s, k), Result: loop.NewVar("end", k)})
	}
	return out
}

func (g *generator) yields(s *scope, states []loop.State) []loop.Atom {
	var out []loop.Atom
	for _, st := range states {
		out = append(out, g.atom(s, st.Var.Kind))
	}
	return out
}

func (g *generator) statement(s *scope) {
	kind := g.r.IntN(16)
	if kind >= 2 && kind <= 9 && kind != 7 {
		if g.loops == 2 { // Eval is slow
			kind = 15
		}
		g.loops++
		defer func() { g.loops-- }()
	}
	switch kind {
	default:
		g.let(s)
	case 0, 1:
		buf := pick(g.r, s.bufs)
		x := s.b.Load("x", buf, g.index(s, buf))
		s.add(x)
	case 2: // if
		if g.lanes > 0 {
			g.let(s)
			return
		}
		k := []loop.Kind{loop.F64, loop.I64, loop.Bool}[g.r.IntN(3)]
		st := &loop.If{Results: []*loop.Var{loop.NewVar("if", k)}, Cond: g.atom(s, loop.Bool)}
		for _, to := range []**loop.Block{&st.Then, &st.Else} {
			in := s.inner()
			g.statements(in, g.r.IntN(4))
			*to = in.b.Block(g.atom(in, k))
		}
		s.b.Add(st)
		s.add(st.Results[0])
	case 3: // a loop with states
		count := g.small(s)
		if g.lanes > 0 {
			count = loop.Int(int64(g.r.IntN(6)))
		}
		st := &loop.For{Index: loop.NewVar("i", loop.I64), Count: count, States: g.states(s, 1+g.r.IntN(3))}
		in := s.inner()
		in.add(st.Index)
		for _, x := range st.States {
			in.add(x.Var)
		}
		g.statements(in, 1+g.r.IntN(5))
		st.Body = in.b.Block(g.yields(in, st.States)...)
		s.b.Add(st)
		for _, x := range st.States {
			s.add(x.Result)
		}
	case 4, 5: // a parallel loop that makes a buffer
		g.parallel(s)
	case 6: // while
		if g.lanes > 0 {
			g.let(s)
			return
		}
		counter := loop.State{Var: loop.NewVar("k", loop.I64), Init: loop.Int(0), Result: loop.NewVar("turns", loop.I64)}
		st := &loop.While{States: append([]loop.State{counter}, g.states(s, g.r.IntN(3))...)}
		cond := s.inner()
		for _, x := range st.States {
			cond.add(x.Var)
		}
		body := cond.inner()
		g.statements(cond, 1)
		st.Cond = cond.b.Block(cond.b.Let("go", loop.And, cond.b.Let("few", loop.LtI, counter.Var, loop.Int(9)), g.atom(cond, loop.Bool)))
		g.statements(body, 1+g.r.IntN(3))
		next := body.b.Let("next", loop.AddI, counter.Var, loop.Int(1))
		st.Body = body.b.Block(append([]loop.Atom{next}, g.yields(body, st.States[1:])...)...)
		s.b.Add(st)
		for _, x := range st.States {
			s.add(x.Result)
		}
	case 7: // a check that mostly holds
		s.b.Check(s.b.Let("ok", loop.NeI, g.atom(s, loop.I64), loop.Int(int64(g.r.Uint64()))), diag.Span{})
	case 8: // a buffer as a state
		g.bufferState(s)
	case 9: // a call
		if len(g.funcs) == 0 || g.lanes > 0 {
			g.let(s)
			return
		}
		f := g.funcs[g.r.IntN(len(g.funcs))]
		call := &loop.Call{Func: f, Args: []loop.Atom{g.small(s), g.atom(s, loop.F64), pick(g.r, s.bufs)}}
		for _, y := range f.Body.Yield {
			call.Results = append(call.Results, loop.NewVar("r", y.AtomKind()))
		}
		s.b.Add(call)
		for _, r := range call.Results {
			s.add(r)
			if r.Kind.IsBuffer() {
				s.bufs = append(s.bufs, r)
			}
		}
	}
}

func (g *generator) bufferState(s *scope) {
	start := pick(g.r, s.bufs)
	init := loop.NewVar("copy", start.Kind)
	s.b.Add(&loop.Copy{Var: init, Buf: start})
	state := loop.State{Var: loop.NewVar("buf", start.Kind), Init: init, Result: loop.NewVar("bufs", start.Kind)}
	count := loop.Atom(loop.Int(int64(g.r.IntN(5))))
	st := &loop.For{Index: loop.NewVar("i", loop.I64), Count: count, States: append(g.states(s, g.r.IntN(2)), state)}
	n := s.b.Length(start)
	in := s.inner()
	in.add(st.Index)
	for _, x := range st.States[:len(st.States)-1] {
		in.add(x.Var)
	}
	in.bufs = append(in.bufs, state.Var)
	g.statements(in, 1+g.r.IntN(3))
	next := loop.NewVar("next", start.Kind)
	value := func(s *scope) loop.Atom { return g.atom(s, start.Kind.Elem()) }
	switch g.r.IntN(3) {
	case 0: // updated in place
		in.b.Add(&loop.Update{Var: next, Buf: state.Var, At: g.index(in, state.Var), Value: value(in)})
	case 1: // made anew, of a length that is known
		in.b.Add(&loop.Alloc{Var: next, Len: n})
		in.b.Parallel("j", n, func(b *loop.Builder, j *loop.Var) {
			at := &scope{b: b, f: in.f, i: append(in.i[:len(in.i):len(in.i)], j), c: in.c, bufs: in.bufs}
			at.add(b.Load("old", state.Var, j))
			g.let(at)
			b.Store(next, j, value(at))
		})
	case 2: // and of one that is not
		m := in.b.Let("m", loop.AddI, g.small(in), loop.Int(1))
		if g.lanes > 0 {
			m = loop.Int(3)
		}
		in.b.Add(&loop.Alloc{Var: next, Len: m})
		in.b.Parallel("j", m, func(b *loop.Builder, j *loop.Var) {
			at := &scope{b: b, f: in.f, i: append(in.i[:len(in.i):len(in.i)], j), c: in.c, bufs: in.bufs}
			g.let(at)
			b.Store(next, j, value(at))
		})
	}
	st.Body = in.b.Block(append(g.yields(in, st.States[:len(st.States)-1]), next)...)
	s.b.Add(st)
	for _, x := range st.States {
		s.add(x.Result)
	}
	s.bufs = append(s.bufs, state.Result)
}

// parallel makes a buffer in a parallel loop, with totals and accumulations, in lanes if there are
// none around.
func (g *generator) parallel(s *scope) {
	n := s.b.Let("n", loop.AddI, s.b.Let("m", loop.ModI, g.atom(s, loop.I64), loop.Int(29)), loop.Int(1))
	if g.lanes > 0 {
		n = loop.Int(int64(1 + g.r.IntN(5)))
	}
	k := []loop.Kind{loop.F64s, loop.I64s}[g.r.IntN(2)]
	out := s.b.Alloc("out", k, n, false)
	hist := s.b.Alloc("hist", loop.F64s, loop.Int(5), true)
	st := &loop.For{Index: loop.NewVar("i", loop.I64), Count: n, Parallel: true}
	if g.lanes == 0 && g.r.IntN(4) > 0 {
		st.Lanes = true
	}
	if st.Lanes || g.lanes > 0 {
		g.lanes++
		defer func() { g.lanes-- }()
	}
	in := s.inner()
	in.add(st.Index)
	g.statements(in, 1+g.r.IntN(6))
	in.b.Store(out, st.Index, g.atom(in, k.Elem()))
	at := loop.Atom(loop.Int(int64(g.r.IntN(5))))
	if g.r.IntN(2) == 0 {
		at = in.b.Let("at", loop.ModI, g.atom(in, loop.I64), loop.Int(5))
	}
	in.b.Accum(hist, at, g.whole(in))
	var yield []loop.Atom
	for _, op := range []*loop.Op{loop.AddI, loop.MaxF, loop.MinF, loop.XorI, loop.And, loop.Or, loop.MulI, loop.MinI} {
		if g.r.IntN(5) == 0 {
			st.Reds = append(st.Reds, loop.Red{Op: op, Init: g.atom(s, op.Result), Result: loop.NewVar("total", op.Result)})
			yield = append(yield, g.atom(in, op.Result))
		}
	}
	st.Reds = append(st.Reds, loop.Red{Op: loop.AddF, Init: loop.Real(0), Result: loop.NewVar("sum", loop.F64)})
	yield = append(yield, g.whole(in))
	st.Body = in.b.Block(yield...)
	s.b.Add(st)
	for _, r := range st.Reds {
		s.add(r.Result)
	}
	s.bufs = append(s.bufs, out, hist)
}

// recursive is a function that calls itself n times.
func (g *generator) recursive() *loop.Func {
	n, x, xs := loop.NewVar("n", loop.I64), loop.NewVar("x", loop.F64), loop.NewVar("xs", loop.F64s)
	f := &loop.Func{Name: "rec", Params: []*loop.Var{n, x, xs}}
	s := &scope{b: &loop.Builder{}, f: []loop.Atom{x}, i: []loop.Atom{n}, c: []loop.Atom{loop.Truth(true)}, bufs: []*loop.Var{xs}}
	g.statements(s, 4)
	st := &loop.If{Results: []*loop.Var{loop.NewVar("y", loop.F64), loop.NewVar("ys", loop.F64s)}, Cond: s.b.Let("stop", loop.LeI, n, loop.Int(0))}
	then := s.inner()
	c := loop.NewVar("c", loop.F64s)
	then.b.Add(&loop.Copy{Var: c, Buf: xs})
	st.Then = then.b.Block(g.atom(then, loop.F64), c)
	other := s.inner()
	g.statements(other, 2)
	call := &loop.Call{Func: f, Args: []loop.Atom{other.b.Let("m", loop.SubI, n, loop.Int(1)), g.atom(other, loop.F64), xs},
		Results: []*loop.Var{loop.NewVar("r", loop.F64), loop.NewVar("rs", loop.F64s)}}
	other.b.Add(call)
	other.add(call.Results[0])
	other.bufs = append(other.bufs, call.Results[1])
	g.statements(other, 2)
	st.Else = other.b.Block(g.atom(other, loop.F64), call.Results[1])
	s.b.Add(st)
	f.Body = s.b.Block(st.Results[0], st.Results[1])
	return f
}

func (g *generator) program() *loop.Program {
	x, n, xs, is := loop.NewVar("x", loop.F64), loop.NewVar("n", loop.I64), loop.NewVar("xs", loop.F64s), loop.NewVar("is", loop.I64s)
	f := &loop.Func{Name: "main", Params: []*loop.Var{x, n, xs, is}}
	p := &loop.Program{Funcs: []*loop.Func{f}}
	if g.r.IntN(3) == 0 {
		g.left = 10
		rec := g.recursive()
		p.Funcs = append(p.Funcs, rec)
		g.funcs = append(g.funcs, rec)
	}
	s := &scope{b: &loop.Builder{}, f: []loop.Atom{x}, i: []loop.Atom{n}, c: []loop.Atom{loop.Truth(true)}, bufs: []*loop.Var{xs}}
	// Only buffers of doubles are handed to the function that calls itself, so that this one is
	// read first.
	s.add(s.b.Load("k", is, loop.Int(0)))
	g.left = 3 + g.r.IntN(30)
	g.statements(s, g.left)
	yield := []loop.Atom{pick(g.r, s.f), pick(g.r, s.i), pick(g.r, s.c)}
	for _, b := range s.bufs {
		yield = append(yield, b)
	}
	f.Body = s.b.Block(yield...)
	return p
}

// TestRandom compares random programs with Eval, bit for bit.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	run := 0
	for range property.Rounds(30) {
		g := &generator{r: r}
		p := g.program()
		if loop.Verify(p) != nil { // rec takes only buffers of doubles
			continue
		}
		run++
		var argss [][]loop.Value
		for range 3 {
			n := 1 + r.IntN(20)
			is := make([]int64, n)
			for i := range is {
				is[i] = r.Int64N(100) - 50
			}
			argss = append(argss, []loop.Value{loop.RealValue(r.NormFloat64()), loop.IntValue(r.Int64N(40) - 5), reals(n), loop.IntsValue(is)})
		}
		f := p.Funcs[0]
		wants, wantErrs := make([][]loop.Value, len(argss)), make([]error, len(argss))
		for i, args := range argss {
			wants[i], wantErrs[i] = loop.Eval(f, clone(args)...)
		}
		for name, opts := range variants() {
			opts.roundAll = true
			code, err := Compile(p, opts)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, loop.Print(p))
			}
			for i, args := range argss {
				if err := agree(f, code, true, wants[i], wantErrs[i], args); err != nil {
					reduce(p, func() bool {
						want, wantErr := loop.Eval(f, clone(args)...)
						code, err := Compile(p, opts)
						return err == nil && agree(f, code, true, want, wantErr, args) != nil
					})
					opts.Listing = true
					code, _ := Compile(p, opts)
					t.Fatalf("program %d, %s: %v\n%v\n%s\n%s", run, name, err, args, loop.Print(p), code.Listing())
				}
			}
		}
	}
	t.Logf("%d programs", run)
}
