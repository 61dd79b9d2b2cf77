// Package prim is the table of primitives: one row says everything that the
// system knows about one operation. The checker reads its type, the float
// interpreter its evaluator, every differentiation algorithm its partial
// derivatives, the exact engine its interval extension, `fluxion doc` its
// documentation. Adding a primitive is adding a row; a test walks the table
// and checks each row against independent references.
//
// The package is given nothing, and knows types, diagnostic codes and the
// kernels of package interval, which its rows name. The few evaluators that
// the kernels do not have stand in the files *_eval.go, and those of Int in
// integer.go.
package prim

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/linalg"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Prim is a row of the table. Rows are shared and must not be modified.
type Prim struct {
	ID     ID       // by which other packages tell rows apart
	Name   string   // as programs write it; infix operators by their symbol
	Params []string // names of the arguments, for Partials, Domain and documentation
	Scheme *types.Scheme

	// Doc is a few sentences and then, as the last line, an example with its
	// value: `sqrt 2 -- 1.4142135623730951`.
	Doc string

	// Orders, if not 0, is the order from which a row of the host lacks derivatives.
	Orders int

	// Kind is the kind of a structural row: an operation on arrays and data of any type, which has
	// no evaluators here. An engine has one table of their implementations, by ID.
	Kind Kind

	// Meaning is what a structural row over arrays gives, as a Fluxion expression over Params; ""
	// for rows that no expression says. Engines have better ways to compute it, and are compared
	// with it, with their derivatives.
	Meaning string

	// Slope says what the row's derivative has to do with its value. What concludes from
	// derivatives how a function moves must not use one that is not OfValue.
	Slope Slope

	// Leaf is, for a row that acts on tuples, records and arrays component by component, the row
	// that acts on their numbers; 0 for other rows. Arguments of other types than the first type
	// parameter are the same for all components.
	Leaf ID

	// Neutral is the number that leaves the other argument of a row of two as it is, for rows that
	// have one.
	Neutral Neutral

	// Order is what a comparison holds for; 0 for other rows.
	Order Order

	// SignRule says when the result is not negative.
	SignRule SignRule

	// Cost is about what an application costs, in additions. Evaluators that do not say have that
	// of a function (callCost), and structural rows 1.
	Cost int

	// Total says of a row without evaluators that it has a value wherever it is applied; see Ends.
	Total bool

	// Float evaluates the row over doubles, or is nil for a structural row. It is one of the
	// function types below. Rows that are overloaded over the Vec types give their action on one
	// real leaf: structured types are expanded componentwise before a back end sees them.
	Float any

	// Int evaluates at Int a row that is overloaded over Int and Real, or that
	// is about Int alone (then Float is the same function): Int1 or Int2, or
	// IntCompare.
	Int any

	// Text evaluates a row on texts and single numbers; Digits is set if it writes a real.
	Text   Text
	Digits Digits

	// Interval is the row's extension to sets of reals, in both precisions: a
	// tier.Fun0, Fun1, Fun2, FunInt, FunFamily, FunFold or FunMap. Rows on other than
	// reals have none.
	Interval any

	// Partials holds, for each real argument, the partial derivative as a
	// Fluxion expression over Params, and r for the row's own result. Empty
	// where the result or no argument is real, and for the rows over arrays,
	// which have Pushforward and Pullback instead.
	//
	// A rule is differentiated in its turn, so each alternative of an `if` must be
	// right as a function near the points that choose it. A condition may hold for
	// a part of a set only; it then counts as false, and what follows its `else` must be
	// right for all of the set, or undefined.
	//
	// A derivative of a double need not be a double: that of x / y by y at 1e300 is 1e-300 / 1e300.
	// So a quotient that ends a rule is applied in two steps: a tangent or cotangent is divided by
	// the divisor and then multiplied by the dividend. A quotient of a literal or an argument,
	// such as 1 / x, is computed and is one factor.
	Partials []string

	// Pushforward and Pullback are the derivative of a row over arrays of reals,
	// whose partial derivatives would be whole matrices: one Fluxion expression for each
	// argument, over Params and r. Pushforward also mentions a tangent of its
	// argument, whose name is that of the argument after a d; it is linear in it, and gives what
	// it contributes to the tangent of the result. Pullback also mentions br, a
	// cotangent of the result, is linear in it, and gives the cotangent of
	// its argument, for which it may use those of the arguments after it, called by
	// their names after a b. They are transposes of each other, and being programs they can be
	// differentiated again. Hidden rows are called as the library calls them.
	Pushforward, Pullback []string

	// Definition is what a row over arrays means, as a Fluxion expression over
	// Params, for engines that have no evaluator of the row. "" if
	// there is none that they could run.
	Definition string

	// Regular is a Fluxion condition over Params and r, the value of Definition on doubles: where
	// it holds, Float has that value too, but for rounding, and does not refuse the arguments.
	// Engines that run the definition on doubles ask Float elsewhere. "" if they cannot know.
	Regular string

	// Domain is a Fluxion condition over Params that holds wherever the row is
	// defined; "" means everywhere. Where it does not hold, Float follows IEEE
	// (an infinity at a pole, NaN elsewhere) and the exact engine refuses. That engine
	// evaluates the condition on sets, all of whose points must fulfil it; a >= or <= in it is an
	// edge that belongs to the domain.
	Domain string

	// Singular names the argument at whose zero the row has a pole or an infinite slope, for
	// engines that look for such places; "" if there is none.
	Singular string

	// Feature bounds how far an argument may move between two places for a change between them to
	// be seen from there; nil for rows that are broad: Note [Features].
	Feature *Feature

	// Germ is an expression over Params that is equal to the row, in terms of functions whose
	// behaviour at poles and towards infinity is known: arithmetic, exp, log, sqrt, sin, cos, and
	// rows with a Germ. As in a rule, a condition that is not known to hold counts as
	// false; 0 / 0 says nothing. "" for rows that have none, or need none.
	Germ string

	// Kink is an equation over Params, written "a = b", that holds where the
	// value or the derivative jumps; KinkRule says what happens there, and KinkKind says it to
	// engines.
	Kink, KinkRule string
	KinkKind       KinkKind

	// Early is, for a rounding, how far before n its value jumps from n - 1 to n.
	Early func(n int64) float64

	// Samples are points to test at and to show in the documentation, each
	// inside Domain; Outside are points where Domain is false. Integer
	// arguments are written as reals; a sample of a row over an array is the
	// array.
	Samples, Outside [][]float64

	// Special lists arguments of note (NaN, infinities, zeros of either sign,
	// the ends of the range) followed by the value that Float gives there,
	// bit for bit but for the payload of a NaN.
	Special [][]float64

	// Hidden rows are for the standard library alone, which names them through
	// the module `builtin` and wraps each in a documented function.
	Hidden bool
}

