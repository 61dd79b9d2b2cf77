package search

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Boxes]
//
// There are no heuristics for boxes: package exact finds the roots and the optima, by local methods
// first, and proves them. The numbers are the middles of what it encloses them by. Where a search
// is run several times, for derivatives by several sets of variables, its places must come in one
// order, so each enclosure must meet the one of the same number and no other.

// Note [Unguarded boxes]. A search in a box that is not certified knows the best point that it has
// met, or the roots that it has proved. An unguarded run takes these, if nothing varies. Otherwise
// it takes the middles of whatever encloses the result and its derivatives.

// box is a search in a box, certified unless the run is unguarded.
func (r *run) box() (Found, *diag.Diagnostic) {
	found, d := r.boxCertified()
	if d == nil || d.Code != diag.NotCertified || !r.unguarded {
		return found, d
	}
	for _, t := range []*tier{r.doubles, r.balls} {
		if best, ok := r.best(t.known); ok {
			return best, nil
		}
	}
	return found, d
}

// best is the best that is known of a search: Note [Unguarded boxes].
func (r *run) best(b *exact.BoxSearch) (found Found, ok bool) {
	if b == nil || len(r.at) > 0 {
		return found, false
	}
	add := func(place []exact.Enclosure) {
		xs := make([]Number, len(place))
		for i, e := range place {
			xs[i].Value = e.Middle()
		}
		found.Places = append(found.Places, xs)
	}
	switch row := r.problem.Row(); {
	case b.Optimum && b.Best == nil:
		return found, false
	case row == prim.BoxMaxOver:
		found.Number.Value, _ = b.Value.Lo.Float64()
	case b.Optimum:
		add(b.Best)
	case row == prim.BoxRoot && len(b.Found) == 0:
		return found, false
	case row == prim.BoxRoot:
		add(b.Found[0])
	default:
		for _, place := range b.Found {
			add(place)
		}
	}
	return found, true
}

func (r *run) boxCertified() (Found, *diag.Diagnostic) {
	accepts := guardAccepts
	if r.unguarded && len(r.at) > 0 {
		accepts = math.Inf(1)
	}
	settle := func(places [][]*Series, size float64) *diag.Diagnostic {
		var first *diag.Diagnostic
		for _, place := range places {
			for _, p := range place {
				value := math.NaN()
				if r.problem.Row() == prim.BoxMaxOver {
					value = p.terms[0].set.Inf() // the largest value that was met
				}
				if d := p.settle(value, accepts, r.unit(size)); first == nil {
					first = d
				}
			}
		}
		return first
	}
	doubtful := func(places [][]*Series) bool {
		for _, place := range places {
			for _, p := range place {
				if p.doubtful() {
					return true
				}
			}
		}
		return false
	}
	places, size, d := r.doubles.boxes(r)
	if d == nil {
		d = settle(places, size)
	}
	if d != nil && d.Code == diag.NotCertified || d == nil && doubtful(places) {
		onBalls, size, failure := r.balls.boxes(r)
		if failure == nil && len(onBalls) == len(places) {
			for k, place := range onBalls {
				for i, p := range place {
					p.compare(places[k][i])
				}
			}
		}
		if failure == nil {
			failure = settle(onBalls, size)
		}
		if failure == nil || d != nil {
			places, d = onBalls, failure
		}
	}
	if d != nil {
		return Found{}, d
	}
	found := Found{Places: make([][]Number, len(places))}
	for k, place := range places {
		for _, p := range place {
			x := Number{Value: p.terms[0].c}
			if len(r.at) > 0 {
				x.Series = p
			}
			found.Places[k] = append(found.Places[k], x)
		}
	}
	if r.problem.Row() == prim.BoxMaxOver {
		found.Number = found.Places[0][0]
	}
	return found, nil
}

