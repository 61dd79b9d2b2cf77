package search

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interval"
)

// Series is what a search is in the neighbourhood of its variables: the terms of its Taylor series,
// its value first, each an enclosure.
type Series struct {
	terms   []term
	resolve func(slopes []float64) (*Series, *diag.Diagnostic) // of a tie: see Resolve
}

// term is a coefficient of a product of variables.
type term struct {
	of    []int // the variables, in their order, each as often as its power says
	set   interval.Interval
	known bool
	// what it is made of, by the width that it has on doubles; 0 if that is not known
	grain float64
	c     float64          // from the set
	wrong *diag.Diagnostic // why c is not to be used; nil if it is
	why   *diag.Diagnostic // what is known of the reason if the set is wide
}

// add adds a term, unless it is there.
func (p *Series) add(t term) {
	for _, u := range p.terms {
		if slices.Equal(u.of, t.of) {
			return
		}
	}
	p.terms = append(p.terms, t)
}

// addAll adds what a run by some variables gave.
func (p *Series) addAll(by []int, list []exact.Coefficient, why *diag.Diagnostic) {
	for _, c := range list {
		var of []int
		for k, n := range c.Powers {
			for range n {
				of = append(of, by[k])
			}
		}
		set := c.Set
		for _, k := range c.Of { // the coefficient is that of the derivative
			of = append(of, k)
			slices.Sort(of)
			set = interval.Div(set, interval.Point(power(of, k)))
		}
		p.add(term{of: of, set: set, known: c.Known, why: why})
	}
}

// power is how often a variable is in a product.
func power(of []int, k int) (n float64) {
	for _, v := range of {
		if v == k {
			n++
		}
	}
	return n
}

// addUnknown adds that nothing is known of the first derivatives.
func (p *Series) addUnknown(variables int, why *diag.Diagnostic) {
	for k := range variables {
		p.add(term{of: []int{k}, set: interval.Entire(), why: why})
	}
}

// unknownSeries is a number without any derivative.
func unknownSeries(variables int, why *diag.Diagnostic) *Series {
	p := &Series{terms: []term{{set: interval.Entire(), known: true}}}
	p.addUnknown(variables, why)
	return p
}

// narrower is the tolerance with which a search should be tried again, for every coefficient to be
// narrow for its own size; 0 if all are. The value may be narrow for the size of what it is made
// of.
func (p *Series) narrower(asks float64, unit func(enough float64) float64) float64 {
	tol := 0.0
	for _, t := range p.terms {
		w, size := t.set.Width(), t.set.Mag()
		if !t.known || !(w > 16*asks*size) || math.IsInf(w, 0) {
			continue
		}
		if len(t.of) == 0 {
			if size = max(size, unit(w/(16*asks))); w <= 16*asks*size {
				continue
			}
		}
		if ask := asks * size; tol == 0 || ask < tol {
			tol = ask
		}
	}
	return tol
}

// settle chooses the coefficients: for the value, which comes first, what was found if that is
// possible. Each must be as narrow as accepted, relative to its size: Note [Guard]. It fails if the
// value is not; of a derivative, whoever asks for it learns that.
func (p *Series) settle(found, accepted float64,
	unit func(enough float64) float64) *diag.Diagnostic {
	largest := p.largest()
	for k := range p.terms {
		t := &p.terms[k]
		t.c, t.wrong = t.set.Mid(), nil
		what := "it"
		if len(t.of) > 0 {
			what = "a derivative of it"
		} else if x, ok := simple(t.set); ok {
			t.c = x
		} else if t.set.Contains(found) {
			t.c = found
		}
		switch {
		case !t.known:
			t.wrong = uncertified(t.why, what+" is not known")
		case !p.accepted(t, largest[len(t.of)], accepted, unit):
			t.wrong = uncertified(t.why, what+" is only known to be in "+t.set.String())
		}
	}
	return p.terms[0].wrong
}

