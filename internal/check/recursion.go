package check

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Recursion]
//
// Inside a recursive group a name has the type that is being inferred for it, the same at every
// use, unless its annotations state the whole type. Then each use takes an instance of the
// annotated type (Mycroft 1984), and several annotated functions may call one another at
// different types. Which classes their variables need is known only when all bodies have been
// inferred; the uses are then required to satisfy them.
//
// After the group its members share one list of parameters, because the body of one may mention
// unknowns that occur only in the type of another. A use inside the group passes the parameters
// on unchanged, unless it has an instance of its own.

// recursive is the meaning of a name inside its recursive group: an object whose scheme is not
// known yet.
type recursive struct {
	target   Object
	binding  *syntax.Binding
	t        types.Type
	declared *types.Scheme // the annotated type if it is complete, else nil
	vars     []typeVar     // the type variables of its annotations, if it is complete
	uses     []recursiveUse
	open     bool // whether its own body is being inferred
}

// recursiveUse is a use inside the group.
type recursiveUse struct {
	use  *Use
	inst []types.Type // the types at which the declared scheme is used
	at   syntax.Node
}

func (*recursive) object() {}

// useRecursive infers a use inside the group. The use always has sizes of its own; see Note
// [Sizes].
func (c *checker) useRecursive(e syntax.Node, r *recursive) types.Type {
	if l, ok := r.target.(*Local); ok && !r.open {
		l.Used = true // by a sibling; a function's calls of itself do not count
	}
	use := recursiveUse{use: &Use{Object: r.target}, at: e}
	c.info.Uses[e.Num()] = use.use
	var t types.Type
	if r.declared != nil {
		t, use.inst = c.u.Instantiate(r.declared, e)
	} else {
		t = c.u.WithFreshSizes(r.t)
	}
	r.uses = append(r.uses, use)
	return t
}

// recursiveGroup infers `let rec f … = e and g … = e'`.
func (c *checker) recursiveGroup(bindings []*syntax.Binding, top *syntax.LetDecl) {
	mark := c.names.mark()
	c.u.Level++
	members := make([]*recursive, len(bindings))
	for i, b := range bindings {
		members[i] = c.announce(b, top)
	}
	g := &types.Generaliser{Level: c.u.Level - 1}
	for _, r := range members {
		g.Own = append(g.Own, c.inferMember(r)...)
		g.Restricted = g.Restricted || len(r.binding.Params) == 0
	}
	c.opts.Watch.Look()
	for _, r := range members {
		if len(r.uses) > 0 && r.binding.Result == nil {
			_, result := types.Splay(r.t, len(r.binding.Params))
			c.anySizes(result)
		}
	}
	c.shareClasses(members)
	c.u.Level--
	c.forget(mark)

	ts := make([]types.Type, len(members))
	schemes := make([]*types.Scheme, len(members))
	for i, r := range members {
		ts[i], schemes[i] = r.t, &types.Scheme{}
	}
	if slices.ContainsFunc(members, func(r *recursive) bool { return r.declared != nil }) {
		c.refuseJacobians(g.Level)
	}
	c.opts.Watch.Look()
	c.generalise(bindings[0], g, ts, schemes)
	for i, r := range members {
		c.opts.Watch.Step()
		if p, ok := r.binding.Pat.(*syntax.PVar); ok {
			c.record(p, r.t)
			c.defineRecursive(r, p, schemes[i], top)
			continue
		}
		mark := c.names.mark()
		c.pattern(r.binding.Pat, c.bad(), why{})
		c.forget(mark)
	}
}

// announce brings a name of the group into scope for its members.
func (c *checker) announce(b *syntax.Binding, top *syntax.LetDecl) *recursive {
	r := &recursive{binding: b, t: c.u.Fresh()}
	p, ok := b.Pat.(*syntax.PVar)
	switch {
	case !ok:
		c.report(diag.Errorf(diag.ForwardReference, b.Pat.Span(),
			"only functions can be recursive, and this pattern takes a value apart").
			WithHint("move it to a `let` of its own, without `rec`"))
		// so that its names are not reported as unknown too
		patternNames(b.Pat, func(v *syntax.PVar) {
			cell := c.newLocal(v.Name, v.At, c.bad())
			c.names.push(v.Name, bound{object: &cell.Local, use: &cell.use})
		})
		return r
	case top != nil:
		r.target = &Global{Name: p.Name, QName: qualified(c.opts.Name, p.Name),
			Doc: top.Doc, At: p.At}
	default:
		r.target = &c.newLocal(p.Name, p.At, nil).Local
	}
	if isAnnotated(b) {
		mark := c.enterBinding(b)
		t := types.Funs(c.signature(b.Result), c.patternTypes(b.Params)...)
		r.vars = slices.Clone(c.vars[mark.vars:])
		r.declared = &types.Scheme{Params: c.leaveBinding(mark), Type: t}
		for _, v := range r.vars {
			if v.size != nil {
				r.declared.Sizes = append(r.declared.Sizes, v.size)
			}
		}
	}
	c.names.push(p.Name, bound{object: r})
	return r
}

