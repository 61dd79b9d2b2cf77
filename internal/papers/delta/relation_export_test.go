package delta

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// observer makes an observation of a family of values e : ℝᵃ → A and of its
// translation at once. Where A is a function type, both are applied to
// arguments that are related by construction, until a type without functions is
// left: that is V at A → B of Fig. 13, read as a test.
type observer struct {
	t    *monad
	s    *core.Var    // the point, a tuple of a reals
	b    core.Builder // observes e
	db   core.Builder // observes 𝒟{e}
	seed int64        // tells the arguments apart
}

// Observe returns a program with a definition ℝᵃ → T that observes e, and one with
// a definition ℝᵃ → (𝒟{T}, DeltaBinds) that observes 𝒟{e} in a world that has
// extra bindings of no importance in it.
func Observe(p *core.Program, e *core.Def, extra int) (plain, dual *core.Def, program *core.Program, to types.Type) {
	from, ty := signature(e)
	o := &observer{t: newMonad(p, newModules()), s: core.NewVar("s", from)}
	t := o.t
	de := t.def(e)
	y := core.Atom(o.b.Let("y", ty, &core.Apply{Fun: e.Use(), Args: []core.Atom{o.s}}, e.At))
	var dy core.Atom
	t.into(&o.db, func() core.Atom {
		s0, last := t.apply(t.out, deltaVars, from, []core.Atom{o.s}, nil, core.IntLit(0))
		t.state = pair(t.out, "state", next(t.out, last), construct(t.out, data("DeltaBinds"), "Done"))
		for range extra { // C′ ⊒ C
			t.run("id", lib("deltaLet").Use(), o.linear(o.coefficients()))
		}
		dy = t.call("y", de.Use(), []core.Atom{s0}, e.At)
		for {
			fun, ok := types.Resolve(ty).(*types.Fun)
			if !ok {
				break
			}
			v, dv := o.argument(fun.Param)
			y = o.b.Let("y", fun.Result, &core.Apply{Fun: y, Args: []core.Atom{v}}, e.At)
			dy = t.call("y", dy, []core.Atom{dv}, e.At)
			ty = fun.Result
		}
		dy = pair(t.out, "r", dy, proj(t.out, "binds", t.state, 1))
		return dy
	})
	plain = t.add("observe", &core.Lambda{Params: []*core.Var{o.s}, Body: o.b.Block(y)}, e.At)
	s := core.NewVar("s", from)
	body := core.Clone(o.db.Block(dy), map[*core.Var]core.Atom{o.s: s})
	dual = t.add("observe{𝒟}", &core.Lambda{Params: []*core.Var{s}, Body: body}, e.At)
	return plain, dual, t.program(p), ty
}

// coefficients returns those of a family of reals that depends on each component
// of the point.
func (o *observer) coefficients() []int64 {
	n := len(types.Resolve(o.s.Ty).(*types.Tuple).Elems)
	cs := make([]int64, n)
	for i := range cs {
		o.seed = (o.seed*5 + 3) % 7
		cs[i] = o.seed - 3
	}
	return cs
}

// linear returns the Delta Σ cᵢ × zᵢ.
func (o *observer) linear(cs []int64) core.Atom {
	u := construct(o.t.out, data("Delta"), "Zero")
	for i, c := range cs {
		z := construct(o.t.out, data("Delta"), "Var", core.IntLit(int64(i+1)))
		scaled := construct(o.t.out, data("Delta"), "Scale", core.RealLit(big.NewRat(c, 1)), z)
		u = construct(o.t.out, data("Delta"), "Add", u, scaled)
	}
	return u
}

// value emits 2 + Σ cᵢ sᵢ.
func (o *observer) value(b *core.Builder, cs []int64) core.Atom {
	sum := core.Atom(realLit(2))
	for i, c := range cs {
		sum = arith(b, prim.Add, sum, arith(b, prim.Mul, realLit(c), proj(b, "x", o.s, i)))
	}
	return sum
}

