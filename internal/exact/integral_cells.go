package exact

import (
	"container/heap"
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Cells]. The range is cut into cells. The error of a cell is what cutting it
// can reduce: the width of the remainder where Gauss's rule is used, that of the whole
// contribution where only the range of f over the cell is known. The worst cell is cut
// first, until the errors of the open cells sum to less than a quarter of the tolerance.
// No more work is done on a cell as soon as
//
//   - its error is at most its part (by halves) of a quarter of the tolerance; or
//   - its error is no larger than the width that f has at a point inside (the
//     probe): that width comes from rounding, from what is captured, or from searches
//     inside, and no cut reduces it. So captured sets that are wide cost no
//     cuts, and doubles are left as soon as they are exhausted. A probe that sits
//     on a kink says nothing of derivatives; then work also ends after two generations that
//     did not reduce the error by a tenth.
//
// Unknown coefficients do not shrink. They are searched for, in the widest cells
// first, by a number of cuts of their own: a cut may let a kink be located, or leave a singularity
// to a small cell. A cell whose probes stay undecided for three generations is not searched.

// quadrature is one call of an integral.
type quadrature struct {
	c   *ctx
	at  diag.Span
	f   function
	tol jet.Mag // of the result

	cells    int // that may still be measured
	searches int // cuts that unknown coefficients alone may still ask for

	sum     jet.Jet // of what is settled; unknown if there is no hope
	open    cellHeap
	done    []*cell // not to be cut further; settled at the end
	beyond  sides   // the sum: Note [Sides]
	trouble trouble // the first that was met, with its place

	flat    bool // f calls no integral, as far as is known
	refused bool // f has no analytic continuation that can be computed: Note [Continuations]
	inside  bool // it looks for no singularity beside its range: Note [Beyond]
	endless bool // its tails need not converge: Note [Beyond]

	number  int        // among the integrals of the frame around it
	ends    [2]jet.Set // of the range
	fixed   [2]bool    // whether an end is a point that does not move
	pivoted *pivot     // that the argument is the distance from; nil if it is x itself
}

// cell is a part of the range, between two points.
type cell struct {
	lo, hi, w jet.Set // w encloses the width
	tail      bool    // it reaches from lo to infinity; hi and w mean nothing
	size      float64 // the width, roughly
	part      float64 // of the tolerance that is its own
	forced    []forced

	// Given by the cell that this one was cut from.
	smooth bool    // no undecided decision: its parts have none either
	most   int     // nodes of the largest rule to try, if it is smooth
	hint   jet.Mag // how exact the range of f need be
	rho    int     // of the ellipse to begin with, among rhos; 0: unknown
	tried  bool    // a cubature was: Note [Cubature]
	stuck  int     // generations that reduced nothing
	dead   int     // generations whose probe was undecided

	// Found by measure.
	bounds    jet.Jet   // the range of f over the cell, times its width
	n         int       // nodes of the rule to use; 0: none, bounds is all
	remainder jet.Jet   // of the rule
	taylor    int       // the terms of Taylor's series to try first; 0: none
	beyond    jet.Jet   // its remainder
	work      work      // of the series over the cell
	err       jet.Mag   // what a cut can reduce
	unknown   bool      // some coefficient is unknown
	undecided bool      // a decision is, and could not be located
	doubt     diag.Span // the place of that decision
	diffs     []jet.Jet // the differences that are undecided in it, or in integrals inside f
	exchanged bool      // the integral over it was taken in another order
	tied      jet.Jet   // what its ties gave on both sides, and on either: Note [Sides]
	ties      sides
	cut       *crossing
	probed    bool    // the probe was decided
	place     float64 // where to cut the cell, as a part of it; 0: near the middle
	resolving bool    // it is cut to make its unknown coefficients known
}

// crossing is where a cell is to be cut, because a decision changes there.
type crossing struct {
	at          jet.Jet
	site        int
	left, right []forced
}

const (
	// searchCuts is how many cuts unknown coefficients alone may ask for.
	searchCuts = 160
	// hopeless is how many generations may fail.
	hopeless = 3
	// mostContinued is how many coefficients f may have for their continuations to be computed:
	// those inside other integrals have many.
	mostContinued = 32
	// mostCells bounds the memory of one integral.
	mostCells = 1 << 15
)

