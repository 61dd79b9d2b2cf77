package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// translation makes values of package exact of those of the machine: see Note [Guard]. Data and closures nest
// as deeply as programs make them, and closures may contain themselves, so that what they hold is left to
// be done in the end.
type translation[T any] struct {
	m     *Machine
	to    *exact.Certifier[T]
	vars  map[handle]jet.Jet[T] // those that are variables
	seen  []handle              // all that depend on a derivative in progress
	known map[ref]any
	todo  []func()
}

// translate begins a translation in which some reals are variables.
func translate[T any](m *Machine, to *exact.Certifier[T], vars map[handle]jet.Jet[T]) *translation[T] {
	return &translation[T]{m: m, to: to, vars: vars, known: map[ref]any{}}
}

// finish does what is left.
func (t *translation[T]) finish() {
	for len(t.todo) > 0 {
		next := t.todo[len(t.todo)-1]
		t.todo = t.todo[:len(t.todo)-1]
		next()
	}
}

// search translates a function and its bounds.
func (t *translation[T]) search(at *searchSite) (fun *exact.Closure[T], a, b jet.Jet[T]) {
	fun = t.function(at.fun)
	var bounds [2]jet.Jet[T]
	for k, x := range at.bounds {
		bounds[k] = t.real(x)
	}
	t.finish()
	return fun, bounds[0], bounds[1]
}

func (t *translation[T]) real(x float64) jet.Jet[T] {
	tape := t.m.tape
	v, mask := tape.look(x)
	if mask == 0 {
		return t.to.Point(v)
	}
	h := unbox(x)
	if y, ok := t.vars[h]; ok {
		return y
	}
	if mask&tape.live != 0 && !slices.Contains(t.seen, h) {
		t.seen = append(t.seen, h)
	}
	return t.to.Point(v)
}

// value translates the slots of a value.
func (t *translation[T]) value(ty types.Type, from *slotSource, to *exact.Value[T]) {
	ty = types.Resolve(ty)
	switch ty {
	case types.Real:
		to.Real(t.real(from.real()))
		return
	case types.Int, types.Bool:
		to.Int(from.int())
		return
	case types.String:
		to.Ref(from.ref().(*text).s)
		return
	}
	switch ty := ty.(type) {
	case *types.Fun:
		to.Ref(t.function(from.ref()))
	case *types.Tuple:
		for _, e := range ty.Elems {
			t.value(e, from, to)
		}
	case *types.Record:
		for _, f := range ty.Fields {
			t.value(f.Type, from, to)
		}
	case *types.Array:
		to.Ref(t.array(ty.Elem, from.ref()))
	case *types.Data:
		switch t.m.layouts.form(ty) {
		case enumData:
			to.Ref(t.to.NewData(int(from.int())))
		case flatData:
			x := t.to.NewData(0)
			t.fields(x, ty.Decl.Cons[0], ty, from)
			to.Ref(x)
		default:
			to.Ref(t.data(ty, from.ref()))
		}
	}
}

func (t *translation[T]) fields(x *exact.Data[T], con *types.Con, ty *types.Data, from *slotSource) {
	var fields exact.Value[T]
	for _, f := range con.FieldTypes(ty) {
		t.value(f, from, &fields)
	}
	exact.Hold(x, fields)
}

// data translates a referenced data value.
func (t *translation[T]) data(ty *types.Data, r ref) any {
	if x, ok := t.known[r]; ok {
		return x
	}
	con, from := t.m.layouts.unpack(ty, r)
	x := t.to.NewData(slices.Index(ty.Decl.Cons, con))
	t.known[r] = x
	t.todo = append(t.todo, func() { t.fields(x, con, ty, &from) })
	return x
}

func (t *translation[T]) array(elem types.Type, r ref) any {
	if x, ok := t.known[r]; ok {
		return x
	}
	var elements exact.Value[T]
	f, i, p := columns(r)
	for at := range arrayLen(r) {
		var from slotSource
		for _, col := range f {
			from.f = append(from.f, col[at])
		}
		for _, col := range i {
			from.i = append(from.i, col[at])
		}
		for _, col := range p {
			from.p = append(from.p, col[at])
		}
		t.value(elem, &from, &elements)
	}
	x := exact.NewArray(arrayLen(r), elements)
	t.known[r] = x
	return x
}

func (t *translation[T]) function(r ref) *exact.Closure[T] {
	if x, ok := t.known[r]; ok {
		return x.(*exact.Closure[T])
	}
	if p, ok := r.(*partial); ok {
		from := slotSource{f: p.f, i: p.i, p: p.p}
		var args exact.Value[T]
		for _, param := range p.fun.fn.source.lambda.Params[:p.args] {
			t.value(param.Ty, &from, &args)
		}
		return exact.Partial(t.function(p.fun), p.args, args)
	}
	cl := r.(*closure)
	src := cl.fn.source
	free := make([]*core.Var, len(src.captured))
	for k, c := range src.captured {
		free[k] = c.v
	}
	x := t.to.Function(cl.fn.name, src.at, src.lambda, free)
	t.known[r] = x
	t.todo = append(t.todo, func() {
		var values exact.Value[T]
		for _, c := range src.captured {
			from := cl.captured(c)
			t.value(c.v.Ty, &from, &values)
		}
		exact.Capture(x, values)
	})
	return x
}

// captured is the slots of a free variable of a closure.
func (o *closure) captured(c capturedVar) (s slotSource) {
	if c.env == nil && len(c.binding.slots) > 0 {
		return slotSource{p: []ref{o}} // the closure itself
	}
	for n, at := range c.binding.slots {
		k := c.env[n]
		switch {
		case at.kind == kF && at.isConst:
			s.f = append(s.f, at.f)
		case at.kind == kI && at.isConst:
			s.i = append(s.i, at.i)
		case at.kind == kP && at.isConst:
			s.p = append(s.p, at.p)
		case at.kind == kF:
			s.f = append(s.f, o.real(k))
		case at.kind == kI:
			s.i = append(s.i, o.word(k))
		case at.kind == kP:
			s.p = append(s.p, o.ref(k))
		}
	}
	return s
}
