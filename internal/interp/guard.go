package interp

import (
	"math"
	"math/bits"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
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
//     tape, a polynomial in the variables that it depends on (taylorNode).
//   - An enclosure that is wider than users of doubles expect is an error, which names exact mode.
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
	// derivatives are narrow for their own sizes; or the value is, if its size is not known.
	guardTries, blindTries = 2, 4

	guardCells = 1 << 10
	// Calls of functions, in all tries: on balls each is dearer.
	doubleCalls = 1 << 17
	ballCalls   = 1 << 13
)

// guarded tells whether a search is to be certified.
func (m *Machine) guarded() bool {
	return m.searching == 0 && !m.code.opts.Unguarded && !m.code.opts.IEEETies
}

// guard certifies the searches of a machine: on double intervals, and on balls where these fail, as they do
// at singularities and towards infinity.
type guard struct {
	m       *Machine
	doubles *tier[interval.Interval]
	balls   *tier[*ball.Ball]
}

func (m *Machine) newGuard() *guard {
	return &guard{m: m,
		doubles: &tier[interval.Interval]{m: m, make: exact.Doubles, asks: doubleAsks, calls: doubleCalls},
		balls:   &tier[*ball.Ball]{m: m, make: exact.Balls, asks: ballAsks, calls: ballCalls},
	}
}

// certified runs a search that is not inside of another one.
func (m *Machine) certified(name string, at *searchSite, f realFunction) (out slotSink, d *diag.Diagnostic) {
	if m.guard == nil {
		m.guard = m.newGuard()
	}
	g := m.guard
	m.searching++
	defer func() { m.searching-- }()
	var x float64
	switch name {
	case "crosses":
		var yes bool
		yes, d = g.crosses(at)
		return slotSink{i: []int64{truth(yes)}}, d
	case "integral", "integralFrom":
		found, failure := m.estimate(at, f)
		x, d = g.search(name, at, found.value, found.size)
		if d != nil && failure != nil && d.Code == diag.NotCertified {
			d = failure // which says more
		}
	case "maxOver":
		x, d = g.search(name, at, math.NaN(), m.scale(at, f))
	default:
		size := 0.0
		for _, bound := range at.bounds {
			size = max(size, math.Abs(m.tape.value(bound)))
		}
		x, d = g.search(name, at, math.NaN(), size)
	}
	return slotSink{f: []float64{x}}, d
}

// scale is how large a function is at the ends and in the middle of its range, 0 if that is not known.
func (m *Machine) scale(at *searchSite, f realFunction) (size float64) {
	a, b := m.tape.value(at.bounds[0]), m.tape.value(at.bounds[1])
	_ = m.frozen(func() *diag.Diagnostic {
		for _, x := range []float64{a, a + (b-a)/2, b} {
			if y, d := f(x); d == nil && !math.IsInf(y, 0) {
				size = max(size, math.Abs(m.tape.value(y)))
			}
		}
		return nil
	})
	return size
}

// search is a search for a real, certified. Found is what a heuristic has found, NaN for nothing, and size
// is that of what the result is made of, 0 if that is not known.
func (g *guard) search(name string, at *searchSite, found, size float64) (float64, *diag.Diagnostic) {
	vars, mask, order := g.depends(at)
	settle := func(p *taylor, d *diag.Diagnostic) *diag.Diagnostic {
		if d != nil {
			return d
		}
		if name == "maxOver" {
			found = p.terms[0].set.Inf() // the largest value that was met
		}
		return p.settle(found, size)
	}
	p, d := g.doubles.narrow(name, at, vars, order, size)
	d = settle(p, d)
	if d != nil && d.Code == diag.NotCertified || d == nil && p.doubtful() {
		q, failure := g.balls.narrow(name, at, vars, order, size)
		if failure = settle(q, failure); failure == nil || d != nil {
			p, d = q, failure
		}
	}
	if d != nil {
		return 0, d
	}
	value := p.terms[0].c
	if len(vars) == 0 {
		return value, nil
	}
	node := &taylorNode{poly: p}
	tied := order == 1 && p.doubtful()
	if tied {
		site := *at
		node.resolve = func(slopes []float64) (*taylor, *diag.Diagnostic) {
			scale := max(size, math.Abs(value), 0x1p-900)
			q, d := g.doubles.lean(name, &site, vars, slopes, scale)
			if d != nil || q.settle(value, size) != nil || q.doubtful() {
				q, d = g.balls.lean(name, &site, vars, slopes, scale)
			}
			if d == nil {
				d = q.settle(value, size)
			}
			return q, d
		}
		node.vars = vars
	}
	return g.m.tape.addSearch(value, node, mask, tied), nil
}

