package trace

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Programs as text, in A–P's notation: a redex R of a judgement, and a function
// that is an argument. Both are short; what is too long ends in "…".

// expression is a text, and whether it stands as an operand without
// parentheses.
type expression struct {
	text string
	tied bool
}

func (e expression) operand() string { return paren(!e.tied, e.text) }

// redex returns an operation whose operands are written by atom; "" for one that
// only moves values about and has no judgement worth a line.
func redex(op core.Op, atom func(core.Atom) expression) expression {
	list := func(as []core.Atom) string {
		texts := make([]string, len(as))
		for i, a := range as {
			texts[i] = atom(a).text
		}
		return strings.Join(texts, ", ")
	}
	switch op := op.(type) {
	case *core.Prim:
		name := op.Prim.Name
		switch {
		case len(op.Args) == 0:
			return expression{name, true}
		case op.Prim.ID == prim.Neg:
			return expression{"-" + atom(op.Args[0]).operand(), false}
		case len(op.Args) == 2 && !isLetter(name[0]):
			return expression{atom(op.Args[0]).operand() + " " + name + " " + atom(
				op.Args[1]).operand(), false}
		}
		return expression{name + "(" + list(op.Args) + ")", true}
	case *core.Apply:
		return expression{atom(op.Fun).operand() + "(" + list(op.Args) + ")", true}
	case *core.If:
		return expression{"if " + atom(op.Cond).text + " then … else …", false}
	case *core.Tuple:
		return expression{"⟨" + list(op.Elems) + "⟩", true}
	case *core.Array:
		return expression{"[" + list(op.Elems) + "]", true}
	case *core.Proj:
		return expression{atom(op.Of).operand() + "." + value.Show(value.Int(op.Index)), true}
	case *core.Index:
		return expression{atom(op.Of).operand() + "[" + atom(op.At).text + "]", true}
	case *core.Field:
		record := types.Resolve(op.Of.Type()).(*types.Record)
		return expression{atom(op.Of).operand() + "." + record.Fields[op.Index].Name, true}
	}
	return expression{"…", true}
}

// blockText returns a block as one expression: what its variables stand for takes
// their place, and atom writes the others.
func blockText(b *core.Block, atom func(core.Atom) expression) expression {
	own := map[core.Atom]expression{}
	inner := func(a core.Atom) expression {
		if e, ok := own[a]; ok {
			return e
		}
		return atom(a)
	}
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			return expression{"…", true}
		}
		var e expression
		switch op := let.Op.(type) {
		case *core.Lambda:
			e = lambdaText(op, 0, inner)
		case *core.If:
			e = expression{"if " + inner(op.Cond).text + " then " + blockText(op.Then, inner).text +
				" else " + blockText(op.Else, inner).text, false}
		default:
			e = redex(let.Op, inner)
		}
		e.text = cut(e.text)
		own[let.Var] = e
	}
	return inner(b.Result)
}

// lambdaText returns the function of the parameters that are not given.
func lambdaText(fun *core.Lambda, given int, atom func(core.Atom) expression) expression {
	var names []string
	for _, p := range fun.Params[given:] {
		names = append(names, p.Name)
	}
	return expression{cut("fun " + strings.Join(names, " ") + " => " + bodyText(fun, names, atom)),
		false}
}

// bodyText returns a function's body, with names for the last of its parameters.
func bodyText(fun *core.Lambda, names []string, atom func(core.Atom) expression) string {
	own := fun.Params[len(fun.Params)-len(names):]
	return blockText(fun.Body, func(a core.Atom) expression {
		if i := slices.IndexFunc(own, func(x *core.Var) bool { return a == core.Atom(x) }); i >= 0 {
			return expression{names[i], true}
		}
		return atom(a)
	}).text
}

// constantText writes what is not a variable.
func constantText(a core.Atom) expression {
	if g, ok := a.(*core.Global); ok {
		return expression{shortName(g.Name), true}
	}
	return literalText(literal(a.(*core.Lit)))
}

func literalText(v value.Value) expression {
	text := value.ShowAtMost(v, maxShown)
	return expression{text, !strings.HasPrefix(text, "-")}
}

// shortName returns the name of a definition without its module and its types.
func shortName(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return name[strings.LastIndex(name, ".")+1:]
}

const (
	maxShown = 8  // elements of an array
	maxText  = 72 // letters of an expression
)

// cut shortens a text to one line.
func cut(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return string([]rune(text)[:maxText-1]) + "…"
}
