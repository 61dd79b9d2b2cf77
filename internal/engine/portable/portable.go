// Package portable runs functions of the loop form in Go, without machine code. A function is
// compiled to closures over registers. The turns of a parallel loop run many at a time: each
// variable that varies with the loop's index is a strip, a slice with an element for each turn, and
// each operation a loop over strips (Note [Strips]). Buffers are in an arena that is kept from run
// to run, so that a run allocates only its results.
//
// It computes the bits that every target computes, but for the order of sums.
package portable

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

//go:generate go run ./gen

// Code is a compiled function; it implements loop.Code.
type Code struct {
	main  *fn
	funcs int       // how many functions there are
	idle  sync.Pool // of *frames
}

// fn is a compiled function: its steps, where its arguments and results are, and how many registers
// of each kind it has.
type fn struct {
	index           int // among the functions of the code
	params, results []place
	steps           []step
	nf, ni, nb      int
	nvf, nvi        int
	constF          map[int]float64 // registers that hold literals
	constI          map[int]int64
}

// step does something and tells whether to go on; if not, the run has an error.
type step func(fr *frame) bool

// buffer is a buffer of either kind. A wide one has a strip for each element.
type buffer struct {
	f []float64
	i []int64
}

// frame has the registers of a function that runs.
type frame struct {
	f []float64
	i []int64 // and Booleans, 0 or 1
	b []buffer
	// own has the storage of buffers that are states of loops.
	own []buffer
	// large is set if a buffer in own may have more elements than are kept.
	large bool
	vf    [][]float64 // strips: as they are now, a register's own storage or a part of a buffer
	vi    [][]int64
	of    [][]float64 // the storage of strips
	oi    [][]int64
	// lanes is the number of turns that run at once.
	lanes int
	words [3]uint64
	run   *run
	next  *frame // in a list of frames that are free
}

// strip is the number of turns that run at once.
const strip = 128

// Compile compiles a function and those that it calls.
func Compile(f *loop.Func) *Code { return compile(f, fewTurns, false) }

// CompileOrdered does so, and keeps sums over the turns of a loop in the order of the turns.
func CompileOrdered(f *loop.Func) *Code { return compile(f, fewTurns, true) }

// compile compiles a function; its loops of less than so many turns do not run in strips, nor if
// ordered those whose order matters.
func compile(f *loop.Func, few int64, ordered bool) *Code {
	c := &compiler{funcs: map[*loop.Func]*fn{}, sites: new([]*site), few: few, ordered: ordered}
	main := c.function(f)
	for _, s := range *c.sites {
		s.link()
	}
	return &Code{main: main, funcs: len(c.funcs)}
}

// run is the state of a run.
type run struct {
	arena  arena
	frames *frames
	opts   loop.RunOptions
	budget int // until Poll is called
	depth  int // how many more calls may be made within this one
	err    error
}

// quantum is the number of operations between polls: a fifth of a millisecond, and four where each
// misses the cache.
const quantum = 1 << 15

// maxDepth bounds calls within calls.
const maxDepth = 5000

// spend counts operations and polls now and then.
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

// Run calls the function.
func (c *Code) Run(args []loop.Arg, opts loop.RunOptions) ([]loop.Arg, error) {
	into := make([]loop.Arg, len(c.main.results))
	if err := c.RunInto(into, args, opts); err != nil {
		return nil, err
	}
	return into, nil
}

// RunInto calls the function: loop.Code.
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
	if len(into) > 1 && loop.Overlap(into, args) { // writing one result may change another that is an argument
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

// do runs steps.
func (fr *frame) do(steps []step) bool {
	for _, s := range steps {
		if !s(fr) {
			return false
		}
	}
	return true
}