// crosses decides whether there is a first root.
func (g *guard) crosses(at *searchSite) (bool, *diag.Diagnostic) {
	vars, _, order := g.depends(at)
	yes, d := g.doubles.crosses(at, vars, min(order, 1))
	if d != nil && d.Code == diag.NotCertified {
		return g.balls.crosses(at, vars, min(order, 1))
	}
	return yes, d
}

// depends finds the variables of derivatives that a search depends on, and how many derivatives
// are taken of it.
func (g *guard) depends(at *searchSite) (vars []handle, mask levels, order int) {
	tr := translate(g.m, g.doubles.certifier(), nil)
	tr.search(at)
	t := g.m.tape
	for _, h := range tr.seen {
		mask |= t.mask(box(h))
	}
	order = bits.OnesCount16(uint16(mask & t.live))
	if mask&t.live&deepest != 0 {
		order = t.depth
	}
	return tr.seen, mask, order
}

// tier certifies searches on one kind of number.
type tier[T any] struct {
	m       *Machine
	make    func(*core.Program) *exact.Certifier[T]
	asks    float64             // the relative width to reach
	calls   int64               // of functions that a search may make
	made    *exact.Certifier[T] // nil until it is needed
	defined []bool              // which constants of the program it has
	left    int64               // of the calls, for the search in progress
}

// certifier is that of the tier, with the constants of the program that are known by now.
func (r *tier[T]) certifier() *exact.Certifier[T] {
	m := r.m
	if r.made == nil {
		r.made, r.defined = r.make(m.code.program), make([]bool, len(m.globals))
	}
	for k := range m.globals {
		if v, def := &m.globals[k], m.code.globals[k]; v.done && !r.defined[k] {
			r.defined[k] = true
			tr := translate(m, r.made, nil)
			var value exact.Value[T]
			tr.value(def.ty, &slotSource{f: v.f, i: v.i, p: v.p}, &value)
			tr.finish()
			r.made.Define(def.name, value)
		}
	}
	return r.made
}

func (r *tier[T]) effort(tol float64) exact.Effort {
	return exact.Effort{Tol: tol, Cells: guardCells, Calls: r.left, Stop: r.m.pause}
}

// pause lets a search be interrupted.
func (m *Machine) pause() error {
	if d := m.tick(); d != nil {
		return d
	}
	return nil
}

// narrow encloses a search until every coefficient is narrow for its own size, or the tries are
// spent.
func (r *tier[T]) narrow(name string, at *searchSite, vars []handle, order int, size float64) (best *taylor, d *diag.Diagnostic) {
	tol, tries := r.asks, blindTries
	if name == "maxOver" {
		tol *= 0x1p-6 // where it is flat, the largest value met is that far off
	}
	if size > 0 {
		tol, tries = tol*size, guardTries
	}
	r.left = r.calls
	for range tries {
		p, d := r.enclose(name, at, vars, order, tol)
		if d != nil {
			if best == nil {
				return nil, d
			}
			break
		}
		best = p
		next := p.narrower(r.asks, size)
		if next == 0 || next >= tol {
			break
		}
		tol = next
	}
	return best, nil
}

// variables opens a variable for each of some entries of the tape.
func (r *tier[T]) variables(of []handle, order int) map[handle]jet.Jet[T] {
	vars := map[handle]jet.Jet[T]{}
	for _, h := range of {
		vars[h] = r.made.Variable(r.m.tape.at(h), order)
	}
	return vars
}

// lean is a search with its first derivatives beside a tie, on the side to which the variables go
// along their slopes: exact, Note [Leaning].
func (r *tier[T]) lean(name string, at *searchSite, of []handle, slopes []float64, size float64) (*taylor, *diag.Diagnostic) {
	c, p := r.certifier(), &taylor{}
	r.left = r.calls
	for k, h := range of {
		c.Begin(len(of) > 1)
		c.Direction()
		vars := map[handle]jet.Jet[T]{}
		for j, other := range of {
			vars[other] = c.Along(r.m.tape.at(other), slopes[j])
		}
		vars[h] = c.Vary(vars[h], 1)
		fun, a, b := translate(r.m, c, vars).search(at)
		e := r.effort(r.asks * size)
		e.Lean = 1
		y, o := c.Search(name, r.m.tape.here(), a, b, fun, e)
		if o.Failure != nil {
			return nil, o.Failure
		}
		c.Enclosures(y, func(powers []int, set interval.Interval, known bool) {
			switch {
			case powers[0] > 0:
			case powers[1] > 0:
				p.add(term{of: of[k : k+1], set: set, known: known, why: o.Doubt})
			default:
				p.add(term{set: set, known: known, why: o.Doubt})
			}
		})
	}
	return p, nil
}

