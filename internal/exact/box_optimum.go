package exact

import (
	"container/heap"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Optima in boxes]. The search keeps pieces of the range and peaks, such that every place
// where f is largest is in a piece or is a peak. A piece says of each coordinate whether the largest
// value is sought there
//
//	open      anywhere
//	inner     where the slope of f along it is 0: inside of the range, or by chance on its edge
//	atLow     at the lower end of the range
//	atHigh    at the upper end
//
// and is dropped, or made smaller, where one of these is proved:
//
//   - f is less on it than at the best point;
//   - f rises or falls along a coordinate: there is nothing inside. An open coordinate goes to the
//     end of the range that the piece touches. At an end f must not fall towards it;
//   - f is convex along a coordinate, or Newton's operator for the slopes along the inner
//     coordinates leaves nothing. For that open coordinates that touch an end are split first.
//
// Newton's operator also proves peaks: zones in which one place alone has no slope along the inner
// coordinates. They are sought where local ascent ends, so that the pieces around them need not be
// cut for ever.
//
// The bound of f on a piece is the least of its range, of the mean value form, and of the form with
// second derivatives, f(m) + g(m) (x - m) + (x - m) H (x - m) / 2.

// coordinate says where the largest value is sought along it.
type coordinate uint8

const (
	open coordinate = iota
	inner
	atLow
	atHigh
)

// piece is a part of the range.
type piece struct {
	x      cuboid
	states []coordinate
	y      jet.Set // contains f on it
	known  bool    // f has values all over it
	cuts   int
}

// peak is a place that may be the one where f is largest.
type peak struct {
	zone
	states []coordinate // none is open
	e      *equations   // nil if all coordinates are at ends
	f      field        // is f there, and smooth, at a kink: Note [Ridges in boxes]; else nil
	y      jet.Set      // contains f there
	firm   bool         // f rises towards the ends that it is at, beyond all doubt
}

// peaksSearch is a search for the places where f is largest.
type peaksSearch struct {
	*space
	left    int // pieces that may be looked at
	best    jet.Set
	bestAt  cuboid  // where f is best
	some    bool    // there is a best point
	hand    []piece // those that are being looked at
	pieces  pieces
	done    []piece // too small to be cut
	peaks   []*peak
	trouble trouble
	// before looks at a piece first, unless it is nil; it may make it smaller. A piece that is to be
	// halved is cut along a coordinate, the longest if that is -1.
	before func(x *piece) (then next, along int, err error)
}

// next is what comes after a first look at a piece.
type next uint8

const (
	refine next = iota // the usual means
	drop
	keep
	halve
)

// pieces is a heap by their upper bounds; of equal ones the smallest comes first.
type pieces struct {
	n    jet.Number
	list []piece
}

func (h *pieces) Len() int { return len(h.list) }

func (h *pieces) Less(i, j int) bool {
	x, y := &h.list[i], &h.list[j]
	switch {
	case x.known != y.known:
		return !x.known
	case x.known && h.n.Bounded(x.y) && h.n.Bounded(y.y):
		if a, b := h.n.Upper(x.y), h.n.Upper(y.y); h.n.Less(a, b) || h.n.Less(b, a) {
			return h.n.Less(b, a)
		}
	}
	return x.cuts > y.cuts
}

func (h *pieces) Swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *pieces) Push(x any)    { h.list = append(h.list, x.(piece)) }

func (h *pieces) Pop() any {
	last := len(h.list) - 1
	x := h.list[last]
	h.list = h.list[:last]
	return x
}

