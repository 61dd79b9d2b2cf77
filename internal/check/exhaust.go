package check

import (
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// maxWitnesses bounds the missed cases that one message shows.
const maxWitnesses = 3

// Patterns reports every match that misses a case, every arm that can never be reached, and every
// binding whose pattern may fail to match. The module must have passed Check. Elaborate relies on
// it: a module with an error here is not elaborated. If the watch ends the work, Patterns panics
// as Poll does.
func Patterns(w *stop.Watch, info *Info, sink *diag.List) {
	p := &patternCheck{watch: w, info: info, sink: sink}
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
	watch *stop.Watch
	info  *Info
	sink  *diag.List
}

// expr visits an expression and everything below it. It follows the body of a let and the left
// operand of an operator in a loop, because chains of these are as long as the file.
func (p *patternCheck) expr(x syntax.Expr) {
	for x != nil {
		p.watch.Step()
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
				p.exprs(arm.Guard, arm.Body)
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
				p.expr(clause.If)
			}
			next = x.Body
		case *syntax.Section:
			next = x.Body
		case *syntax.Text:
			p.exprs(x.Holes...)
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
			p.exprs(x.Lo, x.Hi, x.Rest)
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
		p.exprs(f.Index, f.Value)
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

// irrefutable reports a pattern that does not match every value of its type, in a place without
// alternatives.
func (p *patternCheck) irrefutable(pattern syntax.Pattern, what string) {
	if _, ok := pattern.(*syntax.PVar); ok || pattern == nil {
		return
	}
	p.literals(pattern)
	if or := alternativesIn(pattern); or != nil {
		d := diag.Errorf(diag.RefutableBinding, or.At, "alternatives stand in the arms of a match")
		p.sink.Add(d.WithHint("write `match … with | A x | B x -> …`"))
		return
	}
	m := newMatrix(p.watch)
	missed := p.missedBy(m, [][]*pat{{p.info.pattern(pattern)}}, pattern)
	if missed == nil {
		return
	}
	d := diag.Errorf(diag.RefutableBinding, pattern.Span(),
		"this pattern does not match every value, and %s must", what)
	p.sink.Add(d.WithLabel("%s", missed.label()).WithHint(
		"use `match … with` and say what happens for %s", missed.list()))
}

// maxAlternatives bounds the rows that the alternatives of one match add to its arms.
const maxAlternatives = 5000

// match reports what one match misses and which of its arms cannot be reached.
func (p *patternCheck) match(x *syntax.Match) {
	var rows, always [][]*pat // of all arms, and of those without a condition
	var all []*matchPattern
	patterns := make([]syntax.Pattern, len(x.Arms))
	count := 0
	open := false // whether some arm matches everything
	for i, arm := range x.Arms {
		p.literals(arm.Pat)
		patterns[i] = arm.Pat
		if count += countAlternatives(arm.Pat) - 1; count > maxAlternatives {
			d := diag.Errorf(diag.ProgramTooLarge, arm.Pat.Span(),
				"the alternatives of this match make more than %d patterns", maxAlternatives)
			p.sink.Add(
				d.WithHint("alternatives inside one another multiply: match in several steps"))
			return
		}
		for _, alt := range p.info.alternatives(arm.Pat) {
			row := []*pat{alt.pat}
			rows = append(rows, row)
			all = append(all, &matchPattern{alternative: alt, arm: i, at: arm.Pat,
				always: arm.Guard == nil})
			if arm.Guard == nil {
				always = append(always, row)
				open = open || alt.pat.head.kind == anything
			}
		}
	}
	if !open {
		p.exhaustive(x, always, patterns)
	}
	p.reachable(x, rows, all)
}

// matchPattern is one alternative of an arm.
type matchPattern struct {
	alternative
	arm    int
	at     syntax.Pattern // the arm's
	always bool           // whether the arm has no condition
}

// reachable reports arms, and alternatives in arms, whose values the rows above them already
// match.
func (p *patternCheck) reachable(x *syntax.Match, rows [][]*pat, all []*matchPattern) {
	m, before := newMatrix(p.watch), &above{byHead: map[headKey][][]*pat{}}
	armReached := make([]bool, len(x.Arms))
	altReached := map[syntax.Pattern]bool{}
	for i, row := range rows {
		useful := m.useful(before.like(row), row)
		if m.tooMuch {
			return
		}
		armReached[all[i].arm] = armReached[all[i].arm] || useful
		for _, alt := range all[i].via {
			altReached[alt] = altReached[alt] || useful
		}
		if useful && all[i].always {
			before.add(row)
		}
	}
	said := map[any]bool{}
	for _, row := range all {
		if !armReached[row.arm] {
			if !said[row.arm] {
				p.redundant(rows, all, x.Arms[row.arm].Pat, "arm", func(other *matchPattern) bool {
					return other.arm == row.arm
				})
			}
			said[row.arm] = true
			continue
		}
		for _, alt := range row.via {
			if !altReached[alt] && !said[alt] {
				said[alt] = true
				p.redundant(rows, all, alt, "alternative", func(other *matchPattern) bool {
					return slices.Contains(other.via, alt)
				})
			}
		}
	}
}

func (p *patternCheck) exhaustive(x *syntax.Match, rows [][]*pat, patterns []syntax.Pattern) {
	m := newMatrix(p.watch)
	missed := p.missedBy(m, rows, patterns...)
	// A message about the whole match points at the part before the arms.
	at := diag.Span{File: x.At.File, Start: x.At.Start, End: x.X.Span().End}
	switch {
	case missed != nil:
		d := diag.Errorf(diag.NotExhaustive, at, "this match does not cover every case")
		d.WithLabel("%s", missed.label()).WithHint("%s", missed.remedy())
		if n := len(x.Arms); n > 0 {
			d.Fixes = append(d.Fixes, missed.fix(x.Arms[n-1].At))
		}
		if slices.ContainsFunc(x.Arms, func(arm *syntax.Arm) bool { return arm.Guard != nil }) {
			d.WithHint("an arm whose condition does not hold is passed over")
		}
		p.sink.Add(d)
	case m.tooMuch:
		d := diag.Errorf(diag.NotExhaustive, at,
			"this match is too intricate to tell whether it covers every case")
		p.sink.Add(d.WithHint("end it with an arm `| _ -> …`, or split it into several"))
	}
}

// redundant reports an arm or an alternative. own says which rows belong to it.
func (p *patternCheck) redundant(rows [][]*pat, all []*matchPattern, at syntax.Pattern, what string,
	own func(*matchPattern) bool) {
	d := diag.Warningf(diag.Redundant, at.Span(), "this %s can never be reached", what)
	for j := range all {
		if own(all[j]) {
			break
		}
		covers := all[j].always
		for k, row := range all {
			covers = covers && !(own(row) && newMatrix(p.watch).useful(rows[j:j+1], rows[k]))
		}
		if covers {
			first := all[j].at
			if via := all[j].via; len(via) > 0 && what == "alternative" {
				first = via[0]
			}
			p.sink.Add(d.WithRelated(first.Span(), "this %s comes first and matches all of it",
				what))
			return
		}
	}
	p.sink.Add(d.WithHint("the %ss above it together match all that it does", what))
}

// literals reports the numbers in a pattern that no Int can hold.
func (p *patternCheck) literals(pattern syntax.Pattern) {
	switch pattern := pattern.(type) {
	case *syntax.PNumber:
		if _, ok := syntax.Integer(pattern.Text); !ok {
			p.sink.Add(diag.Errorf(diag.BadNumber, pattern.At,
				"`%s` is not a whole number of 64 bits", pattern.Text))
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
	case *syntax.PAs:
		p.literals(pattern.X)
	case *syntax.POr:
		p.eachLiteral(pattern.Alts)
	case *syntax.PArray:
		p.eachLiteral(pattern.Elems)
		p.literals(pattern.Rest)
	}
}

func (p *patternCheck) eachLiteral(patterns []syntax.Pattern) {
	for _, q := range patterns {
		p.literals(q)
	}
}

// missedCases lists, as text, what some patterns do not match.
type missedCases struct {
	cases []string
	all   bool // whether there are no other cases
	open  bool // whether a case is one example of infinitely many
}

// missedBy returns what rows miss, or nil if they miss nothing.
func (p *patternCheck) missedBy(m *matrix, rows [][]*pat, patterns ...syntax.Pattern) *missedCases {
	found := m.missing(rows, 1, maxWitnesses+1)
	if len(found) == 0 {
		return nil
	}
	missed := &missedCases{all: len(found) <= maxWitnesses && !m.tooMuch}
	w := newWitness(p.info, patterns...)
	for _, row := range found[:min(len(found), maxWitnesses)] {
		missed.cases = append(missed.cases, "`"+w.show(row[0])+"`")
		missed.open = missed.open || row[0].hasLiteral()
	}
	return missed
}

// hasLiteral reports whether a pattern contains a number or a text.
func (p *pat) hasLiteral() bool {
	if p.head.kind == intHead || p.head.kind == stringHead {
		return true
	}
	for _, arg := range p.args {
		if arg.hasLiteral() {
			return true
		}
	}
	return false
}

func (m *missedCases) label() string {
	if m.all && !m.open {
		return "it misses " + m.list()
	}
	return "it misses, for example, " + m.list()
}

// list returns the cases as part of a sentence.
func (m *missedCases) list() string {
	last := len(m.cases) - 1
	if last == 0 {
		return m.cases[0]
	}
	return strings.Join(m.cases[:last], ", ") + " and " + m.cases[last]
}

// fix returns the edit that adds the missing arms after the last one, each on its own line.
func (m *missedCases) fix(last diag.Span) diag.Fix {
	cases := []string{"_"}
	if !m.open && m.all {
		cases = m.cases
	}
	_, column := last.File.Position(last.Start)
	text := ""
	for _, c := range cases {
		text += "\n" + strings.Repeat(" ", column-1) + "| " + strings.Trim(c, "`") +
			" -> fail \"not written yet\""
	}
	return diag.Fix{Title: "Add the missing arms", At: diag.Span{File: last.File, Start: last.End,
		End: last.End}, Text: text}
}

// remedy says what to add. It lists the arms if possible.
func (m *missedCases) remedy() string {
	if m.open || !m.all {
		return "add arms for them, or a last one for all the others: `| _ -> …`"
	}
	arms := make([]string, len(m.cases))
	for i, c := range m.cases {
		arms[i] = "`| " + strings.Trim(c, "`") + " -> …`"
	}
	return "add " + strings.Join(arms, " and ")
}
