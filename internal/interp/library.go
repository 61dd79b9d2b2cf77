package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// library holds what the instructions of a program refer to by number.
type library struct {
	texts    []*prim.Prim
	inspects []inspection
	real1    []prim.Real1
	real2    []prim.Real2
	families []prim.Family
	intReal  []prim.IntReal
	realInt  []prim.RealInt
	rounds   []prim.ToInt
	int1     []prim.Int1
	int2     []prim.Int2
	compareF []prim.Compare
	compareI []prim.IntCompare
	folds    []prim.Fold
	maps     []prim.MapArray
	int1Rows []*prim.Prim // the rows of int1 and int2, for messages
	int2Rows []*prim.Prim

	funs    []*function
	calls   []*callInfo
	shapes  []layout.Shape
	types   []types.Type
	checks  []*core.CheckSize
	kernels []*kernel
	nests   []*nest

	wholeRows []*wholeRow

	regions    []*loopRegion
	wholes     map[string][]*loopRegion // those that are the whole of a function that is compiled ahead
	operations []operation
	roundRows  []*prim.Prim // of opRoundT
	arrayRows  []*arrayRow  // of opFoldT and opMapT

	rows       map[rowAt]int64
	funIndex   map[*function]int64
	shapeIndex map[layout.Shape]int64
	nullaries  map[nullaryKey]object.Ref
}

// rowAt is an evaluator of a row of the table of primitives.
type rowAt struct {
	row *prim.Prim
	int bool
}

type nullaryKey struct {
	form layout.Form
	tag  int
}

// callInfo describes the arguments of a call of an unknown function.
type callInfo struct {
	args   int
	params []layout.Shape // slots of the first k arguments, for k = 0 … args
	result layout.Layout
}

func newLibrary() *library {
	return &library{
		rows: map[rowAt]int64{}, funIndex: map[*function]int64{},
		wholes:     map[string][]*loopRegion{},
		shapeIndex: map[layout.Shape]int64{}, nullaries: map[nullaryKey]object.Ref{},
	}
}

// row gives the number of a row's evaluator in the table for its type.
func (l *library) row(row *prim.Prim, evaluator any, isInt bool) int64 {
	key := rowAt{row, isInt}
	if k, ok := l.rows[key]; ok {
		return k
	}
	var k int
	switch f := evaluator.(type) {
	case prim.Real1:
		k = add(&l.real1, f)
	case prim.Real2:
		k = add(&l.real2, f)
	case prim.Family:
		k = add(&l.families, f)
	case prim.IntReal:
		k = add(&l.intReal, f)
	case prim.RealInt:
		k = add(&l.realInt, f)
	case prim.ToInt:
		k = add(&l.rounds, f)
	case prim.Int1:
		k = add(&l.int1, f)
		l.int1Rows = append(l.int1Rows, row)
	case prim.Int2:
		k = add(&l.int2, f)
		l.int2Rows = append(l.int2Rows, row)
	case prim.Compare:
		k = add(&l.compareF, f)
	case prim.IntCompare:
		k = add(&l.compareI, f)
	case prim.Fold:
		k = add(&l.folds, f)
	case prim.MapArray:
		k = add(&l.maps, f)
	default:
		panic("interp: no instruction for the primitive " + row.Name)
	}
	l.rows[key] = int64(k)
	return int64(k)
}

// round gives the number of a row that rounds.
func (l *library) round(row *prim.Prim) int64 {
	return int64(add(&l.roundRows, row))
}

func add[T any](table *[]T, x T) int {
	*table = append(*table, x)
	return len(*table) - 1
}

func (l *library) fun(fn *function) int64 {
	k, ok := l.funIndex[fn]
	if !ok {
		k = int64(add(&l.funs, fn))
		l.funIndex[fn] = k
	}
	return k
}

func (l *library) shape(s layout.Shape) int64 {
	k, ok := l.shapeIndex[s]
	if !ok {
		k = int64(add(&l.shapes, s))
		l.shapeIndex[s] = k
	}
	return k
}

func (l *library) typ(t types.Type) int64 { return int64(add(&l.types, t)) }

func (l *library) check(op *core.CheckSize) int64 { return int64(add(&l.checks, op)) }

// nullary is the one data value of a constructor without fields.
func (l *library) nullary(form layout.Form, tag int) object.Ref {
	key := nullaryKey{form, tag}
	if r, ok := l.nullaries[key]; ok {
		return r
	}
	var r object.Ref = &object.Node{Tag: tag}
	if form == layout.Cell {
		r = &object.Cell{Tag: tag}
	}
	l.nullaries[key] = r
	return r
}

// The applications of evaluators: see Note [No spills].

//go:noinline
func (l *library) applyReal1(in *instr, f *windowF) { f[in.a] = l.real1[in.k](f[in.b]) }

//go:noinline
func (l *library) applyReal2(in *instr, f *windowF) { f[in.a] = l.real2[in.k](f[in.b], f[in.c]) }

//go:noinline
func (l *library) applyRealInt(in *instr, f *windowF, i *windowI) {
	f[in.a] = l.realInt[in.k](f[in.b], i[in.c])
}
