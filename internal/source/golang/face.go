package golang

import (
	"fmt"
	"maps"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/source"
)

// Note [Faces]. In the loop form a record is a parameter for each field, and an array of records is
// its length and a buffer for each field. A face gives a function the types of a Go program
// instead:
//
//	func Loss(p Growth, rows []Row) (float64, error)
//
// Fields are read where the function needs them (p.Rate). A slice of structs, and a slice of
// slices, is copied to buffers first, and copied from buffers in a result; all rows of a slice of
// slices must be of one length. If each element that the function reads is known to be in its row,
// the rows are read where they are, and not copied: Note [Rows] of package pass.

// Face is the parameters and results of a function in Go. Their scalars and buffers are, in order,
// the parameters and results of the loop form.
type Face struct {
	Params  []Param
	Results []*Type
}

// Param is a parameter: a name that need not be an identifier, and a type.
type Param struct {
	Name string
	Type *Type
}

// Kind tells types apart.
type Kind uint8

// The kinds of type.
const (
	Scalar Kind = iota
	Struct
	Array // of a fixed length
	Slice
)

// Type is a Go type.
type Type struct {
	Kind    Kind
	Base    loop.Kind // of a scalar
	Name    string    // of a struct; of a scalar that is a declared type, otherwise ""
	Fields  []Field   // of a struct
	Elem    *Type     // of an array or slice
	Len     int       // of an array
	Counted bool      // of a slice: in the loop form its length is a parameter or result too
}

// Field is a field of a struct.
type Field struct {
	Name string
	Type *Type
}

// Declaration declares a struct or an enumeration.
type Declaration struct {
	Name      string
	Doc       string
	Fields    []FieldDoc // of a struct
	Constants []string   // of an enumeration
}

// FieldDoc is a field with its type as text, and a comment or "".
type FieldDoc struct{ Name, Type, Doc string }

func (d *Declaration) text() string {
	var b strings.Builder
	for line := range strings.Lines(d.Doc) {
		fmt.Fprintf(&b, "// %s\n", strings.TrimRight(line, " \n"))
	}
	if d.Constants != nil {
		fmt.Fprintf(&b, "type %s int64\n\n// The values of %s.\nconst (\n", d.Name, d.Name)
		for k, c := range d.Constants {
			if b.WriteString(c); k == 0 {
				fmt.Fprintf(&b, " %s = iota", d.Name)
			}
			b.WriteByte('\n')
		}
		return b.String() + ")\n\n"
	}
	fmt.Fprintf(&b, "type %s struct {\n", d.Name)
	for _, f := range d.Fields {
		if fmt.Fprintf(&b, "%s %s", f.Name, f.Type); f.Doc != "" {
			fmt.Fprintf(&b, " // %s", f.Doc)
		}
		b.WriteByte('\n')
	}
	return b.String() + "}\n\n"
}

// String is the type in Go.
func (t *Type) String() string {
	switch {
	case t.Name != "":
		return t.Name
	case t.Kind == Struct:
		return "struct{}"
	case t.Kind == Array:
		return fmt.Sprintf("[%d]%s", t.Len, t.Elem)
	case t.Kind == Slice:
		return "[]" + t.Elem.String()
	}
	return kinds[t.Base]
}

// zero is the type's zero value.
func (t *Type) zero() string {
	switch {
	case t.Kind == Slice:
		return "nil"
	case t.Kind != Scalar:
		return t.String() + "{}"
	case t.Base == loop.Bool:
		return "false"
	}
	return "0"
}

// isBuffer tells whether a slice is a buffer of the loop form as it is. Truths are numbers in
// buffers.
func (t *Type) isBuffer() bool {
	return t.Kind == Slice && t.Elem.Kind == Scalar && t.Elem.Name == "" && t.Elem.Base != loop.Bool
}

// word is the type of a scalar's elements in a buffer.
func (t *Type) word() string {
	if t.Base == loop.F64 {
		return "float64"
	}
	return "int64"
}

// opened is a face with the names of its parameters, and the text that takes them apart.
type opened struct {
	face   *Face
	params []string
	failed string
	text   string
	fresh  func(string) string
	// rowsOf has the numbers of elements of the parameters whose rows are read where they are.
	rowsOf map[string]string
}

// Face names the parameters of a function that has a face, and says which expressions are those of
// the loop form.
func (g *readable) Face(f *loop.Func, fresh func(string) string) []string {
	for _, own := range g.pkg.Functions {
		if own.Loop != f || own.Face == nil {
			continue
		}
		o := &opened{face: own.Face, fresh: fresh, rowsOf: map[string]string{}}
		g.cells[f] = map[*loop.Load]pass.Cell{}
		var zeros []string
		for _, r := range own.Face.Results {
			zeros = append(zeros, r.zero())
		}
		o.failed = strings.Join(append(zeros, "ErrRange"), ", ")
		t := &taker{opened: o, loop: f, cells: g.cells[f]}
		for _, p := range own.Face.Params {
			o.params = append(o.params, fresh(p.Name))
		}
		for i, p := range own.Face.Params {
			t.take(p.Type, o.params[i], o.params[i])
		}
		o.text = t.b.String()
		g.faces[own.Name] = o
		return append([]string{}, t.leaves...)
	}
	return nil
}

