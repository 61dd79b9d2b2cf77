package interp

import (
	"github.com/fluxion-lang/fluxion/internal/types"
)

// wholeNode is an array operation on the tape.
type wholeNode struct {
	op     *wholeOp
	args   []slotSource
	wanted []bool
	outs   []*whole
}

func (c *wholeNode) parents(func(float64)) {}

// arguments are what derived code is given for the operation's arguments.
func (c *wholeNode) arguments(s *sweep) (args slotSink) {
	for _, a := range c.args {
		if !s.record {
			a = s.t.plainSlots(a)
		}
		args.f, args.i, args.p = append(args.f, a.f...), append(args.i, a.i...), append(args.p, a.p...)
	}
	return args
}

func (c *wholeNode) pull(s *sweep, _ handle, _ float64) {
	var bt slotSink
	some, all := false, true
	isArray := false
	if _, isArray = types.Resolve(c.op.result).(*types.Array); isArray {
		cols := make([][]float64, len(c.outs))
		for k, w := range c.outs {
			var any, every bool
			cols[k], any, every = s.cotangentsOf(w)
			some, all = some || any, all && every
		}
		bt.p = []ref{c.arrayOf(s.t.m, cols)}
	} else {
		var any, every bool
		bt.f, any, every = s.cotangentsOf(c.outs[0])
		bt.i = make([]int64, s.t.m.layouts.of(c.op.result).shape().i)
		some, all = any, every
	}
	if !some {
		return
	}
	opts := s.t.m.code.opts
	code, err := c.op.pullCode(opts, c.wanted)
	if err != nil {
		panic("interp: a whole that cannot be differentiated: " + err.Error())
	}
	args := c.arguments(s)
	args.f, args.i, args.p = append(args.f, bt.f...), append(args.i, bt.i...), append(args.p, bt.p...)
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
	if !all && s.t.hasNaN(out) {
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

// arrayOf makes a value of the result's type of its columns of reals.
func (c *wholeNode) arrayOf(m *Machine, cols [][]float64) ref {
	elemShape := m.layouts.of(elem(c.op.result)).shape()
	n := len(cols[0])
	is := make([][]int64, elemShape.i)
	for k := range is {
		is[k] = make([]int64, n)
	}
	return fromColumns(n, cols, is, nil)
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
		if !s.t.m.layouts.reals(c.op.params[n].ty, nil) {
			continue // its tangent is unit
		}
		d, any := s.tangentSlots(a)
		some = some || any
		args.f, args.i, args.p = append(args.f, d.f...), append(args.i, d.i...), append(args.p, d.p...)
	}
	if !some {
		return absent
	}
	out := s.call(code, args, s.t.m.layouts.of(c.op.result).shape())
	if s.t.failure != nil {
		return absent
	}
	if s.t.hasNaN(out) {
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
		if k -= s.wholes; k >= 0 && k < len(s.columns) {
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
