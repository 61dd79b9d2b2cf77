// Package lower makes instructions (package ir) of the functions of the loop form:
//
//	unit.go       the functions of a program; inline.go definitions in place of operations
//	schedule.go   the order of the statements of a turn
//	lower.go      statements become instructions; room.go has the memory for both
//	arith.go      operations on scalars; vectorops.go on vectors; contract.go several as one
//	memory.go     buffers; states.go buffers that loops hand on
//	lanes.go      loops in vectors; elements.go what they read and write, accumulate.go what they add to,
//	              sums.go and rows.go loops inside of them
//	calls.go      calls
//
// It asks an ir.Target what the machine can do, and does not know which machine it is.
package lower

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Options say how functions are lowered.
type Options struct {
	Deterministic bool  // the order of the program is kept, and a sum of a product is rounded twice
	NoLanes       bool  // loops with lanes run turn by turn
	Listing       bool  // statements are kept for a listing
	RoundAll      bool  // products are rounded, but sums taken in any order; for tests
	Long          int64 // the length from which on a buffer has no accumulators, for tests; 0 for the usual one
	Scheduled     int   // so many statements are put in order, whatever block they are of; for tests; 0 for the usual ones
	Watch         *stop.Watch
}

// unit is the functions of a program, which are lowered together since they call each other.
type unit struct {
	m      *ir.Target
	opts   Options
	Bodies []*loop.Func // the functions, and then the routines: Note [Routines]
	funcs  map[*loop.Func]int
	Sigs   []*ir.Signature
	label  func() ir.Label
	Exits  map[int]ir.Label // the places that leave the code, by the status that they leave with
}

// NewUnit prepares the functions of a program for a machine: it finds routines, puts definitions in
// place of operations that the machine does not have, and orders statements. The first function is
// the entry. newLabel makes a label.
func NewUnit(p *loop.Program, m *ir.Target, opts Options, stores bool, newLabel func() ir.Label) *unit {
	u := &unit{m: m, opts: opts, funcs: map[*loop.Func]int{}, label: newLabel, Exits: map[int]ir.Label{}}
	for i, f := range p.Funcs {
		copied := *f
		if stores {
			copied.Adds = len(copied.Params)
		}
		u.Bodies, u.funcs[f] = append(u.Bodies, &copied), i
	}
	if !opts.Deterministic && !opts.NoLanes {
		tile := pass.Tile{Rows: m.TileRows, Columns: m.TileColumns}
		u.Bodies = append(u.Bodies, tile.Tiles(u.Bodies...)...)
	}
	u.Sigs = make([]*ir.Signature, len(u.Bodies))
	for i, f := range u.Bodies {
		u.funcs[f], u.Sigs[i] = i, ir.SignatureOf(f)
		u.Sigs[i].Routine = i >= len(p.Funcs)
		opts.Watch.Look()
		Inline(f, m.Scales)
		for _, run := range []func(*loop.Func){
			pass.Offsets,
			pass.CSE, // definitions share subexpressions with what is around them
			pass.Relayout,
			pass.DeadCode,
		} {
			opts.Watch.Look()
			run(f)
		}
		opts.Watch.Look()
		schedule(f, m, opts)
	}
	return u
}

// lowered is a function as instructions, in memory that is given back when they have been emitted.
type lowered struct {
	Code   *ir.Function
	Stmts  []loop.Stmt // those of the loop form that the instructions come from, for a listing
	memory *lowering
}

// Release gives the memory back, for others.
func (l lowered) Release() { l.memory.release() }

// Function lowers a function. The outcome is to be released.
func (u *unit) Function(i int) (lowered, error) {
	f, l := u.Bodies[i], lowerings.Get().(*lowering)
	l.f.Name, l.unit, l.m, l.opts, l.sig = f.Name, u, u.m, u.opts, u.Sigs[i]
	l.top, l.label = l.newCtx(), u.label
	loop.AllUses(f.Body, func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok {
			*l.count.At(v)++
		}
	})
	l.function(f, i == 0)
	if l.err != nil {
		return lowered{}, l.err
	}
	u.opts.Watch.Poll()
	l.f.Coalesce()
	return lowered{l.f, l.stmts, l}, nil
}
