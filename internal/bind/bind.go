// Package bind makes Go functions from definitions of a Fluxion program. It is given a loaded
// unit, the name of a definition, what to compute (its value, a derivative, an enclosure) and a
// Go function type. It checks once that the Go type fits the definition, and returns a function
// of that Go type.
//
// A call runs in one of two ways. If the loop form has the types of the arguments, they are
// handed to compiled code in place, or gathered into columns (args.go), and results are copied to
// where the caller wants them. If there is no compiled code, or it gives up, the interpreter runs
// the definition on values (values.go). That is slower, and always possible.
//
//	codec.go   which Go type stands for which Fluxion type
//	args.go    Go memory to arguments of the loop form and back
//	values.go  Go memory to values and back
//	ask.go     what is computed, as a definition that wraps the user's
//	plan.go    the parameters and results of a Go function type
//	call.go    a call
//	direct.go  Go functions of common types, which do not allocate
//	exact.go   certified functions
//	prims.go   Go functions as primitives
package bind

import (
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// misfit returns the diagnostic for a Go type that does not fit.
func misfit(format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.CannotBind, diag.Span{}, "%s", fmt.Sprintf(format, args...))
}
