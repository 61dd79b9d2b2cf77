package tape

// Plain gives a column without boxes.
func (t *Tape) Plain(xs []float64) []float64 {
	if w, from := t.columnOf(xs); w != nil {
		return w.values[from : from+len(xs) : from+len(xs)]
	}
	if !AnyBox(xs) {
		return xs
	}
	values := make([]float64, len(xs))
	for k, x := range xs {
		values[k] = t.Value(x)
	}
	return values
}

// ColumnMask is what the reals of a column depend on.
func (t *Tape) ColumnMask(xs []float64) Levels {
	if w, _ := t.columnOf(xs); w != nil {
		return w.mask
	}
	var mask Levels
	var last *Whole
	for _, x := range xs {
		if x == x || !IsBox(x) {
			continue
		}
		if h := Unbox(x); h&ElementBit != 0 {
			if w := t.WholeOf(h); w != last {
				mask, last = mask|w.mask, w
			}
			continue
		}
		mask |= t.Mask(x)
	}
	return mask
}

// ---- columns in sweeps

// Seen is what a sweep computes with for reals: their boxes if it records.
func (s *Sweep) Seen(xs []float64) []float64 {
	if s.Record {
		return xs
	}
	return s.Tape.Plain(xs)
}

// Elements is the same for those of a whole.
func (s *Sweep) Elements(w *Whole) []float64 {
	if !s.Record {
		return w.values
	}
	boxes := make([]float64, len(w.values))
	for k := range boxes {
		boxes[k] = Box(ElementBit | (w.Base + Handle(k)))
	}
	return boxes
}

// Tangents are those of reals, 0 where there is none.
func (s *Sweep) Tangents(xs []float64) (dxs []float64, some bool) {
	dxs = make([]float64, len(xs))
	if len(xs) > 0 && xs[0] == xs[0] && !AnyBox(xs) {
		return dxs, false
	}
	for k, x := range xs {
		if dx := s.Get(x); !IsAbsent(dx) {
			dxs[k], some = dx, true
		}
	}
	return dxs, some
}

// SetElements gives the elements of a whole their tangents, which are not copied.
func (s *Sweep) SetElements(w *Whole, dxs []float64) {
	if len(dxs) == 0 {
		return
	}
	k, _ := s.Tape.Find(ElementBit | w.Base)
	s.Columns[k-s.Wholes] = Column{V: dxs, Shared: true}
}

// CotangentsOf are those of a whole, 0 where there is none; some tells whether there are any.
func (s *Sweep) CotangentsOf(w *Whole) (bt []float64, some bool) {
	column := s.ColumnOf(w)
	if column == nil {
		return make([]float64, len(w.values)), false
	}
	all := true
	for _, b := range column {
		if IsAbsent(b) {
			all = false
		} else {
			some = true
		}
	}
	if all || !some {
		return column, some
	}
	bt = make([]float64, len(column))
	for k, b := range column {
		bt[k] = Present(b)
	}
	return bt, some
}

// ContributeColumn adds contributions to the reals of a column.
func (s *Sweep) ContributeColumn(to, from []float64) {
	if w, at := s.Tape.columnOf(to); w != nil {
		k, _ := s.Tape.Find(ElementBit | w.Base)
		if k -= s.Wholes; k < 0 && s.Around != nil {
			s.Around.ContributeColumn(to, from)
			return
		}
		if k >= 0 && k < len(s.Columns) {
			if c := &s.Columns[k]; c.V == nil && len(to) == len(w.values) {
				*c = Column{V: from, Shared: true}
				return
			}
			if !s.Record {
				addColumn(s.Column(k, w)[at:at+len(to)], from)
				return
			}
		}
	}
	for k, x := range to {
		if x != x && IsBox(x) {
			s.Contribute(Unbox(x), from[k])
		}
	}
}

func addColumn(to, from []float64) {
	for k, x := range from {
		if IsAbsent(to[k]) {
			to[k] = x
		} else {
			to[k] += x
		}
	}
}