func newQuadrature(c *ctx, at diag.Span, f function) *quadrature {
	searches, forms, coefficients := min(searchCuts, c.effort.cells/2), false, 1
	for i, ranging := range c.ranging {
		if jet.Tag(i+1) < c.Floor {
			continue
		}
		if ranging {
			searches /= 4 // integrals around this one search as well
		}
		forms = forms || c.degrees[i] == 0
		coefficients = min(coefficients, mostContinued) * (c.degrees[i] + 1)
	}
	return &quadrature{
		c: c, at: at, f: f, tol: c.tol,
		cells: min(max(c.effort.cells, 1), mostCells), searches: searches, sum: c.Zero(),
		refused: forms || coefficients > mostContinued,
		beyond:  sides{c.Zero(), c.Zero()},
	}
}

// run integrates over cells.
func (q *quadrature) run(cells ...*cell) (jet.Jet, error) {
	var err error
	ends := q.beyond // of the range, which move
	for _, k := range cells {
		if err == nil && q.hope() && (k.tail || q.c.N.Less(k.lo, k.hi)) {
			k.hint = jet.Exp2(-7)
			err = q.add(k)
		}
	}
	begun, looked := q.cells, 0
	for err == nil && q.hope() && len(q.open) > 0 && q.cells > 0 && q.worthwhile(q.open[0]) {
		if looked < len(looks) && begun-q.cells >= looks[looked] && !q.inside && len(cells) == 1 && !cells[0].tail {
			look := []func(*cell) (jet.Jet, bool, error){q.farRange, q.beyondRange, q.tooHard}[looked]
			looked++
			if y, ok, err := look(cells[0]); err != nil || ok {
				// all of the cell with its ties, but not what the ends do
				q.sum, q.beyond = q.c.Add(y, cells[0].tied), ends
				for i, beyond := range cells[0].ties {
					q.beyond[i] = q.c.Add(q.beyond[i], beyond)
				}
				q.settleSides()
				return q.sum, err
			}
		}
		err = q.halve(heap.Pop(&q.open).(*cell))
	}
	if q.cells <= 0 && len(q.open) > 0 && len(q.c.degrees) == 0 {
		at := q.c.N.Float64(q.original(q.open[0].lo))
		q.c.report(trouble{code: diag.EffortSpent, at: q.at, what: fmt.Sprintf("the effort ran out: the integrand varies too much near %.3g", at)})
	}
	for _, k := range q.open {
		q.keep(k)
	}
	for _, k := range q.done {
		if err == nil && q.hope() {
			err = q.settle(k)
		}
	}
	if err != nil {
		return q.c.Unknown(), err
	}
	if q.hope() {
		q.settleSides()
	}
	if !q.sum.Known() {
		q.c.report(q.trouble)
	} else if !q.c.narrow(q.sum, q.tol) {
		q.doubt()
		q.leave()
	}
	return q.sum, nil
}

// worthwhile tells whether cutting the worst cell may still help.
func (q *quadrature) worthwhile(worst *cell) bool {
	if worst.resolving {
		if q.searches--; q.searches > 0 {
			return true
		}
		for _, k := range q.open {
			if k.resolving = false; !k.bounds.Known() {
				q.keep(k)
				return false
			}
		}
		heap.Init(&q.open)
		worst = q.open[0]
	}
	return q.tol.MulFloat(0.25).Less(worst.err.MulFloat(float64(len(q.open))))
}

// add measures a cell, and settles it, cuts it at a crossing, or leaves it open.
func (q *quadrature) add(k *cell) error {
	q.cells--
	k.bounds = q.c.Unknown() // until it is measured
	k.tied, k.ties = q.c.Zero(), sides{q.c.Zero(), q.c.Zero()}
	if k.tail {
		return q.addTail(k)
	}
	k.w = q.c.N.Sub(k.hi, k.lo)
	k.size = q.c.N.Float64(k.w)
	err := q.measure(k)
	if err == errNested {
		k.tried = true
		y, ok, failure := q.cubature(k)
		if ok || failure != nil {
			q.sum = q.c.Add(q.sum, y)
			return failure
		}
		err = q.measure(k)
	}
	if err != nil {
		return err
	}
	switch {
	case k.exchanged:
		return nil
	case k.cut != nil:
		return q.divide(k)
	}
	if !k.unknown && !q.share(k).Less(k.err) {
		q.keep(k)
		return nil
	}
	probe, decided, err := q.probe(k)
	if err != nil {
		return err
	}
	_, dim := q.spread(probe)
	if k.dead++; decided && !dim {
		k.dead = 0
	}
	k.probed = decided
	k.resolving = k.unknown && k.dead < hopeless
	switch {
	case k.resolving:
	case !q.share(k).Less(k.err), !q.reducible(k, probe, decided), !decided && k.stuck >= hopeless-1:
		q.keep(k)
		return nil
	}
	heap.Push(&q.open, k)
	return nil
}

