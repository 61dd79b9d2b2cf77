package syntax

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// startsPattern marks the tokens that start an atomic pattern. It includes brackets and reserved
// words only to complain about them.
var startsPattern = kinds(kIdent, kElif, kUpper, kWild, kNumber, kString, kTrue, kFalse, kBad,
	kLParen, kLBrack, kLBrace,
	kType, kData, kImport, kAs)

// params parses the parameters of a function, including groups `(x y : T)`.
func (p *parser) params() []Pattern {
	mark := len(p.pats)
	for startsPattern[p.kind] || p.kind == kMinus {
		if p.kind == kLParen {
			p.parenPattern(true)
		} else {
			p.pats = append(p.pats, p.atomicPattern())
		}
	}
	if mark == len(p.pats) {
		return nil
	}
	list := append([]Pattern(nil), p.pats[mark:]...)
	p.pats = p.pats[:mark]
	return list
}

// pattern parses a pattern: alternatives `p | q`, and `as` with a name for the whole.
func (p *parser) pattern() Pattern {
	start := p.tok.start
	pat := p.alternative()
	if p.kind == kBar {
		or := &POr{Alts: []Pattern{pat}}
		for p.got(kBar) {
			or.Alts = append(or.Alts, p.alternative())
		}
		p.taller()
		or.Loc = p.loc(start)
		p.checkAlternatives(or)
		pat = or
	}
	for p.kind == kAs && p.next.kind == kIdent {
		p.advance()
		name := p.pvar()
		p.taller()
		pat = &PAs{Loc: p.loc(start), X: pat, Name: name}
	}
	return pat
}

// alternative reads a constructor with its arguments, or an atomic pattern.
func (p *parser) alternative() Pattern {
	start := p.tok.start
	outer := p.height
	p.height = 0
	defer func() { p.height = max(p.height, outer) }()
	first := p.atomicPattern()
	c, ok := first.(*PCon)
	if !ok {
		return first
	}
	mark := len(p.pats)
	for (startsPattern[p.kind] || p.kind == kMinus) && !(p.kind == kAs && p.next.kind == kIdent) {
		p.pats = append(p.pats, p.atomicPattern())
	}
	if mark < len(p.pats) {
		c.Args = append(c.Args, p.pats[mark:]...)
		p.pats = p.pats[:mark]
		c.At = p.from(start)
		p.taller()
	}
	return c
}

func (p *parser) pvar() *PVar {
	t := p.tok
	p.advance()
	v := p.pvars.get()
	*v = PVar{Loc: p.loc(t.start), Name: p.name(t)}
	return v
}

// atomicPattern reads a pattern that needs no parentheses as an argument.
func (p *parser) atomicPattern() Pattern {
	t := p.tok
	switch p.kind {
	case kIdent, kElif:
		if p.next.kind == kDot && !p.next.is(spaceBefore) {
			p.advance()
			return p.qualifiedPattern(t)
		}
		return p.pvar()
	case kUpper:
		p.advance()
		if p.kind == kDot && !p.tok.is(spaceBefore) {
			return p.qualifiedPattern(t)
		}
		c := p.pcons.get()
		*c = PCon{Loc: p.loc(t.start), Name: p.ident(t)}
		return c
	case kWild:
		p.advance()
		return &PWild{p.loc(t.start)}
	case kMinus:
		before := p.prevEnd
		p.advance()
		if p.kind == kIdent && !p.tok.is(spaceBefore) && t.start == before {
			p.fail(diag.Errorf(diag.UnexpectedToken, p.tokSpan(t), "a name has no `-` in it").
				WithHint("join its words by `_`, or by capitals: `learningRate`"))
			return &PBad{p.loc(t.start)}
		}
		if p.kind != kNumber {
			p.fail(p.complainExpected("a number",
				"in a pattern, `-` only starts a negative number"))
			return &PBad{p.loc(t.start)}
		}
		n := p.tok
		p.advance()
		return &PNumber{Loc: p.loc(t.start), Text: "-" + p.numberText(n)}
	case kNumber:
		p.advance()
		return &PNumber{Loc: p.loc(t.start), Text: p.numberText(t)}
	case kString:
		p.advance()
		return &PString{Loc: p.loc(t.start), Value: p.stringValue(t)}
	case kTrue, kFalse:
		p.advance()
		return &PBool{Loc: p.loc(t.start), Value: t.kind == kTrue}
	case kBad:
		p.advance()
		return &PBad{p.loc(t.start)}
	case kLParen:
		mark := len(p.pats)
		p.parenPattern(false)
		pat := p.pats[mark]
		p.pats = p.pats[:mark]
		return pat
	case kLBrace:
		return p.recordPattern()
	case kLBrack:
		return p.arrayPattern()
	case kType, kData, kImport, kAs:
		p.report(p.complainPattern())
		p.misnamed[p.kind] = true // so that its uses mean what was intended
		p.tok.kind = kIdent
		return p.pvar()
	}
	p.fail(p.complainPattern())
	return &PBad{Loc{At: p.here(), ID: p.loc(p.prevEnd).ID}}
}

