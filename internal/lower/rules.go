package lower

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
)

var (
	rulesMu sync.Mutex
	known   = map[*loop.Op]*grad.Rule{}
)

// Rules are the derivatives of scalar operations: those of the table of primitives, lowered.
func Rules(op *loop.Op) *grad.Rule {
	rulesMu.Lock()
	defer rulesMu.Unlock()
	r, ok := known[op]
	if !ok {
		r = makeRule(op)
		known[op] = r
	}
	return r
}

func makeRule(op *loop.Op) *grad.Rule {
	if row := slices.Index(roundings[:], op); row >= 0 {
		return &grad.Rule{Partials: []*loop.Func{nil}, Kink: kinkOf(prim.ID(row).Row())}
	}
	if r := sharing(op); r != nil {
		return r
	}
	if op.Prim == nil {
		return nil
	}
	r := &grad.Rule{Partials: make([]*loop.Func, len(op.Args))}
	for i := range op.Args {
		fun := rules.Partial(op.Prim, i)
		if fun == nil {
			continue
		}
		f := ruleFunc("partial", fun)
		if f == nil {
			return nil
		}
		if c, ok := f.Body.Yield[0].(*loop.Const); !ok || c.F != 0 {
			r.Partials[i] = f
		}
	}
	if op.Prim.Kink != "" {
		if r.Kink = kinkOf(op.Prim); r.Kink == nil {
			return nil
		}
	}
	return r
}

// sharing are rules that say what the table says, in a form of which most is computed with the
// operation itself:
// Note [Decay] of package vmath.
func sharing(op *loop.Op) *grad.Rule {
	x, r := loop.NewVar("x", loop.F64), loop.NewVar("r", loop.F64)
	var b loop.Builder
	var slope loop.Atom
	switch op {
	case loop.Lookup("sigmoid"):
		slope = b.Let("slope", loop.Logistic, x)
	case loop.Lookup("tanh"):
		slope = b.Let("slope", loop.Sech2, x)
	case loop.Logistic:
		slope = b.Let("slope", loop.MulF, r,
			b.Let("t", loop.Lookup("tanh"), b.Let("y", loop.MulF, x, loop.Real(-0.5))))
	case loop.Sech2:
		slope = b.Let("slope", loop.MulF, r,
			b.Let("t", loop.MulF, b.Let("t", loop.Lookup("tanh"), x), loop.Real(-2)))
	default:
		return nil
	}
	return &grad.Rule{Partials: []*loop.Func{{Name: "partial", Params: []*loop.Var{x, r},
		Body: b.Block(slope)}}}
}

// kinkOf is the equation that holds where a row has a kink: its two sides.
func kinkOf(row *prim.Prim) *loop.Func {
	left, right := rules.Kink(row)
	return ruleFunc("kink", left, right)
}

// ruleFunc lowers functions of a row's arguments and its result, as one; nil if one is not covered.
func ruleFunc(name string, funs ...*core.Lambda) (f *loop.Func) {
	var err error
	defer func() {
		if err != nil {
			f = nil
		}
	}()
	defer recoverNotCovered(&err)
	l := newLowerer(NewSource(&core.Program{}), nil)
	l.rule = true
	var args []value
	for _, p := range funs[0].Params {
		args = append(args, l.param(p.Name, p.Ty))
	}
	var yield []loop.Atom
	for _, fun := range funs {
		yield = append(yield, l.plain(l.inline(fun, nil, args)))
	}
	return &loop.Func{Name: name, Params: l.params, Body: l.scope().Block(yield...)}
}