// signature is the head of the function.
func (o *opened) signature(name string) string {
	var params, results []string
	for i, p := range o.face.Params {
		if i+1 < len(o.params) && o.face.Params[i+1].Type.String() == p.Type.String() {
			params = append(params, o.params[i])
			continue
		}
		params = append(params, o.params[i]+" "+p.Type.String())
	}
	for _, t := range o.face.Results {
		results = append(results, t.String())
	}
	return fmt.Sprintf("%s(%s) (%s)", name, strings.Join(params, ", "),
		strings.Join(append(results, "error"), ", "))
}

// taker takes arguments apart: leaves are the parameters of the loop form so far.
type taker struct {
	*opened
	loop   *loop.Func
	cells  map[*loop.Load]pass.Cell // of the elements of parameters that are read in rows
	b      strings.Builder
	leaves []string
}

// take takes an expression apart; base begins the names of variables for its parts.
func (t *taker) take(ty *Type, expr, base string) {
	switch {
	case ty.Kind == Scalar && ty.Name != "":
		t.leaves = append(t.leaves, "int64("+expr+")")
	case ty.Kind == Scalar:
		t.leaves = append(t.leaves, expr)
	case ty.Kind == Struct:
		for _, f := range ty.Fields {
			t.take(f.Type, expr+"."+f.Name, base+f.Name)
		}
	case ty.Kind == Array:
		for i := range ty.Len {
			t.take(ty.Elem, fmt.Sprintf("%s[%d]", expr, i), fmt.Sprintf("%s%d", base, i+1))
		}
	case ty.isBuffer():
		if ty.Counted {
			t.leaves = append(t.leaves, "int64(len("+expr+"))")
		}
		t.leaves = append(t.leaves, expr)
	case t.takeRows(ty, expr, base):
	default:
		names := t.declare(ty, expr, base, "")
		t.leaves = append(t.leaves, names...)
		if !ty.Counted {
			names = append([]string{""}, names...)
		}
		if ty.Elem.isBuffer() { // all rows at once
			rows, flat := names[1], names[2]
			fmt.Fprintf(&t.b, "if %s = fxRows(%s, %s); %s == nil {\nreturn %s\n}\n", flat, expr,
				rows, flat, t.failed)
			return
		}
		if body, _ := t.fill(ty, expr, base, names); body != "" {
			t.b.WriteString(body)
		}
	}
}

// takeRows takes a slice of slices that need not be copied, and tells whether this is one.
func (t *taker) takeRows(ty *Type, expr, base string) bool {
	if !ty.Counted || !ty.Elem.isBuffer() || !ty.Elem.Counted {
		return false
	}
	params := t.loop.Params[len(t.leaves):]
	cells := pass.Rows(t.loop, params[2], params[1])
	if cells == nil {
		return false
	}
	maps.Copy(t.cells, cells)
	names := t.lengths(ty, expr, base, "")
	names = append(names, t.lengths(ty.Elem, expr+"[0]", base, "len("+expr+") > 0")...)
	fmt.Fprintf(&t.b, "if !fxRegular(%s, %s) {\nreturn %s\n}\n", expr, names[1], t.failed)
	t.rowsOf[expr] = names[0] + " * " + names[1]
	t.leaves = append(t.leaves, names[0], names[1], expr)
	return true
}

// lengths declares a variable for the length of a slice that has one in the loop form.
func (t *taker) lengths(ty *Type, expr, base, cond string) (names []string) {
	if !ty.Counted {
		return nil
	}
	n := t.fresh(base + "Len")
	if cond == "" {
		fmt.Fprintf(&t.b, "%s := int64(len(%s))\n", n, expr)
	} else {
		fmt.Fprintf(&t.b, "var %s int64\nif %s {\n%s = int64(len(%s))\n}\n", n, cond, n, expr)
	}
	return []string{n}
}

// declare declares variables for the lengths and columns of a slice, and gives their names. The
// lengths of the slices inside are those in its first elements, which exist if the condition holds.
func (t *taker) declare(ty *Type, expr, base, cond string) (names []string) {
	whole := base
	names = t.lengths(ty, expr, base, cond)
	if cond != "" {
		cond += " && "
	}
	cond += "len(" + expr + ") > 0"
	var inside func(ty *Type, expr, base string)
	inside = func(ty *Type, expr, base string) {
		switch ty.Kind {
		case Scalar:
			if base == whole { // a slice of slices
				base += "Flat"
			}
			column := t.fresh(base)
			names = append(names, column)
			fmt.Fprintf(&t.b, "var %s []%s\n", column, ty.word())
		case Struct:
			for _, f := range ty.Fields {
				inside(f.Type, expr+"."+f.Name, base+f.Name)
			}
		case Array:
			for i := range ty.Len {
				inside(ty.Elem, fmt.Sprintf("%s[%d]", expr, i), fmt.Sprintf("%s%d", base, i+1))
			}
		case Slice:
			names = append(names, t.declare(ty, expr, base, cond)...)
		}
	}
	inside(ty.Elem, expr+"[0]", base)
	return names
}

