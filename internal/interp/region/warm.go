package region

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/interp/machine"
)

// places bounds how many regions are compiled at once ahead of their use.
var places = make(chan struct{}, runtime.GOMAXPROCS(0))

// compileAhead makes a region ready when there is a place for it. Who waits for another to do so takes no place.
func (r *Region) compileAhead() {
	r.once.Do(func() {
		places <- struct{}{}
		defer func() { <-places }()
		r.prepare()
	})
}

// startAhead begins to compile the regions that are the whole of functions, while the interpreter's code is made.
func (c *Finder) startAhead(names []string, taped bool) {
	var all []*Region
	for _, name := range names {
		fun := c.source.FunctionOf(name)
		if fun == nil {
			continue
		}
		p := (&writer{c: c, name: name, taped: taped}).planned(fun.Body)
		c.planned[fun.Body] = p
		for _, r := range p.regions() {
			r.ahead = true
			all = append(all, r)
		}
	}
	compileAll(all, func(*Region) {})
}

// compileAll compiles regions, several at once and the largest first, and calls then after each of them. What it gives is done when
// they are.
func compileAll(all []*Region, then func(*Region)) *sync.WaitGroup {
	slices.SortFunc(all, func(a, b *Region) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
	})
	var wait sync.WaitGroup
	var next atomic.Int64
	for range min(cap(places), len(all)) {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(all); k = int(next.Add(1)) - 1 {
				all[k].compileAhead()
				then(all[k])
			}
		})
	}
	return &wait
}

// Warm compiles definitions ahead of their first use: of each the regions that are the whole of it, or where there are none that
// are covered, the first region that is. Without an engine there is nothing to do.
func Warm(c *machine.Code, names ...string) {
	regions, wholes := map[string][]*Region{}, map[string][]*Region{}
	for _, compiled := range c.Lib.Regions {
		r := compiled.(*Region)
		regions[r.name] = append(regions[r.name], r)
		if r.ahead {
			wholes[r.name] = append(wholes[r.name], r)
		}
	}
	var all []*Region
	for _, name := range names {
		if len(wholes[name]) > 0 {
			all = append(all, wholes[name]...)
		} else if inner := regions[name]; len(inner) > 0 {
			all = append(all, inner[0])
		}
	}
	compileAll(all, func(r *Region) {
		if r.code != nil {
			return
		}
		for _, inner := range regions[r.name] {
			if inner.compileAhead(); inner.code != nil {
				return
			}
		}
	}).Wait()
}
