package exact

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Least says what is known of the least value of a function in a box.
type Least struct {
	Value  Enclosure     // contains the least value; an end may be infinite
	Best   []Enclosure   // the point with the least value that was met
	Places []Place       // the function is least in one of these, or in Open
	Open   [][]Enclosure // boxes that are not looked into any further
	Linear []int         // the coordinates that were eliminated: Note [Projection]
	Boxes  int           // looked at
	Bits   uint          // the precision of the last search
}

// Place contains one place where a function may be least.
type Place struct {
	X     []Enclosure
	Value Enclosure
	Ends  []int // -1 and 1 for coordinates at ends of the box, else 0
}

// Proved reports whether all places where the function is least are known.
func (l *Least) Proved() bool { return len(l.Open) == 0 && len(l.Places) > 0 }

// Goal is what Minimise searches for.
type Goal struct {
	Box     []Enclosure // a set for each real of the argument
	Squares bool        // the results are residuals: half the sum of their squares is minimised
	Start   []float64   // a point of the box where the search for good points begins
	// Watch, if it is there, is told what is known from time to time.
	Watch func(*Least)
}

// Note [Rungs of a search in a box]. A search on doubles may end with pieces that are too small to
// be cut, where what is evaluated is only noise. They are searched again with more bits, and with
// the best value and the peaks that are known. Coordinates go from 0 to 1 between the ends of the
// box, as in exact arithmetic, so that a piece is the same set of points in all precisions.
//
// Where the least value is known from the start, as after a fit, but doubles cannot prove that it is
// a minimum, that is proved with more bits before the search. Else the search would cut the pieces
// around it to the end.

// The precisions that Minimise goes through, after doubles.
const (
	leastBits     = 128
	mostLeastBits = 512
)

// leastSearch searches a box for the least value of a function.
type leastSearch struct {
	*peaksSearch // for the largest value of its negative
	m            *machine
	projection   *projection // nil if no coordinate is eliminated
	others       []int       // the coordinates that are searched
	box          cuboid
	bounds       [2]cuboid        // of the box: a ball from one to the other is wider
	linear       map[*peak]cuboid // the coordinates that are eliminated, at a peak
	goal         Goal
	tellAt       time.Time
}

// Minimise searches a box for the least value of the function, until it is known where that is. The
// diagnostic says why the search ended before; what is known by then is there all the same, unless
// the function cannot be searched.
func (f *Function) Minimise(g Goal) (*Least, *diag.Diagnostic) {
	var s *leastSearch
	for bits := uint(doubleBits); bits <= mostLeastBits/2; bits = max(2*bits, leastBits) {
		next, d := f.minimise(bits, g, s, (*leastSearch).begin)
		if next == nil {
			return nil, d
		}
		s = next
		if d != nil {
			return s.known(), d
		}
		if g.Start == nil || len(s.peaks) > 0 {
			break
		}
	}
	for bits := uint(doubleBits); ; bits = max(2*bits, leastBits) {
		next, d := f.minimise(bits, g, s, (*leastSearch).run)
		if next == nil {
			return nil, d
		}
		s = next
		known := s.known()
		if d != nil || known.Proved() || bits >= mostLeastBits {
			return known, d
		}
	}
}

// minimise is Minimise with numbers of one precision. It goes on from what another has left, if
// that is there.
func (f *Function) minimise(
	bits uint, g Goal, before *leastSearch, search func(*leastSearch) error,
) (s *leastSearch, d *diag.Diagnostic) {
	r := f.r
	e := &effort{bits: bits, tol: jet.Exp2(8 - int64(bits)*3/4), cells: 1 << 14, calls: math.MaxInt64,
		patient: true}
	p := r.parts[slices.IndexFunc(r.parts, func(p *part) bool { return p.def != nil })]
	at := r.program.Main.At
	o := r.evaluatePart(e, p, func(v slots) (slots, types.Type, error) {
		none := slots{}
		next, err := r.machine.leastOf(g, v.p[0].(*closure))
		if err != nil {
			return none, &types.Tuple{}, err
		}
		if before != nil {
			next.resume(before)
		}
		s = next
		return none, &types.Tuple{}, search(s)
	})
	switch {
	case errors.As(o.err, &d):
	case errors.Is(o.err, errUndecided):
		d = diag.Errorf(diag.Undecided, at, "which side a comparison takes is not known")
	case o.err != nil:
		d = diag.Errorf(diag.EffortSpent, at, "%v", o.err)
	}
	return s, d
}

