package check

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// isIntegerText reports whether a literal can be an Int: 2, 0x1F, 1_000, but not
// 2.0 or 1e3.
func isIntegerText(text string) bool {
	_, base := syntax.Digits(text)
	return base != 10 || !strings.ContainsAny(text, ".eE")
}

// number returns the type of a literal: Real, or an unknown with a numeric class.
func (c *checker) number(e *syntax.Number) types.Type {
	if !isIntegerText(e.Text) {
		return types.Real
	}
	c.noteLarge(e)
	m := c.u.Fresh()
	m.Classes, m.Demands = types.Scalar, &types.Demand{Classes: types.Scalar, By: e}
	return m
}

// literalAt reports whether a literal can have a basic type. If so, it records what must still be
// checked.
func (c *checker) literalAt(e *syntax.Number, t *types.Basic) bool {
	switch {
	case t == types.Real:
		return true
	case t == types.Int && isIntegerText(e.Text):
		c.noteLarge(e)
		return true
	}
	return false
}

// largeLiteral is a literal that is too large for an Int. It is still valid if it is negated and
// its negative is the least Int.
type largeLiteral struct {
	number  *syntax.Number
	negated bool
}

// noteLarge remembers a literal that is too large, for the case that it is an Int.
func (c *checker) noteLarge(e *syntax.Number) {
	if len(e.Text) < 18 {
		return
	}
	if _, ok := syntax.Integer(e.Text); !ok {
		c.literals = append(c.literals, largeLiteral{number: e})
	}
}

// checkLiterals reports literals that turned out to be Ints and are too large.
func (c *checker) checkLiterals() {
	for _, l := range c.literals {
		e := l.number
		if _, fits := syntax.Integer("-" + e.Text); fits && l.negated {
			continue
		}
		if types.Resolve(c.info.Types[e.ID]) == types.Type(types.Int) {
			value, _ := ratLiteral(e.Text)
			c.report(diag.Errorf(diag.BadNumber, e.At, "this number is too large for an Int").
				WithHint("an Int lies between -9223372036854775808 and 9223372036854775807; "+
					"write `%s` for a Real", value.FloatString(1)).
				WithFix(e.At, value.FloatString(1)))
		}
	}
}
