package check

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// patternType is the type that a pattern shows by itself, before it is
// compared with anything: that of its annotation, or an unknown.
func (c *checker) patternType(p syntax.Pattern) types.Type {
	for {
		switch q := p.(type) {
		case *syntax.PParen:
			p = q.X
		case *syntax.PAnnot:
			return c.signature(q.Type)
		case *syntax.PBad:
			return c.bad()
		case *syntax.PTuple:
			if len(q.Elems) == 0 {
				return types.Unit
			}
			return c.u.Fresh()
		default:
			return c.u.Fresh()
		}
	}
}

// pattern infers a pattern against the type of what it takes apart and brings
// its variables into scope.
func (c *checker) pattern(p syntax.Pattern, t types.Type, w why) {
	c.info.Types[p.Num()] = t
	switch p := p.(type) {
	case *syntax.PVar:
		c.bindLocal(p, t)
	case *syntax.PNumber:
		c.numberPattern(p, t, w)
	case *syntax.PString:
		c.expect(p, t, types.String, w)
	case *syntax.PBool:
		c.expect(p, t, types.Bool, w)
	case *syntax.PCon:
		c.conPattern(p, t, w)
	case *syntax.PTuple:
		c.tuplePattern(p, t, w)
	case *syntax.PRecord:
		for _, f := range p.Fields {
			field := c.fieldType(&deferral{kind: waitPattern, node: p, whole: f.Pat, subject: t, name: f.Name})
			c.pattern(f.Pat, field, w)
		}
	case *syntax.PParen:
		c.pattern(p.X, t, w)
	case *syntax.PAnnot:
		stated := c.signature(p.Type)
		c.expect(p, t, stated, why{kind: whyPatternAnnotation, at: p.Type.Span()})
		c.pattern(p.X, stated, w)
	}
}

func (c *checker) numberPattern(p *syntax.PNumber, t types.Type, w why) {
	if types.Resolve(t) == types.Type(types.Real) || !isIntegerText(strings.TrimPrefix(p.Text, "-")) {
		c.report(diag.Errorf(diag.RealPattern, p.At, "a pattern cannot match a real number").
			WithHint("equality of reals is not computable; compare with `if abs (x - %s) < eps then …`", p.Text))
		return
	}
	if _, ok := syntax.Integer(p.Text); !ok {
		c.report(diag.Errorf(diag.BadNumber, p.At, "no Int can hold %s", p.Text))
	}
	c.expect(p, t, types.Int, w)
}

func (c *checker) tuplePattern(p *syntax.PTuple, t types.Type, w why) {
	if len(p.Elems) == 0 {
		c.expect(p, t, types.Unit, w)
		return
	}
	tuple, ok := types.Resolve(t).(*types.Tuple)
	if !ok || len(tuple.Elems) != len(p.Elems) {
		elems := make([]types.Type, len(p.Elems))
		for i := range elems {
			elems[i] = c.u.Fresh()
		}
		tuple = &types.Tuple{Elems: elems}
		c.expect(p, t, tuple, w)
	}
	for i, q := range p.Elems {
		c.pattern(q, tuple.Elems[i], w)
	}
}

func (c *checker) conPattern(p *syntax.PCon, t types.Type, w why) {
	con := c.patternCon(p)
	if con == nil {
		for _, a := range p.Args {
			c.pattern(a, c.bad(), w)
		}
		return
	}
	whole := c.constructor(p, con)
	fields, result := types.Splay(whole, len(con.Fields))
	c.expect(p, t, result, w)
	if len(p.Args) != len(fields) {
		c.constructorArity(p, con)
	}
	for i, a := range p.Args {
		if i < len(fields) {
			c.pattern(a, fields[i], why{kind: whyConField, n: i + 1, node: p})
		} else {
			c.pattern(a, c.bad(), w)
		}
	}
}

// patternCon finds the constructor of a pattern, or reports that there is
// none.
func (c *checker) patternCon(p *syntax.PCon) *types.Con {
	if p.Module.Name == "" {
		con := c.findCon(p.Name.Name)
		if con == nil {
			c.unknownCon(p.Name, true)
		}
		return con
	}
	m := c.modules[p.Module.Name]
	if m == nil {
		c.unknownModule(p.Module)
		return nil
	}
	return c.memberCon(m, p.Name)
}
