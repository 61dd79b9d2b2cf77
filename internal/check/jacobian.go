package check

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Jacobian constraints]
//
// The type of `jacobian f x` follows from the source and target types of f (types, Note
// [Jacobians]). If these are not known, the constraint waits for the unknown that it needs, as
// fields of unknown records do. If a definition with parameters still has such constraints of its
// own, they become part of its scheme, and its uses decide:
//
//	let sensitivity f x = jacobian f x
//
// has the type Jacobian s t j => (s -> t) -> s -> j. If nothing decides, the derivative is that
// between arrays of reals.

// jacobian is a constraint that waits.
type jacobian struct {
	types.Jacobian
	at   syntax.Node // the node that has the constraint
	done bool
}

// demandJacobians processes the constraints of an instance.
func (c *checker) demandJacobians() {
	demands := c.u.Jacobians
	c.u.Jacobians = nil
	for _, d := range demands {
		c.solveJacobian(&jacobian{Jacobian: d.Jacobian, at: d.By.(syntax.Node)})
	}
}

// solveJacobian computes the type of a derivative as far as it is known. Its open parts become
// constraints of their own.
func (c *checker) solveJacobian(j *jacobian) {
	if j.done {
		return
	}
	j.done = true
	t, no := types.DerivativeType(j.Source, j.Target, func(s, t, on types.Type) types.Type {
		m, ok := on.(*types.Meta)
		if ok && m.Poisoned {
			return m
		}
		part := &jacobian{Jacobian: types.Jacobian{Source: s, Target: t, Result: c.u.Fresh()},
			at: j.at}
		if ok {
			m.Waits = &types.Waiter{For: part, Next: m.Waits}
		}
		c.jacobians = append(c.jacobians, part)
		return part.Result
	})
	if no != nil {
		c.noJacobian(j, no)
		t = c.bad()
	}
	c.expect(j.at, j.Result, t, why{kind: whyJacobian})
}

func (c *checker) noJacobian(j *jacobian, no *types.NoJacobian) {
	if no.Part == nil {
		c.typeTooLarge(j.at)
		return
	}
	p := c.info.Printer()
	c.report(diag.Errorf(diag.NoInstance, j.at.Span(),
		"the derivative of a `%s` by a `%s` has no type", p.Type(j.Target), p.Type(no.Source)).
		WithHint("`jacobianRows f x` and `jacobianColumns f x` have one for all types: they are " +
			"arrays of gradients and of tangents"))
}

// ownJacobians returns the constraints that become part of a scheme. Constraints that depend on
// unknowns of the surrounding definition, or on a binding that has one type, are kept from being
// generalised.
func (c *checker) ownJacobians(g *types.Generaliser) (own []types.Jacobian) {
	c.jacobians = slices.DeleteFunc(c.jacobians, func(j *jacobian) bool {
		switch {
		case j.done:
			return true
		case !g.Restricted && isOwn(j.Source, g.Level) && isOwn(j.Target, g.Level):
			j.done = true
			own = append(own, j.Jacobian)
			return true
		}
		c.lowerJacobian(j, g.Level)
		return false
	})
	return own
}

// refuseJacobians reports constraints that would become part of a scheme. Inside a recursive
// group, uses of annotated functions have the written type, which cannot express them.
func (c *checker) refuseJacobians(level int32) {
	for _, j := range c.jacobians {
		if !j.done && isOwn(j.Source, level) && isOwn(j.Target, level) {
			j.done = true
			p := c.info.Printer()
			c.report(diag.Errorf(diag.Ambiguous, j.at.Span(), "the type of this derivative "+
				"depends on `%s` and `%s`, which a recursive function leaves open",
				p.Type(j.Source), p.Type(j.Target)).
				WithHint("annotate the function with types that are known, such as `[n]Real -> " +
					"[m]Real`"))
		}
	}
}

// isOwn reports whether all variables of a type belong to levels above the given one.
func isOwn(t types.Type, level int32) bool {
	own := true
	var walk func(types.Type) types.Type
	walk = func(t types.Type) types.Type {
		switch t := types.Resolve(t).(type) {
		case *types.Meta:
			own = own && t.Level > level
		case *types.Param:
			own = own && t.Level > level
		default:
			types.Map(t, walk)
		}
		return t
	}
	walk(t)
	return own
}

// defaultJacobians decides constraints whose unknowns are not below a level. Unless their classes
// say otherwise, the unknowns become arrays.
func (c *checker) defaultJacobians(level int32) {
	of := func(m *types.Meta) types.Type {
		if m.Classes == types.Diff {
			return &types.Array{Size: c.u.FreshSize(), Elem: types.Real}
		}
		return DefaultOf(m.Classes)
	}
	for i := 0; i < len(c.jacobians); i++ { // deciding one may decide others
		j := c.jacobians[i]
		for _, t := range []types.Type{j.Source, j.Target} {
			if m, ok := types.Resolve(t).(*types.Meta); ok && !j.done && m.Level >= level {
				c.expect(j.at, m, of(m), why{kind: whyJacobian})
			}
		}
	}
	c.jacobians = slices.DeleteFunc(c.jacobians, func(j *jacobian) bool { return j.done })
	for _, j := range c.jacobians { // the rest of the module may decide these
		c.lowerJacobian(j, 0)
	}
}

// lowerJacobian prevents the unknowns of a constraint from being generalised above a level.
func (c *checker) lowerJacobian(j *jacobian, level int32) {
	for _, t := range []types.Type{j.Source, j.Target, j.Result} {
		c.u.Lower(t, level)
	}
}
