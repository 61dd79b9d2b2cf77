package value

import "fmt"

// EachLeaf calls f with each leaf of a value and an expression for it.
func EachLeaf(v Value, name string, f func(name string, leaf Value)) {
	each := func(vs []Value) {
		for i, e := range vs {
			EachLeaf(e, fmt.Sprintf("%s[%d]", name, i), f)
		}
	}
	switch v := v.(type) {
	case Tuple:
		each(v)
	case Array:
		each(v)
	case Con:
		for i, e := range v.Args {
			EachLeaf(e, fmt.Sprintf("%s.%s%d", name, v.Name, i+1), f)
		}
	case Record:
		for _, field := range v {
			EachLeaf(field.Value, name+"."+field.Name, f)
		}
	case Reals:
		for i, x := range v {
			f(fmt.Sprintf("%s[%d]", name, i), Real(x))
		}
	default:
		f(name, v)
	}
}