// Slope says what the derivative of a row has to do with its value.
type Slope uint8

const (
	OfValue Slope = iota // it is the value's
	Stopped              // it is 0, however the value moves
	Told                 // it is, or the value is, what the program says, which nothing proves
)

// Arity returns the number of arguments the row takes before it computes.
func (p *Prim) Arity() int { return len(p.Params) }

// The types of Float.
type (
	Real1      = func(x float64) float64
	Real2      = func(x, y float64) float64
	IntReal    = func(n int64, x float64) float64         // polygamma n x
	RealInt    = func(x float64, n int64) float64         // x ^ n
	Family     = func(ints []int64, xs []float64) float64 // see Note [Families]
	ToInt      = func(x float64) (int64, diag.Code)       // floor and friends; a code if no Int holds it
	Int1       = func(a int64) (int64, diag.Code)         // "" for success
	Int2       = func(a, b int64) (int64, diag.Code)      // "" for success
	FromInt    = func(a int64) float64                    // real n
	IntCompare = func(a, b int64) bool                    // < on Int and so on
	Compare    = func(x, y float64) bool                  // < on reals and so on
	Bool1      = func(a bool) bool                        // not
	Fold       = func(xs []float64) float64               // logsumexp, norm
	MapArray   = func(into, xs []float64)                 // softmax; into may be xs
	Constant   = float64                                  // pi

	// Whole is a row over arrays that may fail, in which case the diagnostic
	// has no place yet. Its arguments are regular.
	Whole = func(room linalg.Room, args []linalg.Array) (linalg.Array, *diag.Diagnostic)
)

// Note [Families]
//
// The derivatives of the incomplete gamma and beta functions by their parameters, and
// the higher derivatives of Bessel functions, are not functions of the table, and writing
// them in terms of such would cancel or double the work with each order. A family is a function
// together with all its partial derivatives. Its parameters are integers and then
// reals. The first integers, one for each real, say how often the function is
// differentiated by that real; integers after them belong to the function:
//
//	gammaP 0 0 a x = P(a, x)    gammaP 1 0 a x = ∂P/∂a    besselJ 2 n x = J_n''(x)
//
// So the partial derivative of a family by its k-th real is the family at another
// order, and all that a row needs are its evaluators, which are given the integers and
// the reals as slices.

// raised returns the partial derivatives of a family with these parameters, of which the last
// ones are reals.
func raised(name string, params []string, reals int) []string {
	partials := make([]string, reals)
	for k := range partials {
		text := "builtin." + name
		for i, p := range params {
			if i == k {
				p = "(" + p + " + 1)"
			}
			text += " " + p
		}
		partials[k] = text
	}
	return partials
}
