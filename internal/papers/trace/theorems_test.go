package trace_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers/trace"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestTheoremsOnPrograms: the theorems of A–P §3 on the programs: each is about every φ, ρ and M.
func TestTheoremsOnPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	derived := 0
	for _, program := range paperstest.Programs(t) {
		p, code := problem(t, program)
		traced, _, d := trace.Symbolic(bg, p)
		if d != nil {
			continue // TestPrograms knows which
		}
		x, c := traced.Var, traced.Body

		// Prop. 3.4, determinacy: of two evaluators, since one that runs
		// twice proves little.
		v, _, d := trace.Evaluate(bg, p)
		if d != nil {
			t.Fatal(d)
		}
		y, d := code.Call(bg, interp.Limits{}, p.Fun.Name, p.At)
		if d != nil || !allNear(value.RealsOf(v), value.RealsOf(y), 1e-15) {
			t.Errorf("%s: %s here, %s in interp", program.Name, value.Show(v), value.Show(y))
		}

		// Prop. 3.6, type safety: C has the type of the value.
		ty, err := trace.Check([]*trace.Var{x}, c)
		if err != nil {
			t.Errorf("%s: %v\n%s", program.Name, err, trace.Show(c))
			continue
		}
		if got := typeOfVal(trace.RealPart(v)); !trace.Equal(got, ty) {
			t.Errorf("%s: the trace has type %s, the value %s", program.Name, trace.ShowType(ty), trace.ShowType(got))
		}

		// Prop. 3.5, interpolation: M ⇒ V if and only if M ⇝ C and C ⇒ V.
		at := map[*trace.Var]trace.Val{x: trace.RealPart(p.At)}
		if got, _, d := trace.Eval(bg, c, at, 0); d != nil || !reflect.DeepEqual(got, trace.RealPart(v)) {
			t.Errorf("%s: the trace evaluates to %v, the program to %v", program.Name, got, trace.RealPart(v))
		}

		// Prop. 3.3: the derivative has the type of the point.
		w := &trace.Var{Name: "w", Type: ty}
		const most = 1 << 16 // nodes
		for _, derivative := range []trace.Term{trace.ReversePruned(w, x, x, c, most), trace.Reverse(w, x, x, c, most)} {
			if derivative == nil {
				continue // exponential
			}
			derived++
			if got, err := trace.Check([]*trace.Var{x, w}, derivative); err != nil || !trace.Equal(got, x.Type) {
				t.Errorf("%s: the derivative: %v", program.Name, err)
			}
		}

		// The trace agrees with its program on a neighbourhood (§5).
		xs := value.RealsOf(p.At)
		for i := range xs {
			xs[i] *= 1 + 1e-10*(rng.Float64()-0.5)
		}
		moved := value.WithReals(p.At, xs)
		y, d = code.Call(bg, interp.Limits{}, p.Fun.Name, moved)
		at[x] = trace.RealPart(moved)
		got, _, d2 := trace.Eval(bg, c, at, 0)
		if d != nil || d2 != nil || !allNear(flat(got), flat(trace.RealPart(y)), 1e-14) {
			t.Errorf("%s: near the point the trace gives %v, the program %s", program.Name, got, value.Show(y))
		}
	}
	if derived < 400 {
		t.Errorf("only %d derivatives", derived)
	}
}

// typeOfVal returns the type of a closed value.
func typeOfVal(v trace.Val) trace.Type {
	vs, ok := v.(trace.Vals)
	if !ok {
		return trace.Real
	}
	p := &trace.Product{}
	for _, e := range vs {
		p.Elems = append(p.Elems, typeOfVal(e))
	}
	return p
}

func flat(v trace.Val) (xs []float64) {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case trace.Vals:
		for _, e := range v {
			xs = append(xs, flat(e)...)
		}
	}
	return xs
}

// TestForward: forward mode by eq. (6) against reverse mode: w · (F v) = (R w) · v.
func TestForward(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	covered := 0
	for _, program := range paperstest.Programs(t) {
		p, _ := problem(t, program)
		p.MaxOps = 20_000
		xs := value.RealsOf(p.At)
		vs := make([]float64, len(xs))
		for i := range vs {
			vs[i] = rng.Float64()*2 - 1
		}
		_, tangent, d := trace.Forward(bg, p, value.WithReals(p.At, vs))
		if d != nil {
			if d.Code != diag.StrategyBudget && d.Code != diag.StrategyLimits {
				t.Errorf("%s: %v", program.Name, d)
			}
			continue
		}
		covered++
		answer, d := trace.Pruned().Run(bg, p)
		if d != nil {
			t.Fatalf("%s: %v", program.Name, d)
		}
		forward, reverse := inner(value.RealsOf(p.Cotangent), value.RealsOf(tangent)), inner(value.RealsOf(answer.Gradient), vs)
		if !near(forward, reverse, 1e-11) {
			t.Errorf("%s: forward %v, reverse %v", program.Name, forward, reverse)
		}
	}
	if covered < 200 {
		t.Errorf("only %d programs", covered)
	}
}

