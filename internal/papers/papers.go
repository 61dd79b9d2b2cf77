// Package papers holds what the published differentiation algorithms share: the problem that each
// is given and the answer that it returns. The algorithms are in the packages below, one per
// paper, each on the same typed core and as published. They are there to be read, compared and
// counted, not to be fast.
package papers

import (
	"context"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Problem is a function to differentiate at a point.
type Problem struct {
	// Program is linked and monomorphic and otherwise as elaborated, so that explanations look
	// like the source. Its Main is not used.
	Program *core.Program
	// Fun is a definition of Program whose type is S -> T, both without
	// functions in them.
	Fun *core.Def
	// At is a value of type S, Cotangent one of type T.
	At, Cotangent value.Value

	// Store holds what strategies keep from one problem to the next, by their names. It is nil if
	// there is no next problem.
	Store *sync.Map

	// Explain asks for Answer.Explanation.
	Explain bool
	// MaxOps bounds the operations that an algorithm may execute. Some algorithms are inherently
	// exponential.
	MaxOps int64
	// MaxDepth bounds the calls that may be active at once, if it is positive.
	MaxDepth int
	// Evaluate runs the Main of a monomorphic program and counts its
	// primitive operations.
	Evaluate func(
		ctx context.Context, p *core.Program, maxOps int64,
	) (value.Value, int64, *diag.Diagnostic)
	// Compiled applies a definition of a monomorphic program as production does, and returns the
	// loop forms that ran to their end for that.
	Compiled func(ctx context.Context, p *core.Program, name string,
		args ...value.Value) (value.Value, []string, *diag.Diagnostic)
	// Enclose runs the Main of a monomorphic program over the reals, and returns sets that
	// contain the reals of its value. With an error it may still return what is known. It may be
	// nil; then the usual limits apply.
	Enclose func(ctx context.Context, p *core.Program, how Enclosing) (
		value.Value, *diag.Diagnostic)
}

// Enclosing says what to enclose, and how.
type Enclosing struct {
	// Powers, if not empty, asks for the derivative tower of a function at a point, where Main is
	// the pair of the two. The result has a coefficient for each power.
	Powers [][]int
	// Term, if not nil, asks for reverse derivatives by terms, and receives the last one.
	Term *Term
}

// Term is the linear form that a reverse derivative evaluates.
type Term struct {
	Nodes int
	// returns the text, one node per line, with the names of the inputs
	Text func(inputs []string) string
}

// Answer is the result of an algorithm.
type Answer struct {
	Value    value.Value // of type T: the function at the point
	Gradient value.Value // of type S: the transposed derivative applied to the cotangent
	// the gradient with sets for reals, from an algorithm that certifies them; Gradient then
	// holds their midpoints
	Enclosed value.Value
	Ops      Ops
	// Cells counts the memory that the forward pass leaves for the backward pass, and that the
	// backward pass takes itself: the constructors of a Delta and the entries of its map. It is 0
	// if the algorithm does not count it.
	Cells       int64
	Explanation string
}

// Ops counts the executed primitive operations: those of the function alone, of the algorithm's
// forward pass (including the function), and of its backward pass. An algorithm without such
// passes counts everything as Forward. Uncounted says that it cannot count.
type Ops struct {
	Primal, Forward, Backward int64
	Uncounted                 bool // whether Forward and Backward are not counted
}

// Strategy is a published algorithm.
type Strategy struct {
	Name  string // as the command knows it: "delta"
	Paper string // and figures: "Delta Figs. 9–11"
	Run   func(ctx context.Context, p *Problem) (*Answer, *diag.Diagnostic)
}

// NotCovered returns the diagnostic for a program that an algorithm does not cover.
func NotCovered(at diag.Span, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.StrategyLimits, at, format, args...)
}

// OverBudget returns the diagnostic for an algorithm that was stopped at its bound of operations.
func OverBudget(at diag.Span, strategy string, maxOps int64) *diag.Diagnostic {
	return diag.Errorf(diag.StrategyBudget, at, "%s needs more than %d operations here",
		strategy, maxOps).
		WithHint("some published algorithms are exponential on some programs")
}

// EmbedFiles replaces data files by statements that build their contents. It reports a file for
// which fits is false.
func EmbedFiles(p *core.Program, fits func(value.Value) bool) *diag.Diagnostic {
	for k, def := range p.Defs {
		if len(def.Body.Stmts) != 1 {
			continue
		}
		let, ok := def.Body.Stmts[0].(*core.Let)
		if !ok {
			continue
		}
		op, ok := let.Op.(*core.Prim)
		if !ok || op.Prim.ID != prim.File {
			continue
		}
		v := *op.Args[0].(*core.Lit).Data
		if !fits(v) {
			return NotCovered(let.At, "the data is too large to write it into a program, as "+
				"published algorithms need it").
				WithHint("take a part of it: the first rows, say")
		}
		var b core.Builder
		embedded := *def
		result := b.Embed(v, let.Var.Ty)
		embedded.Body = b.Block(result)
		p.Defs[k] = &embedded
	}
	return nil
}
