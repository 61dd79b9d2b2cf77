// Package region finds the parts of a program that are worth compiling, and runs them as compiled
// code. It is given the bodies of functions, in core, in which it puts choices between a region and
// the interpreter's code (find.go, rest.go); package interp makes an instruction of each, and the
// machine runs the region when it reaches that (run.go). Package lower makes the loop form of a
// region, an engine runs it.
//
//	demand.go   when a region is compiled, and when it rests
//	form.go     the forms that it is compiled to, with their states
//	rules.go    which form runs, where rules are compared
//	record.go   regions on the tape, and their derivatives
//	explain.go  which regions are compiled, and why others are not
package region

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Compiled regions]
//
// An Engine runs loop form, which package lower makes of core. What it is made of are *regions* of
// the program: the whole body of a function or of a constant, or of a branch that it ends with, or
// one of its operations that loops or differentiates. A region is in front of the code that it may
// replace:
//
//	loops flag, results… = region args…
//	jfalse flag otherwise
//	…                       -- the results are there
//	otherwise: …            -- the interpreter's code, in which there may be smaller regions
//
// A region is lowered when it is first reached. It is left to the interpreter if it is not covered,
// if an argument is boxed (Note [Boxes]) or has rows of different lengths, or if the run was given
// up: then something is the matter that the interpreter finds out, like an index out of range or a
// comparison that is tied. A region that is given up several times in a row rests for a while. One
// with derivatives that may be tied is compiled again when it is first given up, to a form that
// resolves what it can.
//
// A region that uses rules of the program for derivatives waits until the interpreter has compared
// them, each once, with the derivatives that they replace. So what is wrong with a rule is found at
// the same point as without regions. Or it is run by a form that compares them by itself: Note
// [Rules that compiled code compares] of package lower.
//
// In core, a region is an If whose condition is false: its first side mentions the arguments, so
// that their registers are kept, and its second one is what it may replace.

// Region is a part of a program that may run as compiled code.
type Region struct {
	*unit
	name  string // of the definition
	role  role
	block *core.Block
	Args  []*core.Var
	shapes
	effort
	taped bool      // reals may be boxed
	steps bool      // errors are watched in it, and so it is not an entry of the tape
	outer *Region   // the turns that are left of the loop around, or nil
	of    originals // of the functions in the block

	demand  demand
	forms   [kinds]form
	checks  checks
	derived derived
}

// unit is what the regions of a program have in common.
type unit struct {
	source  *lower.Source
	engine  machine.Engine
	trusted bool   // rules are not compared
	eager   bool   // what has no loops is compiled too
	beside  *queue // regions that are compiled while the program runs, or nil
}

// role says what a region stands for.
type role uint8

const (
	operation  role = iota // one of the operations of a function
	whole                  // the result of a function
	rest                   // the turns that are left of a loop: Note [The rest of a loop]
	derivative             // of an entry of the tape: Note [Regions on the tape]
)

// shapes are those of the arguments and of the result.
type shapes struct {
	params []*lower.Shape
	value  *lower.Shape
}

func shapesOf(args []*core.Var, result types.Type) shapes {
	s := shapes{value: lower.ResultShapeOf(result)}
	for _, v := range args {
		s.params = append(s.params, lower.DataShapeOf(v.Ty))
	}
	return s
}

// effort is what a region takes, as far as that is known before it runs.
type effort struct {
	weight
	size   int // operations to be compiled, roughly
	extent extent
}

// Result returns the type of what the region computes.
func (r *Region) Result() types.Type { return r.block.Result.Type() }

// IsRest reports whether the region is the turns that are left of a loop.
func (r *Region) IsRest() bool { return r.role == rest }

// OperandsAt says where the operands of each argument start among those of the region's
// instruction.
func (r *Region) OperandsAt(starts []int) {
	for k, v := range r.Args {
		if slices.Contains(r.extent.sizes, v) {
			r.extent.slots = append(r.extent.slots, starts[k])
		}
	}
}
