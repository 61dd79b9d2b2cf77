package trace

import (
	"math/big"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Op is an operation symbol op : T → U (§2). Each is a row of the table, at
// given values of its discrete arguments, or the reverse derivative of another
// operation: for every op : T → U there is op_r : T × U → T, and so (op_r)_r
// and so on.
type Op struct {
	Name     string
	Dom, Cod Type

	row   *prim.Prim
	fixed []value.Value // the discrete arguments; nil where a real one goes
	of    *Op           // op_r is of op
	next  *Op           // op_r of this one, once it was asked for
	prog  func() *core.Lambda
}

// RowOp is the operation of a row at arguments such as those given: of those,
// the discrete ones and the lengths of arrays matter.
func RowOp(row *prim.Prim, args []value.Value) *Op {
	op := &Op{Name: row.Name, Cod: Real, row: row}
	if row.Pullback != "" {
		n := len(args[0].(value.Array))
		op.Dom = power(n)
		if _, ok := row.Float.(prim.MapArray); ok {
			op.Cod = op.Dom
		}
	} else {
		op.fixed = make([]value.Value, len(args))
		n := 0
		for i, a := range args {
			if _, ok := a.(value.Real); ok {
				n++
			} else {
				op.fixed[i] = a
				op.Name += "_" + value.Show(a)
			}
		}
		op.Dom = power(n)
		if n == 1 {
			op.Dom = Real // as A–P define T0 × … × Tn−1 for n = 1
		}
	}
	op.prog = sync.OnceValue(op.reverseProgram)
	return op
}

// Reverse is op_r.
func (op *Op) Reverse() *Op {
	if op.next == nil {
		op.next = &Op{Name: op.Name + "_r", Dom: product(op.Dom, op.Cod), Cod: op.Dom, of: op}
	}
	return op.next
}

// arguments are the row's arguments at a value of Dom.
func (op *Op) arguments(v Val) []value.Value {
	if op.row.Pullback != "" {
		return []value.Value{array(v)}
	}
	args := make([]value.Value, len(op.fixed))
	n := 0
	for i, a := range op.fixed {
		if a != nil {
			args[i] = a
			continue
		}
		x := v
		if vs, ok := v.(Vals); ok {
			x = vs[n]
		}
		args[i] = value.Real(x.(float64))
		n++
	}
	return args
}

// array is a value of realⁿ as an array, or a real as itself.
func array(v Val) value.Value {
	vs, ok := v.(Vals)
	if !ok {
		return value.Real(v.(float64))
	}
	a := make(value.Array, len(vs))
	for i, x := range vs {
		a[i] = value.Real(x.(float64))
	}
	return a
}

// ev is ev(op, V). For op_r it runs the derivative that the table gives, which
// is a program with conditionals; for (op_r)_r it differentiates that program
// as any other, by tracing it at V.
func (m *machine) ev(op *Op, v Val) Val {
	at := diag.Span{}
	switch {
	case op.of == nil:
		r := m.prim(&core.Prim{Prim: op.row}, op.arguments(v), at)
		part, err := realPart(r, op.Cod)
		if err != nil {
			panic("trace: " + err.Error())
		}
		return part
	case op.of.of == nil:
		point := v.(Vals)
		args := append(op.of.arguments(point[0]), array(point[1]))
		o := ordinary{m}
		var none *env[value.Value]
		result := o.block(op.of.prog().Body, (&closure[value.Value]{fun: op.of.prog(), env: none}).bind(args))
		part, err := realPart(result, op.Cod)
		if err != nil {
			panic("trace: " + err.Error())
		}
		return part
	}
	point := v.(Vals)
	x, c := m.traceOp(op.of, point[0])
	w := &Var{Name: "w", Type: op.of.Cod, moves: true}
	return m.eval(m.reverse(w, x, x, c), map[*Var]Val{x: point[0], w: point[1]})
}

// traceOp is a trace x:T. C of op_r : T → U at a value.
func (m *machine) traceOp(op *Op, v Val) (*Var, Term) {
	x := &Var{Name: "x", Type: op.Dom, moves: true}
	if op.of.of != nil {
		// op = (op')_r: op(z) is z.1 . R_{z.0}(y. C') for the trace C' of op'.
		y, c := m.traceOp(op.of, v.(Vals)[0])
		l := &Var{Name: "l", Type: op.of.Dom, moves: true}
		w := &Var{Name: "w", Type: op.of.Cod, moves: true}
		return x, &Let{l, component(x, 0), &Let{w, component(x, 1), m.reverse(w, l, y, c)}}
	}
	s := newSymbolic(m)
	point := v.(Vals)
	args := append(op.of.arguments(point[0]), array(point[1]))
	syms := make([]sym, len(args))
	real := 0
	for i, a := range args {
		switch {
		case i == len(args)-1:
			syms[i] = sym{val: a, term: component(x, 1)}
		case op.of.row.Pullback != "" || op.of.Dom == Real && op.of.fixed[i] == nil:
			syms[i] = sym{val: a, term: component(x, 0)}
		case op.of.fixed[i] == nil:
			syms[i] = sym{val: a, term: component(component(x, 0), real)}
			real++
		default:
			syms[i] = sym{val: a, term: star}
		}
	}
	fun := op.of.prog()
	var none *env[sym]
	c := s.scoped(diag.Span{}, func() sym {
		return s.block(fun.Body, (&closure[sym]{fun: fun, env: none}).bind(syms), nil, diag.Span{})
	})
	return x, c.term
}

// reverseProgram is the program of op_r: a function of the row's arguments
// and a cotangent w, whose result has the type of op's real arguments.
func (op *Op) reverseProgram() *core.Lambda {
	row, at := op.row, diag.Span{}
	var b core.Builder
	if pullback := diff.RowPullback(row); pullback != nil {
		xs, br := pullback.Params[0].Ty, pullback.Params[2].Ty
		x, w := core.NewVar("xs", xs), core.NewVar("w", br)
		r := b.Let("r", pullback.Params[1].Ty, &core.Prim{Prim: row, Args: []core.Atom{x}}, at)
		result := diff.Inline(&b, pullback, x, r, w)
		return &core.Lambda{Params: []*core.Var{x, w}, Body: b.Block(result)}
	}
	n := len(row.Params)
	params, args := make([]*core.Var, n+1), make([]core.Atom, n+1)
	for i, name := range row.Params {
		var ty types.Type = types.Real
		if op.fixed[i] != nil {
			ty = types.Int
		}
		params[i] = core.NewVar(name, ty)
		args[i] = params[i]
	}
	w := core.NewVar("w", types.Real)
	params[n] = w
	args[n] = core.RealLit(new(big.Rat)) // for r, should no rule look at it
	for i := range n {
		if rule := diff.Partial(row, i); rule != nil && mentions(rule, n) {
			args[n] = b.Let("r", types.Real, &core.Prim{Prim: row, Args: args[:n:n]}, at)
			break
		}
	}
	var results []core.Atom
	for i := range n {
		if op.fixed[i] != nil {
			continue
		}
		d := diff.Inline(&b, diff.Partial(row, i), args...)
		times := &core.Prim{Prim: prim.Lookup("*"), Inst: []types.Type{types.Real}, Args: []core.Atom{w, d}}
		results = append(results, b.Let("d", types.Real, times, at))
	}
	if len(results) == 1 {
		return &core.Lambda{Params: params, Body: b.Block(results[0])}
	}
	pair := b.Emit("ds", &core.Tuple{Elems: results}, at)
	return &core.Lambda{Params: params, Body: b.Block(pair)}
}

// mentions tells whether a function uses a parameter.
func mentions(fun *core.Lambda, param int) bool {
	found := false
	core.Atoms(fun.Body, func(a core.Atom) { found = found || a == core.Atom(fun.Params[param]) })
	return found
}
