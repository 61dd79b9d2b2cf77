package check

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Generalisation]
//
// A binding of a name is generalised over the unknowns of its type that are
// its own (types, Note [Levels]). Three things restrict that:
//
//   - A binding without parameters keeps the unknowns that have classes: it is
//     computed once, so it has one type, which its uses decide (`let n = 10`
//     is an Int if it is used as one). What the uses leave open is Real; see
//     Note [Defaulting].
//   - Unknowns that a deferred constraint mentions stay, because a type scheme
//     cannot say "a record with a field x"; see Note [Deferred constraints].
//   - Patterns are not generalised.
//
// The bindings of a recursive group are monomorphic inside the group and share
// one list of parameters after it, so that a use inside the group, whose
// instance is the parameters themselves, makes sense in every member.

// recursive is what a name of a recursive group means inside the group: an
// object whose scheme is not known yet.
type recursive struct {
	target  Object
	t       types.Type
	binding *syntax.Binding
	uses    []*Use
}

func (*recursive) object() {}

// useRecursive is a use inside the group: at the type being inferred, but
// with sizes of its own. See Note [Sizes].
func (c *checker) useRecursive(e syntax.Node, r *recursive) types.Type {
	if l, ok := r.target.(*Local); ok {
		l.Used = true
	}
	use := &Use{Object: r.target}
	r.uses = append(r.uses, use)
	c.info.Uses[e.Num()] = use
	return c.u.WithFreshSizes(r.t)
}

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
	t := c.function(b, nil)
	c.u.Level--
	own := c.leaveBinding(mark)
	scheme := &types.Scheme{}
	c.generalise(b, &types.Generaliser{Level: c.u.Level, Restricted: len(b.Params) == 0, Own: own}, []types.Type{t}, []*types.Scheme{scheme})
	c.record(p, t)
	c.define(b, p, scheme, top)
}

// define brings a generalised name into scope.
func (c *checker) define(b *syntax.Binding, p *syntax.PVar, scheme *types.Scheme, top *syntax.LetDecl) {
	if top != nil {
		c.defineGlobal(p, scheme, top.Doc)
		return
	}
	cell := c.newLocal(p.Name, p.At, nil, b)
	*cell.Scheme = *scheme
	c.info.Defs[p.ID] = &cell.Local
	c.lintShadow(p)
	c.names.push(p.Name, bound{object: &cell.Local, use: &cell.use, chain: c.chain})
}

// destructuring infers `p = e` for a pattern.
func (c *checker) destructuring(b *syntax.Binding, top *syntax.LetDecl) {
	mark := c.enterBinding(b)
	flexible := c.flexible
	c.flexible = true
	t := c.rightHandSide(b)
	if top != nil {
		c.topPattern(b.Pat, t, top)
	} else {
		c.pattern(b.Pat, t, why{kind: whyPattern, at: b.Body.Span()})
	}
	c.flexible = flexible
	c.leaveBinding(mark)
}

// topPattern binds the variables of a pattern as globals.
func (c *checker) topPattern(p syntax.Pattern, t types.Type, top *syntax.LetDecl) {
	mark := c.names.mark()
	c.pattern(p, t, why{kind: whyPattern})
	c.forget(mark)
	patternNames(p, func(v *syntax.PVar) {
		c.defineGlobal(v, types.Mono(c.info.Types[v.ID]), top.Doc)
	})
}

// forget ends scopes whose names were bound for the sake of their types only.
func (c *checker) forget(mark int) {
	for i := len(c.names.trail) - 1; i >= mark; i-- {
		at := c.names.trail[i]
		at.stack = at.stack[:len(at.stack)-1]
	}
	c.names.trail = c.names.trail[:mark]
}

