package region

import (
	"cmp"
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

// queue is regions that wait to be compiled.
type queue struct {
	mu      sync.Mutex
	regions []*Region // the largest last
}

func newQueue(regions []*Region) *queue {
	slices.SortFunc(regions, func(a, b *Region) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.name, b.name))
	})
	return &queue{regions: regions}
}

// next takes the largest region out of a queue; nil if there is none.
func (q *queue) next() *Region {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	last := len(q.regions) - 1
	if last < 0 {
		return nil
	}
	r := q.regions[last]
	q.regions = q.regions[:last]
	return r
}

// startBeside begins to compile what the run of a definition reaches for sure, where some constants
// are kept. The goroutines that do so belong to the run.
func (c *Finder) startBeside(main *core.Def, kept *machine.Constants, run *machine.Beside) {
	workers := runtime.GOMAXPROCS(0) - 1
	if workers == 0 || run == nil {
		return
	}
	var queued []*Region
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
			queued = append(queued, r)
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
			// but not those of blocks, which need not run
			parts := core.Parts{Atom: func(a core.Atom) {
				g, ok := a.(*core.Global)
				if !ok {
					return
				}
				if fun := c.source.FunctionOf(g.Name); fun == nil ||
					call != nil && call.Fun == a && len(call.Args) >= len(fun.Params) {
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
	c.beside = newQueue(queued)
	for range min(workers, len(queued)) {
		run.Go(func(w *stop.Watch) {
			for r := c.beside.next(); r != nil; r = c.beside.next() {
				r.compile(w)
			}
		})
	}
}
