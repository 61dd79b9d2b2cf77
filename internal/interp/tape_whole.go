package interp

// wholeNode is an array operation on the tape.
type wholeNode struct {
	op     *wholeOp
	args   []slotSource
	mask   levels     // what they depend on
	wanted []bool     // the arguments that a derivative in progress depends on
	value  slotSource // the result, of plain reals
	outs   []*whole   // its columns
}

// newWholeNode reads the arguments of an operation.
func newWholeNode(w *wholeOp, f *windowF, i *windowI, p []ref) *wholeNode {
	c := &wholeNode{op: w, args: make([]slotSource, len(w.params))}
	for n := range w.params {
		c.args[n] = w.params[n].read(f, i, p)
	}
	return c
}

// look finds what the arguments depend on; it tells whether one is boxed.
func (c *wholeNode) look(t *tape) bool {
	c.wanted = make([]bool, len(c.args))
	for n, a := range c.args {
		here := t.slotsMask(a)
		c.wanted[n] = here&t.live != 0
		c.mask |= here
	}
	return c.mask != 0
}

// record tells whether the operation belongs on the tape: everything boxed may
// belong to derivatives that a search has frozen.
func (c *wholeNode) record(t *tape) bool { return c.mask&t.live != 0 && c.op.reals }

// countReals is how many reals there are in a value, or at least limit.
func countReals(s slotSource, limit int64) int64 {
	n := int64(len(s.f))
	for _, r := range s.p {
		f, _, p := columns(r)
		for _, col := range f {
			n += int64(len(col))
		}
		for _, col := range p {
			for k := 0; k < len(col) && n < limit; k++ {
				n += countReals(slotSource{p: col[k : k+1]}, limit-n)
			}
		}
	}
	return n
}

// putWhole puts an operation on the tape and gives its result as boxes.
func (t *tape) putWhole(c *wholeNode, value slotSource) (boxed slotSource, ok bool) {
	c.value, ok = value, true
	for _, a := range c.args {
		shareAll(a.p)
	}
	boxed = mapColumns(value, func(values []float64) []float64 {
		if !ok || len(values) == 0 {
			return values
		}
		var w *whole
		var boxes []float64
		if w, boxes, ok = t.addWhole(values, c.mask); !ok {
			return values
		}
		c.outs = append(c.outs, w)
		return boxes
	})
	if ok {
		t.addNode(nodeWhole, c, c.mask)
	}
	return boxed, ok
}

func (c *wholeNode) parents(func(float64)) {}

// arguments are what derived code is given for the operation's arguments.
func (c *wholeNode) arguments(s *sweep) (args slotSink) {
	for _, a := range c.args {
		if !s.record {
			a = s.t.plainSlots(a)
		}
		args.add(a)
	}
	return args
}

func (c *wholeNode) pull(s *sweep, _ handle, _ float64) {
	some, all := false, true
	outs := c.outs
	bt := mapColumns(c.value, func(values []float64) []float64 {
		if len(values) == 0 {
			return values
		}
		column, any, every := s.cotangentsOf(outs[0])
		outs = outs[1:]
		some, all = some || any, all && every
		return column
	})
	if !some {
		return
	}
	opts := s.t.m.code.opts
	code, err := c.op.pullCode(opts, c.wanted)
	if err != nil {
		panic("interp: a whole that cannot be differentiated: " + err.Error())
	}
	args := c.arguments(s)
	args.add(bt)
	var result shape
	for n, p := range c.op.params {
		if c.wanted[n] {
			result = shape{result.f + p.shape.f, result.i + p.shape.i, result.p + p.shape.p}
		}
	}
	out := s.call(code, args, result)
	if s.t.failure != nil {
		return
	}
	if !all && !c.op.row && s.t.hasNaN(out) {
		// Where nothing contributed, a 0 may have met an infinite slope.
		c.pullEach(s)
		return
	}
	for n, p := range c.op.params {
		if c.wanted[n] {
			s.contributeSlots(c.args[n], out.take(p.shape))
		}
	}
}

