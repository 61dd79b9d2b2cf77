package region

import (
	"cmp"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// places bounds how many regions are compiled at once ahead of their use.
var places = make(chan struct{}, runtime.GOMAXPROCS(0))

// compileAhead makes a region ready when there is a place for it.
func (r *Region) compileAhead(w *stop.Watch) {
	if r.demand.stage.Load() != taken {
		places <- struct{}{}
		defer func() { <-places }()
		r.take(w)
	}
}

// compileAll compiles regions, several at once and the largest first, and calls then after each of
// them. What it gives is done when they are.
func compileAll(w *stop.Watch, all []*Region, then func(*Region)) *task.Group {
	slices.SortFunc(all, func(a, b *Region) int { return bySize(b, a) })
	var group task.Group
	var next atomic.Int64
	for range min(cap(places), len(all)) {
		group.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(all); k = int(next.Add(1)) - 1 {
				all[k].compileAhead(w)
				then(all[k])
			}
		})
	}
	return &group
}

// Expect says that definitions are going to be called: the regions that are the whole of them are
// compiled as soon as a call reaches them. It panics as Poll of the watch does.
func Expect(w *stop.Watch, c *machine.Code, names ...string) {
	for _, name := range names {
		if front := c.Compiled(c.Called(c.Defs[name]), w); front.Otherwise != nil {
			for _, r := range regionsOf(front, name) {
				r.demand.expect()
			}
		}
	}
}

// Warm compiles definitions ahead of their first use: of each the regions that are the whole of it,
// or where there are none that are covered, the first region that is. Without an engine there is
// nothing to do. Beyond what the watch allows it panics as Poll of it does.
func Warm(w *stop.Watch, c *machine.Code, names ...string) {
	var all []*Region
	inside := map[string]*machine.Function{} // the code of definitions that has the other regions
	for _, name := range names {
		front := c.Compiled(c.Called(c.Defs[name]), w)
		if inside[name] = front; front.Otherwise != nil {
			inside[name] = front.Otherwise
			all = append(all, regionsOf(front, name)...)
		} else if inner := regionsOf(front, name); len(inner) > 0 {
			all = append(all, inner[0])
		}
	}
	compileAll(w, all, func(r *Region) {
		if r.first() != nil {
			return
		}
		for _, inner := range regionsOf(c.Compiled(inside[r.name], w), r.name) {
			if inner.compileAhead(w); inner.first() != nil {
				return
			}
		}
	}).Wait()
}

// regionsOf are the regions of a definition, without those of its local functions.
func regionsOf(fn *machine.Function, name string) []*Region {
	var own []*Region
	for _, compiled := range fn.Lib.Regions {
		if r := compiled.(*Region); r.name == name {
			own = append(own, r)
		}
	}
	return own
}

// bySize orders regions, the smallest first.
func bySize(a, b *Region) int {
	return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.name, b.name))
}
