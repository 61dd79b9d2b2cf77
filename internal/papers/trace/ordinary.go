package trace

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// The basic types as core's literals have them.
var (
	realCore   types.Type = types.Real
	intCore    types.Type = types.Int
	boolCore   types.Type = types.Bool
	stringCore types.Type = types.String
)

// ordinary is φ | ρ ⊢ M ⇒ V (A–P Figs. 2–3). Its values are package value's,
// and *closure[value.Value] for functions.
type ordinary struct{ *machine }

// atom computes φ | ρ ⊢ V ⇒ ρ(V).
func (o ordinary) atom(a core.Atom, rho *env[value.Value]) value.Value {
	switch a := a.(type) {
	case *core.Var:
		return rho.get(a)
	case *core.Lit:
		return literal(a)
	case *core.Global:
		return o.global(a)
	}
	panic("trace: unknown atom")
}

func (o ordinary) atoms(as []core.Atom, rho *env[value.Value]) []value.Value {
	vs := make([]value.Value, len(as))
	for i, a := range as {
		vs[i] = o.atom(a, rho)
	}
	return vs
}

// global returns φ(f), or the value of a definition that is not a function.
func (o ordinary) global(g *core.Global) value.Value {
	def := o.defs[g.Name]
	if fun := def.Function(); fun != nil {
		return &closure[value.Value]{fun: fun}
	}
	v, ok := o.consts[g.Name]
	if !ok {
		var none *env[value.Value]
		v = o.block(def.Body, none.inner(), def.At)
		o.consts[g.Name] = v
	}
	return v
}

// block applies Fig. 3's rule for E[R] repeatedly:
//
//	φ | ρ ⊢ R ⇒ V    φ | ρ[V/x] ⊢ E[x] ⇒ W
//	──────────────────────────────────────
//	         φ | ρ ⊢ E[R] ⇒ W
func (o ordinary) block(b *core.Block, rho *env[value.Value], at diag.Span) value.Value {
	o.enter(at)
	defer o.leave()
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *core.Let:
			o.step(stmt.At)
			if o.notes != nil && noted(stmt) {
				rho.vars[stmt.Var] = o.noteRedex(stmt, rho)
			} else {
				rho.vars[stmt.Var] = o.op(stmt.Op, stmt.At, rho)
			}
		case *core.LetRec:
			for i, v := range stmt.Vars {
				rho.vars[v] = &closure[value.Value]{fun: stmt.Funs[i], env: rho}
			}
		}
	}
	return o.atom(b.Result, rho)
}

// with evaluates a block in which some variables are bound.
func (o ordinary) with(
	b *core.Block, rho *env[value.Value], at diag.Span, vars []*core.Var, vals ...value.Value,
) value.Value {
	inner := rho.inner()
	for i, v := range vars {
		inner.vars[v] = vals[i]
	}
	return o.block(b, inner, at)
}

// op implements Fig. 2: φ | ρ ⊢ R ⇒ V.
func (o ordinary) op(op core.Op, at diag.Span, rho *env[value.Value]) value.Value {
	switch op := op.(type) {
	case *core.Prim:
		args := o.atoms(op.Args, rho)
		if isDerivative(op.Prim) {
			return o.derivative(op.Prim, args, at)
		}
		if core.IsRule(op) {
			return o.apply(args[0].(*closure[value.Value]), args[2:], at)
		}
		return o.prim(op, args, at)
	case *core.Lambda:
		return &closure[value.Value]{fun: op, env: rho}
	case *core.Apply:
		return o.apply(o.atom(op.Fun, rho).(*closure[value.Value]), o.atoms(op.Args, rho), at)
	case *core.If:
		if bool(o.atom(op.Cond, rho).(value.Bool)) {
			return o.block(op.Then, rho, at)
		}
		return o.block(op.Else, rho, at)
	case *core.Case:
		con := o.atom(op.Of, rho).(value.Con)
		vars, body := choose(op, con)
		return o.with(body, rho, at, vars, con.Args...)
	case *core.Build:
		n := o.atom(op.Size, rho).(value.Int)
		checkLength(n, at)
		elems := make(value.Array, n)
		for i := range elems {
			elems[i] = o.with(op.Body, rho, at, []*core.Var{op.Index}, value.Int(i))
		}
		return elems
	case *core.Map:
		arrays := o.atoms(op.Arrays, rho)
		elems := make(value.Array, commonLength(arrays, at))
		for i := range elems {
			row := make([]value.Value, len(arrays))
			for k, a := range arrays {
				row[k] = a.(value.Array)[i]
			}
			elems[i] = o.with(op.Body, rho, at, op.Params, row...)
		}
		return elems
	case *core.Reduce:
		acc := o.atom(op.Init, rho)
		for _, x := range o.atom(op.Array, rho).(value.Array) {
			acc = o.with(op.Body, rho, at, []*core.Var{op.Acc, op.Elem}, acc, x)
		}
		return acc
	case *core.Scan:
		acc := o.atom(op.Init, rho)
		elems := value.Array{}
		for _, x := range o.atom(op.Array, rho).(value.Array) {
			acc = o.with(op.Body, rho, at, []*core.Var{op.Acc, op.Elem}, acc, x)
			elems = append(elems, acc)
		}
		return elems
	case *core.Loop:
		return o.loop(op, at, rho)
	}
	return construct(op, o.data(op, rho), at)
}

// data returns the operands of an operation that only builds or takes apart.
func (o ordinary) data(op core.Op, rho *env[value.Value]) []value.Value {
	return o.atoms(operands(op), rho)
}

