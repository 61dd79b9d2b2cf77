package coretest

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Denotations]
//
// Denote is the semantics of A–P Fig. 7 as a program, for the whole of core. A
// real is a real number, known to a working precision. A function is what it
// does to its arguments, and calculus is defined by that alone:
//
//   - a derivative is the limit of difference quotients (slope.go);
//   - an integral is the limit of sums (integral.go);
//   - a root is where signs change, a maximum where no value is larger
//     (search.go).
//
// There is no rule of differentiation in it: none of a primitive, nor Leibniz's
// for integrals, the implicit function theorem for roots, or Danskin's for
// optima. These are what the engines are tested for.
//
// Denotations are partial, as in Fig. 7. A comparison of equal reals, a
// primitive outside of its domain and a derivative at a kink have no value
// (TiedComparison, Undefined). Neither has what fails or does not end.
//
// Reals are balls, whose radius bounds the errors of rounding, so that no
// comparison is decided by such an error. Limits are approximated: the
// captured reals of a function whose limit is taken are replaced by their
// midpoints (points), the limit is computed with more bits, and the result is
// widened by an estimate. Therefore the radius alone proves nothing. Denote
// evaluates the program twice, with different precisions, steps and grids, and
// vouches only for what both evaluations agree on. Whatever it cannot vouch
// for is Undecided.

// rungs are the working precisions that Denote tries, in bits.
var rungs = []uint{56, 84, 128, 200, 300}

// agreed is the number of bits, relative to the larger of a real and 1, to
// which two evaluations must agree.
const agreed = 40

// Denote evaluates a program over the reals: Note [Denotations]. The reals of
// the value are balls of a radius below 2^-39, relative to the larger of the
// real and 1. No evaluation takes more than so many steps, where one with n bits
// counts 1 + n/256 times.
func Denote(p *core.Program, steps int) (Value, *diag.Diagnostic) {
	return ladder(p.Main.At, func(bits uint) (Value, *diag.Diagnostic) {
		e := newDenotation(bits, steps)
		if d := e.define(p); d != nil {
			return nil, d
		}
		return e.block(p.Main.Body, env{})
	})
}

// DenoteReverse returns the denotation of the reverse derivative of a function at x,
// with a cotangent of its value: the value and the gradient.
func DenoteReverse(p *core.Program, fun *core.Def, x, bt Value, steps int) (
	Value, *diag.Diagnostic) {
	return ladder(fun.At, func(bits uint) (Value, *diag.Diagnostic) {
		e := newDenotation(bits, steps)
		if d := e.define(p); d != nil {
			return nil, d
		}
		return e.reals.(*denotation).reverse(e, &core.Let{At: fun.At}, e.globals[fun.Name], x, bt)
	})
}

// ladder evaluates with more and more bits until two results agree. A real that
// has an error which no bits make smaller has no value.
func ladder(at diag.Span, evaluate func(bits uint) (Value, *diag.Diagnostic)) (
	Value, *diag.Diagnostic) {
	var last Value
	var d *diag.Diagnostic
	for _, bits := range rungs {
		v, failure := evaluate(bits)
		if failure != nil {
			if failure.Code != diag.Undecided {
				return nil, failure
			}
			last, d = nil, failure
			continue
		}
		d = diag.Errorf(diag.Undecided, at, "the value has not settled")
		if last != nil {
			if settled, ok := settle(last, v); ok {
				return settled, nil
			}
			if stays(last, v) {
				d = diag.Errorf(diag.Undefined, at, "a limit is another from another side")
			}
		}
		last = v
	}
	return nil, d
}

// stays reports whether some real of v is hardly better known than in u, which was
// evaluated with fewer bits.
func stays(u, v Value) bool {
	xs, ys := Reals(u), Reals(v)
	for i := range min(len(xs), len(ys)) {
		before, known := xs[i].(*ball.Ball).RadExp()
		now, alsoKnown := ys[i].(*ball.Ball).RadExp()
		if known && alsoKnown && now > -agreed && now >= before-1 {
			return true
		}
	}
	return false
}

