package delta

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// plain is the translation of Delta Fig. 3, whose rules Figs. 5 and 7 share: everything but reals
// and their primitives stays the same, at translated types. tangents.go treats the reals.
type plain struct {
	dual
	vars   map[*core.Var]core.Atom
	mapper core.Mapper
}

func newPlain(p *core.Program, tangent types.Type) *plain {
	t := &plain{vars: map[*core.Var]core.Atom{}}
	t.init(p, tangent, newShapes())
	t.mapper = core.Mapper{Type: t.ty, Atom: t.atom, Bind: t.bind, Block: t.block}
	t.inState = func(_ core.Atom, f func() core.Atom) (core.Atom, core.Atom) { return f(), nil }
	t.plus = func(ty types.Type, x, y core.Atom) core.Atom {
		z, _ := t.apply(t.out, t.plusOp(), ty, []core.Atom{x, y}, nil, nil)
		return z
	}
	t.invoke = func(name string, f core.Atom, args []core.Atom, at diag.Span) core.Atom {
		return t.out.Emit(name, &core.Apply{Fun: f, Args: args}, at)
	}
	t.share = func(u core.Atom) core.Atom { return u }
	t.build = func(name string, n core.Atom, f func(core.Atom) core.Atom) core.Atom {
		i := core.NewVar("i", types.Int)
		body := t.nested(func() core.Atom { return f(i) })
		return t.out.Emit(name, &core.Build{Size: n, Index: i, Body: body}, diag.Span{})
	}
	return t
}

// def translates a definition and all that it reaches.
func (t *plain) def(d *core.Def) *core.Def {
	made := t.global(d)
	for len(t.queue) > 0 {
		next := t.queue[0]
		t.queue = t.queue[1:]
		t.made[next.Name].Body = t.block(next.Body)
	}
	return made
}

// global returns the translation of a definition, perhaps without its body yet.
func (t *plain) global(d *core.Def) *core.Def {
	made := t.made[d.Name]
	if made == nil {
		made = &core.Def{Name: t.name(t.prefix + "{" + d.Name + "}"), Type: t.ty(d.Type), At: d.At}
		t.made[d.Name] = made
		t.defs = append(t.defs, made)
		t.queue = append(t.queue, d)
	}
	return made
}

func (t *plain) bind(v *core.Var) *core.Var {
	fresh := core.NewVar(v.Name, t.ty(v.Ty))
	t.vars[v] = fresh
	return fresh
}

func (t *plain) atom(a core.Atom) core.Atom {
	switch a := a.(type) {
	case *core.Var:
		return t.vars[a]
	case *core.Lit:
		return t.literal(a)
	case *core.Global:
		return t.global(t.source[a.Name]).Use()
	}
	panic("delta: unknown atom")
}

func (t *plain) block(b *core.Block) *core.Block {
	return t.nested(func() core.Atom {
		for _, s := range b.Stmts {
			t.watch.Step()
			t.stmt(s)
		}
		return t.atom(b.Result)
	})
}

func (t *plain) stmt(s core.Stmt) {
	switch s := s.(type) {
	case *core.Let:
		switch op := s.Op.(type) {
		case *core.Prim:
			t.vars[s.Var] = t.applyPrim(s.Var.Name, op, s.At)
		case *core.Construct:
			ty := t.ty(op.Ty).(*types.Data)
			mapped := t.mapper.Op(op).(*core.Construct)
			t.out.Bind(t.bind(s.Var), &core.Construct{Con: ty.Decl.Cons[op.Con.Tag], Ty: ty,
				Args: mapped.Args}, s.At)
		case *core.Case:
			mapped := t.mapper.Op(op).(*core.Case)
			for i := range mapped.Arms {
				mapped.Arms[i].Con = t.data(op.Arms[i].Con.Data).Cons[op.Arms[i].Con.Tag]
			}
			t.out.Bind(t.bind(s.Var), mapped, s.At)
		default:
			mapped := t.mapper.Op(op)
			t.out.Bind(t.bind(s.Var), mapped, s.At)
		}
	case *core.LetRec:
		vars, funs := make([]*core.Var, len(s.Vars)), make([]*core.Lambda, len(s.Funs))
		for i, v := range s.Vars {
			vars[i] = t.bind(v)
		}
		for i, fun := range s.Funs {
			funs[i] = t.mapper.Lambda(fun)
		}
		t.out.LetRec(vars, funs, s.At)
	}
}

func (t *plain) applyPrim(name string, op *core.Prim, at diag.Span) core.Atom {
	args := make([]core.Atom, len(op.Args))
	for i, a := range op.Args {
		args[i] = t.atom(a)
	}
	if isAccumulate(op) {
		return t.out.Emit(name, &core.Apply{Fun: t.global(t.source[accumulate]).Use(), Args: args},
			at)
	}
	return t.prim(name, op, args, at)
}

// accumulate is the definition that stands for the primitive at Real.
const accumulate = "Δ.accumulate"

func isAccumulate(op *core.Prim) bool {
	return op.Prim.ID == prim.Accumulate && op.Inst[0] == types.Type(types.Real)
}
