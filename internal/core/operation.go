package core

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Operation returns the core operation for an application of a row of kind Operation. The
// function argument becomes a block: the body of fun, or, if fun is nil, a call of the argument.
func (p *Prim) Operation(fun *Lambda, at diag.Span) Op {
	switch p.Prim.ID {
	case prim.Zip:
		return p.zip(at)
	case prim.Reduce:
		acc, elem, body := p.combination(fun, at)
		return &Reduce{Acc: acc, Elem: elem, Init: p.Args[1], Array: p.Args[2], Body: body}
	case prim.Scan:
		acc, elem, body := p.combination(fun, at)
		return &Scan{Acc: acc, Elem: elem, Init: p.Args[1], Array: p.Args[2], Body: body}
	}
	panic("core: " + p.Prim.Name + " is not an operation")
}

// Unchanged returns the argument that a row of two returns unchanged because the other one is
// neutral, or nil.
func Unchanged(row *prim.Prim, args ...Atom) Atom {
	n := row.Neutral
	switch {
	case n.Left && isLiteral(args[0], n.Number):
		return args[1]
	case n.Right && isLiteral(args[1], n.Number):
		return args[0]
	}
	return nil
}

// isLiteral reports whether an atom is the literal n, as an Int or a Real.
func isLiteral(a Atom, n int64) bool {
	l, ok := a.(*Lit)
	switch {
	case !ok:
		return false
	case l.Real != nil:
		return l.Real.IsInt() && l.Real.Num().IsInt64() && l.Real.Num().Int64() == n
	}
	return l.Ty == types.Int && l.Int == n
}

// zip returns a map that makes pairs.
func (p *Prim) zip(at diag.Span) *Map {
	x, y := NewVar("x", elemType(p.Args[0])), NewVar("y", elemType(p.Args[1]))
	var body Builder
	pair := body.Emit("p", &Tuple{Elems: []Atom{x, y}}, at)
	return &Map{Params: []*Var{x, y}, Arrays: p.Args, Body: body.Block(pair)}
}

// combination returns the body of a fold, with its parameters.
func (p *Prim) combination(fun *Lambda, at diag.Span) (acc, elem *Var, body *Block) {
	if fun != nil {
		return fun.Params[0], fun.Params[1], fun.Body
	}
	acc, elem = NewVar("acc", p.Args[1].Type()), NewVar("x", elemType(p.Args[2]))
	var b Builder
	next := b.Let("next", acc.Ty, &Apply{Fun: p.Args[0], Args: []Atom{acc, elem}}, at)
	return acc, elem, b.Block(next)
}

func elemType(array Atom) types.Type { return types.Resolve(array.Type()).(*types.Array).Elem }