// share is a cell's part of a quarter of the tolerance.
func (q *quadrature) share(k *cell) jet.Mag {
	return q.tol.MulFloat(0.25 * k.part)
}

// pointTol is what to ask of searches inside f where f is evaluated at a point.
func (q *quadrature) pointTol(k *cell) jet.Mag {
	return q.share(k).MulFloat(math.Min(1/k.size, math.MaxFloat64))
}

// asking sets the tolerance for what is inside f, and gives what restores it.
func (q *quadrature) asking(tol jet.Mag) (restore func()) {
	outer := q.c.tol
	q.c.tol = tol
	return func() { q.c.tol = outer }
}

// spread is the largest width of a known coefficient, and whether some coefficient is unknown.
func (q *quadrature) spread(x jet.Jet) (widest jet.Mag, unknown bool) {
	q.c.Each(x, func(_ int, c jet.Set, known bool) bool {
		if known {
			widest = widest.Max(q.c.N.Width(c))
		} else {
			unknown = true
		}
		return true
	})
	return widest, unknown
}

// dim tells whether some coefficient is unknown.
func (q *quadrature) dim(x jet.Jet) bool { return !q.c.Complete(x) }

// probe evaluates f at the point where the cell would be cut. It is undecided if that sits on a
// kink. Then other places are tried: over a set of what is captured a crossing is a set too,
// and must be separated from the cuts.
func (q *quadrature) probe(k *cell) (y jet.Jet, decided bool, err error) {
	defer q.asking(q.pointTol(k))()
	y, decided, err = q.try(k)
	for _, place := range otherCuts {
		if err != nil || decided || !k.undecided {
			return y, decided, err
		}
		other := *k
		other.place = place
		var z jet.Jet
		if z, decided, err = q.try(&other); decided {
			y, k.place = z, place
		}
	}
	return y, decided, err
}

// try evaluates f where a cell would be cut.
func (q *quadrature) try(k *cell) (y jet.Jet, decided bool, err error) {
	y, seen, err := q.c.observe(q.f, q.c.Const(q.middle(k)), k.forced, -1)
	if err != nil && !fatal(err) { // undecided, or one point at which the program fails
		return q.c.Unknown(), false, nil
	}
	return y, err == nil && !seen.kinked, err
}

// reducible tells whether the error of some coefficient is larger than that of f at
// a point accounts for: of the value if the point sits on a kink.
func (q *quadrature) reducible(k *cell, probe jet.Jet, decided bool) bool {
	c := q.c
	err, least := k.remainder, q.share(k)
	factor := 1.0
	if k.n == 0 {
		err, factor = k.bounds, 2
	}
	if !decided {
		if !probe.Known() {
			return true
		}
		err, probe = err.Value(), probe.Value()
	}
	yes := false
	c.Zip(err, c.Scale(probe, k.w), func(e, p jet.Set) (jet.Set, bool) {
		yes = yes || least.Max(c.N.Width(p).MulFloat(factor)).Less(c.N.Width(e))
		return e, true
	})
	return yes
}

// halve cuts a cell near its middle.
func (q *quadrature) halve(k *cell) error {
	if k.tail {
		return q.halveTail(k)
	}
	mid := q.middle(k)
	if !q.c.N.Less(k.lo, mid) || !q.c.N.Less(mid, k.hi) {
		q.keep(k) // numbers are not dense enough
		return nil
	}
	width, _ := q.spread(k.bounds)
	part := cell{
		part: k.part / 2, forced: k.forced, tried: k.tried, smooth: k.smooth, most: k.most, rho: k.rho, stuck: k.stuck, dead: k.dead,
		hint: width.MulFloat(math.Min(0.125/k.size, math.MaxFloat64)),
	}
	left, right := part, part
	left.lo, left.hi, right.lo, right.hi = k.lo, mid, mid, k.hi
	if err := q.add(&left); err != nil {
		return err
	}
	if err := q.add(&right); err != nil {
		return err
	}
	stuck := 0
	if !k.probed && k.err.MulFloat(0.9).Less(left.err.Add(right.err)) {
		stuck = k.stuck + 1
	}
	left.stuck, right.stuck = stuck, stuck
	return nil
}

// otherCuts are where to cut a cell if that is undecided near its middle, as parts of it.
var otherCuts = []float64{47.0 / 64, 15.0 / 64, 57.0 / 64, 6.0 / 64}