// enclose runs a search with a tolerance, as often as its derivatives need it.
func (r *tier[T]) enclose(name string, at *searchSite, vars []handle, order int, tol float64) (*taylor, *diag.Diagnostic) {
	c, p := r.certifier(), &taylor{}
	for _, group := range groups(vars, order) {
		c.Begin(len(vars) > 1)
		fun, a, b := translate(r.m, c, r.variables(group, order)).search(at)
		y, o := c.Search(name, r.m.tape.here(), a, b, fun, r.effort(tol))
		r.left -= o.Calls
		switch {
		case o.Failure != nil:
			return nil, o.Failure
		case !y.Known() && len(group) == 0:
			return nil, uncertified(o.Doubt, "its value is not known")
		case !y.Known():
			return r.valueAlone(name, at, vars, tol, o.Doubt)
		}
		c.Enclosures(y, func(powers []int, set interval.Interval, known bool) {
			var of []handle
			for k, n := range powers {
				for range n {
					of = append(of, group[k])
				}
			}
			p.add(term{of: of, set: set, known: known, why: o.Doubt})
		})
	}
	return p, nil
}

// valueAlone encloses a search of which nothing is known as long as its variables vary.
func (r *tier[T]) valueAlone(name string, at *searchSite, vars []handle, tol float64, why *diag.Diagnostic) (*taylor, *diag.Diagnostic) {
	p, d := r.enclose(name, at, nil, 0, tol)
	if d == nil {
		for _, h := range vars {
			p.add(term{of: []handle{h}, set: interval.Entire(), why: why})
		}
	}
	return p, d
}

func (r *tier[T]) crosses(at *searchSite, vars []handle, order int) (bool, *diag.Diagnostic) {
	c := r.certifier()
	r.left = r.calls
	c.Begin(len(vars) > 1)
	fun, _, _ := translate(r.m, c, r.variables(vars, order)).search(at)
	yes, o := c.Crosses(r.m.tape.here(), fun, r.effort(r.asks))
	switch {
	case o.Failure != nil:
		return false, o.Failure
	case o.Doubt != nil:
		return false, uncertified(o.Doubt, "whether there is a root is not known")
	}
	return yes, nil
}

// groups are the sets of variables to differentiate by at once: all of them if they are few;
// otherwise as many as there are orders, since a derivative mentions no more.
func groups(all []handle, order int) [][]handle {
	if len(all) <= 1 || order > 1 && len(all) <= 3 {
		return [][]handle{all}
	}
	var list [][]handle
	var choose func(from int, chosen []handle)
	choose = func(from int, chosen []handle) {
		if len(chosen) == min(order, len(all)) {
			list = append(list, slices.Clone(chosen))
			return
		}
		for k := from; k < len(all); k++ {
			choose(k+1, append(chosen, all[k]))
		}
	}
	choose(0, nil)
	return list
}

// ---- polynomials

// taylor is what a search is in the neighbourhood of its variables: the terms of its Taylor series,
// each an enclosure.
type taylor struct{ terms []term }

// term is a coefficient of a product of variables.
type term struct {
	of    []handle // the variables, in their order, each as often as its power says
	set   interval.Interval
	known bool
	c     float64          // from the set
	wrong *diag.Diagnostic // why c is not to be used; nil if it is
	why   *diag.Diagnostic // what is known of the reason if the set is wide
}

// add adds a term, unless it is there.
func (p *taylor) add(t term) {
	for _, u := range p.terms {
		if slices.Equal(u.of, t.of) {
			return
		}
	}
	p.terms = append(p.terms, t)
}

// narrower is the tolerance with which a search should be tried again, for every coefficient to be narrow
// for its own size; 0 if all are.
func (p *taylor) narrower(asks, scale float64) float64 {
	tol := 0.0
	for _, t := range p.terms {
		w, size := t.set.Width(), t.set.Mag()
		if len(t.of) == 0 {
			size = max(size, scale)
		}
		if t.known && w > 16*asks*size && !math.IsInf(w, 0) {
			if ask := asks * size; tol == 0 || ask < tol {
				tol = ask
			}
		}
	}
	return tol
}

