package interp

import (
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// A derivative that is not finite is reported with the operation that made it.

const finiteHint = "`--check-finite=false` gives infinities and NaNs as results"

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// checkFinite reports a component that is not finite, or all of them if they
// are the derivative of what has no value, with the operation that made it so:
// again sweeps for the derivative, on plain numbers.
func (j *differentiation) checkFinite(list []float64, undefined bool, again func(s *sweep) bool) *diag.Diagnostic {
	if j.m.code.opts.AllowInfinite {
		return nil
	}
	if undefined {
		return j.explain(math.NaN(), again)
	}
	for _, x := range list {
		if v := j.t.value(present(x)); notFinite(v) {
			return j.explain(v, again)
		}
	}
	return nil
}

// undefined tells whether a real of the function's value is not a number
// although it depends on the point: 1 / x is no slope of log at -1. What the
// value is made of need not be looked at, if it has a value nevertheless.
func (j *differentiation) undefined(k int) bool {
	v, mask := j.t.look(j.out.reals[k])
	return v != v && mask&j.region.selfMask != 0
}

// anyUndefined is the same of those reals of the value that take part.
func (j *differentiation) anyUndefined(takesPart func(k int) bool) bool {
	for k := range j.out.reals {
		if takesPart(k) && j.undefined(k) {
			return true
		}
	}
	return false
}

// explain finds the operation whose derivative is not finite while what it was
// given is, by running the function once more, with arrays by their elements,
// and then the place of it, by running it again.
func (j *differentiation) explain(v float64, again func(s *sweep) bool) *diag.Diagnostic {
	t := j.t
	what := "infinite"
	if math.IsNaN(v) {
		what = "not a number"
	}
	d := diag.Errorf(diag.NotFinite, diag.Span{}, "the derivative is %s", what)
	t.each = true
	defer func() { t.each = false }()
	j.end(false)
	if j.run() != nil {
		return d.WithHint(finiteHint)
	}
	var at handle
	var operation string
	var infinite bool
	j.resolutions(func() bool {
		s, ok := t.newSweep(j.region, false)
		if ok = ok && again(s); ok && at == 0 {
			if at, operation = s.birth(); at == 0 {
				at, operation, infinite = s.culprit(j.row == prim.Forward)
			}
		}
		return ok
	})
	if at == 0 {
		if j.anyUndefined(func(int) bool { return true }) {
			d.WithHint("nor is the value of the function")
		}
		return d.WithHint(finiteHint)
	}
	d.WithHint("it comes from %s", operation)
	if math.IsNaN(v) && infinite {
		d.WithHint("an infinite slope times 0, or less another, has no value: only the limit could tell")
	}
	j.end(false)
	t.watch = at
	failure := j.run()
	t.watch = 0
	if failure == nil && t.watched.Known() {
		d.Span = t.watched
	}
	return d.WithHint(finiteHint)
}

// birth finds the last operation that takes part in the derivative and has no
// value where what it is applied to has one.
func (s *sweep) birth() (at handle, operation string) {
	for h := s.end - 1; h >= s.node; h-- {
		n := *s.t.node(h)
		if n.v == n.v || n.op < firstRow || isAbsent(s.nodes[h-s.node]) {
			continue
		}
		row := s.t.rows[n.op&^formMask]
		given := true
		for k := range row.taped(n.op & formMask) {
			x := s.t.at(n.parent(k))
			given = given && x == x
		}
		if given {
			return h, fmt.Sprintf("`%s`, which has no value at %s", row.prim.Name, s.point(h, &n))
		}
	}
	return 0, ""
}

// culprit finds the last operation that makes what is not finite of what is,
// and whether its slope is infinite.
func (s *sweep) culprit(forward bool) (at handle, operation string, infinite bool) {
	t := s.t
	for h := s.end - 1; h >= s.node; h-- {
		w, n := s.nodes[h-s.node], *t.node(h)
		if isAbsent(w) && n.op != nodeWhole {
			continue
		}
		if n.op == nodeCustom || n.op == nodeWhole {
			if c, ok := t.custom(&n).(arrayRule); ok && s.spoils(c, w) {
				return h, fmt.Sprintf("`%s`", c.name()), false
			}
		}
		if n.op < firstRow {
			continue
		}
		row := t.rows[n.op&^formMask]
		x, y, k := s.operands(h, &n)
		for parent, arg := range row.taped(n.op & formMask) {
			given := w
			if forward {
				given = s.get(box(n.parent(parent)))
			}
			if isAbsent(given) || notFinite(given) {
				continue
			}
			if d, ok := s.slope(row.partial(arg), h, x, y, k, given); !ok || !notFinite(d) {
				continue
			}
			slope, _ := s.slope(row.partial(arg), h, x, y, k, 1)
			return h, fmt.Sprintf("`%s`, here at %s", row.prim.Name, s.point(h, &n)), math.IsInf(slope, 0)
		}
	}
	return 0, "", false
}

// point is the text of the reals that a row is applied to.
func (s *sweep) point(h handle, n *tapeNode) string {
	x, y, _ := s.operands(h, n)
	if s.t.rows[n.op&^formMask].args == twoReals {
		return value.Decimal(x) + " and " + value.Decimal(y)
	}
	return value.Decimal(x)
}

// parent is the handle of the k-th operand that is on the tape.
func (n *tapeNode) parent(k int) handle {
	if k == 0 {
		return n.a
	}
	return handle(math.Float64bits(n.c))
}

// taped lists the real arguments of a row that are on the tape in a form.
func (r *tapeRow) taped(form uint16) []int {
	switch {
	case form == formRight:
		return []int{1}
	case form == formBoth && r.args == twoReals:
		return []int{0, 1}
	}
	return []int{0}
}

// arrayRule is a node of a row over an array.
type arrayRule interface {
	custom
	name() string
}

func (c *foldNode) name() string { return c.row.prim.Name }
func (c *mapNode) name() string  { return c.row.prim.Name }

// spoils tells whether a node with a weight that is finite, or with none, gave
// its parents one that is not.
func (s *sweep) spoils(c custom, w float64) bool {
	if !isAbsent(w) && notFinite(w) {
		return false
	}
	bad := false
	c.parents(func(x float64) { bad = bad || notFinite(present(s.get(x))) })
	return bad
}
