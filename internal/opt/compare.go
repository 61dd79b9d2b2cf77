package opt

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Comparisons]
//
// Equality and order at a structured type become definitions made for the type: equal<T> : T -> T
// -> Bool and compare<T> : T -> T -> Int, which is negative, zero or positive. Tuples, records
// (in the order of their fields' names) and the fields of a constructor are compared from the
// left, up to the first difference. Constructors are compared by their place in the declaration,
// and arrays by length and then by their elements. The last component is compared by a tail call,
// so long lists take no stack. If T is an abstract type (one with only private constructors) and
// its module defines _contentT : T a … -> c, then values of T are compared by their contents: two
// trees with the same entries are the same dictionary. No structured type that can be compared
// contains reals, so three results are enough.

// equal emits x == y at type t.
func (e *expander) equal(t types.Type, x, y core.Atom) core.Atom {
	if _, leaf := t.(*types.Basic); leaf {
		return e.emit(prim.Eq, types.Bool, []types.Type{t}, x, y)
	}
	if isUnit(t) {
		return core.BoolLit(true)
	}
	return e.out.Let(e.name, types.Bool, &core.Apply{Fun: e.equalFun(t), Args: []core.Atom{x, y}},
		e.at)
}

// compare emits an Int that says how x compares to y.
func (e *expander) compare(t types.Type, x, y core.Atom) core.Atom {
	if isUnit(t) {
		return core.IntLit(0)
	}
	return e.out.Let(e.name, types.Int, &core.Apply{Fun: e.compareFun(t), Args: []core.Atom{x, y}},
		e.at)
}

func isUnit(t types.Type) bool {
	tuple, ok := t.(*types.Tuple)
	return ok && len(tuple.Elems) == 0
}

func (e *expander) equalFun(t types.Type) core.Atom {
	t = eraseSizes(t)
	return e.function("equal", t, 2, types.Bool, func(e *expander, args []core.Atom) core.Atom {
		return e.equalBody(t, args[0], args[1])
	})
}

func (e *expander) compareFun(t types.Type) core.Atom {
	t = eraseSizes(t)
	return e.function("compare", t, 2, types.Int, func(e *expander, args []core.Atom) core.Atom {
		return e.compareBody(t, args[0], args[1])
	})
}

// tagFun returns the definition that computes a constructor's place.
func (e *expander) tagFun(t *types.Data) core.Atom {
	return e.function("tag", t, 1, types.Int, func(e *expander, args []core.Atom) core.Atom {
		return e.caseOf(args[0], t, types.Int,
			func(_ *expander, con *types.Con, _ []core.Atom) core.Atom {
				return core.IntLit(int64(con.Tag))
			})
	})
}

// function returns the definition with a name for a type, which it makes at the first use. The
// definition is a function of arity arguments of the type.
func (e *expander) function(name string, t types.Type, arity int, result types.Type,
	body func(e *expander, args []core.Atom) core.Atom) core.Atom {
	params, args, ts := make([]*core.Var, arity), make([]core.Atom, arity),
		make([]types.Type, arity)
	for i := range params {
		params[i] = core.NewVar("x", t)
		args[i], ts[i] = params[i], t
	}
	key, ok := e.m.key(name, []types.Type{t}, false)
	if d := e.m.made[key]; d != nil {
		return d.Use()
	}
	d := &core.Def{Name: e.m.unique(key), Type: types.Funs(result, ts...), At: e.at}
	if !ok || e.m.err != nil {
		e.m.tooLarge(d, e.at)
		return d.Use()
	}
	e.m.add(key, d, foremost) // before the body, which may refer to it
	var out core.Builder
	r := body(&expander{m: e.m, out: &out, at: e.at, name: "r"}, args)
	f := &core.Lambda{Params: params, Body: out.Block(r)}
	d.Body = out.Block(out.Let("f", d.Type, f, e.at))
	e.m.size += d.Body.Size()
	return d.Use()
}

