package prim

import "math"

// ---- comparisons

// Order is a set of the ways in which two values can be ordered: what a comparison holds for.
type Order uint8

// The ways.
const (
	Less Order = 1 << iota
	Equal
	Greater
)

// Opposite holds where o does not.
func (o Order) Opposite() Order { return o ^ (Less | Equal | Greater) }

// Mirrored is o with the two values exchanged.
func (o Order) Mirrored() Order {
	return o&Equal | o&Less<<2 | o&Greater>>2
}

// Holds reports whether o holds for two values whose order is c: negative, 0 or positive, as that
// of cmp.Compare.
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

// What is known of signs.
const (
	AnySign       SignRule = iota // nothing
	NeverNegative                 // always
	IfAll                         // if no argument is negative
	IfAny                         // if some argument is not negative
	Product                       // if no argument is negative, or if both are the same
	Power                         // if the first argument is not, or if the second is an even literal
)

// ---- neutral elements

// Neutral is a number that leaves the other argument as it is, where it is the first one (Left) or
// the second (Right).
type Neutral struct {
	Number      int64
	Left, Right bool
}

// ---- kinks

// KinkKind says what a row does where its kink is.
type KinkKind uint8

// The kinds of kinks.
const (
	Smooth   KinkKind = iota // there is none
	MaxKink                  // x = y: the larger of the two
	MinKink                  // x = y: the smaller of the two
	AbsKink                  // x = 0: the sign of x changes
	NormKink                 // all arguments are 0: every direction has its own slope
	JumpKink                 // the value jumps
	TieKink                  // x = y: a comparison is undecided
)

// ---- kinds of structural rows

// Kind is a kind of structural rows, which engines treat alike.
type Kind uint8

// The kinds.
const (
	Ordinary   Kind = iota // has evaluators
	Operation              // an operation of core, which has the function that it takes as a block
	Expanded               // written out in terms of others before engines see it
	Data                   // makes data of data: arrays, texts
	Derivation             // derivatives of a function that is an argument
	Search                 // integrals, roots and optima of a function of one real
	Trajectory             // solutions of differential equations
	Rule                   // applies a function, and says how that is differentiated or enclosed
	Leaves                 // on the reals of values of any type
	Update                 // makes an array of another by changing elements
	Input                  // is read when the program is loaded
)

// ---- totality

// Ends reports whether an application of the row, at Int or at other types, always ends with a
// value: evaluators over reals always have one, those over integers may overflow.
func (p *Prim) Ends(atInt bool) bool {
	evaluator := p.Float
	if p.Int != nil && atInt {
		evaluator = p.Int
	}
	switch evaluator.(type) {
	case Real1, Real2, Family, RealInt, FromInt, IntCompare, Compare, Bool1, Fold, MapArray, Constant:
		return true
	}
	return p.Total || p.Order != 0
}

// ---- edges

// Closed tells of a row of one real, which is singular at 0, whether that is an edge of its domain
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