// unit is by what a number that a search in a box finds is judged, if it is smaller than what it is
// made of: the largest |f| that was met, or the size of the numbers of the range, up to 1.
func (r *run) unit(size float64) func(float64) float64 {
	if r.problem.Row() != prim.BoxMaxOver {
		size = min(r.reach(), 1)
	}
	return func(float64) float64 { return size }
}

// boxes encloses a search in a box until every coefficient is narrow for its own size, or the tries
// are spent. It gives a size that |f| reaches, too.
func (t *tier) boxes(r *run) (best [][]*Series, size float64, d *diag.Diagnostic) {
	tol := t.asks
	t.left = t.work
	for try := 1; try <= blindTries; try++ {
		places, reached, d := t.boxed(r, tol)
		if d != nil {
			if best == nil {
				return nil, 0, d
			}
			break
		}
		best, size = places, max(size, reached)
		next, accepted := 0.0, true
		for _, place := range places {
			for _, p := range place {
				if ask := p.narrower(t.asks, r.unit(size)); ask > 0 && (next == 0 || ask < next) {
					next = ask
				}
				accepted = accepted && p.accepted(&p.terms[0], 0, guardAccepts, r.unit(size))
			}
		}
		if next == 0 || next >= tol || try >= guardTries && accepted {
			break
		}
		tol = next
	}
	return best, size, nil
}

// boxed runs a search in a box with a tolerance, once for each set of variables to differentiate
// by: by all of them at once if they are many.
func (t *tier) boxed(r *run, tol float64) (places [][]*Series, size float64, d *diag.Diagnostic) {
	sets, all := groups(len(r.at), r.order), false
	if r.order > 0 && len(r.at) > fewVariables {
		sets, all = groups(len(r.at), r.order-1), true
	}
	for _, by := range sets {
		v := exact.Variables{At: r.at, By: by, Order: r.order}
		if all {
			v.Order, v.All = r.order-1, true
		}
		found, o := t.runBox(r, v, t.effort(tol))
		switch {
		case o.Failure != nil:
			return nil, 0, o.Failure
		case found == nil:
			return nil, 0, uncertified(o.Doubt, "its value is not known")
		}
		size = max(size, o.Size)
		next := make([][]*Series, len(found))
		for k, place := range found {
			for _, list := range place {
				p := &Series{}
				p.addAll(by, list, o.Doubt)
				next[k] = append(next[k], p)
			}
		}
		if places == nil {
			places = next
			continue
		}
		if !sameOrder(places, next) {
			return nil, 0, uncertified(nil, "two of the places that it finds cannot be told apart")
		}
		for k, place := range next {
			for i, p := range place {
				for _, term := range p.terms {
					places[k][i].add(term)
				}
			}
		}
	}
	return places, size, nil
}

// runBox makes a search in a box with variables. Its work is taken from what is left.
func (t *tier) runBox(
	r *run, v exact.Variables, e exact.Effort,
) ([][][]exact.Coefficient, exact.Outcome) {
	c, d := t.certifier()
	if d != nil {
		return nil, exact.Outcome{Failure: d}
	}
	c.Begin(v)
	fun, bounds, d := r.build(c)
	if d != nil {
		return nil, exact.Outcome{Failure: d}
	}
	e.Known = r.unguarded
	found, o := c.Box(r.problem.Row(), r.problem.Place(), bounds, fun, e)
	t.known = o.Known
	t.left -= o.Work
	t.done += o.Work
	return found, o
}

// sameOrder tells whether two lists of places are certainly of the same places in the same order.
func sameOrder(xs, ys [][]*Series) bool {
	meet := func(x, y []*Series) bool {
		for i := range x {
			a, b := x[i].terms[0].set, y[i].terms[0].set
			if a.Sup() < b.Inf() || b.Sup() < a.Inf() {
				return false
			}
		}
		return true
	}
	if len(xs) != len(ys) {
		return false
	}
	for k, x := range xs {
		for l, y := range ys {
			if meet(x, y) != (k == l) {
				return false
			}
		}
	}
	return true
}