func (e *expander) equalBody(t types.Type, x, y core.Atom) core.Atom {
	switch t := t.(type) {
	case *types.Array:
		return e.call("opt.equalArrays", []types.Type{t.Elem}, types.Bool, e.equalFun(t.Elem), x, y)
	case *types.Data:
		if c := e.content(t); c != nil {
			return e.equal(c.result, c.of(e, x), c.of(e, y))
		}
		return e.caseOf(x, t, types.Bool,
			func(e *expander, con *types.Con, xs []core.Atom) core.Atom {
				return e.sameCon(y, t, con, types.Bool,
					func(e *expander, ys []core.Atom) core.Atom {
						return e.equalAll(con.FieldTypes(t), given(xs), given(ys))
					},
					func(*expander) core.Atom { return core.BoolLit(false) })
			})
	}
	ts, part := e.components(t)
	if ts == nil {
		return e.equal(t, x, y)
	}
	return e.equalAll(ts, part(x), part(y))
}

func (e *expander) compareBody(t types.Type, x, y core.Atom) core.Atom {
	switch t := t.(type) {
	case *types.Array:
		return e.call("opt.compareArrays", []types.Type{t.Elem}, types.Int, e.compareFun(t.Elem), x,
			y)
	case *types.Data:
		if c := e.content(t); c != nil {
			return e.compare(c.result, c.of(e, x), c.of(e, y))
		}
		return e.caseOf(x, t, types.Int,
			func(e *expander, con *types.Con, xs []core.Atom) core.Atom {
				return e.sameCon(y, t, con, types.Int,
					func(e *expander, ys []core.Atom) core.Atom {
						return e.compareAll(con.FieldTypes(t), given(xs), given(ys))
					},
					func(e *expander) core.Atom {
						tag := e.out.Let("tag", types.Int,
							&core.Apply{Fun: e.tagFun(t), Args: []core.Atom{y}}, e.at)
						return e.compareLeaf(types.Int, core.IntLit(int64(con.Tag)), tag)
					})
			})
	}
	ts, part := e.components(t)
	if ts == nil {
		return e.compareLeaf(t, x, y)
	}
	return e.compareAll(ts, part(x), part(y))
}

// content says by what values of an abstract type are compared: see Note [Comparisons].
type content struct {
	name   string
	inst   []types.Type
	result types.Type
}

// ContentName returns the name of the definition by which values of a type are compared, if the
// type is abstract and its module has that definition.
func ContentName(d *types.DataDecl) string { return d.Module + "._content" + d.Name }

func (e *expander) content(t *types.Data) *content {
	for _, con := range t.Decl.Cons {
		if con.Name[0] != '_' {
			return nil
		}
	}
	name := ContentName(t.Decl)
	src := e.m.defs[name]
	if src == nil {
		return nil
	}
	fun, ok := src.def.Type.(*types.Fun)
	if !ok {
		return nil
	}
	of, ok := fun.Param.(*types.Data)
	if !ok || of.Decl != t.Decl || len(src.def.Params) != len(of.Args) {
		return nil
	}
	for i, p := range src.def.Params {
		if of.Args[i] != types.Type(p) {
			return nil
		}
	}
	return &content{name, t.Args, types.Subst(fun.Result, src.def.Params, t.Args)}
}

func (c *content) of(e *expander, x core.Atom) core.Atom {
	return e.call(c.name, c.inst, c.result, x)
}

// component emits component i of a value, by the expander of the block that needs it.
type component func(e *expander, i int) core.Atom

func given(atoms []core.Atom) component {
	return func(_ *expander, i int) core.Atom { return atoms[i] }
}

// components returns the types of the components of a tuple or record and a function that takes
// it apart. It returns nil for other types.
func (e *expander) components(t types.Type) (ts []types.Type, part func(core.Atom) component) {
	switch t := t.(type) {
	case *types.Tuple:
		return append([]types.Type{}, t.Elems...), func(a core.Atom) component {
			return func(e *expander, i int) core.Atom {
				return e.project([]core.Atom{a}, i, t.Elems[i])[0]
			}
		}
	case *types.Record:
		ts = []types.Type{}
		for _, f := range t.Fields {
			ts = append(ts, f.Type)
		}
		return ts, func(a core.Atom) component {
			return func(e *expander, i int) core.Atom {
				return e.fields([]core.Atom{a}, i, t.Fields[i].Type)[0]
			}
		}
	}
	return nil, nil
}