// hasNaN looks for a real that is not a number, boxed or not.
func (t *tape) hasNaN(s slotSource) bool {
	for _, x := range t.plain(s.f) {
		if x != x {
			return true
		}
	}
	for _, r := range s.p {
		f, _, p := columns(r)
		for _, col := range f {
			if t.hasNaN(slotSource{f: col}) {
				return true
			}
		}
		for _, col := range p {
			if t.hasNaN(slotSource{p: col}) {
				return true
			}
		}
	}
	return false
}

func (c *wholeNode) push(s *sweep, _ handle) float64 {
	code, err := c.op.pushCode(s.t.m.code.opts)
	if err != nil {
		c.pushEach(s) // package diff covers it backwards only
		return absent
	}
	args := c.arguments(s)
	some := false
	for n, a := range c.args {
		if !s.t.m.layouts.hasReals(c.op.params[n].ty) {
			continue // its tangent is unit
		}
		d, any := s.tangentSlots(a)
		some = some || any
		args.add(d)
	}
	if !some {
		return absent
	}
	out := s.call(code, args, s.t.m.layouts.of(c.op.result).shape())
	if s.t.failure != nil {
		return absent
	}
	if !c.op.row && s.t.hasNaN(out) {
		// Where there is no tangent, a 0 may have met an infinite slope.
		c.pushEach(s)
		return absent
	}
	fs := realColumns(out)
	for k, w := range c.outs {
		s.setElements(w, fs[k])
	}
	return absent
}

// cotangentsOf are those of a whole, 0 where there is none; some and all tell
// whether there are any, and whether none is missing.
func (s *sweep) cotangentsOf(w *whole) (bt []float64, some, all bool) {
	column := s.columnOf(w)
	if column == nil {
		return make([]float64, len(w.values)), false, len(w.values) == 0
	}
	all = true
	for _, b := range column {
		if isAbsent(b) {
			all = false
		} else {
			some = true
		}
	}
	if all || !some {
		return column, some, all
	}
	bt = make([]float64, len(column))
	for k, b := range column {
		bt[k] = present(b)
	}
	return bt, some, all
}

// contributeSlots adds contributions to the reals of a value.
func (s *sweep) contributeSlots(to, from slotSource) {
	s.contributeColumn(to.f, from.f)
	for k, r := range to.p {
		tf, _, tp := columns(r)
		ff, _, fp := columns(from.p[k])
		for c := range tf {
			s.contributeColumn(tf[c], ff[c])
		}
		for c := range tp {
			s.contributeSlots(slotSource{p: tp[c]}, slotSource{p: fp[c]})
		}
	}
}

func (s *sweep) contributeColumn(to, from []float64) {
	if w, at := s.t.columnOf(to); w != nil {
		k, _ := s.t.find(elementBit | w.base)
		if k -= s.wholes; k < 0 && s.around != nil {
			s.around.contributeColumn(to, from)
			return
		}
		if k >= 0 && k < len(s.columns) {
			if c := &s.columns[k]; c.v == nil && len(to) == len(w.values) {
				*c = sweepColumn{v: from, shared: true}
				return
			}
			if !s.record {
				addColumn(s.column(k, w)[at:at+len(to)], from)
				return
			}
		}
	}
	for k, x := range to {
		if x != x && isBox(x) {
			s.contribute(unbox(x), from[k])
		}
	}
}

func addColumn(to, from []float64) {
	for k, x := range from {
		if isAbsent(to[k]) {
			to[k] = x
		} else {
			to[k] += x
		}
	}
}

// tangentSlots is the tangent of a value, 0 where there is none.
func (s *sweep) tangentSlots(a slotSource) (d slotSource, some bool) {
	d.f, some = s.tangents(a.f)
	d.i = a.i
	for _, r := range a.p {
		f, i, p := columns(r)
		fs := make([][]float64, len(f))
		for c, col := range f {
			var any bool
			fs[c], any = s.tangents(col)
			some = some || any
		}
		ps := make([][]ref, len(p))
		for c, col := range p {
			rows, any := s.tangentSlots(slotSource{p: col})
			ps[c], some = rows.p, some || any
		}
		d.p = append(d.p, fromColumns(arrayLen(r), fs, i, ps))
	}
	return d, some
}
