package value

// MapReals returns a value with its real leaves mapped, from left to right. Other leaves do not
// change.
func MapReals(v Value, f func(x float64) float64) Value {
	each := func(vs []Value) []Value {
		out := make([]Value, len(vs))
		for i, e := range vs {
			out[i] = MapReals(e, f)
		}
		return out
	}
	switch v := v.(type) {
	case Real:
		return Real(f(float64(v)))
	case Reals:
		out := make(Reals, len(v))
		for i, x := range v {
			out[i] = f(x)
		}
		return out
	case Tuple:
		return Tuple(each(v))
	case Array:
		return Array(each(v))
	case Con:
		return Con{Name: v.Name, Args: each(v.Args)}
	case Record:
		out := make(Record, len(v))
		for i, field := range v {
			out[i] = Field{Name: field.Name, Value: MapReals(field.Value, f)}
		}
		return out
	}
	return v
}

// RealsOf lists the real leaves of a value, from left to right.
func RealsOf(v Value) []float64 {
	var xs []float64
	MapReals(v, func(x float64) float64 { xs = append(xs, x); return x })
	return xs
}

// WithReals returns a value with its real leaves replaced by xs, from left to right.
func WithReals(v Value, xs []float64) Value {
	i := -1
	return MapReals(v, func(float64) float64 { i++; return xs[i] })
}
