// Package bind makes Go functions from definitions of a Fluxion program. It is given a loaded unit,
// the name of a definition, what is asked of it (its value, a derivative, an enclosure) and the Go
// type that the result shall have. It checks once that the two types fit, and hands on a function
// of that Go type.
//
// A call goes one of two ways. Arguments whose type the loop form has are handed to compiled code
// as they lie in memory, or gathered into columns (args.go), and results are copied to where the
// caller wants them. Where there is no compiled code, or it gives up, the interpreter runs the
// definition on values (values.go): slower, never refused.
//
//	codec.go   which Go type stands for which Fluxion type
//	args.go    Go memory to arguments of the loop form and back
//	values.go  Go memory to values and back
//	ask.go     what is asked, as a definition that wraps the user's
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

// misfit says that a Go type does not fit.
func misfit(format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.CannotBind, diag.Span{}, "%s", fmt.Sprintf(format, args...))
}
