package check

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Inference works in both directions. infer finds the type of an expression. check is given the
// type that the context requires, and why, and passes it inwards, so that a mismatch is reported
// at the smallest expression that causes it.

// infer returns the type of an expression and records it. The parser bounds the
// height of the tree, so recursion is safe.
func (c *checker) infer(e syntax.Expr) types.Type {
	t := c.inferHere(e)
	c.info.Types[e.Num()] = t
	return t
}

func (c *checker) inferHere(e syntax.Expr) types.Type {
	c.opts.Watch.Step()
	switch e := e.(type) {
	case *syntax.Var:
		return c.variable(e)
	case *syntax.Con:
		return c.conExpr(e)
	case *syntax.Number:
		return c.number(e)
	case *syntax.String:
		return types.String
	case *syntax.Text:
		for _, x := range e.Holes {
			c.infer(x)
		}
		return types.String
	case *syntax.Bool:
		return types.Bool
	case *syntax.Paren:
		return c.infer(e.X)
	case *syntax.Annot:
		t := c.signature(e.Type)
		c.check(e.X, t, why{kind: whyAscription, at: e.Type.Span()})
		return t
	case *syntax.Tuple:
		return c.tuple(e)
	case *syntax.Record:
		return c.recordExpr(e)
	case *syntax.Update:
		return c.update(e)
	case *syntax.Array:
		return c.array(e)
	case *syntax.Comp:
		return c.comprehension(e)
	case *syntax.Field:
		return c.field(e)
	case *syntax.Index:
		return c.index(e)
	case *syntax.Slice:
		return c.slice(e)
	case *syntax.Apply:
		return c.apply(e)
	case *syntax.Binary:
		return c.binary(e)
	case *syntax.Neg:
		return c.negate(e)
	case *syntax.OpFun:
		return c.operatorFunction(e)
	case *syntax.Section:
		return c.section(e)
	case *syntax.Fun:
		return c.lambda(e)
	case *syntax.If:
		return c.conditional(e)
	case *syntax.Match:
		return c.match(e, nil, why{})
	case *syntax.Let:
		return c.let(e, nil, why{})
	case *syntax.Loop:
		return c.loop(e)
	}
	return c.bad() // *syntax.Bad, which the parser reported
}

// check makes an expression have the type that its context requires.
func (c *checker) check(e syntax.Expr, want types.Type, w why) {
	c.opts.Watch.Step()
	switch e := e.(type) {
	case *syntax.Number:
		if basic, ok := types.Resolve(want).(*types.Basic); ok && c.literalAt(e, basic) {
			c.record(e, basic)
			return
		}
	case *syntax.Paren:
		c.record(e, want)
		c.check(e.X, want, w)
		return
	case *syntax.Let:
		c.let(e, want, w)
		return
	case *syntax.If:
		if !isUnknown(want) {
			c.record(e, want)
			c.check(e.Cond, types.Bool, why{kind: whyCondition})
			c.check(e.Then, want, w)
			c.check(e.Else, want, w)
			return
		}
	case *syntax.Match:
		if !isUnknown(want) {
			c.record(e, want)
			c.match(e, want, w)
			return
		}
	case *syntax.Fun:
		if params, result := types.Splay(want, len(e.Params)); len(params) == len(e.Params) {
			c.record(e, want)
			outer := w
			mark := c.names.mark()
			c.sizeVariables(e.Params)
			for i, p := range e.Params {
				c.pattern(p, params[i], why{kind: whyParameter, of: &outer, n: i + 1})
			}
			c.check(e.Body, result, why{kind: whyResult, of: &outer, n: len(params)})
			c.leave(mark)
			return
		}
	case *syntax.Section:
		if fun, ok := types.Resolve(want).(*types.Fun); ok {
			c.record(e, want)
			outer := w
			mark := c.names.mark()
			c.pattern(e.Hole, fun.Param, why{kind: whyParameter, of: &outer, n: 1})
			c.check(e.Body, fun.Result, why{kind: whyResult, of: &outer, n: 1})
			c.leave(mark)
			return
		}
	case *syntax.Tuple:
		if t, ok := types.Resolve(want).(*types.Tuple); ok && len(t.Elems) == len(e.Elems) &&
			len(t.Elems) > 0 {
			c.record(e, want)
			outer := w
			for i, x := range e.Elems {
				c.check(x, t.Elems[i], why{kind: whyComponent, of: &outer, n: i + 1})
			}
			return
		}
	}
	c.expect(e, want, c.infer(e), w)
}

// expect unifies the type of a node with the required type, or reports the mismatch.
func (c *checker) expect(n syntax.Node, want, got types.Type, w why) bool {
	if want == got {
		return true
	}
	if basic, ok := types.Resolve(want).(*types.Basic); ok && types.Resolve(got) ==
		types.Type(basic) {
		return true
	}
	c.reason, c.reasonAt = w, n
	fail := c.u.Unify(want, got)
	if len(c.u.Woken) > 0 {
		c.wake()
	}
	if fail == nil {
		return true
	}
	c.mismatch(n, want, got, w, fail)
	c.u.Poison(want)
	c.u.Poison(got)
	return false
}

func isUnknown(t types.Type) bool {
	_, ok := types.Resolve(t).(*types.Meta)
	return ok
}

func (c *checker) tuple(e *syntax.Tuple) types.Type {
	if len(e.Elems) == 0 {
		return types.Unit
	}
	elems := make([]types.Type, len(e.Elems))
	for i, x := range e.Elems {
		elems[i] = c.infer(x)
	}
	return &types.Tuple{Elems: elems}
}

