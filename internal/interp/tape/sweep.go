package tape

import "math"

// Sweep is a pass over a part of the tape, with a real for each node and each
// element of a whole: cotangents backwards, tangents forwards. In a recording
// sweep, which runs inside another derivative, these may be boxed, and its
// arithmetic is put on the tape.
type Sweep struct {
	Tape    *Tape
	Record  bool
	Resolve bool // decide ties by the tangents: see Note [Ties]
	// it serves to look at errors: what has no derivative has none, and is no failure
	Watches bool
	Outside Levels // the derivatives around the one that sweeps
	node    Handle // the first node
	end     Handle // one beyond the last node
	stop    Handle // where a sweep backwards ends
	nodes   []float64
	Asked   []float64 // the reals whose tangents are asked for, of a sweep forwards; nil: of all
	needed  []bool    // the nodes that lead to them, once that is known
	Wholes  int       // the first whole of the part
	Columns []Column  // of the wholes from there on

	// has what lies before the part, unless nil: Note [Checkpoints]
	Around *Sweep
	// gets the contributions to what lies before the part, unless nil
	Escape func(h Handle, x float64)
}

// Column is what a sweep has for the elements of a whole: nothing yet, or
// an array, which is copied before it changes if it is shared.
type Column struct {
	V      []float64
	Shared bool
}

// NewSweep makes a sweep over the part of the tape from the region on.
func (t *Tape) NewSweep(r Region, record bool) (*Sweep, bool) {
	n, e := t.count-int(r.node), len(t.wholes)-r.wholes
	if d := t.Host.Charge(int64(n+4*e) * 8); d != nil {
		t.Fail(d)
		return nil, false
	}
	s := &Sweep{Tape: t, Record: record, Outside: r.Outside, node: r.node, end: Handle(t.count),
		stop: r.node, nodes: make([]float64, n), Wholes: r.wholes, Columns: make([]Column, e)}
	fillAbsent(s.nodes)
	return s, true
}

// Place is where the sweep, or one around it, keeps what belongs to an entry: nil for what lies
// before its part of the tape.
func (s *Sweep) Place(h Handle) *float64 {
	if h&ElementBit == 0 {
		if h >= s.node && h < s.end {
			return &s.nodes[h-s.node]
		}
	} else if k, w := s.Tape.Find(h); k >= s.Wholes && k-s.Wholes < len(s.Columns) {
		return &s.Column(k-s.Wholes, w)[h&^ElementBit-w.Base]
	}
	if s.Around != nil {
		return s.Around.Place(h)
	}
	return nil
}

// Column gives what the sweep has for a whole, to be changed.
func (s *Sweep) Column(k int, w *Whole) []float64 {
	c := &s.Columns[k]
	switch {
	case c.V == nil:
		if d := s.Tape.Host.Charge(int64(len(w.values)) * 8); d != nil {
			s.Tape.Fail(d)
		}
		c.V = make([]float64, len(w.values))
		fillAbsent(c.V)
	case c.Shared:
		c.V, c.Shared = append([]float64(nil), c.V...), false
	}
	return c.V
}

// ColumnOf is the same, to be read: nil if there is nothing.
func (s *Sweep) ColumnOf(w *Whole) []float64 {
	if len(w.values) == 0 {
		return nil
	}
	k, _ := s.Tape.Find(ElementBit | w.Base)
	if k -= s.Wholes; k < 0 || k >= len(s.Columns) {
		return nil
	}
	return s.Columns[k].V
}

// Get is what belongs to a real: absent for a constant.
func (s *Sweep) Get(x float64) float64 {
	if !IsBox(x) {
		return Absent
	}
	h := Unbox(x)
	if h&ElementBit != 0 {
		k, w := s.Tape.Find(h)
		if k -= s.Wholes; k < 0 && s.Around != nil {
			return s.Around.Get(x)
		}
		if k < 0 || k >= len(s.Columns) {
			return Absent
		}
		if s.Columns[k].V == nil {
			return Absent
		}
		return s.Columns[k].V[h&^ElementBit-w.Base]
	}
	if p := s.Place(h); p != nil {
		return *p
	}
	return Absent
}

// Contribute adds to what belongs to an entry.
func (s *Sweep) Contribute(h Handle, x float64) {
	s.Tape.counts.Swept++
	if p := s.Place(h); p != nil {
		if IsAbsent(*p) {
			*p = x
		} else {
			*p = s.Sum(*p, x)
		}
	} else if s.Escape != nil {
		s.Escape(h, x)
	}
}

// Own tells whether what depends on the given derivatives may depend on a variable of the
// derivative that sweeps, and not just on those around it.
func (s *Sweep) Own(mask Levels) bool {
	return mask&^s.Outside != 0 || mask&Deepest != 0 || s.Escape != nil
}

// To contributes to a real that may be a constant.
func (s *Sweep) To(x, contribution float64) {
	if IsBox(x) {
		s.Contribute(Unbox(x), contribution)
	}
}

// Sum is x + y, recorded if the sweep records.
func (s *Sweep) Sum(x, y float64) float64 {
	if r := x + y; r == r || !s.Record {
		return r
	}
	return s.Tape.Apply(s.Tape.Sum, x, y, 0)
}

// Product is x y, recorded if the sweep records.
func (s *Sweep) Product(x, y float64) float64 {
	if r := x * y; r == r || !s.Record {
		return r
	}
	return s.Tape.Apply(s.Tape.Product, x, y, 0)
}

