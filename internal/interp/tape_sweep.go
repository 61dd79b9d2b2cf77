package interp

import "math"

// sweep is a pass over a part of the tape, with a real for each node and each
// element of a whole: cotangents backwards, tangents forwards. In a recording
// sweep, which runs inside another derivative, these may be boxed, and its
// arithmetic is put on the tape.
type sweep struct {
	t       *tape
	record  bool
	resolve bool   // decide ties by the tangents: see Note [Ties]
	outside levels // the derivatives around the one that sweeps
	node    handle // the first node and element
	element handle
	end     handle // one beyond the last node
	stop    handle // where a sweep backwards ends
	nodes   []float64
	wholes  int           // the first whole of the part
	columns []sweepColumn // of the wholes from there on

	around *sweep                    // has what lies before the part, unless nil: Note [Checkpoints]
	escape func(h handle, x float64) // gets the contributions to what lies before the part, unless nil
}

// sweepColumn is what a sweep has for the elements of a whole: nothing yet, or
// an array, which is copied before it changes if it is shared.
type sweepColumn struct {
	v      []float64
	shared bool
}

// newSweep makes a sweep over the part of the tape from the region on.
func (t *tape) newSweep(r region, record bool) (*sweep, bool) {
	n, e := t.count-int(r.node), len(t.wholes)-r.wholes
	if d := t.m.charge(int64(n+4*e) * 8); d != nil {
		t.fail(d)
		return nil, false
	}
	s := &sweep{t: t, record: record, outside: r.outside, node: r.node, element: r.element, end: handle(t.count), stop: r.node,
		nodes: make([]float64, n), wholes: r.wholes, columns: make([]sweepColumn, e)}
	fill(s.nodes, absent)
	return s, true
}

// place is where the sweep, or one around it, keeps what belongs to an entry: nil for what lies
// before its part of the tape.
func (s *sweep) place(h handle) *float64 {
	if h&elementBit == 0 {
		if h >= s.node && h < s.end {
			return &s.nodes[h-s.node]
		}
	} else if k, w := s.t.find(h); k >= s.wholes && k-s.wholes < len(s.columns) {
		return &s.column(k-s.wholes, w)[h&^elementBit-w.base]
	}
	if s.around != nil {
		return s.around.place(h)
	}
	return nil
}

// column gives what the sweep has for a whole, to be changed.
func (s *sweep) column(k int, w *whole) []float64 {
	c := &s.columns[k]
	switch {
	case c.v == nil:
		if d := s.t.m.charge(int64(len(w.values)) * 8); d != nil {
			s.t.fail(d)
		}
		c.v = make([]float64, len(w.values))
		fill(c.v, absent)
	case c.shared:
		c.v, c.shared = append([]float64(nil), c.v...), false
	}
	return c.v
}

// columnOf is the same, to be read: nil if there is nothing.
func (s *sweep) columnOf(w *whole) []float64 {
	if len(w.values) == 0 {
		return nil
	}
	k, _ := s.t.find(elementBit | w.base)
	if k -= s.wholes; k < 0 || k >= len(s.columns) {
		return nil
	}
	return s.columns[k].v
}

// get is what belongs to a real: absent for a constant.
func (s *sweep) get(x float64) float64 {
	if !isBox(x) {
		return absent
	}
	h := unbox(x)
	if h&elementBit != 0 {
		k, w := s.t.find(h)
		if k -= s.wholes; k < 0 && s.around != nil {
			return s.around.get(x)
		}
		if k < 0 || k >= len(s.columns) {
			return absent
		}
		if s.columns[k].v == nil {
			return absent
		}
		return s.columns[k].v[h&^elementBit-w.base]
	}
	if p := s.place(h); p != nil {
		return *p
	}
	return absent
}

// contribute adds to what belongs to an entry.
func (s *sweep) contribute(h handle, x float64) {
	s.t.m.stats.Swept++
	if p := s.place(h); p != nil {
		if isAbsent(*p) {
			*p = x
		} else {
			*p = s.sum(*p, x)
		}
	} else if s.escape != nil {
		s.escape(h, x)
	}
}

// to contributes to a real that may be a constant.
func (s *sweep) to(x, contribution float64) {
	if isBox(x) {
		s.contribute(unbox(x), contribution)
	}
}

func (s *sweep) sum(x, y float64) float64 {
	if r := x + y; r == r || !s.record {
		return r
	}
	return s.t.apply(s.t.sum, x, y, 0)
}

func (s *sweep) product(x, y float64) float64 {
	if r := x * y; r == r || !s.record {
		return r
	}
	return s.t.apply(s.t.product, x, y, 0)
}

