package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
)

// Note [Plain and taped]
//
// In a program that computes derivatives, a function may be given boxed reals
// (Note [Boxes]), and then its code is *taped*: it looks at NaNs, and does not
// join operations to one instruction. Outside of derivatives no real is boxed,
// and *plain* code does. Constants, and the main expression among them, are
// plain: they are given nothing. What plain code calls by name is plain, too.
// What it hands on as a value may get anywhere, also into a derivative, and is
// taped; so is what taped code calls. A definition that is used in both ways
// is compiled twice.
//
// A constant is evaluated when it is needed first, which may be in a
// derivative. Its code is plain nevertheless, as no box can get into it.

// callee is the code that a call of a definition by its name runs.
func (c *funCompiler) callee(g *globalUse) *machine.Function {
	fn := g.Fun
	if !c.taped && c.derives {
		fn = c.plain(g)
	}
	if fn == c.self {
		return c.fn
	}
	return fn
}

// plain is a stub for calls of a definition outside of derivatives.
func (c *compiler) plain(g *globalUse) *machine.Function {
	if g.plain == nil {
		g.plain = c.stub(g, false, false)
		g.plain.Static = &machine.Closure{Fn: g.plain}
	}
	return g.plain
}

// tapedLocal tells whether local functions that refer to one another need
// taped code.
func (c *funCompiler) tapedLocal(vars ...*core.Var) bool {
	handedOn := func(v *core.Var) bool { return !c.called[v] }
	return c.taped || c.derives && slices.ContainsFunc(vars, handedOn)
}

// onlyCalled gives the local functions of a body that are called by the body
// itself, or by a function of their own group, and used for nothing else.
func onlyCalled(body *core.Block) map[*core.Var]bool {
	arity, calls := map[*core.Var]int{}, map[*core.Var]int{}
	var visit func(b *core.Block, group []*core.Var)
	visit = func(b *core.Block, group []*core.Var) {
		nested := core.Parts{Block: func(b *core.Block) { visit(b, group) }}
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *core.LetRec:
				for i, v := range s.Vars {
					arity[v] = len(s.Funs[i].Params)
				}
				for _, fun := range s.Funs {
					if group == nil {
						visit(fun.Body, s.Vars)
					}
				}
			case *core.Let:
				switch op := s.Op.(type) {
				case *core.Lambda:
					arity[s.Var] = len(op.Params)
					continue
				case *core.Apply:
					v, ok := op.Fun.(*core.Var)
					known := ok && arity[v] > 0 && len(op.Args) >= arity[v]
					if known && (group == nil || slices.Contains(group, v)) {
						calls[v]++
					}
				}
				nested.Visit(s.Op)
			}
		}
	}
	visit(body, nil)
	core.Atoms(body, func(a core.Atom) {
		if v, ok := a.(*core.Var); ok && arity[v] > 0 {
			calls[v]--
		}
	})
	only := map[*core.Var]bool{}
	for v := range arity {
		only[v] = calls[v] == 0
	}
	return only
}
