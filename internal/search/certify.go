package search

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [Guard]
//
// A search on doubles looks at finitely many points: it may miss a feature that lies between them,
// and what it does at ties, ends and kinks rests on tolerances. So every search that no other one
// has called is certified: package exact runs it on double intervals, with the same function and
// with what that captures, and encloses its value and its derivatives of every order that is asked
// for. There, which side each comparison takes, which maximum wins and where a crossing is are
// proved and not sampled.
//
//   - An integral is the one that quadrature found if that lies in the enclosure, for it has more
//     digits; otherwise it is the middle of the enclosure. Roots and optima are the middles.
//   - The derivatives are the middles of their enclosures: the search becomes one node of the
//     tape, a polynomial in the variables that it depends on (Series).
//   - An enclosure that is wider than users of doubles expect is an error, which names exact mode.
//
// What users expect is relative to a size, and an estimate of it may be wrong like any other: the
// integral of |sin (x^2)| to infinity, which does not exist, is some huge number for quadrature,
// and every enclosure is narrow beside that. So enclosures are judged by sizes that are certified
// too:
//
//   - a value is judged by its own least magnitude in the enclosure. If the value is smaller than
//     its parts, an integral is judged by a lower bound of the integral of |f|, a largest value by
//     a lower bound of the largest |f| (exact's Scale), and a root or the place of an optimum by
//     the largest number of the range, or by 1 if that is less;
//   - a derivative is judged by the largest of its order, or by the size of the value, or by 1 if
//     that is less;
//   - a value of 0 that consists of rounding errors alone, as exp (log x) - x does, is judged by
//     the width of its enclosure on doubles: the enclosure on balls must have 2⁻⁴⁸ of that width.
//
// Estimates decide what an attempt asks for, and nothing else: after a bad one there is another
// attempt, for which the first enclosure says what to ask.
//
// Searches inside the function of another one are not certified one by one: the enclosure of the
// outer one contains whatever they are.

const (
	// The width asked for, relative to the size of what is enclosed. What balls are needed for
	// converges slowly.
	doubleAsks = 0x1p-44
	ballAsks   = 0x1p-36
	// guardAccepts is the relative width that is accepted if no effort gives a narrower one.
	guardAccepts = 0x1p-29
	// guardTries is how often a search is run, each time with a smaller tolerance, until the
	// derivatives are narrow for their own sizes; blindTries until the value is accepted.
	guardTries, blindTries = 2, 4

	guardCells = 1 << 10
	// The work of a search, in all tries: up to a second or so. On balls a unit is dearer.
	doubleWork = 3 << 24
	ballWork   = 1 << 20
	scaleWork  = 1 << 20 // for a size: exact's Scale
	// fewVariables is up to how many variables a search is run once for each of them.
	fewVariables = 3
)

// certified encloses a search that is not inside of another one.
func (r *run) certified() (Found, *diag.Diagnostic) {
	if r.problem.Row().Row().Over != 0 {
		return r.box()
	}
	switch r.problem.Row() {
	case prim.Crosses:
		yes, d := r.crosses()
		return Found{Yes: yes}, d
	case prim.Integral, prim.IntegralFrom:
		e, failure := r.quadrature()
		found, d := r.enclosed(e)
		if d != nil && failure != nil && d.Code == diag.NotCertified {
			switch failure.Code {
			case diag.NotCertified:
			case diag.NoIntegral: // which is not proved
				d.WithHint("heuristics find that %s", failure.Message)
			default:
				d = failure // which says more
			}
		}
		return found, d
	case prim.MaxOver:
		return r.enclosed(estimate{math.NaN(), r.scale()})
	}
	return r.enclosed(estimate{math.NaN(), r.reach()})
}

// enclosed is a search for a real, certified, with an estimate of it.
func (r *run) enclosed(e estimate) (Found, *diag.Diagnostic) {
	settle := func(p *Series, d *diag.Diagnostic) *diag.Diagnostic {
		if d != nil {
			return d
		}
		if r.problem.Row() == prim.MaxOver {
			e.value = p.terms[0].set.Inf() // the largest value that was met
		}
		d = p.settle(e.value, guardAccepts, r.size)
		if r.over != nil { // so what it was judged by is too small
			return r.over
		}
		return d
	}
	p, d := r.doubles.narrow(r, e.size)
	d = settle(p, d)
	if d != nil && d.Code == diag.NotCertified || d == nil && p.doubtful() {
		q, failure := r.balls.narrow(r, e.size)
		q.compare(p)
		if failure = settle(q, failure); failure == nil || d != nil {
			p, d = q, failure
		}
	}
	if d != nil {
		return Found{}, d
	}
	value := p.terms[0].c
	if len(r.at) == 0 {
		return Found{Number: Number{Value: value}}, nil
	}
	if r.order == 1 && p.doubtful() {
		p.resolve = func(slopes []float64) (*Series, *diag.Diagnostic) {
			scale := max(e.size, math.Abs(value), 0x1p-900)
			q, d := r.doubles.lean(r, slopes, scale)
			if d != nil || q.settle(value, guardAccepts, r.size) != nil || q.doubtful() {
				onDoubles := q
				q, d = r.balls.lean(r, slopes, scale)
				q.compare(onDoubles)
			}
			if d == nil {
				d = q.settle(value, guardAccepts, r.size)
			}
			return q, d
		}
	}
	return Found{Number: Number{value, p}}, nil
}

