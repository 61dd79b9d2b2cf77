package syntax

import "github.com/fluxion-lang/fluxion/internal/diag"

// updates parses what follows `with`: `x = 1, xs[i] = 2, p.y = 3` or `[i, j] = 4`. Each replaces
// the part of the value that its path leads to.
func (p *parser) updates() []FieldInit {
	var fields []FieldInit
	p.list(kRBrace, func() {
		t := p.tok
		if p.kind != kLBrack && !p.isLabel(p.kind, t) {
			p.fail(p.complainExpected("the part to replace",
				"a changed record is written `{p with x = 3}`, a changed array `{xs with [i] = "+
					"3}`"))
			return
		}
		path := p.step(nil)
		for p.kind == kLBrack || p.kind == kDot {
			if p.kind == kDot {
				dot := p.here()
				if p.advance(); p.kind == kLBrack {
					p.report(diag.Errorf(diag.UnexpectedToken, dot,
						"an index has no point before it").
						WithHint("write `xs[i] = 3`").WithEdit("Remove the point", dot, ""))
				} else if !p.isLabel(p.kind, p.tok) {
					p.fail(p.complainExpected("the name of a field", "write `p.x = 3`"))
					return
				}
			}
			path = p.step(path)
		}
		last := path[len(path)-1]
		if last.Index == nil && len(path) == 1 {
			fields = append(fields, p.fieldInit(t, last.Name))
			return
		}
		if p.kind != kEqual {
			p.fail(p.complainExpected("`=` and the new value",
				"a changed array is written `{xs with [i] = 3}`"))
			return
		}
		p.advance()
		last.Value = p.element("the new value")
		for i := len(path) - 2; i >= 0; i-- {
			old, use := p.hole(t.start)
			inner := &Update{Loc: p.loc(t.start), X: use, Fields: []FieldInit{last}}
			last = path[i]
			last.Old, last.Value = old, inner
		}
		fields = append(fields, last)
	})
	p.distinctFields(fields)
	return fields
}

// step parses the next step of a path, a field or indices, and appends it.
func (p *parser) step(path []FieldInit) []FieldInit {
	p.taller()
	if p.kind != kLBrack {
		return append(path, FieldInit{Name: p.label()})
	}
	b := p.openBracket()
	n := len(path)
	p.list(kRBrack, func() { path = append(path, FieldInit{Index: p.element("an index")}) })
	if len(path) == n {
		p.report(diag.Errorf(diag.UnexpectedToken, p.from(b.start),
			"these brackets have no index in them").
			WithHint("a changed array is written `{xs with [i] = 3}`"))
		path = append(path, FieldInit{Index: &Bad{Loc: p.loc(b.start)}})
	}
	p.closeBracket(b, kRBrack)
	return path
}
