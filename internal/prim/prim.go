// Package prim is the table of primitives: one row says everything that the
// system knows about one operation. The checker reads its type, the float
// interpreter its evaluator, every differentiation algorithm its partial
// derivatives, the exact engine its interval extension, `fluxion doc` its
// documentation. Adding a primitive is adding a row; a test walks the table
// and checks each row against independent references.
package prim

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Prim is a row of the table.
type Prim struct {
	Name   string   // as programs write it; infix operators by their symbol
	Params []string // names of the arguments, for Partials, Domain and documentation
	Scheme *types.Scheme
	Doc    string

	// Float evaluates the row over doubles, or is nil for a structural
	// operation (on arrays and data of any type), which back ends implement by
	// name. It is one of the function types below.
	Float any

	// Int evaluates at Int a row that is overloaded over Int and Real: Int1 or
	// Int2, or IntCompare.
	Int any

	// Interval is the row's extension to sets of reals. Its type is fixed by
	// package interval's column.
	Interval any

	// Partials holds, for each real argument, the partial derivative as a
	// Fluxion expression over Params, and r for the row's own result. Empty
	// where the result or no argument is real.
	Partials []string

	// Domain is a Fluxion condition over Params that holds wherever the row is
	// defined; "" means everywhere. Kink is one that holds (as an equation
	// a = b, written "a = b") where the derivative jumps, with what happens
	// there in KinkRule.
	Domain, Kink, KinkRule string

	// Samples are points to test at and to show in the documentation.
	Samples [][]float64

	// Hidden rows are for the standard library alone, which names them through
	// the module `builtin` and wraps each in a documented function.
	Hidden bool
}

// Arity is the number of arguments the row takes before it computes.
func (p *Prim) Arity() int { return len(p.Params) }

// The types of Float.
type (
	Real1      = func(x float64) float64
	Real2      = func(x, y float64) float64
	Real3      = func(x, y, z float64) float64
	IntReal    = func(n int64, x float64) float64    // polygamma n x
	RealInt    = func(x float64, n int64) float64    // x ^ n
	Round      = func(x float64) (int64, diag.Code)  // floor and friends; a code if no Int holds it
	Int1       = func(a int64) (int64, diag.Code)    // "" for success
	Int2       = func(a, b int64) (int64, diag.Code) // "" for success
	FromInt    = func(a int64) float64               // real n
	IntCompare = func(a, b int64) bool               // < on Int and so on
	Compare    = func(x, y float64) bool             // < on reals and so on
	Fold       = func(xs []float64) float64          // logsumexp, norm
	MapArray   = func(into, xs []float64)            // softmax
	Constant   = float64                             // pi
)
