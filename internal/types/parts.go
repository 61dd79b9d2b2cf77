package types

// Parts returns the types of the components of a tuple or a record; nil for another type.
func Parts(t Type) []Type {
	switch t := Resolve(t).(type) {
	case *Tuple:
		return t.Elems
	case *Record:
		parts := make([]Type, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Type
		}
		return parts
	}
	return nil
}

// Contains reports whether a type, or a type inside it, satisfies a condition. Inside a type are
// its components, elements, arguments and results, and the fields of the constructors of its data
// types.
//
// A declaration is examined once. At other arguments its fields differ only in the parameters,
// and the arguments are examined separately: in Option (Option Real) the Real is found inside the
// argument of the outer Option. An argument counts even if no field has the parameter.
func Contains(t Type, is func(Type) bool) bool {
	return (&containing{is: is, seen: map[*DataDecl]bool{}}).inside(t)
}

// HasReals reports whether values of a type may have reals in them.
func HasReals(t Type) bool { return Contains(t, func(t Type) bool { return t == Type(Real) }) }

// Contains reports whether a type inside the fields of the constructors satisfies a condition.
func (d *DataDecl) Contains(is func(Type) bool) bool {
	c := &containing{is: is, seen: map[*DataDecl]bool{d: true}}
	for _, con := range d.Cons {
		for _, f := range con.Fields {
			if c.inside(f) {
				return true
			}
		}
	}
	return false
}

// Recursive reports whether values of the data type may contain other values of it, at the same
// or another instance.
func (d *DataDecl) Recursive() bool {
	return d.Contains(func(t Type) bool {
		inner, ok := t.(*Data)
		return ok && inner.Decl == d
	})
}

// Enumeration reports whether there are constructors, and none has fields.
func (d *DataDecl) Enumeration() bool {
	for _, con := range d.Cons {
		if len(con.Fields) > 0 {
			return false
		}
	}
	return len(d.Cons) > 0
}

// containing is a search for a type inside another.
type containing struct {
	is   func(Type) bool
	seen map[*DataDecl]bool
}

func (c *containing) inside(t Type) bool {
	t = Resolve(t)
	if c.is(t) {
		return true
	}
	if d, ok := t.(*Data); ok && !c.seen[d.Decl] {
		c.seen[d.Decl] = true
		for _, con := range d.Decl.Cons {
			for _, f := range con.FieldTypes(d) {
				if c.inside(f) {
					return true
				}
			}
		}
	}
	found := false
	Map(t, func(part Type) Type {
		found = found || c.inside(part)
		return part
	})
	return found
}
