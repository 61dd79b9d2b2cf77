package delta

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// The polytypic operations of Delta Figs. 1 and 15, each made for the types at which it is used.
// All walk one or two structures of the same shape, A or 𝒟{A}, from left to right, and act on the
// reals; everything else is passed through. Data types, which may be recursive, get a definition
// each.

// poly is a polytypic operation without its type.
type poly struct {
	name    string
	in      []form     // the structures that are walked
	out     form       // what is made of them, or nothing
	env     types.Type // what is passed down, or nil
	counter types.Type // what is passed on from left to right, or nil
	leaf    func(b *core.Builder, in []core.Atom, env, counter core.Atom) (out, next core.Atom)
}

// form says what a type A stands for.
type form int

const (
	nothing  form = iota
	itself        // A
	dualised      // 𝒟{A}
)

// polyDef is an operation at a data type.
type polyDef struct {
	op *poly
	at types.Type
	as *core.Def
}

func (t *dual) form(f form, a types.Type) types.Type {
	if f == dualised {
		return t.ty(a)
	}
	return a
}

// apply emits the operation at a type.
func (t *dual) apply(b *core.Builder, op *poly, a types.Type, in []core.Atom, env,
	counter core.Atom) (out, next core.Atom) {
	a = types.Resolve(a)
	if !types.HasReals(a) {
		return in[0], counter
	}
	switch a := a.(type) {
	case *types.Basic:
		return op.leaf(b, in, env, counter)
	case *types.Tuple:
		elems := make([]core.Atom, len(a.Elems))
		for i, part := range a.Elems {
			parts := make([]core.Atom, len(in))
			for k, x := range in {
				parts[k] = proj(b, "c", x, i)
			}
			elems[i], counter = t.apply(b, op, part, parts, env, counter)
		}
		if op.out != nothing {
			out = b.Emit("t", &core.Tuple{Elems: elems}, diag.Span{})
		}
		return out, counter
	case *types.Record:
		elems := make([]core.Atom, len(a.Fields))
		for i, f := range a.Fields {
			parts := make([]core.Atom, len(in))
			for k, x := range in {
				parts[k] = b.Emit(f.Name, &core.Field{Of: x, Index: i}, diag.Span{})
			}
			elems[i], counter = t.apply(b, op, f.Type, parts, env, counter)
		}
		if op.out != nothing {
			ty := t.form(op.out, a).(*types.Record)
			out = b.Emit("r", &core.Record{Ty: ty, Elems: elems}, diag.Span{})
		}
		return out, counter
	case *types.Array:
		return t.applyArray(b, op, a, in, env, counter)
	case *types.Data:
		args := append([]core.Atom{}, in...)
		if op.env != nil {
			args = append(args, env)
		}
		if op.counter != nil {
			args = append(args, counter)
		}
		r := call(b, "r", t.polyDef(op, a).Use(), args...)
		switch {
		case op.counter == nil:
			return r, nil
		case op.out == nothing:
			return nil, r
		}
		return proj(b, "r", r, 0), proj(b, "n", r, 1)
	}
	panic("delta: a function in a first-order type")
}

// result returns the operation's results as one value.
func (op *poly) result(b *core.Builder, out, next core.Atom) core.Atom {
	switch {
	case op.counter == nil:
		return out
	case op.out == nothing:
		return next
	}
	return pair(b, "p", out, next)
}

func (t *dual) applyArray(b *core.Builder, op *poly, a *types.Array, in []core.Atom, env,
	counter core.Atom) (out, next core.Atom) {
	params := make([]*core.Var, len(in))
	elems := make([]core.Atom, len(in))
	for k := range in {
		params[k] = core.NewVar("x", t.form(op.in[k], a.Elem))
		elems[k] = params[k]
	}
	var body core.Builder
	if op.counter == nil {
		x, _ := t.apply(&body, op, a.Elem, elems, env, nil)
		return b.Emit("xs", &core.Map{Params: params, Arrays: in, Body: body.Block(x)},
			diag.Span{}), nil
	}
	n := core.NewVar("n", op.counter)
	if op.out == nothing {
		i := core.NewVar("i", types.Int)
		for k := range in {
			elems[k] = body.Emit("x", &core.Index{Of: in[k], At: i}, diag.Span{})
		}
		_, after := t.apply(&body, op, a.Elem, elems, env, n)
		size := b.Emit("size", length(in[0]), diag.Span{})
		head := &core.Range{Index: i, Bound: size}
		return nil, b.Emit("n", &core.Loop{State: n, Init: counter, Head: head,
			Body: body.Block(after)}, diag.Span{})
	}
	// The counter goes from element to element as a state does (§10.2).
	x, after := t.apply(&body, op, a.Elem, elems, env, n)
	run := &core.Lambda{Params: []*core.Var{n}, Body: body.Block(pair(&body, "p", x, after))}
	var each core.Builder
	ms := b.Emit("ms", &core.Map{Params: params, Arrays: in,
		Body: each.Block(each.Emit("m", run, diag.Span{}))}, diag.Span{})
	p := sequence(b, t.form(op.out, a.Elem), op.counter, ms, counter)
	return proj(b, "xs", p, 0), proj(b, "n", p, 1)
}

