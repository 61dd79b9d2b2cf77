package machine

import (
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Library holds what the instructions of a definition refer to by number, those of its local
// functions included.
type Library struct {
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

	funs   []atomic.Pointer[Function]
	calls  []*CallInfo
	shapes []layout.Shape
	types  []types.Type
	checks []*core.CheckSize

	wholeRows []*WholeRow

	Regions    []Region
	operations []Operation
	roundRows  []*prim.Prim // of OpRoundT
	arrayRows  []*arrayRow  // of OpFoldT and OpMapT

	rows       map[rowAt]int64
	funIndex   map[*Function]int64
	shapeIndex map[layout.Shape]int64
	shared     *shared

	refusal *diag.Diagnostic // of OpRefuse
}

// shared is what the libraries of a Code have in common. It is used only while a function is
// compiled.
type shared struct {
	nullaries map[nullaryKey]object.Ref
	arrayRows map[*prim.Prim]*arrayRow
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

// CallInfo describes the arguments of a call of an unknown function.
type CallInfo struct {
	args   int
	params []layout.Shape // slots of the first k arguments, for k = 0 … args
}

// NewLibrary makes an empty library.
func (c *Code) NewLibrary() *Library {
	return &Library{rows: map[rowAt]int64{}, funIndex: map[*Function]int64{}, shapeIndex: map[layout.Shape]int64{}, shared: &c.shared}
}

// Row gives the number of a row's evaluator in the table for its type.
func (l *Library) Row(row *prim.Prim, evaluator any, isInt bool) int64 {
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
		panic("machine: no instruction for the primitive " + row.Name)
	}
	l.rows[key] = int64(k)
	return int64(k)
}

// Round gives the number of a row that rounds.
func (l *Library) Round(row *prim.Prim) int64 {
	return int64(add(&l.roundRows, row))
}

func add[T any](table *[]T, x T) int {
	*table = append(*table, x)
	return len(*table) - 1
}

// Fun gives the number of a function.
func (l *Library) Fun(fn *Function) int64 {
	k, ok := l.funIndex[fn]
	if !ok {
		k = int64(len(l.funs))
		l.funs = append(l.funs, atomic.Pointer[Function]{})
		l.funs[k].Store(fn)
		l.funIndex[fn] = k
	}
	return k
}

// Shape gives the number of a shape.
func (l *Library) Shape(s layout.Shape) int64 {
	k, ok := l.shapeIndex[s]
	if !ok {
		k = int64(add(&l.shapes, s))
		l.shapeIndex[s] = k
	}
	return k
}

// Type adds a type and gives its number.
func (l *Library) Type(t types.Type) int64 { return int64(add(&l.types, t)) }

// Check adds a comparison of sizes.
func (l *Library) Check(op *core.CheckSize) int64 { return int64(add(&l.checks, op)) }

// Call adds a call of an unknown function.
func (l *Library) Call(info *CallInfo) int64 { return int64(add(&l.calls, info)) }

// Text adds a row of texts.
func (l *Library) Text(row *prim.Prim) int64 { return int64(add(&l.texts, row)) }

// Operation adds an operation.
func (l *Library) Operation(o Operation) int64 { return int64(add(&l.operations, o)) }

// Region adds a region.
func (l *Library) Region(r Region) int64 { return int64(add(&l.Regions, r)) }

// Inspect adds a use of `debug`, for values of a type.
func (l *Library) Inspect(t types.Type, at diag.Span) int64 {
	return int64(add(&l.inspects, inspection{t, at}))
}

// Nullary is the one data value of a constructor without fields.
func (l *Library) Nullary(form layout.Form, tag int) object.Ref {
	key := nullaryKey{form, tag}
	if r, ok := l.shared.nullaries[key]; ok {
		return r
	}
	var r object.Ref = &object.Node{Tag: tag}
	if form == layout.Cell {
		r = &object.Cell{Tag: tag}
	}
	l.shared.nullaries[key] = r
	return r
}

// The applications of evaluators: see Note [No spills].

//go:noinline
func (l *Library) applyReal1(in *Instr, f *windowF) { f[in.A] = l.real1[in.K](f[in.B]) }

//go:noinline
func (l *Library) applyReal2(in *Instr, f *windowF) { f[in.A] = l.real2[in.K](f[in.B], f[in.C]) }

//go:noinline
func (l *Library) applyRealInt(in *Instr, f *windowF, i *windowI) {
	f[in.A] = l.realInt[in.K](f[in.B], i[in.C])
}

// NewCall describes a call with arguments of the given shapes.
func NewCall(args ...layout.Shape) *CallInfo {
	info := &CallInfo{args: len(args), params: make([]layout.Shape, len(args)+1)}
	for n, s := range args {
		info.params[n+1] = info.params[n].Plus(s)
	}
	return info
}