// settle returns what two evaluations agree on.
func settle(u, v Value) (Value, bool) {
	if Show(mapReals(u, plain)) != Show(mapReals(v, plain)) {
		return nil, false
	}
	ok := true
	xs, ys := Reals(u), Reals(v)
	for i, y := range ys {
		x, y := xs[i].(*ball.Ball), y.(*ball.Ball)
		both := new(ball.Ball).Hull(x, y, rungs[0])
		tol := new(ball.Ball).Max(ball.FromInt64(1), new(ball.Ball).Mid(y), rungs[0])
		tol.Max(tol, new(ball.Ball).Neg(new(ball.Ball).Mid(y)), rungs[0])
		ok = ok && both.NarrowerThan(tol.Mul2(tol, 1-agreed))
		ys[i] = both
	}
	return withLeaves(v, ys), ok
}

func plain(Value) Value { return 0.0 }

// Agree reports whether two denotations are the same, as far as Denote vouches
// for them.
func Agree(u, v Value) bool {
	_, ok := settle(u, v)
	return ok
}

// denotation is the arithmetic that Denote uses.
type denotation struct {
	precise
	path *path

	// constants holds the midpoints of the constants that functions capture
	// whose limit is being taken; it is nil where none is.
	constants map[string]Value
}

func newDenotation(bits uint, steps int) *evaluator {
	e := newEvaluator(&denotation{precise: precise{tier.Multi{Prec: bits}}, path: &path{}})
	e.maxSteps = steps
	return e
}

// closely returns an evaluator of functions whose limit is taken.
func (d *denotation) closely(e *evaluator, bits uint) *evaluator {
	constants := d.constants
	if constants == nil {
		constants = map[string]Value{}
	}
	return &evaluator{
		globals: e.globals, free: e.free, work: e.work, cost: 1 + int(bits)/256,
		reals: &denotation{precise{tier.Multi{Prec: bits}}, d.path, constants},
	}
}

func (d *denotation) literal(l *core.Lit) Value { return d.tier.Rat(l.Real) }

func (d *denotation) constant(name string, v Value) Value {
	if d.constants == nil {
		return v
	}
	if d.constants[name] == nil {
		d.constants[name] = points(v)
	}
	return d.constants[name]
}

// prim applies a row. There is no ball arithmetic for whole linear algebra here, and the
// derivatives of a program's own rules are not limits of quotients: nothing vouches for either.
func (d *denotation) prim(e *evaluator, let *core.Let, op *core.Prim, args []Value) (
	Value, *diag.Diagnostic, bool) {
	if IsCalculus(op.Prim) && op.Prim.Over == 0 {
		v, failure := d.calculus(e, let, op.Prim.ID, args)
		return v, failure, true
	}
	if _, whole := op.Prim.Float.(prim.Whole); whole || core.IsRule(op) ||
		op.Prim.ID == prim.StopGradient || op.Prim.Over != 0 {
		return nil, noDenotation(let.At, op), true
	}
	v, failure, ok := d.precise.prim(e, let, op, args)
	if !ok || failure != nil {
		return v, failure, ok
	}
	if failure := d.decide(let, op, args, v); failure != nil {
		return nil, failure, true
	}
	for _, x := range Reals(v) {
		if x := x.(*ball.Ball); !x.IsFinite() || x.Partial() {
			return nil, undefined(let.At, args, "%s outside of its domain", op.Prim.Name), true
		}
	}
	return v, nil, true
}

// noDenotation returns the error of a row whose value nothing here vouches for, as the text of a
// real.
func noDenotation(at diag.Span, op *core.Prim) *diag.Diagnostic {
	return diag.Errorf(diag.Undecided, at, "`%s` has no denotation here", op.Prim.Name)
}

// undefined returns the error of an operation that has no value, if the reals that it is applied
// to are known exactly. Otherwise it returns the error of one that may have no value.
func undefined(at diag.Span, args []Value, format string, words ...any) *diag.Diagnostic {
	code := diag.Undefined
	for _, arg := range args {
		for _, x := range Reals(arg) {
			if !x.(*ball.Ball).IsExact() {
				code = diag.Undecided
			}
		}
	}
	return diag.Errorf(code, at, format, words...)
}

