package tape

import (
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// NotFinite tells whether a real is infinite or not a number.
func NotFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// Birth finds the last operation that takes part in the derivative and has no
// value where what it is applied to has one.
func (s *Sweep) Birth() (at Handle, operation string) {
	for h := s.end - 1; h >= s.node; h-- {
		n := *s.Tape.Node(h)
		if n.v == n.v || n.op < firstRow || IsAbsent(s.nodes[h-s.node]) {
			continue
		}
		row := s.Tape.Rows[n.op&^formMask]
		given := true
		for k := range row.taped(n.op & formMask) {
			x := s.Tape.At(n.parent(k))
			given = given && x == x
		}
		if given {
			return h, fmt.Sprintf("`%s`, which has no value at %s", row.prim.Name, s.point(h, &n))
		}
	}
	return 0, ""
}

// Culprit finds the last operation that makes what is not finite of what is,
// and whether its slope is infinite.
func (s *Sweep) Culprit(forward bool) (at Handle, operation string, infinite bool) {
	t := s.Tape
	for h := s.end - 1; h >= s.node; h-- {
		w, n := s.nodes[h-s.node], *t.Node(h)
		if IsAbsent(w) && n.op != WholeNode {
			continue
		}
		if n.op == CustomNode || n.op == WholeNode {
			if c, ok := t.custom(&n).(arrayRule); ok && s.spoils(c, w) {
				return h, fmt.Sprintf("`%s`", c.Name()), false
			}
		}
		if n.op < firstRow {
			continue
		}
		row := t.Rows[n.op&^formMask]
		x, y, k := s.operands(h, &n)
		for parent, arg := range row.taped(n.op & formMask) {
			given := w
			if forward {
				given = s.Get(Box(n.parent(parent)))
			}
			if IsAbsent(given) || NotFinite(given) {
				continue
			}
			if d, ok := s.slope(row.partial(arg), h, x, y, k, given); !ok || !NotFinite(d) {
				continue
			}
			slope, _ := s.slope(row.partial(arg), h, x, y, k, 1)
			return h, fmt.Sprintf("`%s`, here at %s", row.prim.Name, s.point(h, &n)),
				math.IsInf(slope, 0)
		}
	}
	return 0, "", false
}

// point is the text of the reals that a row is applied to.
func (s *Sweep) point(h Handle, n *Node) string {
	x, y, _ := s.operands(h, n)
	if s.Tape.Rows[n.op&^formMask].args == twoReals {
		return value.Decimal(x) + " and " + value.Decimal(y)
	}
	return value.Decimal(x)
}

// parent is the handle of the k-th operand that is on the tape.
func (n *Node) parent(k int) Handle {
	if k == 0 {
		return n.a
	}
	return Handle(math.Float64bits(n.c))
}

// taped lists the real arguments of a row that are on the tape in a form.
func (r *Row) taped(form uint16) []int {
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
	Custom
	Name() string
}

// spoils tells whether a node with a weight that is finite, or with none, gave
// its parents one that is not.
func (s *Sweep) spoils(c Custom, w float64) bool {
	if !IsAbsent(w) && NotFinite(w) {
		return false
	}
	bad := false
	c.Parents(func(x float64) { bad = bad || NotFinite(Present(s.Get(x))) })
	return bad
}
