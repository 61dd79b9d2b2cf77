// Package coretest supports tests of what takes core. It is given core alone
// and must stay so simple that it is plainly right; speed and depth of
// recursion are not aims.
//
//   - Eval is the executable semantics of monomorphic core over doubles. It
//     covers every operation but those of calculus, and every evaluator on
//     doubles agrees with it bit for bit.
//   - Denote is the executable semantics over the reals, in high precision. It
//     covers derivatives, integrals, roots and optima too: Note [Denotations].
//   - Approximant limits the recursion of a program, as in A–P Fig. 8.
//   - Generate makes random well-typed programs that end.
package coretest

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Value is a real, int64, bool, string, Tuple, Con, Array or *Closure. A real is a float64 in
// Eval and a *ball.Ball in Denote.
type Value any

// The structured values.
type (
	// Tuple is a tuple, unit or a record (in the order of its fields).
	Tuple []Value
	// Con is a data value.
	Con struct {
		Con  *types.Con
		Args []Value
	}
	// Array is an array.
	Array []Value
	// Closure is a function with the variables that it sees and the arguments that it has already
	// received.
	Closure struct {
		fun  *core.Lambda
		env  env
		args []Value
	}
)

// env maps the variables of one function's activation to values. Each iteration of a loop binds
// its variables again, so closures copy what they see.
type env map[*core.Var]Value

// The default limits of Eval.
const (
	maxSteps = 2_000_000
	maxDepth = 20_000
)

// Eval evaluates the constants of a program in their order and then Main. An error has the code
// and the span that every evaluator must report. Its message is not part of the semantics.
func Eval(p *core.Program) (Value, *diag.Diagnostic) {
	e := newEvaluator(nil)
	if err := e.define(p); err != nil {
		return nil, err
	}
	return e.block(p.Main.Body, env{})
}

// Count applies a function of a program to arguments, and returns the amount of work: the
// operations that run, and the elements that they write.
func Count(p *core.Program, fun *core.Def, args ...Value) (Value, int, *diag.Diagnostic) {
	e := newEvaluator(nil)
	if d := e.define(p); d != nil {
		return nil, 0, d
	}
	v, d := e.apply(e.globals[fun.Name], args, fun.At)
	return v, e.steps, d
}

type evaluator struct {
	globals map[string]Value
	free    map[*core.Lambda][]*core.Var
	reals   arithmetic // nil for doubles
	cost    int        // of a step
	*work
}

// work returns what evaluation has cost so far.
type work struct {
	steps, depth int
	maxSteps     int
}

// arithmetic is an implementation of Real other than doubles.
type arithmetic interface {
	literal(l *core.Lit) Value
	// constant is the value of a definition where it is used.
	constant(name string, v Value) Value
	// prim applies a row on reals, and reports whether the row is one.
	prim(e *evaluator, let *core.Let, op *core.Prim, args []Value) (Value, *diag.Diagnostic, bool)
}

func newEvaluator(reals arithmetic) *evaluator {
	return &evaluator{
		globals: map[string]Value{}, free: map[*core.Lambda][]*core.Var{}, reals: reals, cost: 1,
		work: &work{maxSteps: maxSteps},
	}
}

// define evaluates the definitions of a program and stores their values.
func (e *evaluator) define(p *core.Program) *diag.Diagnostic {
	for _, d := range p.Defs {
		if fun := d.Function(); fun != nil {
			e.globals[d.Name] = &Closure{fun: fun}
		}
	}
	for _, d := range p.Defs {
		if d.Function() != nil {
			continue
		}
		v, err := e.block(d.Body, env{})
		if err != nil {
			return err
		}
		e.globals[d.Name] = v
	}
	return nil
}

func (e *evaluator) block(b *core.Block, vars env) (Value, *diag.Diagnostic) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *core.Let:
			if e.steps += e.cost; e.steps > e.maxSteps {
				return nil, diag.Errorf(diag.TimeLimit, s.At, "too many steps")
			}
			v, err := e.op(s, s.Op, vars)
			if err != nil {
				return nil, err
			}
			vars[s.Var] = v
			e.steps += copied(s.Op, v)
		case *core.LetRec:
			e.letRec(s, vars)
		}
	}
	return e.atom(b.Result, vars), nil
}

// copied returns the number of elements that an operation without a body writes.
func copied(op core.Op, v Value) int {
	switch op.(type) {
	case *core.Prim, *core.Slice, *core.Array:
		if xs, ok := v.(Array); ok {
			return len(xs)
		}
	}
	return 0
}

