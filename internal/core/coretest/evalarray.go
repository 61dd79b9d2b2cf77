package coretest

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

func (e *evaluator) arrayOp(let *core.Let, op core.Op, vars env) (Value, *diag.Diagnostic) {
	switch op := op.(type) {
	case *core.Array:
		return Array(e.atoms(op.Elems, vars)), nil
	case *core.Build:
		n := e.atom(op.Size, vars).(int64)
		if n < 0 {
			return nil, diag.Errorf(diag.NegativeSize, let.At, "an array of size %d", n)
		}
		return e.collect(int(n), op.Body, vars, func(i int) { vars[op.Index] = int64(i) })
	case *core.Map:
		arrays := make([]Array, len(op.Arrays))
		for i, a := range op.Arrays {
			arrays[i] = e.atom(a, vars).(Array)
			if len(arrays[i]) != len(arrays[0]) {
				return nil, diag.Errorf(diag.SizesDiffer, let.At, "arrays of %d and %d elements",
					len(arrays[0]), len(arrays[i]))
			}
		}
		return e.collect(len(arrays[0]), op.Body, vars, func(i int) {
			for k, p := range op.Params {
				vars[p] = arrays[k][i]
			}
		})
	case *core.Index:
		xs, i := e.atom(op.Of, vars).(Array), e.atom(op.At, vars).(int64)
		if i < 0 || i >= int64(len(xs)) {
			return nil, diag.Errorf(diag.IndexOutOfRange, let.At, "index %d of %d", i, len(xs))
		}
		return xs[i], nil
	case *core.Slice:
		xs, lo, hi := e.atom(op.Of, vars).(Array), e.atom(op.Lo, vars).(int64),
			e.atom(op.Hi, vars).(int64)
		if lo < 0 || hi < lo || hi > int64(len(xs)) {
			return nil, diag.Errorf(diag.BadSlice, let.At, "slice %d:%d of %d", lo, hi, len(xs))
		}
		return xs[lo:hi:hi], nil
	case *core.Reduce:
		acc := e.atom(op.Init, vars)
		for _, x := range e.atom(op.Array, vars).(Array) {
			var err *diag.Diagnostic
			vars[op.Acc], vars[op.Elem] = acc, x
			if acc, err = e.block(op.Body, vars); err != nil {
				return nil, err
			}
		}
		return acc, nil
	case *core.Scan:
		acc := e.atom(op.Init, vars)
		states := Array{}
		for _, x := range e.atom(op.Array, vars).(Array) {
			var err *diag.Diagnostic
			vars[op.Acc], vars[op.Elem] = acc, x
			if acc, err = e.block(op.Body, vars); err != nil {
				return nil, err
			}
			states = append(states, acc)
		}
		return states, nil
	case *core.Loop:
		return e.loop(let, op, vars)
	}
	panic("coretest: unknown operation")
}

// collect evaluates a body n times; bind sets the variables of each turn.
func (e *evaluator) collect(n int, body *core.Block, vars env, bind func(i int)) (
	Value, *diag.Diagnostic) {
	elems := make(Array, 0, min(n, 1024))
	for i := range n {
		bind(i)
		v, err := e.block(body, vars)
		if err != nil {
			return nil, err
		}
		if e.steps += e.cost; e.steps > e.maxSteps {
			return nil, diag.Errorf(diag.TimeLimit, diag.Span{}, "too many steps")
		}
		elems = append(elems, v)
	}
	return elems, nil
}

func (e *evaluator) loop(let *core.Let, op *core.Loop, vars env) (Value, *diag.Diagnostic) {
	state := e.atom(op.Init, vars)
	turn := func() (err *diag.Diagnostic) {
		if e.steps += e.cost; e.steps > e.maxSteps {
			return diag.Errorf(diag.TimeLimit, let.At, "too many steps")
		}
		vars[op.State] = state
		state, err = e.block(op.Body, vars)
		return err
	}
	switch head := op.Head.(type) {
	case *core.Range:
		for i, n := int64(0), e.atom(head.Bound, vars).(int64); i < n; i++ {
			vars[head.Index] = i
			if err := turn(); err != nil {
				return nil, err
			}
		}
	case *core.Each:
		for _, x := range e.atom(head.Array, vars).(Array) {
			vars[head.Elem] = x
			if err := turn(); err != nil {
				return nil, err
			}
		}
	case *core.While:
		for {
			vars[op.State] = state
			more, err := e.block(head.Cond, vars)
			if err != nil {
				return nil, err
			}
			if !more.(bool) {
				break
			}
			if err := turn(); err != nil {
				return nil, err
			}
		}
	}
	return state, nil
}