// peaksOf searches until the largest value is known to within c.tol and, if places are asked for,
// until these are as narrow.
func (s *space) peaksOf(places bool) (*peaksSearch, error) {
	c := s.c
	p := s.peaks()
	c.seeks(p)
	tol := c.tol
	defer c.restore(c.ignoreOuter())
	defer func() { c.tol = tol }()
	c.tol = tol.MulFloat(0.25)
	c.tells(p)
	if err := p.climb(c.mid(p.whole())); err != nil {
		return nil, err
	}
	if err := p.raise(tol); err != nil {
		return nil, err
	}
	p.prune()
	if places {
		if err := p.settle(tol); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// peaks is a search that has not begun.
func (s *space) peaks() *peaksSearch {
	n := s.c.N
	first := piece{x: s.whole(), states: make([]coordinate, len(s.lo)), y: n.Whole()}
	return &peaksSearch{space: s, left: s.c.boxCells(), pieces: pieces{n, []piece{first}}, best: n.Whole()}
}

// patienceOf is how many pieces may be looked at while nothing gets narrower by three tenths.
func (p *peaksSearch) patienceOf() int {
	patience := 1 << 11
	if p.c.N.Bits() == doubleBits {
		patience = 1 << 13
	}
	if p.c.effort.patient {
		patience <<= 6
	}
	return patience
}

// raise refines the piece with the greatest bound until the largest value is narrow, or nothing
// gets better.
func (p *peaksSearch) raise(tol jet.Mag) error {
	c := p.c
	least, stalled := jet.InfMag(), 0
	for p.left > 0 && len(p.pieces.list) > 0 && stalled < p.patienceOf() {
		c.tells(p)
		top := p.pieces.list[0]
		if top.known {
			if c.N.Less(top.y, p.best) {
				heap.Pop(&p.pieces)
				continue
			}
			excess := p.excess(top.y)
			if !tol.Add(c.N.Width(p.best).MulFloat(2)).Less(excess) {
				break
			}
			if stalled++; c.shrank(least, excess) {
				least, stalled = excess, 0
			}
		} else {
			stalled++
		}
		heap.Pop(&p.pieces)
		p.hand = []piece{top}
		if err := p.refine(top); err != nil {
			return err
		}
		p.hand = nil
	}
	return nil
}

// settle refines all pieces until they are gone, or their hull is narrow or stays as it is.
func (p *peaksSearch) settle(tol jet.Mag) error {
	c := p.c
	tried := c.boxWidth(p.whole()).MulFloat(0x1p-4)
	for stalled, before := 0, jet.InfMag(); len(p.pieces.list) > 0 && p.left > 0; stalled++ {
		width := c.boxWidth(p.hull())
		if c.shrank(before, width) {
			before, stalled = width, 0
		}
		if width.Less(tried) && len(p.pieces.list)+len(p.done) <= mostCreased {
			if proved, err := p.ridge(); err != nil || proved {
				return err
			}
			tried = width.MulFloat(0x1p-3)
		}
		if width.Less(tol) || stalled > 4*len(p.lo)+4 || len(p.pieces.list) > p.patienceOf() {
			return nil
		}
		todo := p.pieces.list
		p.pieces.list = nil
		for i, x := range todo {
			if p.left <= 0 {
				p.pieces.list = append(p.pieces.list, todo[i:]...)
				break
			}
			p.hand = todo[i:]
			c.tells(p)
			if err := p.refine(x); err != nil {
				return err
			}
		}
		p.hand = nil
		p.prune()
	}
	return nil
}

// mostCreased is how many pieces may be taken for those around one kink.
const mostCreased = 256

// prune drops what is lower than the best point.
func (p *peaksSearch) prune() {
	low := func(x piece) bool { return x.known && p.c.N.Less(x.y, p.best) }
	p.pieces.list = slices.DeleteFunc(p.pieces.list, low)
	heap.Init(&p.pieces)
	p.done = slices.DeleteFunc(p.done, low)
	p.peaks = slices.DeleteFunc(p.peaks, func(k *peak) bool { return p.c.N.Less(k.y, p.best) })
}

// rest is the pieces that are left.
func (p *peaksSearch) rest() []piece { return slices.Concat(p.done, p.hand, p.pieces.list) }

// hull contains every place where f is largest.
func (p *peaksSearch) hull() cuboid {
	var all []cuboid
	for _, x := range p.rest() {
		all = append(all, x.x)
	}
	for _, k := range p.peaks {
		all = append(all, k.x)
	}
	return p.c.hullOfAll(all)
}

// value encloses the largest value; ok is false if f may have none on some piece.
func (p *peaksSearch) value() (y jet.Set, ok bool) {
	n := p.c.N
	if !p.some || !n.Bounded(p.best) {
		return p.best, false
	}
	most := n.Upper(p.best)
	var all []jet.Set
	for _, x := range p.rest() {
		if !x.known || !n.Bounded(x.y) {
			return p.best, false
		}
		all = append(all, x.y)
	}
	for _, k := range p.peaks {
		all = append(all, k.y)
	}
	for _, y := range all {
		if upper := n.Upper(y); n.Less(most, upper) {
			most = upper
		}
	}
	return n.Span(n.Lower(p.best), most), true
}

// excess is how much f may be larger on a piece than at the best point.
func (p *peaksSearch) excess(y jet.Set) jet.Mag {
	n := p.c.N
	if !p.some || !n.Bounded(y) || !n.Bounded(p.best) {
		return jet.InfMag()
	}
	return n.Mag(n.Sub(n.Upper(y), n.Lower(p.best)))
}

// improve learns the value of f at a point, and tells whether it is the best.
func (p *peaksSearch) improve(m cuboid, y jet.Set) bool {
	n := p.c.N
	p.c.sizeInBox = max(p.c.sizeInBox, p.c.below(p.c.Const(y)))
	if p.some && !n.Less(p.best, y) &&
		!(n.Bounded(y) && (!n.Bounded(p.best) || n.Less(n.Lower(p.best), n.Lower(y)))) {
		return false
	}
	p.best, p.bestAt, p.some = y, m, true
	return true
}

// refine drops a piece, makes it smaller or cuts it.
func (p *peaksSearch) refine(x piece) error {
	c, n := p.c, p.c.N
	p.left--
	p.looks(x.x)
	if p.covered(x) {
		return nil
	}
	if p.before != nil {
		after, along, err := p.before(&x)
		switch {
		case err != nil || after == drop:
			return err
		case after == keep:
			p.keep(x)
			return nil
		case after == halve:
			if along < 0 {
				along = p.longest(x.x, nil)
			}
			p.cutAlong(x, along)
			return nil
		}
	}
	ys, seen, err := c.over(p.f, c.consts(x.x), 1)
	if err != nil {
		return err
	}
	if y := ys[0]; !y.Known() {
		if p.trouble.code == "" {
			p.trouble = seen.trouble
		}
		p.cut(x, nil)
		return nil
	} else if x.y = n.Intersect(y.Val(), x.y); n.Less(x.y, p.best) {
		return nil
	}
	x.known = true
	m := c.mid(x.x)
	at, _, err := c.over(p.f, c.consts(m), 1)
	if err != nil {
		return err
	}
	inside := at[0]
	if inside.Known() && p.improve(m, inside.Val()) {
		if err := p.climb(m); err != nil {
			return err
		}
	}
	_, g, err := c.gradient(p.f, c.consts(x.x))
	if err != nil {
		return err
	}
	if g == nil || !allKnown(g) || !inside.Known() {
		p.cut(x, nil)
		return nil
	}
	x.y = n.Intersect(x.y, c.meanValue(inside.Val(), g, x.x, m))
	if n.IsEmpty(x.y) || n.Less(x.y, p.best) {
		return nil
	}
	moved, gone := p.slide(&x, g)
	switch {
	case gone:
		return nil
	case moved:
		p.keep(x)
		return nil
	}
	return p.bend(x, g, inside.Val(), m)
}

// keep puts a piece back among those that may be refined.
func (p *peaksSearch) keep(x piece) { heap.Push(&p.pieces, x) }

// slide uses the signs of the slopes over a piece: gone tells that it holds no place where f is
// largest, moved that a coordinate went to an end of the range.
func (p *peaksSearch) slide(x *piece, g []jet.Jet) (moved, gone bool) {
	n := p.c.N
	for i := range g {
		sign := n.Sign(g[i].Val())
		if sign == 0 || !n.Less(p.lo[i], p.hi[i]) {
			continue
		}
		low, high := p.touches(x.x, i)
		switch state := x.states[i]; {
		case state == atLow && sign > 0, state == atHigh && sign < 0, state == inner:
			return false, true
		case state == atLow || state == atHigh:
		case sign > 0 && !high, sign < 0 && !low:
			return false, true
		case sign > 0:
			p.pin(x, i, atHigh)
			moved = true
		default:
			p.pin(x, i, atLow)
			moved = true
		}
	}
	return moved, false
}

// touches tells whether a piece may contain the ends of the range of a coordinate.
func (p *peaksSearch) touches(x cuboid, i int) (low, high bool) {
	return !p.c.N.Less(p.lo[i], x[i]), !p.c.N.Less(x[i], p.hi[i])
}

// pin puts a coordinate at an end.
func (p *peaksSearch) pin(x *piece, i int, state coordinate) {
	x.x, x.states = slices.Clone(x.x), slices.Clone(x.states)
	x.states[i], x.x[i] = state, p.lo[i]
	if state == atHigh {
		x.x[i] = p.hi[i]
	}
}

// free is the coordinates of a piece that are not at ends.
func free(states []coordinate) (list []int) {
	for i, state := range states {
		if state < atLow {
			list = append(list, i)
		}
	}
	return list
}

// bend uses the second derivatives over a piece, which is cut if they do not help.
func (p *peaksSearch) bend(x piece, g []jet.Jet, inside jet.Set, m cuboid) error {
	c, n := p.c, p.c.N
	if x.cuts < len(x.x) && p.some && len(free(x.states)) > 0 {
		p.cut(x, g)
		return nil
	}
	x.states = slices.Clone(x.states)
	for i, state := range x.states {
		low, high := p.touches(x.x, i)
		switch {
		case state != open:
		case !n.Less(p.lo[i], p.hi[i]):
			p.pin(&x, i, atLow)
		case !low && !high:
			x.states[i] = inner
		default: // the ends by themselves, and the places without a slope
			for _, end := range []coordinate{atLow, atHigh} {
				if end == atLow && low || end == atHigh && high {
					face := x
					p.pin(&face, i, end)
					p.keep(face)
				}
			}
			x.states[i] = inner
			p.keep(x)
			return nil
		}
	}
	some := free(x.states)
	if len(some) == 0 {
		return p.vertex(x)
	}
	e := p.stationary(some)
	k, err := e.contract(x.x)
	if err != nil || k.empty {
		return err
	}
	if k.rows == nil {
		p.cut(x, g)
		return nil
	}
	for j := range some {
		if n.Sign(k.rows[j][j].Val()) > 0 { // no maximum inside, and the ends are other pieces
			return nil
		}
	}
	if _, slopes, err := c.gradient(p.f, c.consts(m)); err != nil {
		return err
	} else if slopes != nil && allKnown(slopes) {
		y := c.meanValue(inside, slopes, x.x, m)
		for j, i := range some {
			off := n.Sub(x.x[i], m[i])
			for l, r := range k.rows[j] {
				d := n.Mul(off, n.Sub(x.x[some[l]], m[some[l]]))
				if j == l {
					d = c.Sqr(c.Const(off)).Val()
				}
				y = n.Add(y, n.Quo(n.Mul(r.Val(), d), n.Float(2)))
			}
		}
		x.y = n.Intersect(x.y, y)
		if n.IsEmpty(x.y) || n.Less(x.y, p.best) {
			return nil
		}
	}
	switch {
	case k.proved:
		place, err := e.narrow(k.x)
		if err != nil {
			return err
		}
		return p.add(&peak{zone: zone{x.x, place}, states: x.states, e: e})
	case c.smaller(k.x, x.x):
		x.x = k.x
		p.keep(x)
		return nil
	}
	x.x = k.x
	p.cut(x, g)
	return nil
}

// cut halves a piece. One that is too narrow for that is left as it is.
func (p *peaksSearch) cut(x piece, g []jet.Jet) {
	var rows [][]jet.Jet
	if g != nil {
		rows = [][]jet.Jet{g}
	}
	p.cutAlong(x, p.longest(x.x, rows))
}

// cutAlong is cut along a coordinate; -1 if all of them are points.
func (p *peaksSearch) cutAlong(x piece, i int) {
	c := p.c
	if i >= 0 && c.tol.Mul(jet.Exp2(-finest)).Less(c.boxWidth(x.x)) {
		if left, right, ok := c.halves(x.x, i); ok {
			x.cuts++
			x.x = left
			p.keep(x)
			x.x = right
			p.keep(x)
			return
		}
	}
	p.done = append(p.done, x)
}

// covered tells whether a piece is in the zone of a peak, and its places without slopes are sought
// along the same coordinates: then that is the peak.
func (p *peaksSearch) covered(x piece) bool {
	same := func(k *peak) bool {
		for i, state := range x.states {
			if state == open {
				if low, high := p.touches(x.x, i); low || high {
					return false
				}
				state = inner
			}
			if state != k.states[i] {
				return false
			}
		}
		return p.c.withinBox(x.x, k.all)
	}
	return slices.ContainsFunc(p.peaks, same)
}

// vertex is a piece all of whose coordinates are at ends.
func (p *peaksSearch) vertex(x piece) error {
	return p.add(&peak{zone: zone{x.x, x.x}, states: x.states})
}

// add takes a peak into the list, unless it is there or too low.
func (p *peaksSearch) add(k *peak) error {
	c, n := p.c, p.c.N
	k.x = slices.Clone(k.x)
	for i := range k.x { // one that leaves the range is none
		if n.Less(k.x[i], p.lo[i]) || n.Less(p.hi[i], k.x[i]) {
			return nil
		}
	}
	ys, _, err := c.over(p.f, c.consts(k.x), 1)
	if err != nil {
		return err
	}
	if k.y = n.Whole(); ys[0].Known() {
		k.y = ys[0].Val()
	}
	m := c.mid(k.x)
	at, _, err := c.over(p.f, c.consts(m), 1)
	if err != nil {
		return err
	}
	_, g, err := c.gradient(p.f, c.consts(k.x))
	if err != nil {
		return err
	}
	if g != nil && allKnown(g) && at[0].Known() {
		if both := n.Intersect(k.y, c.meanValue(at[0].Val(), g, k.x, m)); !n.IsEmpty(both) {
			k.y = both
		}
		k.firm = true
		for i, state := range k.states {
			sign := n.Sign(g[i].Val())
			if n.Less(p.lo[i], p.hi[i]) && (state == atLow && sign >= 0 || state == atHigh && sign <= 0) {
				k.firm = false
			}
		}
	}
	for _, i := range free(k.states) { // on the edge, a neighbour of what is captured may lose it
		if !n.Less(p.lo[i], k.x[i]) || !n.Less(k.x[i], p.hi[i]) {
			k.firm = false
		}
	}
	if at[0].Known() && p.inRange(m) {
		p.improve(m, at[0].Val())
	}
	if n.Less(k.y, p.best) {
		return nil
	}
	for i, other := range p.peaks {
		if !slices.Equal(other.states, k.states) || !c.withinBox(k.x, other.all) && !c.withinBox(other.x, k.all) {
			continue
		}
		if c.withinBox(other.all, k.all) {
			p.peaks[i] = k
		}
		return nil
	}
	p.peaks = append(p.peaks, k)
	return nil
}

// inRange tells whether a point is in the range.
func (p *peaksSearch) inRange(m cuboid) bool {
	for i := range m {
		if p.c.N.Less(m[i], p.lo[i]) || p.c.N.Less(p.hi[i], m[i]) {
			return false
		}
	}
	return true
}
