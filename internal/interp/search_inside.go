package interp

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/solve"
)

// Note [Searches inside integrands]
//
// An integrand that contains an integral, a root or an optimum may have a kink or a jump where
// that changes its *structure*: where a crossing enters the range of the inner integral, where
// a comparison of the outer variable inside the inner function changes, where a maximum goes to
// the end of its range. No comparison of the integrand itself tells, so that a search puts a
// decision into the log of the integrand around it: a digest of its structure. The outer
// integral is split where that changes, as at any other decision. How the place moves is not
// known, only what it depends on. Where the integrand is continuous there, the first derivative
// does not need it; a jump, and a second derivative, do, and are errors.

// hiddenOutcome marks a digest among the outcomes of decisions, which are
// smaller.
const hiddenOutcome = 1 << 62

// hides tells whether two logs differ first in a digest.
func hides(a, b []int64) bool {
	k := firstDifference(a, b)
	return k < len(a) && a[k] >= hiddenOutcome || k < len(b) && b[k] >= hiddenOutcome
}

// Note [Rivals]
//
// Where two maxima of an inner function exchange their ranks, a maximum has a
// kink and its place jumps. So which of the maxima that are nearly as high as the
// highest wins is a decision about the difference of two of them, like that of
// `max`. How many these are changes along the way, as some fall behind; nothing
// happens to the integrand there, so that the range is split at a place that
// does not move.

// rivalOutcome marks the outcome of such a decision: the number of rivals, and how
// many of them are on the left of the winner.
const rivalOutcome = 1 << 61

func isRival(outcome int64) bool { return outcome >= rivalOutcome && outcome < hiddenOutcome }

// rivalsCome tells whether two logs differ first in the number of rivals.
func rivalsCome(a, b []int64) bool {
	k := firstDifference(a, b)
	rivals := func(log []int64) int64 {
		if k < len(log) && isRival(log[k]) {
			return log[k] >> 16
		}
		return 0
	}
	return rivals(a) != rivals(b)
}

// decideWinner chooses among the maxima that were found, and logs the choice. A
// tie that does not pass as the variable of the integrand moves stays one.
func (m *Machine) decideWinner(at *searchSite, f realFunction, best summit, a, b float64) (summit, *diag.Diagnostic) {
	t, around := m.tape, at.around
	if around == nil || len(best.Rivals) == 0 || m.reach(at)&around.level == 0 {
		return best, nil
	}
	left := 0
	for left < len(best.Rivals) && best.Rivals[left].X < best.X {
		left++
	}
	all := slices.Insert(slices.Clone(best.Rivals), left, best.Optimum)
	lead := func(k int) float64 { // of one over the highest of the others
		t.decisions = nil
		x, d := m.height(f, all[k], a, b)
		var y float64
		if d == nil {
			others := slices.Delete(slices.Clone(all), k, k+1)
			y, d = m.height(f, slices.MaxFunc(others, func(p, q solve.Optimum) int { return cmp.Compare(p.Value, q.Value) }), a, b)
		}
		if d != nil {
			t.fail(d)
		}
		t.decisions = around
		return t.difference(x, y)
	}
	number := rivalOutcome | int64(len(best.Rivals))<<16
	n := len(around.taken)
	forced := n < len(around.forced) && around.forced[n]&^0xffff == number
	if best.tie != nil && !forced {
		slope, ok := around.slope(t, lead(left))
		if !ok || !(math.Abs(slope) > passing*best.Size) {
			t.decisions = nil
			return best, t.failed()
		}
	}
	around.about(m.reach(at))
	t.decisions = around
	outcome := t.decide(number|int64(left), func() float64 {
		k := left
		if forced {
			k = int(around.forced[n] & 0xffff)
		}
		x := lead(k)
		if n == around.want && math.Abs(t.value(x)) > 1e-9*best.Size { // it was not an exchange
			t.fail(unknownMove(all[k].X, "changes in a way that is not understood"))
		}
		return x
	})
	t.decisions = nil
	if outcome&^0xffff == number {
		best.Optimum = all[outcome&0xffff]
	}
	best.tie = nil
	return best, t.failed()
}

// passing is how fast, relative to the size of a function, one of two maxima
// must overtake the other, for their tie to be gone beside it.
const passing = 1e-6

// slope is the derivative of a real with respect to the variable of the
// integrand.
func (d *decisions) slope(t *tape, y float64) (float64, bool) {
	s, ok := t.newSweep(d.region, false)
	if !ok {
		return 0, false
	}
	s.stop++ // the variable's own cotangent is asked for
	s.to(y, 1)
	if !s.backward() {
		return 0, false
	}
	return present(*s.place(d.region.node)), true
}

// nearTie is how near to a tie the point that a search has found may be: a
// decision there that depends on the point is not a part of the structure, since
// a root or a maximum often lies at a kink.
const nearTie = 1e-6

