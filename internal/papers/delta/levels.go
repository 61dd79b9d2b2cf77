package delta

import (
	"context"
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
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
//	           do {z ← 𝒟{×} x′ y′;
//	               u ← letAt l (Add (Scale y′ u₁) (Scale x′ u₂));
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
	ops []polymorphic // the operations made so far
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
	t.lift, t.derive, t.withRule = t.primitive, t.derivative, t.ruledInside
	return t
}

// derivatives lists the primitives that expand removes.
var derivatives = []prim.ID{prim.Reverse, prim.Forward, prim.Jacobian}

// ruled is the primitive that applies a function with a rule.
const ruled = papers.Tangents

// solver is how a strategy solves a problem.
type solver func(context.Context, *papers.Problem) (*papers.Answer, *diag.Diagnostic)

// expanding returns a solver that first expands the derivatives in a problem.
func expanding(solve solver) solver {
	return func(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
		if !takesDerivatives(p) {
			return solve(ctx, p)
		}
		// The function alone is that before: its operations, and its errors.
		r := newRun(ctx, p, "")
		_, primal, d := r.at(p.Program, p.Fun)
		if d != nil {
			return nil, d
		}
		q, d := r.expand()
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

// takesDerivatives reports whether derivatives are all that keeps a problem from being translated
// directly.
func takesDerivatives(p *papers.Problem) bool {
	return firstOrder(p.Fun) == nil &&
		papers.Beyond(p, "", ruled) != nil &&
		papers.Beyond(p, "", append(derivatives, ruled)...) == nil
}

// expand returns the problem without derivative forms.
func (r *run) expand() (*papers.Problem, *diag.Diagnostic) {
	p := r.Problem
	from, to := signature(p.Fun)
	t := newLevels(p.Program)
	t.watch = r.watch
	f := t.def(p.Fun)
	s := core.NewVar(argument(p.Fun), from)
	var b core.Builder
	s0, _ := t.apply(&b, t.initZeros(), from, []core.Atom{s}, nil, nil)
	result := call(&b, "r", f.Use(), s0, construct(&b, data("Levels"), "Outside"))
	y := t.primal(&b, to, proj(&b, "y", result, 0))
	fun := &core.Lambda{Params: []*core.Var{s}, Body: b.Block(y)}
	def := t.add("plain{"+p.Fun.Name+"}", fun, p.Fun.At)
	if t.err != nil {
		return nil, t.err
	}
	program, d := opt.Mono(t.program(p.Program), opt.Options{Roots: []string{def.Name},
		Watch: r.watch})
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

// ---- what definitions are made of

// once makes the definition of a first-order function of type ty, at its first use. The
// definition takes the translated arguments and the state; body emits its result.
func (t *levels) once(name string, ty types.Type,
	body func(self *core.Def, args []core.Atom) core.Atom) *core.Def {
	for _, op := range t.ops {
		if op.name == name && types.Equal(op.at, ty) {
			return op.def
		}
	}
	from, to := types.Splay(ty, 3)
	var params []*core.Var
	var args []core.Atom
	var paramTypes []types.Type
	for i, ty := range from {
		x := core.NewVar(fmt.Sprintf("x%d", i+1), t.ty(ty))
		params, args, paramTypes = append(params, x), append(args, x), append(paramTypes, x.Ty)
	}
	s := core.NewVar("s", t.effect)
	params, paramTypes = append(params, s), append(paramTypes, t.effect)
	def := &core.Def{
		Name: t.name(fmt.Sprintf("%s{%s : %s}", t.prefix, name, types.Show(ty))),
		Type: types.Funs(tuple(t.ty(to), t.effect), paramTypes...),
	}
	t.ops = append(t.ops, polymorphic{name, ty, def})
	t.defs = append(t.defs, def)
	def.Body = t.nested(func() core.Atom {
		block := t.partOf(s, func() core.Atom { return body(def, args) }).threaded()
		return t.out.Emit("f", &core.Lambda{Params: params, Body: block}, diag.Span{})
	})
	return def
}

// sourceOnce returns the translation of a definition that is not of the program.
func (t *levels) sourceOnce(name string, fun func() *core.Lambda) *core.Def {
	if t.source[name] == nil {
		t.source[name] = core.FunDef(name, nil, fun(), diag.Span{})
	}
	return t.global(t.source[name])
}

// lib emits a call of a function of the library that is not translated.
func (t *levels) lib(name string, args ...core.Atom) core.Atom {
	return call(t.out, "x", lib(name).Use(), args...)
}

// translated emits a call of a function of the library that is translated.
func (t *levels) translated(name string, args ...core.Atom) core.Atom {
	return t.call("x", t.global(t.source["Δ."+name]).Use(), args, diag.Span{})
}

// delta emits a DeltaN.
func (t *levels) delta(con string, args ...core.Atom) core.Atom {
	return construct(t.out, data("DeltaN"), con, args...)
}

// dualNumber gives a delta a number at a level.
func (t *levels) dualNumber(level, x, u core.Atom) core.Atom {
	id := t.run("id", lib("letAt").Use(), level, u)
	return construct(t.out, data("Num"), "Dual", level, x, t.delta("VarN", id))
}
