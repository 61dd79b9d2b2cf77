// Package value defines the results of a run: trees that can be printed as a Fluxion expression
// or as JSON. Evaluators have their own representations while they run, and convert once, at the
// end.
package value

import "encoding/json"

// Value is Real, Int, Bool, String, Tuple, Record, Con, Reals, Ints, Array, Func or Unknown, or a
// kind of number that another evaluator defines (see Number).
type Value interface{}

// The kinds of values.
type (
	// Real is a double.
	Real float64
	// Int is a 64-bit integer.
	Int int64
	// Bool is a truth value.
	Bool bool
	// String is a text.
	String string
	// Tuple has no element (unit), or at least two.
	Tuple []Value
	// Record holds its fields in the order of its type: by name.
	Record []Field
	// Con is a data value.
	Con struct {
		Name string
		Args []Value
	}
	// Reals is an array of reals, kept flat.
	Reals []float64
	// Ints is an array of integers, kept flat.
	Ints []int64
	// Array is an array of anything else.
	Array []Value
	// Func is a function, of which only the type is known.
	Func struct{ Type string }
	// Unknown is a part of a result that was not computed before the run ended. It prints as ?.
	Unknown struct{}
)

// Field is a component of a Record.
type Field struct {
	Name  string
	Value Value
}

// Number is a real that is not a double. It prints itself.
type Number interface {
	// Fluxion returns the number as the language writes results: [lo, hi].
	Fluxion() string
	// JSON returns the number as JSON encodes it: ["lo", "hi"].
	JSON() json.RawMessage
}