// recursiveGroup infers `let rec f … = e and g … = e'`.
func (c *checker) recursiveGroup(bindings []*syntax.Binding, top *syntax.LetDecl) {
	members := make([]*recursive, len(bindings))
	marks := c.names.mark()
	varMark := len(c.vars)
	given, flexible := c.given, c.flexible
	c.given, c.flexible = false, false
	c.u.Level++
	for i, b := range bindings {
		r := &recursive{binding: b, t: c.u.Fresh()}
		members[i] = r
		if p, ok := b.Pat.(*syntax.PVar); ok {
			if top != nil {
				r.target = &Global{Name: p.Name, QName: qualified(c.opts.Name, p.Name), Doc: top.Doc, At: p.At}
			} else {
				r.target = &c.newLocal(p.Name, p.At, nil, b).Local
			}
			c.names.push(p.Name, bound{object: r})
		} else {
			c.report(diag.Errorf(diag.ForwardReference, b.Pat.Span(), "only functions can be recursive, and this pattern takes a value apart").
				WithHint("move it to a `let` of its own, without `rec`"))
		}
	}
	restricted := false
	var ownAll []*types.Param
	for i, b := range bindings {
		mark := c.enterBinding(b)
		t := c.function(b, members[i])
		ownAll = append(ownAll, c.leaveBinding(mark)...)
		members[i].t = t
		restricted = restricted || len(b.Params) == 0
		if len(members[i].uses) > 0 && !isFunction(b) {
			c.report(diag.Errorf(diag.ForwardReference, b.Body.Span(), "`%s` is used in its own definition, but it is not a function", b.Name()).
				WithHint("only functions can be recursive: a value must be complete before it is used"))
		}
	}
	c.u.Level--
	c.forget(marks)
	c.vars = c.vars[:varMark]
	c.given, c.flexible = given, flexible

	ts := make([]types.Type, len(members))
	schemes := make([]*types.Scheme, len(members))
	for i, r := range members {
		ts[i], schemes[i] = r.t, &types.Scheme{}
	}
	c.generalise(bindings[0], &types.Generaliser{Level: c.u.Level, Restricted: restricted, Own: ownAll}, ts, schemes)
	for i, r := range members {
		p, ok := r.binding.Pat.(*syntax.PVar)
		if !ok {
			mark := c.names.mark()
			c.pattern(r.binding.Pat, c.bad(), why{})
			c.forget(mark)
			continue
		}
		c.record(p, r.t)
		c.defineRecursive(r, p, schemes[i], top)
	}
}

// defineRecursive brings a member of a recursive group into scope after it,
// and completes its uses inside.
func (c *checker) defineRecursive(r *recursive, p *syntax.PVar, scheme *types.Scheme, top *syntax.LetDecl) {
	if top != nil {
		g := c.defineGlobal(p, scheme, top.Doc)
		r.target = g
	} else {
		l := r.target.(*Local)
		l.Scheme = scheme
		c.info.Defs[p.ID] = l
		c.lintShadow(p)
		l.Used = false // only uses after the definition count
		c.names.push(p.Name, bound{object: l, use: &Use{Object: l}, chain: c.chain})
	}
	if len(r.uses) == 0 {
		return
	}
	var inst []types.Type
	for _, param := range scheme.Params {
		inst = append(inst, param)
	}
	for _, use := range r.uses {
		use.Object, use.Inst = r.target, inst
	}
}

func isFunction(b *syntax.Binding) bool {
	if len(b.Params) > 0 {
		return true
	}
	e := b.Body
	for {
		switch x := e.(type) {
		case *syntax.Paren:
			e = x.X
		case *syntax.Annot:
			e = x.X
		case *syntax.Fun, *syntax.Bad:
			return true
		default:
			return false
		}
	}
}

// function infers the parameters and the body of a binding, and gives the
// type of the whole. If the binding is a member of a recursive group, its uses
// see the type as soon as the parameters are known.
func (c *checker) function(b *syntax.Binding, r *recursive) types.Type {
	mark := c.names.mark()
	params := make([]types.Type, len(b.Params))
	for i, p := range b.Params {
		params[i] = c.patternType(p)
	}
	if r == nil {
		c.parameters(b.Params, params)
		result := c.rightHandSide(b)
		c.leave(mark)
		return types.Funs(result, params...)
	}
	var result types.Type
	reason := why{kind: whyRecursion, node: b}
	if b.Result != nil {
		result = c.signature(b.Result)
		reason = why{kind: whyAnnotation, at: b.Result.Span(), node: b, n: len(b.Params)}
	} else {
		result = c.u.Fresh()
	}
	t := types.Funs(result, params...)
	c.expect(b.Pat, r.t, t, why{kind: whyRecursion, node: b})
	r.t = t
	c.parameters(b.Params, params)
	c.check(b.Body, result, reason)
	c.leave(mark)
	return t
}

func (c *checker) parameters(ps []syntax.Pattern, ts []types.Type) {
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

// generalise quantifies over what is free in the types of a group, and fills
// their schemes.
func (c *checker) generalise(at *syntax.Binding, g *types.Generaliser, ts []types.Type, schemes []*types.Scheme) {
	if g.Level == 0 {
		c.settle()
	} else {
		c.postpone(g.Level)
	}
	c.solveSizes()
	for i, t := range ts {
		schemes[i].Type = t
		if !g.Add(t) {
			c.typeTooLarge(at.Pat)
			c.u.Poison(t)
			schemes[i].Type = c.bad()
		}
	}
	params, sizes := g.Finish()
	for _, s := range schemes {
		s.Params, s.Sizes = params, sizes
	}
}
