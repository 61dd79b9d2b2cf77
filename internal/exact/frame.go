package exact

import (
	"errors"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Frames]. On a wide cell the two sides of a `max`, an `abs`, a comparison or a
// jump may be undecided. What to do is for the primitive to say that searches
// along the variable that makes the cell wide: bisect, take both sides, or find
// the crossing and cut the cell there. So each evaluation of a function by a
// primitive runs in a frame. In it the decisions on reals are numbered as they are met
// (their sites). The numbers are stable: two evaluations that decide the first k
// sites alike meet the same (k+1)-th, and on a part of a cell whatever was
// decided on the whole is decided likewise. A nested primitive opens a frame
// of its own for its own function, so that its sites do not disturb.
//
// The frame of the program as a whole is the outermost one; what is undecided
// there makes the ladder climb.
//
// Note [Places]. A search rests on places: ends of its range, crossings of decisions, roots,
// maximisers, edges of domains. They move with what is captured, which derivatives must not miss.
// Each place is the zero of a difference. All searches ask three questions about it:
//
//   - Is it in the range, for all points of the cell around the search? Where that changes, the
//     difference is a site of the frame around the search (Note [Thresholds]).
//   - How does it move? The implicit function theorem tells (Note [Lifting]). An integral between
//     the place and a fixed point is a strip (Note [Strips]), or goes over the distance from the
//     place if the integrand is singular there (Note [Pivots]).
//   - Is it in the range for all neighbours of what is captured? If the difference is 0 exactly at
//     an end, it is so on one side only. An integral is found on both sides and has the derivatives
//     in which they agree (Note [Sides]). A root or an optimum that neighbours do not have, or
//     whose function leaves its domain, has no derivatives (Note [Moving edges]).

// frame is what one evaluation by a primitive is given and records.
type frame struct {
	// given
	forced []forced // decisions that are proved for every point of the cell but its ends
	steady bool     // they are taken where evaluation shows otherwise, too: a smooth extension is meant
	watch  int      // the site whose difference is recorded even if decided; -1 for none
	zeros  []zero   // differences of which more is proved than evaluation shows
	fixed  bool     // the argument is a constant: what it multiplies by 0 does not vary
	text   text     // of the table that is evaluated, if one is
	stands []stand  // what takes the place of integrals: Note [Exchange]

	// recorded
	met                 // so far
	decides bool        // reals were compared, also if that was decided
	levels  map[int]met // and on other levels: Note [Exchange]
	fold    fold        // what integrals left undecided
	kinked  bool        // some max, min, abs, hypot or norm was undecided, or an inner optimum had ties
	hit     hit         // the last function that was asked for a root
	first   decision    // the first undecided decision
	still   []decision  // the kinks that stay: Note [Kinks that stay]
	kinks   []int       // the sites that were undecided, but for jumps; not more than mostKinks
	edge    decision    // the first difference that may be 0, where nothing is decided but something is singular
	watched decision    // the one at site watch
	edges   []jet.Jet   // of a domain: what is at least 0 in it
	tie     decision    // one inside a primitive, of no site here, that its result depends on
	trouble trouble     // why the first unknown value in this frame is so
}

// text says which text of the table an evaluation is of.
type text uint8

const (
	noText     text = iota
	aRule           // a partial derivative: its conditions hold, or count as false
	aDomain         // a domain: the same, and edges are touched
	ruleDomain      // that of a row which a rule applies: what it touches its row has touched before
)

// mostKinks is how many of the undecided sites a frame keeps.
const mostKinks = 8

// forced says how a decision is to be taken.
type forced struct {
	site int
	side int // 1 if the difference is positive, -1 if it is negative, or hull
}

// hull, for a kink that is undecided and that does not move with the argument, says that it is as if
// the function were smooth: Note [Kinks that stay].
const hull = 0

// zero is a difference that vanishes at one end of a range: Note [Pivots].
type zero struct {
	site   int
	bound  jet.Set               // encloses the difference, if root is nil
	root   func(jet.Set) jet.Set // takes the constant off a germ, which is 0
	newest jet.Tag               // the variables that the difference vanishes for are no newer
}

// decision is the choice by the sign of a difference: x - y for `max x y` and
// for `x < y`, x for `abs x`, x - n where `floor` jumps.
type decision struct {
	met  bool // otherwise the rest means nothing
	jump bool // the value jumps there (a comparison, floor …); otherwise it has a kink
	site int
	at   diag.Span
	diff jet.Jet
}

// trouble is why a value is unknown or an enclosure wide.
type trouble struct {
	code diag.Code // "" for none
	at   diag.Span
	what string // a sentence without a full stop

	hints []string // what is known in spite of it
}

// errUndecided ends an evaluation at a comparison (or floor …) that the frame neither
// decides nor forces; frame.first says which. errBudget ends it when the work of
// the rung is spent.
var (
	errUndecided = errors.New("undecided")
	errBudget    = errors.New("the budget of the rung is spent")
)

// observe evaluates f at x in a fresh frame, and gives what the frame recorded. If
// err is errUndecided, first is the comparison that could not be decided.
//
// Each unforced undecided `max` gives the Clarke hull and sets kinked; each unforced undecided
// comparison ends the evaluation.
func (c *ctx) observe(f function, x jet.Jet, forced []forced, watch int) (y jet.Jet, seen frame, err error) {
	return c.observeIn(frame{forced: forced, watch: watch}, f, x)
}

