package exact

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Note [What is known]. A search in a box can tell at any time what it has proved: the pieces that
// are left, and the roots or peaks that it has found, contain all that there is. So a search that
// ends early, because a limit is reached or the effort is spent, has an answer: BoxSearch. Errors
// have it in words, as hints, and whoever runs the program may ask for it as a value (BoxWatch),
// also while the search goes on.
//
// A piece that is being looked at is still one of those that are left: it is in hand. Otherwise an
// error in the midst of it would lose it, and the answer would not be true.
//
// Of searches that are inside of others nothing is told. What they search depends on where the
// others are.

// BoxSearch is what is known of a search in a box: Note [What is known]. Places are lists of
// coordinates. Those of a box are rounded outward to doubles.
type BoxSearch struct {
	Optimum bool // it seeks the largest value; otherwise it seeks roots
	Looked  int  // boxes that were looked at
	Done    bool // nothing else is in the box than what was found

	Box    Box
	Bounds []Enclosure   // the same, as precise as it is known
	Found  [][]Enclosure // there is one root in each; or one place without slopes, or a corner
	Zones  []Box         // around each of Found, where it is the only one
	Left   int           // boxes that may hold others
	Hull   Box           // of these, nil if there are none
	Open   []Box         // these, at the end of the search
	Trace  []Box         // that were looked at, if they are asked for, at the end of the search

	// Of an optimum. The largest value is in Value, whose upper end is infinite if no bound is known.
	// Best is where the lower end is reached, nil for nowhere.
	Best  []Enclosure
	Value Enclosure
}

// Box is a range for each coordinate.
type Box [][2]float64

// BoxWatch is told what searches in boxes have found: now and then, and at the end of each.
type BoxWatch struct {
	Tell  func(BoxSearch)
	Trace bool // the boxes that were looked at are wanted
	Says  bool // who is told says what is known, so that errors need not
}

const (
	tellEvery = 100 * time.Millisecond
	mostTrace = 1 << 17 // boxes of a trace, and of those that are left
)

// boxState is a search in a box in progress.
type boxState interface {
	// known is what is known now; with whole, the boxes that are left are listed.
	known(whole bool) BoxSearch
}

// seeks begins to tell of a search, unless it is inside of another one.
func (c *ctx) seeks(s boxState) {
	if c.telling {
		c.sought, c.told = s, time.Time{}
	}
}

// tells is called by a search in progress before it looks at a box, and tells at the first one.
func (c *ctx) tells(s boxState) {
	if c.boxWatch != nil && c.sought == s && time.Since(c.told) >= tellEvery {
		c.boxWatch.Tell(s.known(false))
		c.told = time.Now()
	}
}

// endSought ends a search in a box: it tells what is known, and puts it into the error if there is one
// that more effort might have avoided.
func (c *ctx) endSought(at diag.Span, err error) error {
	s := c.sought
	if s == nil {
		return err
	}
	defer func() { c.sought, c.ended = nil, s }()
	var d *diag.Diagnostic
	switch {
	case errors.As(err, &d) && d.Code.Limit():
		d.Hints = append(d.Hints, c.hints(s)...)
	case err == errBudget:
		c.report(trouble{code: diag.EffortSpent, at: at, what: "the effort for searches in boxes ran out",
			hints: c.hints(s)})
	}
	if c.boxWatch != nil {
		c.boxWatch.Tell(s.known(true))
	}
	return err
}

// hints is what is known of a search, in words, if it is one that is told of.
func (c *ctx) hints(s boxState) []string {
	if c.sought != s || c.boxWatch != nil && c.boxWatch.Says {
		return nil
	}
	return s.known(false).Hints()
}

// Hints says what is known of a search that is not done. It does not say how large values are: a
// minimum is sought as the maximum of the opposite.
func (b BoxSearch) Hints() (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch {
	case b.Optimum && b.Best != nil && b.Value.Width() != nil:
		gap, _ := b.Value.Width().Float64()
		say("the best point found is %s; nowhere in the box is the value better by more than %.2g",
			showPoint(b.Best), gap)
	case b.Optimum && b.Best != nil:
		say("the best point found is %s; how much better others are is not known", showPoint(b.Best))
	case !b.Optimum && len(b.Found) > 0:
		say("%s proved so far: %s", plural(len(b.Found), "root is", "roots are"), showPoints(b.Found))
	}
	if b.Optimum && b.Left == 0 && len(b.Found) > 1 {
		say("it is at one or more of these places: %s", showPoints(b.Found))
	}
	if b.Left > 0 {
		say("%s left after %s: %s", plural(b.Left, "box is", "boxes are"),
			plural(b.Looked, "was looked at", "were looked at"), b.Hull)
	}
	return list
}

// Progress is one line about a search that goes on.
func (b BoxSearch) Progress() string {
	text := fmt.Sprintf("%s looked at in a box, %d left", plural(b.Looked, "piece", "pieces"), b.Left)
	switch {
	case !b.Optimum:
		text += ", " + plural(len(b.Found), "root", "roots")
	case b.Value.Width() != nil:
		gap, _ := b.Value.Width().Float64()
		text += fmt.Sprintf(", gap %.2g", gap)
	}
	return text
}

