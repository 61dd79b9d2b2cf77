package delta

import (
	"context"
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Derivatives inside programs]
//
// R{e} is a program of the language that e is in, and so R{R{e}} is one more
// translation. A program that takes derivatives itself, as in
//
//	let newton (g : Real -> Real) (x : Real) : Real = x - g x / deriv g x
//
// has R{g} in it, where g is a function that is known only when the program
// runs: R{g} cannot be written into the program. What can be is 𝒟{g}, which is
// made where g is made, if every function of the program is translated. But
// a program does not say how many derivatives there will be around a function,
// so no type 𝒟{𝒟{…ℝ…}} fits. Therefore 𝒟{ℝ} is one data type here,
//
//	data Num = Plain Real | Dual Int Num DeltaN
//
// a dual number of dual numbers of …, as R{R{e}} has them, with numbers (levels)
// to tell the derivatives apart. A level is the number of derivatives around
// the code that a derivative runs; each has its own DeltaBinds, and the state of
// the monad is the stack of them. A primitive acts on the highest level of its
// arguments as Figs. 9 and 14 say, and what they write as arithmetic on ℝ is
// arithmetic on Num, one level down:
//
//	𝒟{×} x y = if both are Plain then Plain (x × y) else
//	           with l their highest level, x′ = below l x, u₁ = deltaAt l x, …
//	           do {z ← 𝒟{×} x′ y′; u ← letAt l (Add (Scale y′ u₁) (Scale x′ u₂));
//	               pure (Dual l z (Var u))}
//
// The backward pass of an inner derivative is `backward` of delta.flx, which
// is Fig. 10's eval, itself translated: 𝒟{R{g}}.
//
// The result, expand e, is a program without derivative forms, whose numbers
// are Plain outside: an e for any of the four translations.

// levels is the translation of Note [Derivatives inside programs].
type levels struct {
	*monad
	ops []polymorphic // that were made
}

// polymorphic is a primitive or a derivative at a type.
type polymorphic struct {
	name string
	at   types.Type
	def  *core.Def
}

func newLevels(p *core.Program) *levels {
	t := &levels{monad: newMonad(p, newModules())}
	num := data("Num")
	t.number, t.effect, t.prefix = num, data("Levels"), "expand"
	t.datas[data("Delta").Decl] = data("DeltaN").Decl
	t.datas[data("DeltaBinds").Decl] = data("BindsN").Decl
	t.constant = func(x core.Atom) core.Atom { return construct(t.out, num, "Plain", x) }
	t.value = func(x core.Atom) core.Atom { return call(t.out, "x", lib("valueOf").Use(), x) }
	t.lift, t.derive = t.primitive, t.derivative
	return t
}

// derivatives are the primitives that expand is about.
var derivatives = []string{"reverse", "forward", "jacobian"}

// expanding is a strategy that expands the problem first, if it has derivatives
// in it.
func expanding(solve func(context.Context, *papers.Problem) (*papers.Answer, *diag.Diagnostic)) func(context.Context, *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	return func(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
		if firstOrder(p.Fun) != nil || papers.Beyond(p, "") == nil || papers.Beyond(p, "", derivatives...) != nil {
			return solve(ctx, p)
		}
		// The function alone is that before: its operations, and its errors.
		_, primal, d := (&run{Problem: p, ctx: ctx}).at(p.Program, p.Fun)
		if d != nil {
			return nil, d
		}
		q, d := expand(p)
		if d != nil {
			return nil, d
		}
		answer, d := solve(ctx, q)
		if d != nil {
			return nil, d
		}
		answer.Ops.Primal = primal
		return answer, nil
	}
}

