package check

import (
	"math/big"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Overloaded literals]
//
// A number is an Int or a Real, according to its type. Inside a polymorphic definition its type
// can be a parameter with class Num, which only a use of the definition decides. Since Num has
// only Int and Real, such a literal carries both readings: Ty is the parameter, and Int and Real
// are both set. Monomorphisation then only replaces Ty.

// number returns the literal with the given text at a type, negated if neg.
func (e *elaborator) number(text string, neg bool, ty types.Type, at diag.Span) core.Atom {
	value, ok := ratLiteral(text)
	if !ok {
		e.sink.Add(diag.Errorf(diag.BadNumber, at, "`%s` is not a number that can be represented",
			text))
		return &core.Lit{Ty: ty, Real: new(big.Rat)}
	}
	if neg {
		value.Neg(value)
	}
	if ty == types.Real {
		return core.RealLit(value)
	}
	if !value.IsInt() || !value.Num().IsInt64() {
		e.sink.Add(diag.Errorf(diag.BadNumber, at, "`%s` does not fit into the 64 bits of an Int",
			text).
			WithHint("write it with a decimal point for a Real"))
		return &core.Lit{Ty: ty, Real: new(big.Rat)}
	}
	if ty == types.Int {
		return core.IntLit(value.Num().Int64())
	}
	return &core.Lit{Ty: ty, Int: value.Num().Int64(), Real: value}
}

// ratLiteral parses a number as programs write it. The lexer has bounded its exponent.
func ratLiteral(text string) (*big.Rat, bool) {
	if digits, base := syntax.Digits(text); base != 10 {
		n, ok := new(big.Int).SetString(digits, base)
		if !ok {
			return nil, false
		}
		return new(big.Rat).SetInt(n), true
	}
	return new(big.Rat).SetString(strings.ReplaceAll(text, "_", ""))
}
