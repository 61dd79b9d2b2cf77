package types

import "testing"

// TestContains: what a data type contains does not depend on where else its declaration was met.
func TestContains(t *testing.T) {
	data := func(name string, params int) *DataDecl {
		d := &DataDecl{Name: name}
		for range params {
			d.Params = append(d.Params, &Param{Name: "a"})
		}
		return d
	}
	con := func(d *DataDecl, fields ...Type) { d.Cons = append(d.Cons, &Con{Data: d, Fields: fields}) }
	at := func(d *DataDecl, args ...Type) *Data { return &Data{Decl: d, Args: args} }

	option := data("Option", 1)
	con(option)
	con(option, option.Params[0])
	list := data("List", 1)
	con(list)
	con(list, list.Params[0], at(list, list.Params[0]))
	nested := data("Nested", 1) // of ever larger types
	con(nested)
	con(nested, nested.Params[0], at(nested, &Tuple{Elems: []Type{nested.Params[0], nested.Params[0]}}))
	colour := data("Colour", 0)
	con(colour)
	con(colour)
	weight := data("Weight", 0)
	con(weight, Real)

	for _, c := range []struct {
		t    Type
		want bool
	}{
		{Real, true},
		{Int, false},
		{at(option, at(option, Real)), true},
		{at(option, at(option, Int)), false},
		{at(list, at(option, at(list, Real))), true},
		{&Array{Elem: at(option, at(option, Real))}, true},
		{at(nested, Int), false},
		{at(nested, Real), true},
		{at(option, at(colour)), false},
		{at(option, at(weight)), true},
		{&Tuple{Elems: []Type{at(option, Int), at(option, Real)}}, true},
		{&Record{Fields: []Field{{Name: "x", Type: at(option, at(weight))}}}, true},
	} {
		if got := HasReals(c.t); got != c.want {
			t.Errorf("%s has reals: %v", Show(c.t), got)
		}
	}
	for _, c := range []struct {
		d                      *DataDecl
		recursive, enumeration bool
	}{{option, false, false}, {list, true, false}, {nested, true, false}, {colour, false, true}, {weight, false, false}} {
		if c.d.Recursive() != c.recursive || c.d.Enumeration() != c.enumeration {
			t.Errorf("%s: recursive %v, enumeration %v", c.d.Name, c.d.Recursive(), c.d.Enumeration())
		}
	}
}