// qualifiedPattern reads the rest of `M.Cons`, at the point.
func (p *parser) qualifiedPattern(module token) Pattern {
	p.advance()
	name := p.tok
	if p.kind != kUpper {
		p.fail(p.complainExpected("a constructor",
			"a pattern names a constructor of a module as in `M.Cons x xs`"))
		return &PBad{p.loc(module.start)}
	}
	p.advance()
	return &PCon{Loc: p.loc(module.start), Module: p.ident(module), Name: p.ident(name)}
}

// parenPattern parses a pattern that starts with `(`, and pushes it on p.pats. If groups are
// allowed, it pushes a pattern for each name of a group `(x y : T)`.
func (p *parser) parenPattern(group bool) {
	outer, ok := p.push()
	defer p.pop(outer)
	b := p.openBracket()
	if !ok {
		p.pats = append(p.pats, &PBad{p.loc(b.start)})
		return
	}
	mark := len(p.pats)
	grouped := false
	var annot *PAnnot // the last element, if it is annotated
	p.list(kRParen, func() {
		start := p.tok.start
		if grouped {
			p.fail(diag.Errorf(diag.UnexpectedToken, p.here(),
				"a group of parameters stands alone in its parentheses").
				WithHint("write `(x y : Real) z`"))
			return
		}
		x := p.pattern()
		if isName(x) && (p.kind == kIdent || p.kind == kWild) {
			if !group || len(p.pats) > mark {
				p.fail(p.complainExpected("`,` or `)`",
					"only parameters are grouped as in `(x y : Real)`"))
				return
			}
			grouped = true
			p.group(x)
			return
		}
		annot = nil
		if p.kind == kColon {
			p.advance()
			sig := p.signature()
			annot = p.pannots.get()
			*annot = PAnnot{Loc: p.loc(start), X: x, Type: sig}
			x = annot
		}
		p.pats = append(p.pats, x)
	})
	p.closeBracket(b, kRParen)
	list := p.pats[mark:]
	if grouped {
		return
	}
	var pat Pattern
	switch {
	case len(list) != 1:
		pat = &PTuple{Loc: p.loc(b.start), Elems: append([]Pattern(nil), list...)}
	case annot != nil:
		annot.At = p.from(b.start) // these parentheses are part of it
		pat = annot
	default:
		pat = &PParen{Loc: p.loc(b.start), X: list[0]}
	}
	p.pats = append(p.pats[:mark], pat)
}

// group parses the rest of `x y : T` after the first name, and pushes one annotated pattern per
// name, all with the same type.
func (p *parser) group(first Pattern) {
	mark := len(p.pats)
	p.pats = append(p.pats, first)
	for p.kind == kIdent || p.kind == kWild {
		p.pats = append(p.pats, p.atomicPattern())
	}
	if p.kind != kColon {
		p.fail(p.complainExpected("`:`",
			"parameters are grouped as in `(x y : Real)`; a tuple has commas"))
		return
	}
	p.advance()
	sig := p.signature()
	names := p.pats[mark:]
	for i, x := range names {
		l := p.loc(x.Span().Start)
		l.At = x.Span()
		a := p.pannots.get()
		*a = PAnnot{Loc: l, X: x, Type: sig, Group: i < len(names)-1}
		names[i] = a
	}
}

func isName(x Pattern) bool {
	switch x.(type) {
	case *PVar, *PWild:
		return true
	}
	return false
}

// recordPattern reads `{x = p, y}`.
func (p *parser) recordPattern() Pattern {
	outer, ok := p.push()
	defer p.pop(outer)
	b := p.openBracket()
	if !ok {
		return &PBad{p.loc(b.start)}
	}
	r := &PRecord{}
	p.list(kRBrace, func() {
		t := p.tok
		if !p.isLabel(p.kind, t) {
			p.fail(p.complainExpected("the name of a field",
				"a pattern for a record is written `{x = p, y}`"))
			return
		}
		f := FieldPattern{Name: p.label()}
		if p.got(kEqual) {
			f.Pat = p.pattern()
		} else {
			p.needsVariable(t)
			f.Pat = &PVar{Loc: p.loc(t.start), Name: f.Name.Name}
		}
		r.Fields = append(r.Fields, f)
	})
	p.closeBracket(b, kRBrace)
	if len(r.Fields) > 1 {
		d := p.distinct("a pattern mentions a field once")
		for _, f := range r.Fields {
			d.add(f.Name)
		}
	}
	r.Loc = p.loc(b.start)
	return r
}