// ---- random trace terms

// generator makes well-typed trace terms over operations that are smooth and
// do not grow.
type generator struct{ rng *rand.Rand }

func (g *generator) ty(depth int) trace.Type {
	switch g.rng.IntN(4) {
	case 0, 1:
		return trace.Real
	case 2:
		if g.rng.IntN(3) == 0 {
			return trace.Unit
		}
	}
	if depth == 0 {
		return trace.Real
	}
	p := &trace.Product{}
	for range 1 + g.rng.IntN(3) {
		p.Elems = append(p.Elems, g.ty(depth-1))
	}
	return p
}

func (g *generator) value(t trace.Type) trace.Val {
	p, ok := t.(*trace.Product)
	if !ok {
		return g.rng.Float64()*2 - 1
	}
	vs := trace.Vals{}
	for _, u := range p.Elems {
		vs = append(vs, g.value(u))
	}
	return vs
}

var (
	unary  = []string{"sin", "cos", "tanh", "sigmoid", "neg", "atan", "erf"}
	binary = []string{"*", "-", "atan2", "logaddexp"}
)

// term makes a term of type t over the variables given.
func (g *generator) term(vars []*trace.Var, t trace.Type, depth int) trace.Term {
	if depth > 0 && g.rng.IntN(3) == 0 {
		x := &trace.Var{Name: "y", Type: g.ty(1)}
		bound := g.term(vars, x.Type, depth-1)
		return &trace.Let{Var: x, Bound: bound, Body: g.term(append(vars[:len(vars):len(vars)], x), t, depth-1)}
	}
	if g.rng.IntN(2) == 0 {
		if v := vars[g.rng.IntN(len(vars))]; trace.Equal(v.Type, t) {
			return v
		}
	}
	if depth > 0 && g.rng.IntN(5) == 0 { // a projection
		p := &trace.Product{Elems: []trace.Type{g.ty(1), g.ty(1)}}
		i := g.rng.IntN(2)
		p.Elems[i] = t
		return &trace.Proj{Of: g.term(vars, p, depth-1), Index: i, Type: p}
	}
	if p, ok := t.(*trace.Product); ok {
		tuple := &trace.Tuple{Type: p}
		for _, u := range p.Elems {
			tuple.Elems = append(tuple.Elems, g.term(vars, u, depth-1))
		}
		return tuple
	}
	if depth <= 0 {
		for range 4 {
			if v := vars[g.rng.IntN(len(vars))]; trace.Equal(v.Type, t) {
				return v
			}
		}
		return trace.Const(g.rng.Float64())
	}
	real := value.Real(1)
	switch g.rng.IntN(3) {
	case 0:
		return &trace.Add{L: g.term(vars, trace.Real, depth-1), R: g.term(vars, trace.Real, depth-1)}
	case 1:
		op := trace.RowOp(prim.Lookup(unary[g.rng.IntN(len(unary))]), []value.Value{real})
		return &trace.Apply{Op: op, Arg: g.term(vars, trace.Real, depth-1)}
	}
	op := trace.RowOp(prim.Lookup(binary[g.rng.IntN(len(binary))]), []value.Value{real, real})
	return &trace.Apply{Op: op, Arg: g.term(vars, op.Dom, depth-1)}
}

