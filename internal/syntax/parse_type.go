package syntax

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
)

// maxPower bounds the n of Real^n, which is a tuple of n components.
const maxPower = 1 << 12

// signature parses a type with its constraints, `Add a => a -> a`. The text before a `=>` is
// first parsed as a type, because `(Add a, Num b)` looks like one.
func (p *parser) signature() *Signature {
	start := p.tok.start
	s := p.sigs.get()
	t := p.typ()
	s.Type = t
	if p.kind == kFatArrow {
		p.constraints(t, &s.Context)
		p.advance()
		s.Type = p.typ()
	}
	s.Loc = p.unnumbered(start)
	return s
}

// constraints converts a type that turned out to be a context into constraints.
func (p *parser) constraints(t TypeExpr, into *[]Constraint) {
	switch t := t.(type) {
	case *TParen:
		p.constraints(t.X, into)
		return
	case *TTuple:
		for _, e := range t.Elems {
			p.constraints(e, into)
		}
		return
	case *TName:
		if len(t.Args) == 1 && t.Module.Name == "" {
			if v, ok := t.Args[0].(*TVar); ok {
				*into = append(*into, Constraint{Class: t.Name, Var: Ident{v.Name, v.At}})
				return
			}
		}
	case *TBad:
		return
	}
	p.report(diag.Errorf(diag.UnexpectedToken, t.Span(),
		"what stands before `=>` in a type are constraints").
		WithHint("write `->` for a function; constraints are written `Add a => a -> a` or `(Num "+
			"a, Cmp a) => …`").
		WithFix(p.here(), p.spaced("->")))
}

// typ reads a type.
func (p *parser) typ() TypeExpr {
	outer, ok := p.push()
	defer p.pop(outer)
	if !ok {
		return &TBad{p.unnumbered(p.tok.start)}
	}
	start := p.tok.start
	left := p.product()
	if !p.got(kThinArrow) {
		return left
	}
	result := p.typ()
	return &TFun{Loc: p.unnumbered(start), Param: left, Result: result}
}

// product reads `a * b * c`.
func (p *parser) product() TypeExpr {
	start := p.tok.start
	first := p.power()
	if p.kind != kStar && p.kind != kTimes {
		return first
	}
	elems := []TypeExpr{first}
	for p.kind == kStar || p.kind == kTimes {
		p.advance()
		elems = append(elems, p.power())
	}
	return &TProduct{Loc: p.unnumbered(start), Elems: elems}
}

// power reads `Real^3`.
func (p *parser) power() TypeExpr {
	start := p.tok.start
	return p.exponents(start, p.typeApplication())
}

func (p *parser) exponents(start int32, t TypeExpr) TypeExpr {
	for p.kind == kCaret {
		p.advance()
		n := p.tok
		if p.kind != kNumber {
			p.fail(p.complainExpected("a number", "`Real^3` is short for `(Real, Real, Real)`"))
			return t
		}
		count, ok := Integer(p.text(n))
		if !ok || count > maxPower {
			p.report(diag.Errorf(diag.BadNumber, p.here(),
				"the power of a type is a whole number up to %d", maxPower).
				WithHint("a vector of many components is an array: `[n]Real`"))
			count = 2
		}
		p.advance()
		p.taller()
		t = &TPower{Loc: p.unnumbered(start), Elem: t, N: int(count)}
	}
	return t
}

var startsType = kinds(kIdent, kElif, kUpper, kBad, kLParen, kLBrack, kLBrace)

// typeApplication parses `List a`, or an atomic type. The element type of an array type extends
// over powers and arguments: `[n]List a` is `[n](List a)`.
func (p *parser) typeApplication() TypeExpr {
	start := p.tok.start
	if p.kind == kLBrack {
		return p.arrayType(p.power)
	}
	head := p.atomicType()
	if !startsType[p.kind] {
		return head
	}
	n, ok := head.(*TName)
	if !ok {
		if v, isVar := head.(*TVar); isVar && !p.panicking {
			p.fail(diag.Errorf(diag.UnexpectedToken, p.here(),
				"the type variable %s takes no arguments", quote(v.Name)).
				WithHint(
					"type variables start with a small letter, types with a capital: `List a`"))
		}
		return head
	}
	for startsType[p.kind] {
		n.Args = append(n.Args, p.atomicType())
	}
	n.At = p.from(start)
	p.taller()
	return n
}

// atomicType reads a type that needs no parentheses as an argument.
func (p *parser) atomicType() TypeExpr {
	t := p.tok
	switch p.kind {
	case kUpper:
		p.advance()
		if p.kind == kDot && !p.tok.is(spaceBefore) {
			return p.qualifiedType(t)
		}
		n := p.tnames.get()
		*n = TName{Loc: p.unnumbered(t.start), Name: p.ident(t)}
		return n
	case kIdent, kElif:
		p.advance()
		if p.kind == kDot && !p.tok.is(spaceBefore) {
			return p.qualifiedType(t)
		}
		return &TVar{Loc: p.unnumbered(t.start), Name: p.name(t)}
	case kLBrack:
		return p.arrayType(p.atomicType)
	case kLParen:
		return p.parenType()
	case kLBrace:
		return p.recordType()
	case kBad:
		p.advance()
		return &TBad{p.unnumbered(t.start)}
	}
	p.fail(p.complainMissing("a type"))
	return &TBad{p.unnumbered(p.prevEnd)}
}

