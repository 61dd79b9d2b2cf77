package jit

import (
	"fmt"
	"runtime"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Options say how a program is compiled. The zero Options suit the machine.
type Options struct {
	// Deterministic keeps to the order of the program: a sum of a product is rounded twice, and
	// sums over the turns of a loop are taken turn by turn. Then the bits are those of every other
	// engine that does.
	Deterministic bool
	// Flush makes zeros of results of arithmetic that are smaller than the least normal double.
	// Some machines take a hundred times as long for them, and the slopes of probabilities that are
	// nearly 0 are full of those.
	Flush bool
	// AVX2 keeps to 256-bit vectors.
	AVX2 bool
	// NoLanes runs loops with lanes turn by turn.
	NoLanes bool
	// Listing keeps the instructions for Code.Listing.
	Listing bool
	// Arch is the architecture to make code for, "amd64" or "arm64"; "" stands for this machine.
	// Code for another machine cannot run.
	Arch string

	registers int   // so many of each class, for tests; 0 for all
	long      int64 // the length from which on a buffer has no accumulators, for tests; 0 for the usual one
	parts     int64 // of a loop that several goroutines run, for tests; 0 for as many as suit
	arena     int64 // bytes of the first arena, for tests; 0 for the usual ones
	stores    bool  // parameters may be stored to: Note [Threads]
	roundAll  bool  // products are rounded, but sums taken in any order; for tests
	watch     *stop.Watch
	scheduled int // so many statements are put in order, whatever block they are of; for tests; 0 for the usual ones
}

// foreign tells whether the code is for another machine.
func (o Options) foreign() bool { return o.Arch != "" && o.Arch != runtime.GOARCH }

// newMachine is the machine that code is made for.
func newMachine(opts Options, calls bool) (*machine, error) {
	var m *machine
	switch {
	case !opts.foreign():
		var err error
		if m, err = host(opts, calls); err != nil {
			return nil, err
		}
	case opts.Arch == "amd64":
		m = newX86Machine(!opts.AVX2, calls)
	case opts.Arch == "arm64":
		m = newArmMachine(calls)
	default:
		return nil, fmt.Errorf("%w: there is no machine code for %s", ErrUnsupported, opts.Arch)
	}
	if n := opts.registers; n > 0 {
		for c := range m.files {
			m.files[c] = m.files[c][:min(max(n, 3), len(m.files[c]))]
		}
	}
	return m, nil
}

// inline replaces the operations that vmath defines by their definitions. AVX-512 has an
// instruction for ldexp, which takes every n.
func inline(f *loop.Func, avx512 bool) {
	define := vmath.Define
	if avx512 {
		define = vmath.DefineScaling
	}
	subst := loop.NewCopier() // for what it says of variables alone
	m := loop.Mapper{Use: subst.Atom, Share: true}
	var stmts func(in []loop.Stmt, out *loop.Builder)
	stmts = func(in []loop.Stmt, out *loop.Builder) {
		for _, s := range in {
			if let, ok := s.(*loop.Let); ok {
				if def := define(let.Op); def != nil && !(avx512 && let.Op == loop.Ldexp) {
					c := loop.NewCopier()
					for i, p := range def.Params {
						c.Set(p, subst.Atom(let.Args[i]))
					}
					body := c.Block(def.Body)
					c.Release()
					stmts(body.Stmts, out)
					subst.Set(let.Var, subst.Atom(body.Yield[0]))
					continue
				}
			}
			out.Add(m.Stmt(s))
		}
	}
	m.Block = func(b *loop.Block) *loop.Block {
		out := loop.Rebuild(b)
		stmts(b.Stmts, out)
		return out.Rebuilt(b, m.Uses(b.Yield))
	}
	f.Body = m.Block(f.Body)
	subst.Release()
}

// tile is the shape of the blocks of products of matrices: the sums of a block, a row of the panel
// and an element of the other matrix fit the registers.
func (m *machine) tile() pass.Tile {
	if m.avx512 {
		return pass.Tile{Rows: 4, Columns: 32}
	}
	return pass.Tile{Rows: 4, Columns: 2 * int64(m.width()/8)}
}

// hasCalls tells whether functions of a program call each other.
func hasCalls(p *loop.Program) bool {
	found := false
	for _, f := range p.Funcs {
		loop.Walk(f.Body, func(s loop.Stmt) {
			if _, ok := s.(*loop.Call); ok {
				found = true
			}
		})
	}
	return found
}

// instBytes is the bytes that an instruction takes on average, or a few more.
const instBytes = 10

// compile makes the machine code of a program.
func compile(p *loop.Program, opts Options) (*Code, error) {
	calls := hasCalls(p)
	m, err := newMachine(opts, calls)
	if err != nil {
		return nil, err
	}
	funcs := map[*loop.Func]int{}
	bodies := make([]*loop.Func, len(p.Funcs))
	for i, f := range p.Funcs {
		copied := *f
		if opts.stores {
			copied.Adds = len(copied.Params)
		}
		bodies[i], funcs[f] = &copied, i
	}
	if !opts.Deterministic && !opts.NoLanes {
		bodies = append(bodies, m.tile().Tiles(bodies...)...)
	}
	sigs := make([]*signature, len(bodies))
	for i, f := range bodies {
		funcs[f], sigs[i] = i, signatureOf(f)
		sigs[i].routine = i >= len(p.Funcs)
		opts.watch.Poll()
		inline(f, m.avx512)
		pass.Offsets(f)
		pass.CSE(f) // definitions share subexpressions with what is around them
		pass.Relayout(f)
		pass.DeadCode(f)
		opts.watch.Poll()
		schedule(f, m, opts)
	}
	e := &emitter{m: m, funcs: len(p.Funcs), pool: &pool{at: map[poolKey]int32{}}, assembler: *assemblers.Get().(*assembler)}
	to := m.target(e, calls)
	c := &Code{entry: p.Funcs[0], sig: sigs[0], calls: calls, flush: opts.Flush && !opts.Deterministic, opts: opts}
	if opts.Listing {
		c.listing = &listing{}
		e.list = c.listing
	}
	e.save = e.newLabel()
	for range bodies {
		e.entry = append(e.entry, e.newLabel())
	}
	exits := map[int]label{}
	to.prologue()
	for i, f := range bodies {
		l := lowerings.Get().(*lowering)
		l.f.name, l.m, l.opts, l.funcs, l.sigs, l.sig = f.Name, m, opts, funcs, sigs, sigs[i]
		l.top, l.label, l.exits = l.newCtx(), e.newLabel, exits
		loop.AllUses(f.Body, func(a loop.Atom) {
			if v, ok := a.(*loop.Var); ok {
				*l.count.At(v)++
			}
		})
		l.function(f, i == 0)
		if l.err != nil {
			return nil, l.err
		}
		opts.watch.Poll()
		l.f.coalesce()
		if e.list != nil {
			e.list.stmts = l.stmts
		}
		e.f = l.f
		al := allocate(l.f, m, sigs[i].spills)
		e.al = &al.out
		switch {
		case i == 0:
			c.frame = e.al.frame
			e.routines = ctxFrame + c.frame
		case sigs[i].routine:
			c.routines = max(c.routines, e.al.frame)
			e.frame, e.origin = m.context, e.routines
		case c.least == 0 || e.al.frame < c.least:
			c.least = e.al.frame
		}
		e.buf = roomier(e.buf, instBytes*l.f.size)
		to.align(32)
		if e.list != nil {
			e.list.note(&e.assembler, "; func "+f.Name)
		}
		e.mark(e.entry[i])
		to.function()
		al.release()
		l.release()
	}
	for _, status := range []int{statusCheck, statusArena, statusStack} {
		if exit, ok := exits[status]; ok {
			e.mark(exit)
			to.leave(int64(status))
		}
	}
	if e.list != nil {
		e.list.note(&e.assembler, "")
	}
	to.align(64)
	if err := to.finish(len(e.buf)); err != nil {
		return nil, err
	}
	text := append(e.buf, e.pool.bytes...)
	text = append(text, make([]byte, 64)...) // operations on one double may read two
	c.size = len(text)
	if c.listing != nil {
		c.listing.text = text
	}
	if opts.foreign() {
		return c, nil
	}
	c.mem, err = newExecutable(text)
	if err != nil {
		return nil, err
	}
	if e.list == nil {
		e.buf = text
		e.release()
	}
	return c, nil
}
