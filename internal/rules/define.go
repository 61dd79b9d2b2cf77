package rules

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
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

// Regular is the condition of a row under which its definition may be run on doubles, as a function
// of its arguments and of the definition's value; nil if there is none.
func Regular(row *prim.Prim) *core.Lambda {
	if row.Regular == "" || row.Regular == "true" {
		return nil
	}
	return rule(row, row.Regular, types.Bool)
}

// Define replaces the rows of a program that have definitions by these.
func Define(p *core.Program) {
	d := &definer{subst: map[*core.Var]core.Atom{}}
	d.mapper = core.Mapper{Atom: d.atom, Block: d.block}
	p.EachDef(func(def *core.Def) { def.Body = d.block(def.Body) })
}

// definer rewrites blocks. The results of rows are replaced by those of their
// definitions.
type definer struct {
	mapper core.Mapper
	subst  map[*core.Var]core.Atom
}

func (d *definer) atom(a core.Atom) core.Atom {
	if v, ok := a.(*core.Var); ok && d.subst[v] != nil {
		return d.subst[v]
	}
	return a
}

func (d *definer) block(b *core.Block) *core.Block {
	var out core.Builder
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *core.Let:
			op := d.mapper.Op(s.Op)
			if row, ok := op.(*core.Prim); ok {
				if body := Defined(row, s.At); body != nil {
					d.subst[s.Var] = out.Splice(d.block(body))
					continue
				}
			}
			out.Bind(s.Var, op, s.At)
		case *core.LetRec:
			funs := make([]*core.Lambda, len(s.Funs))
			for i, fun := range s.Funs {
				funs[i] = d.mapper.Lambda(fun)
			}
			out.LetRec(s.Vars, funs, s.At)
		}
	}
	return out.Block(d.atom(b.Result))
}
