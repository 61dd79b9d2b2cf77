package check

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Generalisation]
//
// A binding is generalised over the unknowns that its type has for itself (types, Note [Levels]).
// Each variable of a pattern is generalised over those that its own type mentions. Two things
// restrict that:
//
//   - A binding without parameters keeps the unknowns that have classes. It is computed once, so
//     it has one type, which its uses decide (`let n = 10` is an Int if it is used as one). If
//     the uses leave it open, it is Real; see Note [Defaulting].
//   - Unknowns that a deferred constraint mentions stay, because a type scheme cannot say "a
//     record with a field x"; see Note [Deferred constraints].
//
// Recursive groups are the subject of Note [Recursion].

// group infers the bindings of a let and brings their names into scope. top
// is the declaration if the let is at the top of the module, else nil.
func (c *checker) group(bindings []*syntax.Binding, rec bool, top *syntax.LetDecl) {
	if rec {
		c.recursiveGroup(bindings, top)
		return
	}
	for _, b := range bindings {
		if p, ok := b.Pat.(*syntax.PVar); ok {
			c.named(b, p, top)
		} else {
			c.destructuring(b, top)
		}
	}
}

// named infers `f p … = e`.
func (c *checker) named(b *syntax.Binding, p *syntax.PVar, top *syntax.LetDecl) {
	mark := c.enterBinding(b)
	c.u.Level++
	c.defining = append(c.defining, p)
	t := c.function(b)
	c.defining = c.defining[:len(c.defining)-1]
	c.u.Level--
	own := c.leaveBinding(mark)
	scheme := &types.Scheme{}
	g := &types.Generaliser{Level: c.u.Level, Restricted: len(b.Params) == 0, Own: own}
	c.generalise(b, g, []types.Type{t}, []*types.Scheme{scheme})
	c.record(p, t)
	c.define(p, scheme, top)
	c.hasOneType(p, g.Kept)
}

// hasOneType records whether the uses of a variable that a let defines decide its type.
func (c *checker) hasOneType(p *syntax.PVar, kept bool) {
	why := mayDiffer
	switch {
	case kept:
		why = noParameters
	case c.leavesOpen(c.info.Types[p.ID]):
		why = takesFields
	}
	switch o := c.info.Defs[p.ID].(type) {
	case *Local:
		o.oneType = why
	case *Global:
		o.oneType = why
	}
}

// leavesOpen reports whether a type has a part of which only some fields are known.
func (c *checker) leavesOpen(t types.Type) bool {
	found := false
	if len(c.deferred)+len(c.open) > 0 {
		var walk func(t types.Type) types.Type
		walk = func(t types.Type) types.Type {
			t = types.Resolve(t)
			m, ok := t.(*types.Meta)
			found = found || ok && waitsForFields(m)
			return types.Map(t, walk)
		}
		walk(t)
	}
	return found
}

// waitsForFields reports whether a field or a component of an unknown is taken.
func waitsForFields(m *types.Meta) bool {
	for w := m.Waits; w != nil; w = w.Next {
		if _, ok := w.For.(*deferral); ok {
			return true
		}
	}
	return false
}

// define brings a generalised name into scope.
func (c *checker) define(p *syntax.PVar, scheme *types.Scheme, top *syntax.LetDecl) {
	if top != nil {
		c.defineGlobal(p, scheme, top.Doc)
		return
	}
	cell := c.newLocal(p.Name, p.At, nil)
	*cell.Scheme = *scheme
	c.info.Defs[p.ID] = &cell.Local
	c.lintShadow(p)
	c.names.push(p.Name, bound{object: &cell.Local, use: &cell.use, chain: c.chain})
}

// destructuring infers `p = e` where p is a pattern.
func (c *checker) destructuring(b *syntax.Binding, top *syntax.LetDecl) {
	mark := c.enterBinding(b)
	c.flexible = true
	c.u.Level++
	t := c.rightHandSide(b)
	names := c.names.mark()
	c.pattern(b.Pat, t, why{kind: whyPattern, at: b.Body.Span()})
	c.u.Level--
	c.leaveBinding(mark)
	whole := &types.Scheme{}
	g := &types.Generaliser{Level: c.u.Level, Restricted: true}
	c.generalise(b, g, []types.Type{t}, []*types.Scheme{whole})
	if top != nil {
		c.forget(names)
	}
	patternNames(b.Pat, func(v *syntax.PVar) {
		scheme := part(whole, c.info.Types[v.ID])
		if top != nil {
			c.defineGlobal(v, scheme, top.Doc)
		} else {
			*c.info.Defs[v.ID].(*Local).Scheme = *scheme
		}
		c.hasOneType(v, g.Kept)
	})
}

