package check

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// arg is an argument: an expression, or the value of an expression that was evaluated before the
// function.
type arg struct {
	expr  syntax.Expr
	value core.Atom
}

func (e *elaborator) arg(b *core.Builder, a arg) core.Atom {
	if a.value != nil {
		return a.value
	}
	return e.expr(b, a.expr, want{})
}

func (e *elaborator) args(b *core.Builder, as []arg) []core.Atom {
	atoms := make([]core.Atom, len(as))
	for i, a := range as {
		atoms[i] = e.arg(b, a)
	}
	return atoms
}

func argsOf(xs []syntax.Expr) []arg {
	as := make([]arg, len(xs))
	for i, x := range xs {
		as[i] = arg{expr: x}
	}
	return as
}

// application elaborates f a b … with all arguments at once.
func (e *elaborator) application(b *core.Builder, x *syntax.Apply, w want) core.Atom {
	if use := e.use(unparen(x.Fun)); use != nil {
		if p, ok := use.Object.(*Primitive); ok && p.Prim.ID == prim.File {
			value := e.file(x)
			e.checkResult(b, w.result, value, x.At)
			return value
		}
	}
	return e.apply(b, x.Fun, argsOf(x.Args), e.typeOf(x), x.At, w)
}

// apply elaborates a function applied to arguments, with a result of type ty.
func (e *elaborator) apply(b *core.Builder, fun syntax.Expr, args []arg, ty types.Type,
	at diag.Span, w want) core.Atom {
	fun = unparen(fun)
	use := e.use(fun)
	var value core.Atom
	if c := e.callable(use); c != nil {
		value = e.applyKnown(b, c, args, ty, at, w)
	} else {
		f := e.expr(b, fun, want{})
		atoms := e.args(b, args)
		if use != nil && e.checkCall(b, w.result, use.Object, atoms, at) {
			w.result = nil // it is known to hold, so the call stays in tail position
		}
		value = e.emit(b, w, ty, &core.Apply{Fun: f, Args: atoms}, at)
	}
	e.checkResult(b, w.result, value, at)
	return value
}

// use returns what a name, constructor or operator refers to, or nil for any other
// expression.
func (e *elaborator) use(x syntax.Expr) *Use {
	switch x.(type) {
	case *syntax.Var, *syntax.Con, *syntax.OpFun, *syntax.Field:
		return e.info.Uses[x.Num()]
	}
	return nil
}

// name elaborates a name that stands by itself.
func (e *elaborator) name(b *core.Builder, x syntax.Expr, w want) core.Atom {
	use := e.info.Uses[x.Num()]
	if use == nil {
		bug(x.Span(), "a name that refers to nothing")
	}
	switch obj := use.Object.(type) {
	case *Local:
		if obj.Size != nil {
			return e.sizeValue(b, obj.Size, x.Span())
		}
		return e.local(obj, use.Inst, x.Span())
	case *Global:
		return &core.Global{Name: obj.QName, Inst: e.inst(obj.Scheme, use.Inst), Ty: e.typeOf(x)}
	}
	return e.applyKnown(b, e.callable(use), nil, e.typeOf(x), x.Span(), w)
}

// inst returns an instance in the form that core has. Inside its own recursive group a name
// stands for itself at the parameters of the group.
func (e *elaborator) inst(s *types.Scheme, at []types.Type) []types.Type {
	if len(at) == len(s.Params) {
		return e.tys(at)
	}
	return e.parameters(s)
}

// local returns the value of a variable.
func (e *elaborator) local(l *Local, inst []types.Type, at diag.Span) core.Atom {
	if f := e.families[l]; f != nil {
		return e.instance(f, e.inst(l.Scheme, inst), at)
	}
	value, ok := e.env[l]
	if !ok {
		bug(at, "`%s` has no value", l.Name)
	}
	return value
}

// ---- what takes a fixed number of arguments