// isAnnotated reports whether the annotations of a binding state its whole type.
func isAnnotated(b *syntax.Binding) bool {
	if b.Result == nil {
		return false
	}
	for _, p := range b.Params {
		for {
			paren, ok := p.(*syntax.PParen)
			if !ok {
				break
			}
			p = paren.X
		}
		switch p := p.(type) {
		case *syntax.PAnnot:
		case *syntax.PTuple:
			if len(p.Elems) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// inferMember infers one binding of the group and returns its rigid variables. As soon as the
// parameters are known, uses of its name see its type.
func (c *checker) inferMember(r *recursive) []*types.Param {
	b := r.binding
	varMark := c.enterBinding(b)
	c.vars = append(c.vars, r.vars...)
	mark := c.names.mark()
	params := c.patternTypes(b.Params)
	reason := why{kind: whyRecursion, node: b}
	var result types.Type = c.u.Fresh()
	if b.Result != nil {
		result = c.signature(b.Result)
		reason = why{kind: whyAnnotation, at: b.Result.Span(), node: b, n: len(b.Params)}
	}
	t := types.Funs(result, params...)
	if r.declared == nil {
		c.expect(b.Pat, r.t, t, why{kind: whyRecursion, node: b})
	}
	r.t = t
	c.parameters(b.Params, params)
	r.open = true
	c.check(b.Body, result, reason)
	r.open = false
	c.leave(mark)
	if len(r.uses) > 0 && !isFunction(b) {
		c.report(diag.Errorf(diag.ForwardReference, b.Body.Span(),
			"`%s` is used in its own definition, but it is not a function", b.Name()).
			WithHint("only functions can be recursive: a value must be complete before it is used"))
	}
	return c.leaveBinding(varMark)
}

// anySizes gives the arrays of a type unknown sizes. It is used for the result of a recursive
// call, which may have other sizes than the function's own result, since its arguments may have
// other sizes.
func (c *checker) anySizes(t types.Type) {
	t = types.Resolve(t)
	if a, ok := t.(*types.Array); ok {
		c.meet(a.Size, types.AnySize)
	}
	if _, ok := t.(*types.Fun); !ok {
		types.Map(t, func(part types.Type) types.Type {
			c.anySizes(part)
			return part
		})
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

// shareClasses requires the uses of annotated members to satisfy the classes that the bodies
// turned out to need. A class of one variable may bring one to another, so this repeats until
// nothing changes.
func (c *checker) shareClasses(members []*recursive) {
	reported := false
	for before, now := -1, 0; before != now; {
		before, now = now, 0
		for _, r := range members {
			if r.declared == nil {
				continue
			}
			for _, u := range r.uses {
				for i, p := range r.declared.Params {
					if p.Classes == 0 {
						continue
					}
					now += len(p.Classes.Names())
					by, _ := u.at.(syntax.Expr)
					if lack := types.Require(u.inst[i], p.Classes, by); lack != nil && !reported {
						reported = true
						c.noInstance(u.at.Span(), lack, by)
					}
				}
			}
		}
	}
}

// defineRecursive brings a member into scope after the group, and completes the uses of it
// inside.
func (c *checker) defineRecursive(r *recursive, p *syntax.PVar, scheme *types.Scheme,
	top *syntax.LetDecl) {
	if top != nil {
		r.target = c.defineGlobal(p, scheme, top.Doc)
	} else {
		l := r.target.(*Local)
		l.Scheme = scheme
		c.info.Defs[p.ID] = l
		c.lintShadow(p)
		c.names.push(p.Name, bound{object: l, use: &Use{Object: l}, chain: c.chain})
	}
	for _, u := range r.uses {
		u.use.Object = r.target
		for _, param := range scheme.Params {
			var at types.Type = param
			if r.declared != nil {
				if i := slices.Index(r.declared.Params, param); i >= 0 {
					at = u.inst[i]
				}
			}
			u.use.Inst = append(u.use.Inst, at)
		}
	}
}