// polyDef returns the definition of an operation at a data type.
func (t *dual) polyDef(op *poly, a *types.Data) *core.Def {
	for _, d := range t.instances {
		if d.op == op && types.Equal(d.at, a) {
			return d.as
		}
	}
	params := make([]*core.Var, 0, len(op.in)+2)
	in := make([]core.Atom, len(op.in))
	for k := range op.in {
		x := core.NewVar("x", t.form(op.in[k], a))
		params, in[k] = append(params, x), x
	}
	var env, counter core.Atom
	if op.env != nil {
		x := core.NewVar("m", op.env)
		params, env = append(params, x), x
	}
	if op.counter != nil {
		x := core.NewVar("n", op.counter)
		params, counter = append(params, x), x
	}
	var result types.Type
	switch {
	case op.counter == nil:
		result = t.form(op.out, a)
	case op.out == nothing:
		result = op.counter
	default:
		result = tuple(t.form(op.out, a), op.counter)
	}
	tys := make([]types.Type, len(params))
	for i, p := range params {
		tys[i] = p.Ty
	}
	def := &core.Def{Name: t.name(op.name + "{" + types.Show(a) + "}"),
		Type: types.Funs(result, tys...)}
	t.instances = append(t.instances, &polyDef{op, a, def})
	t.defs = append(t.defs, def)

	var body, outer core.Builder
	r := body.Let("r", result, t.polyCase(op, a, nil, in, nil, env, counter, result), diag.Span{})
	f := outer.Emit("f", &core.Lambda{Params: params, Body: body.Block(r)}, diag.Span{})
	def.Body = outer.Block(f)
	t.source[def.Name] = def // it may be translated in turn
	return def
}

// polyCase takes the structures apart, one after the other. After the first one the constructor
// is known.
func (t *dual) polyCase(op *poly, a *types.Data, con *types.Con, in []core.Atom,
	fields [][]core.Atom, env, counter core.Atom, result types.Type) *core.Case {
	k := len(fields)
	data := types.Resolve(in[k].Type()).(*types.Data)
	split := &core.Case{Of: in[k]}
	for _, c := range data.Decl.Cons {
		if con != nil && c.Tag != con.Tag {
			continue
		}
		tys := c.FieldTypes(data)
		vars, atoms := make([]*core.Var, len(tys)), make([]core.Atom, len(tys))
		for i, ty := range tys {
			vars[i] = core.NewVar("x", ty)
			atoms[i] = vars[i]
		}
		arm := core.Arm{Con: c, Vars: vars}
		var b core.Builder
		all := append(fields[:k:k], atoms)
		if k+1 < len(in) {
			arm.Body = b.Block(b.Let("r", result, t.polyCase(op, a, c, in, all, env, counter,
				result), diag.Span{}))
		} else {
			arm.Body = t.polyArm(&b, op, a, c.Tag, all, env, counter)
		}
		split.Arms = append(split.Arms, arm)
	}
	if len(split.Arms) < len(data.Decl.Cons) {
		var b core.Builder
		fail := &core.Prim{Prim: prim.Fail.Row(), Inst: []types.Type{result},
			Args: []core.Atom{core.StringLit("the shapes differ")}}
		split.Default = b.Block(b.Let("never", result, fail, diag.Span{}))
	}
	return split
}

func (t *dual) polyArm(b *core.Builder, op *poly, a *types.Data, tag int, fields [][]core.Atom, env,
	counter core.Atom) *core.Block {
	con := a.Decl.Cons[tag]
	outs := make([]core.Atom, len(con.Fields))
	for i, ty := range con.FieldTypes(a) {
		parts := make([]core.Atom, len(fields))
		for k := range fields {
			parts[k] = fields[k][i]
		}
		outs[i], counter = t.apply(b, op, ty, parts, env, counter)
	}
	var out core.Atom
	if op.out != nothing {
		ty := t.form(op.out, a).(*types.Data)
		out = b.Emit("r", &core.Construct{Con: ty.Decl.Cons[tag], Ty: ty, Args: outs}, diag.Span{})
	}
	return b.Block(op.result(b, out, counter))
}

// sequence emits code that runs an array of computations (§10.2).
func sequence(b *core.Builder, elem, state types.Type, ms, s core.Atom) core.Atom {
	def := lib("sequence")
	inst := make([]types.Type, len(def.Params))
	for i, p := range def.Params {
		if p.Name == "a" {
			inst[i] = elem
		} else {
			inst[i] = state
		}
	}
	return call(b, "p", def.Use(inst...), ms, s)
}
