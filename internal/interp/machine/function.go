package machine

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

type (
	// Closure is a function with what it captures.
	Closure struct {
		Fn *Function
		object.Payload
	}
	// Partial is a closure with some of its arguments.
	Partial struct {
		Fun  *Closure
		Args int // how many
		object.Slots
	}
)

const closureBytes = 64 // that a closure is charged with

// Function is compiled code with its frame, or a stub: Note [Functions are compiled when they are
// entered].
type Function struct {
	Name   string
	Arity  int            // parameters, curried; 0 for the code of a constant
	Params []layout.Shape // slots of the first k parameters, for k = 0 … arity
	Result layout.Shape

	Code      []Instr
	Spans     []diag.Span   // parallel to code
	Frame     layout.Shape  // registers; outgoing arguments lie above them
	Out       layout.Shape  // room for outgoing arguments
	Self      int           // the P register that gets the closure, or -1
	Words     int           // plain slots that a closure of it captures
	WordKinds []layout.Kind // what they are
	Refs      int           // references that it captures

	Lists  [][]Register // operands of instructions with many
	Jumps  [][]int32    // jump tables
	Consts []object.Ref

	Lib    *Library // what instructions refer to by number
	Static *Closure // the closure, where it captures nothing
	Source *Source  // what it was compiled from, of functions of the program

	Otherwise *Function // what it goes on to where regions do not run: a stub, or nil
	later     *later    // of a stub
}

// Source is the core of a function, and where a closure of it has its free variables.
type Source struct {
	Lambda   *core.Lambda
	Captured []Captured
	At       diag.Span
}

// Captured is a free variable of a function: what it is there, and the
// slots of the closure that hold what is not constant.
type Captured struct {
	Var     *core.Var
	Binding Binding
	Env     []int // for each slot that is not constant: its place in the closure
}

// Binding is what a variable is.
type Binding struct {
	Slots []Slot
	Known *Function // the function, if it is a known one
}

// Captured is the slots of a free variable of a closure.
func (o *Closure) Captured(c Captured) (s object.Slots) {
	if c.Env == nil && len(c.Binding.Slots) > 0 {
		return object.Slots{P: []object.Ref{o}} // the closure itself
	}
	for n, at := range c.Binding.Slots {
		k := c.Env[n]
		switch {
		case at.Kind == layout.F && at.IsConst:
			s.F = append(s.F, at.F)
		case at.Kind == layout.I && at.IsConst:
			s.I = append(s.I, at.I)
		case at.Kind == layout.P && at.IsConst:
			s.P = append(s.P, at.P)
		case at.Kind == layout.F:
			s.F = append(s.F, o.Real(k))
		case at.Kind == layout.I:
			s.I = append(s.I, o.Word(k))
		case at.Kind == layout.P:
			s.P = append(s.P, o.Ref(k))
		}
	}
	return s
}