// observeIn evaluates f at x in the given frame.
func (c *ctx) observeIn(inner frame, f function, x jet.Jet) (y jet.Jet, seen frame, err error) {
	outer, varies := c.frame, c.ZeroIsConstant
	c.frame, c.ZeroIsConstant = &inner, inner.fixed
	y, err = f(x)
	c.frame, c.ZeroIsConstant = outer, varies
	return y, inner, err
}

// side decides the sign of x - y at the next site of the frame: 1, -1, or 0 if it
// is neither proved nor forced.
func (c *ctx) side(at diag.Span, x, y jet.Jet, jump bool) int {
	f := c.frame
	f.decides = true
	site := f.sites
	f.sites++
	if site == f.watch {
		f.watched = decision{met: true, site: site, jump: jump, at: at, diff: c.Sub(x, y)}
	}
	proved := 0
	switch {
	case f.steady && f.sideOf(site) != 0:
		return f.sideOf(site)
	case y.IsZero(): // a number that happens to be 0 would be less clear: Note [Germs]
		proved = c.N.Sign(x.Val())
	case c.Less(y.Val(), x.Val()):
		proved = 1
	case c.Less(x.Val(), y.Val()):
		proved = -1
	}
	if proved != 0 {
		return proved
	}
	if side := f.sideOf(site); side != 0 {
		return side
	}
	if !jump && x.Parallel(y) {
		return 0
	}
	if side := c.leaning(x, y, jump); side != 0 {
		return side
	}
	if !jump && slices.Contains(f.forced, forced{site, hull}) {
		return 0
	}
	diff := c.Sub(x, y)
	if !f.first.met {
		// Two constants that are equal, as in `max 0 0`, make no kink.
		constant := diff.Newest() == 0 && c.N.Width(diff.Val()).IsZero()
		f.first = decision{met: jump || !constant, site: site, jump: jump, at: at, diff: diff}
	}
	if !jump {
		f.kinked = true
		if c.outer(diff) && len(f.still)+len(f.forced) < maxForced {
			f.still = append(f.still, decision{met: true, site: site, at: at, diff: diff})
		}
		if len(f.kinks) < mostKinks {
			f.kinks = append(f.kinks, site)
		}
	}
	return 0
}

// edge is x, at the next site: an argument of a row that is singular at 0. There is nothing to
// decide, but integrals locate the place. It is known better if the frame says so.
func (c *ctx) edge(at diag.Span, x jet.Jet) jet.Jet {
	e := c.edgeOf(at, x)
	c.meet(e)
	return e.diff
}

// edgeOf is the edge x at the next site, which the frame has not met yet.
func (c *ctx) edgeOf(at diag.Span, x jet.Jet) decision {
	f := c.frame
	site := f.sites
	f.sites++
	if site == f.watch {
		f.watched = decision{met: true, site: site, at: at, diff: x}
	}
	return decision{met: true, site: site, at: at, diff: c.sharp(x, site)}
}

// meet records an edge, if it may be 0.
func (c *ctx) meet(e decision) {
	f := c.frame
	if !f.edge.met && c.N.Sign(e.diff.Val()) == 0 && e.diff.Known() && f.sideOf(e.site) == 0 {
		f.edge = e
	}
}

// sideOf is how a decision is forced, or 0.
func (f *frame) sideOf(site int) int {
	for _, d := range f.forced {
		if d.site == site {
			return d.side
		}
	}
	return 0
}

// sharp is the difference x at a site, with what else is known of it.
func (c *ctx) sharp(x jet.Jet, site int) jet.Jet {
	for _, z := range c.frame.zeros {
		switch {
		case z.site != site || !x.Known():
		case z.root != nil:
			if x.Newest() <= z.newest {
				return c.Map(x, func(y jet.Set, known bool) (jet.Set, bool) { return z.root(y), known })
			}
		default:
			if both := c.N.Intersect(x.Val(), z.bound); !c.N.IsEmpty(both) {
				x = x.WithVal(both)
			}
		}
	}
	return x
}

// chosen is x, which the last site took rather than y; sign says whether the difference there
// was x - y or y - x. If y is a number what is known of the difference is so of x.
func (c *ctx) chosen(x, y jet.Jet, sign int) jet.Jet {
	if len(c.frame.zeros) == 0 || c.Moves(y) || !c.N.IsPoint(y.Val()) {
		return x
	}
	flat := c.N.Mag(y.Val()).IsZero()
	if !flat {
		x = c.Sub(x, y)
	}
	if sign < 0 {
		x = c.Neg(x)
	}
	x = c.sharp(x, c.frame.sites-1)
	if sign < 0 {
		x = c.Neg(x)
	}
	if !flat {
		x = c.Add(x, y)
	}
	return x
}

// kink records a kink that is not a two-sided decision: several maximisers, the
// origin of a norm.
func (c *ctx) kink(at diag.Span) {
	c.frame.kinked = true
	c.report(trouble{code: diag.NotNarrowed, at: at, what: "the derivative jumps here"})
}

// report records why something is unknown or wide, unless a reason was recorded before.
// A primitive that fails hands the reason of its search on to the frame around
// it: c.report(seen.trouble).
func (c *ctx) report(t trouble) {
	if c.frame.trouble.code == "" {
		c.frame.trouble = t
	}
}
