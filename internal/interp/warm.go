package interp

// Warm compiles definitions ahead of their first use: the region that is the whole of one, or where that is
// not covered, all of its regions. Without an engine there is nothing to do.
func (c *Code) Warm(names ...string) {
	for _, name := range names {
		for _, r := range c.lib.regions {
			if r.name != name {
				continue
			}
			if r.once.Do(r.prepare); r.code != nil {
				break // the first one is the whole
			}
		}
	}
}