// decide refuses comparisons of equal reals, and records which way a discrete choice goes.
func (d *denotation) decide(let *core.Let, op *core.Prim, args []Value,
	result Value) *diag.Diagnostic {
	switch op.Prim.KinkKind {
	case prim.TieKink:
		x, y := args[0].(*ball.Ball), args[1].(*ball.Ball)
		if x.Equal(y) { // or compareBalls would have refused
			return diag.Errorf(diag.TiedComparison, let.At, "a comparison of equal reals")
		}
		d.path.order(bit(result.(bool)), x, y)
		return nil
	case prim.MaxKink, prim.MinKink, prim.AbsKink, prim.JumpKink:
		if n, rounding := result.(int64); rounding {
			d.path.note(int(n))
			return nil
		}
		x, y := args[0].(*ball.Ball), ball.New()
		if len(args) == 2 {
			y = args[1].(*ball.Ball)
		}
		d.path.order(bit(x.Less(y))-bit(y.Less(x)), x, y)
		return nil
	}
	switch op.Prim.ID {
	case prim.SortIndices:
		xs := args[0].(Array)
		order := result.(Array)
		for k := range order {
			d.path.note(int(order[k].(int64)))
			if k > 0 && xs[order[k-1].(int64)].(*ball.Ball).Equal(
				xs[order[k].(int64)].(*ball.Ball)) {
				return diag.Errorf(diag.TiedComparison, let.At, "sorting equal reals")
			}
		}
	case prim.Show:
		if len(Reals(args[0])) > 0 {
			return diag.Errorf(diag.NoText, let.At, "the digits of a real")
		}
	}
	return nil
}

// points returns a value with its reals replaced by their midpoints, including those that its
// functions captured.
func points(v Value) Value {
	seen := map[*Closure]*Closure{}
	var of func(v Value) Value
	all := func(vs []Value) []Value {
		made := make([]Value, len(vs))
		for i, v := range vs {
			made[i] = of(v)
		}
		return made
	}
	of = func(v Value) Value {
		switch v := v.(type) {
		case *ball.Ball:
			return new(ball.Ball).Mid(v)
		case Tuple:
			return Tuple(all(v))
		case Array:
			return Array(all(v))
		case Con:
			return Con{v.Con, all(v.Args)}
		case *Closure:
			if c := seen[v]; c != nil {
				return c
			}
			c := &Closure{fun: v.fun, env: make(env, len(v.env))}
			seen[v] = c // before its environment, in which it may be
			for name, value := range v.env {
				c.env[name] = of(value)
			}
			c.args = all(v.args)
			return c
		}
		return v
	}
	return of(v)
}

// calculus applies a row on functions of reals.
func (d *denotation) calculus(e *evaluator, let *core.Let, row prim.ID, args []Value) (
	Value, *diag.Diagnostic) {
	x := func(i int) *ball.Ball { return args[i].(*ball.Ball) }
	switch row {
	case prim.Forward:
		return d.forward(e, let, args[0], args[1], args[2])
	case prim.Reverse:
		return d.reverse(e, let, args[0], args[1], args[2])
	case prim.Jacobian:
		return d.jacobian(e, let, args[0], args[1])
	case prim.Integral:
		return d.integral(e, let, x(0), x(1), args[2])
	case prim.IntegralFrom:
		return d.integralFrom(e, let, x(0), args[1])
	case prim.Root:
		return d.root(e, let, x(0), x(1), args[2])
	case prim.CutRoot:
		return d.cutRoot(e, let, args[0])
	case prim.FirstRoot:
		return d.firstRoot(e, let, args[0])
	case prim.Crosses:
		return d.crosses(e, let, args[0])
	case prim.MaxOver:
		_, y, failure := d.maximum(e, let, x(0), x(1), args[2])
		return y, failure
	case prim.ArgmaxOver:
		return d.argmax(e, let, x(0), x(1), args[2])
	}
	panic("coretest: no denotation of " + row.String())
}

// call applies a function of a real to a point.
func call(e *evaluator, let *core.Let, f Value, x *ball.Ball) (*ball.Ball, *diag.Diagnostic) {
	y, failure := e.apply(f, []Value{x}, let.At)
	if failure != nil {
		return nil, failure
	}
	return y.(*ball.Ball), nil
}

// widen adds 2^-bits of a ball to its radius.
func widen(x *ball.Ball, bits uint) *ball.Ball {
	return new(ball.Ball).AddRad(x, new(ball.Ball).Mul2(new(ball.Ball).Mid(x), -int64(bits)))
}

// exponent returns about log2 |x|, or 0 for 0.
func exponent(x *ball.Ball) int64 {
	man, exp := x.Dyadic()
	if man.Sign() == 0 {
		return 0
	}
	return int64(new(big.Int).Abs(man).BitLen()) + exp
}