func (e *evaluator) letRec(s *core.LetRec, vars env) {
	closures := make([]*Closure, len(s.Funs))
	for i, fun := range s.Funs {
		closures[i] = e.closure(fun, vars)
		vars[s.Vars[i]] = closures[i]
	}
	for _, c := range closures {
		for i, v := range s.Vars {
			c.env[v] = closures[i]
		}
	}
}

func (e *evaluator) closure(fun *core.Lambda, vars env) *Closure {
	free, ok := e.free[fun]
	if !ok {
		free = core.OpFreeVars(fun)
		e.free[fun] = free
	}
	own := env{}
	for _, v := range free {
		if value, ok := vars[v]; ok { // missing: of the group being bound
			own[v] = value
		}
	}
	return &Closure{fun: fun, env: own}
}

func (e *evaluator) atom(a core.Atom, vars env) Value {
	switch a := a.(type) {
	case *core.Var:
		v, ok := vars[a]
		if !ok {
			panic("coretest: unbound variable " + a.Name)
		}
		return v
	case *core.Lit:
		switch a.Ty {
		case types.Real:
			if e.reals != nil {
				return e.reals.literal(a)
			}
			x, _ := a.Real.Float64()
			return x
		case types.Int:
			return a.Int
		case types.Bool:
			return a.Bool
		case types.String:
			return a.Str
		}
		return Tuple{}
	case *core.Global:
		v, ok := e.globals[a.Name]
		if !ok {
			panic("coretest: no value for " + a.Name)
		}
		if e.reals != nil {
			return e.reals.constant(a.Name, v)
		}
		return v
	}
	panic("coretest: unknown atom")
}

func (e *evaluator) atoms(as []core.Atom, vars env) []Value {
	values := make([]Value, len(as))
	for i, a := range as {
		values[i] = e.atom(a, vars)
	}
	return values
}

// apply applies a function to arguments one lambda at a time.
func (e *evaluator) apply(f Value, args []Value, at diag.Span) (Value, *diag.Diagnostic) {
	if e.depth++; e.depth > maxDepth {
		return nil, diag.Errorf(diag.DepthLimit, at, "calls nested too deep")
	}
	defer func() { e.depth-- }()
	for len(args) > 0 {
		c := f.(*Closure)
		have := append(c.args[:len(c.args):len(c.args)], args...)
		n := len(c.fun.Params)
		if len(have) < n {
			return &Closure{fun: c.fun, env: c.env, args: have}, nil
		}
		vars := make(env, len(c.env)+n)
		for v, value := range c.env {
			vars[v] = value
		}
		for i, p := range c.fun.Params {
			vars[p] = have[i]
		}
		result, err := e.block(c.fun.Body, vars)
		if err != nil {
			return nil, err
		}
		f, args = result, have[n:]
	}
	return f, nil
}

func (e *evaluator) op(let *core.Let, op core.Op, vars env) (Value, *diag.Diagnostic) {
	switch op := core.Unruled(op).(type) {
	case *core.Prim:
		return e.prim(let, op, e.atoms(op.Args, vars))
	case *core.Lambda:
		return e.closure(op, vars), nil
	case *core.Apply:
		return e.apply(e.atom(op.Fun, vars), e.atoms(op.Args, vars), let.At)
	case *core.Tuple:
		return Tuple(e.atoms(op.Elems, vars)), nil
	case *core.Proj:
		return e.atom(op.Of, vars).(Tuple)[op.Index], nil
	case *core.Record:
		return Tuple(e.atoms(op.Elems, vars)), nil
	case *core.Field:
		return e.atom(op.Of, vars).(Tuple)[op.Index], nil
	case *core.Construct:
		return Con{op.Con, e.atoms(op.Args, vars)}, nil
	case *core.Case:
		return e.caseOf(op, vars)
	case *core.If:
		if e.atom(op.Cond, vars).(bool) {
			return e.block(op.Then, vars)
		}
		return e.block(op.Else, vars)
	case *core.CheckSize:
		got, want := e.atom(op.Got, vars).(int64), e.atom(op.Want, vars).(int64)
		return Tuple{}, op.Failure(let.At, got, want)
	}
	return e.arrayOp(let, op, vars)
}

func (e *evaluator) caseOf(op *core.Case, vars env) (Value, *diag.Diagnostic) {
	of := e.atom(op.Of, vars).(Con)
	for _, arm := range op.Arms {
		if arm.Con == of.Con {
			for i, v := range arm.Vars {
				vars[v] = of.Args[i]
			}
			return e.block(arm.Body, vars)
		}
	}
	return e.block(op.Default, vars)
}
