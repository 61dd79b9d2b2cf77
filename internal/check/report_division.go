package check

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// This file reports errors at variables that are numbers only because of an operator on reals. In
//
//	let f n = 1 / n
//	let a = f (length xs)
//
// the division is at fault and not the call.

// realUse is an operator on reals with a variable as an operand.
type realUse struct {
	op      *syntax.Binary
	operand *syntax.Var
}

// divided returns a diagnostic for an Int that is passed for a parameter which is a Real only
// because the function divides by it, or nil.
func (m *mismatched) divided() *diag.Diagnostic {
	if m.why.kind != whyArgument || m.want != types.Type(types.Real) ||
		m.got != types.Type(types.Int) {
		return nil
	}
	call := m.why.node.(*syntax.Apply)
	use := m.c.madeReal[m.c.parameter(call.Fun, m.why.n-1)]
	if use == nil {
		return nil
	}
	name, op := use.operand.Name, use.op.Op
	d := diag.Errorf(diag.IntReal, use.operand.At,
		"`%s` takes reals, but %s is used with an Int for `%s`", op, describe(call.Fun), name).
		WithRelated(m.node.Span(), "this is an Int")
	if op == syntax.OpDiv {
		d.WithHint("write `real %s` here; the quotient of integers is `div a b`", name).WithFix(
			use.operand.At, "real "+name)
	} else {
		d.WithHint("write `real %s` here; for an Int exponent write `x ^ n`", name).WithFix(
			use.operand.At, "real "+name)
	}
	return d
}

// because adds the operator that made a variable a Real.
func (m *mismatched) because(d *diag.Diagnostic, n syntax.Node) {
	v, ok := n.(*syntax.Var)
	if !ok || m.c.info.Uses[v.ID] == nil || types.Resolve(m.c.info.Types[v.ID]) != types.Type(
		types.Real) {
		return
	}
	if use := m.c.madeReal[m.c.info.Uses[v.ID].Object]; use != nil {
		d.WithRelated(use.op.At, "`%s` is a Real because of this `%s`", v.Name, use.op.Op).
			WithHint("if `%s` is to be an Int, write `real %s` there", v.Name, v.Name)
	}
}

// parameter returns the variable of the n-th parameter of a function of this module, or nil.
func (c *checker) parameter(fun syntax.Expr, n int) Object {
	use := c.info.Uses[unparen(fun).Num()]
	if use == nil {
		return nil
	}
	var at diag.Span
	switch o := use.Object.(type) {
	case *Local:
		at = o.At
	case *Global:
		at = o.At
	}
	var found Object
	syntax.InspectModule(c.info.Module, func(node syntax.Node) bool {
		b, ok := node.(*syntax.Binding)
		if ok && b.Pat.Span() == at && n < len(b.Params) {
			if v, ok := b.Params[n].(*syntax.PVar); ok {
				found = c.info.Defs[v.ID]
			}
		}
		return found == nil
	})
	return found
}
