package types

import "slices"

// Abbreviation is a program's name for a record type, with its parameters.
type Abbreviation struct {
	Name   string
	Params []*Param
	Type   *Record
}

// abbreviated returns the first abbreviation that stands for a type, and its arguments. Sizes are
// ignored, as in unification.
func (p *Printer) abbreviated(t *Record) (name string, args []Type) {
	for _, a := range p.Abbreviations {
		args := make([]Type, len(a.Params))
		if a.match(a.Type, t, args) && !slices.Contains(args, nil) { // a parameter may not occur
			return a.Name, args
		}
	}
	return "", nil
}

// match reports whether a part of the abbreviation's type stands for t. It stores the types of
// the parameters in args.
func (a *Abbreviation) match(part, t Type, args []Type) bool {
	part, t = Resolve(part), Resolve(t)
	switch part := part.(type) {
	case *Param:
		for i, p := range a.Params {
			if p == part {
				if args[i] == nil {
					args[i] = t
				}
				return Equal(args[i], t)
			}
		}
		return part == t
	case *Fun:
		t, ok := t.(*Fun)
		return ok && a.match(part.Param, t.Param, args) && a.match(part.Result, t.Result, args)
	case *Tuple:
		t, ok := t.(*Tuple)
		return ok && a.matchAll(part.Elems, t.Elems, args)
	case *Record:
		t, ok := t.(*Record)
		if !ok || len(part.Fields) != len(t.Fields) {
			return false
		}
		for i, f := range part.Fields {
			if f.Name != t.Fields[i].Name || !a.match(f.Type, t.Fields[i].Type, args) {
				return false
			}
		}
		return true
	case *Array:
		t, ok := t.(*Array)
		return ok && a.match(part.Elem, t.Elem, args)
	case *Data:
		t, ok := t.(*Data)
		return ok && part.Decl == t.Decl && a.matchAll(part.Args, t.Args, args)
	}
	return part == t
}

func (a *Abbreviation) matchAll(parts, ts []Type, args []Type) bool {
	if len(parts) != len(ts) {
		return false
	}
	for i := range parts {
		if !a.match(parts[i], ts[i], args) {
			return false
		}
	}
	return true
}
