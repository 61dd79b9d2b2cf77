package check

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// maxWitnesses is how many missed cases one message shows.
const maxWitnesses = 3

// Patterns reports every match that misses a case, every arm that can never
// be reached, and every binding whose pattern may fail to match, for a module
// that Check has passed. Elaborate relies on it: a module with an error here
// is not elaborated.
func Patterns(info *Info, sink *diag.List) {
	p := &patternCheck{info: info, sink: sink}
	for _, decl := range info.Module.Decls {
		if let, ok := decl.(*syntax.LetDecl); ok {
			p.bindings(let.Bindings)
		}
	}
	if info.Module.Final != nil {
		p.expr(info.Module.Final)
	}
}

type patternCheck struct {
	info *Info
	sink *diag.List
}

// expr visits an expression and all below it. It follows the body of a let and
// the left operand of an operator by iteration, because chains of these are as
// long as the file.
func (p *patternCheck) expr(x syntax.Expr) {
	for x != nil {
		var next syntax.Expr
		switch x := x.(type) {
		case *syntax.Let:
			p.bindings(x.Bindings)
			next = x.Body
		case *syntax.Binary:
			p.expr(x.R)
			next = x.L
		case *syntax.If:
			p.exprs(x.Cond, x.Then)
			next = x.Else
		case *syntax.Fun:
			for _, param := range x.Params {
				p.irrefutable(param, "a function's parameter")
			}
			next = x.Body
		case *syntax.Match:
			p.expr(x.X)
			p.match(x)
			for _, arm := range x.Arms {
				p.expr(arm.Body)
			}
		case *syntax.Loop:
			p.irrefutable(x.State, "the state of a loop")
			p.exprs(x.Init, x.While)
			if x.Clause != nil {
				p.clause(*x.Clause)
			}
			next = x.Body
		case *syntax.Comp:
			for _, clause := range x.Clauses {
				p.clause(clause)
			}
			next = x.Body
		case *syntax.Paren:
			next = x.X
		case *syntax.Annot:
			next = x.X
		case *syntax.Neg:
			next = x.X
		case *syntax.Field:
			next = x.X
		case *syntax.Tuple:
			p.exprs(x.Elems...)
		case *syntax.Array:
			p.exprs(x.Elems...)
		case *syntax.Record:
			p.fields(x.Fields)
		case *syntax.Update:
			p.fields(x.Fields)
			next = x.X
		case *syntax.Index:
			p.exprs(x.Indices...)
			next = x.X
		case *syntax.Slice:
			p.exprs(x.Lo, x.Hi)
			next = x.X
		case *syntax.Apply:
			p.exprs(x.Args...)
			next = x.Fun
		}
		x = next
	}
}

func (p *patternCheck) exprs(xs ...syntax.Expr) {
	for _, x := range xs {
		p.expr(x)
	}
}

func (p *patternCheck) fields(fields []syntax.FieldInit) {
	for _, f := range fields {
		p.expr(f.Value)
	}
}

func (p *patternCheck) clause(c syntax.Clause) {
	p.irrefutable(c.Pat, "the variable of a `for`")
	p.expr(c.X)
}

func (p *patternCheck) bindings(bindings []*syntax.Binding) {
	for _, b := range bindings {
		p.irrefutable(b.Pat, "the left side of a `let`")
		for _, param := range b.Params {
			p.irrefutable(param, "a function's parameter")
		}
		p.expr(b.Body)
	}
}

// irrefutable reports a pattern that some value of its type does not match,
// where no other pattern could take over.
func (p *patternCheck) irrefutable(pattern syntax.Pattern, what string) {
	if _, ok := pattern.(*syntax.PVar); ok || pattern == nil {
		return
	}
	p.literals(pattern)
	m := newMatrix()
	missed := m.missing([][]*pat{{p.info.pattern(pattern)}}, 1, maxWitnesses)
	if len(missed) == 0 {
		return
	}
	d := diag.Errorf(diag.RefutableBinding, pattern.Span(), "this pattern does not match every value, and %s must", what)
	p.sink.Add(d.WithLabel("%s", p.labelFor(missed, pattern)).
		WithHint("use `match … with` and say what happens for %s", p.list(missed, pattern)))
}

