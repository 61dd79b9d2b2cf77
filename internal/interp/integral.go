package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/solve"
)

// integral is the integral of f from a to b, which may be +Inf.
func (m *Machine) integral(at *searchSite, f realFunction, a, b float64) (float64, *diag.Diagnostic) {
	t := m.tape
	va, vb := t.value(a), t.value(b)
	if vb < va {
		x, d := m.integral(at, f, b, a)
		return m.times(x, -1), d
	}
	g := &integration{m: m, f: f, a: va, b: vb}
	pieces, d := remembered(m, at, func() ([]piece, *diag.Diagnostic) {
		d := m.frozen(g.split)
		return g.pieces, d
	})
	if d != nil {
		return 0, d
	}
	g.pieces = pieces
	sum, from := 0.0, a
	for k := range g.pieces {
		p := &g.pieces[k]
		to, d := b, (*diag.Diagnostic)(nil)
		if k < len(g.pieces)-1 {
			if to, d = g.boundary(p); d != nil {
				return 0, d
			}
		}
		// A place where decisions change lies between two doubles, of which the
		// bound is the one before it.
		beyond := 0.0
		if k > 0 {
			beyond = p.from - m.tape.value(from)
		}
		x, d := m.part(p.value, p.eval(m, f), from, to, beyond)
		if d != nil {
			return 0, d
		}
		sum, from = m.plus(sum, x), to
	}
	return sum, nil
}

// estimate is an integral as a plain number, by quadrature; NaN if it fails.
func (m *Machine) estimate(at *searchSite, f realFunction) (sum estimate, failure *diag.Diagnostic) {
	t := m.tape
	a, b := t.value(at.bounds[0]), math.Inf(1)
	if len(at.bounds) > 1 {
		b = t.value(at.bounds[1])
	}
	g := &integration{m: m, f: f, a: min(a, b), b: max(a, b)}
	if failure = m.frozen(g.split); failure != nil {
		return estimate{value: math.NaN()}, failure
	}
	for _, p := range g.pieces {
		sum.value += p.value.value
		sum.size += p.value.size
	}
	if b < a {
		sum.value = -sum.value
	}
	if sum.size == 0 && !math.IsInf(b, 1) {
		sum.size = math.Abs(b-a) * 0x1p-20 // zero wherever it was looked at: some unit must do
	}
	return sum, nil
}

// integration is an integral being computed: see Note [Decisions].
type integration struct {
	m      *Machine
	f      realFunction
	a, b   float64
	pieces []piece

	roundoff roundoff
}

// piece is a part of the range on which the decisions are the same. Its end,
// but for the last one's, is where decision `changes` changes.
type piece struct {
	decided []int64
	tied    []bool // which of them have equal sides, wherever in the piece
	from    float64
	to      float64
	changes int
	value   estimate
}

// estimate is a number with its uncertainty.
type estimate struct {
	value, uncertainty float64
	size               float64 // the integral of the absolute value, roughly
}

func component(e solve.Estimate, k int) estimate {
	return estimate{e.Values[k], e.Errors[k], e.Sizes[k]}
}

// maxPieces bounds the places where an integrand changes its decisions.
const maxPieces = 1000

// firstLook is how many parts of the range are looked at for different
// decisions, before the quadrature finds others.
const firstLook = 64

// sample is a point with the decisions there.
type sample struct {
	x       float64
	decided []int64
}

// watch evaluates f at a plain point and logs its decisions.
func (g *integration) watch(x float64) (float64, []int64, *diag.Diagnostic) {
	y, taken, r, d := g.record(x)
	if d != nil {
		return 0, nil, d
	}
	t := g.m.tape
	y = t.value(y)
	t.end(r, false)
	return y, taken, nil
}

// record puts f at a plain point on the tape, in a region to be ended, unless it
// fails.
func (g *integration) record(x float64) (y float64, taken []int64, r region, d *diag.Diagnostic) {
	t := g.m.tape
	r = t.begin()
	t.decisions = &decisions{level: r.selfMask, region: r, want: -1}
	y, d = g.f(t.leaf(x, r.selfMask))
	taken, t.decisions = t.decisions.taken, nil
	if d != nil {
		t.end(r, false)
	}
	return y, taken, r, d
}

// point is the point at a fraction of the range; towards infinity the
// distances grow.
func (g *integration) point(u float64) float64 {
	if math.IsInf(g.b, 1) {
		return g.a + u/(1-u)
	}
	return g.a + u*(g.b-g.a)
}

