package syntax

import "github.com/fluxion-lang/fluxion/internal/diag"

// comprehension parses the rest of `[e for i < n, j < m]`, which has one dimension per clause, or
// of `[e for x in xs if c for y in ys]`, which has a single dimension.
func (p *parser) comprehension(b token, body Expr) Expr {
	c := &Comp{Body: body}
	var comma diag.Span // the first one between clauses
	for p.kind == kFor {
		c.Flat = c.Flat || len(c.Clauses) > 0
		p.advance()
		first := len(c.Clauses)
		p.list(kRBrack, func() {
			if len(c.Clauses) > first && !comma.Known() {
				comma = p.span(p.prevEnd-1, p.prevEnd)
			}
			if p.kind == kFor && len(c.Clauses) > 0 {
				p.report(diag.Errorf(diag.UnexpectedToken, p.here(),
					"a comma and `for` do not go together").
					WithHint("`[e for i < n, j < m]` has a row for each `i`, `[e for i < n for j " +
						"< m]` is one array"))
				p.advance()
			}
			c.Clauses = append(c.Clauses, p.compClause())
		})
		n := len(c.Clauses)
		if n == first {
			p.fail(p.complainExpected("what to count or to take",
				"write `[e for i < n]` or `[e for x in xs]`"))
			break
		}
		for i := range c.Clauses {
			c.Flat = c.Flat || c.Clauses[i].If != nil
		}
	}
	if c.Flat && comma.Known() {
		p.report(diag.Errorf(diag.UnexpectedToken, p.from(body.Span().Start),
			"clauses with commas give rows, which have one length").
			WithHint("write `[e for i < n for j < m if c]` for one array of all that satisfy `c`").
			WithHint("write `[[e for j < m if c] for i < n]` for rows of different lengths").
			WithFix(comma, " for"))
	}
	p.closeBracket(b, kRBrack)
	for i := range c.Clauses {
		p.checkDistinct(c.Clauses[i].Pat)
	}
	c.Loc = p.loc(b.start)
	return c
}

// compClause reads a clause of a comprehension and the conditions after it.
func (p *parser) compClause() Clause {
	open := len(p.brackets) - 1
	p.brackets[open].clause = true
	c := p.clause()
	for p.kind == kIf {
		at := p.tok
		p.advance()
		cond := p.bodyExpr("the condition")
		if p.kind == kThen {
			p.fail(diag.Errorf(diag.UnexpectedToken, p.tokSpan(at),
				"an `if` after `for` chooses elements, and has no `then`").
				WithHint("write `[e for x in xs if c]`; an `if` with two values stands before " +
					"the `for`"))
		}
		if c.If != nil { // if c if d
			cond = p.binary(c.If.Span().Start, at, OpAnd, c.If, cond)
		}
		c.If = cond
	}
	p.brackets[open].clause = false
	return c
}

// atCondition reports whether the current token is an `if` that ends a clause.
func (p *parser) atCondition() bool {
	n := len(p.brackets)
	return p.kind == kIf && n > 0 && p.brackets[n-1].clause
}
