package check

import (
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// apply infers an application of a function to arguments.
func (c *checker) apply(e *syntax.Apply) types.Type {
	whole := c.infer(e.Fun)
	if taken := arity(whole, len(e.Args)); taken < len(e.Args) {
		for _, arg := range e.Args {
			c.infer(arg)
		}
		c.tooManyArguments(e, whole, taken)
		return c.bad()
	}
	t := whole
	errors := c.sink.Errors()
	for i, arg := range e.Args {
		switch f := types.Resolve(t).(type) {
		case *types.Fun:
			c.argument(e, arg, f.Param, why{kind: whyArgument, n: i + 1, node: e, whole: whole})
			t = f.Result
		case *types.Meta:
			if f.Poisoned {
				for _, rest := range e.Args[i:] {
					c.infer(rest)
				}
				return f
			}
			result := c.u.Fresh()
			param := c.infer(arg)
			c.expect(e.Fun, f, &types.Fun{Param: param, Result: result}, why{kind: whyApplied})
			t = result
		default: // known only after an argument was inferred
			for _, rest := range e.Args[i:] {
				c.infer(rest)
			}
			c.tooManyArguments(e, whole, i)
			return c.bad()
		}
	}
	if _, tuple := e.Args[0].(*syntax.Tuple); tuple && isFun(t) && c.sink.Errors() > errors {
		return c.bad() // f (a, b) for f a b: the message about the tuple is enough
	}
	return t
}

// arity returns how many arguments, up to n, a value of type t can be applied to, as far as is
// known.
func arity(t types.Type, n int) int {
	params, result := types.Arity(t, n)
	if m, ok := result.(*types.Meta); ok && mayBeFunction(m) {
		return n
	}
	return params
}

// mayBeFunction reports whether an unknown may yet turn out to be a function. Functions have no
// classes. Diff is allowed here, because a function with class Diff gets a message of its own.
func mayBeFunction(m *types.Meta) bool { return m.Poisoned || m.Classes&^types.Diff == 0 }

// argument checks one argument of a call.
func (c *checker) argument(call *syntax.Apply, arg syntax.Expr, want types.Type, w why) {
	if isUnknown(want) && c.isRecursive(call.Fun) {
		// A recursive call has its own sizes, even if the call itself determines the parameter's
		// type. See Note [Sizes].
		got := c.infer(arg)
		c.expect(arg, want, c.u.WithFreshSizes(got), w)
		return
	}
	c.check(arg, want, w)
}

func (c *checker) isRecursive(fun syntax.Expr) bool {
	v, ok := fun.(*syntax.Var)
	if !ok {
		return false
	}
	b := c.names.lookup(v.Name)
	if b == nil {
		return false
	}
	_, ok = b.object.(*recursive)
	return ok
}

// ---- constructors

// conInfo is a constructor as a value.
type conInfo struct {
	scheme *types.Scheme
	object *Constructor
	use    *Use
}

func (c *checker) conInfo(con *types.Con) *conInfo {
	if info := c.cons[con]; info != nil {
		return info
	}
	args := make([]types.Type, len(con.Data.Params))
	for i, p := range con.Data.Params {
		args[i] = p
	}
	object := &Constructor{con}
	info := &conInfo{
		scheme: &types.Scheme{Params: con.Data.Params,
			Type: types.Funs(&types.Data{Decl: con.Data, Args: args}, con.Fields...)},
		object: object,
		use:    &Use{Object: object},
	}
	if c.cons == nil {
		c.cons = map[*types.Con]*conInfo{}
	}
	c.cons[con] = info
	return info
}

func (c *checker) conExpr(e *syntax.Con) types.Type {
	con := c.findCon(e.Name)
	if con == nil {
		c.unknownCon(syntax.Ident{Name: e.Name, At: e.At}, false)
		return c.bad()
	}
	return c.constructor(e, con)
}

// constructor records the use of a constructor and returns its type there.
func (c *checker) constructor(n syntax.Node, con *types.Con) types.Type {
	info := c.conInfo(con)
	if len(info.scheme.Params) == 0 {
		c.info.Uses[n.Num()] = info.use
		return info.scheme.Type
	}
	t, inst := c.u.Instantiate(info.scheme, n)
	c.info.Uses[n.Num()] = &Use{info.object, inst}
	return t
}

// ---- operators

// rowOf returns the name of the primitive behind an operator.
func rowOf(op syntax.Op) string {
	if op == syntax.OpScale {
		return "scale"
	}
	return op.String()
}

// opClass returns the class that an operator requires of its two operands, which have the same
// type, or 0 for other operators.
func opClass(op syntax.Op) types.Classes {
	switch op {
	case syntax.OpAdd, syntax.OpSub:
		return types.Add
	case syntax.OpMul:
		return types.Num
	case syntax.OpDiv:
		return types.Num | types.Vec
	case syntax.OpEq, syntax.OpNe:
		return types.Eq
	case syntax.OpLt, syntax.OpLe, syntax.OpGt, syntax.OpGe:
		return types.Cmp
	}
	return 0
}

func (c *checker) binary(e *syntax.Binary) types.Type {
	switch e.Op {
	case syntax.OpPipe:
		arg := c.infer(e.L)
		fun := c.infer(e.R)
		return c.pipe(e, arg, fun)
	case syntax.OpAnd, syntax.OpOr:
		c.check(e.L, types.Bool, why{kind: whyOperand, n: 1, node: e})
		c.check(e.R, types.Bool, why{kind: whyOperand, n: 2, node: e})
		return types.Bool
	case syntax.OpPowR:
		c.noteReal(e, e.L)
		c.noteReal(e, e.R)
		c.check(e.L, types.Real, why{kind: whyOperand, n: 1, node: e})
		c.check(e.R, types.Real, why{kind: whyOperand, n: 2, node: e})
		c.useOperator(e, e.Op, nil)
		return types.Real
	case syntax.OpDiv:
		return c.divide(e)
	case syntax.OpPow:
		t := c.infer(e.L)
		c.require(e, t, types.Num)
		c.check(e.R, types.Int, why{kind: whyOperand, n: 2, node: e})
		c.useOperator(e, e.Op, t)
		return t
	case syntax.OpScale:
		c.check(e.L, types.Real, why{kind: whyOperand, n: 1, node: e})
		t := c.infer(e.R)
		c.require(e, t, types.Vec)
		c.useOperator(e, e.Op, t)
		return t
	}
	t := c.operands(e)
	c.useOperator(e, e.Op, t)
	if e.Op >= syntax.OpEq && e.Op <= syntax.OpGe {
		return types.Bool
	}
	return t
}

// noteReal remembers the operator that made a variable a Real, if nothing was known about the
// variable before.
func (c *checker) noteReal(e *syntax.Binary, operand syntax.Expr) {
	v, ok := operand.(*syntax.Var)
	if !ok {
		return
	}
	b := c.names.lookup(v.Name)
	if b == nil {
		return
	}
	var scheme *types.Scheme
	switch o := b.object.(type) {
	case *Local:
		scheme = o.Scheme
	case *Global:
		scheme = o.Scheme
	default:
		return
	}
	if isUnknown(scheme.Type) {
		if c.madeReal == nil {
			c.madeReal = map[Object]*realUse{}
		}
		c.madeReal[b.object] = &realUse{op: e, operand: v}
	}
}

// operands infers two operands of the same type. A literal is inferred last, because beside a
// known number it needs no unknown.
func (c *checker) operands(e *syntax.Binary) types.Type {
	if _, literal := e.L.(*syntax.Number); literal {
		right := c.infer(e.R)
		return c.elementwise(e, c.inferBeside(e.L, right), right)
	}
	left := c.infer(e.L)
	return c.elementwise(e, left, c.inferBeside(e.R, left))
}

// divide infers x / y, of arrays or of reals. If neither operand is an array or may become one,
// both must be reals, and an error is reported at one operand.
func (c *checker) divide(e *syntax.Binary) types.Type {
	left, right := c.infer(e.L), c.infer(e.R)
	t := types.Type(types.Real)
	if isArray(left) || isArray(right) || mayBeArray(left) && mayBeArray(right) {
		t = c.elementwise(e, left, right)
	} else {
		c.noteReal(e, e.L)
		c.noteReal(e, e.R)
		c.expect(e.L, t, left, why{kind: whyOperand, n: 1, node: e})
		c.expect(e.R, t, right, why{kind: whyOperand, n: 2, node: e})
	}
	c.useOperator(e, e.Op, t)
	return t
}

// mayBeArray reports whether a type is an unknown that may turn out to be an array.
func mayBeArray(t types.Type) bool {
	m, ok := types.Resolve(t).(*types.Meta)
	return ok && m.Classes&(types.Scalar|types.Cmp) == 0
}

// elementwise makes the operands have the same type, of the operator's class, and returns the
// type of the result.
func (c *checker) elementwise(e *syntax.Binary, left, right types.Type) types.Type {
	class := opClass(e.Op)
	if basic, ok := types.Resolve(left).(*types.Basic); ok && types.Resolve(right) ==
		types.Type(basic) {
		c.require(e, basic, class)
		return basic
	}
	if !types.HasArray(left) {
		if !c.expect(e, left, right, why{kind: whyOperands, node: e}) {
			return c.bad()
		}
		if !c.require(e, left, class) {
			return c.bad()
		}
		return left
	}
	// The result of an elementwise operation has a size of its own, with equations to the sizes
	// of both operands.
	if !c.require(e, left, class) {
		return c.bad()
	}
	t := c.u.WithFreshSizes(left)
	c.expect(e, t, left, why{kind: whyOperands, node: e})
	if !c.expect(e, t, right, why{kind: whyOperands, node: e}) {
		return c.bad()
	}
	return t
}

// inferBeside infers an operand. If it is a literal and the other operand is a number, the
// literal gets that type.
func (c *checker) inferBeside(e syntax.Expr, other types.Type) types.Type {
	if lit, ok := e.(*syntax.Number); ok {
		if basic, ok := types.Resolve(other).(*types.Basic); ok && c.literalAt(lit, basic) {
			return c.record(e, basic)
		}
	}
	return c.infer(e)
}

// require makes a type have a class that an operator needs, and reports whether it can.
func (c *checker) require(e syntax.Expr, t types.Type, class types.Classes) bool {
	lack := types.Require(t, class, e)
	if lack != nil {
		c.noInstance(e.Span(), lack, e)
	}
	return lack == nil
}

// useOperator records which primitive an operator is, and at which type. at is nil for a
// primitive without parameters.
func (c *checker) useOperator(e syntax.Expr, op syntax.Op, at types.Type) {
	var shared **Use
	if at == nil {
		shared = &c.opUses[op][0]
	} else {
		switch types.Resolve(at) {
		case types.Real:
			shared = &c.opUses[op][0]
		case types.Int:
			shared = &c.opUses[op][1]
		}
	}
	if shared != nil && *shared != nil {
		c.info.Uses[e.Num()] = *shared
		return
	}
	use := &Use{Object: c.operator(rowOf(op))}
	if at != nil {
		use.Inst = []types.Type{at}
	}
	if shared != nil {
		*shared = use
	}
	c.info.Uses[e.Num()] = use
}

// operator returns the primitive behind an operator. The table has all of them.
func (c *checker) operator(name string) Object {
	if p := c.primitive(name); p != nil {
		return p
	}
	panic("check: the table of primitives has no row " + name)
}

func (c *checker) negate(e *syntax.Neg) types.Type {
	t := c.infer(e.X)
	if n, ok := unparen(e.X).(*syntax.Number); ok && len(c.literals) > 0 &&
		c.literals[len(c.literals)-1].number == n {
		c.literals[len(c.literals)-1].negated = true
	}
	if lack := types.Require(t, types.Add, e); lack != nil {
		c.noInstance(e.At, lack, e)
	}
	c.info.Uses[e.ID] = &Use{Object: c.operator("neg"), Inst: []types.Type{t}}
	return t
}

// operatorFunction infers an operator in parentheses, such as (+).
func (c *checker) operatorFunction(e *syntax.OpFun) types.Type {
	switch e.Op {
	case syntax.OpAnd, syntax.OpOr:
		return types.Funs(types.Bool, types.Bool, types.Bool)
	case syntax.OpPipe:
		a, b := c.u.Fresh(), c.u.Fresh()
		return types.Funs(b, a, &types.Fun{Param: a, Result: b})
	}
	p := c.operator(rowOf(e.Op)).(*Primitive)
	return c.use(e, &bound{object: p, use: &Use{Object: p}})
}

// pipe infers x |> f.
func (c *checker) pipe(e *syntax.Binary, arg, fun types.Type) types.Type {
	switch f := types.Resolve(fun).(type) {
	case *types.Fun:
		c.expect(e.L, f.Param, arg, why{kind: whyPiped, node: e, whole: fun})
		return f.Result
	case *types.Meta:
		if f.Poisoned {
			return f
		}
		if !mayBeFunction(f) {
			break
		}
		result := c.u.Fresh()
		c.expect(e.R, f, &types.Fun{Param: arg, Result: result}, why{kind: whyApplied})
		return result
	}
	c.notAFunction(e.R, fun)
	return c.bad()
}