// quotient is x / y, recorded if the sweep records.
func (s *Sweep) quotient(x, y float64) float64 {
	if r := x / y; r == r || !s.Record {
		return r
	}
	return s.Tape.Apply(s.Tape.Over, x, y, 0)
}

// operands are the reals of a node's row, and its integer. A recording sweep
// sees their boxes.
func (s *Sweep) operands(h Handle, n *Node) (x, y float64, k int64) {
	x = s.operand(n.a)
	switch n.op & formMask {
	case formLeft:
		return x, n.c, 0
	case formRight:
		return n.c, x, 0
	}
	if s.Tape.Rows[n.op&^formMask].args == twoReals {
		return x, s.operand(Handle(math.Float64bits(n.c))), 0
	}
	return x, 0, int64(math.Float64bits(n.c))
}

// operand is a parent as the sweep sees it: its box if it records.
func (s *Sweep) operand(h Handle) float64 {
	if s.Record {
		return Box(h)
	}
	return s.Tape.At(h)
}

// slope is the product of w and a partial derivative of a node's row; false
// means that it is zero by structure.
func (s *Sweep) slope(r *rule, h Handle, x, y float64, k int64, w float64) (float64, bool) {
	switch r.kind {
	case ruleConstant:
		switch r.value {
		case 0:
			return 0, false
		case 1:
			return w, true
		}
		return s.Product(w, r.value), true
	case ruleOperand:
		switch r.from {
		case placeX:
			return s.Product(w, x), true
		case placeY:
			return s.Product(w, y), true
		}
		return s.Product(w, s.Result(h)), true
	}
	var p rulePlaces
	p.f[placeX], p.f[placeY], p.f[placeResult], p.i[0] = x, y, s.Result(h), k
	return p.scaled(&r.body, s, w)
}

// Result is the value of a node as the sweep sees it: its box if it records.
func (s *Sweep) Result(h Handle) float64 {
	if s.Record {
		return Box(h)
	}
	return s.Tape.Node(h).v
}

// Backward takes the cotangents from the end of the part to its beginning.
func (s *Sweep) Backward() bool {
	t := s.Tape
	for h := s.end - 1; h >= s.stop; h-- {
		w, n := s.nodes[h-s.node], *t.Node(h)
		if IsAbsent(w) && n.op != WholeNode {
			continue
		}
		switch n.op {
		case LeafNode:
			if n.a != 0 {
				s.Contribute(n.a, w)
			}
		case CustomNode, WholeNode:
			t.custom(&n).Pull(s, h, w)
		default:
			row := s.Tape.Rows[n.op&^formMask]
			x, y, k := s.operands(h, &n)
			form := n.op & formMask
			first := 0
			if form == formRight {
				first = 1
			}
			if d, ok := s.slope(row.partial(first), h, x, y, k, w); ok {
				s.Contribute(n.a, d)
			}
			if form == formBoth && row.args == twoReals {
				if d, ok := s.slope(row.partial(1), h, x, y, k, w); ok {
					s.Contribute(Handle(math.Float64bits(n.c)), d)
				}
			}
		}
		if !t.alive() {
			return false
		}
	}
	return true
}

// alive tells whether a sweep may go on after a node: nothing has failed, and no limit is reached.
func (t *Tape) alive() bool {
	if t.Failure == nil {
		if *t.fuel--; *t.fuel < 0 {
			if d := t.Host.Tick(); d != nil {
				t.Fail(d)
			}
		}
	}
	return t.Failure == nil
}

// Forward takes the tangents of the leaves, which are set, to the end of the
// part.
func (s *Sweep) Forward() bool { return s.forward(s.node) }

// forward is Forward from a node on.
func (s *Sweep) forward(from Handle) bool {
	t := s.Tape
	for h, end := from, s.end; h < end; h++ {
		n := *t.Node(h)
		switch n.op {
		case LeafNode:
			if n.a != 0 {
				if p := s.Place(n.a); p != nil && !IsAbsent(*p) {
					s.Contribute(h, *p)
				}
			}
		case CustomNode, WholeNode:
			if dx := t.custom(&n).Push(s, h); !IsAbsent(dx) {
				s.nodes[h-s.node] = dx
			}
		default:
			s.pushRow(h, &n)
		}
		if !t.alive() {
			return false
		}
	}
	return true
}

func (s *Sweep) pushRow(h Handle, n *Node) {
	row := s.Tape.Rows[n.op&^formMask]
	da, db := Absent, Absent
	if p := s.Place(n.a); p != nil {
		da = *p
	}
	form := n.op & formMask
	both := form == formBoth && row.args == twoReals
	if both {
		if p := s.Place(Handle(math.Float64bits(n.c))); p != nil {
			db = *p
		}
	}
	if IsAbsent(da) && IsAbsent(db) {
		return
	}
	x, y, k := s.operands(h, n)
	first := 0
	if form == formRight {
		first = 1
	}
	if !IsAbsent(da) {
		if d, ok := s.slope(row.partial(first), h, x, y, k, da); ok {
			s.Contribute(h, d)
		}
	}
	if !IsAbsent(db) {
		if d, ok := s.slope(row.partial(1), h, x, y, k, db); ok {
			s.Contribute(h, d)
		}
	}
}

// Present is a contribution as a number: what nothing contributed to is 0.
func Present(x float64) float64 {
	if IsAbsent(x) {
		return 0
	}
	return x
}

func fillAbsent(xs []float64) {
	for k := range xs {
		xs[k] = Absent
	}
}