// argument makes a pair of related families at a type: at ℝ a real that depends
// on the point with a Var of its delta, at ℤ a constant, at products and sums of
// their parts, at A → B a function of the point and of its argument.
func (o *observer) argument(ty types.Type) (v, dv core.Atom) {
	t := o.t
	switch ty := types.Resolve(ty).(type) {
	case *types.Basic:
		if ty != types.Real {
			return core.IntLit(3), core.IntLit(3)
		}
		cs := o.coefficients()
		id := t.run("id", lib("deltaLet").Use(), o.linear(cs))
		return o.value(&o.b, cs), pair(t.out, "v", o.value(t.out, cs), construct(t.out, data("Delta"), "Var", id))
	case *types.Tuple:
		vs, dvs := make([]core.Atom, len(ty.Elems)), make([]core.Atom, len(ty.Elems))
		for i, elem := range ty.Elems {
			vs[i], dvs[i] = o.argument(elem)
		}
		return o.b.Emit("v", &core.Tuple{Elems: vs}, diag.Span{}), t.out.Emit("v", &core.Tuple{Elems: dvs}, diag.Span{})
	case *types.Data:
		con := ty.Decl.Cons[len(ty.Decl.Cons)-1]
		dty := t.ty(ty).(*types.Data)
		vs, dvs := make([]core.Atom, len(con.Fields)), make([]core.Atom, len(con.Fields))
		for i, field := range con.FieldTypes(ty) {
			vs[i], dvs[i] = o.argument(field)
		}
		return o.b.Emit("v", &core.Construct{Con: con, Ty: ty, Args: vs}, diag.Span{}),
			t.out.Emit("v", &core.Construct{Con: dty.Decl.Cons[con.Tag], Ty: dty, Args: dvs}, diag.Span{})
	case *types.Fun:
		return o.function(ty)
	}
	panic("relation: no argument of that type")
}

// function is λa. c × a + v at ℝ → ℝ, for a related v, and λa. v at others.
func (o *observer) function(ty *types.Fun) (f, df core.Atom) {
	t := o.t
	v, dv := o.argument(ty.Result)
	a := core.NewVar("a", ty.Param)
	da, s := core.NewVar("a", t.ty(ty.Param)), core.NewVar("s", t.effect)
	var body core.Builder
	result := v
	affine := types.Resolve(ty.Param) == types.Type(types.Real) && types.Resolve(ty.Result) == types.Type(types.Real)
	if affine {
		result = arith(&body, prim.Add, arith(&body, prim.Mul, realLit(3), a), v)
	}
	f = o.b.Emit("f", &core.Lambda{Params: []*core.Var{a}, Body: body.Block(result)}, diag.Span{})
	block := t.partOf(s, func() core.Atom {
		if !affine {
			return dv
		}
		x := arith(t.out, prim.Add, arith(t.out, prim.Mul, realLit(3), proj(t.out, "x", da, 0)), proj(t.out, "x", dv, 0))
		delta := data("Delta")
		u := construct(t.out, delta, "Add", construct(t.out, delta, "Scale", realLit(3), proj(t.out, "u", da, 1)), proj(t.out, "u", dv, 1))
		id := t.run("id", lib("deltaLet").Use(), u)
		return pair(t.out, "y", x, construct(t.out, delta, "Var", id))
	}).threaded()
	df = t.out.Emit("f", &core.Lambda{Params: []*core.Var{da, s}, Body: block}, diag.Span{})
	return f, df
}

// World is an element of DeltaBinds as a value, the latest binding first.
type World []Binding

// Binding is one that was let.
type Binding struct {
	ID  int
	RHS value.Value
}

// WorldOf reads a value of type DeltaBinds.
func WorldOf(v value.Value) World {
	var w World
	for {
		con := v.(value.Con)
		if con.Name == "Done" {
			return w
		}
		w = append(w, Binding{int(con.Args[0].(value.Int)), con.Args[1]})
		v = con.Args[2]
	}
}

// Meaning is ⟦get C u⟧ φ_a of Fig. 13: the delta u in the scope of the
// bindings, where z_i is the i-th of a unit vectors.
func (w World) Meaning(u value.Value, a int) []float64 {
	gamma := map[int][]float64{}
	for i := range a {
		unit := make([]float64, a)
		unit[i] = 1
		gamma[i+1] = unit
	}
	for i := len(w) - 1; i >= 0; i-- {
		gamma[w[i].ID] = denoted(w[i].RHS, gamma, a)
	}
	return denoted(u, gamma, a)
}

func denoted(u value.Value, gamma map[int][]float64, a int) []float64 {
	out := make([]float64, a)
	switch con := u.(value.Con); con.Name {
	case "Scale":
		for i, x := range denoted(con.Args[1], gamma, a) {
			out[i] = float64(con.Args[0].(value.Real)) * x
		}
	case "Add":
		y := denoted(con.Args[1], gamma, a)
		for i, x := range denoted(con.Args[0], gamma, a) {
			out[i] = x + y[i]
		}
	case "Var":
		copy(out, gamma[int(con.Args[0].(value.Int))])
	}
	return out
}