// callable is a primitive or constructor at an instance. Core always applies it to all of its
// arguments.
type callable struct {
	ty    types.Type // its curried function type
	arity int
	build func(b *core.Builder, args []arg, at diag.Span) core.Op
}

// callable returns a use as a callable if core can only apply it in full, and otherwise nil.
func (e *elaborator) callable(use *Use) *callable {
	if use == nil {
		return nil
	}
	inst := e.tys(use.Inst)
	switch obj := use.Object.(type) {
	case *Primitive:
		p := obj.Prim
		c := &callable{ty: e.ty(types.Subst(p.Scheme.Type, p.Scheme.Params, inst)),
			arity: p.Arity()}
		c.build = func(b *core.Builder, args []arg, at diag.Span) core.Op {
			return e.primitive(b, p, inst, args, at)
		}
		return c
	case *Constructor:
		data := &types.Data{Decl: obj.Con.Data, Args: inst}
		fields := e.tys(obj.Con.FieldTypes(data))
		build := func(b *core.Builder, args []arg, _ diag.Span) core.Op {
			return &core.Construct{Con: obj.Con, Ty: data, Args: e.args(b, args)}
		}
		return &callable{types.Funs(data, fields...), len(fields), build}
	}
	return nil
}

// applyKnown applies a primitive or constructor to any number of arguments. With too few, the
// result is a function of the missing ones. With too many, the result of the full application is
// applied to the rest.
func (e *elaborator) applyKnown(b *core.Builder, c *callable, args []arg, ty types.Type,
	at diag.Span, w want) core.Atom {
	switch {
	case len(args) == c.arity:
		return e.emit(b, w, ty, c.build(b, args, at), at)
	case len(args) > c.arity:
		_, result := types.Splay(c.ty, c.arity)
		fun := e.emit(b, want{}, result, c.build(b, args[:c.arity], at), at)
		return e.emit(b, w, ty, &core.Apply{Fun: fun, Args: e.args(b, args[c.arity:])}, at)
	}
	all := make([]arg, c.arity)
	for i, value := range e.args(b, args) {
		all[i].value = value
	}
	missing, _ := types.Splay(c.ty, c.arity)
	var params []*core.Var
	for i := len(args); i < c.arity; i++ {
		v := core.NewVar("x", missing[i])
		params = append(params, v)
		all[i].value = v
	}
	_, result := types.Splay(c.ty, c.arity)
	body := e.block(func(b *core.Builder) core.Atom {
		return e.emit(b, want{}, result, c.build(b, all, at), at)
	})
	return e.emit(b, w, ty, &core.Lambda{Params: params, Body: body}, at)
}

// primitive applies a row to all of its arguments. An argument that is a lambda expression
// becomes a block of the operation.
func (e *elaborator) primitive(b *core.Builder, p *prim.Prim, inst []types.Type, args []arg,
	at diag.Span) core.Op {
	if p.ID == prim.Debug {
		// The value passes through a pair, because core has no operation without an effect on
		// values.
		atoms := e.args(b, args)
		b.Let("t", types.Unit, &core.Prim{Prim: prim.Inspect.Row(), Inst: inst, Args: atoms}, at)
		pair := b.Emit("t", &core.Tuple{Elems: []core.Atom{atoms[1], core.UnitLit()}}, at)
		return &core.Proj{Of: pair, Index: 0}
	}
	if p.Kind != prim.Operation {
		return &core.Prim{Prim: p, Inst: inst, Args: e.args(b, args)}
	}
	op := &core.Prim{Prim: p, Inst: inst, Args: make([]core.Atom, len(args))}
	var body *core.Lambda
	for i, a := range args {
		if fun := combining(a); fun != nil {
			body = e.lambda(fun.Params, nil, fun.Body)
		} else {
			op.Args[i] = e.arg(b, a)
		}
	}
	return op.Operation(body, at)
}

// combining returns an argument that is a lambda expression of two parameters, or nil.
func combining(a arg) *syntax.Fun {
	if a.value != nil {
		return nil
	}
	if fun := literalFunction(a.expr); fun != nil && len(fun.Params) == 2 {
		return fun
	}
	return nil
}

