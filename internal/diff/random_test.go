package diff_test

import (
	"errors"
	"math/rand"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// The references work with so many bits; differences are taken over 2^-step.
const (
	bits = 400
	step = 120
)

// called applies a function to arguments in which reals are balls.
func called(t *testing.T, fun *core.Lambda, args ...coretest.Value) (coretest.Value, *diag.Diagnostic) {
	t.Helper()
	return calledIn(t, &core.Program{}, fun, args...)
}

// calledIn is called for a function that calls the definitions of a program.
func calledIn(t *testing.T, program *core.Program, fun *core.Lambda, args ...coretest.Value) (coretest.Value, *diag.Diagnostic) {
	t.Helper()
	// CallPrecisely takes one argument: a tuple, which is taken apart.
	fun = core.NewCopier(nil).Lambda(fun)
	ts := make([]types.Type, len(fun.Params))
	for i, p := range fun.Params {
		ts[i] = p.Ty
	}
	var b core.Builder
	all := core.NewVar("all", ts[0])
	arg := args[0]
	if len(ts) > 1 {
		all.Ty = &types.Tuple{Elems: ts}
		arg = coretest.Tuple(args)
		for i, p := range fun.Params {
			b.Bind(p, &core.Proj{Of: all, Index: i}, diag.Span{})
		}
	} else {
		all = fun.Params[0]
	}
	b.Add(fun.Body.Stmts...)
	def := core.FunDef("tested", nil, &core.Lambda{Params: []*core.Var{all}, Body: b.Block(fun.Body.Result)}, diag.Span{})
	p := &core.Program{Datas: program.Datas, Defs: append(program.Defs[:len(program.Defs):len(program.Defs)], def)}
	if err := core.Verify(p, core.Mono); err != nil {
		t.Fatalf("%v\n%s", err, core.Print(p))
	}
	return coretest.CallPrecisely(p, def, arg, bits)
}

// example makes a random value of a type; f makes the reals. Arrays have the
// lengths of like, if that is given.
func example(ty types.Type, like coretest.Value, f func() coretest.Value) coretest.Value {
	switch ty := types.Resolve(ty).(type) {
	case *types.Basic:
		if ty == types.Real {
			return f()
		}
		return like
	case *types.Tuple, *types.Record:
		parts := components(ty)
		made := make(coretest.Tuple, len(parts))
		for i, t := range parts {
			made[i] = example(t, like.(coretest.Tuple)[i], f)
		}
		return made
	case *types.Array:
		made := make(coretest.Array, len(like.(coretest.Array)))
		for i, x := range like.(coretest.Array) {
			made[i] = example(ty.Elem, x, f)
		}
		return made
	}
	return like
}

func components(ty types.Type) []types.Type {
	switch ty := types.Resolve(ty).(type) {
	case *types.Tuple:
		return ty.Elems
	case *types.Record:
		var ts []types.Type
		for _, f := range ty.Fields {
			ts = append(ts, f.Type)
		}
		return ts
	}
	return nil
}

// leaves lists the reals of a value, those of ints' kind left out.
func leaves(v coretest.Value) []*ball.Ball {
	switch v := v.(type) {
	case *ball.Ball:
		return []*ball.Ball{v}
	case coretest.Tuple:
		var all []*ball.Ball
		for _, x := range v {
			all = append(all, leaves(x)...)
		}
		return all
	case coretest.Array:
		var all []*ball.Ball
		for _, x := range v {
			all = append(all, leaves(x)...)
		}
		return all
	}
	return nil
}

func inner(a, b coretest.Value) *ball.Ball {
	xs, ys := leaves(a), leaves(b)
	if len(xs) != len(ys) {
		return nil
	}
	sum := ball.FromInt64(0)
	for i := range xs {
		sum = new(ball.Ball).Add(sum, new(ball.Ball).Mul(xs[i], ys[i], bits), bits)
	}
	return sum
}

// moved is x + h dx.
func moved(ty types.Type, x, dx coretest.Value, h *ball.Ball) coretest.Value {
	ds := leaves(dx)
	xs := leaves(x)
	return example(ty, x, func() coretest.Value {
		y := new(ball.Ball).Add(xs[0], new(ball.Ball).Mul(h, ds[0], bits), bits)
		xs, ds = xs[1:], ds[1:]
		return y
	})
}

// near tells whether two numbers agree to a relative 2^-60 or so, of the size
// of what they are sums of.
func near(a, b *ball.Ball) bool {
	if a == nil || b == nil {
		return false
	}
	d := new(ball.Ball).Sub(a, b, bits)
	x, y := a.Float64(), d.Float64()
	return y == y && abs(y) <= 1e-18*(1+abs(x))
}

func abs(x float64) float64 { return max(x, -x) }

// outcome is what came of checking one function.
type outcome struct {
	valued, pushed, pulled bool
	kink                   bool // of the largest or smallest of several, which only the pullback looks at
}

// checkDerivatives compares the derivatives of a function with each other and
// with a central difference, in high precision.
func checkDerivatives(t *testing.T, src *rand.Rand, fun *core.Lambda, args []coretest.Value) (o outcome, pull *core.Lambda, more coretest.Value) {
	t.Helper()
	fail := func(format string, values ...any) {
		t.Helper()
		t.Logf("of\n%s", printed(fun))
		t.Fatalf(format, values...)
	}
	value, d := called(t, fun, args...)
	if d != nil {
		return o, nil, nil
	}
	o.valued = true
	random := func() coretest.Value { return ball.FromFloat64(src.Float64()*2 - 1) }
	var dargs []coretest.Value
	for i, p := range fun.Params {
		dargs = append(dargs, coretest.Tuple{})
		if len(leavesOfType(p.Ty)) > 0 {
			dargs[i] = example(p.Ty, args[i], random)
		}
	}
	br := example(fun.Body.Result.Type(), value, random)

	// The difference quotient along dargs, in the direction of br.
	sides := make([]*ball.Ball, 2)
	for side, sign := range []int64{1, -1} {
		h := new(ball.Ball).Mul2(ball.FromInt64(sign), -step)
		there := make([]coretest.Value, len(args))
		for i, p := range fun.Params {
			there[i] = args[i]
			if len(leaves(dargs[i])) > 0 {
				there[i] = moved(p.Ty, args[i], dargs[i], h)
			}
		}
		v, d := called(t, fun, there...)
		if d != nil {
			o.valued = false
			return o, nil, nil // a comparison that is not decided
		}
		sides[side] = inner(br, v)
		if sides[side] == nil {
			fail("the shape of the result changes")
		}
	}
	slope := new(ball.Ball).Mul2(new(ball.Ball).Sub(sides[0], sides[1], bits), step-1)

	push, err := diff.Pushforward(fun)
	switch {
	case errors.Is(err, diff.ErrNotCovered):
	case err != nil:
		fail("%v", err)
	default:
		o.pushed = true
		dv, d := called(t, push, append(append([]coretest.Value{}, args...), dargs...)...)
		if d != nil && d.Code == diag.Undecided {
			o.valued = false
			return o, nil, nil // a kink
		}
		if d != nil {
			fail("%v in\n%s", d, printed(push))
		}
		if got := inner(br, dv); !near(got, slope) && len(leaves(br)) > 0 {
			fail("the pushforward gives %v, the difference %v:\n%s", got, slope, printed(push))
		}
	}
	if dual, err := diff.Forward(&core.Program{}, fun); err != nil {
		fail("%v", err)
	} else {
		got, d := calledIn(t, dual, defined(dual, diff.ForwardName), append(append([]coretest.Value{}, args...), dargs...)...)
		if d != nil && d.Code == diag.Undecided {
			o.valued = false
			return o, nil, nil // a kink
		}
		if d != nil {
			fail("%v in\n%s", d, core.Print(dual))
		}
		results := got.(coretest.Tuple)
		if results[2].(bool) {
			o.valued = false
			return o, nil, nil // a number is compared with itself
		}
		for _, x := range leaves(results[1]) {
			if !x.IsFinite() {
				o.valued = false
				return o, nil, nil // a kink
			}
		}
		for i, x := range leaves(results[0]) {
			if !near(x, leaves(value)[i]) {
				fail("the dual number has the value %v:\n%s", results[0], core.Print(dual))
			}
		}
		if got := inner(br, results[1]); !near(got, slope) && len(leaves(br)) > 0 {
			fail("the dual number gives %v, the difference %v:\n%s", got, slope, core.Print(dual))
		}
	}
	checkFixed(t, src, fun, push, args, dargs, br)
	pull, err = diff.Pullback(fun)
	if errors.Is(err, diff.ErrNotCovered) {
		return o, nil, nil
	}
	if err != nil {
		fail("%v", err)
	}
	bargs, d := called(t, pull, append(append([]coretest.Value{}, args...), br)...)
	if d != nil && d.Code == diag.Undecided {
		o.kink = true
		return o, nil, nil
	}
	if d != nil {
		fail("%v in\n%s", d, printed(pull))
	}
	o.pulled = true
	if len(args) == 1 {
		bargs = coretest.Tuple{bargs}
	}
	got := ball.FromInt64(0)
	for i := range args {
		part := inner(bargs.(coretest.Tuple)[i], dargs[i])
		if part == nil {
			fail("the cotangent of argument %d has another shape:\n%s", i, printed(pull))
		}
		got = new(ball.Ball).Add(got, part, bits)
	}
	if !near(got, slope) {
		fail("the pullback gives %v, the difference %v:\n%s", got, slope, printed(pull))
	}
	return o, pull, br
}

// defined is a function of a program.
func defined(p *core.Program, name string) *core.Lambda {
	for _, def := range p.Defs {
		if def.Name == name {
			return def.Function()
		}
	}
	return nil
}

// checkFixed compares dual numbers of which some arguments do not vary with
// the pushforward at tangents that are zeros there.
func checkFixed(t *testing.T, src *rand.Rand, fun, push *core.Lambda, args, dargs []coretest.Value, br coretest.Value) {
	t.Helper()
	varying := make([]bool, len(args))
	some, zeros := slices.Clone(args), slices.Clone(args)
	for i, p := range fun.Params {
		if varying[i] = src.Intn(2) == 0; varying[i] {
			some, zeros = append(some, dargs[i]), append(zeros, dargs[i])
			continue
		}
		some = append(some, coretest.Tuple{})
		zeros = append(zeros, coretest.Tuple{})
		if len(leavesOfType(p.Ty)) > 0 {
			zeros[len(zeros)-1] = example(p.Ty, args[i], func() coretest.Value { return ball.FromInt64(0) })
		}
	}
	dual, err := diff.ForwardFor(&core.Program{}, fun, varying)
	if err != nil {
		t.Fatalf("%v\n%s", err, printed(fun))
	}
	want, d := called(t, push, zeros...)
	if d != nil {
		t.Fatalf("%v\n%s", d, printed(push))
	}
	got, d := calledIn(t, dual, defined(dual, diff.ForwardName), some...)
	if d != nil && d.Code == diag.Undecided {
		return // a kink
	}
	if d != nil {
		t.Fatalf("%v\n%s", d, core.Print(dual))
	}
	if x := inner(br, got.(coretest.Tuple)[1]); len(leaves(br)) > 0 && !near(x, inner(br, want)) {
		t.Fatalf("with %v varying the dual number gives %v, want %v:\n%s", varying, x, inner(br, want), core.Print(dual))
	}
}

// leavesOfType lists the reals of a type.
func leavesOfType(ty types.Type) []types.Type {
	ty = types.Resolve(ty)
	if ty == types.Type(types.Real) {
		return []types.Type{ty}
	}
	var found []types.Type
	types.Map(ty, func(part types.Type) types.Type {
		found = append(found, leavesOfType(part)...)
		return part
	})
	return found
}

func printed(fun *core.Lambda) string {
	return core.Print(&core.Program{Defs: []*core.Def{core.FunDef("f", nil, fun, diag.Span{})}})
}

// TestRandom checks the derivatives of random functions, and the derivatives
// of the pullbacks of some, which are functions like any other.
func TestRandom(t *testing.T) {
	n := property.Rounds(300)
	var valued, pulled, second int
	for seed := range n {
		src := rand.New(rand.NewSource(int64(seed)))
		g := &generator{src: src, fuel: 40}
		fun, shapes := g.function(4)
		args := make([]coretest.Value, len(shapes))
		for i, s := range shapes {
			args[i] = s.value(src)
		}
		o, pull, br := checkDerivatives(t, src, fun, args)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		if o.valued {
			valued++
			if !o.pushed || !o.pulled && !o.kink {
				t.Errorf("seed %d: not covered:\n%s", seed, printed(fun))
			}
		}
		if !o.pulled {
			continue
		}
		pulled++
		if seed%4 == 0 {
			o, _, _ := checkDerivatives(t, src, pull, append(args, br))
			if o.pulled {
				second++
			}
		}
	}
	t.Logf("%d of %d have a value, %d of them a pullback; %d second derivatives", valued, n, pulled, second)
	if valued < n/2 || second < pulled/8 {
		t.Errorf("%d of %d have a value, %d of them a pullback; %d second derivatives", valued, n, pulled, second)
	}
}
