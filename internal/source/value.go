package source

import "fmt"

// Value says what a parameter or the result of an exported function is made of, in the terms of the
// program. Its parts, in order, are parameters or results of the loop form.
type Value struct {
	Kind ValueKind
	// of a tuple, a record and data; of a list its element; of a variant a tuple for each
	// constructor
	Parts []*Value
	Names []string // of the fields of a record, or of constructors
	Type  string   // the name of a choice's or a variant's type
	// Counted says that the length of a list is a part of its own, before those of the elements.
	// Otherwise each of those is a buffer of that length.
	Counted bool
}

// ValueKind tells values apart.
type ValueKind uint8

// The kinds of values. A choice is an enumeration, data has one constructor. A variant has several,
// and so a part in front of all others, which is the number of its constructor.
const (
	Real ValueKind = iota
	Integer
	Truth
	Choice
	List
	Tuple
	Record
	Data
	Variant
)

// Leaf is a part of a value that is a scalar or, in lists, a buffer of them.
type Leaf struct {
	Name string
	Cons int // of how many constructors it is the number, or 0
}

// Leaves are the parts of a value, named after it: m_len, m_len2 and m for a matrix m, and p_x for
// the field x of p. The parts of a variant s are s_tag, s_Circle, s_Box_1 and s_Box_2.
func (v *Value) Leaves(name string) []Leaf { return v.leaves(name, 1) }

func (v *Value) leaves(name string, depth int) (out []Leaf) {
	switch v.Kind {
	case List:
		if v.Counted {
			out = append(out, Leaf{Name: name + "_len"})
			if depth > 1 {
				out[0].Name += fmt.Sprint(depth)
			}
		}
		return append(out, v.Parts[0].leaves(name, depth+1)...)
	case Tuple, Data:
		for k, part := range v.Parts {
			out = append(out, part.leaves(fmt.Sprintf("%s_%d", name, k+1), depth)...)
		}
		return out
	case Variant:
		out = append(out, Leaf{name + "_tag", len(v.Names)})
		for k, fields := range v.Parts {
			if con := name + "_" + v.Names[k]; len(fields.Parts) == 1 {
				out = append(out, fields.Parts[0].leaves(con, depth)...)
			} else {
				out = append(out, fields.leaves(con, depth)...)
			}
		}
		return out
	case Record:
		for k, part := range v.Parts {
			out = append(out, part.leaves(name+"_"+v.Names[k], depth)...)
		}
		return out
	case Choice:
		return []Leaf{{name, len(v.Names)}}
	}
	return []Leaf{{Name: name}}
}