// ---- operators

// binary elaborates a chain of operators in a loop, from its leftmost operand on, because a chain
// can be as long as the file.
func (e *elaborator) binary(b *core.Builder, x *syntax.Binary, w want) core.Atom {
	var chain []*syntax.Binary
	var first syntax.Expr = x
	for {
		next, ok := first.(*syntax.Binary)
		if !ok {
			break
		}
		chain = append(chain, next)
		first = next.L
	}
	value := e.expr(b, first, want{})
	for i := len(chain) - 1; i >= 0; i-- {
		own := want{}
		if i == 0 {
			own = w
		}
		value = e.operator(b, chain[i], value, own)
	}
	return value
}

// operator applies one operator to the value of its left operand and to its right operand.
func (e *elaborator) operator(b *core.Builder, x *syntax.Binary, left core.Atom, w want) core.Atom {
	switch x.Op {
	case syntax.OpPipe:
		// x |> f a is f a x, but x is evaluated first, in the order of the text.
		fun, args := unparen(x.R), []arg{}
		if inner, ok := fun.(*syntax.Apply); ok {
			fun, args = inner.Fun, argsOf(inner.Args)
		}
		return e.apply(b, fun, append(args, arg{value: left}), e.typeOf(x), x.At, w)
	case syntax.OpAnd:
		return e.emit(b, w, types.Bool, &core.If{Cond: left, Then: e.branch(x.R, want{}),
			Else: core.Ret(core.BoolLit(false))}, x.At)
	case syntax.OpOr:
		return e.emit(b, w, types.Bool, &core.If{Cond: left, Then: core.Ret(core.BoolLit(true)),
			Else: e.branch(x.R, want{})}, x.At)
	}
	right := e.expr(b, x.R, want{})
	return e.emit(b, w, e.typeOf(x), e.primOf(x, left, right), x.At)
}

func (e *elaborator) neg(b *core.Builder, x *syntax.Neg, w want) core.Atom {
	// A negative number is a literal, so that the least Int can be written. The
	// negative of zero is not: as a double it differs from zero.
	if n, ok := unparen(x.X).(*syntax.Number); ok {
		if value, ok := ratLiteral(n.Text); ok && value.Sign() != 0 {
			return e.number(n.Text, true, e.typeOf(x), x.At)
		}
	}
	of := e.expr(b, x.X, want{})
	return e.emit(b, w, e.typeOf(x), e.primOf(x, of), x.At)
}

func (e *elaborator) primOf(x syntax.Node, args ...core.Atom) core.Op {
	use := e.info.Uses[x.Num()]
	if use == nil {
		bug(x.Span(), "an operator that refers to nothing")
	}
	return &core.Prim{Prim: use.Object.(*Primitive).Prim, Inst: e.tys(use.Inst), Args: args}
}

// operatorFunction returns (&&), (||) or (|>) as a function. These operators are syntax and not
// primitives.
func (e *elaborator) operatorFunction(x *syntax.OpFun) *core.Lambda {
	params, result := types.Splay(e.typeOf(x), 2)
	l, r := core.NewVar("x", params[0]), core.NewVar("y", params[1])
	var op core.Op
	switch x.Op {
	case syntax.OpAnd:
		op = &core.If{Cond: l, Then: core.Ret(r), Else: core.Ret(core.BoolLit(false))}
	case syntax.OpOr:
		op = &core.If{Cond: l, Then: core.Ret(core.BoolLit(true)), Else: core.Ret(r)}
	case syntax.OpPipe:
		op = &core.Apply{Fun: r, Args: []core.Atom{l}}
	default:
		bug(x.At, "operator %s refers to nothing", x.Op)
	}
	var b core.Builder
	value := b.Let("t", result, op, x.At)
	return &core.Lambda{Params: []*core.Var{l, r}, Body: b.Block(value)}
}