// size is a certified lower bound of the size of what the value is made of, up to what is enough.
func (r *run) size(enough float64) float64 {
	switch r.problem.Row() {
	case prim.Integral, prim.IntegralFrom, prim.MaxOver:
		if r.least < enough && r.measured < enough {
			least, d := r.doubles.scale(r, enough)
			r.least, r.measured = max(r.least, least), enough
			if d != nil && d.Code.Limit() {
				r.over = d
			}
		}
		return r.least
	}
	return min(r.reach(), 1)
}

// crosses decides whether there is a first root.
func (r *run) crosses() (bool, *diag.Diagnostic) {
	yes, d := r.doubles.crosses(r)
	if d != nil && d.Code == diag.NotCertified {
		return r.balls.crosses(r)
	}
	return yes, d
}

// tier certifies searches on one kind of number.
type tier struct {
	program Program
	make    func(*core.Program, *stop.Watch) exact.Certifier
	asks    float64          // the relative width to reach
	work    int64            // that a search may do
	made    exact.Certifier  // nil until it is needed
	defined map[string]bool  // which constants of the program it has
	asked   asked            // the last function of a `crosses`
	left    int64            // of the work, for the search in progress
	known   *exact.BoxSearch // what the last search in a box knows, if the run is unguarded; or nil
	done    int64            // work, in all searches
}

// certifier is that of the tier, with the constants of the program that are known by now.
func (t *tier) certifier() (c exact.Certifier, d *diag.Diagnostic) {
	defer stop.Catch(&d)
	if t.made == nil {
		t.made, t.defined = t.make(t.program.Core(), t.program.Watch()), map[string]bool{}
	}
	return t.made, t.program.Define(t.made, t.defined)
}

// build makes the function and the bounds of a search.
func (r *run) build(c exact.Certifier) (fun any, bounds exact.Slots, d *diag.Diagnostic) {
	defer stop.Catch(&d)
	return r.problem.Build(c)
}

// asked is a function as a certifier has it. `hit f` asks whether there is a root and then for the
// root, and the certifier knows for the second search what it found out in the first one.
type asked struct {
	text string // describes it
	fun  any
}

// run makes a search with variables. Its work is taken from what is left.
func (t *tier) run(r *run, v exact.Variables, e exact.Effort) ([]exact.Coefficient, exact.Outcome) {
	c, d := t.certifier()
	if d != nil {
		return nil, exact.Outcome{Failure: d}
	}
	c.Begin(v)
	fun, bounds := t.asked.fun, c.Slots()
	if r.problem.Row() != prim.FirstRoot || r.text == "" || t.asked.text != r.text {
		if fun, bounds, d = r.build(c); d != nil {
			return nil, exact.Outcome{Failure: d}
		}
	}
	list, o := c.Search(r.problem.Row(), r.problem.Place(), bounds, fun, e)
	t.left -= o.Work
	t.done += o.Work
	return list, o
}

// scale is a lower bound of the size of what the value of a search is made of; 0 if nothing is
// known. The diagnostic says why it looked no further.
func (t *tier) scale(r *run, enough float64) (float64, *diag.Diagnostic) {
	c, d := t.certifier()
	if d != nil {
		return 0, d
	}
	c.Begin(exact.Variables{At: r.at})
	fun, bounds, d := r.build(c)
	if d != nil {
		return 0, d
	}
	e := t.effort(t.asks * enough)
	e.Work = scaleWork
	least, o := c.Scale(r.problem.Row(), r.problem.Place(), bounds, fun, enough, e)
	t.done += o.Work
	return least, o.Failure
}

func (t *tier) effort(tol float64) exact.Effort {
	return exact.Effort{Tol: tol, Cells: guardCells, Work: t.left, Stop: t.program.Stop}
}

// narrow encloses a search until every coefficient is narrow for its own size, or the tries are
// spent. The size is an estimate, 0 if there is none.
func (t *tier) narrow(r *run, size float64) (best *Series, d *diag.Diagnostic) {
	tol := t.asks
	if r.problem.Row() == prim.MaxOver {
		tol *= 0x1p-6 // where it is flat, the largest value met is that far off
	}
	if size > 0 && !math.IsInf(size, 0) {
		tol *= size
	}
	t.left = t.work
	for try := 1; try <= blindTries; try++ {
		p, d := t.attempt(r, tol)
		if d != nil {
			if best == nil {
				return nil, d
			}
			break
		}
		best = p
		next := p.narrower(t.asks, r.size)
		if next == 0 || next >= tol || try >= guardTries &&
			p.accepted(&p.terms[0], 0, guardAccepts, r.size) {
			break
		}
		tol = next
	}
	return best, nil
}

