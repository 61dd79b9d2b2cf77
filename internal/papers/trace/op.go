package trace

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Op is an operation symbol op : T → U (§2). Each is a row of the table, at given values of its
// discrete arguments, a function of the program with a rule (rule.go), or the reverse derivative of
// another operation: for every op : T → U there is op_r : T × U → T, and so (op_r)_r and so on.
type Op struct {
	Name     string
	Dom, Cod Type

	row   *prim.Prim
	fixed []value.Value // the discrete arguments; nil where a real one goes
	rule  *rule         // of an operation that the program defines, instead of a row
	of    *Op           // op_r is of op
	next  *Op           // op_r of this one, once it was asked for
}

// RowOp returns the operation of a row at arguments such as those given: of those,
// the discrete ones and the lengths of arrays matter.
func RowOp(row *prim.Prim, args []value.Value) *Op {
	op := &Op{Name: row.Name, Cod: Real, row: row, fixed: make([]value.Value, len(args))}
	if row.Pullback != nil {
		op.Dom = power(len(args[0].(value.Array)))
		if _, ok := row.Float.(prim.MapArray); ok {
			op.Cod = op.Dom
		}
		return op
	}
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
	return op
}

// symbol returns the row that the operation is, 0 if it is a derivative or defined by the program.
func (op *Op) symbol() prim.ID {
	if op.row == nil || op.of != nil {
		return 0
	}
	return op.row.ID
}

// Reverse returns op_r.
func (op *Op) Reverse() *Op {
	if op.next == nil && op.rule != nil {
		op.next = ruleOp(op.rule.reverse(), op)
	}
	if op.next == nil {
		op.next = &Op{Name: op.Name + "_r", Dom: product(op.Dom, op.Cod), Cod: op.Dom,
			row: op.row, of: op}
	}
	return op.next
}

// order returns how often op is a reverse derivative.
func (op *Op) order() int {
	n := 0
	for ; op.of != nil; op = op.of {
		n++
	}
	return n
}

// ev computes ev(op, V): by the evaluator of a row, or by the program of op_r.
func (m *machine) ev(op *Op, v Val) Val {
	if op.rule != nil {
		return op.rule.ev(m, op, v)
	}
	args := op.arguments(v)
	if op.of == nil {
		return op.result(m.prim(&core.Prim{Prim: op.row}, args, diag.Span{}))
	}
	f := &closure[value.Value]{fun: program(op.row, op.order())}
	return op.result(ordinary{m}.block(f.fun.Body, f.bind(args), diag.Span{}))
}

// ---- the programs of operations

// programs holds the derivatives of rows that were requested: programs[row][n] is that of order
// n.
var (
	programsMu sync.Mutex
	programs   = map[*prim.Prim][]*core.Lambda{}
)

// program returns a row as a function, or its reverse derivative of an order, in
// closed form: op_r is a function of the arguments of op and of a cotangent of
// its result, and gives cotangents of the arguments, unit for a discrete one.
// The first is what the table says. Of that, (op_r)_r and so on are derived:
// those of a row of numbers once and for all, where comparisons in a rule say
// which formula is used and have no ties; that of a row of arrays is W.rd_V of op_r.
func program(row *prim.Prim, order int) *core.Lambda {
	programsMu.Lock()
	defer programsMu.Unlock()
	known := programs[row]
	for len(known) <= order {
		switch n := len(known); {
		case n == 0:
			known = append(known, rowProgram(row))
		case row.Pullback == nil:
			known = append(known, pullback(known[n-1]))
		case n == 1:
			known = append(known, arrayProgram(row))
		default:
			known = append(known, reversed(known[n-1]))
		}
	}
	programs[row] = known
	return known[order]
}

// rowProgram returns the function that applies a row at Real.
func rowProgram(row *prim.Prim) *core.Lambda {
	inst := make([]types.Type, len(row.Scheme.Params))
	for i := range inst {
		inst[i] = types.Real
	}
	tys, result := types.Splay(types.Subst(row.Scheme.Type, row.Scheme.Params, inst),
		len(row.Params))
	params, args := make([]*core.Var, len(tys)), make([]core.Atom, len(tys))
	for i, ty := range tys {
		params[i] = core.NewVar(row.Params[i], ty)
		args[i] = params[i]
	}
	var b core.Builder
	r := b.Let("r", result, &core.Prim{Prim: row, Inst: inst, Args: args}, diag.Span{})
	return &core.Lambda{Params: params, Body: b.Block(r)}
}

// arguments are the arguments of op's program at a value of Dom.
func (op *Op) arguments(v Val) []value.Value {
	if op.of != nil {
		pair := v.(Vals)
		return append(op.of.arguments(pair[0]), op.of.cotangent(pair[1]))
	}
	if op.row.Pullback != nil {
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

// cotangent returns a value of Cod as a value of the type that op's program gives.
func (op *Op) cotangent(v Val) value.Value {
	if op.of == nil {
		return array(v)
	}
	parts := op.of.arguments(v)
	for i, p := range parts {
		if _, discrete := p.(value.Int); discrete {
			parts[i] = value.Tuple{}
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return value.Tuple(parts)
}

// result returns what op's program gives as a value of Cod: the opposite of
// cotangent.
func (op *Op) result(v value.Value) Val {
	if op.of == nil {
		return RealPart(v)
	}
	parts := []value.Value{v}
	if op.of.of != nil || len(op.of.fixed) > 1 {
		parts = v.(value.Tuple)
	}
	return op.of.point(parts)
}

// point returns a value of Dom, whose components stand where op's program has its
// arguments: the opposite of arguments.
func (op *Op) point(parts []value.Value) Val {
	if op.of != nil {
		last := len(parts) - 1
		return Vals{op.of.point(parts[:last]), op.of.result(parts[last])}
	}
	var reals Vals
	for i, p := range parts {
		if op.fixed[i] == nil {
			reals = append(reals, RealPart(p))
		}
	}
	if len(reals) == 1 {
		return reals[0]
	}
	return reals
}

// array returns a value of realⁿ as an array, or a real as itself.
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
