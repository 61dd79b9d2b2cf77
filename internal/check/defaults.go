package check

import (
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Defaulting]
//
// An unknown that is left at the end of a top-level definition, and that the
// definition's type does not mention, is nobody's business: it gets a type
// that satisfies its classes, Real before all others; without classes any type
// will do, and it stays open as a rigid variable that nothing quantifies. One
// that a binding without parameters keeps (Note [Generalisation]) has level 0:
// the rest of the module may still decide it, and only at the end of the module
// it becomes Real.

// defaultDefinition decides the unknowns that belong to the definition just
// checked alone, and remembers those that the module may decide.
func (c *checker) defaultDefinition() {
	c.opened = 0
	for id := c.firstNew; id < c.u.Made(); id++ {
		m := c.u.Meta(id)
		switch {
		case m.Link != nil || m.Poisoned:
		case m.Level == 0:
			c.undecided = append(c.undecided, m)
		default:
			c.applyDefault(m)
		}
	}
	c.firstNew = c.u.Made()
}

// defaultModule decides the rest.
func (c *checker) defaultModule() {
	for _, m := range c.undecided {
		if m.Link == nil && !m.Poisoned {
			c.applyDefault(m)
		}
	}
}

// applyDefault decides one unknown. No type may have all of its classes: a
// number that is both scaled as a vector and compared with ==, say.
func (c *checker) applyDefault(m *types.Meta) {
	if m.Classes == 0 { // any type will do: it stays open, under a name to print
		m.Link = &types.Param{Name: types.LetterName(c.opened)}
		c.opened++
		return
	}
	t := DefaultOf(m.Classes)
	m.Link = t
	if lack := types.Member(t, m.Classes); lack != nil {
		if by, ok := m.Demander(lack.Class).(syntax.Expr); ok {
			c.noInstance(by.Span(), lack, by)
		}
	}
}

// DefaultOf returns the type of an unknown of which only the classes are known.
func DefaultOf(classes types.Classes) types.Type {
	switch {
	case classes&(types.Eq|types.Ord) == 0, classes&(types.Scalar|types.Num) != 0 && classes&types.Vec != 0:
		return types.Real
	case classes&types.Vec == 0:
		return types.Int
	}
	return types.Unit // in Eq and in Vec
}
