// Package vmath defines the mathematical operations of the loop form (exp, log, sin, …) as
// functions of the loop form, in terms of additions, multiplications, fma, divisions, square roots,
// comparisons, selections and operations on bits. A target inlines them, so that every target
// computes the same bits, one number or a vector of them at a time.
//
// A definition is one straight line of operations without loads, calls, branches or loops; see
// Note [Large angles] for the one check. Results are within 1 ulp of the true value, within 2 ulps for erf, erfc,
// lgamma and digamma, and within 8 for the slopes logistic and sech2; Note [Accuracy] says where
// that does not hold. Arguments may be anything: NaN, infinities, zeros of both signs and
// subnormals give what the rows of the language's table say. Subnormal numbers must not be flushed
// to zero.
//
// The polynomials and constants are in coeffs.go, which gen writes with certified arithmetic.
package vmath

import (
	"maps"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

//go:generate go run ./gen

// Note [Large angles]
//
// sin, cos and tan of an angle beyond 2^40 need more than a thousand bits of π. That is too much
// for a straight line that every angle passes through, so their definitions start with a Check that
// the angle is not that large: the run is then given up and the interpreter computes it. It is the
// only Check in a definition, and what follows computes something harmless where it fails. A target
// that stands alone calls its library's function instead.

// Note [Accuracy]
//
// Functions that have zeros at places that are not doubles lose relative accuracy next to
// them, unless they carry many more digits: logaddexp where its arguments nearly cancel, lgamma
// and digamma on the negative axis. There the error is at most 2^-52 times the larger of
// 1 and the terms that cancel.

// Define gives the definition of an operation, or nil if a target has to know the operation itself.
// A definition may use operations that are defined in turn (ldexp). The function is shared: copy
// its body before changing it.
func Define(op *loop.Op) *loop.Func { return define(op, target{}) }

// DefineUnfused is Define for a target that has no fma: Note [Unfused].
func DefineUnfused(op *loop.Op) *loop.Func { return define(op, target{unfused: true}) }

// DefineScaling is Define for a target whose ldexp takes every n: Note [Any scale]. Its results are
// those of Define.
func DefineScaling(op *loop.Op) *loop.Func { return define(op, target{scales: true}) }

// target is what definitions depend on.
type target struct {
	unfused bool // it has no fma: Note [Unfused]
	scales  bool // its ldexp takes every n: Note [Any scale]
}

func define(op *loop.Op, to target) *loop.Func {
	if op.Number >= len(byNumber) || byNumber[op.Number] == nil {
		return nil
	}
	d := byNumber[op.Number]
	mu.Lock()
	defer mu.Unlock()
	key := definition{op, to}
	if f := made[key]; f != nil {
		return f
	}
	f := &loop.Func{Name: op.Name}
	m := emitter{target: to}
	args := make([]loop.Atom, len(op.Args))
	for i, k := range op.Args {
		v := loop.NewVar(string("xyz"[i]), k)
		f.Params = append(f.Params, v)
		args[i] = v
	}
	result := d(&m, args)
	f.Body = m.Block(result)
	made[key] = f
	return f
}

// definition is one of an operation.
type definition struct {
	op *loop.Op
	to target
}

// Defined lists the operations that have definitions, by name.
func Defined() []*loop.Op {
	var ops []*loop.Op
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		ops = append(ops, loop.Lookup(name))
	}
	return ops
}

var (
	mu   sync.Mutex
	made = map[definition]*loop.Func{}
)

// byNumber has the emitter of each operation, by its number.
var byNumber = func() (of []func(m *emitter, args []loop.Atom) loop.Atom) {
	for name, d := range definitions {
		n := loop.Lookup(name).Number
		for len(of) <= n {
			of = append(of, nil)
		}
		of[n] = d
	}
	return of
}()

// definitions has the emitter of each operation, by name.
var definitions = map[string]func(m *emitter, args []loop.Atom) loop.Atom{
	"ldexp":     two((*emitter).ldexp),
	"exp":       one((*emitter).exp),
	"exp2":      one((*emitter).exp2),
	"expm1":     one((*emitter).expm1),
	"sinh":      one((*emitter).sinh),
	"cosh":      one((*emitter).cosh),
	"tanh":      one((*emitter).tanh),
	"sigmoid":   one((*emitter).sigmoid),
	"logistic":  one((*emitter).logistic),
	"sech2":     one((*emitter).sech2),
	"log":       one((*emitter).log),
	"log2":      one((*emitter).log2),
	"log10":     one((*emitter).log10),
	"log1p":     one((*emitter).log1p),
	"softplus":  one((*emitter).softplus),
	"logaddexp": two((*emitter).logaddexp),
	"asinh":     one((*emitter).asinh),
	"acosh":     one((*emitter).acosh),
	"atanh":     one((*emitter).atanh),
	"sin":       one((*emitter).sin),
	"cos":       one((*emitter).cos),
	"tan":       one((*emitter).tan),
	"atan":      one((*emitter).atan),
	"atan2":     two((*emitter).atan2),
	"asin":      one((*emitter).asin),
	"acos":      one((*emitter).acos),
	"cbrt":      one((*emitter).cbrt),
	"hypot":     two((*emitter).hypot),
	"pow":       two((*emitter).pow),
	"pow.i":     two((*emitter).powInt),
	"erf":       one((*emitter).erf),
	"erfc":      one((*emitter).erfc),
	"lgamma":    one((*emitter).lgamma),
	"digamma":   one((*emitter).digamma),
	"inner":     two((*emitter).mul),
	"scale":     two((*emitter).mul),
	"zeroLike":  one(func(*emitter, num) num { return zero }),
	"max.f":     two((*emitter).max),
	"min.f":     two((*emitter).min),
	"sign":      one((*emitter).signum),
}

func one(f func(m *emitter, x num) num) func(*emitter, []loop.Atom) loop.Atom {
	return func(m *emitter, args []loop.Atom) loop.Atom { return f(m, args[0]) }
}

func two(f func(m *emitter, x, y num) num) func(*emitter, []loop.Atom) loop.Atom {
	return func(m *emitter, args []loop.Atom) loop.Atom { return f(m, args[0], args[1]) }
}