// split finds the pieces and their values.
func (g *integration) split() *diag.Diagnostic {
	if g.a == g.b {
		g.pieces = []piece{{from: g.a, to: g.b}}
		return nil
	}
	_, decided, d := g.watch(g.point(0.5))
	if d != nil {
		return d
	}
	if len(decided) == 0 {
		// Without a decision the integrand is straight-line code, everywhere.
		p := piece{from: g.a, to: g.b}
		p.value, d = g.quadrature(g.f, p.from, p.to)
		g.pieces = []piece{p}
		return d
	}
	// The first and the last are next to the ends, where a kink is often.
	const look, margin = firstLook, 0x1p-50
	samples := make([]sample, 0, look+1)
	for k := range look + 1 {
		x := g.point(min(max(float64(k)/float64(look), margin), 1-margin))
		_, decided, d := g.watch(x)
		if d != nil {
			return d
		}
		samples = append(samples, sample{x, decided})
	}
	for {
		if d := g.between(samples); d != nil {
			return d
		}
		missed, d := g.integrate()
		if d != nil {
			return d
		}
		if missed == nil {
			return nil
		}
		samples = insertSample(samples, *missed)
	}
}

func insertSample(list []sample, s sample) []sample {
	at := len(list)
	for at > 0 && list[at-1].x > s.x {
		at--
	}
	list = append(list, sample{})
	copy(list[at+1:], list[at:])
	list[at] = s
	return list
}

// between makes the pieces from samples in their order.
func (g *integration) between(samples []sample) *diag.Diagnostic {
	g.pieces = g.pieces[:0]
	from := g.a
	for k := 0; k+1 < len(samples); k++ {
		lo, hi := samples[k], samples[k+1]
		for !sameDecisions(lo.decided, hi.decided) {
			// Bisect for the first change after lo.
			next := hi
			for {
				mid := lo.x + (next.x-lo.x)/2
				if mid <= lo.x || mid >= next.x {
					break
				}
				_, decided, d := g.watch(mid)
				if d != nil {
					return d
				}
				if sameDecisions(decided, lo.decided) {
					lo.x = mid
				} else {
					next = sample{mid, decided}
				}
			}
			if len(g.pieces) == maxPieces {
				return diag.Errorf(diag.NoIntegral, diag.Span{}, "the integrand changes its branch more than %d times", maxPieces).
					WithHint("one of the places is near %v", lo.x)
			}
			p := piece{decided: lo.decided, from: from, to: lo.x, changes: firstDifference(lo.decided, next.decided)}
			g.pieces = append(g.pieces, p)
			from, lo = next.x, next
		}
	}
	g.pieces = append(g.pieces, piece{decided: samples[len(samples)-1].decided, from: from, to: g.b})
	return nil
}

// integrate computes the values of the pieces; missed is a point whose
// decisions are not those of its piece.
func (g *integration) integrate() (missed *sample, d *diag.Diagnostic) {
	for k := range g.pieces {
		p := &g.pieces[k]
		if p.from >= p.to {
			continue
		}
		watched := func(x float64) (float64, *diag.Diagnostic) {
			y, decided, d := g.watch(x)
			if d == nil && !sameDecisions(decided, p.decided) {
				missed = &sample{x, decided}
				return 0, diag.Errorf(diag.NoIntegral, diag.Span{}, "another branch at %v", x)
			}
			return y, d
		}
		p.value, d = g.quadrature(watched, p.from, p.to)
		if missed != nil {
			return missed, nil
		}
		if d != nil {
			return nil, d
		}
		if p.tied, d = g.tiedIn(p); d != nil {
			return nil, d
		}
	}
	return nil, nil
}

// tiedIn tells of each decision of a piece whether its sides are equal all over
// it: whether they are at two points of no distinction.
func (g *integration) tiedIn(p *piece) (tied []bool, d *diag.Diagnostic) {
	for _, u := range []float64{0.4142, 0.7321} {
		x := p.from + u*(p.to-p.from)
		if math.IsInf(p.to, 1) {
			x = p.from + u/(1-u)
		}
		t := g.m.tape
		r := t.begin()
		t.decisions = &decisions{level: r.selfMask, region: r, forced: p.decided, want: -1, compare: true}
		_, d = g.f(t.leaf(x, r.selfMask))
		here := t.decisions.tied
		t.decisions = nil
		t.end(r, false)
		if d != nil {
			return nil, d
		}
		if tied == nil {
			tied = here
			continue
		}
		for k := range tied {
			tied[k] = tied[k] && k < len(here) && here[k]
		}
	}
	return tied, nil
}