// leastOf prepares a search.
func (m *machine) leastOf(g Goal, cl *closure) (*leastSearch, error) {
	c, n := m.ctx, m.N
	s := &leastSearch{m: m, goal: g, linear: map[*peak]cuboid{}}
	for _, e := range g.Box {
		for k, end := range []*big.Float{e.Lo, e.Hi} {
			x, _ := end.Rat(nil)
			s.bounds[k] = append(s.bounds[k], n.Rat(x))
		}
	}
	for i, lo := range s.bounds[0] {
		s.box = append(s.box, n.Span(lo, s.bounds[1][i]))
	}
	of := m.arrayField(cl, !g.Squares)
	value := func(x []jet.Jet) ([]jet.Jet, error) {
		ys, err := of(x)
		if err != nil {
			return nil, err
		}
		if g.Squares {
			ys = []jet.Jet{c.halfSquares(ys)}
		}
		return []jet.Jet{c.Neg(ys[0])}, nil
	}
	var linear []int
	if g.Squares {
		var err error
		if linear, err = c.linearIn(of, s.box); err != nil {
			return nil, err
		}
		if len(linear) == len(s.box) && len(linear) > 0 {
			linear = linear[1:] // something must be searched
		}
	}
	for i := range s.box {
		if !slices.Contains(linear, i) {
			s.others = append(s.others, i)
		}
	}
	space := &space{c: c, at: cl.code.at, of: value, affine: slices.Repeat([]bool{true}, len(s.others))}
	if g.Squares {
		p := &projection{c: c, of: of, linear: linear, others: s.others}
		for _, i := range linear {
			p.lo, p.hi = append(p.lo, s.bounds[0][i]), append(p.hi, s.bounds[1][i])
		}
		s.projection = p
		space.of = p.least
	}
	for _, i := range s.others {
		for k := range s.bounds {
			space.ends[k] = append(space.ends[k], c.Const(s.bounds[k][i]))
		}
		space.lo, space.hi = append(space.lo, n.Float(0)), append(space.hi, n.Float(1))
	}
	s.peaksSearch = space.peaks()
	s.before = s.look
	return s, nil
}

// halfSquares is half the sum of the squares of some reals.
func (c *ctx) halfSquares(ys []jet.Jet) jet.Jet {
	sum := c.Zero()
	for _, y := range ys {
		sum = c.Add(sum, c.Sqr(y))
	}
	return c.DivInt(sum, 2)
}

// resume takes over what another search has left.
func (s *leastSearch) resume(from *leastSearch) {
	n := s.c.N
	set := func(x jet.Set) jet.Set {
		lo, hi := Ends(x)
		if lo.IsInf() || hi.IsInf() {
			return n.Whole()
		}
		a, _ := lo.Rat(nil)
		b, _ := hi.Rat(nil)
		return n.Span(n.Rat(a), n.Rat(b))
	}
	sets := func(x cuboid) cuboid {
		y := make(cuboid, len(x))
		for i := range x {
			y[i] = set(x[i])
		}
		return y
	}
	s.pieces.list = nil
	for _, x := range from.rest() {
		s.pieces.list = append(s.pieces.list, piece{x: sets(x.x), states: x.states, y: n.Whole()})
	}
	for _, k := range from.peaks {
		kept := &peak{zone: zone{sets(k.all), sets(k.x)}, states: k.states, y: set(k.y)}
		s.peaks = append(s.peaks, kept)
		if linear, ok := from.linear[k]; ok {
			s.linear[kept] = sets(linear)
		}
	}
	if from.some {
		s.improve(sets(from.bestAt), set(from.best))
	}
	if p := s.projection; p != nil && from.projection.best != nil {
		p.best, p.low = sets(from.projection.best), set(from.projection.low)
	}
	s.looked, s.tellAt = from.looked, from.tellAt
}

// begin proves that there is a minimum near the point where the search begins.
func (s *leastSearch) begin() error {
	n := s.c.N
	if s.goal.Start == nil {
		return nil
	}
	at := make(cuboid, len(s.others))
	for k, i := range s.others {
		lo, hi := s.ends[0][k].Val(), s.ends[1][k].Val()
		at[k] = n.Mid(n.Quo(n.Sub(n.Float(s.goal.Start[i]), lo), n.Sub(hi, lo)))
	}
	return s.ascend(s.clipped(at), 1)
}

// run searches until it is known where the function is least, or nothing gets better.
func (s *leastSearch) run() error {
	c, n := s.c, s.c.N
	var starts []cuboid
	if len(s.peaks) == 0 {
		starts = append(starts, c.mid(s.whole()))
		if s.some {
			starts = append(starts, s.bestAt)
		}
	}
	for _, m := range starts {
		if err := s.climb(m); err != nil {
			return err
		}
	}
	fine := jet.Exp2(-int64(n.Bits()) * 2 / 3)
	if err := s.raise(n.Mag(s.best).Mul(fine)); err != nil {
		return err
	}
	s.prune()
	if err := s.settle(c.tol.MulFloat(4)); err != nil {
		return err
	}
	return s.eliminate()
}

