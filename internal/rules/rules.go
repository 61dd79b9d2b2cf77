// Package rules reads the rules of the primitives as core. The table of package prim has them as
// texts in Fluxion: partial derivatives, derivatives of rows over arrays forwards and backwards,
// kinks, domains, germs, and definitions of rows over arrays by loops. Each text is read once, by
// the same front end as every program; overloaded rows are taken at Real.
//
// A rule is a closed function of the row's arguments and its result, for whoever differentiates,
// lowers or encloses the row. This package must not know how core is run, nor how a derivative is
// put together from rules: that is done by tapes, by package grad for the loop form, and by the
// published algorithms.
package rules

import (
	"slices"
	"strings"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Partial is the partial derivative of a row with respect to argument arg, as
// a function of the row's arguments and then of its result. It is nil if the
// row has none: if that argument or the result is not real, or if it is a row
// over arrays.
func Partial(row *prim.Prim, arg int) *core.Lambda {
	if len(row.Partials) == 0 || arg >= len(row.Params) {
		return nil
	}
	params, result := signature(row)
	if params[arg] != types.Type(types.Real) {
		return nil
	}
	nth := 0 // among the real arguments
	for _, p := range params[:arg] {
		if p == types.Type(types.Real) {
			nth++
		}
	}
	return rule(row, row.Partials[nth], result)
}

// Quotient finds the quotient by / over that ends a block of a partial derivative, maybe with its
// sign changed, and that is applied in two steps (prim.Prim.Partials). It gives the block before
// it.
func Quotient(rule *core.Lambda, b *core.Block) (
	rest []core.Stmt, over, by core.Atom, negative, ok bool,
) {
	arguments := rule.Params[:len(rule.Params)-1]
	rest, result := b.Stmts, b.Result
	for n := len(rest); n > 0; n = len(rest) {
		let := rest[n-1].(*core.Let)
		op, isPrim := let.Op.(*core.Prim)
		if !isPrim || result != core.Atom(let.Var) {
			break
		}
		switch op.Prim.ID {
		case prim.Neg:
			rest, result, negative = rest[:n-1], op.Args[0], !negative
			continue
		case prim.Quo:
			by := op.Args[0]
			if v, isVar := by.(*core.Var); isVar && !slices.Contains(arguments, v) {
				return rest[:n-1], op.Args[1], by, negative, true
			}
		}
		break
	}
	return nil, nil, nil, false, false
}

// RowPushforward is what a tangent of argument arg of a row over arrays
// contributes to the tangent of its result, as a function of the row's arguments, its result
// and that tangent; nil if the row is not one over arrays.
func RowPushforward(row *prim.Prim, arg int) *core.Lambda {
	if arg >= len(row.Pushforward) {
		return nil
	}
	params, result := signature(row)
	return rule(row, row.Pushforward[arg], result, typed{"d" + row.Params[arg], params[arg]})
}

// RowPullback is the transpose of RowPushforward: a function of the row's
// arguments, its result, a cotangent of the result, and the cotangents of the
// arguments after arg.
func RowPullback(row *prim.Prim, arg int) *core.Lambda {
	if arg >= len(row.Pullback) {
		return nil
	}
	params, result := signature(row)
	given := []typed{{"br", result}}
	for i := arg + 1; i < len(params); i++ {
		given = append(given, typed{"b" + row.Params[i], params[i]})
	}
	return rule(row, row.Pullback[arg], params[arg], given...)
}

// Kink gives the two sides of the equation that holds where a row, taken at
// Real, has a kink or a jump: functions like Partial's. They are nil if it has
// none.
func Kink(row *prim.Prim) (left, right *core.Lambda) {
	a, b, ok := strings.Cut(row.Kink, " = ")
	if !ok {
		return nil, nil
	}
	return rule(row, a, types.Real), rule(row, b, types.Real)
}

// Domain is the condition that holds where a row, taken at Real, is defined: a function like
// Partial's; nil if it is defined everywhere.
func Domain(row *prim.Prim) *core.Lambda { return fact(row, row.Domain, types.Bool) }

// Germ is the row in terms of functions with known germs, a function like Partial's; nil if the
// table says nothing.
func Germ(row *prim.Prim) *core.Lambda { return fact(row, row.Germ, types.Real) }

func fact(row *prim.Prim, text string, result types.Type) *core.Lambda {
	if text == "" {
		return nil
	}
	return rule(row, text, result)
}

// Inline appends a rule's body, with its parameters replaced, and gives its
// result.
func Inline(b *core.Builder, rule *core.Lambda, args ...core.Atom) core.Atom {
	subst := make(map[*core.Var]core.Atom, len(args))
	for i, p := range rule.Params {
		subst[p] = args[i]
	}
	return b.Splice(core.Clone(rule.Body, subst))
}

// signature is the type of a row at Real.
func signature(row *prim.Prim) (params []types.Type, result types.Type) {
	reals := make([]types.Type, len(row.Scheme.Params))
	for i := range reals {
		reals[i] = types.Real
	}
	return types.Splay(types.Subst(row.Scheme.Type, row.Scheme.Params, reals), len(row.Params))
}

var (
	rulesMu sync.Mutex
	rules   = map[ruleKey]*core.Lambda{}
)

// ruleKey is the text of a rule as a definition, and the row if that is not one of the table.
type ruleKey struct {
	text string
	row  *prim.Prim
}

// typed is a parameter of a rule.
type typed struct {
	name string
	ty   types.Type
}

// rule reads a text of the table as a function of the row's arguments, its
// result r and some more.
func rule(row *prim.Prim, text string, result types.Type, more ...typed) *core.Lambda {
	printer := types.Printer{} // sizes are of no concern
	var def strings.Builder
	def.WriteString("import builtin\nlet rule")
	param := func(name string, t types.Type) {
		def.WriteString(" (" + name + " : " + printer.Type(t) + ")")
	}
	params, own := signature(row)
	for i, name := range row.Params {
		param(name, params[i])
	}
	param("r", own)
	for _, p := range more {
		param(p.name, p.ty)
	}
	def.WriteString(" : " + printer.Type(result) + " = " + text + "\n")

	rulesMu.Lock()
	defer rulesMu.Unlock()
	key := ruleKey{text: def.String()}
	if prim.Lookup(row.Name) != row {
		key.row = row
	}
	fun := rules[key]
	if fun == nil {
		fun = read(row, key.text)
		rules[key] = fun
	}
	return fun
}

// read elaborates the definition of a rule. That it can be is a property of
// the table, which tests check row by row.
func read(row *prim.Prim, text string) *core.Lambda {
	var sink diag.List
	module := syntax.Parse(diag.NewFile("rule of "+row.Name, text), &sink)
	rows := map[string]*prim.Prim{row.Name: row}
	info := check.Check(module, check.Options{Name: "rule", Library: true, Rows: rows}, &sink)
	if sink.Failed() {
		panic("rules: the text does not check: " + text + sink.Sorted()[0].Message)
	}
	roots := opt.Options{Roots: []string{"rule.rule"}}
	program, d := opt.Mono(check.Elaborate(nil, info, &sink), roots)
	if d != nil || len(program.Defs) != 1 || program.Defs[0].Function() == nil {
		panic("rules: the text is not one function: " + text)
	}
	return program.Defs[0].Function()
}