// operands are the reals of a node's row, and its integer. A recording sweep
// sees their boxes.
func (s *sweep) operands(h handle, n *tapeNode) (x, y float64, k int64) {
	x = s.operand(n.a)
	switch n.op & formMask {
	case formLeft:
		return x, n.c, 0
	case formRight:
		return n.c, x, 0
	}
	if s.t.rows[n.op&^formMask].args == twoReals {
		return x, s.operand(handle(math.Float64bits(n.c))), 0
	}
	return x, 0, int64(math.Float64bits(n.c))
}

// operand is a parent as the sweep sees it: its box if it records.
func (s *sweep) operand(h handle) float64 {
	if s.record {
		return box(h)
	}
	return s.t.at(h)
}

// slope is the product of w and a partial derivative of a node's row; false
// means that it is zero by structure.
func (s *sweep) slope(r *rule, h handle, x, y float64, k int64, w float64) (float64, bool) {
	switch r.kind {
	case ruleConstant:
		switch r.value {
		case 0:
			return 0, false
		case 1:
			return w, true
		}
		return s.product(w, r.value), true
	case ruleOperand:
		switch r.from {
		case placeX:
			return s.product(w, x), true
		case placeY:
			return s.product(w, y), true
		}
		return s.product(w, s.result(h)), true
	}
	var p rulePlaces
	p.f[placeX], p.f[placeY], p.f[placeResult], p.i[0] = x, y, s.result(h), k
	var recorder *tape
	if s.record {
		recorder = s.t
	}
	d, structural := p.run(&r.body, recorder)
	if structural {
		return 0, false
	}
	return s.product(w, d), true
}

func (s *sweep) result(h handle) float64 {
	if s.record {
		return box(h)
	}
	return s.t.node(h).v
}

// backward takes the cotangents from the end of the part to its beginning.
func (s *sweep) backward() bool {
	t := s.t
	for h := s.end - 1; h >= s.stop; h-- {
		w, n := s.nodes[h-s.node], *t.node(h)
		if isAbsent(w) && n.op != nodeWhole {
			continue
		}
		switch n.op {
		case nodeLeaf:
			if n.a != 0 {
				s.contribute(n.a, w)
			}
		case nodeCustom, nodeWhole:
			t.custom(&n).pull(s, h, w)
		default:
			row := s.t.rows[n.op&^formMask]
			x, y, k := s.operands(h, &n)
			form := n.op & formMask
			first := 0
			if form == formRight {
				first = 1
			}
			if d, ok := s.slope(row.partial(first), h, x, y, k, w); ok {
				s.contribute(n.a, d)
			}
			if form == formBoth && row.args == twoReals {
				if d, ok := s.slope(row.partial(1), h, x, y, k, w); ok {
					s.contribute(handle(math.Float64bits(n.c)), d)
				}
			}
		}
		if t.failure != nil {
			return false
		}
		if t.m.fuel--; t.m.fuel < 0 {
			if d := t.m.tick(); d != nil {
				t.fail(d)
				return false
			}
		}
	}
	return true
}

// forward takes the tangents of the leaves, which are set, to the end of the
// part.
func (s *sweep) forward() bool {
	t := s.t
	for h := s.node; h < s.end; h++ {
		n := *t.node(h)
		switch n.op {
		case nodeLeaf:
			if n.a != 0 {
				if p := s.place(n.a); p != nil && !isAbsent(*p) {
					s.contribute(h, *p)
				}
			}
		case nodeCustom, nodeWhole:
			if dx := t.custom(&n).push(s, h); !isAbsent(dx) {
				s.nodes[h-s.node] = dx
			}
		default:
			s.pushRow(h, &n)
		}
		if t.failure != nil {
			return false
		}
		if t.m.fuel--; t.m.fuel < 0 {
			if d := t.m.tick(); d != nil {
				t.fail(d)
				return false
			}
		}
	}
	return true
}

func (s *sweep) pushRow(h handle, n *tapeNode) {
	row := s.t.rows[n.op&^formMask]
	da, db := absent, absent
	if p := s.place(n.a); p != nil {
		da = *p
	}
	form := n.op & formMask
	both := form == formBoth && row.args == twoReals
	if both {
		if p := s.place(handle(math.Float64bits(n.c))); p != nil {
			db = *p
		}
	}
	if isAbsent(da) && isAbsent(db) {
		return
	}
	x, y, k := s.operands(h, n)
	first := 0
	if form == formRight {
		first = 1
	}
	if !isAbsent(da) {
		if d, ok := s.slope(row.partial(first), h, x, y, k, da); ok {
			s.contribute(h, d)
		}
	}
	if !isAbsent(db) {
		if d, ok := s.slope(row.partial(1), h, x, y, k, db); ok {
			s.contribute(h, d)
		}
	}
}

// present is a contribution as a number: what nothing contributed to is 0.
func present(x float64) float64 {
	if isAbsent(x) {
		return 0
	}
	return x
}
