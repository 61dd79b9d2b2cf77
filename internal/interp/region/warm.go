package region

import (
	"runtime"

	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
)

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
	q := newQueue(all)
	var group task.Group
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		group.Go(func() {
			for r := q.next(); r != nil; r = q.next() {
				if first, _ := r.take(w); first == nil {
					takeInside(w, regionsOf(c.Compiled(inside[r.name], w), r.name))
				}
			}
		})
	}
	group.Wait()
}

// takeInside takes the first of some regions that can be compiled.
func takeInside(w *stop.Watch, regions []*Region) {
	for _, r := range regions {
		if first, _ := r.take(w); first != nil {
			return
		}
	}
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
