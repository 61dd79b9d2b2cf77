package papers

import "github.com/fluxion-lang/fluxion/internal/value"

// MapReals returns a value with its real leaves mapped, from left to right. Other leaves do not
// change.
func MapReals(v value.Value, f func(x float64) float64) value.Value {
	each := func(vs []value.Value) []value.Value {
		out := make([]value.Value, len(vs))
		for i, e := range vs {
			out[i] = MapReals(e, f)
		}
		return out
	}
	switch v := v.(type) {
	case value.Real:
		return value.Real(f(float64(v)))
	case value.Reals:
		out := make(value.Reals, len(v))
		for i, x := range v {
			out[i] = f(x)
		}
		return out
	case value.Tuple:
		return value.Tuple(each(v))
	case value.Array:
		return value.Array(each(v))
	case value.Con:
		return value.Con{Name: v.Name, Args: each(v.Args)}
	case value.Record:
		out := make(value.Record, len(v))
		for i, field := range v {
			out[i] = value.Field{Name: field.Name, Value: MapReals(field.Value, f)}
		}
		return out
	}
	return v
}

// Reals lists the real leaves of a value, from left to right.
func Reals(v value.Value) []float64 {
	var xs []float64
	MapReals(v, func(x float64) float64 { xs = append(xs, x); return x })
	return xs
}

// WithReals returns a value with other real leaves.
func WithReals(v value.Value, xs []float64) value.Value {
	i := -1
	return MapReals(v, func(float64) float64 { i++; return xs[i] })
}