// lean is a search with its first derivatives beside a tie, on the side to which the variables go
// along their slopes: exact, Note [Leaning].
func (t *tier) lean(r *run, slopes []float64, size float64) (*Series, *diag.Diagnostic) {
	p := &Series{}
	t.left = t.work
	e := t.effort(t.asks * size)
	e.Lean = 1
	for k := range r.at {
		by := []int{k}
		list, o := t.run(r, exact.Variables{At: r.at, By: by, Order: 1, Lean: slopes}, e)
		if o.Failure != nil {
			return nil, o.Failure
		}
		if list == nil {
			return nil, uncertified(o.Doubt, "its value is not known")
		}
		p.addAll(by, list, o.Doubt)
	}
	return p, nil
}

// attempt encloses a search with a tolerance. If it depends on several variables the first
// derivatives are taken by all of them at once; one by one where those are lost, or wide because of
// a kink.
func (t *tier) attempt(r *run, tol float64) (*Series, *diag.Diagnostic) {
	if r.order > 0 && len(r.at) > fewVariables {
		p, d := t.reverse(r, tol)
		if d != nil {
			return nil, d
		}
		if p != nil && p.narrow(guardAccepts, r.size) {
			return p, nil
		}
		t.left = t.work
	}
	return t.enclose(r, groups(len(r.at), r.order), tol)
}

// reverse encloses a search with its derivatives by all variables at once, once for each set of
// variables that a derivative of one order less mentions. It is nil if the value is not known.
func (t *tier) reverse(r *run, tol float64) (*Series, *diag.Diagnostic) {
	p := &Series{}
	for _, by := range groups(len(r.at), r.order-1) {
		v := exact.Variables{At: r.at, By: by, Order: r.order - 1, All: true}
		list, o := t.run(r, v, t.effort(tol))
		if o.Failure != nil || list == nil {
			return nil, o.Failure
		}
		p.addAll(by, list, o.Doubt)
	}
	return p, nil
}

// enclose runs a search with a tolerance, once for each set of variables to differentiate by.
func (t *tier) enclose(r *run, groups [][]int, tol float64) (*Series, *diag.Diagnostic) {
	p := &Series{}
	for _, by := range groups {
		list, o := t.run(r, exact.Variables{At: r.at, By: by, Order: r.order}, t.effort(tol))
		switch {
		case o.Failure != nil:
			return nil, o.Failure
		case list == nil && len(by) == 0:
			return nil, uncertified(o.Doubt, "its value is not known")
		case list == nil: // as long as its variables vary
			p, d := t.enclose(r, [][]int{nil}, tol)
			if d == nil {
				p.addUnknown(len(r.at), o.Doubt)
			}
			return p, d
		}
		p.addAll(by, list, o.Doubt)
	}
	return p, nil
}

// mostAtOnce bounds how many variables one evaluation is differentiated by.
const mostAtOnce = 32

// crosses tells whether there is a root. Every variable that the function depends on has a turn as
// one to differentiate by, so that a root that only some of its values have is found out.
func (t *tier) crosses(r *run) (yes bool, d *diag.Diagnostic) {
	c, d := t.certifier()
	if d != nil {
		return false, d
	}
	t.left = t.work
	all := make([]int, len(r.at))
	for i := range all {
		all[i] = i
	}
	for first := true; first || len(all) > 0; first = false {
		some := all[:min(len(all), mostAtOnce)]
		all = all[len(some):]
		c.Begin(exact.Variables{At: r.at, By: some, Order: min(r.order, 1)})
		fun, _, d := r.build(c)
		if d != nil {
			return false, d
		}
		t.asked = asked{r.text, fun}
		var o exact.Outcome
		yes, o = c.Crosses(r.problem.Place(), fun, t.effort(t.asks))
		t.done += o.Work
		switch {
		case o.Failure != nil:
			return false, o.Failure
		case o.Doubt != nil:
			return false, uncertified(o.Doubt, "whether there is a root is not known")
		}
	}
	return yes, nil
}

// groups are the sets of n variables to differentiate by at once: all of them if they are few;
// otherwise as many as there are orders, since a derivative mentions no more.
func groups(n, order int) (list [][]int) {
	size := min(order, n)
	if n <= 1 || order > 1 && n <= 3 {
		size = n
	}
	var choose func(from int, chosen []int)
	choose = func(from int, chosen []int) {
		if len(chosen) == size {
			list = append(list, slices.Clone(chosen))
			return
		}
		for k := from; k <= n-size+len(chosen); k++ {
			choose(k+1, append(chosen, k))
		}
	}
	choose(0, nil)
	return list
}
