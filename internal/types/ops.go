package types

import (
	"slices"
	"strings"
)

// Equal reports whether two solved types are equal. Like unification it ignores sizes.
func Equal(a, b Type) bool {
	a, b = Resolve(a), Resolve(b)
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *Fun:
		b, ok := b.(*Fun)
		return ok && Equal(a.Param, b.Param) && Equal(a.Result, b.Result)
	case *Tuple:
		b, ok := b.(*Tuple)
		return ok && equalAll(a.Elems, b.Elems)
	case *Record:
		b, ok := b.(*Record)
		if !ok || len(a.Fields) != len(b.Fields) {
			return false
		}
		for i, f := range a.Fields {
			if f.Name != b.Fields[i].Name || !Equal(f.Type, b.Fields[i].Type) {
				return false
			}
		}
		return true
	case *Array:
		b, ok := b.(*Array)
		return ok && Equal(a.Elem, b.Elem)
	case *Data:
		b, ok := b.(*Data)
		return ok && a.Decl == b.Decl && equalAll(a.Args, b.Args)
	}
	return false
}

func equalAll(as, bs []Type) bool {
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if !Equal(as[i], bs[i]) {
			return false
		}
	}
	return true
}

// Map rebuilds a type with f applied to each immediate part. It shares what does not change.
func Map(t Type, f func(Type) Type) Type {
	switch t := t.(type) {
	case *Fun:
		p, r := f(t.Param), f(t.Result)
		if p == t.Param && r == t.Result {
			return t
		}
		return &Fun{p, r}
	case *Tuple:
		if elems, changed := mapAll(t.Elems, f); changed {
			return &Tuple{elems}
		}
	case *Record:
		var fields []Field
		for i, field := range t.Fields {
			if u := f(field.Type); u != field.Type {
				if fields == nil {
					fields = append([]Field(nil), t.Fields...)
				}
				fields[i].Type = u
			}
		}
		if fields != nil {
			return &Record{fields}
		}
	case *Array:
		if e := f(t.Elem); e != t.Elem {
			return &Array{t.Size, e}
		}
	case *Data:
		if args, changed := mapAll(t.Args, f); changed {
			return &Data{t.Decl, args}
		}
	}
	return t
}

func mapAll(ts []Type, f func(Type) Type) (mapped []Type, changed bool) {
	for i, t := range ts {
		if u := f(t); u != t {
			if !changed {
				mapped, changed = append([]Type(nil), ts...), true
			}
			mapped[i] = u
		}
	}
	return mapped, changed
}

// Subst replaces params by the types at the same positions.
func Subst(t Type, params []*Param, by []Type) Type {
	if len(params) == 0 {
		return t
	}
	var walk func(Type) Type
	walk = func(t Type) Type {
		t = Resolve(t)
		if p, ok := t.(*Param); ok {
			for i, q := range params {
				if p == q {
					return by[i]
				}
			}
			return p
		}
		return Map(t, walk)
	}
	return walk(t)
}

// FieldTypes returns the types of a constructor's fields at an instance of its
// data type.
func (c *Con) FieldTypes(at *Data) []Type {
	fields := make([]Type, len(c.Fields))
	for i, f := range c.Fields {
		fields[i] = Subst(f, c.Data.Params, at.Args)
	}
	return fields
}

// Index returns the index of a field by name, or -1.
func (r *Record) Index(name string) int {
	i, ok := slices.BinarySearchFunc(r.Fields, name, func(f Field, name string) int {
		return strings.Compare(f.Name, name)
	})
	if !ok {
		return -1
	}
	return i
}

// Params lists the rigid variables of a type, in order of appearance.
func Params(t Type) []*Param {
	var found []*Param
	var walk func(Type) Type
	walk = func(t Type) Type {
		t = Resolve(t)
		if p, ok := t.(*Param); ok {
			for _, q := range found {
				if p == q {
					return t
				}
			}
			found = append(found, p)
			return t
		}
		return Map(t, walk)
	}
	walk(t)
	return found
}
