package derive

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/search"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// translation makes values of package exact of those of the machine: see search, Note [Guard]. Data
// and closures nest as deeply as programs make them, and closures may contain themselves, so that
// what they hold is left to be done in the end.
type translation struct {
	m     *machine.Machine
	to    exact.Builder
	vars  map[tape.Handle]int // the numbers of the reals that are variables
	seek  bool                // finds the variables: all that depend on a derivative in progress
	known map[object.Ref]any
	todo  []func()

	failed *diag.Diagnostic // there is no memory for what is translated
}

// arrayCache keeps translations of arrays of plain numbers from one search to the next. An array
// may have been updated in place since, so that its numbers are compared; a real on the tape is a
// NaN, which equals nothing.
type arrayCache map[arrayKey]*cachedArray

type arrayKey struct {
	to exact.Builder
	r  object.Ref
}

type cachedArray struct {
	f    [][]float64 // copies of its columns
	i    [][]int64
	made any
	age  int // searches that did not use it
}

// keptSearches is for how many searches an array is kept that they do not use.
const keptSearches = 8

// age ends a search.
func (c arrayCache) age() {
	for k, a := range c {
		if a.age++; a.age > keptSearches {
			delete(c, k)
		}
	}
}

// get is the translation of an array with the given columns, nil if there is none.
func (c arrayCache) get(k arrayKey, f [][]float64, i [][]int64) any {
	a := c[k]
	if a == nil || !slices.EqualFunc(a.f, f, slices.Equal) || !slices.EqualFunc(a.i, i, slices.Equal) {
		return nil
	}
	a.age = 0
	return a.made
}

// put keeps the translation of an array.
func (c arrayCache) put(k arrayKey, f [][]float64, i [][]int64, made any) {
	a := &cachedArray{made: made}
	for _, col := range f {
		a.f = append(a.f, slices.Clone(col))
	}
	for _, col := range i {
		a.i = append(a.i, slices.Clone(col))
	}
	c[k] = a
}

// finish does what is left.
func (t *translation) finish() {
	for len(t.todo) > 0 {
		if d, ok := t.to.(*search.Describer); ok && !d.Lists(0) {
			return
		}
		next := t.todo[len(t.todo)-1]
		t.todo = t.todo[:len(t.todo)-1]
		next()
	}
}

// problem translates a function and its bounds.
func (t *translation) problem(p *problem) (fun any, bounds exact.Slots, d *diag.Diagnostic) {
	fun, bounds = t.function(p.fun), t.to.Slots()
	for _, x := range p.bounds {
		t.real(x, bounds)
	}
	for _, corner := range p.box {
		bounds.Ref(t.array(types.Real, corner))
	}
	t.finish()
	return fun, bounds, t.failed
}

func (t *translation) real(x float64, to exact.Slots) {
	v, mask := t.m.Tape().Look(x)
	k := -1
	if mask&t.m.Tape().Live != 0 {
		n, ok := t.vars[tape.Unbox(x)]
		switch {
		case !ok && t.seek:
			t.vars[tape.Unbox(x)] = len(t.vars)
		case ok && !t.seek:
			k = n
		}
	}
	to.Real(v, k)
}

// value translates the slots of a value.
func (t *translation) value(ty types.Type, from *object.Slots, to exact.Slots) {
	ty = types.Resolve(ty)
	switch ty {
	case types.Real:
		t.real(from.Real(), to)
		return
	case types.Int, types.Bool:
		to.Int(from.Int())
		return
	case types.String:
		to.Ref(from.Ref().(*object.Text).S)
		return
	}
	switch ty := ty.(type) {
	case *types.Fun:
		to.Ref(t.function(from.Ref()))
	case *types.Tuple:
		for _, e := range ty.Elems {
			t.value(e, from, to)
		}
	case *types.Record:
		for _, f := range ty.Fields {
			t.value(f.Type, from, to)
		}
	case *types.Array:
		to.Ref(t.array(ty.Elem, from.Ref()))
	case *types.Data:
		switch t.m.Layouts().Form(ty) {
		case layout.Enum:
			to.Ref(t.to.Data(int(from.Int())))
		case layout.Flat:
			x := t.to.Data(0)
			t.fields(x, ty.Decl.Cons[0], ty, from)
			to.Ref(x)
		default:
			to.Ref(t.data(ty, from.Ref()))
		}
	}
}

func (t *translation) fields(x any, con *types.Con, ty *types.Data, from *object.Slots) {
	fields := t.to.Slots()
	for _, f := range con.FieldTypes(ty) {
		t.value(f, from, fields)
	}
	t.to.Hold(x, fields)
}

// data translates a referenced data value.
func (t *translation) data(ty *types.Data, r object.Ref) any {
	if x, ok := t.known[r]; ok {
		return x
	}
	con, from := object.Unpack(t.m.Layouts(), ty, r)
	x := t.to.Data(slices.Index(ty.Decl.Cons, con))
	t.known[r] = x
	t.todo = append(t.todo, func() { t.fields(x, con, ty, &from) })
	return x
}

func (t *translation) array(elem types.Type, r object.Ref) any {
	if x, ok := t.known[r]; ok {
		return x
	}
	f, i, p := object.Columns(r)
	key, n := arrayKey{t.to, r}, int64(object.Len(r))
	describer, brief := t.to.(*search.Describer)
	if brief && !describer.Lists(object.Len(r)) {
		return t.to.Array(0, t.to.Slots())
	}
	plain := !brief && len(p) == 0 && !slices.ContainsFunc(f, func(col []float64) bool {
		return slices.ContainsFunc(col, math.IsNaN)
	})
	elements := t.to.Slots()
	if plain {
		if x := stateOf(t.m).translated.get(key, f, i); x != nil {
			t.known[r] = x
			return x
		}
	}
	if t.failed == nil {
		t.failed = t.m.Charge(n * (int64(len(f))*(t.to.RealBytes()+8) + 16*int64(len(i)+len(p))))
	}
	if t.failed != nil {
		return t.to.Array(0, elements)
	}
	for at := range object.Len(r) {
		var from object.Slots
		for _, col := range f {
			from.F = append(from.F, col[at])
		}
		for _, col := range i {
			from.I = append(from.I, col[at])
		}
		for _, col := range p {
			from.P = append(from.P, col[at])
		}
		t.value(elem, &from, elements)
	}
	x := t.to.Array(object.Len(r), elements)
	t.known[r] = x
	if plain {
		stateOf(t.m).translated.put(key, f, i, x)
	}
	return x
}

func (t *translation) function(r object.Ref) any {
	if x, ok := t.known[r]; ok {
		return x
	}
	if p, ok := r.(*machine.Partial); ok {
		from := p.Slots
		args := t.to.Slots()
		for _, param := range p.Fun.Fn.Source.Lambda.Params[:p.Args] {
			t.value(param.Ty, &from, args)
		}
		return t.to.Partial(t.function(p.Fun), p.Args, args)
	}
	cl := r.(*machine.Closure)
	src := cl.Fn.Source
	free := make([]*core.Var, len(src.Captured))
	for k, c := range src.Captured {
		free[k] = c.Var
	}
	x := t.to.Function(cl.Fn.Name, src.At, src.Lambda, free)
	t.known[r] = x
	t.todo = append(t.todo, func() {
		values := t.to.Slots()
		for _, c := range src.Captured {
			from := cl.Captured(c)
			t.value(c.Var.Ty, &from, values)
		}
		t.to.Capture(x, values)
	})
	return x
}
