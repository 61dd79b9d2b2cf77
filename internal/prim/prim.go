// Package prim is the table of primitives. One row says everything that the system knows about
// one operation. The checker reads its type, the float interpreter its evaluator, every
// differentiation algorithm its partial derivatives, the exact engine its interval extension, and
// `fluxion doc` its documentation. To add a primitive, add a row; a test walks the table and
// checks each row against independent references.
//
// The package is given nothing. It knows types, diagnostic codes and the kernels of package
// interval, which its rows name. The few evaluators that the kernels lack are in the files
// *_eval.go, and those of Int in integer.go.
package prim

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/linalg"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Prim is a row of the table. Rows are shared and must not be modified.
type Prim struct {
	ID     ID       // by which other packages identify the row
	Name   string   // as programs write it; infix operators by their symbol
	Params []string // names of the arguments, for Partials, Domain and documentation
	Scheme *types.Scheme

	// Doc is a few sentences and then, as the last line, an example with its
	// value: `sqrt 2 -- 1.4142135623730951`.
	Doc string

	// Orders, if not 0, is the lowest order of derivatives that a row of the host lacks.
	Orders int

	// Kind is the kind of a structural row, which is an operation on arrays and data of any type
	// without evaluators here. An engine has one table of their implementations, by ID.
	Kind Kind

	// Over is, for a row that searches in a box of any number of dimensions, the row by whose name
	// people know it; 0 for other rows.
	Over ID

	// Meaning defines a structural row over arrays by a Fluxion expression over Params, or is ""
	// if no expression does. Engines compute it in better ways, and are compared with it,
	// including their derivatives.
	Meaning string

	// Slope relates the row's derivative to its value. Code that concludes from derivatives how a
	// function moves must use only rows that are OfValue.
	Slope Slope

	// Leaf is, for a row that acts on tuples, records and arrays component by component, the row
	// that acts on their numbers; for other rows it is 0. Arguments whose type is not the first
	// type parameter are the same for all components.
	Leaf ID

	// Neutral is the number that leaves the other argument of a row of two unchanged, if there is
	// one.
	Neutral Neutral

	// Order says for which orders of its arguments a comparison holds; 0 for other rows.
	Order Order

	// SignRule says when the result is not negative.
	SignRule SignRule

	// Cost is the approximate cost of an application, in additions. The default is that of a
	// function (callCost) for rows with evaluators, and 1 for structural rows.
	Cost int

	// Total says that a row without evaluators has a value wherever it is applied; see Ends.
	Total bool

	// Float evaluates the row over doubles, or is nil for a structural row. It has one of the
	// function types below. For a row overloaded over the Vec types it is the action on one real
	// leaf; structured types are expanded componentwise before a back end sees them.
	Float any

	// Int evaluates at Int a row that is overloaded over Int and Real, or that is only about Int
	// (then Float is the same function). It is an Int1, Int2 or IntCompare.
	Int any

	// Text evaluates a row on texts and single numbers. Digits is set if the row writes a real.
	Text   Text
	Digits Digits

	// Interval is the row's extension to sets of reals, in both precisions: a tier.Fun0, Fun1,
	// Fun2, FunInt, FunFamily, FunFold or FunMap. Rows that are not on reals have none.
	Interval any

	// Partials holds, for each real argument, the partial derivative as a Fluxion expression over
	// Params, and r for the row's own result. It is empty if the result is not real or no
	// argument is, and for rows over arrays, which have Pushforward and Pullback instead.
	//
	// A rule is itself differentiated, so each alternative of an `if` must be correct as a
	// function near the points that choose it. On a set, a condition may hold only for a part;
	// then it counts as false, and the `else` branch must be correct for the whole set, or
	// undefined.
	//
	// A derivative of a double need not be a double: that of x / y by y at 1e300 is 1e-300 /
	// 1e300. So a quotient that ends a rule is applied in two steps: a tangent or cotangent is
	// divided by the divisor and then multiplied by the dividend. A quotient of a literal or an
	// argument, such as 1 / x, is computed and is one factor.
	Partials []string

	// Pushforward and Pullback are the derivative of a row over arrays of reals, whose partial
	// derivatives would be whole matrices. Each has one Fluxion expression for each argument,
	// over Params and r. Pushforward also mentions a tangent of its argument, named by the
	// argument after a d. It is linear in the tangent, and gives its contribution to the tangent
	// of the result. Pullback also mentions br, a cotangent of the result. It is linear in br,
	// and gives the cotangent of its argument. It may use the cotangents of later arguments,
	// named by the arguments after a b. The two are transposes of each other. Being programs,
	// they can be differentiated again. Hidden rows are called as the library calls them.
	Pushforward, Pullback []string

	// Definition defines a row by a Fluxion expression over Params, for engines without an
	// evaluator of the row. It is "" if there is none that they could run. The definition of a
	// row over arrays is exact. That of a row of reals has its value on doubles, and compiled
	// code differentiates the expression instead of the row.
	Definition string

	// Regular is a Fluxion condition over Params and r, the value of Definition on doubles. Where
	// it holds, Float has the same value up to rounding, and does not refuse the arguments.
	// Engines that run the definition on doubles use Float elsewhere. It is "" if they cannot
	// know. Rules of other rows apply a row of reals only where it holds.
	Regular string

	// Domain is a Fluxion condition over Params that holds where the row is defined; "" means
	// everywhere. Where it does not hold, Float follows IEEE (an infinity at a pole, NaN
	// elsewhere) and the exact engine refuses. That engine evaluates the condition on sets, and
	// all points of a set must satisfy it. A >= or <= in it marks an edge that belongs to the
	// domain.
	Domain string

	// Singular names the argument at whose zero the row has a pole or an infinite slope, for
	// engines that look for such places. It is "" if there is none.
	Singular string

	// Feature bounds how far an argument may move between two places if evaluations there are to
	// reveal what lies between. It is nil for rows without narrow features: Note [Features].
	Feature *Feature

	// Germ is an expression over Params that equals the row, written with functions whose
	// behaviour at poles and towards infinity is known: arithmetic, exp, log, sqrt, sin, cos, and
	// rows with a Germ. As in a rule, a condition that is not known to hold counts as false; 0 /
	// 0 says nothing. It is "" for rows that have or need none.
	Germ string

	// Kink is an equation over Params, written "a = b", that holds where the value or the
	// derivative jumps. KinkRule says in words what happens there, and KinkKind says it to
	// engines.
	Kink, KinkRule string
	KinkKind       KinkKind

	// Early is, for a rounding, how far before n the value jumps from n - 1 to n.
	Early func(n int64) float64

	// Samples are points inside Domain, for tests and for the documentation. Outside are points
	// where Domain is false. Integer arguments are written as reals. A sample of a row over an
	// array is the array.
	Samples, Outside [][]float64

	// Special lists notable arguments (NaN, infinities, zeros of either sign, the ends of the
	// range), each followed by the value of Float there, bit for bit except for the payload of a
	// NaN.
	Special [][]float64

	// Hidden rows are only for the standard library, which names them through the module
	// `builtin` and wraps each in a documented function.
	Hidden bool
}

