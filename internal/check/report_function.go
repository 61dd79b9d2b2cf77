package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// This file reports errors in functions that are passed to functions.

// arity returns a diagnostic for an argument that is a function with too many or too few
// parameters, or nil. In `fold (fun x => x) 0 xs` inference finds that the body of the function
// does not fit, or would have an infinite type. But the function itself is at fault.
func (m *mismatched) arity() *diag.Diagnostic {
	w, arg := m.why, m.node
	wants, takes, fits := 0, 0, true
	switch {
	case w.kind == whyResult && w.of.kind == whyArgument:
		w = *w.of
		lambda, ok := unparen(w.node.(*syntax.Apply).Args[w.n-1]).(*syntax.Fun)
		if !ok || isFun(m.got) || !isFun(m.want) {
			return nil
		}
		rest, _ := types.Splay(m.want, 100)
		arg, wants, takes, fits = lambda, m.why.n+len(rest), m.why.n, false
	case w.kind == whyArgument && isFun(m.want) && isFun(m.got):
		given, result := types.Splay(m.want, 100)
		params, body := types.Splay(m.got, 100)
		wants, takes = len(given), len(params)
		if takes < wants {
			result = body
		}
		// The result of the shorter one may hide another parameter.
		fits = takes == wants || m.fail.Kind != types.Infinite && mayHide(result)
	}
	if fits {
		return nil
	}
	d := diag.Errorf(diag.Mismatch, arg.Span(), "%s should be a function of %s, but this one "+
		"takes %d", w.subject(), count(wants, "argument"), takes)
	call := w.node.(*syntax.Apply)
	example := m.c.example(call.Fun)
	switch {
	case takes < wants && example != "":
		d.WithHint("for example: `%s`", example)
	case takes < wants:
		d.WithHint("it is given its arguments one after the other: `fun x y => …`")
	case wants == 1:
		d.WithHint("a function of several values at once takes a tuple: `fun (x, y) => …`")
	}
	w.explain(d, m.c)
	m.c.wrongArity = call
	return d
}

// example returns the first example in the documentation of a name, or "".
func (c *checker) example(fun syntax.Expr) string {
	doc, mark := "", "\n> "
	if use := c.info.Uses[unparen(fun).Num()]; use != nil {
		switch o := use.Object.(type) {
		case *Global:
			doc = o.Doc
		case *Primitive:
			doc, mark = o.Prim.Doc, "\n" // the example of a row is its last line
		}
	}
	_, text, _ := strings.Cut(doc, mark)
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, " -- ")
	return text
}

// mayHide reports whether a type may yet turn out to be a function.
func mayHide(t types.Type) bool {
	m, ok := t.(*types.Meta)
	return ok && mayBeFunction(m)
}

// order returns a diagnostic for a function that is written as a later argument than the one that
// should be a function, if the two could change places, or nil.
func (m *mismatched) order() *diag.Diagnostic {
	if m.why.kind != whyArgument || !isFun(m.want) || isFun(m.got) {
		return nil
	}
	call := m.why.node.(*syntax.Apply)
	params, _ := types.Splay(m.why.whole, len(call.Args))
	for i := m.why.n; i < len(params); i++ {
		if _, ok := unparen(call.Args[i]).(*syntax.Fun); ok && !isFun(params[i]) &&
			similar(params[i], m.got) {
			return m.c.wrongOrder(diag.Mismatch, call, m.why.n, i+1)
		}
	}
	return nil
}

// wrongOrder returns the diagnostic that arguments i and j of a call should change places.
func (c *checker) wrongOrder(code diag.Code, call *syntax.Apply, i, j int) *diag.Diagnostic {
	d := diag.Errorf(code, call.Args[i-1].Span(),
		"arguments %d and %d of %s seem to be in the wrong order", i, j, describe(call.Fun)).
		WithRelated(call.Args[j-1].Span(), "and this")
	c.showType(d, call.Fun)
	return d
}

// brief returns the text of an expression if it is short, and otherwise a letter for it.
func brief(e syntax.Expr, letter string) string {
	text := e.Span().Text()
	if len(text) > 30 || strings.Contains(text, "\n") {
		return letter
	}
	return text
}

// operandText returns the brief text of an expression, in parentheses unless it can stand as an
// argument.
func operandText(e syntax.Expr, letter string) string {
	text := brief(e, letter)
	if text != letter && !isOperand(e) {
		return "(" + text + ")"
	}
	return text
}

// operand returns the full text of an expression, in parentheses unless it can stand as an
// argument.
func operand(e syntax.Expr) string {
	text := e.Span().Text()
	if isOperand(e) {
		return text
	}
	return "(" + text + ")"
}

// written returns a call of a named function with its arguments in another form, with their full
// texts.
func written(name string, args []syntax.Expr, separator string) string {
	texts := make([]string, len(args))
	for i, arg := range args {
		if texts[i] = arg.Span().Text(); separator == " " {
			texts[i] = operand(arg)
		}
	}
	if separator == " " {
		return name + " " + strings.Join(texts, separator)
	}
	return name + " (" + strings.Join(texts, separator) + ")"
}

// rewritten returns a call of a named function with its arguments in another form, with letters
// for long ones.
func rewritten(name string, args []syntax.Expr, separator string) string {
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = brief(arg, string(rune('a'+min(i, 25))))
		if separator == " " && len(texts[i]) > 1 && !isOperand(arg) {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	text := strings.Join(texts, separator)
	if separator == " " {
		return fmt.Sprintf("%s %s", name, text)
	}
	return fmt.Sprintf("%s (%s)", name, text)
}

// replaceVariable adds the edit that replaces a type variable by a type, in the definition that a
// diagnostic is about.
func (c *checker) replaceVariable(d *diag.Diagnostic, name, by string) {
	if c.sink.Errors() >= diag.MaxReported {
		return // the diagnostic will not be shown
	}
	var about syntax.Node = c.info.Module.Final
	for _, decl := range c.info.Module.Decls {
		if at := decl.Span(); at.Start <= d.Span.Start && d.Span.End <= at.End {
			about = decl
		}
	}
	var uses []diag.Span
	constrained := false
	syntax.Inspect(about, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Signature:
			constrained = constrained ||
				slices.ContainsFunc(n.Context, func(of syntax.Constraint) bool {
					return of.Var.Name == name
				})
		case *syntax.TVar:
			if n.Name == name {
				uses = append(uses, n.At)
			}
		}
		return true
	})
	if len(uses) == 0 || constrained {
		return
	}
	slices.SortFunc(uses, func(a, b diag.Span) int { return int(a.Start - b.Start) })
	at := uses[0]
	texts := []string{by}
	for _, use := range slices.Compact(uses)[1:] { // (x y : a) has one for both
		texts = append(texts, at.File.Text[at.End:use.Start], by)
		at.End = use.End
	}
	d.WithEdit("Write `"+by+"` in place of `"+name+"`", at, strings.Join(texts, ""))
}