// part returns the scheme of a part of a value. It has those parameters of the whole that the
// part's type mentions.
func part(whole *types.Scheme, t types.Type) *types.Scheme {
	s := &types.Scheme{Sizes: whole.Sizes, Type: t}
	if len(whole.Params) > 0 {
		for _, p := range types.Params(t) {
			if slices.Contains(whole.Params, p) {
				s.Params = append(s.Params, p)
			}
		}
	}
	return s
}

// forget ends scopes whose names were bound only for their types.
func (c *checker) forget(mark int) {
	for i := len(c.names.trail) - 1; i >= mark; i-- {
		at := c.names.trail[i]
		at.stack = at.stack[:len(at.stack)-1]
	}
	c.names.trail = c.names.trail[:mark]
}

// function infers the parameters and the body of a binding, and returns the type of the whole.
func (c *checker) function(b *syntax.Binding) types.Type {
	mark := c.names.mark()
	params := c.patternTypes(b.Params)
	c.parameters(b.Params, params)
	result := c.rightHandSide(b)
	c.leave(mark)
	return types.Funs(result, params...)
}

// sizeVariables brings size variables of the parameters' annotations into scope, as far as the
// values of the parameters determine them (Note [Declared sizes]).
func (c *checker) sizeVariables(ps []syntax.Pattern) {
	var sums []*types.Size
	known := func(size *types.Size) bool { return c.sizeInScope(size) != nil }
	bind := func(size *types.Size) {
		if known(size) {
			return
		}
		origin, _ := size.Origin.(sizeOrigin)
		cell := c.newLocal(size.Name, origin.at, types.Int)
		cell.Size = size
		c.names.push(size.Name, bound{object: &cell.Local, use: &cell.use})
	}
	for _, p := range ps {
		for {
			paren, ok := p.(*syntax.PParen)
			if !ok {
				break
			}
			p = paren.X
		}
		annot, ok := p.(*syntax.PAnnot)
		if !ok {
			continue
		}
		eachSize(c.signature(annot.Type), func(size *types.Size) {
			switch size.Kind {
			case types.SizeParam:
				bind(size)
			case types.SizeSum:
				sums = append(sums, size)
			}
		})
	}
	for decided := true; decided; {
		decided = false
		for _, sum := range sums {
			if v := decidedBy(sum, known); v != nil {
				bind(v)
				decided = true
			}
		}
	}
}

// sizeInScope returns the variable by which the body knows a size, or nil.
func (c *checker) sizeInScope(size *types.Size) *Local {
	b := c.names.lookup(size.Name)
	if b == nil {
		return nil
	}
	if l, ok := b.object.(*Local); ok && l.Size == size {
		return l
	}
	return nil
}

// givesSize reports whether a size in the local's type is used, even if the local itself is not.
func (c *checker) givesSize(local *Local) bool {
	used := false
	eachSize(local.Scheme.Type, func(size *types.Size) {
		size.Variables(func(v *types.Size) {
			l := c.sizeInScope(v)
			used = used || l != nil && l.Used
		})
	})
	return used
}

func (c *checker) patternTypes(ps []syntax.Pattern) []types.Type {
	ts := make([]types.Type, len(ps))
	for i, p := range ps {
		ts[i] = c.patternType(p)
	}
	return ts
}

func (c *checker) parameters(ps []syntax.Pattern, ts []types.Type) {
	c.sizeVariables(ps)
	for i, p := range ps {
		c.pattern(p, ts[i], why{kind: whyPattern})
	}
}

// rightHandSide infers the body of a binding against its annotation.
func (c *checker) rightHandSide(b *syntax.Binding) types.Type {
	if b.Result == nil {
		return c.infer(b.Body)
	}
	t := c.signature(b.Result)
	c.check(b.Body, t, why{kind: whyAnnotation, at: b.Result.Span(), node: b, n: len(b.Params)})
	return t
}

// generalise quantifies over the free unknowns in the types of a group, and completes their
// schemes.
func (c *checker) generalise(at *syntax.Binding, g *types.Generaliser, ts []types.Type,
	schemes []*types.Scheme) {
	if g.Level == 0 {
		c.settle()
	} else {
		c.postpone(g.Level)
	}
	c.solveSizes()
	jacobians := c.ownJacobians(g)
	for i, t := range ts {
		schemes[i].Type = t
		if !g.Add(t) {
			c.typeTooLarge(at.Pat)
			c.u.Poison(t)
			schemes[i].Type = c.bad()
		}
	}
	for _, j := range jacobians {
		for _, t := range []types.Type{j.Source, j.Target, j.Result} {
			g.Add(t)
		}
	}
	params, sizes := g.Finish()
	for _, s := range schemes {
		s.Params, s.Sizes, s.Jacobians = params, sizes, jacobians
	}
}
