package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

func (c *funCompiler) wholeRow(s *core.Let, op *core.Prim, args []slot) []slot {
	row := &wholeRow{eval: op.Prim.Float.(prim.Whole)}
	if row.whole = c.whole(op, nil, nil); row.whole != nil {
		row.whole.row = true
	}
	in := instr{op: opWholeP, b: c.list(args), k: int64(add(&c.lib.wholeRows, row))}
	result := c.Of(s.Var.Ty)[0]
	if result == layout.F {
		in.op = opWholeF
	}
	return c.single(s, result, in).slots
}

// derive compiles an application of reverse, forward, jacobian or checkpoint.
func (c *funCompiler) derive(s *core.Let, op *core.Prim) []slot {
	fun := types.Resolve(op.Args[0].Type()).(*types.Fun)
	d := &derivation{row: op.Prim.ID, from: fun.Param, to: fun.Result}
	d.args, d.result = c.Of(fun.Param).Shape(), c.Of(fun.Result).Shape()
	d.call = &callInfo{args: 1, params: []layout.Shape{{}, d.args}, result: c.Of(fun.Result)}
	if len(op.Args) > 2 {
		d.weights = c.Of(op.Args[2].Type()).Shape()
	}
	if numeric(d.from) && numeric(d.to) {
		d.known = c.static(op)
	}
	return c.operate(s, op, d)
}

// onLeaves compiles addReal, scaleReal, innerReal, reals, withReals and stopGradient.
func (c *funCompiler) onLeaves(s *core.Let, op *core.Prim) []slot {
	ty := op.Args[0].Type()
	if op.Prim.ID == prim.ScaleReal {
		ty = op.Args[1].Type()
	}
	return c.operate(s, op, &leafOp{op.Prim.ID, ty, c.Of(ty).Shape()})
}

// rule compiles an application of a function with a rule.
func (c *funCompiler) rule(s *core.Let, op *core.Prim) []slot {
	fun := types.Resolve(op.Args[0].Type()).(*types.Fun)
	at := &ruleSite{from: fun.Param, to: fun.Result}
	at.forward = op.Prim.ID == prim.WithDerivative
	at.args, at.result = c.Of(at.from).Shape(), c.Of(at.to).Shape()
	second, out := at.from, at.to
	if !at.forward {
		second, out = out, second
	}
	two := c.Of(second).Shape()
	both := at.args.Plus(two)
	at.call = &callInfo{args: 1, params: []layout.Shape{{}, at.args}, result: c.Of(at.to)}
	at.rule = &callInfo{args: 2, params: []layout.Shape{{}, at.args, both}, result: c.Of(out)}
	at.first = &callInfo{args: 1, params: []layout.Shape{{}, at.args}, result: layout.OneRef}
	at.transpose = &derivation{row: prim.Reverse, from: second, to: out, args: two, result: c.Of(out).Shape(),
		call: &callInfo{args: 1, params: []layout.Shape{{}, two}, result: c.Of(out)}}
	return c.operate(s, op, at)
}

// operate generates an operation that calls functions, with its arguments and results in lists.
func (c *funCompiler) operate(s *core.Let, op *core.Prim, o operation) []slot {
	atoms := c.atoms(op.Args)
	c.share(atoms...)
	args := c.list(atoms)
	regs := c.targets(s, c.Of(s.Var.Ty), true)
	c.emit(instr{op: opOperate, b: args, c: c.list(regs), k: int64(add(&c.lib.operations, o))})
	return regs
}

// file generates the contents of a data file: constants.
func (c *funCompiler) file(s *core.Let, op *core.Prim) []slot {
	lit, ok := op.Args[0].(*core.Lit)
	if !ok || lit.Data == nil {
		panic("interp: a data file that was not read")
	}
	var from object.Slots
	if err := object.FromValue(c.compiler.Layouts, s.Var.Ty, *lit.Data, &from); err != nil {
		panic("interp: data that does not have its type: " + err.Error())
	}
	var slots []slot
	var at layout.Shape
	for _, k := range c.Of(s.Var.Ty) {
		switch n := at.Next(k); k {
		case layout.F:
			slots = append(slots, constF(from.F[n]))
		case layout.I:
			slots = append(slots, constI(from.I[n]))
		case layout.P:
			slots = append(slots, constP(from.P[n]))
		}
	}
	return slots
}

// known gives the function that an atom is, or nil.
func (c *funCompiler) known(a core.Atom) *knownFunction {
	switch a := a.(type) {
	case *core.Global:
		if g := c.globals[a.Name]; g != nil && g.lambda != nil {
			return &knownFunction{lambda: g.lambda}
		}
	case *core.Var:
		return c.functions[a]
	}
	return nil
}

// static prepares the forward derivative of a known function of one argument.
func (c *funCompiler) static(op *core.Prim) *staticForward {
	f := c.known(op.Args[0])
	if f == nil || op.Prim.ID != prim.Forward || len(f.lambda.Params) != 1 {
		return nil
	}
	return &staticForward{knownFunction: *f, program: c.program}
}
