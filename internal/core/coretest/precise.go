package coretest

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// CallPrecisely applies a function of a program to a value in which reals are
// balls (*ball.Ball), and evaluates it with that many bits. Literals are the
// doubles that float evaluators round them to, so that the result is that of
// the same program. A comparison that the balls do not decide is an error.
func CallPrecisely(p *core.Program, fun *core.Def, arg Value, bits uint) (Value, *diag.Diagnostic) {
	e := newEvaluator(&precise{tier.Multi{Prec: bits}})
	if d := e.define(p); d != nil {
		return nil, d
	}
	return e.apply(e.globals[fun.Name], []Value{arg}, fun.At)
}

// Import converts what evaluators return, without functions in it, to a value in which real makes
// the reals.
func Import(v value.Value, t types.Type, real func(x float64) Value) Value {
	t = types.Resolve(t)
	all := func(vs []value.Value, elem func(i int) types.Type) []Value {
		made := make([]Value, len(vs))
		for i, v := range vs {
			made[i] = Import(v, elem(i), real)
		}
		return made
	}
	switch v := v.(type) {
	case value.Real:
		return real(float64(v))
	case value.Int:
		return int64(v)
	case value.Bool:
		return bool(v)
	case value.String:
		return string(v)
	case value.Tuple:
		return Tuple(all(v, func(i int) types.Type { return t.(*types.Tuple).Elems[i] }))
	case value.Record:
		fields := make(Tuple, len(v))
		for i, f := range v {
			fields[i] = Import(f.Value, t.(*types.Record).Fields[i].Type, real)
		}
		return fields
	case value.Con:
		data := t.(*types.Data)
		for _, con := range data.Decl.Cons {
			if con.Name == v.Name {
				fields := con.FieldTypes(data)
				return Con{con, all(v.Args, func(i int) types.Type { return fields[i] })}
			}
		}
	case value.Reals:
		xs := make(Array, len(v))
		for i, x := range v {
			xs[i] = real(x)
		}
		return xs
	case value.Ints:
		xs := make(Array, len(v))
		for i, n := range v {
			xs[i] = n
		}
		return xs
	case value.Array:
		return Array(all(v, func(int) types.Type { return t.(*types.Array).Elem }))
	}
	panic(fmt.Sprintf("coretest: no value of its type: %T", v))
}

// precise is the arithmetic of balls: that of the table's interval column.
type precise struct{ tier tier.Multi }

func (p *precise) literal(l *core.Lit) Value {
	x, _ := l.Real.Float64()
	return ball.FromFloat64(x)
}

func (p *precise) constant(_ string, v Value) Value { return v }

// prim applies a row on reals. It leaves other rows alone.
func (p *precise) prim(_ *evaluator, let *core.Let, op *core.Prim, args []Value) (
	Value, *diag.Diagnostic, bool) {
	on := func(f func(x, y *ball.Ball) *ball.Ball) func(x, y Value) Value {
		return func(x, y Value) Value { return f(x.(*ball.Ball), y.(*ball.Ball)) }
	}
	numbers := realOps{on(p.tier.Add), on(p.tier.Mul), on(p.tier.Quo), func(n int) Value {
		return p.tier.Rat(big.NewRat(int64(n), 1))
	}}
	if v, d, ok := leafOp(let, op, args, numbers); ok {
		return v, d, true
	}
	if !aboutReals(op, args) {
		return nil, nil, false
	}
	v, d := p.row(let, op, args)
	return v, d, true
}

// aboutReals reports whether a row takes or returns reals, and looks at them.
func aboutReals(op *core.Prim, args []Value) bool {
	switch op.Prim.ID {
	case prim.Real, prim.Pi, prim.E, prim.Zero, prim.Logsumexp, prim.Softmax, prim.Norm:
		return true
	case prim.Show:
		return true
	case prim.SortIndices:
		xs := args[0].(Array)
		return len(xs) > 0 && isBall(xs[0])
	case prim.Accumulate:
		return op.Inst[0] == types.Type(types.Real)
	}
	return slices.ContainsFunc(args, isBall)
}