// arrayPattern reads `[p, q]` or `[p, ..rest]`.
func (p *parser) arrayPattern() Pattern {
	outer, ok := p.push()
	defer p.pop(outer)
	b := p.openBracket()
	if !ok {
		return &PBad{p.loc(b.start)}
	}
	a := &PArray{}
	p.list(kRBrack, func() {
		if a.Rest != nil {
			p.fail(diag.Errorf(diag.UnexpectedToken, p.here(),
				"nothing follows the rest of an array").
				WithRelated(a.Rest.Span(), "the rest is here").
				WithHint("patterns look at the first elements: `[first, second, ..rest]`"))
			return
		}
		if t := p.tok; p.got(kDotDot) {
			if p.kind == kRBrack {
				a.Rest = &PWild{p.loc(t.start)}
			} else {
				a.Rest = p.atomicPattern()
			}
			return
		}
		a.Elems = append(a.Elems, p.pattern())
	})
	p.closeBracket(b, kRBrack)
	a.Loc = p.loc(b.start)
	return a
}

// distinct reports names that occur twice in a list.
type distinct struct {
	p       *parser
	message string
	few     [8]Ident // the first n
	n       int
	many    map[string]Ident // all names, if there are more
}

func (p *parser) distinct(message string) *distinct { return &distinct{p: p, message: message} }

// add records a name. Beyond a few names it uses a map, so that a long list takes linear time.
func (d *distinct) add(id Ident) {
	if d.many == nil {
		for i := range d.n {
			if d.few[i].Name == id.Name {
				d.complain(d.few[i], id)
				return
			}
		}
		if d.n < len(d.few) {
			d.few[d.n] = id
			d.n++
			return
		}
		d.many = make(map[string]Ident, 4*len(d.few))
		for _, other := range d.few {
			d.many[other.Name] = other
		}
	}
	if other, twice := d.many[id.Name]; twice {
		d.complain(other, id)
		return
	}
	d.many[id.Name] = id
}

func (d *distinct) complain(first, second Ident) {
	d.p.report(diag.Errorf(diag.DuplicateBinding, second.At, "%s occurs twice: %s",
		quote(second.Name), d.message).
		WithRelated(first.At, "the first one"))
}

// checkDistinct reports a name that several patterns of one group bind.
func (p *parser) checkDistinct(list ...Pattern) {
	if len(list) == 1 {
		x := list[0]
		if a, ok := x.(*PAnnot); ok {
			x = a.X
		}
		if isName(x) {
			return
		}
	}
	d := distinct{p: p, message: "a pattern binds each name once"}
	if len(list) > 1 {
		d.message = "parameters have different names"
	}
	for _, x := range list {
		d.collect(x)
	}
}

func (d *distinct) collect(x Pattern) {
	switch x := x.(type) {
	case *PVar:
		d.add(Ident{x.Name, x.At})
	case *PCon:
		for _, a := range x.Args {
			d.collect(a)
		}
	case *PTuple:
		for _, a := range x.Elems {
			d.collect(a)
		}
	case *PRecord:
		for _, f := range x.Fields {
			d.collect(f.Pat)
		}
	case *PParen:
		d.collect(x.X)
	case *PAnnot:
		d.collect(x.X)
	case *PAs:
		d.collect(x.X)
		d.collect(x.Name)
	case *POr:
		d.collect(x.Alts[0]) // the others bind the same names
	case *PArray:
		for _, a := range x.Elems {
			d.collect(a)
		}
		if x.Rest != nil {
			d.collect(x.Rest)
		}
	}
}

// checkAlternatives reports alternatives of a pattern that bind different names, and alternatives
// that bind a name twice.
func (p *parser) checkAlternatives(or *POr) {
	first := boundNames(or.Alts[0])
	for i, alt := range or.Alts[1:] {
		p.checkDistinct(alt)
		names := boundNames(alt)
		p.missingName(or.Alts[0], first, names, alt)
		p.missingName(or.Alts[i+1], names, first, or.Alts[0])
	}
}

// missingName reports a name that one alternative binds and another does not.
func (p *parser) missingName(has Pattern, names, others map[string]*PVar, lacks Pattern) {
	for _, v := range sortedVars(names) {
		if others[v.Name] == nil {
			p.report(diag.Errorf(diag.DuplicateBinding, lacks.Span(),
				"this alternative does not bind %s", quote(v.Name)).
				WithRelated(v.At, "but this one does").
				WithHint(
					"alternatives bind the same names; write `_` for what an arm does not use"))
			return
		}
	}
}

// boundNames returns the variables of a pattern.
func boundNames(pat Pattern) map[string]*PVar {
	names := map[string]*PVar{}
	Inspect(pat, func(n Node) bool {
		if v, ok := n.(*PVar); ok && names[v.Name] == nil {
			names[v.Name] = v
		}
		_, isType := n.(*Signature)
		return !isType
	})
	return names
}

func sortedVars(names map[string]*PVar) []*PVar {
	list := slices.Collect(maps.Values(names))
	slices.SortFunc(list, func(a, b *PVar) int { return int(a.At.Start - b.At.Start) })
	return list
}
