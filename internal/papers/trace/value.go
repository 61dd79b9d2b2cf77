package trace

import (
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Val is a closed value of a trace type: a float64 of real, a Vals of a
// product.
type Val interface{}

// Vals is ⟨V0, …, Vn−1⟩; ∗ is the empty one.
type Vals []Val

// The evaluators of programs work on package value's trees. Arrays are
// value.Array in them, whatever the elements; unpack and pack go between that
// and the flat forms.

func unpack(v value.Value) value.Value {
	switch v := v.(type) {
	case value.Reals:
		a := make(value.Array, len(v))
		for i, x := range v {
			a[i] = value.Real(x)
		}
		return a
	case value.Ints:
		a := make(value.Array, len(v))
		for i, x := range v {
			a[i] = value.Int(x)
		}
		return a
	}
	return mapChildren(v, func(_ int, c value.Value) value.Value { return unpack(c) })
}

func pack(v value.Value, ty types.Type) value.Value {
	ty = types.Resolve(ty)
	switch t := ty.(type) {
	case *types.Tuple:
		return mapChildren(v, func(i int, c value.Value) value.Value { return pack(c, t.Elems[i]) })
	case *types.Record:
		return mapChildren(v, func(i int, c value.Value) value.Value {
			return pack(c, t.Fields[i].Type)
		})
	case *types.Data:
		con := v.(value.Con)
		for _, c := range t.Decl.Cons {
			if c.Name == con.Name {
				fields := c.FieldTypes(t)
				return mapChildren(v, func(i int, c value.Value) value.Value {
					return pack(c, fields[i])
				})
			}
		}
	case *types.Array:
		a := v.(value.Array)
		switch types.Resolve(t.Elem) {
		case types.Type(types.Real):
			xs := make(value.Reals, len(a))
			for i, x := range a {
				xs[i] = float64(x.(value.Real))
			}
			return xs
		case types.Type(types.Int):
			xs := make(value.Ints, len(a))
			for i, x := range a {
				xs[i] = int64(x.(value.Int))
			}
			return xs
		}
		return mapChildren(v, func(_ int, c value.Value) value.Value { return pack(c, t.Elem) })
	}
	return v
}

// children returns the components of a structured value.
func children(v value.Value) []value.Value {
	switch v := v.(type) {
	case value.Tuple:
		return v
	case value.Record:
		cs := make([]value.Value, len(v))
		for i, f := range v {
			cs[i] = f.Value
		}
		return cs
	case value.Con:
		return v.Args
	case value.Array:
		return v
	}
	return nil
}

// mapChildren returns a structured value with its components mapped.
func mapChildren(v value.Value, f func(int, value.Value) value.Value) value.Value {
	cs := children(v)
	if len(cs) == 0 {
		return v
	}
	mapped := make([]value.Value, len(cs))
	for i, c := range cs {
		mapped[i] = f(i, c)
	}
	switch v := v.(type) {
	case value.Tuple:
		return value.Tuple(mapped)
	case value.Record:
		r := make(value.Record, len(v))
		for i, field := range v {
			r[i] = value.Field{Name: field.Name, Value: mapped[i]}
		}
		return r
	case value.Con:
		return value.Con{Name: v.Name, Args: mapped}
	}
	return value.Array(mapped)
}

// shape returns the trace type of a value: that of its real part.
func shape(v value.Value) Type {
	if _, ok := v.(value.Real); ok {
		return Real
	}
	cs := children(v)
	ts := make([]Type, len(cs))
	reals := false
	for i, c := range cs {
		ts[i] = shape(c)
		reals = reals || !isUnit(ts[i])
	}
	if !reals {
		return Unit
	}
	return product(ts...)
}

// realPart returns the real part of a value of the given shape.
func realPart(v value.Value, t Type) (Val, error) {
	p, ok := t.(*Product)
	if !ok {
		if x, ok := v.(value.Real); ok {
			return float64(x), nil
		}
		return nil, fmt.Errorf("%s has not the shape %s", value.ShowAtMost(v, 8), ShowType(t))
	}
	vals := make(Vals, len(p.Elems))
	cs := children(v)
	if len(vals) > 0 && len(cs) != len(vals) {
		return nil, fmt.Errorf("%s has not the shape %s", value.ShowAtMost(v, 8), ShowType(t))
	}
	for i, u := range p.Elems {
		val, err := realPart(cs[i], u)
		if err != nil {
			return nil, err
		}
		vals[i] = val
	}
	return vals, nil
}

// withReals returns a value with another real part of the same shape. Discrete
// components stay as they are.
func withReals(v value.Value, part Val) value.Value {
	switch part := part.(type) {
	case float64:
		return value.Real(part)
	case Vals:
		if len(part) > 0 {
			return mapChildren(v, func(i int, c value.Value) value.Value {
				return withReals(c, part[i])
			})
		}
	}
	return v
}

// zeroVal returns 0_T, closed.
func zeroVal(t Type) Val {
	p, ok := t.(*Product)
	if !ok {
		return 0.0
	}
	vals := make(Vals, len(p.Elems))
	for i, u := range p.Elems {
		vals[i] = zeroVal(u)
	}
	return vals
}

// quote returns a closed value as a term.
func quote(v Val) Term {
	switch v := v.(type) {
	case float64:
		return Const(v)
	case Vals:
		elems := make([]Term, len(v))
		for i, e := range v {
			elems[i] = quote(e)
		}
		return tuple(elems...)
	}
	panic("trace: no value")
}