func isBall(v Value) bool { _, ok := v.(*ball.Ball); return ok }

func (p *precise) row(let *core.Let, op *core.Prim, args []Value) (Value, *diag.Diagnostic) {
	x := func(i int) *ball.Ball { return args[i].(*ball.Ball) }
	switch op.Prim.ID {
	case prim.Real:
		return ball.FromInt64(args[0].(int64)), nil
	case prim.Zero, prim.ZeroLike:
		return ball.New(), nil
	case prim.Lt, prim.Le, prim.Gt, prim.Ge:
		c, d := compareBalls(let, x(0), x(1))
		return op.Prim.Order.Holds(c), d
	case prim.Floor, prim.Ceil, prim.Round, prim.Trunc:
		n := p.tier.Apply1(op.Prim.Interval.(tier.Fun1), x(0))
		if !n.IsExact() {
			return nil, diag.Errorf(diag.Undecided, let.At, "%s is not decided", op.Prim.Name)
		}
		return int64(n.Float64()), nil
	case prim.Show:
		return value.Show(Export(rounded(args[0]), op.Inst[0])), nil
	case prim.SortIndices:
		xs := args[0].(Array)
		indices := make(Array, len(xs))
		for i := range indices {
			indices[i] = int64(i)
		}
		var undecided *diag.Diagnostic
		slices.SortStableFunc(indices, func(i, j Value) int {
			c, d := compareBalls(let, xs[i.(int64)].(*ball.Ball), xs[j.(int64)].(*ball.Ball))
			if d != nil {
				undecided = d
			}
			return c
		})
		return indices, undecided
	case prim.Accumulate:
		sums := slices.Clone(args[0].(Array))
		for k, i := range args[1].(Array) {
			sums[i.(int64)] = p.tier.Add(sums[i.(int64)].(*ball.Ball),
				args[2].(Array)[k].(*ball.Ball))
		}
		return sums, nil
	}
	switch f := op.Prim.Interval.(type) {
	case tier.Fun0:
		return p.tier.Apply0(f), nil
	case tier.Fun1:
		return p.tier.Apply1(f, x(0)), nil
	case tier.Fun2:
		return p.tier.Apply2(f, x(0), x(1)), nil
	case tier.FunInt:
		if n, first := args[0].(int64); first { // polygamma n x
			return p.tier.ApplyInt(f, x(1), n), nil
		}
		return p.tier.ApplyInt(f, x(0), args[1].(int64)), nil
	case tier.FunFamily:
		ints, xs := partsOf[*ball.Ball](args)
		return p.tier.ApplyFamily(f, ints, xs), nil
	case tier.FunFold:
		return f.Multi(balls(args[0]), p.tier.Prec), nil
	case tier.FunMap:
		made := f.Multi(balls(args[0]), p.tier.Prec)
		xs := make(Array, len(made))
		for i, x := range made {
			xs[i] = x
		}
		return xs, nil
	}
	return nil, noDenotation(let.At, op)
}

func balls(v Value) []*ball.Ball {
	var xs []*ball.Ball
	for _, x := range v.(Array) {
		xs = append(xs, x.(*ball.Ball))
	}
	return xs
}

// rounded returns a value with its balls rounded to doubles.
func rounded(v Value) Value {
	return mapReals(v, func(x Value) Value { return x.(*ball.Ball).Float64() })
}

// compareBalls orders two reals. Two that are certainly equal are so because neither depends on
// what is moved.
func compareBalls(let *core.Let, x, y *ball.Ball) (int, *diag.Diagnostic) {
	switch {
	case x.Less(y):
		return -1, nil
	case y.Less(x):
		return 1, nil
	case x.IsExact() && y.IsExact():
		return 0, nil
	}
	return 0, diag.Errorf(diag.Undecided, let.At, "a comparison is not decided")
}
