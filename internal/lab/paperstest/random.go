package paperstest

import (
	"math/rand"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Random returns a random well-typed program that terminates, as a function of the real literals
// of its main expression, at those literals. It returns nil if the result contains functions, or
// if no literal is real. It has no cotangent.
func Random(seed int64) *papers.Problem {
	return overLiterals(coretest.Generate(rand.New(rand.NewSource(seed))))
}

// RandomDerivatives does the same as Random, with derivatives inside the program.
func RandomDerivatives(seed int64) *papers.Problem {
	return overLiterals(coretest.GenerateDerivatives(rand.New(rand.NewSource(seed))))
}

func overLiterals(p *core.Program) *papers.Problem {
	if types.Member(p.Main.Type, types.Diff) != nil {
		return nil
	}
	fun, at := OverLiterals(p.Main)
	if len(at) == 0 {
		return nil
	}
	program := &core.Program{Datas: p.Datas, Defs: append(p.Defs[:len(p.Defs):len(p.Defs)], fun)}
	return &papers.Problem{Program: program, Fun: fun, At: at, MaxOps: 100_000}
}

// OverLiterals turns an expression into a function of the real literals in it, and returns the
// literals.
func OverLiterals(main *core.Def) (*core.Def, value.Reals) {
	array := &types.Array{Size: types.AnySize, Elem: types.Real}
	xs := core.NewVar("xs", array)
	var at value.Reals
	var b core.Builder
	subst := map[*core.Var]*core.Var{}
	var mapper core.Mapper
	atom := func(a core.Atom) core.Atom {
		switch a := a.(type) {
		case *core.Var:
			if w := subst[a]; w != nil {
				return w
			}
		case *core.Lit:
			if a.Ty == types.Type(types.Real) {
				x, _ := a.Real.Float64()
				at = append(at, x)
				return b.Emit("x", &core.Index{Of: xs, At: core.IntLit(int64(len(at) - 1))},
					main.At)
			}
		}
		return a
	}
	bind := func(v *core.Var) *core.Var {
		subst[v] = core.NewVar(v.Name, v.Ty)
		return subst[v]
	}
	block := func(from *core.Block) *core.Block {
		to := &core.Block{}
		for _, stmt := range from.Stmts {
			switch stmt := stmt.(type) {
			case *core.Let:
				op := mapper.Op(stmt.Op)
				to.Stmts = append(to.Stmts, &core.Let{Var: bind(stmt.Var), Op: op, At: stmt.At})
			case *core.LetRec:
				group := &core.LetRec{At: stmt.At}
				for _, v := range stmt.Vars {
					group.Vars = append(group.Vars, bind(v))
				}
				for _, fun := range stmt.Funs {
					group.Funs = append(group.Funs, mapper.Lambda(fun))
				}
				to.Stmts = append(to.Stmts, group)
			}
		}
		to.Result = atom(from.Result)
		return to
	}
	mapper = core.Mapper{Atom: atom, Bind: bind, Block: block}
	body := block(main.Body)
	body.Stmts = append(b.Block(nil).Stmts, body.Stmts...)
	fun := &core.Lambda{Params: []*core.Var{xs}, Body: body}
	return core.FunDef("overLiterals", nil, fun, main.At), at
}
