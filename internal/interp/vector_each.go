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

// realColumns are the reals of the result of an array operation: the columns of
// an array, or those of an accumulator as one.
func realColumns(s slotSource) [][]float64 {
	if len(s.p) == 1 {
		f, _, _ := columns(s.p[0])
		return f
	}
	return [][]float64{s.f}
}

// pullEach is pull by elements.
func (c *wholeNode) pullEach(s *sweep) {
	t := s.t
	r := t.begin()
	var args slotSink
	for _, a := range c.args {
		args.f, args.i, args.p = append(args.f, a.f...), append(args.i, a.i...), append(args.p, a.p...)
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
	t.end(r, s.record)
}

// pushEach is push by elements. Fresh variables stand for the operands, since a
// sweep reads no tangents of what lies before its part of the tape.
func (c *wholeNode) pushEach(s *sweep) {
	t := s.t
	r := t.begin()
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
		args.f, args.i, args.p = append(args.f, a.f...), append(args.i, a.i...), append(args.p, a.p...)
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
	t.end(r, s.record)
}

// mapReals is a value of numbers and arrays with others in place of its reals.
func mapReals(s slotSource, f func(x float64) float64) slotSource {
	each := func(xs []float64) []float64 {
		ys := make([]float64, len(xs))
		for k, x := range xs {
			ys[k] = f(x)
		}
		return ys
	}
	out := slotSource{f: each(s.f), i: s.i, p: make([]ref, len(s.p))}
	for k, r := range s.p {
		fs, is, ps := columns(r)
		reals, rows := make([][]float64, len(fs)), make([][]ref, len(ps))
		for c, col := range fs {
			reals[c] = each(col)
		}
		for c, col := range ps {
			rows[c] = mapReals(slotSource{p: col}, f).p
		}
		out.p[k] = fromColumns(arrayLen(r), reals, is, rows)
	}
	return out
}