// expand is the problem without derivative forms.
func expand(p *papers.Problem) (*papers.Problem, *diag.Diagnostic) {
	from, to := signature(p.Fun)
	t := newLevels(p.Program)
	f := t.def(p.Fun)
	s := core.NewVar(argument(p.Fun), from)
	var b core.Builder
	s0, _ := t.apply(&b, t.initZeros(), from, []core.Atom{s}, nil, nil)
	r := call(&b, "r", f.Use(), s0, construct(&b, data("Levels"), "Outside"))
	y := t.primal(&b, to, proj(&b, "y", r, 0))
	def := t.add("plain{"+p.Fun.Name+"}", &core.Lambda{Params: []*core.Var{s}, Body: b.Block(y)}, p.Fun.At)
	if t.err != nil {
		return nil, t.err
	}
	program, d := opt.Mono(t.program(p.Program), opt.Options{Roots: []string{def.Name}})
	if d != nil {
		return nil, d
	}
	q := *p
	q.Program = program
	for _, made := range program.Defs {
		if made.Name == def.Name {
			q.Fun = made
		}
	}
	return &q, nil
}

// ---- primitives

// primitive applies a primitive that gives reals.
func (t *levels) primitive(name string, p *core.Prim, args []core.Atom, at diag.Span) core.Atom {
	return t.run(name, t.primitiveDef(p, at).Use(), args...)
}

// primitiveDef is 𝒟 of a primitive at its type, a function that takes its
// arguments and the state.
func (t *levels) primitiveDef(p *core.Prim, at diag.Span) *core.Def {
	params, result := signatureOf(p)
	return t.once(p.Prim.Name, types.Funs(result, params...), func(self *core.Def, args []core.Atom) core.Atom {
		if p.Prim.Pullback != "" {
			return t.arrayPrimitive(p.Prim, self, args[0], result, at)
		}
		return t.scalarPrimitive(p, self, args, params, at)
	})
}

// once makes the definition of something of type ty, a first-order function: of
// the translated arguments and the state, with what body emits for its result.
func (t *levels) once(name string, ty types.Type, body func(self *core.Def, args []core.Atom) core.Atom) *core.Def {
	for _, op := range t.ops {
		if op.name == name && types.Equal(op.at, ty) {
			return op.def
		}
	}
	tys, result := types.Splay(ty, 3)
	s := core.NewVar("s", t.effect)
	var params []*core.Var
	var args []core.Atom
	for i, ty := range tys {
		x := core.NewVar(fmt.Sprintf("x%d", i+1), t.ty(ty))
		params, args = append(params, x), append(args, x)
	}
	params = append(params, s)
	def := &core.Def{Name: t.name(fmt.Sprintf("%s{%s : %s}", t.prefix, name, types.Show(ty)))}
	paramTypes := make([]types.Type, len(params))
	for i, p := range params {
		paramTypes[i] = p.Ty
	}
	def.Type = types.Funs(tuple(t.ty(result), t.effect), paramTypes...)
	t.ops = append(t.ops, polymorphic{name, ty, def})
	t.defs = append(t.defs, def)
	def.Body = t.nested(func() core.Atom {
		block := t.partOf(s, func() core.Atom { return body(def, args) }).threaded()
		return t.out.Emit("f", &core.Lambda{Params: params, Body: block}, diag.Span{})
	})
	return def
}

// split runs one of two computations: outside of all levels, or not.
func (t *levels) split(level core.Atom, outside, inside func() core.Atom) core.Atom {
	plain := t.int("plain", "==", level, core.IntLit(0))
	blocks, lets := t.branches(t.partOf(t.state, outside), t.partOf(t.state, inside))
	return t.joined("r", &core.If{Cond: plain, Then: blocks[0], Else: blocks[1]}, lets, diag.Span{})
}

