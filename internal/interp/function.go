package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

type (
	// closure is a function with what it captures.
	closure struct {
		fn *function
		object.Payload
	}
	// partial is a closure with some of its arguments.
	partial struct {
		fun  *closure
		args int // how many
		object.Slots
	}
)

const closureBytes = 64 // that a closure is charged with

// function is compiled code with its frame.
type function struct {
	name   string
	arity  int            // parameters, curried; 0 for the code of a constant
	params []layout.Shape // slots of the first k parameters, for k = 0 … arity
	result layout.Shape

	code      []instr
	spans     []diag.Span   // parallel to code
	frame     layout.Shape  // registers; outgoing arguments lie above them
	out       layout.Shape  // room for outgoing arguments
	self      int           // the P register that gets the closure, or -1
	words     int           // plain slots that a closure of it captures
	wordKinds []layout.Kind // what they are
	ptrs      int           // references that it captures

	lists  [][]operand // operands of instructions with many
	jumps  [][]int32   // jump tables
	consts []object.Ref

	static *closure // the closure, where it captures nothing
	source *source  // what it was compiled from, of functions of the program
}

// source is the core of a function, and where a closure of it has its free variables.
type source struct {
	lambda   *core.Lambda
	captured []capturedVar
	at       diag.Span
}

// capturedVar is a free variable of a function: what it is there, and the
// slots of the closure that hold what is not constant.
type capturedVar struct {
	v       *core.Var
	binding binding
	env     []int // for each slot that is not constant: its place in the closure
}

// binding is what a variable is.
type binding struct {
	slots []slot
	known *function // the function, if it is a known one
}
