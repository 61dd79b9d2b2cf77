// Package portable runs functions of the loop form in Go, without machine code. A function is
// compiled to closures over registers. The turns of a parallel loop run many at a time: each
// variable that varies with the loop's index is a strip, a slice with an element for each turn, and
// each operation a loop over strips (Note [Strips]). Buffers are in an arena that is kept from run
// to run, so that a run allocates only its results.
//
// The results have the same bits as those of every other target, except for the order of sums.
package portable

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

//go:generate go run ./gen

// Code is a compiled function. It implements loop.Code.
type Code struct {
	main  *fn
	funcs int       // how many functions there are
	idle  sync.Pool // of *frames
}

// fn holds one compiled function: its steps, the places of its arguments and results, and how many
// registers of each kind it has.
type fn struct {
	index           int // among the functions of the code
	params, results []place
	steps           []step
	nf, ni, nb      int
	nvf, nvi        int
	constF          map[int]float64 // registers that hold literals
	constI          map[int]int64
}

// step executes a part of a function. It returns false if the run has failed.
type step func(fr *frame) bool

// buffer holds a buffer of reals or of integers. A wide buffer has a strip for each element.
type buffer struct {
	f []float64
	i []int64
}

// frame holds the registers of one call.
type frame struct {
	f     []float64
	i     []int64 // and Booleans, 0 or 1
	b     []buffer
	own   []buffer // the storage of buffers that are states of loops
	large bool     // a buffer in own may have more elements than are kept
	// The strips, each in the storage of its register or in a part of a buffer.
	vf    [][]float64
	vi    [][]int64
	of    [][]float64 // the storage of strips
	oi    [][]int64
	lanes int // turns that run at once
	words [3]uint64
	run   *run
	next  *frame // in a list of free frames
}

// strip is the number of turns that run at once.
const strip = 128

// Compile compiles a function and those that it calls.
func Compile(f *loop.Func) *Code { return compile(f, fewTurns, false) }

// CompileOrdered is Compile, but sums over the turns of a loop keep the order of the turns.
func CompileOrdered(f *loop.Func) *Code { return compile(f, fewTurns, true) }

// compile compiles a function. Loops with fewer than few turns do not run in strips. If ordered is
// set, neither do loops whose order matters.
func compile(f *loop.Func, few int64, ordered bool) *Code {
	c := &compiler{funcs: map[*loop.Func]*fn{}, sites: new([]*site), few: few, ordered: ordered}
	main := c.function(f)
	for _, s := range *c.sites {
		s.link()
	}
	return &Code{main: main, funcs: len(c.funcs)}
}

// run holds the state of a run.
type run struct {
	arena  arena
	frames *frames
	opts   loop.RunOptions
	budget int // operations until Poll is called
	depth  int // calls that may still nest
	err    error
}

// quantum is the number of operations between polls. They take a fifth of a millisecond, or four
// milliseconds if each of them misses the cache.
const quantum = 1 << 15

// maxDepth bounds how deep calls nest.
const maxDepth = 5000

// spend counts n operations, and polls when the budget is used up. It returns false if the run must
// end.
func (r *run) spend(n int) bool {
	if r.budget -= n; r.budget > 0 {
		return true
	}
	r.refuel()
	if r.opts.Poll != nil {
		if err := r.opts.Poll(); err != nil {
			r.err = err
			return false
		}
	}
	return true
}

func (r *run) refuel() {
	if r.budget = quantum; r.opts.Often {
		r.budget = 1
	}
}

// stop ends the run with an error.
func (r *run) stop(err error) bool {
	r.err = err
	return false
}

var runs = sync.Pool{New: func() any { return &run{} }}

// Run calls the function and returns its results.
func (c *Code) Run(args []loop.Arg, opts loop.RunOptions) ([]loop.Arg, error) {
	into := make([]loop.Arg, len(c.main.results))
	if err := c.RunInto(into, args, opts); err != nil {
		return nil, err
	}
	return into, nil
}

// RunInto calls the function and stores its results, as loop.Code says.
func (c *Code) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	r := runs.Get().(*run)
	defer runs.Put(r)
	r.opts, r.err, r.depth = opts, nil, maxDepth
	r.refuel()
	if opts.MaxDepth > 0 {
		r.depth = min(r.depth, opts.MaxDepth)
	}
	r.arena.reset(opts.MaxBytes)
	r.frames = c.frames()
	fr := r.frame(c.main)
	defer func() {
		r.drop(c.main, fr)
		r.frames.clear()
		c.idle.Put(r.frames)
		r.frames = nil
	}()
	for i, p := range c.main.params {
		switch {
		case p.kind.IsBuffer():
			fr.b[p.reg] = buffer{args[i].F, args[i].I}
		case p.kind == loop.F64:
			fr.f[p.reg] = args[i].Real()
		default:
			fr.i[p.reg] = int64(args[i].Word)
		}
	}
	if !fr.do(c.main.steps) {
		return r.err
	}
	if len(into) > 1 && loop.Overlap(into, args) {
		// A result may be an argument, and writing another result may change it.
		for _, p := range c.main.results {
			if p.kind.IsBuffer() && !p.fresh {
				b := &fr.b[p.reg]
				b.f, b.i = slices.Clone(b.f), slices.Clone(b.i)
			}
		}
	}
	for i, p := range c.main.results {
		switch {
		case p.kind.IsBuffer():
			b := fr.b[p.reg]
			into[i].Put(loop.Arg{F: b.f, I: b.i}, p.fresh)
		case p.kind == loop.F64:
			into[i].Put(loop.ScalarArg(fr.f[p.reg]), true)
		default:
			into[i].Put(loop.Arg{Word: uint64(fr.i[p.reg])}, true)
		}
	}
	return nil
}

// do executes steps. It returns false if the run has failed.
func (fr *frame) do(steps []step) bool {
	for _, s := range steps {
		if !s(fr) {
			return false
		}
	}
	return true
}