// middle is where to cut a cell: a short number, so that both halves are
// sets that balls represent exactly. Where a decision is undecided it is beside the
// middle, where crossings of programs written by people rarely are.
func (q *quadrature) middle(k *cell) jet.Set {
	n := q.c.N
	w := k.size
	at := 0.5
	switch {
	case k.place > 0:
		at = k.place
	case k.undecided:
		at = 29.0 / 64
	}
	lo := n.Float64(k.lo)
	grain := math.Ldexp(1, math.Ilogb(w)-10)
	mid := math.Round((lo+at*w)/grain) * grain
	if m := n.Float(mid); !math.IsNaN(mid) && math.Abs(mid) < grain*(1<<50) && n.Less(k.lo, m) && n.Less(m, k.hi) {
		return m
	}
	return n.Mid(n.Add(k.lo, n.Mul(k.w, n.Float(at))))
}

// divide cuts a cell at a crossing (Note [Crossings]).
func (q *quadrature) divide(k *cell) error {
	n := q.c.N
	r := k.cut.at
	before, after := n.Lower(r.Val()), n.Upper(r.Val())
	if !n.Less(k.lo, before) {
		before = k.lo // the crossing touches this end
	}
	if !n.Less(after, k.hi) {
		after = k.hi
	}
	left, err := q.strip(before, r, k.cut.left)
	if err != nil {
		return err
	}
	right, err := q.strip(after, r, k.cut.right)
	if err != nil {
		return err
	}
	if !q.c.Complete(left) || !q.c.Complete(right) {
		if ok, err := q.pivot(k); ok || err != nil {
			return err
		}
	}
	q.sum = q.c.Add(q.sum, q.c.Sub(left, right))
	for _, part := range []*cell{{lo: k.lo, hi: before, forced: k.cut.left}, {lo: after, hi: k.hi, forced: k.cut.right}} {
		if n.Less(part.lo, part.hi) {
			part.part, part.hint = k.part/2, k.hint
			if err := q.add(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep ends the work on a cell. If nothing is known of f there, nothing will be of the
// integral.
func (q *quadrature) keep(k *cell) {
	if !k.bounds.Known() {
		if q.hope() {
			q.place(k)
		}
		q.sum = k.bounds
	}
	q.done = append(q.done, k)
}

// hope tells whether the integral may still be enclosed.
func (q *quadrature) hope() bool { return q.sum.Known() }

// settle adds the contribution of a cell.
func (q *quadrature) settle(k *cell) error {
	y := k.bounds
	if k.n > 0 {
		best, err := q.apply(k)
		if err != nil {
			return err
		}
		if both, ok := q.c.Intersect(best, y); ok {
			y = both
		}
	}
	q.sum = q.c.Add(q.sum, y)
	return nil
}

// learn keeps the first reason why something was unknown.
func (q *quadrature) learn(seen frame) {
	if q.trouble.code == "" {
		q.trouble = seen.trouble
	}
	if seen.tie.met {
		q.tied(seen.tie)
	}
}

// place tells where the integrand has no value.
func (q *quadrature) place(k *cell) {
	if q.trouble.code == "" {
		q.trouble = trouble{code: diag.NoIntegral, at: q.at, what: "the integrand may have no value"}
	}
	if k.tail {
		q.trouble.what += ", and the integral to infinity is not known to converge"
		return
	}
	q.trouble.what += fmt.Sprintf(", integrating near %.6g", q.c.N.Float64(q.original(q.c.N.Span(k.lo, k.hi))))
}

// doubt reports a decision that could not be located.
func (q *quadrature) doubt() {
	for _, k := range q.done {
		if k.undecided && k.doubt.Known() {
			q.c.report(trouble{code: diag.EffortSpent, at: k.doubt, what: fmt.Sprintf("which side this takes is not known, integrating near %.6g",
				q.c.N.Float64(q.original(q.c.N.Span(k.lo, k.hi))))})
			return
		}
	}
}

// leave hands on what is undecided: Note [Exchange].
func (q *quadrature) leave() {
	of := fold{integral: q.number}
	for _, k := range q.done {
		of.diffs = append(of.diffs, k.diffs...)
	}
	if len(of.diffs) > 0 {
		of.several = len(q.c.frame.fold.diffs) > 0
		q.c.frame.fold = of
	}
}

// cellHeap has the cell to cut next on top.
type cellHeap []*cell

func (h cellHeap) Len() int { return len(h) }

func (h cellHeap) Less(i, j int) bool {
	if h[i].resolving != h[j].resolving {
		return h[i].resolving
	}
	if h[i].resolving {
		return h[i].size > h[j].size
	}
	return h[j].err.Less(h[i].err)
}

func (h cellHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *cellHeap) Push(x any) { *h = append(*h, x.(*cell)) }

func (h *cellHeap) Pop() any {
	last := len(*h) - 1
	k := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return k
}
