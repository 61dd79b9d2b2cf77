package syntax

import "github.com/fluxion-lang/fluxion/internal/diag"

// This file parses sections. An operator with one operand in parentheses is a function of the
// other operand: `(+ 1)` is `fun x => x + 1`, and `(2 *)` is `fun x => 2 * x`. `(- 1)` is the
// number -1.

// holeName is the name of the missing operand. No program can write it as an expression.
const holeName = "_"

// endsSection reports whether the current token is an operator that lacks its right operand, at
// the end of parentheses.
func (p *parser) endsSection() bool {
	n := len(p.brackets)
	return p.next.kind == kRParen && n > 0 && p.brackets[n-1].tok.kind == kLParen
}

// rightSection reads `+ 1)`.
func (p *parser) rightSection(b token) Expr {
	op := p.tok
	in := infix[p.kind]
	if in.op == OpPipe {
		p.fail(diag.Errorf(diag.UnexpectedToken, p.here(), "`|>` has nothing on its left").
			WithHint("`fun x => x |> f` is `f` itself"))
	}
	p.advance()
	pat, x := p.hole(op.start)
	var operand Expr
	if in.prec == precPow {
		operand = p.prefix()
	} else {
		operand = p.infix(in.prec + 1)
	}
	if p.kind != kRParen && infix[p.kind].prec != precNone {
		p.fail(p.complainSection(op, operand))
	}
	p.taller()
	body := p.binary(op.start, op, in.op, x, operand).(*Binary)
	p.closeBracket(b, kRParen)
	return &Section{Loc: p.loc(b.start), Hole: pat, Body: body}
}

// leftSection reads `*)` after an operand.
func (p *parser) leftSection(b token, operand Expr) Expr {
	op := p.tok
	in := infix[p.kind]
	need := in.prec
	if in.prec == precCompare || in.prec == precPow {
		need++
	}
	if exprPrec(operand) < need || isOpen(operand) {
		p.report(p.complainSection(op, operand))
	}
	p.advance()
	pat, x := p.hole(op.end)
	p.taller()
	body := p.binary(operand.Span().Start, op, in.op, operand, x).(*Binary)
	p.closeBracket(b, kRParen)
	return &Section{Loc: p.loc(b.start), Hole: pat, Body: body}
}

// hole returns a variable that the program does not name, such as the missing operand of a
// section: the pattern that binds it, and its use.
func (p *parser) hole(at int32) (*PVar, *Var) {
	here := p.span(at, at)
	pat := &PVar{Loc: p.loc(at), Name: holeName}
	x := &Var{Loc: p.loc(at), Name: holeName}
	pat.At, x.At = here, here
	return pat, x
}

func (p *parser) complainSection(op token, operand Expr) *diag.Diagnostic {
	return diag.Errorf(diag.UnexpectedToken, p.tokSpan(op),
		"it is not clear what this operator is applied to").
		WithRelated(operand.Span(), "this operand binds less tightly").
		WithHint("put the operand in parentheses, or write a function: `fun x => x %s …`",
			p.text(op))
}
