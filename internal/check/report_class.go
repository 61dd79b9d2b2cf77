package check

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// noInstance reports a type that lacks the class that `by` needs.
func (c *checker) noInstance(at diag.Span, lack *types.Lack, by syntax.Expr) {
	c.report(c.describeLack(at, lack, by))
}

// describeLack returns the diagnostic for a type that lacks a class. by is the operator or name
// that needs it, or nil.
func (c *checker) describeLack(at diag.Span, lack *types.Lack, by syntax.Expr) *diag.Diagnostic {
	p := c.info.Printer()
	switch {
	case lack.Class&(types.Eq|types.Ord) != 0 && types.Resolve(lack.Part) == types.Type(types.Real):
		return c.realEquality(at, lack, by, p)
	case lack.Class == types.Diff:
		return c.notDiff(at, lack, by, p)
	}
	whole := p.Type(lack.Type)
	d := diag.Errorf(diag.NoInstance, at, "%s does not work on %s", operation(by, lack.Class),
		whole)
	if param, ok := types.Resolve(lack.Part).(*types.Param); ok {
		d.Message = fmt.Sprintf("%s needs `%s %s`, which the annotation does not say",
			operation(by, lack.Need), lack.Need, param.Name)
		d.WithHint("add the constraint: `%s %s => …`", lack.Need, param.Name)
		return d
	}
	if types.Resolve(lack.Part) != types.Resolve(lack.Type) {
		d.WithHint("because it contains %s", partText(lack.Part, p))
	}
	d.WithHint("it needs a type of class `%s`: %s", lack.Class, membersOf(lack.Class))
	return classHints(d, lack, by)
}

// joinHint is the hint for adding texts.
const joinHint = "`+` adds numbers and vectors; texts are joined by `join s t`, and `show x` " +
	"gives a value as text"

// classHints adds advice about an operator on a type that does not have it.
func classHints(d *diag.Diagnostic, lack *types.Lack, by syntax.Expr) *diag.Diagnostic {
	e, _ := by.(*syntax.Binary)
	switch types.Resolve(lack.Type).(type) {
	case *types.Array, *types.Tuple, *types.Record:
		if _, array := types.Resolve(lack.Type).(*types.Array); array && lack.Class == types.Cmp &&
			e != nil {
			d.WithHint("elements are compared one by one: `[x %s 1 for x in xs]`", e.Op)
		}
		if e != nil && e.Op == syntax.OpMul {
			d.WithHint("to scale a vector write `c .* v`; for the scalar product `inner u v`; " +
				"for matrices `linalg.matMul a b`")
		}
		if e != nil && e.Op == syntax.OpDiv {
			d.WithHint("`/` divides reals, and arrays of them element by element; the quotient " +
				"of integers is `div a b`")
		} else if lack.Class == types.Vec && types.Resolve(lack.Part) == types.Type(types.Int) {
			d.WithHint("vectors are made of reals; convert with `real n`")
		}
	case *types.Fun:
		d.WithHint("this is a function: does it lack an argument?")
	}
	if types.Resolve(lack.Type) == types.Type(types.String) && e != nil && e.Op == syntax.OpAdd {
		d.WithHint("%s", joinHint)
	}
	return d
}

// realEquality reports == on reals.
func (c *checker) realEquality(at diag.Span, lack *types.Lack, by syntax.Expr,
	p *types.Printer) *diag.Diagnostic {
	d := diag.Errorf(diag.RealEquality, at,
		"these reals may be equal, and then this comparison has no value")
	if types.Resolve(lack.Type) != types.Type(types.Real) {
		d.Message = "these values contain reals, which cannot be compared for equality"
		d.WithHint("they have type %s", p.Type(lack.Type))
	}
	op, _ := by.(*syntax.Binary)
	if op != nil && !literalHint(d, op.L) {
		literalHint(d, op.R)
	}
	switch {
	case op != nil && op.Op == syntax.OpNe:
		d.WithHint("equality of reals is not computable; try `abs (x - y) > eps`")
	case op != nil && op.Op != syntax.OpEq:
		d.WithHint("only reals themselves are compared with `%s`, not tuples, arrays or data "+
			"that contain them", op.Op)
	default:
		d.WithHint("equality of reals is not computable; try `abs (x - y) < eps`")
	}
	if op == nil && by != nil {
		d.Message = fmt.Sprintf("%s needs values that can be compared for equality, and reals "+
			"cannot", operation(by, lack.Class))
	}
	return d
}

// literalHint adds how to write a whole number literal as an Int, and reports whether the
// expression is such a literal.
func literalHint(d *diag.Diagnostic, e syntax.Expr) bool {
	n, ok := e.(*syntax.Number)
	if !ok || isIntegerText(n.Text) || len(n.Text) > 20 {
		return false
	}
	value, ok := ratLiteral(n.Text)
	whole := ok && value.IsInt() && value.Num().IsInt64()
	if whole {
		d.WithHint("`%s` is a Real, because of its point or exponent; the Int is written `%s`",
			n.Text, value.Num())
	}
	return whole
}

// notDiff reports a derivative at a type with functions in it.
func (c *checker) notDiff(at diag.Span, lack *types.Lack, by syntax.Expr,
	p *types.Printer) *diag.Diagnostic {
	if param, ok := types.Resolve(lack.Part).(*types.Param); ok {
		return diag.Errorf(diag.NoInstance, at, "%s needs `Diff %s`, which the annotation does "+
			"not say", operation(by, types.Diff), param.Name).
			WithHint("add the constraint: `Diff %s => …`", param.Name)
	}
	d := diag.Errorf(diag.NotDiff, at, "%s needs a type without functions, and %s has one",
		operation(by, types.Diff), p.Type(lack.Type))
	if types.Resolve(lack.Part) != types.Resolve(lack.Type) {
		d.WithHint("it contains the function %s", p.Type(lack.Part))
	}
	return d.WithHint("derivatives exist between types made of numbers, tuples, records, arrays " +
		"and data; `tangent` works at functions too")
}

// operation names the expression that needs a class.
func operation(by syntax.Expr, class types.Classes) string {
	switch by := by.(type) {
	case *syntax.Binary:
		return "`" + by.Op.String() + "`"
	case *syntax.Neg:
		return "`-`"
	case *syntax.Number:
		return "a number"
	case nil:
		return fmt.Sprintf("class `%s`", class)
	default:
		if name := nameOf(by); name != "" {
			return "`" + name + "`"
		}
	}
	return fmt.Sprintf("class `%s`", class)
}

func partText(t types.Type, p *types.Printer) string {
	if isFun(t) {
		return "the function " + p.Type(t)
	}
	return p.Type(t)
}

// membersOf lists the members of a class.
func membersOf(class types.Classes) string {
	switch class {
	case types.Num:
		return "Int, Real, and arrays of them"
	case types.Scalar:
		return "Int or Real"
	case types.Vec:
		return "Real, and tuples, records and arrays of such types"
	case types.Add:
		return "Int, Real, and tuples, records and arrays of them"
	case types.Eq, types.Ord:
		return "Int, Bool, String, and tuples, records, arrays and data of them"
	case types.Cmp:
		return "Int, Real, Bool, String, and tuples, records, arrays and data without reals"
	}
	return strings.ToLower(class.String())
}