// Slope relates the derivative of a row to its value.
type Slope uint8

const (
	OfValue Slope = iota // the derivative of the value
	Stopped              // 0, even if the value moves
	Told                 // the derivative, or the value, is what the program states without proof
)

// Arity returns the number of arguments the row takes before it computes.
func (p *Prim) Arity() int { return len(p.Params) }

// The types of Float.
type (
	Real1   = func(x float64) float64
	Real2   = func(x, y float64) float64
	IntReal = func(n int64, x float64) float64         // polygamma n x
	RealInt = func(x float64, n int64) float64         // x ^ n
	Family  = func(ints []int64, xs []float64) float64 // see Note [Families]
	// ToInt evaluates floor and similar rows. The code is set if no Int holds the result.
	ToInt      = func(x float64) (int64, diag.Code)
	Int1       = func(a int64) (int64, diag.Code)    // "" for success
	Int2       = func(a, b int64) (int64, diag.Code) // "" for success
	FromInt    = func(a int64) float64               // real n
	IntCompare = func(a, b int64) bool               // < on Int and so on
	Compare    = func(x, y float64) bool             // < on reals and so on
	Bool1      = func(a bool) bool                   // not
	Fold       = func(xs []float64) float64          // logsumexp, norm
	MapArray   = func(into, xs []float64)            // softmax; into may be xs
	Constant   = float64                             // pi

	// Whole is a row over arrays that may fail. Its diagnostic has no place yet. Its arguments
	// are regular arrays.
	Whole = func(room linalg.Room, args []linalg.Array) (linalg.Array, *diag.Diagnostic)
)

// Note [Families]
//
// The derivatives of the incomplete gamma and beta functions by their parameters, and the higher
// derivatives of Bessel functions, are not functions of the table. Writing them in terms of such
// functions would cancel, or double the work with each order. A family is a function together
// with all its partial derivatives. Its parameters are integers followed by reals. The first
// integers, one for each real, say how often the function is differentiated by that real. Further
// integers belong to the function:
//
//	gammaP 0 0 a x = P(a, x)    gammaP 1 0 a x = ∂P/∂a    besselJ 2 n x = J_n''(x)
//
// So the partial derivative of a family by its k-th real is the family at another order. A row
// needs only its evaluators, which take the integers and the reals as slices.

// raised returns the partial derivatives of a family with these parameters. The last ones are the
// reals.
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
