package check

import (
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Defaulting]
//
// Suppose that an unknown is left at the end of a top-level definition, and that the definition's
// type does not mention it. Then nothing else can decide it. It gets a type that satisfies its
// classes, preferably Real. If it has no classes any type will do, and it stays open as a rigid
// variable that nothing quantifies. An unknown that a binding without parameters keeps (Note
// [Generalisation]) has level 0. The rest of the module may still decide it, and it becomes Real
// only at the end of the module.

// defaultDefinition decides the unknowns that belong only to the definition just checked, and
// remembers those that the module may decide.
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

// defaultModule decides the remaining unknowns.
func (c *checker) defaultModule() {
	for _, m := range c.undecided {
		if m.Link == nil && !m.Poisoned {
			c.applyDefault(m)
		}
	}
}

// applyDefault decides one unknown. It reports an error if no type has all of its classes, as for
// a number that is both scaled as a vector and compared with ==.
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

// DefaultOf returns the default for an unknown of which only the classes are known.
func DefaultOf(classes types.Classes) types.Type {
	switch {
	case classes&(types.Eq|types.Ord) == 0, classes&(types.Scalar|types.Num) != 0 &&
		classes&types.Vec != 0:
		return types.Real
	case classes&types.Vec == 0:
		return types.Int
	}
	return types.Unit // both in Eq and in Vec
}