// TestRandomTerms: Prop. 3.3 and the meaning of Fig. 6 on random trace terms: the derivative type
// checks, both forms of it agree, it agrees with differences, and it can be differentiated again
// (eq. (6)).
func TestRandomTerms(t *testing.T) {
	count, differentiated := 2000, 0
	for i := range count {
		g := &generator{rng: rand.New(rand.NewPCG(uint64(i), 5))}
		x := &trace.Var{Name: "x", Type: g.ty(2)}
		ty := g.ty(1)
		c := g.term([]*trace.Var{x}, ty, 2+i%3)
		name := fmt.Sprintf("term %d: %s", i, trace.Show(c))
		if got, err := trace.Check([]*trace.Var{x}, c); err != nil || !trace.Equal(got, ty) {
			t.Fatalf("%s: %v", name, err)
		}
		w := &trace.Var{Name: "w", Type: ty}
		gamma := []*trace.Var{x, w}
		rho := map[*trace.Var]trace.Val{x: g.value(x.Type), w: g.value(ty)}
		pruned := trace.ReversePruned(w, x, x, c, 1<<16)
		derivative := trace.Reverse(w, x, x, c, 1<<16)
		if pruned == nil || derivative == nil {
			continue
		}
		differentiated++
		var gradients [2][]float64
		for k, d := range []trace.Term{derivative, pruned} {
			if got, err := trace.Check(gamma, d); err != nil || !trace.Equal(got, x.Type) {
				t.Fatalf("%s: %v\n%s", name, err, trace.Show(d))
			}
			v, _, diagnostic := trace.Eval(bg, d, rho, 0)
			if diagnostic != nil {
				t.Fatalf("%s: %v", name, diagnostic)
			}
			gradients[k] = flat(v)
		}
		if !allNear(gradients[0], gradients[1], 1e-12) {
			t.Errorf("%s: %v, pruned %v", name, gradients[0], gradients[1])
		}
		direction := g.value(x.Type)
		if slope, want := inner(gradients[1], flat(direction)), differences(t, c, x, rho[x], direction, flat(rho[w])); !near(slope, want, 1e-6) {
			t.Errorf("%s: slope %v, numerically %v", name, slope, want)
		}

		// W.R_V at a value V that is not x: Fig. 6 with its lets.
		closed := trace.ReversePruned(w, x, x, c, 1<<16)
		y := &trace.Var{Name: "v", Type: x.Type}
		at := trace.Reverse(w, y, x, c, 1<<16)
		if _, err := trace.Check([]*trace.Var{y, w}, at); err != nil {
			t.Errorf("%s: at another value: %v", name, err)
		}
		v, _, _ := trace.Eval(bg, at, map[*trace.Var]trace.Val{y: rho[x], w: rho[w]}, 0)
		if !allNear(flat(v), gradients[0], 1e-12) {
			t.Errorf("%s: at another value: %v, want %v", name, v, gradients[0])
		}

		// eq. (6): w · (u.rd_0(w. w.rd_x(x. C))) = gradient · u
		u := &trace.Var{Name: "u", Type: x.Type}
		twice := trace.ReversePruned(u, w, w, closed, 1<<16)
		if twice == nil {
			continue
		}
		if got, err := trace.Check([]*trace.Var{x, w, u}, twice); err != nil || !trace.Equal(got, ty) {
			t.Fatalf("%s: twice: %v", name, err)
		}
		cotangent := flat(rho[w])
		rho[u] = direction
		tangent, _, _ := trace.Eval(bg, twice, rho, 0)
		if forward := inner(flat(tangent), cotangent); !near(forward, inner(gradients[1], flat(direction)), 1e-12) {
			t.Errorf("%s: forward %v, reverse %v", name, forward, inner(gradients[1], flat(direction)))
		}
	}
	if differentiated < count*9/10 {
		t.Errorf("only %d of %d terms have small derivatives", differentiated, count)
	}
}

// differences returns the slope of w · C along a direction.
func differences(t *testing.T, c trace.Term, x *trace.Var, at, direction trace.Val, w []float64) float64 {
	const h = 1e-6
	side := func(h float64) float64 {
		v, _, d := trace.Eval(bg, c, map[*trace.Var]trace.Val{x: along(at, direction, h)}, 0)
		if d != nil {
			t.Fatal(d)
		}
		return inner(flat(v), w)
	}
	return (side(h) - side(-h)) / (2 * h)
}

func along(v, direction trace.Val, h float64) trace.Val {
	if x, ok := v.(float64); ok {
		return x + h*direction.(float64)
	}
	moved := trace.Vals{}
	for i, e := range v.(trace.Vals) {
		moved = append(moved, along(e, direction.(trace.Vals)[i], h))
	}
	return moved
}

// TestIllTyped checks that Check finds what is wrong.
func TestIllTyped(t *testing.T) {
	x := &trace.Var{Name: "x", Type: trace.Real}
	y := &trace.Var{Name: "y", Type: trace.Unit}
	pair := &trace.Product{Elems: []trace.Type{trace.Real, trace.Unit}}
	sin := trace.RowOp(prim.Lookup("sin"), []value.Value{value.Real(0)})
	for _, c := range []trace.Term{
		y,
		&trace.Add{L: x, R: &trace.Tuple{Type: trace.Unit.(*trace.Product)}},
		&trace.Apply{Op: sin, Arg: &trace.Tuple{Type: trace.Unit.(*trace.Product)}},
		&trace.Let{Var: y, Bound: x, Body: x},
		&trace.Tuple{Elems: []trace.Term{x, x}, Type: pair},
		&trace.Tuple{Elems: []trace.Term{x}, Type: pair},
		&trace.Proj{Of: x, Index: 0, Type: pair},
		&trace.Add{L: &trace.Let{Var: y, Bound: &trace.Tuple{Type: trace.Unit.(*trace.Product)}, Body: x}, R: y},
	} {
		if ty, err := trace.Check([]*trace.Var{x}, c); err == nil {
			t.Errorf("%s : %s", trace.Show(c), trace.ShowType(ty))
		}
	}
}
