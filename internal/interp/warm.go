package interp

import (
	"runtime"
	"sync"
)

// Warm compiles definitions ahead of their first use, several at once: of each the region that is the whole of it, or where that
// is not covered, all of its regions. Without an engine there is nothing to do.
func (c *Code) Warm(names ...string) {
	regions := map[string][]*loopRegion{}
	for _, r := range c.lib.regions {
		regions[r.name] = append(regions[r.name], r)
	}
	var wait sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, name := range names {
		wait.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			for _, r := range regions[name] {
				if r.once.Do(r.prepare); r.code != nil {
					break // the first one is the whole
				}
			}
		})
	}
	wait.Wait()
}
