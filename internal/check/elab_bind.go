package check

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// bind takes a value apart by a pattern that always matches. It appends statements to the current
// block, so that a chain of lets stays flat.
func (e *elaborator) bind(b *core.Builder, p syntax.Pattern, value core.Atom) {
	if p, ok := p.(*syntax.PVar); ok { // the most frequent case by far
		e.env[e.info.Defs[p.ID].(*Local)] = value
		return
	}
	e.bindPat(b, e.info.pattern(p), value, p.Span())
}

func (e *elaborator) bindPat(b *core.Builder, p *pat, value core.Atom, at diag.Span) {
	for _, binder := range p.binds {
		e.binder(b, binder, value)
	}
	for i, arg := range p.args {
		if arg.binding() {
			e.bindPat(b, arg, e.take(b, p.head, value, i, arg.name(), at), at)
		}
	}
}

// binder binds a name to a value, or checks the sizes that an annotation declares.
func (e *elaborator) binder(b *core.Builder, binder binder, value core.Atom) {
	if binder.node == nil {
		e.declare(b, e.info.Signatures[binder.sig], value, binder.at, binder.sig.At)
	} else if local, ok := e.info.Defs[binder.node.ID].(*Local); ok {
		e.env[local] = value
	}
}

// binding reports whether a pattern binds anything.
func (p *pat) binding() bool {
	if len(p.binds) > 0 {
		return true
	}
	for _, arg := range p.args {
		if arg.binding() {
			return true
		}
	}
	return false
}

// name returns a name for the value that a pattern matches.
func (p *pat) name() string {
	for _, binder := range p.binds {
		if binder.node != nil {
			return binder.node.Name
		}
	}
	return "t"
}

// patternName returns a name for the value that a pattern matches.
func patternName(p syntax.Pattern, otherwise string) string {
	for {
		switch q := p.(type) {
		case *syntax.PVar:
			return q.Name
		case *syntax.PParen:
			p = q.X
		case *syntax.PAnnot:
			p = q.X
		case *syntax.PAs:
			return q.Name.Name
		default:
			return otherwise
		}
	}
}

// take returns the i-th part of a value whose head is known. A field of a data value is taken by
// a case with one arm.
func (e *elaborator) take(b *core.Builder, h head, value core.Atom, i int, name string,
	at diag.Span) core.Atom {
	switch h.kind {
	case tupleHead:
		return b.Emit(name, &core.Proj{Of: value, Index: i}, at)
	case recordHead:
		return b.Emit(name, &core.Field{Of: value, Index: i}, at)
	}
	if h.kind == arrayHead {
		array := value.Type().(*types.Array)
		if i == 0 {
			return e.emit(b, want{name: name}, array.Elem,
				&core.Index{Of: value, At: core.IntLit(0)}, at)
		}
		rest := &types.Array{Size: types.AnySize, Elem: array.Elem}
		op := &core.Slice{Of: value, Lo: core.IntLit(1), Hi: e.length(b, value, 0, at)}
		return e.emit(b, want{name: name}, rest, op, at)
	}
	fields := h.con.FieldTypes(value.Type().(*types.Data))
	vars := make([]*core.Var, len(fields))
	for j, t := range fields {
		vars[j] = core.NewVar(name, e.ty(t))
	}
	arm := core.Arm{Con: h.con, Vars: vars, Body: core.Ret(vars[i])}
	return b.Let(name, vars[i].Ty, &core.Case{Of: value, Arms: []core.Arm{arm}}, at)
}

// lambda elaborates a function: all of its parameters at once, then their patterns and declared
// sizes, then its body. The result of the body must have the sizes in declared.
func (e *elaborator) lambda(params []syntax.Pattern, declared *syntax.Signature,
	body syntax.Expr) *core.Lambda {
	vars := make([]*core.Var, len(params))
	for i, p := range params {
		vars[i] = core.NewVar(patternName(p, "p"), e.typeOf(p))
	}
	return &core.Lambda{Params: vars, Body: e.block(func(b *core.Builder) core.Atom {
		for i, p := range params {
			e.bind(b, p, vars[i])
		}
		return e.expr(b, body, want{result: e.resultOf(declared)})
	})}
}

// bound elaborates the right side of a binding: a function if it has
// parameters, or else a value.
func (e *elaborator) bound(b *core.Builder, bind *syntax.Binding) core.Atom {
	w := want{name: bind.Name()}
	if fun := e.boundFunction(bind); fun != nil {
		return e.emit(b, w, core.TypeOf(fun), fun, bind.At)
	}
	if w.name == "" {
		w.name = "t"
	}
	w.result = e.resultOf(bind.Result)
	return e.expr(b, bind.Body, w)
}

// boundFunction elaborates a binding that is syntactically a function. It returns nil for other
// bindings.
func (e *elaborator) boundFunction(bind *syntax.Binding) *core.Lambda {
	if len(bind.Params) > 0 {
		return e.lambda(bind.Params, bind.Result, bind.Body)
	}
	if fun := literalFunction(bind.Body); fun != nil {
		return e.lambda(fun.Params, nil, fun.Body)
	}
	return nil
}

// literalFunction returns the `fun` inside parentheses and annotations, or nil. Annotations of
// functions declare no sizes that are checked.
func literalFunction(x syntax.Expr) *syntax.Fun {
	for {
		switch y := x.(type) {
		case *syntax.Paren:
			x = y.X
		case *syntax.Annot:
			x = y.X
		case *syntax.Fun:
			return y
		default:
			return nil
		}
	}
}

// recursive reports whether the bindings of a let refer to one another. A single value does not
// refer to itself (Check ensures that), so its rec means nothing. A value in a larger group is
// reported, because in a strict language it must be complete before the functions of the group
// are.
func (e *elaborator) recursive(rec bool, bindings []*syntax.Binding) bool {
	if !rec || len(bindings) == 1 && !isFunction(bindings[0]) {
		return false
	}
	for _, bind := range bindings {
		if !isFunction(bind) {
			d := diag.Errorf(diag.ForwardReference, bind.Pat.Span(),
				"only functions can be defined together by `let rec`")
			e.sink.Add(d.WithHint("give `%s` a `let` of its own, without `rec`, before or after "+
				"this one", bind.Name()))
			for _, bind := range bindings { // so that their uses mean something
				if local, ok := e.info.Defs[bind.Pat.Num()].(*Local); ok {
					e.env[local] = core.NewVar(local.Name, e.ty(local.Scheme.Type))
				}
			}
			return false
		}
	}
	return true
}