func (p *parser) qualifiedType(module token) TypeExpr {
	p.advance()
	name := p.tok
	if p.kind != kUpper {
		p.fail(p.complainExpected("the name of a type", "a type of a module is written `M.Shape`"))
		return &TBad{p.unnumbered(module.start)}
	}
	p.advance()
	return &TName{Loc: p.unnumbered(module.start), Module: p.ident(module), Name: p.ident(name)}
}

// arrayType parses `[n]a`. elem parses the element type.
func (p *parser) arrayType(elem func() TypeExpr) TypeExpr {
	outer, ok := p.push()
	defer p.pop(outer)
	b := p.openBracket()
	a := &TArray{}
	switch {
	case !ok:
	case p.kind != kRBrack:
		a.Size = p.size(precAdd)
		if infix[p.kind].prec != precNone && !p.panicking {
			p.fail(p.sizeOperator())
		}
	}
	p.closeBracket(b, kRBrack)
	if !startsType[p.kind] && !p.panicking {
		d := p.complainExpected("the type of the elements",
			"array types are written `[3]Real`, `[n + 1]Real` or `[]Real`")
		d.WithRelated(p.from(b.start), "this is only the size")
		p.fail(d)
		a.Elem = &TBad{p.unnumbered(p.prevEnd)}
	} else {
		a.Elem = elem()
	}
	a.Loc = p.unnumbered(b.start)
	return a
}

// size parses a size: a sum, difference or product of numbers and names, with operators that bind
// at least as tightly as prec.
func (p *parser) size(prec int8) SizeExpr {
	outer, ok := p.push()
	defer p.pop(outer)
	start := p.tok.start
	if !ok {
		return nil
	}
	left := p.sizeOperand()
	for {
		in := infix[p.kind]
		if in.prec < prec || in.op != OpAdd && in.op != OpSub && in.op != OpMul {
			return left
		}
		p.advance()
		right := p.size(in.prec + 1)
		p.taller()
		left = &SizeOp{Loc: p.unnumbered(start), Op: in.op, L: left, R: right}
	}
}

// sizeOperand reads a number, a name or a size in parentheses.
func (p *parser) sizeOperand() SizeExpr {
	t := p.tok
	atom := &SizeAtom{Name: "_"}
	switch p.kind {
	case kLParen:
		b := p.openBracket()
		inner := p.size(precAdd)
		p.closeBracket(b, kRParen)
		return inner
	case kNumber, kIdent, kWild:
		atom.Name = p.name(t)
		if p.kind == kNumber {
			if _, ok := Integer(atom.Name); !ok {
				p.report(diag.Errorf(diag.BadNumber, p.here(),
					"the size of an array is a whole number or a name"))
				atom.Name = "_"
			}
		}
		p.advance()
		if t.kind == kNumber && p.kind == kIdent && !p.panicking {
			p.fail(diag.Errorf(diag.UnexpectedToken, p.here(),
				"a product of sizes is written with `*`").
				WithHint("write `%s * %s`", atom.Name, clip(p.name(p.tok))).
				WithFix(p.here(), "* "+p.name(p.tok)))
		}
	default:
		p.fail(p.complainExpected("a size",
			"array types are written `[3]Real`, `[n + 1]Real` or `[]Real`"))
	}
	atom.Loc = p.unnumbered(t.start)
	return atom
}

// sizeOperator returns the complaint about an operator that sizes do not have.
func (p *parser) sizeOperator() *diag.Diagnostic {
	d := diag.Errorf(diag.UnexpectedToken, p.here(),
		"sizes are added, subtracted and multiplied, and nothing else").
		WithHint("give the size a name of its own, as in `[m]Real`, or write `[]` for an array " +
			"of any size")
	if at, ok := p.brackets[len(p.brackets)-1].whole(p); ok {
		d.WithFix(at, "[]")
	}
	return d
}

// parenType reads `()`, `(t)` or `(t, u)`.
func (p *parser) parenType() TypeExpr {
	b := p.openBracket()
	var elems []TypeExpr
	p.list(kRParen, func() { elems = append(elems, p.typ()) })
	p.closeBracket(b, kRParen)
	if len(elems) == 1 {
		return &TParen{Loc: p.unnumbered(b.start), X: elems[0]}
	}
	return &TTuple{Loc: p.unnumbered(b.start), Elems: elems}
}

// recordType reads `{x : a, y : b}`.
func (p *parser) recordType() TypeExpr {
	b := p.openBracket()
	r := &TRecord{}
	d := p.distinct("a record has a field once")
	p.list(kRBrace, func() {
		if !p.isLabel(p.kind, p.tok) {
			p.fail(p.complainExpected("the name of a field",
				"the type of a record is written `{x : Real, y : Real}`"))
			return
		}
		f := FieldType{Name: p.label()}
		d.add(f.Name)
		if p.kind == kEqual {
			p.report(diag.Errorf(diag.UnexpectedToken, p.here(), "the type of a field follows `:`").
				WithHint("write `{%s : …}`", clip(f.Name.Name)).WithFix(p.here(), p.spaced(":")))
			p.advance()
		} else {
			p.expect(kColon, func() *diag.Diagnostic {
				return p.complainExpected(
					"`:`", "the type of a record is written `{x : Real, y : Real}`")
			})
		}
		f.Type = p.typ()
		r.Fields = append(r.Fields, f)
	})
	p.closeBracket(b, kRBrace)
	r.Loc = p.unnumbered(b.start)
	return r
}
