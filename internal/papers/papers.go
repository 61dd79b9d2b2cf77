// Package papers is what the published differentiation algorithms share: the
// problem that each is given and the answer that it gives. The algorithms are
// the packages below it, one a paper, each on the same typed core and as
// published: they are there to be read, compared and counted, not to be fast.
package papers

import (
	"context"
	"math"
	"math/big"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Problem is a function to differentiate at a point.
type Problem struct {
	// Program is linked and monomorphic and otherwise as elaborated, so that
	// explanations look like what was written. Its Main is not used.
	Program *core.Program
	// Fun is a definition of Program whose type is S -> T, both without
	// functions in them.
	Fun *core.Def
	// At is a value of type S, Cotangent one of type T.
	At, Cotangent value.Value

	// Store is what strategies keep from one problem to the next, by their
	// names; nil if there is no next one.
	Store *sync.Map

	// Explain asks for Answer.Explanation.
	Explain bool
	// MaxOps bounds the operations that an algorithm may execute; some are
	// exponential by their nature.
	MaxOps int64
	// MaxDepth bounds the calls that may be active at once, if it is positive.
	MaxDepth int
	// Evaluate runs the Main of a monomorphic program and counts its
	// primitive operations.
	Evaluate func(ctx context.Context, p *core.Program, maxOps int64) (value.Value, int64, *diag.Diagnostic)
	// Enclose runs the Main of a monomorphic program over the reals, and gives
	// sets that contain the reals of its value. With an error it may give what is
	// known. It may be nil, and then has the usual limits.
	Enclose func(ctx context.Context, p *core.Program, how Enclosing) (value.Value, *diag.Diagnostic)
}

// Enclosing says what to enclose, and how.
type Enclosing struct {
	// Powers, if there are any, ask for the derivative tower of the function at the point whose
	// pair Main is: a coefficient for each of them.
	Powers [][]int
	// Term, if it is there, asks for reverse derivatives by terms, and takes the last one.
	Term *Term
}

// Term is the linear form that a reverse derivative evaluates.
type Term struct {
	Nodes int
	Text  func(inputs []string) string // a node a line, with the names of the inputs
}

// Answer is what an algorithm finds.
type Answer struct {
	Value    value.Value // of type T: the function at the point
	Gradient value.Value // of type S: the transposed derivative applied to the cotangent
	Enclosed value.Value // the gradient with sets for reals, from an algorithm that certifies them; Gradient has their midpoints
	Ops      Ops
	// Cells counts the memory that the forward pass leaves for the backward
	// one, and that one takes itself: the constructors of a Delta and the
	// entries of its map. 0 if the algorithm does not count it.
	Cells       int64
	Explanation string
}

// Ops counts the primitive operations that were executed: those of the
// function alone, of the algorithm's forward pass (the function included),
// and of its backward pass. An algorithm that has no such passes counts all
// as Forward; one that cannot count says so.
type Ops struct {
	Primal, Forward, Backward int64
	Uncounted                 bool // Forward and Backward are
}

// Strategy is a published algorithm.
type Strategy struct {
	Name  string // as the command knows it: "delta"
	Paper string // and figures: "Delta Figs. 9–11"
	Run   func(ctx context.Context, p *Problem) (*Answer, *diag.Diagnostic)
}

// NotCovered says that an algorithm does not cover a program, and why.
func NotCovered(at diag.Span, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.StrategyLimits, at, format, args...)
}

// OverBudget says that an algorithm was stopped at its bound of operations.
func OverBudget(at diag.Span, strategy string, maxOps int64) *diag.Diagnostic {
	return diag.Errorf(diag.StrategyBudget, at, "%s needs more than %d operations here", strategy, maxOps).
		WithHint("some published algorithms are exponential on some programs")
}

// Embed makes statements that build a value of a type without functions.
func Embed(b *core.Builder, v value.Value, ty types.Type) core.Atom {
	switch v := v.(type) {
	case value.Real:
		return embedReal(b, float64(v))
	case value.Int:
		return core.IntLit(int64(v))
	case value.Bool:
		return core.BoolLit(bool(v))
	case value.String:
		return core.StringLit(string(v))
	case value.Tuple:
		if len(v) == 0 {
			return core.UnitLit()
		}
		tuple := types.Resolve(ty).(*types.Tuple)
		elems := make([]core.Atom, len(v))
		for i, e := range v {
			elems[i] = Embed(b, e, tuple.Elems[i])
		}
		return b.Let("t", ty, &core.Tuple{Elems: elems}, diag.Span{})
	case value.Record:
		record := types.Resolve(ty).(*types.Record)
		elems := make([]core.Atom, len(v))
		for i, f := range v {
			elems[i] = Embed(b, f.Value, record.Fields[i].Type)
		}
		return b.Let("r", ty, &core.Record{Ty: record, Elems: elems}, diag.Span{})
	case value.Con:
		data := types.Resolve(ty).(*types.Data)
		for _, con := range data.Decl.Cons {
			if con.Name == v.Name {
				fields := con.FieldTypes(data)
				args := make([]core.Atom, len(v.Args))
				for i, a := range v.Args {
					args[i] = Embed(b, a, fields[i])
				}
				return b.Let("c", ty, &core.Construct{Con: con, Ty: data, Args: args}, diag.Span{})
			}
		}
	case value.Numeral:
		if math.IsNaN(v.Near) || math.IsInf(v.Near, 0) {
			return Embed(b, value.Real(v.Near), ty)
		}
		return core.RealLit(v.Rat())
	}
	if n, ok := value.Len(v); ok {
		return embedArray(b, n, ty, func(i int) value.Value { return value.At(v, i) })
	}
	panic("papers: a value that does not have its type")
}

// EmbedFiles replaces data files by statements that build what they contain. A file for which
// fits is false is reported.
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
			return NotCovered(let.At, "the data is too large to write it into a program, as published algorithms need it").
				WithHint("take a part of it: the first rows, say")
		}
		var b core.Builder
		embedded := *def
		result := Embed(&b, v, let.Var.Ty)
		embedded.Body = b.Block(result)
		p.Defs[k] = &embedded
	}
	return nil
}

// embedReal makes a double: a literal, or the operation that gives an infinity,
// NaN or the negative zero, which no literal does.
func embedReal(b *core.Builder, x float64) core.Atom {
	atReal := []types.Type{types.Real}
	by := func(row prim.ID, inst []types.Type, args ...int64) core.Atom {
		op := &core.Prim{Prim: row.Row(), Inst: inst}
		for _, a := range args {
			op.Args = append(op.Args, core.RealLit(big.NewRat(a, 1)))
		}
		return b.Let("x", types.Real, op, diag.Span{})
	}
	switch {
	case math.IsNaN(x):
		return by(prim.Quo, atReal, 0, 0)
	case math.IsInf(x, 1):
		return by(prim.Quo, atReal, 1, 0)
	case math.IsInf(x, -1):
		return by(prim.Quo, atReal, -1, 0)
	case x == 0 && math.Signbit(x):
		return by(prim.Neg, atReal, 0)
	}
	return core.RealLit(new(big.Rat).SetFloat64(x))
}

func embedArray(b *core.Builder, n int, ty types.Type, at func(int) value.Value) core.Atom {
	elem := types.Resolve(ty).(*types.Array).Elem
	elems := make([]core.Atom, n)
	for i := range elems {
		elems[i] = Embed(b, at(i), elem)
	}
	return b.Let("xs", ty, &core.Array{Elem: elem, Elems: elems}, diag.Span{})
}