func (o ordinary) loop(op *core.Loop, at diag.Span, rho *env[value.Value]) value.Value {
	state := o.atom(op.Init, rho)
	switch head := op.Head.(type) {
	case *core.Range:
		for i := range o.atom(head.Bound, rho).(value.Int) {
			state = o.with(op.Body, rho, at, []*core.Var{op.State, head.Index}, state, i)
		}
	case *core.Each:
		for _, x := range o.atom(head.Array, rho).(value.Array) {
			state = o.with(op.Body, rho, at, []*core.Var{op.State, head.Elem}, state, x)
		}
	case *core.While:
		for bool(o.with(head.Cond, rho, at, []*core.Var{op.State}, state).(value.Bool)) {
			state = o.with(op.Body, rho, at, []*core.Var{op.State}, state)
		}
	}
	return state
}

// apply computes φ | ρ ⊢ f(V) ⇒ W. Functions are curried.
func (o ordinary) apply(f *closure[value.Value], args []value.Value, at diag.Span) value.Value {
	n := f.missing()
	if len(args) < n {
		return f.partial(args)
	}
	o.call(at)
	result := o.block(f.fun.Body, f.bind(args[:n]), at)
	o.done()
	if len(args) > n {
		return o.apply(result.(*closure[value.Value]), args[n:], at)
	}
	return result
}

// derivative applies the rule for rd,
//
//	φ | ρ ⊢ W.rd_V(x:T. N) ⇝ C    φ | ρ ⊢ C ⇒ X
//	────────────────────────────────────────────
//	        φ | ρ ⊢ W.rd_V(x:T. N) ⇒ X
//
// The values that N captures are closed here, so in C they are constants.
func (o ordinary) derivative(row *prim.Prim, args []value.Value, at diag.Span) value.Value {
	s := newSymbolic(o.machine)
	lifted := make([]sym, len(args))
	for i, a := range args {
		lifted[i] = s.lift(a)
	}
	if o.notes != nil {
		return o.noteDerivative(s, row, lifted, at)
	}
	return s.derivative(row, lifted, at).val
}

// ---- data

// construct returns the value of an operation that only builds data or takes it
// apart, of its operands.
func construct(op core.Op, args []value.Value, at diag.Span) value.Value {
	switch op := op.(type) {
	case *core.Tuple:
		return value.Tuple(args)
	case *core.Proj:
		return args[0].(value.Tuple)[op.Index]
	case *core.Record:
		fields := make(value.Record, len(args))
		for i, a := range args {
			fields[i] = value.Field{Name: op.Ty.Fields[i].Name, Value: a}
		}
		return fields
	case *core.Field:
		return args[0].(value.Record)[op.Index].Value
	case *core.Construct:
		return value.Con{Name: op.Con.Name, Args: args}
	case *core.Array:
		return value.Array(args)
	case *core.Index:
		return args[0].(value.Array)[checkIndex(args, at)]
	case *core.Slice:
		lo, hi := checkSlice(args, at)
		return args[0].(value.Array)[lo:hi]
	case *core.CheckSize:
		if d := op.Failure(at, int64(args[0].(value.Int)), int64(args[1].(value.Int))); d != nil {
			fail(d)
		}
		return value.Tuple{}
	}
	panic("trace: unknown operation")
}

// operands returns the atoms of such an operation.
func operands(op core.Op) []core.Atom {
	switch op := op.(type) {
	case *core.Tuple:
		return op.Elems
	case *core.Proj:
		return []core.Atom{op.Of}
	case *core.Record:
		return op.Elems
	case *core.Field:
		return []core.Atom{op.Of}
	case *core.Construct:
		return op.Args
	case *core.Array:
		return op.Elems
	case *core.Index:
		return []core.Atom{op.Of, op.At}
	case *core.Slice:
		return []core.Atom{op.Of, op.Lo, op.Hi}
	case *core.CheckSize:
		return []core.Atom{op.Got, op.Want}
	}
	panic("trace: unknown operation")
}

// choose returns the arm of a case that a value takes.
func choose(op *core.Case, con value.Con) ([]*core.Var, *core.Block) {
	for _, arm := range op.Arms {
		if arm.Con.Name == con.Name {
			return arm.Vars, arm.Body
		}
	}
	return nil, op.Default
}

func checkLength(n value.Int, at diag.Span) {
	if n < 0 {
		failf(diag.NegativeSize, at, "an array cannot have the size %d", n)
	}
	if n > maxNodes {
		refuse(at, "an array of %d elements is too long to be unrolled", n)
	}
}

func checkIndex(args []value.Value, at diag.Span) int {
	n, i := len(args[0].(value.Array)), args[1].(value.Int)
	if i < 0 || int(i) >= n {
		failf(diag.IndexOutOfRange, at, "index %d is outside an array of length %d", i, n)
	}
	return int(i)
}

func checkSlice(args []value.Value, at diag.Span) (lo, hi int) {
	n, l, h := len(args[0].(value.Array)), args[1].(value.Int), args[2].(value.Int)
	if l < 0 || h < l || int(h) > n {
		failf(diag.BadSlice, at, "the slice [%d:%d] is not within an array of length %d", l, h, n)
	}
	return int(l), int(h)
}

func commonLength(arrays []value.Value, at diag.Span) int {
	n := len(arrays[0].(value.Array))
	for _, a := range arrays[1:] {
		if m := len(a.(value.Array)); m != n {
			failf(diag.SizesDiffer, at,
				"arrays of lengths %d and %d are combined element by element", n, m)
		}
	}
	return n
}