const mostShown = 6 // coordinates, or places, in a hint

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// showPoints shows the middles of places.
func showPoints(all [][]Enclosure) string {
	places := make([]string, 0, mostShown)
	for _, x := range all[:min(len(all), mostShown)] {
		places = append(places, showPoint(x))
	}
	if len(all) > mostShown {
		places = append(places, "…")
	}
	return strings.Join(places, ", ")
}

// showPoint shows the middle of a place.
func showPoint(x []Enclosure) string {
	parts := make([]string, 0, len(x))
	for _, e := range x[:min(len(x), mostShown)] {
		parts = append(parts, fmt.Sprintf("%.6g", e.Middle()))
	}
	if len(x) > mostShown {
		parts = append(parts, "…")
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// Middle is the double nearest to the middle.
func (e Enclosure) Middle() float64 {
	if e.Lo.IsInf() || e.Hi.IsInf() {
		return math.NaN()
	}
	sum := new(big.Float).SetPrec(max(e.Lo.Prec(), e.Hi.Prec())+64).Add(e.Lo, e.Hi)
	x, _ := sum.SetMantExp(sum, -1).Float64()
	return x
}

// String shows the ranges.
func (b Box) String() string {
	parts := make([]string, 0, len(b))
	for _, r := range b[:min(len(b), mostShown)] {
		parts = append(parts, fmt.Sprintf("[%.6g, %.6g]", r[0], r[1]))
	}
	if len(b) > mostShown {
		parts = append(parts, "…")
	}
	return strings.Join(parts, " × ")
}

// ---- of a space

// enclosed is a part of the range as enclosures of places.
func (s *space) enclosed(x cuboid) []Enclosure {
	list := make([]Enclosure, len(x))
	for i, y := range s.place(s.c.consts(x)) {
		lo, hi := Ends(y.Val())
		list[i] = Enclosure{Lo: lo, Hi: hi}
	}
	return list
}

// box is a part of the range as a box of doubles.
func (s *space) box(x cuboid) Box {
	b := make(Box, len(x))
	for i, y := range s.place(s.c.consts(x)) {
		b[i][0], b[i][1] = s.c.N.Ends(y.Val())
	}
	return b
}

// within is a box without what rounding adds to it beyond the whole.
func (b Box) within(whole Box) Box {
	for i := range b {
		b[i] = [2]float64{max(b[i][0], whole[i][0]), min(b[i][1], whole[i][1])}
	}
	return b
}

// searched begins the answer of a search.
func (s *space) searched(looked int) BoxSearch {
	return BoxSearch{Looked: looked, Box: s.box(s.whole()), Bounds: s.enclosed(s.whole())}
}

// leaves fills in the boxes that are left.
func (s *space) leaves(b *BoxSearch, left []cuboid, whole bool) {
	b.Left = len(left)
	for i, x := range left {
		if whole && i < mostTrace {
			b.Open = append(b.Open, s.box(x).within(b.Box))
		}
	}
	if hull := s.c.hullOfAll(left); hull != nil {
		b.Hull = s.box(hull).within(b.Box)
	}
}

// hullOfAll is the smallest box that contains all of some; nil if there are none.
func (c *ctx) hullOfAll(all []cuboid) (hull cuboid) {
	for _, x := range all {
		if hull == nil {
			hull = x
		}
		hull = c.hullOf(hull, x)
	}
	return hull
}

// ---- of searches

func (r *rootsSearch) known(whole bool) BoxSearch {
	b := r.searched(r.looked)
	for _, z := range r.found {
		b.Found = append(b.Found, r.enclosed(z.x))
		b.Zones = append(b.Zones, r.box(z.all))
	}
	var left []cuboid
	for _, z := range r.stuck {
		left = append(left, z.x)
	}
	for _, p := range slices.Concat(r.todo, r.later, r.hand) {
		left = append(left, p.x)
	}
	r.leaves(&b, left, whole)
	b.Done = len(left) == 0
	if whole {
		b.Trace = r.traced
	}
	return b
}

func (p *peaksSearch) known(whole bool) BoxSearch {
	b := p.searched(p.looked)
	b.Optimum = true
	for _, k := range p.peaks {
		if p.c.N.Less(k.y, p.best) {
			continue
		}
		b.Found = append(b.Found, p.enclosed(k.x))
		b.Zones = append(b.Zones, p.box(k.all))
	}
	var left []cuboid
	for _, x := range p.rest() {
		left = append(left, x.x)
	}
	p.leaves(&b, left, whole)
	b.Done = p.only() != nil
	set, ok := p.value()
	b.Value = unbounded(nil)
	switch {
	case ok:
		b.Value.Lo, b.Value.Hi = Ends(set)
	case p.some:
		b.Value.Lo, _ = Ends(set)
	}
	if p.some {
		b.Best = p.enclosed(p.bestAt)
	}
	if whole {
		b.Trace = p.traced
	}
	return b
}

// looks counts a box that is looked at, and keeps it if that is asked for.
func (s *space) looks(x cuboid) {
	s.looked++
	if w := s.c.boxWatch; w != nil && w.Trace && len(s.traced) < mostTrace {
		s.traced = append(s.traced, s.box(x))
	}
}

// Between is the numbers between two doubles.
func Between(lo, hi float64) Enclosure { return Enclosure{Lo: float(lo), Hi: float(hi)} }