// fill is the text that appends the elements of a slice to the columns, and the names that are
// left. The first name is that of the slice's own length.
func (t *taker) fill(ty *Type, expr, base string, names []string) (string, []string) {
	names = names[1:]
	if ty.isBuffer() {
		return fmt.Sprintf("%s = append(%s, %s...)\n", names[0], names[0], expr), names[1:]
	}
	element := t.fresh("each")
	var b strings.Builder
	var inside func(ty *Type, expr, base string)
	inside = func(ty *Type, expr, base string) {
		switch ty.Kind {
		case Scalar:
			word := expr
			if ty.Base == loop.Bool {
				word = "fxTruth(" + expr + ")"
			} else if ty.Name != "" {
				word = "int64(" + expr + ")"
			}
			fmt.Fprintf(&b, "%s = append(%s, %s)\n", names[0], names[0], word)
			names = names[1:]
		case Struct:
			for _, f := range ty.Fields {
				inside(f.Type, expr+"."+f.Name, base+f.Name)
			}
		case Array:
			for i := range ty.Len {
				inside(ty.Elem, fmt.Sprintf("%s[%d]", expr, i), fmt.Sprintf("%s%d", base, i+1))
			}
		case Slice:
			fmt.Fprintf(&b, "if int64(len(%s)) != %s {\nreturn %s\n}\n", expr, names[0], t.failed)
			var text string
			text, names = t.fill(ty, expr, base, names)
			b.WriteString(text)
		}
	}
	if inside(ty.Elem, element, base); b.Len() == 0 {
		return "", names
	}
	return fmt.Sprintf("for _, %s := range %s {\n%s}\n", element, expr, b.String()), names
}

// results is the statements that return the results of the loop form as those of the face.
func (o *opened) results(leaves []source.Named) string {
	m := &maker{opened: o}
	for _, l := range leaves {
		m.leaves = append(m.leaves, l.Name)
	}
	var parts []string
	for _, t := range o.face.Results {
		parts = append(parts, m.make(t))
	}
	return m.b.String() + "return " + strings.Join(append(parts, "nil"), ", ")
}

// maker puts results together: leaves are the results of the loop form that are left.
type maker struct {
	*opened
	b      strings.Builder
	leaves []string
}

func (m *maker) next() string {
	leaf := m.leaves[0]
	m.leaves = m.leaves[1:]
	return leaf
}

// parts writes the parts of a struct or an array.
func (m *maker) parts(t *Type, part func(t *Type) string) string {
	var list []string
	for _, f := range t.Fields {
		list = append(list, f.Name+": "+part(f.Type))
	}
	for range t.Len {
		list = append(list, part(t.Elem))
	}
	text := t.String() + "{" + strings.Join(list, ", ") + "}"
	if len(text) > 90 {
		text = t.String() + "{\n" + strings.Join(list, ",\n") + ",\n}"
	}
	return text
}

// make is an expression for a value outside of slices.
func (m *maker) make(t *Type) string {
	switch {
	case t.Kind == Scalar && t.Name != "":
		return t.Name + "(" + m.next() + ")"
	case t.Kind == Scalar:
		return untyped(m.next())
	case t.Kind == Slice:
		n := ""
		if t.Counted {
			n = m.next()
		}
		if t.isBuffer() {
			return m.next()
		}
		if n == "" {
			n = "int64(len(" + m.leaves[0] + "))"
		}
		return m.slice(t, n, "")
	}
	return m.parts(t, m.make)
}

// slice makes a slice of n elements, the first of which is number first of the columns, or 0.
func (m *maker) slice(t *Type, n, first string) string {
	name, index := m.fresh("list"), m.fresh("at")
	fmt.Fprintf(&m.b, "%s := make(%s, %s)\nfor %s := range %s {\n", name, t, n, index, n)
	at := index
	if first != "" {
		at = m.fresh("place")
		fmt.Fprintf(&m.b, "%s := %s*%s + %s\n", at, first, n, index)
	}
	element := m.element(t.Elem, at)
	fmt.Fprintf(&m.b, "%s[%s] = %s\n}\n", name, index, element)
	return name
}

// element is an expression for an element of a slice, or a part of one.
func (m *maker) element(t *Type, at string) string {
	switch {
	case t.Kind == Scalar:
		value := m.next() + "[" + at + "]"
		switch {
		case t.Base == loop.Bool:
			return value + " != 0"
		case t.Name != "":
			return t.Name + "(" + value + ")"
		}
		return value
	case t.Kind == Slice:
		n := m.next()
		if t.isBuffer() {
			from := m.next()
			return fmt.Sprintf("%s[%s*%s : (%s+1)*%s : (%s+1)*%s]", from, at, n, at, n, at, n)
		}
		return m.slice(t, n, at)
	}
	return m.parts(t, func(t *Type) string { return m.element(t, at) })
}