func (c *checker) recordExpr(e *syntax.Record) types.Type {
	fields := make([]types.Field, 0, len(e.Fields))
	for _, f := range e.Fields {
		t := c.infer(f.Value)
		fields = append(fields, types.Field{Name: f.Name.Name, Type: t})
	}
	sortFields(fields)
	// The parser reports a field that is given twice.
	fields = slices.CompactFunc(fields, func(a, b types.Field) bool { return a.Name == b.Name })
	return &types.Record{Fields: fields}
}

// update infers {p with x = e} or {xs with [i] = e}. The record or array keeps its type.
func (c *checker) update(e *syntax.Update) types.Type {
	subject := c.infer(e.X)
	for _, f := range e.Fields {
		var part types.Type
		w := why{kind: whyField, at: f.Name.At}
		if f.Index != nil {
			c.check(f.Index, types.Int, why{kind: whyIndex})
			part = c.updatedElement(e, f, subject)
			w = why{kind: whyReplaced, at: f.Index.Span()}
		} else {
			part = c.fieldType(&deferral{kind: waitUpdate, node: e.X, whole: f.Value,
				subject: subject, name: f.Name})
		}
		mark := c.names.mark()
		if f.Old != nil {
			c.pattern(f.Old, part, w)
		}
		c.check(f.Value, part, w)
		c.leave(mark)
	}
	return subject
}

// updatedElement returns the type of the elements of the array that an update changes.
func (c *checker) updatedElement(e *syntax.Update, f syntax.FieldInit,
	subject types.Type) types.Type {
	switch t := types.Resolve(subject).(type) {
	case *types.Array:
		return t.Elem
	case *types.Meta:
		if t.Poisoned {
			return t
		}
		elem := c.u.Fresh()
		c.expect(e.X, &types.Array{Size: c.u.FreshSize(), Elem: elem}, t, why{kind: whyIndexed})
		return elem
	}
	c.notUpdatable(e, f, subject)
	return c.bad()
}

// field infers p.x, or a qualified name.
func (c *checker) field(e *syntax.Field) types.Type {
	if m := c.qualifier(e.X); m != nil {
		return c.member(e, m)
	}
	if con, ok := e.X.(*syntax.Con); ok && c.findCon(con.Name) == nil {
		c.unknownModule(syntax.Ident{Name: con.Name, At: con.At})
		return c.bad()
	}
	if v, ok := e.X.(*syntax.Var); ok && c.find(v.Name) == nil && c.unknownQualifier(v, e) {
		return c.bad()
	}
	subject := c.infer(e.X)
	if r, ok := types.Resolve(subject).(*types.Record); ok {
		if i := r.Index(e.Name.Name); i >= 0 {
			return r.Fields[i].Type
		}
	}
	return c.fieldType(&deferral{kind: waitField, node: e.X, whole: e, subject: subject,
		name: e.Name})
}

func (c *checker) lambda(e *syntax.Fun) types.Type {
	mark := c.names.mark()
	params := make([]types.Type, len(e.Params))
	for i, p := range e.Params {
		params[i] = c.patternType(p)
	}
	c.parameters(e.Params, params)
	result := c.infer(e.Body)
	c.leave(mark)
	return types.Funs(result, params...)
}

// section infers (+ 1) or (2 *).
func (c *checker) section(e *syntax.Section) types.Type {
	mark := c.names.mark()
	hole := c.u.Fresh()
	c.pattern(e.Hole, hole, why{kind: whyPattern})
	result := c.infer(e.Body)
	c.leave(mark)
	return &types.Fun{Param: hole, Result: result}
}

func (c *checker) conditional(e *syntax.If) types.Type {
	c.check(e.Cond, types.Bool, why{kind: whyCondition})
	j := joined{c: c, t: c.infer(e.Then), first: e.Then}
	j.add(e.Else, why{kind: whyElse, at: e.Then.Span()})
	return j.t
}

// match infers the arms against want. If want is nil it compares them with one another.
func (c *checker) match(e *syntax.Match, want types.Type, w why) types.Type {
	subject := c.infer(e.X)
	var j joined
	for i, arm := range e.Arms {
		mark := c.names.mark()
		c.pattern(arm.Pat, subject, why{kind: whyArmPattern, at: e.X.Span()})
		if arm.Guard != nil {
			c.check(arm.Guard, types.Bool, why{kind: whyGuard})
		}
		switch {
		case want != nil:
			c.check(arm.Body, want, w)
		case i == 0:
			j = joined{c: c, t: c.infer(arm.Body), first: arm.Body}
		default:
			j.add(arm.Body, why{kind: whyArm, n: i + 1, at: e.Arms[0].Body.Span()})
		}
		c.leave(mark)
	}
	switch {
	case want != nil:
		return want
	case len(e.Arms) == 0:
		return c.bad()
	}
	return j.t
}

// let infers a chain of lets in a loop, because it nests on the right and may be long.
func (c *checker) let(e *syntax.Let, want types.Type, w why) types.Type {
	mark := c.names.mark()
	outer := c.chain
	c.chains++
	c.chain = c.chains
	first := e
	for {
		c.group(e.Bindings, e.Rec, nil)
		next, ok := e.Body.(*syntax.Let)
		if !ok {
			break
		}
		e = next
	}
	c.chain = outer
	var t types.Type
	if want != nil {
		c.check(e.Body, want, w)
		t = want
	} else {
		t = c.infer(e.Body)
	}
	c.leave(mark)
	for l := first; l != e; l = l.Body.(*syntax.Let) {
		c.info.Types[l.ID] = t
	}
	c.info.Types[e.ID] = t
	return t
}