// look excludes or narrows a piece by Note [Projection], without derivatives of f. These are of use
// only where f is nearly least.
func (s *leastSearch) look(x *piece) (then next, along int, err error) {
	s.tell()
	c, n, p := s.c, s.c.N, s.projection
	if p == nil {
		return refine, -1, nil
	}
	if err = s.eliminate(); err != nil {
		return refine, -1, err
	}
	if level := n.Upper(n.Mul(n.Neg(n.Lower(s.best)), n.Float(1+0x1p-36))); s.some {
		p.level = &level
	}
	k, err := p.project(valuesOf(s.place(c.consts(x.x))))
	if err != nil {
		return refine, -1, err
	}
	if p.best != nil && (!s.some || n.Less(s.best, n.Neg(p.low))) { // the middle of the piece is better
		m := c.mid(x.x)
		far := !s.some || n.Less(n.Mul(s.best, n.Float(1-0x1p-10)), n.Neg(p.low))
		if s.improve(m, n.Neg(p.low)); far {
			if err = s.climb(m); err != nil {
				return refine, -1, err
			}
		}
	}
	switch {
	case k.excluded:
		return drop, -1, nil
	case !k.ok:
		return halve, -1, nil
	}
	x.known = true
	if x.y = n.Intersect(n.Neg(k.value), x.y); n.IsEmpty(x.y) || n.Less(x.y, s.best) {
		return drop, -1, nil
	}
	if k.near != nil {
		smaller := slices.Clone(x.x)
		for i, y := range k.near {
			lo, hi := s.ends[0][i].Val(), s.ends[1][i].Val()
			t := n.Quo(n.Sub(y, lo), n.Sub(hi, lo))
			if smaller[i] = n.Intersect(x.x[i], t); n.IsEmpty(smaller[i]) {
				return drop, -1, nil
			}
		}
		shrank := c.smaller(smaller, x.x)
		if x.x = smaller; shrank {
			return keep, -1, nil
		}
	}
	near := n.Less(n.Quo(n.Neg(s.best), n.Float(2)), n.Lower(n.Neg(x.y)))
	if k.inside && (near || x.cuts%4 == 3) {
		return refine, -1, nil
	}
	return halve, s.worst(k, x.x), nil
}

// worst is the coordinate along which most is lost, -1 if that is not known or the piece is so short
// along it that something else must be the matter.
func (s *leastSearch) worst(k *projected, x cuboid) int {
	n := s.c.N
	worst, most, longest := -1, 0.0, jet.Mag{}
	for i, harm := range k.harm {
		if math.IsInf(harm, 0) {
			return -1
		}
		if harm > most {
			worst, most = i, harm
		}
		longest = longest.Max(n.Width(x[i]))
	}
	if worst >= 0 && n.Width(x[worst]).Less(longest.Mul(jet.Exp2(-4))) {
		return -1
	}
	return worst
}

// tell passes on what is known from time to time.
func (s *leastSearch) tell() {
	start := time.Now()
	if s.goal.Watch == nil || start.Before(s.tellAt) {
		return
	}
	s.goal.Watch(s.known())
	s.tellAt = time.Now().Add(max(200*time.Millisecond, 50*time.Since(start)))
}

// eliminate encloses the eliminated coordinates at the peaks.
func (s *leastSearch) eliminate() error {
	for _, k := range s.peaks {
		if s.projection == nil || s.linear[k] != nil {
			continue
		}
		at, err := s.projection.project(valuesOf(s.place(s.c.consts(k.x))))
		if err != nil {
			return err
		}
		s.linear[k] = at.place
	}
	return nil
}

// valuesOf is the constant coefficients of jets.
func valuesOf(xs []jet.Jet) cuboid {
	x := make(cuboid, len(xs))
	for i := range xs {
		x[i] = xs[i].Val()
	}
	return x
}

// known says what is known.
func (s *leastSearch) known() *Least {
	n := s.c.N
	l := &Least{Boxes: s.looked, Bits: n.Bits()}
	if s.projection != nil {
		l.Linear = s.projection.linear
	}
	enclosure := func(x jet.Set) Enclosure {
		lo, hi := Ends(x)
		return Enclosure{Lo: lo, Hi: hi, Eps: shownEps}
	}
	all := func(x, linear cuboid) []Enclosure {
		list := make([]Enclosure, len(s.box))
		for i := range s.box {
			list[i] = enclosure(s.box[i])
		}
		for k, y := range s.place(s.c.consts(x)) {
			list[s.others[k]] = enclosure(y.Val())
		}
		for k := range linear {
			list[l.Linear[k]] = enclosure(linear[k])
		}
		return list
	}
	l.Value = enclosure(n.Whole())
	if y, ok := s.value(); ok {
		l.Value = enclosure(n.Neg(y))
	} else if s.some && n.Bounded(s.best) {
		l.Value.Hi = enclosure(n.Neg(s.best)).Hi
	}
	if s.goal.Squares && l.Value.Lo.Sign() <= 0 {
		l.Value.Lo = new(big.Float)
	}
	switch {
	case s.projection != nil && s.projection.best != nil:
		for _, x := range s.projection.best {
			l.Best = append(l.Best, enclosure(x))
		}
	case s.some && s.projection == nil:
		l.Best = all(s.bestAt, nil)
	}
	for _, k := range s.peaks {
		p := Place{X: all(k.x, s.linear[k]), Value: enclosure(n.Neg(k.y)), Ends: make([]int, len(s.box))}
		for j, state := range k.states {
			switch state {
			case atLow:
				p.Ends[s.others[j]] = -1
			case atHigh:
				p.Ends[s.others[j]] = 1
			}
		}
		l.Places = append(l.Places, p)
	}
	for _, x := range s.rest() {
		l.Open = append(l.Open, all(x.x, nil))
	}
	return l
}
