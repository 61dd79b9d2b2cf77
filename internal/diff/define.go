package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Rows over arrays are wholes for the interpreter. Other engines may run what
// they mean, which the column Definition of the table says by loops.

// Defined is the definition of an application of a row, at a place, as a block
// over the row's arguments; nil if the row has none. Definitions may apply other
// rows that have definitions.
func Defined(op *core.Prim, at diag.Span) *core.Block {
	if op.Prim.Definition == "" {
		return nil
	}
	_, result := signature(op.Prim)
	fun := rule(op.Prim, op.Prim.Definition, result)
	subst := map[*core.Var]core.Atom{}
	for i, a := range op.Args {
		subst[fun.Params[i]] = a
	}
	body := core.Clone(fun.Body, subst)
	core.Walk(body, func(s core.Stmt) {
		if let, ok := s.(*core.Let); ok {
			let.At = at
		}
	})
	return body
}

// Define replaces the rows of a program that have definitions by these.
func Define(p *core.Program) {
	p.EachDef(func(d *core.Def) { d.Body = define(d.Body) })
}

func define(b *core.Block) *core.Block {
	mapper := &core.Mapper{Block: define}
	subst := map[*core.Var]core.Atom{}
	out := &core.Builder{}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *core.Let:
			if op, ok := s.Op.(*core.Prim); ok {
				if body := Defined(op, s.At); body != nil {
					subst[s.Var] = out.Splice(define(body))
					continue
				}
			}
			out.Add(&core.Let{Var: s.Var, Op: mapper.Op(s.Op), At: s.At})
		case *core.LetRec:
			funs := make([]*core.Lambda, len(s.Funs))
			for i, fun := range s.Funs {
				funs[i] = mapper.Lambda(fun)
			}
			out.LetRec(s.Vars, funs, s.At)
		}
	}
	block := out.Block(b.Result)
	if len(subst) > 0 {
		return core.Clone(block, subst)
	}
	return block
}

// IsWhole tells whether a row is one over arrays that engines run as a whole or
// by its definition.
func IsWhole(row *prim.Prim) bool {
	_, ok := row.Float.(prim.Whole)
	return ok
}
