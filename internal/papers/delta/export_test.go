package delta

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// What the tests need: they are a package of their own, as they use the
// driver, which uses this package.
var (
	Signature = signature
	Call      = call
	Proj      = proj
	RealLit   = realLit
)

// EvalDelta returns the first n entries of the tape.
func EvalDelta(u value.Value, n int) []float64 {
	t, out := evalDelta(u), make([]float64, n)
	for i := range out {
		out[i] = t.at(i + 1)
	}
	return out
}

// Translated counts the definitions that 𝒟← has translated for a problem and
// those before it.
func Translated(p *papers.Problem) int { return modulesOf(p).translated }

// At evaluates a function of a program at a problem's point.
func At(p *papers.Problem, program *core.Program, f *core.Def) (value.Value, int64, *diag.Diagnostic) {
	return (&run{Problem: p, ctx: context.Background(), name: "test"}).at(program, f)
}
