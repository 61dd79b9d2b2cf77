package trace

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// A function with a rule of the program's own, `withPullback f bf`, is an operation: ev(op, V) is f
// V and ev(op_r, ⟨V, W⟩) is bf V W. The paper has op_r for every op; (op_r)_r is W.rd_V of bf, and
// so on.

// rule is such an operation, or a reverse derivative of one: a closed function of one argument.
type rule struct {
	fun      *closure[value.Value]
	pullback *closure[value.Value] // bf of op itself; nil of op_r
	from, to types.Type
	arg, out value.Value // whose discrete parts are those of the argument and of the result
}

// ruleOp returns the operation of a rule.
func ruleOp(r *rule, of *Op) *Op {
	op := &Op{Name: "op", Dom: shape(r.arg), Cod: shape(r.out), rule: r, of: of}
	if of != nil {
		op.Name = of.Name + "_r"
	}
	return op
}

// reverse returns op_r.
func (r *rule) reverse() *rule {
	f := core.NewVar("f", types.Funs(r.to, r.from))
	p := core.NewVar("p", &types.Tuple{Elems: []types.Type{r.from, r.to}})
	var b core.Builder
	x := b.Emit("x", &core.Proj{Of: p, Index: 0}, diag.Span{})
	w := b.Emit("w", &core.Proj{Of: p, Index: 1}, diag.Span{})
	of, result := r.fun, core.Atom(nil)
	if r.pullback != nil {
		of = r.pullback
		f.Ty = types.Funs(r.from, r.from, r.to)
		result = b.Emit("d", &core.Apply{Fun: f, Args: []core.Atom{x, w}}, diag.Span{})
	} else {
		both := b.Emit("r", &core.Prim{Prim: prim.Reverse.Row(), Inst: []types.Type{r.from, r.to},
			Args: []core.Atom{f, x, w}}, diag.Span{})
		result = b.Emit("d", &core.Proj{Of: both, Index: 1}, diag.Span{})
	}
	captured := &env[value.Value]{vars: map[*core.Var]value.Value{f: of}}
	fun := &closure[value.Value]{fun: &core.Lambda{Params: []*core.Var{p}, Body: b.Block(result)},
		env: captured}
	return &rule{fun: fun, from: p.Ty, to: r.from, arg: value.Tuple{r.arg, r.out}, out: r.arg}
}

// ev computes ev(op, V).
func (r *rule) ev(m *machine, op *Op, v Val) Val {
	result := ordinary{m}.apply(r.fun, []value.Value{withReals(r.arg, v)}, diag.Span{})
	part, err := realPart(result, op.Cod)
	if err != nil {
		failf(diag.ShapesDiffer, diag.Span{},
			"the result of a rule has another shape than its function's argument: %v", err)
	}
	return part
}

// ruled returns the application of such a function. If what it captures depends on a variable of
// differentiation, op would not be closed, and the function is traced as usual.
func (s *symbolic) ruled(name string, op *core.Prim, args []sym, at diag.Span) sym {
	f, bf, x := args[0].function(), args[1].function(), args[2]
	if !moves(x.term) || s.captures(f, map[*closure[sym]]bool{}) ||
		s.captures(bf, map[*closure[sym]]bool{}) {
		return s.apply(name, f, []sym{x}, at)
	}
	r := &rule{fun: s.closed(f), pullback: s.closed(bf), from: op.Inst[0], to: op.Inst[1],
		arg: s.plain(x.val)}
	r.out = ordinary{s.machine}.apply(r.fun, []value.Value{r.arg}, at)
	if isUnit(shape(r.out)) {
		return s.lift(r.out)
	}
	y := s.lift(r.out)
	return s.emit(name, &Apply{ruleOp(r, nil), x.term}, y.val, at)
}

// captures reports whether a function captures a value that depends on a variable of
// differentiation.
func (s *symbolic) captures(f *closure[sym], seen map[*closure[sym]]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	for _, v := range core.OpFreeVars(f.fun) {
		if s.depends(f.env.get(v), seen) {
			return true
		}
	}
	for _, v := range f.fun.Params[:f.given] {
		if s.depends(f.env.get(v), seen) {
			return true
		}
	}
	return false
}

func (s *symbolic) depends(x sym, seen map[*closure[sym]]bool) bool {
	if moves(x.term) {
		return true
	}
	var functions func(v value.Value) bool
	functions = func(v value.Value) bool {
		if f, ok := v.(*closure[sym]); ok {
			return s.captures(f, seen)
		}
		for _, c := range children(v) {
			if functions(c) {
				return true
			}
		}
		return false
	}
	return functions(x.val)
}

// closed returns a function whose environment has only values. It is the inverse of lift.
func (s *symbolic) closed(f *closure[sym]) *closure[value.Value] {
	captured := &env[value.Value]{vars: map[*core.Var]value.Value{},
		outer: func(v *core.Var) value.Value { return s.plain(f.env.get(v).val) }}
	return &closure[value.Value]{fun: f.fun, env: captured, given: f.given}
}

func (s *symbolic) plain(v value.Value) value.Value {
	if f, ok := v.(*closure[sym]); ok {
		return s.closed(f)
	}
	return mapChildren(v, func(_ int, c value.Value) value.Value { return s.plain(c) })
}