func (g *integration) quadrature(f realFunction, a, b float64) (estimate, *diag.Diagnostic) {
	at := g.m.atPoint(f)
	e, err := g.m.quadrature(func(x float64) ([]float64, error) {
		y, err := at(x)
		return []float64{y}, err
	}, g.noise, a, b)
	if err != nil {
		return estimate{}, integralFailure(err)
	}
	return component(e, 0), nil
}

// quadrature integrates; noise, which may be nil, is that of solve.Options.
func (m *Machine) quadrature(f, noise solve.VectorFunc, a, b float64) (solve.Estimate, error) {
	o := m.options()
	o.Noise = noise
	if math.IsInf(b, 1) {
		return solve.IntegrateFrom(f, a, o)
	}
	return solve.Integrate(f, a, b, o)
}

// boundary is the end of a piece as a function of what f captures: the root
// of the difference that is compared there.
func (g *integration) boundary(p *piece) (float64, *diag.Diagnostic) {
	t := g.m.tape
	return g.m.implicit(func(x float64) (float64, *diag.Diagnostic) {
		r := t.begin()
		saved := t.decisions
		t.decisions = &decisions{level: r.selfMask, region: r, forced: p.decided, want: p.changes}
		_, d := g.f(t.leaf(x, r.selfMask))
		y := t.leave(r, t.decisions.differs)
		t.decisions = saved
		t.end(r, isBox(y))
		return y, d
	}, p.to)
}

// eval is the integrand with the decisions of a piece.
func (p *piece) eval(m *Machine, f realFunction) realFunction {
	if p.decided == nil {
		return f
	}
	t := m.tape
	return func(x float64) (float64, *diag.Diagnostic) {
		r := t.begin()
		saved := t.decisions
		t.decisions = &decisions{level: r.selfMask, region: r, forced: p.decided, tied: p.tied, want: -1}
		y, d := f(t.leaf(x, r.selfMask))
		t.decisions = saved
		y = t.leave(r, y)
		t.end(r, isBox(y))
		return y, d
	}
}

// part is the integral v of a function without kinks or jumps, as a function
// of its bounds and of what f captures.
func (m *Machine) part(v estimate, f realFunction, from, to, beyond float64) (float64, *diag.Diagnostic) {
	t := m.tape
	mask, tied := t.mask(from)|t.mask(to), false
	if va, vb := t.value(from), t.value(to); va < vb && t.live != 0 {
		inside := va + (vb-va)/2
		if math.IsInf(vb, 1) {
			inside = va + 1
		}
		more, at, d := m.dependsOn(f, inside)
		if d != nil {
			return 0, d
		}
		mask, tied = mask|more, at
	}
	if mask&t.live == 0 {
		return v.value, nil
	}
	return t.addSearch(v.value, &integralNode{f, from, to, beyond, v.uncertainty}, mask, tied), nil
}

// integralNode is the integral of f from one bound to the other. Its
// derivative is Leibniz' rule.
type integralNode struct {
	f           realFunction
	from, to    float64
	beyond      float64 // from here to where the integrand is that of the part
	uncertainty float64 // of its value
}

func (c *integralNode) parents(visit func(float64)) {
	visit(c.from)
	visit(c.to)
}

// bounds calls f with each bound that moves, and the integrand there with its
// sign.
func (c *integralNode) bounds(s *sweep, f func(bound, slope float64)) bool {
	sign := 1.0
	for _, bound := range [...]float64{c.from, c.to} {
		sign = -sign
		if !isBox(bound) {
			continue
		}
		x := bound
		if !s.record {
			x = s.t.value(x)
		}
		if sign < 0 {
			x = s.t.m.plus(x, c.beyond)
		}
		y, d := c.f(x)
		if v := s.t.value(y); d == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			// A removable singularity at the bound: the limit, nearly.
			inward := (s.t.value(c.to) - s.t.value(c.from)) * 0x1p-40
			y, d = c.f(s.t.m.plus(x, -sign*inward))
		}
		if d != nil {
			s.t.fail(d)
			return false
		}
		if !s.record {
			y = s.t.value(y)
		}
		f(bound, s.product(y, sign))
	}
	return true
}

