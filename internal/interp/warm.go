package interp

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// places bounds how many regions are compiled at once ahead of their use.
var places = make(chan struct{}, runtime.GOMAXPROCS(0))

// compileAhead makes a region ready when there is a place for it.
func (r *loopRegion) compileAhead() {
	places <- struct{}{}
	defer func() { <-places }()
	r.once.Do(r.prepare)
}

// startAhead begins to compile the whole of a function that Options.Ahead names, while the interpreter's code is still
// being made.
func (c *compiler) startAhead(r *loopRegion) {
	if k := slices.Index(c.ahead, r.name); k >= 0 {
		c.ahead = slices.Delete(c.ahead, k, k+1)
		go r.compileAhead()
	}
}

// Warm compiles definitions ahead of their first use, several at once and the largest first: of each the region that is
// the whole of it, or where that is not covered, all of its regions. Without an engine there is nothing to do.
func (c *Code) Warm(names ...string) {
	regions := map[string][]*loopRegion{}
	for _, r := range c.lib.regions {
		regions[r.name] = append(regions[r.name], r)
	}
	size := func(name string) int {
		if all := regions[name]; len(all) > 0 {
			return all[0].size
		}
		return 0
	}
	names = slices.SortedFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a, b))
	})
	var wait sync.WaitGroup
	var next atomic.Int64
	for range cap(places) {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(names); k = int(next.Add(1)) - 1 {
				for _, r := range regions[names[k]] {
					if r.compileAhead(); r.code != nil {
						break // the first one is the whole
					}
				}
			}
		})
	}
	wait.Wait()
}
