package check

import (
	"maps"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// patternType returns the type that a pattern has by itself, before it is compared with anything:
// that of its annotation, or an unknown.
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

// pattern infers a pattern against the type of the value that it takes apart, and brings its
// variables into scope.
func (c *checker) pattern(p syntax.Pattern, t types.Type, w why) {
	c.info.Types[p.Num()] = t
	switch p := p.(type) {
	case *syntax.PVar:
		if local := c.shared[p.Name]; local != nil {
			c.info.Defs[p.ID] = local
			c.expect(p, local.Scheme.Type, t, why{kind: whyPattern, at: local.At})
			return
		}
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
			field := c.fieldType(&deferral{kind: waitPattern, node: p, whole: f.Pat, subject: t,
				name: f.Name})
			c.pattern(f.Pat, field, w)
		}
	case *syntax.PParen:
		c.pattern(p.X, t, w)
	case *syntax.PAnnot:
		stated := c.signature(p.Type)
		c.expect(p, t, stated, why{kind: whyPatternAnnotation, at: p.Type.Span()})
		c.pattern(p.X, stated, w)
	case *syntax.PAs:
		c.pattern(p.X, t, w)
		c.pattern(p.Name, t, w)
	case *syntax.POr:
		c.alternatives(p, t, w)
	case *syntax.PArray:
		c.arrayPattern(p, t, w)
	}
}

// alternatives infers p | q. A name has the same type in all alternatives.
func (c *checker) alternatives(p *syntax.POr, t types.Type, w why) {
	c.pattern(p.Alts[0], t, w)
	outer := c.shared
	c.shared = maps.Clone(outer)
	if c.shared == nil {
		c.shared = map[string]*Local{}
	}
	patternNames(p.Alts[0], func(v *syntax.PVar) { c.shared[v.Name] = c.info.Defs[v.ID].(*Local) })
	for _, alt := range p.Alts[1:] {
		c.pattern(alt, t, w)
	}
	c.shared = outer
}

// arrayPattern infers [p, q, ..rest].
func (c *checker) arrayPattern(p *syntax.PArray, t types.Type, w why) {
	array, ok := types.Resolve(t).(*types.Array)
	if !ok {
		array = &types.Array{Size: c.u.FreshSize(), Elem: c.u.Fresh()}
		c.expect(p, t, array, w)
	}
	for _, q := range p.Elems {
		c.pattern(q, array.Elem, w)
	}
	if p.Rest != nil {
		c.pattern(p.Rest, &types.Array{Size: types.AnySize, Elem: array.Elem}, w)
	}
}

func (c *checker) numberPattern(p *syntax.PNumber, t types.Type, w why) {
	if types.Resolve(t) == types.Type(types.Real) ||
		!isIntegerText(strings.TrimPrefix(p.Text, "-")) {
		c.report(diag.Errorf(diag.RealPattern, p.At, "a pattern cannot match a real number").
			WithHint("equality of reals is not computable; compare with `if abs (x - %s) < eps "+
				"then …`", p.Text))
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

// patternCon returns the constructor of a pattern, or reports that there is none.
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
