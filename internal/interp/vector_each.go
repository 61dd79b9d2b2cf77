package interp

// An array operation that is on the tape as a whole, swept element by element:
// so that zeros by structure are never multiplied, where an infinite slope
// makes that matter, and where package diff has no rule for the whole.

// recordEach records the operation element by element, on the given arguments.
func (c *wholeNode) recordEach(s *sweep, args slotSink) (out [][]float64, ok bool) {
	t := s.t
	code, err := c.op.eachCode(t.m.code.opts)
	if err != nil {
		panic("interp: a whole that does not compile: " + err.Error())
	}
	result := s.call(code, args, t.m.layouts.of(c.op.result).shape())
	return realColumns(result), t.failure == nil
}

// realColumns are the columns of reals in a value that are not empty, in the
// order of mapColumns.
func realColumns(s slotSource) (list [][]float64) {
	mapColumns(s, func(xs []float64) []float64 {
		if len(xs) > 0 {
			list = append(list, xs)
		}
		return xs
	})
	return list
}

// pullEach is pull by elements.
func (c *wholeNode) pullEach(s *sweep) {
	t := s.t
	r, keep := t.begin(), false
	defer func() { t.end(r, keep) }()
	var args slotSink
	for _, a := range c.args {
		args.add(a)
	}
	out, ok := c.recordEach(s, args)
	if !ok {
		return
	}
	sub, ok := t.newSweep(r, s.record)
	if !ok {
		return
	}
	sub.escape = func(h handle, x float64) { s.contribute(h, t.leave(r, x)) }
	for k, w := range c.outs {
		for n, x := range out[k] {
			if b := s.get(box(elementBit | (w.base + handle(n)))); !isAbsent(b) {
				sub.to(x, b)
			}
		}
	}
	sub.backward()
	keep = s.record
}

// pushEach is push by elements. Fresh variables stand for the operands, since a
// sweep reads no tangents of what lies before its part of the tape.
func (c *wholeNode) pushEach(s *sweep) {
	t := s.t
	r, keep := t.begin(), false
	defer func() { t.end(r, keep) }()
	var leaves []handle
	var tangents []float64
	variable := func(x float64) float64 {
		dx := s.get(x)
		if isAbsent(dx) {
			return x
		}
		leaf := t.leaf(x, r.selfMask)
		leaves, tangents = append(leaves, unbox(leaf)), append(tangents, dx)
		return leaf
	}
	var args slotSink
	for _, a := range c.args {
		a = mapReals(a, variable)
		args.add(a)
	}
	out, ok := c.recordEach(s, args)
	if !ok {
		return
	}
	sub, ok := t.newSweep(r, s.record)
	if !ok {
		return
	}
	for k, h := range leaves {
		*sub.place(h) = tangents[k]
	}
	if !sub.forward() {
		return
	}
	for k, w := range c.outs {
		for n, x := range out[k] {
			if dx := sub.get(x); !isAbsent(dx) {
				s.contribute(elementBit|(w.base+handle(n)), t.leave(r, dx))
			}
		}
	}
	keep = s.record
}

// mapReals is a value of numbers and arrays with others in place of its reals.
func mapReals(s slotSource, f func(x float64) float64) slotSource {
	return mapColumns(s, func(xs []float64) []float64 {
		ys := make([]float64, len(xs))
		for k, x := range xs {
			ys[k] = f(x)
		}
		return ys
	})
}

// mapColumns is a value of numbers and arrays with other columns of reals: the
// reals that are in no array are one, and come first.
func mapColumns(s slotSource, f func(xs []float64) []float64) slotSource {
	out := slotSource{f: s.f, i: s.i, p: make([]ref, len(s.p))}
	if len(s.f) > 0 {
		out.f = f(s.f)
	}
	for k, r := range s.p {
		fs, is, ps := columns(r)
		reals, rows := make([][]float64, len(fs)), make([][]ref, len(ps))
		for c, col := range fs {
			reals[c] = f(col)
		}
		for c, col := range ps {
			rows[c] = mapColumns(slotSource{p: col}, f).p
		}
		out.p[k] = fromColumns(arrayLen(r), reals, is, rows)
	}
	return out
}
