package interp

import (
	"errors"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/solve"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Integrals, roots and optima of functions of the program. Package solve finds
// them, on plain numbers; what is found becomes a node of the tape whose
// derivative is given by Leibniz' rule, the implicit function theorem or the
// envelope theorem, each in terms of the function's own derivatives, so that
// it can be differentiated again.

// search compiles an application of one of the primitives.
func (c *funCompiler) search(s *core.Let, op *core.Prim) []slot {
	atoms := c.atoms(op.Args)
	c.share(atoms...)
	args := c.list(atoms)
	regs := c.targets(s, c.of(s.Var.Ty), true)
	c.emit(instr{op: opSearch, b: args, c: c.list(regs), k: int64(add(&c.lib.searches, op.Prim.Name))})
	return regs
}

// realFunction is a function of a real, which may be boxed.
type realFunction func(x float64) (float64, *diag.Diagnostic)

var realCall = &callInfo{args: 1, params: []shape{{}, {f: 1}}, result: layoutF}

// realFunction makes one of a function of the program.
func (m *Machine) realFunction(fun ref) realFunction {
	return func(x float64) (float64, *diag.Diagnostic) {
		caller, d := m.startCallback(realCall.params[1])
		if d != nil {
			return 0, d
		}
		m.f[m.fb], m.p[m.pb] = x, fun
		d = m.finishCallback(realCall)
		y := m.f[m.fb]
		m.endCallback(caller)
		return y, d
	}
}

// frozen runs f without regard to the derivatives in progress: what it
// computes are plain numbers.
func (m *Machine) frozen(f func() *diag.Diagnostic) *diag.Diagnostic {
	t := m.tape
	live, decided := t.live, t.decisions
	t.live, t.decisions = 0, nil
	d := f()
	t.live, t.decisions = live, decided
	return d
}

// atPoint evaluates at a plain number and gives one, for package solve.
func (m *Machine) atPoint(f realFunction) solve.Func {
	return func(x float64) (float64, error) {
		y, d := f(x)
		if d != nil {
			return 0, d
		}
		return m.tape.value(y), nil
	}
}

// atPoints gives f and its derivative, NaN included, as plain numbers, for package
// solve. Where the slope has been taken the value is known.
func (m *Machine) atPoints(f realFunction) (value, slope solve.Func) {
	at := m.atPoint(f)
	known, y := math.NaN(), 0.0
	value = func(x float64) (float64, error) {
		if x == known {
			return y, nil
		}
		return at(x)
	}
	slope = func(x float64) (float64, error) {
		outer := m.slopes
		m.slopes = m.tape.depth + 1
		l, d := m.linearizeAs(f, x, linearization{slopeOnly: true})
		m.slopes = outer
		if d != nil {
			return 0, d
		}
		known, y = x, m.tape.value(l.value)
		return present(l.slope), nil
	}
	return value, slope
}

// searchOp executes an instruction.
func (m *Machine) searchOp(in *instr, fn *function) *diag.Diagnostic {
	name := m.lib.searches[in.k]
	args := m.operandValues(fn.lists[in.b])
	decided := m.tape.decisions
	m.tape.decisions = nil
	watched := m.watched
	m.watched = decided.watched()
	defer func() { m.watched = watched }()
	f := m.realFunction(args.p[0])
	at := &searchSite{number: in.k, fun: args.p[0], bounds: args.f}
	var out slotSink
	var x float64
	var d *diag.Diagnostic
	if m.guarded() {
		out, d = m.certified(name, at, f)
		if d == nil {
			m.setOperands(fn.lists[in.c], out)
		}
		return d
	}
	m.searching++
	defer func() { m.searching-- }()
	switch name {
	case "integral":
		x, d = m.integral(at, f, args.f[0], args.f[1])
	case "integralFrom":
		x, d = m.integral(at, f, args.f[0], math.Inf(1))
	case "root":
		x, d = m.root(at, f, func(f, df solve.Func, o solve.Options) (float64, error) {
			a, b := m.tape.value(args.f[0]), m.tape.value(args.f[1])
			return solve.Root(f, df, min(a, b), max(a, b), o)
		})
	case "cutRoot":
		x, d = m.root(at, f, solve.Cut)
	case "firstRoot":
		x, d = m.root(at, f, solve.FirstRoot)
	case "crosses":
		var yes bool
		yes, d = m.crosses(f)
		out.i = []int64{truth(yes)}
	case "maxOver", "argmaxOver":
		x, d = m.maximum(at, f, args.f[0], args.f[1], name == "argmaxOver")
	}
	m.tape.decisions = decided
	if d == nil {
		d = m.tape.failed()
	}
	if d != nil {
		return d
	}
	if out.i == nil {
		out.f = []float64{x}
	}
	m.setOperands(fn.lists[in.c], out)
	return nil
}

// options let a search be interrupted.
func (m *Machine) options() solve.Options {
	return solve.Options{Stop: func() error {
		if m.fuel -= 16; m.fuel < 0 {
			if d := m.tick(); d != nil {
				return d
			}
		}
		return nil
	}}
}

// ---- first order

// linear is a function at a point to first order: its value, its slope, and
// its derivatives with respect to what it captures.
type linear struct {
	value, slope float64
	captured     []partialOf
}

// partialOf is the derivative with respect to an entry of the tape.
type partialOf struct {
	of handle
	d  float64
}

// linearize evaluates f at x, which may be boxed, on the tape. With record the
// parts may be boxed too, and are differentiable again.
func (m *Machine) linearize(f realFunction, x float64, record bool) (linear, *diag.Diagnostic) {
	return m.linearizeAs(f, x, linearization{record: record})
}

// linearization says how to linearize.
type linearization struct {
	record    bool
	slopeOnly bool      // without the captured parts
	roundoff  *roundoff // to be added, unless nil
}

func (m *Machine) linearizeAs(f realFunction, x float64, how linearization) (linear, *diag.Diagnostic) {
	record := how.record
	j := &differentiation{m: m, t: m.tape, derivation: realDerivation, record: record, around: m.tape.resolving}
	t := m.tape
	j.begin()
	defer j.end(false) // after a failure
	leaf := t.leaf(x, j.region.selfMask)
	j.leaves, j.count = []leafRange{{unbox(leaf), -1}}, 1
	y, d := f(leaf)
	if d != nil {
		return linear{}, d
	}
	l := linear{value: y, slope: absent}
	index := map[handle]int{}
	combine := &sweep{t: t, record: record}
	escape := func(h handle, w float64) {
		k, known := index[h]
		if !known {
			index[h] = len(l.captured)
			l.captured = append(l.captured, partialOf{h, w})
			return
		}
		l.captured[k].d = combine.sum(l.captured[k].d, w)
	}
	times, ok := j.resolutions(func() bool {
		s, ok := t.newSweep(j.region, record)
		if !ok {
			return false
		}
		s.roundoff = how.roundoff
		s.stop++ // the leaf's own cotangent is the slope
		if !how.slopeOnly {
			s.escape = escape
		}
		s.to(y, 1)
		if !s.backward() {
			return false
		}
		if w := *s.place(unbox(leaf)); !isAbsent(w) {
			if isAbsent(l.slope) {
				l.slope = w
			} else {
				l.slope = combine.sum(l.slope, w)
			}
		}
		s.finish()
		return true
	})
	if !ok {
		return linear{}, t.failed()
	}
	finish := func(x float64) float64 {
		if isAbsent(x) {
			return x
		}
		if times > 1 {
			x = combine.product(x, 0.5)
		}
		return t.leave(j.region, x)
	}
	l.value, l.slope = t.leave(j.region, l.value), finish(l.slope)
	for k := range l.captured {
		l.captured[k].d = finish(l.captured[k].d)
	}
	j.end(record)
	return l, t.failed()
}

var realDerivation = &derivation{from: types.Real, to: types.Real, call: realCall, args: shape{f: 1}, result: shape{f: 1}}

// dependsOn is what f at x depends on besides x, and whether it is at a tie
// there that x does not move.
func (m *Machine) dependsOn(f realFunction, x float64) (mask levels, tied bool, d *diag.Diagnostic) {
	t := m.tape
	if t.live == 0 {
		return 0, false, nil
	}
	if m.slopes == t.depth { // a part of the slope that a search takes
		m.slopes++
		defer func() { m.slopes-- }()
	}
	r, around := t.begin(), t.searched
	defer t.end(r, false)
	t.live = r.outside // x itself is a constant here
	t.searched = true
	y, d := f(x)
	t.searched = around
	if d != nil {
		return 0, false, d
	}
	return t.mask(y) & r.outside, len(t.ties) > r.ties, nil
}

// ---- roots

// root finds a zero by find, and gives it as a function of what f captures.
func (m *Machine) root(at *searchSite, f realFunction, find func(f, df solve.Func, o solve.Options) (float64, error)) (float64, *diag.Diagnostic) {
	x, d := remembered(m, at, func() (x float64, d *diag.Diagnostic) {
		d = m.frozen(func() *diag.Diagnostic {
			var err error
			at, slope := m.atPoints(f)
			x, err = find(at, slope, m.options())
			return rootFailure(err)
		})
		return x, d
	})
	if d != nil {
		return 0, d
	}
	var ends []float64
	switch m.lib.searches[at.number] {
	case "firstRoot":
		ends = []float64{0, 1}
	case "root":
		ends = at.bounds
	}
	c := implicitNode{f: f}
	for _, end := range ends {
		if m.tape.value(end) == x {
			c = implicitNode{f: m.besides(c.f, end), atEnd: true}
		}
	}
	return m.solution(c, x)
}

// besides is f, which is made to depend on an end of the range: what is pinned there moves with it.
func (m *Machine) besides(f realFunction, end float64) realFunction {
	if !isBox(end) {
		return f
	}
	return func(x float64) (float64, *diag.Diagnostic) {
		y, d := f(x)
		t := m.tape
		return t.difference(y, t.difference(end, t.value(end))), d
	}
}

func (m *Machine) crosses(f realFunction) (yes bool, d *diag.Diagnostic) {
	d = m.frozen(func() *diag.Diagnostic {
		var err error
		at, slope := m.atPoints(f)
		yes, err = solve.Crosses(at, slope, m.options())
		return rootFailure(err)
	})
	return yes, d
}

// implicit is the solution x of f x = 0, near the given one, as a function of
// what f captures.
func (m *Machine) implicit(f realFunction, x float64) (float64, *diag.Diagnostic) {
	return m.solution(implicitNode{f: f}, x)
}

func (m *Machine) solution(c implicitNode, x float64) (float64, *diag.Diagnostic) {
	mask, tied, d := m.dependsOn(c.f, x)
	if d != nil || mask == 0 {
		return x, d
	}
	return m.tape.addSearch(x, &c, mask, tied), nil
}

// implicitNode is a root x of f: by the implicit function theorem its
// derivative with respect to what f captures is -∂f/f'(x).
type implicitNode struct {
	f       realFunction
	atEnd   bool // x is an end of the range in which it must lie
	optimum bool // f is the slope of another function, and x where that is largest
}

// what names what x is, and the code of an error about it.
func (c *implicitNode) what() (string, diag.Code) {
	if c.optimum {
		return "optimum", diag.NoOptimum
	}
	return "root", diag.NoRoot
}

func (c *implicitNode) parents(func(float64)) {}

// at linearizes f at the root. A recording sweep does so at the root's own
// box, so that the parts of the derivative move with it.
func (c *implicitNode) at(s *sweep, at handle) (linear, bool) {
	x := s.result(at)
	if s.roundoff != nil {
		x += s.roundoff.within(2 * epsilon * x) // the root too is rounded
	}
	l, d := s.t.m.linearize(c.f, x, s.record)
	if d == nil && c.atEnd && slices.ContainsFunc(l.captured, func(p partialOf) bool { return s.t.value(present(p.d)) != 0 }) {
		what, code := c.what()
		d = diag.Errorf(code, diag.Span{}, "the %s is at %v, an end of its range, and has no derivative there", what, s.t.node(at).v).
			WithHint("as the function or the end moves one way, it leaves the range or the end")
	}
	if d == nil && s.t.value(present(l.slope)) == 0 {
		d = diag.Errorf(diag.NotFinite, diag.Span{}, "the derivative of the root at %v is infinite", s.t.node(at).v).
			WithHint("the slope of the function is 0 there: the root is a multiple one")
	}
	if d != nil {
		s.t.fail(d)
		return l, false
	}
	return l, true
}

func (c *implicitNode) pull(s *sweep, at handle, w float64) {
	l, ok := c.at(s, at)
	if !ok {
		return
	}
	w = s.quotient(s.product(w, -1), l.slope)
	for _, p := range l.captured {
		s.contribute(p.of, s.product(w, p.d))
	}
}

func (c *implicitNode) push(s *sweep, at handle) float64 {
	l, ok := c.at(s, at)
	if !ok {
		return absent
	}
	df := s.along(l.captured)
	if isAbsent(df) {
		return absent
	}
	return s.quotient(s.product(df, -1), l.slope)
}

// along is the tangent that belongs to partial derivatives.
func (s *sweep) along(list []partialOf) float64 {
	sum := absent
	for _, p := range list {
		place := s.place(p.of)
		if place == nil || isAbsent(*place) {
			continue
		}
		d := s.product(*place, p.d)
		if isAbsent(sum) {
			sum = d
		} else {
			sum = s.sum(sum, d)
		}
	}
	return sum
}

func (s *sweep) quotient(x, y float64) float64 {
	if r := x / y; r == r || !s.record {
		return r
	}
	return s.t.apply(s.t.over, x, y, 0)
}

// ---- optima

// maximum finds the largest value of f between a and b, or where it is.
func (m *Machine) maximum(at *searchSite, f realFunction, a, b float64, where bool) (float64, *diag.Diagnostic) {
	t := m.tape
	best, d := remembered(m, at, func() (best summit, d *diag.Diagnostic) {
		d = m.frozen(func() *diag.Diagnostic {
			var err error
			at, slope := m.atPoints(f)
			best.Optimum, err = solve.Maximum(at, slope, t.value(a), t.value(b), m.options())
			if errors.As(err, &best.tie) {
				err = nil // the value is good
			}
			return optimumFailure(err)
		})
		return best, d
	})
	if d != nil {
		return 0, d
	}
	if best.tie != nil {
		if d = m.tied(best.tie, f, a, b, where); d != nil {
			return 0, d
		}
	}
	if !where {
		return m.height(f, best.Optimum, a, b)
	}
	switch {
	case best.End < 0:
		return m.atEnd(f, a, b)
	case best.End > 0:
		return m.atEnd(f, b, a)
	}
	return m.implicit(m.derivative(f), best.X)
}

// atEnd is where f is largest if that is an end of the range. If f is flat there it may be
// largest inside for neighbours of what it depends on; and if both ends are there, the range may
// be empty for neighbours of theirs.
func (m *Machine) atEnd(f realFunction, end, other float64) (float64, *diag.Diagnostic) {
	t := m.tape
	x := t.value(end)
	if t.live&^m.watched == 0 || t.depth == m.slopes {
		return end, nil
	}
	l, d := m.linearizeAs(f, x, linearization{slopeOnly: true})
	empty := t.value(other) == x
	if d != nil || present(l.slope) != 0 && !empty {
		return end, d
	}
	slope := m.besides(m.derivative(f), end)
	if empty {
		slope = m.besides(slope, other)
	}
	return m.solution(implicitNode{f: slope, atEnd: true, optimum: true}, x)
}

// height is the value of a maximum.
func (m *Machine) height(f realFunction, best solve.Optimum, a, b float64) (float64, *diag.Diagnostic) {
	switch {
	case best.End < 0:
		return f(a)
	case best.End > 0:
		return f(b)
	}
	mask, tied, d := m.dependsOn(f, best.X)
	if d != nil || mask == 0 {
		return best.Value, d
	}
	t := m.tape
	return t.addSearch(best.Value, newEnvelope(f, best, t.value(a), t.value(b)), mask, tied), nil
}

// summit is a maximum that was found.
type summit struct {
	solve.Optimum
	tie *solve.Tie
}

// tied says what is wrong with a maximum that is reached in several places:
// there is no such place, and no derivative where one is asked for. A search
// takes the slope of one of them, as good as any on its way: the outer one of
// nested optima often ends where the inner one has a tie.
func (m *Machine) tied(tie *solve.Tie, f realFunction, a, b float64, where bool) *diag.Diagnostic {
	t := m.tape
	if !where {
		if t.depth == m.slopes {
			return nil
		}
		mask, _, d := m.dependsOn(f, tie.X)
		if d != nil || t.live&^m.watched&(mask|t.mask(a)|t.mask(b)) == 0 {
			return d
		}
	}
	return tieFailure(tie, where)
}

// derivative is f' as a function that can be differentiated again.
func (m *Machine) derivative(f realFunction) realFunction {
	return func(x float64) (float64, *diag.Diagnostic) {
		l, d := m.linearize(f, x, m.tape.live != 0)
		return present(l.slope), d
	}
}
