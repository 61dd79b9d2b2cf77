package curry

import (
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Value is what rep-functions take and return: float64, int64, bool, string, Product, *Data or
// *Fun; inside a derivative that the program takes, a real may be a *Node.
type Value any

// Product is an environment, a tuple (unit included), a record or an array.
type Product []Value

// Data is a constructor with its fields.
type Data struct {
	Con    *types.Con
	Fields Product
}

// Fun is a function value: a rep-function of a product of Arity arguments. The discipline decides
// what its pullback returns.
type Fun struct {
	Arity int
	Name  string // for tangents that are shown
	call  rep

	captured Product
	again    func(captured Product) *Fun // the same code with other values
	owed     func(ts Tangents) Tangent   // the tangent of the function, given that of captured
}

// concat returns the extension of an environment.
func concat(a, b Product) Product {
	c := make(Product, 0, len(a)+len(b))
	return append(append(c, a...), b...)
}

// fromValue returns a value of type ty as it comes from outside.
func fromValue(v value.Value, ty types.Type) Value {
	ty = types.Resolve(ty)
	switch v := v.(type) {
	case value.Real:
		return float64(v)
	case value.Int:
		return int64(v)
	case value.Bool:
		return bool(v)
	case value.String:
		return string(v)
	case value.Con:
		data := ty.(*types.Data)
		con := conOf(data, v.Name)
		fields := con.FieldTypes(data)
		return &Data{con, productOf(len(v.Args), func(i int) Value {
			return fromValue(v.Args[i], fields[i])
		})}
	}
	elem, n := parts(v, ty)
	return productOf(n, func(i int) Value {
		part, t := elem(i)
		return fromValue(part, t)
	})
}

// parts takes a product from outside apart.
func parts(v value.Value, ty types.Type) (elem func(i int) (value.Value, types.Type), n int) {
	switch v := v.(type) {
	case value.Tuple:
		return func(i int) (value.Value, types.Type) {
			return v[i], ty.(*types.Tuple).Elems[i]
		}, len(v)
	case value.Record:
		return func(i int) (value.Value, types.Type) {
			return v[i].Value, ty.(*types.Record).Fields[i].Type
		}, len(v)
	case value.Reals:
		return func(i int) (value.Value, types.Type) { return value.Real(v[i]), types.Real }, len(v)
	case value.Ints:
		return func(i int) (value.Value, types.Type) { return value.Int(v[i]), types.Int }, len(v)
	case value.Array:
		return func(i int) (value.Value, types.Type) { return v[i], ty.(*types.Array).Elem }, len(v)
	}
	panic("curry: a value that does not have its type")
}

func productOf(n int, f func(i int) Value) Product {
	p := make(Product, n)
	for i := range p {
		p[i] = f(i)
	}
	return p
}

func conOf(data *types.Data, name string) *types.Con {
	for _, con := range data.Decl.Cons {
		if con.Name == name {
			return con
		}
	}
	panic("curry: no constructor " + name)
}

// toValue returns a value of type ty for the outside.
func toValue(v Value, ty types.Type) value.Value {
	return export(v, ty, func(v Value) value.Value {
		switch v := v.(type) {
		case float64:
			return value.Real(v)
		case int64:
			return value.Int(v)
		case bool:
			return value.Bool(v)
		case string:
			return value.String(v)
		}
		return value.Func{Type: types.Show(ty)}
	})
}

// export rebuilds a value of type ty from its leaves.
func export(v Value, ty types.Type, leaf func(Value) value.Value) value.Value {
	switch ty := types.Resolve(ty).(type) {
	case *types.Tuple:
		out := make(value.Tuple, len(ty.Elems))
		for i, t := range ty.Elems {
			out[i] = export(v.(Product)[i], t, leaf)
		}
		return out
	case *types.Record:
		out := make(value.Record, len(ty.Fields))
		for i, f := range ty.Fields {
			out[i] = value.Field{Name: f.Name, Value: export(v.(Product)[i], f.Type, leaf)}
		}
		return out
	case *types.Data:
		data := v.(*Data)
		fields := data.Con.FieldTypes(ty)
		out := value.Con{Name: data.Con.Name}
		for i, t := range fields {
			out.Args = append(out.Args, export(data.Fields[i], t, leaf))
		}
		return out
	case *types.Array:
		return exportArray(v.(Product), ty.Elem, leaf)
	}
	return leaf(v)
}

func exportArray(p Product, elem types.Type, leaf func(Value) value.Value) value.Value {
	out := make(value.Array, len(p))
	for i, v := range p {
		out[i] = export(v, elem, leaf)
	}
	switch types.Resolve(elem) {
	case types.Type(types.Real):
		reals := make(value.Reals, len(out))
		for i, v := range out {
			reals[i] = float64(v.(value.Real))
		}
		return reals
	case types.Type(types.Int):
		ints := make(value.Ints, len(out))
		for i, v := range out {
			ints[i] = int64(v.(value.Int))
		}
		return ints
	}
	return out
}

// sameShape reports whether two values of one type have the same constructors and lengths, so
// that one can be a cotangent of the other.
func sameShape(a, b value.Value, ty types.Type) bool {
	ty = types.Resolve(ty)
	switch a := a.(type) {
	case value.Real, value.Int, value.Bool, value.String:
		return true
	case value.Con:
		data, other := ty.(*types.Data), b.(value.Con)
		if a.Name != other.Name {
			return false
		}
		fields := conOf(data, a.Name).FieldTypes(data)
		for i := range a.Args {
			if !sameShape(a.Args[i], other.Args[i], fields[i]) {
				return false
			}
		}
		return true
	}
	elem, n := parts(a, ty)
	other, m := parts(b, ty)
	if n != m {
		return false
	}
	for i := range n {
		x, t := elem(i)
		if y, _ := other(i); !sameShape(x, y, t) {
			return false
		}
	}
	return true
}
