package region

import (
	"runtime"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [Compiling beside the run]
//
// A program's main expression names constants and calls functions that its run reaches for sure, in
//
//	let trained = train loss data start
//	accuracy trained
//
// those of trained and of accuracy. If a region that is the whole of one is compiled when it is
// first reached, other cores begin to compile it while the interpreter's code is made and runs, the
// largest region first. When the run has reached it, it takes what was made, or waits for it.
// Nothing else depends on what others have done so far: whether a region is compiled is decided
// when it is reached, as always, so that the program takes the same way in every run.

// beside is the regions that are compiled while the program runs.
type beside struct {
	mu    sync.Mutex
	queue []*Region // the largest last
}

// compileNext compiles the largest region that nobody has begun with. It is false if there is none.
func (b *beside) compileNext(w *stop.Watch) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	last := len(b.queue) - 1
	if last < 0 {
		b.mu.Unlock()
		return false
	}
	r := b.queue[last]
	b.queue = b.queue[:last]
	b.mu.Unlock()
	r.compile(w)
	return true
}

// startBeside begins to compile what the run of a definition reaches for sure, where some constants
// are kept. The goroutines that do so belong to the run.
func (c *Finder) startBeside(main *core.Def, kept *machine.Constants, run *machine.Beside) {
	workers := runtime.GOMAXPROCS(0) - 1
	if workers == 0 || run == nil {
		return
	}
	b := &beside{}
	c.beside = b
	reached := map[*core.Def]bool{}
	var visit func(name string)
	visit = func(name string) {
		def := c.source.DefOf(name)
		if def == nil || reached[def] || kept.Has(name) {
			return
		}
		reached[def] = true
		body := def.Body
		if fun := def.Function(); fun != nil {
			body = fun.Body
		}
		p := (&writer{c: c, name: name}).planned(body)
		c.planned[body] = p
		if r := p.region; r != nil && r.atOnce() {
			b.queue = append(b.queue, r)
			core.Atoms(r.block, func(a core.Atom) { // it is given its constants
				if g, ok := a.(*core.Global); ok && c.source.FunctionOf(g.Name) == nil {
					visit(g.Name)
				}
			})
			return
		}
		for _, s := range body.Stmts {
			let, ok := s.(*core.Let)
			if !ok {
				continue
			}
			call, _ := let.Op.(*core.Apply)
			parts := core.Parts{Atom: func(a core.Atom) { // but not those of blocks, which need not run
				g, ok := a.(*core.Global)
				if !ok {
					return
				}
				if fun := c.source.FunctionOf(g.Name); fun == nil || call != nil && call.Fun == a && len(call.Args) >= len(fun.Params) {
					visit(g.Name)
				}
			}}
			parts.Visit(let.Op)
		}
		if g, ok := body.Result.(*core.Global); ok && c.source.FunctionOf(g.Name) == nil {
			visit(g.Name)
		}
	}
	visit(main.Name)
	slices.SortFunc(b.queue, bySize)
	for range min(workers, len(b.queue)) {
		run.Go(func(w *stop.Watch) {
			for b.compileNext(w) {
			}
		})
	}
}