func (t *levels) scalarPrimitive(p *core.Prim, self *core.Def, args []core.Atom, params []types.Type, at diag.Span) core.Atom {
	var level core.Atom = core.IntLit(0)
	each := func(f func(i int, a core.Atom) core.Atom) []core.Atom {
		out := make([]core.Atom, len(args))
		for i, a := range args {
			out[i] = a
			if params[i] == types.Type(types.Real) {
				out[i] = f(i, a)
			}
		}
		return out
	}
	each(func(i int, a core.Atom) core.Atom {
		l := call(t.out, "l", lib("levelOf").Use(), a)
		if _, first := level.(*core.Lit); first {
			level = l
		} else {
			level = call(t.out, "l", lib("higher").Use(), level, l)
		}
		return a
	})
	return t.split(level, func() core.Atom {
		plain := each(func(_ int, a core.Atom) core.Atom { return t.value(a) })
		return t.constant(t.out.Let("r", types.Real, &core.Prim{Prim: p.Prim, Inst: p.Inst, Args: plain}, at))
	}, func() core.Atom {
		under := each(func(_ int, a core.Atom) core.Atom { return call(t.out, "x", lib("below").Use(), level, a) })
		r := t.run("r", self.Use(), under...)
		var terms []term
		each(func(i int, a core.Atom) core.Atom {
			rule := diff.Partial(p.Prim, i)
			if rule == nil {
				t.refuse(at, "the primitive %s has no partial derivative", p.Prim.Name)
				return a
			}
			if isReal(rule.Body.Result, 0) {
				return a
			}
			partial := core.Atom(rule.Body.Result)
			if !isReal(partial, 1) {
				partial = t.rule(fmt.Sprintf("∂%d{%s}", i+1, p.Prim.Name), rule, append(under[:len(under):len(under)], r)...)
			}
			terms = append(terms, term{partial, call(t.out, "u", lib("deltaAt").Use(), level, a)})
			return a
		})
		if len(terms) == 0 {
			return r
		}
		return t.dualNumber(level, r, t.sum(t.scale, t.plus)(terms))
	})
}

func (t *levels) scale(c, u core.Atom) core.Atom {
	return construct(t.out, data("DeltaN"), "ScaleN", c, u)
}

func (t *levels) plus(u, v core.Atom) core.Atom {
	return construct(t.out, data("DeltaN"), "AddN", u, v)
}

// dualNumber gives a delta a number at a level.
func (t *levels) dualNumber(level, x, u core.Atom) core.Atom {
	id := t.run("id", lib("letAt").Use(), level, u)
	return construct(t.out, data("Num"), "Dual", level, x, construct(t.out, data("DeltaN"), "VarN", id))
}

// rule applies a rule of the table, translated.
func (t *levels) rule(name string, rule *core.Lambda, args ...core.Atom) core.Atom {
	return t.call("c", t.sourceOnce(name, func() *core.Lambda { return rule }).Use(), args, diag.Span{})
}

// sourceOnce is the translation of a definition that is not of the program.
func (t *levels) sourceOnce(name string, fun func() *core.Lambda) *core.Def {
	if t.source[name] == nil {
		t.source[name] = core.FunDef(name, nil, fun(), diag.Span{})
	}
	return t.global(t.source[name])
}

func (t *levels) arrayPrimitive(row *prim.Prim, self *core.Def, xs core.Atom, result types.Type, at diag.Span) core.Atom {
	level := call(t.out, "l", lib("highest").Use(), xs)
	one := result == types.Type(types.Real)
	return t.split(level, func() core.Atom {
		r := t.out.Emit("r", &core.Prim{Prim: row, Args: []core.Atom{call(t.out, "xs", lib("values").Use(), xs)}}, at)
		if one {
			return t.constant(r)
		}
		return call(t.out, "ys", lib("plains").Use(), r)
	}, func() core.Atom {
		under := call(t.out, "xs", lib("allBelow").Use(), level, xs)
		r := t.run("r", self.Use(), under)
		pulled := func(y, cotangent core.Atom) core.Atom {
			cs := t.rule("pullback{"+row.Name+"}", diff.RowPullback(row), under, r, cotangent)
			return t.dualNumber(level, y, call(t.out, "u", lib("innerAt").Use(), level, cs, xs))
		}
		if one {
			return pulled(r, t.constant(realLit(1)))
		}
		m := t.out.Emit("m", length(r), at)
		return t.buildArray("ys", m, func(i core.Atom) core.Atom {
			unit := call(t.out, "unit", lib("plains").Use(), call(t.out, "unit", lib("onehot").Use(), m, i))
			return pulled(t.out.Emit("y", &core.Index{Of: r, At: i}, at), unit)
		})
	})
}
