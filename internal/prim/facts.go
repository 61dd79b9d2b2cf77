package prim

import "math"

// ---- comparisons

// Order is a set of the ways in which two values can be ordered: those for which a comparison
// holds.
type Order uint8

// The ways in which two values can be ordered.
const (
	Less Order = 1 << iota
	Equal
	Greater
)

// Opposite returns the comparison that holds exactly where o does not.
func (o Order) Opposite() Order { return o ^ (Less | Equal | Greater) }

// Mirrored returns o with its two values exchanged.
func (o Order) Mirrored() Order {
	return o&Equal | o&Less<<2 | o&Greater>>2
}

// Holds reports whether o holds for two values whose order is c: negative, 0 or positive, as for
// cmp.Compare.
func (o Order) Holds(c int) bool {
	switch {
	case c < 0:
		return o&Less != 0
	case c > 0:
		return o&Greater != 0
	}
	return o&Equal != 0
}

// ---- signs

// SignRule says when the result of a row is not negative, wherever it has a value.
type SignRule uint8

// The rules for signs.
const (
	AnySign       SignRule = iota // nothing
	NeverNegative                 // always
	IfAll                         // if no argument is negative
	IfAny                         // if some argument is not negative
	Product                       // if no argument is negative, or if both arguments are the same
	// if the first argument is not negative, or if the second is an even literal
	Power
)

// ---- neutral elements

// Neutral is a number that leaves the other argument unchanged, if it is the first argument
// (Left) or the second (Right).
type Neutral struct {
	Number      int64
	Left, Right bool
}

// ---- kinks

// KinkKind says what a row does at its kink.
type KinkKind uint8

// The kinds of kinks.
const (
	Smooth   KinkKind = iota // there is no kink
	MaxKink                  // x = y: the larger of the two
	MinKink                  // x = y: the smaller of the two
	AbsKink                  // x = 0: the sign of x changes
	NormKink                 // all arguments are 0: every direction has its own slope
	JumpKink                 // the value jumps
	TieKink                  // x = y: a comparison is undecided
)

// ---- kinds of structural rows

// Kind says how engines treat a structural row.
type Kind uint8

// The kinds.
const (
	Ordinary   Kind = iota // has evaluators
	Operation              // becomes an operation of core, with its function argument as a block
	Expanded               // is expanded into other rows before engines see it
	Data                   // makes data of data: arrays, texts
	Derivation             // derivatives of a function that is an argument
	Search                 // integrals of functions of a real; roots and optima
	Trajectory             // solutions of differential equations
	Rule                   // applies a function, and says how to differentiate or enclose it
	Leaves                 // acts on the reals of values of any type
	Update                 // makes an array from another by changing elements
	Input                  // is read when the program is loaded
)

// ---- totality

// Ends reports whether an application of the row, at Int or at other types, always ends with a
// value. Evaluators over reals always return one; those over integers may overflow.
func (p *Prim) Ends(atInt bool) bool {
	evaluator := p.Float
	if p.Int != nil && atInt {
		evaluator = p.Int
	}
	switch evaluator.(type) {
	case Real1, Real2, Family, RealInt, FromInt, IntCompare, Compare, Bool1, Fold,
		MapArray, Constant:
		return true
	}
	return p.Total || p.Order != 0
}

// ---- edges

// Closed reports, for a row of one real that is singular at 0, whether 0 is an edge of its domain
// and belongs to it.
func (p *Prim) Closed() bool {
	f, ok := p.Float.(Real1)
	return ok && p.Singular != "" && p.Domain != "" && !math.IsInf(f(0), 0)
}

// ---- jumps

// JumpsAt reports whether a row whose value jumps does so at x.
func (p *Prim) JumpsAt(x float64) bool {
	if p.Early == nil {
		return x == 0
	}
	if !(-0x1p63 <= x && x < 0x1p63) {
		return false
	}
	at := func(n int64) bool { return float64(n)-p.Early(n) == x }
	n := int64(math.Floor(x))
	return at(n) || at(n+1)
}
