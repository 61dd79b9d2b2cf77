package jit

import (
	"runtime"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/alloc"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/emit"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/lower"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/reuse"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/run"
	"github.com/fluxion-lang/fluxion/internal/loop"
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
	// CPU is the set of instructions to keep to, one of Sets; "" stands for what FLUXION_CPU says,
	// and else for the best one.
	CPU string
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

// lowering is what of the options is about the instructions.
func (o *Options) lowering() lower.Options {
	return lower.Options{Deterministic: o.Deterministic, NoLanes: o.NoLanes, Listing: o.Listing, RoundAll: o.roundAll,
		Long: o.long, Scheduled: o.scheduled, Watch: o.watch}
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
	arch, m, err := machineFor(opts, calls)
	if err != nil {
		return nil, err
	}
	e := emit.NewEmitter(m, len(p.Funcs))
	u := lower.NewUnit(p, m, opts.lowering(), opts.stores, e.NewLabel)
	to := arch.emitter(e, calls)
	c := &Code{entry: p.Funcs[0], sig: u.Sigs[0], calls: calls, flush: opts.Flush && !opts.Deterministic, opts: opts}
	if opts.Listing {
		c.listing = &emit.Listing{}
		e.Listing = c.listing
		e.Listing.Note(&e.Assembler, "; "+m.String())
	}
	for range u.Bodies {
		e.Entry = append(e.Entry, e.NewLabel())
	}
	to.Prologue()
	for i, f := range u.Bodies {
		l, err := u.Function(i)
		if err != nil {
			return nil, err
		}
		sig := u.Sigs[i]
		if e.Listing != nil {
			e.Listing.Stmts = l.Stmts
		}
		e.Code = l.Code
		al := alloc.Allocate(l.Code, m, sig.Spills)
		e.Alloc = &al.Out
		switch {
		case i == 0:
			c.frame = e.Alloc.Frame
			e.Routines = ir.CtxFrame + c.frame
		case sig.Routine:
			c.routines = max(c.routines, e.Alloc.Frame)
			e.Frame, e.Origin = m.Context, e.Routines
		case c.least == 0 || e.Alloc.Frame < c.least:
			c.least = e.Alloc.Frame
		}
		e.Buf = reuse.Roomier(e.Buf, instBytes*l.Code.Size)
		to.Align(32)
		if e.Listing != nil {
			e.Listing.Note(&e.Assembler, "; func "+f.Name)
		}
		e.Mark(e.Entry[i])
		to.Function()
		al.Release()
		l.Release()
	}
	for _, status := range []int{ir.StatusCheck, ir.StatusArena, ir.StatusStack} {
		if exit, ok := u.Exits[status]; ok {
			e.Mark(exit)
			to.Leave(int64(status))
		}
	}
	if e.Listing != nil {
		e.Listing.Note(&e.Assembler, "")
	}
	to.Align(64)
	if err := to.Finish(len(e.Buf)); err != nil {
		return nil, err
	}
	text := append(e.Buf, e.Pool.Bytes...)
	text = append(text, make([]byte, 64)...) // operations on one double may read two
	c.size = len(text)
	if c.listing != nil {
		c.listing.Text = text
	}
	if opts.foreign() {
		return c, nil
	}
	c.mem, err = run.NewExecutable(text)
	if err != nil {
		return nil, err
	}
	if e.Listing == nil {
		e.Buf = text
		e.Release()
	}
	return c, nil
}
