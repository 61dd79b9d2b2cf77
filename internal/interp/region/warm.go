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

// startAhead begins to compile the regions that are the whole of a function that Options.Ahead names, while the interpreter's code
// is still being made.
func (c *Finder) startAhead(name string, wholes []*Region) {
	k := slices.Index(c.ahead, name)
	if k < 0 || len(wholes) == 0 {
		return
	}
	c.ahead = slices.Delete(c.ahead, k, k+1)
	for _, r := range wholes {
		r.ahead = true
		go r.compileAhead()
	}
}

// Warm compiles definitions ahead of their first use, several at once and the largest first: of each the regions that are
// the whole of it, or where there are none that are covered, the first region that is. Without an engine there is nothing to do.
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
	slices.SortFunc(all, func(a, b *Region) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
	})
	var wait sync.WaitGroup
	var next atomic.Int64
	for range cap(places) {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(all); k = int(next.Add(1)) - 1 {
				if all[k].compileAhead(); all[k].code != nil {
					continue
				}
				for _, r := range regions[all[k].name] {
					if r.compileAhead(); r.code != nil {
						break
					}
				}
			}
		})
	}
	wait.Wait()
}
