package interp

import (
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// A derivative that is not finite is reported with the operation that made it.

const finiteHint = "`--check-finite=false` gives infinities and NaNs as results"

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// checkFinite reports a component that is not finite, with the operation that
// made it: again sweeps for the derivative, on plain numbers.
func (j *differentiation) checkFinite(list []float64, again func(s *sweep) bool) *diag.Diagnostic {
	if j.m.code.opts.AllowInfinite {
		return nil
	}
	for _, x := range list {
		if v := j.t.value(present(x)); notFinite(v) {
			return j.explain(v, again)
		}
	}
	return nil
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
	t.end(j.region, false)
	if j.run() != nil {
		return d.WithHint(finiteHint)
	}
	var at handle
	var operation string
	j.resolutions(func() bool {
		s, ok := t.newSweep(j.region, false)
		if ok = ok && again(s); ok && at == 0 {
			at, operation = s.culprit()
		}
		return ok
	})
	if at == 0 {
		return d.WithHint(finiteHint)
	}
	d.WithHint("it comes from %s", operation)
	if math.IsNaN(v) {
		d.WithHint("a product of 0 and an infinite slope has no value: only the limit could tell")
	}
	t.end(j.region, false)
	t.watch = at
	failure := j.run()
	t.watch = 0
	if failure == nil && t.watched.Known() {
		d.Span = t.watched
	}
	return d.WithHint(finiteHint)
}

// culprit finds the last operation that makes what is not finite of what is.
func (s *sweep) culprit() (at handle, operation string) {
	t := s.t
	for h := s.end - 1; h >= s.node; h-- {
		w, n := s.nodes[h-s.node], *t.node(h)
		if isAbsent(w) && n.op != nodeWhole {
			continue
		}
		if n.op == nodeCustom || n.op == nodeWhole {
			if c, ok := t.custom(&n).(arrayRule); ok && s.spoils(c, w) {
				return h, fmt.Sprintf("`%s`", c.name())
			}
		}
		if n.op < firstRow {
			continue
		}
		row := t.rows[n.op&^formMask]
		x, y, k := s.operands(h, &n)
		for _, arg := range row.taped(n.op & formMask) {
			// What the row does to a finite weight, whichever way the sweep went.
			if d, ok := s.slope(row.partial(arg), h, x, y, k, 1); !ok || !notFinite(d) {
				continue
			}
			if row.args == twoReals {
				return h, fmt.Sprintf("`%s`, here at %v and %v", row.prim.Name, x, y)
			}
			return h, fmt.Sprintf("`%s`, here at %v", row.prim.Name, x)
		}
	}
	return 0, ""
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
