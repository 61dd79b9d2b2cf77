// Package vmath defines the mathematical operations of the loop form (exp, log, sin, …) as
// functions of the loop form, in terms of additions, multiplications, fma, divisions, square roots,
// comparisons, selections and operations on bits. A target inlines them, so that every target
// computes the same bits, one number or a vector of them at a time.
//
// A definition is one straight line of operations without loads, calls, branches or loops; see Note
// [Large angles] for the one check. Each definition states how many units in the last place its
// result may be off; Note [Accuracy] says where that does not hold. Arguments may be anything: NaN,
// infinities, zeros of both signs and subnormals give what the rows of the language's table say.
// Subnormal numbers must not be flushed to zero.
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
	key := variant{op, to}
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
	result := d.emit(&m, args)
	f.Body = m.Block(result)
	made[key] = f
	return f
}

// variant is the definition of an operation for a target.
type variant struct {
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
	made = map[variant]*loop.Func{}
)

// byNumber has the definition of each operation, by the operation's number.
var byNumber = func() (of []*definition) {
	for name, d := range definitions {
		n := loop.Lookup(name).Number
		for len(of) <= n {
			of = append(of, nil)
		}
		of[n] = &d
	}
	return of
}()

// definition says how an operation is computed: emit appends it to a function. bound is the
// largest error of the result, in units in the last place; see Note [Accuracy].
type definition struct {
	emit  func(m *emitter, args []loop.Atom) loop.Atom
	bound float64
}

// table holds definitions by the names of their operations. Each file has one for its functions.
type table map[string]definition

// definitions holds all definitions.
var definitions = joined(basics, exponentials, logarithms, inverses, circular, powers, logistics,
	errorFunctions, gammas)

func joined(tables ...table) table {
	all := table{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

// Bound returns the largest error of an operation's definition, in units in the last place.
func Bound(op *loop.Op) float64 { return byNumber[op.Number].bound }

// one defines an operation on one double, whose result is within bound ulps.
func one(bound float64, f func(m *emitter, x num) num) definition {
	return definition{func(m *emitter, args []loop.Atom) loop.Atom { return f(m, args[0]) }, bound}
}

// two defines an operation with two arguments.
func two(bound float64, f func(m *emitter, x, y num) num) definition {
	return definition{
		func(m *emitter, args []loop.Atom) loop.Atom { return f(m, args[0], args[1]) }, bound,
	}
}