// equalAll emits whether all components are equal. The emitted code stops at the first
// difference.
func (e *expander) equalAll(ts []types.Type, x, y component) core.Atom {
	return e.equalFrom(0, ts, x, y)
}

func (e *expander) equalFrom(i int, ts []types.Type, x, y component) core.Atom {
	if i == len(ts) {
		return core.BoolLit(true)
	}
	same := e.equal(ts[i], x(e, i), y(e, i))
	if i == len(ts)-1 {
		return same
	}
	return e.ifThen(same, types.Bool,
		func(e *expander) core.Atom { return e.equalFrom(i+1, ts, x, y) },
		func(*expander) core.Atom { return core.BoolLit(false) })
}

// compareAll emits the comparison of the first components that differ.
func (e *expander) compareAll(ts []types.Type, x, y component) core.Atom {
	return e.compareFrom(0, ts, x, y)
}

func (e *expander) compareFrom(i int, ts []types.Type, x, y component) core.Atom {
	if i == len(ts) {
		return core.IntLit(0)
	}
	c := e.compare(ts[i], x(e, i), y(e, i))
	if i == len(ts)-1 {
		return c
	}
	same := e.emit(prim.Eq, types.Bool, []types.Type{types.Int}, c, core.IntLit(0))
	return e.ifThen(same, types.Int,
		func(e *expander) core.Atom { return e.compareFrom(i+1, ts, x, y) },
		func(*expander) core.Atom { return c })
}

// compareLeaf compares two values of a basic type.
func (e *expander) compareLeaf(t types.Type, x, y core.Atom) core.Atom {
	less := e.emit(prim.Lt, types.Bool, []types.Type{t}, x, y)
	return e.ifThen(less, types.Int,
		func(*expander) core.Atom { return core.IntLit(-1) },
		func(e *expander) core.Atom {
			same := e.emit(prim.Eq, types.Bool, []types.Type{t}, x, y)
			return e.ifThen(same, types.Int,
				func(*expander) core.Atom { return core.IntLit(0) },
				func(*expander) core.Atom { return core.IntLit(1) })
		})
}

func (e *expander) ifThen(cond core.Atom, ty types.Type, then,
	otherwise func(e *expander) core.Atom) core.Atom {
	op := &core.If{Cond: cond, Then: e.block(then), Else: e.block(otherwise)}
	return e.out.Let(e.name, ty, op, e.at)
}

// block returns a block with the code that f emits.
func (e *expander) block(f func(e *expander) core.Atom) *core.Block {
	var out core.Builder
	result := f(e.inner(&out))
	return out.Block(result)
}

// caseOf emits a case with an arm for every constructor.
func (e *expander) caseOf(x core.Atom, t *types.Data, result types.Type,
	arm func(e *expander, con *types.Con, fields []core.Atom) core.Atom) core.Atom {
	op := &core.Case{Of: x}
	for _, con := range t.Decl.Cons {
		vars, fields := armVars(con, t)
		body := e.block(func(e *expander) core.Atom { return arm(e, con, fields) })
		op.Arms = append(op.Arms, core.Arm{Con: con, Vars: vars, Body: body})
	}
	return e.out.Let(e.name, result, op, e.at)
}

// sameCon emits a case that distinguishes one constructor from all others.
func (e *expander) sameCon(y core.Atom, t *types.Data, con *types.Con, result types.Type,
	same func(e *expander, fields []core.Atom) core.Atom,
	other func(e *expander) core.Atom) core.Atom {
	vars, fields := armVars(con, t)
	body := e.block(func(e *expander) core.Atom { return same(e, fields) })
	op := &core.Case{Of: y, Arms: []core.Arm{{Con: con, Vars: vars, Body: body}}}
	if len(t.Decl.Cons) > 1 {
		op.Default = e.block(other)
	}
	return e.out.Let(e.name, result, op, e.at)
}

func armVars(con *types.Con, t *types.Data) (vars []*core.Var, atoms []core.Atom) {
	for _, field := range con.FieldTypes(t) {
		v := core.NewVar("x", field)
		vars, atoms = append(vars, v), append(atoms, v)
	}
	return vars, atoms
}