// partials integrates a vector that is made of the derivatives of the
// integrand with respect to what it captures. The components grow as entries
// of the tape are met.
func (c *integralNode) partials(s *sweep, vector func(l linear) []float64) (e solve.Estimate, ok bool) {
	m, a, b := s.t.m, s.t.value(c.from), s.t.value(c.to)
	if a == b {
		return e, true
	}
	at := func(x float64, off *roundoff) ([]float64, error) {
		l, d := m.linearizeAs(c.f, x, linearization{roundoff: off})
		if d != nil {
			return nil, d
		}
		return vector(l), nil
	}
	e, err := m.quadrature(func(x float64) ([]float64, error) { return at(x, nil) }, noiseOf(at), a, b)
	if err != nil {
		s.t.fail(integralFailure(err))
		return e, false
	}
	if s.roundoff != nil {
		for k := range e.Values {
			e.Values[k] += s.roundoff.within(e.Errors[k])
		}
	}
	return e, true
}

func (c *integralNode) pull(s *sweep, _ handle, w float64) {
	if !c.bounds(s, func(bound, slope float64) { s.to(bound, s.product(w, slope)) }) {
		return
	}
	var of []handle
	index := map[handle]int{}
	e, ok := c.partials(s, func(l linear) []float64 {
		ys := make([]float64, len(of), len(of)+len(l.captured))
		for _, p := range l.captured {
			if s.place(p.of) == nil && s.escape == nil {
				continue
			}
			k, known := index[p.of]
			if !known {
				k = len(of)
				index[p.of] = k
				of = append(of, p.of)
				ys = append(ys, 0)
			}
			ys[k] = p.d
		}
		return ys
	})
	if !ok {
		return
	}
	for k, x := range e.Values {
		if s.record {
			var d *diag.Diagnostic
			if x, d = s.t.m.part(component(e, k), c.captured(s.t, s.t.live, of[k]), c.from, c.to, c.beyond); d != nil {
				s.t.fail(d)
				return
			}
		}
		s.contribute(of[k], s.product(w, x))
	}
}

// captured is the derivative of the integrand with respect to an entry of the
// tape, as a function that can be integrated and differentiated again.
func (c *integralNode) captured(t *tape, live levels, of handle) realFunction {
	return func(x float64) (float64, *diag.Diagnostic) {
		record := t.live != 0
		saved := t.live
		t.live |= live
		l, d := t.m.linearize(c.f, x, record)
		t.live = saved
		if d != nil {
			return 0, d
		}
		for _, p := range l.captured {
			if p.of == of {
				return p.d, nil
			}
		}
		return 0, nil
	}
}

func (c *integralNode) push(s *sweep, _ handle) float64 {
	sum := absent
	add := func(x float64) {
		if isAbsent(sum) {
			sum = x
		} else {
			sum = s.sum(sum, x)
		}
	}
	if !c.bounds(s, func(bound, slope float64) {
		if dx := s.get(bound); !isAbsent(dx) {
			add(s.product(dx, slope))
		}
	}) {
		return absent
	}
	met := false
	plain := &sweep{t: s.t, around: s.around, node: s.node, element: s.element, end: s.end, nodes: s.nodes, wholes: s.wholes, columns: s.columns}
	e, ok := c.partials(s, func(l linear) []float64 {
		dx := plain.alongPlain(l.captured)
		met = met || !isAbsent(dx)
		return []float64{present(dx)}
	})
	if !ok || !met {
		return sum
	}
	v := e.Values[0]
	if s.record {
		var d *diag.Diagnostic
		if v, d = s.t.m.part(component(e, 0), c.tangent(s, s.t.live), c.from, c.to, c.beyond); d != nil {
			s.t.fail(d)
			return absent
		}
	}
	add(v)
	return sum
}

// tangent is the tangent of the integrand, as a function that can be
// integrated and differentiated again.
func (c *integralNode) tangent(s *sweep, live levels) realFunction {
	t := s.t
	return func(x float64) (float64, *diag.Diagnostic) {
		record := t.live != 0
		saved := t.live
		t.live |= live
		l, d := t.m.linearize(c.f, x, record)
		t.live = saved
		if d != nil {
			return 0, d
		}
		if !record {
			return present(s.alongPlain(l.captured)), nil
		}
		return present(s.along(l.captured)), nil
	}
}

// alongPlain is along without boxes.
func (s *sweep) alongPlain(list []partialOf) float64 {
	sum := absent
	for _, p := range list {
		if place := s.place(p.of); place != nil && !isAbsent(*place) {
			sum = present(sum) + s.t.value(*place)*s.t.value(p.d)
		}
	}
	return sum
}