// match reports what one match misses and which of its arms cannot be reached.
func (p *patternCheck) match(x *syntax.Match) {
	rows := make([][]*pat, len(x.Arms))
	patterns := make([]syntax.Pattern, len(x.Arms))
	open := false // whether some arm takes everything
	for i, arm := range x.Arms {
		p.literals(arm.Pat)
		rows[i], patterns[i] = []*pat{p.info.pattern(arm.Pat)}, arm.Pat
		open = open || rows[i][0].head.kind == anything
	}
	if !open {
		p.exhaustive(x, rows, patterns)
	}
	m := newMatrix()
	for i, arm := range x.Arms {
		if !m.useful(rows[:i], rows[i]) && !m.tooMuch {
			p.redundant(x, rows, i, arm)
		}
	}
}

func (p *patternCheck) exhaustive(x *syntax.Match, rows [][]*pat, patterns []syntax.Pattern) {
	m := newMatrix()
	missed := m.missing(rows, 1, maxWitnesses)
	at := matchHead(x)
	switch {
	case len(missed) > 0:
		d := diag.Errorf(diag.NotExhaustive, at, "this match does not cover every case")
		p.sink.Add(d.WithLabel("%s", p.labelFor(missed, patterns...)).WithHint("add %s", p.arms(missed, patterns)))
	case m.tooMuch:
		d := diag.Errorf(diag.NotExhaustive, at, "this match is too intricate to tell whether it covers every case")
		p.sink.Add(d.WithHint("end it with an arm `| _ -> …`, or split it into several"))
	}
}

func (p *patternCheck) redundant(x *syntax.Match, rows [][]*pat, i int, arm *syntax.Arm) {
	d := diag.Warningf(diag.Redundant, arm.Pat.Span(), "this arm can never be reached")
	for j := range i {
		if !newMatrix().useful(rows[j:j+1], rows[i]) {
			p.sink.Add(d.WithRelated(x.Arms[j].Pat.Span(), "this arm comes first and matches all of it"))
			return
		}
	}
	p.sink.Add(d.WithHint("the arms above it together match all that it does"))
}

// literals reports the numbers in a pattern that no Int can hold.
func (p *patternCheck) literals(pattern syntax.Pattern) {
	switch pattern := pattern.(type) {
	case *syntax.PNumber:
		if _, ok := intLiteral(pattern.Text); !ok {
			p.sink.Add(diag.Errorf(diag.BadNumber, pattern.At, "`%s` is not a whole number of 64 bits", pattern.Text))
		}
	case *syntax.PCon:
		p.eachLiteral(pattern.Args)
	case *syntax.PTuple:
		p.eachLiteral(pattern.Elems)
	case *syntax.PRecord:
		for _, f := range pattern.Fields {
			p.literals(f.Pat)
		}
	case *syntax.PParen:
		p.literals(pattern.X)
	case *syntax.PAnnot:
		p.literals(pattern.X)
	}
}

func (p *patternCheck) eachLiteral(patterns []syntax.Pattern) {
	for _, q := range patterns {
		p.literals(q)
	}
}

// matchHead is the part of a match before its arms: what a message about the
// whole of it should point at.
func matchHead(x *syntax.Match) diag.Span {
	return diag.Span{File: x.At.File, Start: x.At.Start, End: x.X.Span().End}
}

func (p *patternCheck) labelFor(missed [][]*pat, patterns ...syntax.Pattern) string {
	if len(missed) == 1 {
		return "it misses " + p.list(missed, patterns...)
	}
	return "it misses, for example, " + p.list(missed, patterns...)
}

// list shows missed cases in a sentence: `Nil` and `Cons _ _`.
func (p *patternCheck) list(missed [][]*pat, patterns ...syntax.Pattern) string {
	w := newWitness(p.info, patterns...)
	var out strings.Builder
	for i, row := range missed {
		switch {
		case i > 0 && i == len(missed)-1:
			out.WriteString(" and ")
		case i > 0:
			out.WriteString(", ")
		}
		out.WriteString("`" + w.show(row[0]) + "`")
	}
	return out.String()
}

// arms shows missed cases as arms to add.
func (p *patternCheck) arms(missed [][]*pat, patterns []syntax.Pattern) string {
	w := newWitness(p.info, patterns...)
	arms := make([]string, len(missed))
	for i, row := range missed {
		arms[i] = "| " + w.show(row[0]) + " -> …"
	}
	return "`" + strings.Join(arms, "` and `") + "`"
}