// largest is the least magnitude of the largest coefficient of each order.
func (p *Series) largest() map[int]float64 {
	largest := map[int]float64{}
	for _, t := range p.terms {
		largest[len(t.of)] = max(largest[len(t.of)], t.set.Mig(), 0x1p-900)
	}
	return largest
}

// accepted tells whether a term is as narrow as accepted, relative to the largest of its order, to
// the value or to the unit: Note [Guard]. That is asked for no more than is enough.
func (p *Series) accepted(
	t *term, largest, accepted float64, unit func(enough float64) float64,
) bool {
	w := t.set.Width()
	size := max(largest, t.set.Mig(), t.grain)
	if len(t.of) > 0 {
		size = max(size, min(1, p.terms[0].set.Mig()))
	}
	switch {
	case math.IsInf(w, 0) || math.IsNaN(w):
		return false
	case w <= accepted*size:
		return true
	case len(t.of) > 0 && w > accepted:
		return false
	}
	return w <= accepted*unit(w/accepted)
}

// compare sets the grains of terms on balls, from the same terms on doubles: nil if there are none.
func (p *Series) compare(onDoubles *Series) {
	if p == nil || onDoubles == nil {
		return
	}
	for k := range p.terms {
		t := &p.terms[k]
		for _, u := range onDoubles.terms {
			if w := u.set.Width(); slices.Equal(t.of, u.of) && u.known && !math.IsInf(w, 0) {
				t.grain = 0x1p-19 * w
			}
		}
	}
}

// narrow tells whether all coefficients are as narrow as accepted, relative to their sizes.
func (p *Series) narrow(accepted float64, unit func(enough float64) float64) bool {
	largest := p.largest()
	return !slices.ContainsFunc(p.terms, func(t term) bool {
		return !t.known || !p.accepted(&t, largest[len(t.of)], accepted, unit)
	})
}

// simple is a number of few digits in an enclosure that roundoff has made, if there is one: an
// integral that is 1 should be a bound or a side of a comparison as if it were computed exactly.
func simple(x interval.Interval) (float64, bool) {
	lo, hi := x.Inf(), x.Sup()
	if lo <= 0 && 0 <= hi || !(hi-lo <= 0x1p-49*x.Mag()) {
		return 0, lo == 0 && hi == 0
	}
	grain := math.Ldexp(1, math.Ilogb(x.Mag())-24)
	y := math.Round(x.Mid()/grain) * grain
	return y, lo <= y && y <= hi
}

// doubtful tells whether a coefficient is not certain.
func (p *Series) doubtful() bool {
	return slices.ContainsFunc(p.terms, func(t term) bool { return t.wrong != nil })
}

// Tied tells whether first derivatives depend on the side from which the variables are approached.
func (p *Series) Tied() bool { return p.resolve != nil }

// Resolve gives a tie the derivatives beside it, where the variables go along slopes.
func (p *Series) Resolve(slopes []float64) *diag.Diagnostic {
	q, d := p.resolve(slopes)
	if d == nil {
		p.terms = q.terms
	}
	return d
}

// Value is the constant term, and whether there is one. It is wrong with a reason if it is not
// known.
func (p *Series) Value() (c float64, some bool, wrong *diag.Diagnostic) {
	for _, t := range p.terms {
		if len(t.of) == 0 {
			return t.c, true, t.wrong
		}
	}
	return 0, false, nil
}

// Varies tells whether there are terms besides the constant one.
func (p *Series) Varies() bool {
	return slices.ContainsFunc(p.terms, func(t term) bool { return len(t.of) > 0 })
}

// By is the derivative by a variable.
func (p *Series) By(k int) *Series {
	d := &Series{}
	for _, t := range p.terms {
		at := slices.Index(t.of, k)
		if at < 0 {
			continue
		}
		of := slices.Delete(slices.Clone(t.of), at, at+1)
		d.terms = append(d.terms, term{of: of, c: power(t.of, k) * t.c, wrong: t.wrong})
	}
	return d
}

// DependsOn tells whether a variable is in some term.
func (p *Series) DependsOn(k int) bool {
	return slices.ContainsFunc(p.terms, func(t term) bool { return slices.Contains(t.of, k) })
}