// settle chooses the coefficients: for the value, which comes first, what was found if that is
// possible. It fails if the value is not narrow; of a derivative, whoever asks for it learns that.
func (p *taylor) settle(found, size float64) *diag.Diagnostic {
	largest := map[int]float64{} // of each order
	for _, t := range p.terms {
		largest[len(t.of)] = max(largest[len(t.of)], t.set.Mig(), size, 0x1p-900)
	}
	for k := range p.terms {
		t := &p.terms[k]
		t.c = t.set.Mid()
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
		case !(t.set.Width() <= guardAccepts*largest[len(t.of)]):
			t.wrong = uncertified(t.why, what+" is only known to be in "+t.set.String())
		}
	}
	return p.terms[0].wrong
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
func (p *taylor) doubtful() bool {
	return slices.ContainsFunc(p.terms, func(t term) bool { return t.wrong != nil })
}

// by is the derivative with respect to a variable.
func (p *taylor) by(h handle) *taylor {
	d := &taylor{}
	for _, t := range p.terms {
		k := slices.Index(t.of, h)
		if k < 0 {
			continue
		}
		n := 0.0
		for _, v := range t.of {
			if v == h {
				n++
			}
		}
		d.terms = append(d.terms, term{of: slices.Delete(slices.Clone(t.of), k, k+1), c: n * t.c, wrong: t.wrong})
	}
	return d
}

// vars lists the variables.
func (p *taylor) vars() (list []handle) {
	for _, t := range p.terms {
		for _, h := range t.of {
			if !slices.Contains(list, h) {
				list = append(list, h)
			}
		}
	}
	return list
}

// taylorNode is a search that was certified. At a tie, the sweep that resolves those gives it its
// derivatives: see Note [Ties].
type taylorNode struct {
	poly    *taylor
	vars    []handle                                           // of a tie
	resolve func(slopes []float64) (*taylor, *diag.Diagnostic) // its derivatives on one side
}

func (c *taylorNode) parents(visit func(float64)) {
	for _, h := range c.poly.vars() {
		visit(box(h))
	}
}

// partials are the derivatives with respect to the variables: in a recording sweep they are nodes like this
// one.
func (c *taylorNode) partials(s *sweep, mask levels, wanted func(h handle) bool) (list []partialOf, ok bool) {
	for _, h := range c.poly.vars() {
		if !wanted(h) {
			continue
		}
		d := c.poly.by(h)
		value, some := 0.0, false
		for _, t := range d.terms {
			if len(t.of) == 0 {
				if t.wrong != nil {
					s.t.fail(t.wrong)
					return nil, false
				}
				value, some = t.c, true
			}
		}
		if s.record && len(d.terms) > 1 || s.record && !some && len(d.terms) > 0 {
			value, some = s.t.addMasked(value, &taylorNode{poly: d}, mask), true
		}
		if some {
			list = append(list, partialOf{h, value})
		}
	}
	return list, true
}

func (c *taylorNode) pull(s *sweep, at handle, w float64) {
	list, ok := c.partials(s, s.t.node(at).mask, func(h handle) bool { return s.place(h) != nil || s.escape != nil })
	for _, p := range list {
		if ok {
			s.contribute(p.of, s.product(w, p.d))
		}
	}
}

func (c *taylorNode) push(s *sweep, at handle) float64 {
	if s.resolve && c.resolve != nil {
		slopes := make([]float64, len(c.vars))
		for k, h := range c.vars {
			slopes[k] = present(s.get(box(h)))
		}
		p, d := c.resolve(slopes)
		if d != nil {
			s.t.fail(d)
			return absent
		}
		c.poly = p
	}
	list, ok := c.partials(s, s.t.node(at).mask, func(h handle) bool { place := s.place(h); return place != nil && !isAbsent(*place) })
	if !ok {
		return absent
	}
	return s.along(list)
}

// ---- what to say

// uncertified is the error that a search could not be certified.
func uncertified(why *diag.Diagnostic, what string) *diag.Diagnostic {
	d := diag.Errorf(diag.NotCertified, diag.Span{}, "this search could not be certified on doubles: %s", what)
	if why != nil {
		d.WithHint("%s", why.Message)
	}
	return d.WithHint("exact mode (`--eps 1e-9`) tries harder; `--unguarded` gives what heuristics find")
}
