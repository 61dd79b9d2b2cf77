package tape

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
)

// Note [Ties]
//
// Where max, min, abs, hypot or norm has a kink and its operands depend on a
// variable of a derivative, all the kinks together are resolved along one
// fixed generic direction d of the variables: a forward sweep carries d to
// each of them, in order, and there the side that d leads to is the one
// (package rules, Note [Kinks]). The derivative is computed so, and again along -d, and
// the two are averaged. Each is the derivative of f on an open set that has
// the point on its boundary, so that the average is an element of Clarke's
// derivative; and where f has a derivative they are equal to it. Resolving
// each kink by itself to the middle of its own derivative would be neither:
// max (max x 0) x + min 0 x would have the slope 1.25 at 0.
//
// A kink may be inside of the function of an integral, a root or an optimum. The search is then a
// tie itself: its series is found again, along what the direction has become at its variables
// (exact, Note [Leaning]).
//
// A comparison at a tie has no such way out, since its sides may differ by a
// jump: differentiating through it is an error. So is a second derivative at
// a kink.

// tie is a node at a kink; x and y are its operands (y is 0 for abs).
type tie struct {
	row    *Row
	x, y   float64
	px, py float64 // the partial derivatives as resolved; absent ones are zero by structure
	at     diag.Span
}

// kink looks for a kink at the operands of a row; done means that the result
// is decided.
func (t *Tape) kink(r *Row, x, y, vx, vy, v float64, mask Levels) (boxed float64, done bool) {
	if s := t.sided(mask); s != nil {
		if boxed, done := s.kink(t, r, x, y, vx, vy); done {
			return boxed, true
		}
	}
	switch {
	case r.kink == prim.JumpKink:
		if r.prim.JumpsAt(vx) && mask&t.asked() != 0 {
			t.Fail(jumpTie(r.prim.Name, vx))
		}
		return v, true
	case !rules.MayKink(vx, vy) || !rules.AtKink(r.kink, vx, vy, rules.Doubles{}):
		return 0, false
	case (r.kink == prim.MaxKink || r.kink == prim.MinKink) && t.same(x, y):
		return x, true
	}
	boxed = t.AddCustom(v, &tie{row: r, x: x, y: y, px: Absent, py: Absent, at: t.Here()})
	t.Ties = append(t.Ties, Unbox(boxed))
	return boxed, true
}

func (c *tie) Parents(visit func(float64)) {
	visit(c.x)
	visit(c.y)
}

func (c *tie) Pull(s *Sweep, at Handle, w float64) {
	if s.SecondOrder(at, c.row.prim.Name, c.at, c.x, c.y) {
		return
	}
	if !IsAbsent(c.px) {
		s.To(c.x, s.Product(w, c.px))
	}
	if !IsAbsent(c.py) {
		s.To(c.y, s.Product(w, c.py))
	}
}

func (c *tie) Push(s *Sweep, at Handle) float64 {
	dx, dy := s.Get(c.x), s.Get(c.y)
	if s.Resolve {
		c.choose(Present(dx), Present(dy))
	}
	if IsAbsent(dx) && IsAbsent(dy) || s.SecondOrder(at, c.row.prim.Name, c.at, c.x, c.y) {
		return Absent
	}
	d := Absent
	if !IsAbsent(dx) && !IsAbsent(c.px) {
		d = s.Product(dx, c.px)
	}
	if !IsAbsent(dy) && !IsAbsent(c.py) {
		dy = s.Product(dy, c.py)
		if IsAbsent(d) {
			return dy
		}
		d = s.Sum(d, dy)
	}
	return d
}

// choose resolves a kink for tangents of its operands.
func (c *tie) choose(dx, dy float64) {
	on := rules.Doubles{}
	if c.row.kink == prim.NormKink {
		h := c.row.Two(dx, dy)
		c.px, c.py = rules.Unit(dx, h, Absent, on), rules.Unit(dy, h, Absent, on)
		return
	}
	first := rules.First(c.row.kink, dx, dy, on)
	switch {
	case first:
		c.px, c.py = 1, Absent
	case c.row.kink == prim.AbsKink:
		c.px, c.py = -1, Absent
	default:
		c.px, c.py = Absent, 1
	}
}

// SecondOrder reports a recording sweep through a kink that depends on a
// variable of the derivative around it, and on one of its own. It tells whether the node has no
// derivative, which is not an error where none is asked for: Note [What is asked for].
func (s *Sweep) SecondOrder(h Handle, name string, at diag.Span, operands ...float64) bool {
	if !s.Record || s.Tape.ieee {
		return false
	}
	var mask Levels
	for _, x := range operands {
		mask |= s.Tape.Mask(x)
	}
	if mask&s.Outside == 0 || !s.Own(mask) {
		return false
	}
	if s.Watches || !s.needs(h) {
		return true
	}
	s.Tape.Fail(diag.Errorf(diag.TiedKink, at,
		"`%s` has a kink here, where it has no second derivative", name).
		WithHint("move the point off the kink, or use a smooth function such as " +
			"`softplus` or `logaddexp`"))
	return true
}

// Less decides x < y, or x <= y, of reals of which one may be boxed.
func (t *Tape) Less(x, y float64, orEqual bool) bool {
	vx, vy := t.Value(x), t.Value(y)
	if s := t.sided(t.Mask(x) | t.Mask(y)); s != nil {
		return s.less(t, x, y, vx < vy || orEqual && vx == vy, comparisonTie)
	}
	if vx == vy && (t.Mask(x)|t.Mask(y))&t.asked() != 0 && !t.same(x, y) {
		t.Fail(comparisonTie(vx))
	}
	if orEqual {
		return vx <= vy
	}
	return vx < vy
}

func comparisonTie(v float64) *diag.Diagnostic {
	return diag.Errorf(diag.TiedComparison, diag.Span{},
		"both sides of this comparison are %v, where the branch that it decides has no derivative",
		v).
		WithHint("write the function with `max`, `min` or `abs`, whose derivatives are " +
			"defined at ties; " +
			"or `--ties=ieee` for the derivative of the branch taken")
}

// asked are the derivatives for which comparisons and roundings at ties are
// errors: none where the branch taken was asked for, and in derived code, which looks for the
// element that a maximum chose by comparing with it.
func (t *Tape) asked() Levels {
	if t.Mode.Derived || t.ieee {
		return 0
	}
	return t.Live
}

// Rounded is a number to be rounded. At a jump it reports that.
func (t *Tape) Rounded(row *prim.Prim, x float64) float64 {
	if s := t.sided(t.Mask(x)); s != nil {
		return s.rounded(t, row, x)
	}
	v := t.Value(x)
	if t.Mask(x)&t.asked() != 0 && row.JumpsAt(v) {
		t.Fail(jumpTie(row.Name, v))
	}
	return v
}

// IsTie tells whether a code is that of a tie where there is no first derivative.
func IsTie(code diag.Code) bool {
	return code == diag.TiedComparison || code == diag.TiedJump
}

func jumpTie(name string, v float64) *diag.Diagnostic {
	return diag.Errorf(diag.TiedJump, diag.Span{}, "`%s` jumps at %v, where it has no derivative",
		name, v).
		WithHint("move the point off the jump, or use `--ties=ieee` for the derivative " +
			"on the side taken")
}