// decideSearch logs the structure of a search inside an integrand.
func (m *Machine) decideSearch(at *searchSite, f realFunction) *diag.Diagnostic {
	t := m.tape
	around := t.decisions
	if m.reach(at)&around.level == 0 {
		return nil
	}
	digest := fnv.New64a()
	note := func(n int64) {
		var b [8]byte
		for k := range b {
			b[k] = byte(n >> (8 * k))
		}
		digest.Write(b[:])
	}
	if around.gather || len(around.taken) >= len(around.forced) { // otherwise the outcome is forced
		around.moves |= t.columnMask(at.bounds)
		if len(at.structure) > 0 {
			around.moves |= m.reach(at) // the whole function decides it
		}
		for _, n := range at.structure {
			note(n)
		}
		for _, y := range at.points {
			r := t.begin()
			t.decisions = &decisions{level: around.level, region: around.region, want: -1}
			if !at.between {
				t.decisions.blurred, t.decisions.blur = r.selfMask, nearTie*(1+math.Abs(t.value(y)))
			}
			_, d := f(t.leaf(y, r.selfMask))
			seen := t.decisions
			t.decisions = around
			t.end(r, false)
			if d != nil {
				return d
			}
			around.moves |= seen.moves
			for _, n := range seen.taken {
				note(n)
			}
			note(-1)
		}
	}
	t.decide(int64(hiddenOutcome|digest.Sum64()>>2), func() float64 { return absent })
	return nil
}

// reach is what the function of a search, and its bounds, may depend on.
func (m *Machine) reach(at *searchSite) levels {
	return m.tape.columnMask(at.bounds) | m.captures(at.fun, map[ref]bool{})
}

// captures is what a reference may depend on: everything, for kinds that are
// not looked into.
func (m *Machine) captures(r ref, seen map[ref]bool) levels {
	var mask levels
	switch r := r.(type) {
	case *ints, *text, nil:
	case *reals:
		mask = m.tape.columnMask(r.v)
	case *closure:
		if seen[r] {
			return 0
		}
		seen[r] = true
		for k, kind := range r.fn.wordKinds {
			if kind == kF {
				mask |= m.tape.mask(r.real(k))
			}
		}
		for k := range r.fn.ptrs {
			mask |= m.captures(r.ref(k), seen)
		}
	default:
		mask = ^levels(0)
	}
	return mask
}

// hiddenBoundary is the end of a piece at which a search inside the integrand
// changes its structure.
func (g *integration) hiddenBoundary(at *searchSite, p *piece) (float64, *diag.Diagnostic) {
	t := g.m.tape
	if g.m.reach(at)&t.live == 0 {
		return p.to, nil
	}
	r := t.begin()
	saved := t.decisions
	t.decisions = &decisions{level: r.selfMask, region: r, forced: p.decided, want: -1, gather: true}
	_, d := g.f(t.leaf(p.to, r.selfMask))
	mask := t.decisions.moves & r.outside
	t.decisions = saved
	t.end(r, false)
	if d != nil {
		return 0, d
	}
	if mask&t.live == 0 {
		return p.to, nil // it does not move
	}
	if math.Abs(p.jump) > 1e-8*p.largest {
		return 0, unknownMove(p.to, "jumps")
	}
	return t.addMasked(p.to, &hiddenNode{t.here()}, mask), nil
}

func unknownMove(x float64, what string) *diag.Diagnostic {
	return diag.Errorf(diag.NoIntegral, diag.Span{}, "the derivative of this integral is not known: near %v the integrand %s", x, what).
		WithHint("the integral, root or optimum inside it changes its branches there, and how that place moves is not known").
		WithHint("put the comparison into the integrand itself, or let the inner range end at the place")
}

// hiddenNode is a place that moves in a way that is not known, where the
// integrand is continuous.
type hiddenNode struct{ at diag.Span }

func (c *hiddenNode) parents(func(float64)) {}

// hidden is the node that a bound is, if it is such a place.
func (t *tape) hidden(bound float64) *hiddenNode {
	if h := unbox(bound); h&elementBit == 0 {
		if n := t.node(h); n.op == nodeCustom {
			c, _ := t.custom(n).(*hiddenNode)
			return c
		}
	}
	return nil
}

func (c *hiddenNode) pull(s *sweep, at handle, _ float64) { c.check(s, at) }

func (c *hiddenNode) push(s *sweep, at handle) float64 {
	c.check(s, at)
	return absent
}

// check reports a second derivative, which depends on how the place moves.
func (c *hiddenNode) check(s *sweep, at handle) {
	if n := s.t.node(at); s.record && n.mask&s.outside != 0 {
		d := unknownMove(n.v, "has a kink, and a second derivative is asked for")
		d.Span = c.at
		s.t.fail(d)
	}
}
