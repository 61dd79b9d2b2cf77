package jit

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/lower"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
)

// TestMathBits: functions have the bits of their definitions, in vectors and one by one: the same
// on every machine.
func TestMathBits(t *testing.T) {
	xs := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, 1e-300, 5e-324, -745.2, 709.9, 1e4, math.Inf(1), math.Inf(-1), math.NaN()}
	for i := range 60 {
		xs = append(xs, math.Ldexp(1+float64(i*i%97)/97, i-48), -math.Ldexp(1+float64(i*i%89)/89, i%12-6))
	}
	large := slices.Clone(xs) // Note [Any scale] of package vmath
	for _, x := range []float64{30, 36.7, 37.5, 38.2, 354, 372.5, 400, 708.5, 709.79, 710.1, 745.14, 746.5, 800, 3e4, 2e6, 1e10, 1e20, 1e300, math.MaxFloat64} {
		large = append(large, x, -x)
	}
	for _, name := range []string{"exp", "log", "sin", "cos", "tan", "tanh", "sigmoid", "logistic", "sech2", "atan", "erf", "lgamma", "expm1", "log1p", "pow"} {
		op := loop.Lookup(name)
		if op == nil || vmath.Define(op) == nil {
			t.Errorf("there is no definition of %s", name)
			continue
		}
		buf, n := loop.NewVar("xs", loop.F64s), loop.NewVar("n", loop.I64)
		var b loop.Builder
		out := b.Alloc("out", loop.F64s, n, false)
		b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
			args := []loop.Atom{b.Load("x", buf, i)}
			if len(op.Args) == 2 {
				args = append(args, loop.Real(1.7))
			}
			b.Store(out, i, b.Let("y", op, args...))
		})
		f := &loop.Func{Name: name, Params: []*loop.Var{buf, n}, Body: b.Block(out)}
		setLanes(f.Body)
		defined := *f
		lower.Inline(&defined, false)
		xs := xs
		if slices.Contains([]string{"exp", "sigmoid", "logistic", "tanh", "sech2"}, name) {
			xs = large
		}
		args := []loop.Value{loop.RealsValue(xs), loop.IntValue(int64(len(xs)))}
		want, err := loop.Eval(&defined, clone(args)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, lanes := range []bool{false, true} {
			code, err := Compile(program(f), Options{Deterministic: true, NoLanes: !lanes})
			if errors.Is(err, ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := agree(f, code, true, want, nil, args); err != nil {
				t.Errorf("%s, lanes %v: %v", name, lanes, err)
			}
		}
	}
}
