package bind

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// codec is a Go type that stands for a Fluxion type.
type codec struct {
	form form
	ty   types.Type
	in   reflect.Type // the Go type

	fields []field // of a product, in the order of the Fluxion type
	elem   *codec  // of an array, of an Option, or of the target of a pointer
	cons   []*variant
}

// form says how a Go type represents a value.
type form uint8

const (
	realForm   form = iota // float64
	rationForm             // *big.Rat, an exact argument
	setForm                // Interval, an exact result
	intForm                // int, int64
	boolForm
	stringForm
	productForm // a struct; a Go array for a tuple of one type
	sliceForm   // a slice, for an array
	fixedForm   // a Go array, for an array
	denseForm   // *mat.Dense, for a matrix
	symForm     // *mat.SymDense
	vecForm     // *mat.VecDense, for an array of reals
	optionForm  // a pointer, which may be nil
	pointerForm // a pointer to a struct
	unionForm   // an interface, for a data type
)

// field is a component of a product.
type field struct {
	name   string // of a record's field
	offset uintptr
	codec  *codec
}

// variant is a constructor of a data type and the struct that stands for it.
type variant struct {
	name  string
	codec *codec // a product
}

// Types extends the correspondence of Go types and Fluxion types.
type Types struct {
	// Variants maps the name of a constructor to the struct that stands for it.
	Variants map[string]reflect.Type
	// Interval is a struct of two *big.Float. It stands for an enclosed Real.
	Interval reflect.Type
}

// matcher finds the codecs of types.
type matcher struct {
	types Types
	reals reals
	known map[matched]*codec
}

// reals says how Go represents reals.
type reals uint8

const (
	doubles   reals = iota
	rationals       // the arguments of exact evaluation: float64 and *big.Rat
	intervals       // its results
)

type matched struct {
	ty    types.Type
	in    reflect.Type
	reals reals
}

var (
	typeDense = reflect.TypeFor[*mat.Dense]()
	typeSym   = reflect.TypeFor[*mat.SymDense]()
	typeVec   = reflect.TypeFor[*mat.VecDense]()
	typeRat   = reflect.TypeFor[*big.Rat]()
)

// match returns the codec of a Go type for a Fluxion type.
func (m *matcher) match(in reflect.Type, ty types.Type) (*codec, *diag.Diagnostic) {
	ty = types.Resolve(ty)
	key := matched{ty, in, m.reals}
	if c := m.known[key]; c != nil {
		return c, nil
	}
	if m.known == nil {
		m.known = map[matched]*codec{}
	}
	c := &codec{ty: ty, in: in}
	m.known[key] = c // before its parts, because data types can contain themselves
	if d := m.fill(c); d != nil {
		delete(m.known, key)
		return nil, d
	}
	return c, nil
}

// unfit returns the diagnostic for a codec whose Go type does not stand for its Fluxion type.
func unfit(c *codec, want string) *diag.Diagnostic {
	return misfit("the Go type %s does not stand for %s", c.in, types.Show(c.ty)).WithHint("use %s",
		want)
}

func (m *matcher) fill(c *codec) *diag.Diagnostic {
	if data, _ := c.ty.(*types.Data); c.in.Kind() == reflect.Pointer &&
		isPlainStruct(c.in.Elem()) &&
		(data == nil || !isOption(data)) {
		c.form = pointerForm
		var d *diag.Diagnostic
		c.elem, d = m.match(c.in.Elem(), c.ty)
		return d
	}
	switch t := c.ty.(type) {
	case *types.Basic:
		return m.basic(c, t)
	case *types.Tuple:
		return m.tuple(c, t.Elems)
	case *types.Record:
		return m.record(c, t)
	case *types.Array:
		return m.array(c, t)
	case *types.Data:
		return m.data(c, t)
	case *types.Fun:
		return misfit("a function, of type %s, cannot be handed over to Go", types.Show(t))
	}
	return misfit("the type %s is open",
		types.Show(c.ty)).WithHint("write the types of the parameters")
}

func (m *matcher) basic(c *codec, t *types.Basic) *diag.Diagnostic {
	kind := c.in.Kind()
	switch t {
	case types.Real:
		switch {
		case m.reals == intervals && c.in == m.types.Interval:
			c.form = setForm
		case m.reals == intervals:
			return unfit(c, "fluxion.Interval, which encloses it")
		case m.reals == rationals && c.in == typeRat:
			c.form = rationForm
		case kind == reflect.Float64:
			c.form = realForm
		case m.reals == rationals:
			return unfit(c, "float64 or *big.Rat")
		default:
			return unfit(c, "float64")
		}
	case types.Int:
		if kind != reflect.Int && kind != reflect.Int64 {
			return unfit(c, "int or int64")
		}
		c.form = intForm
	case types.Bool:
		if kind != reflect.Bool {
			return unfit(c, "bool")
		}
		c.form = boolForm
	default:
		if kind != reflect.String {
			return unfit(c, "string")
		}
		c.form = stringForm
	}
	return nil
}

// isPlainStruct reports whether a type is a struct whose fields stand for components.
func isPlainStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !slices.Contains([]reflect.Type{typeDense.Elem(),
		typeSym.Elem(), typeVec.Elem(), typeRat.Elem()}, t)
}

// tuple matches a struct by the order of its fields, or a Go array.
func (m *matcher) tuple(c *codec, elems []types.Type) *diag.Diagnostic {
	c.form = productForm
	switch {
	case c.in.Kind() == reflect.Array && c.in.Len() == len(elems):
		for i, e := range elems {
			part, d := m.match(c.in.Elem(), e)
			if d != nil {
				return d
			}
			c.fields = append(c.fields, field{offset: uintptr(i) * c.in.Elem().Size(), codec: part})
		}
		return nil
	case c.in.Kind() != reflect.Struct:
		return unfit(c, "a struct with its components as fields, in order")
	}
	fields, d := structFields(c.in)
	if d != nil {
		return d
	}
	if len(fields) != len(elems) {
		return misfit("the Go type %s has %d fields, and %s has %d components", c.in, len(fields),
			types.Show(c.ty), len(elems))
	}
	for i, f := range fields {
		part, d := m.match(f.Type, elems[i])
		if d != nil {
			return d.WithHint("this is the field %s of %s", f.Name, c.in)
		}
		c.fields = append(c.fields, field{offset: f.Offset, codec: part})
	}
	return nil
}

// structFields returns the fields of a struct that stand for components.
func structFields(t reflect.Type) ([]reflect.StructField, *diag.Diagnostic) {
	var all []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("flx") == "-" || f.Name == "_" {
			continue
		}
		if !f.IsExported() {
			return nil, misfit("the field %s of %s is not exported", f.Name,
				t).WithHint("write the tag `flx:\"-\"` to leave it out")
		}
		all = append(all, f)
	}
	return all, nil
}

// record matches a struct by the names of its fields.
func (m *matcher) record(c *codec, t *types.Record) *diag.Diagnostic {
	if c.in.Kind() != reflect.Struct {
		return unfit(c, "a struct with a field for each of the record's")
	}
	c.form = productForm
	all, d := structFields(c.in)
	if d != nil {
		return d
	}
	used := 0
	for _, want := range t.Fields {
		var found *reflect.StructField
		for i, f := range all {
			tag := f.Tag.Get("flx")
			if tag == want.Name || tag == "" && strings.EqualFold(f.Name, want.Name) {
				if found != nil {
					return misfit("two fields of %s stand for %s", c.in, want.Name)
				}
				found = &all[i]
			}
		}
		if found == nil {
			return misfit("the Go type %s has no field for %s of %s", c.in, want.Name,
				types.Show(t)).
				WithHint("add a field %s, or one with the tag `flx:%q`", exported(want.Name),
					want.Name)
		}
		used++
		part, d := m.match(found.Type, want.Type)
		if d != nil {
			return d.WithHint("this is the field %s of %s", found.Name, c.in)
		}
		c.fields = append(c.fields, field{want.Name, found.Offset, part})
	}
	if used != len(all) {
		return misfit("the Go type %s has %d fields, and the record %s has %d", c.in, len(all),
			types.Show(t), used).
			WithHint("write the tag `flx:\"-\"` at fields that are not for it")
	}
	return nil
}

func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

func (m *matcher) array(c *codec, t *types.Array) *diag.Diagnostic {
	elem := types.Resolve(t.Elem)
	row, isMatrix := elem.(*types.Array)
	isMatrix = isMatrix && types.Resolve(row.Elem) == types.Type(types.Real)
	switch {
	case (c.in == typeDense || c.in == typeSym) && isMatrix && m.reals == doubles:
		c.form = denseForm
		if c.in == typeSym {
			c.form = symForm
		}
		return nil
	case c.in == typeVec && elem == types.Type(types.Real) && m.reals == doubles:
		c.form = vecForm
		return nil
	case c.in.Kind() == reflect.Slice:
		c.form = sliceForm
	case c.in.Kind() == reflect.Array:
		if n := t.Size.Find(); n.Kind == types.SizeConst && n.N != int64(c.in.Len()) {
			return unfit(c, fmt.Sprintf("an array of %d elements, or a slice", n.N))
		}
		c.form = fixedForm
	default:
		return unfit(c, "a slice")
	}
	var d *diag.Diagnostic
	c.elem, d = m.match(c.in.Elem(), elem)
	return d
}

func (m *matcher) data(c *codec, t *types.Data) *diag.Diagnostic {
	switch {
	case isOption(t):
		if c.in.Kind() != reflect.Pointer {
			return unfit(c, "a pointer, which is nil for None")
		}
		c.form = optionForm
		var d *diag.Diagnostic
		c.elem, d = m.match(c.in.Elem(), t.Args[0])
		return d
	case c.in.Kind() == reflect.Interface:
		c.form = unionForm
		for _, con := range t.Decl.Cons {
			in := m.types.Variants[con.Name]
			if in == nil {
				return misfit("no Go type stands for the constructor %s of %s", con.Name,
					types.Show(t)).
					WithHint("register a struct for it: fluxion.Variants(%s{})", con.Name)
			}
			if !in.Implements(c.in) {
				return misfit("the Go type %s, which stands for %s, does not implement %s", in,
					con.Name, c.in)
			}
			part := &codec{ty: t, in: in}
			if d := m.tuple(part, con.FieldTypes(t)); d != nil {
				return d.WithHint("%s stands for the constructor %s", in, con.Name)
			}
			c.cons = append(c.cons, &variant{con.Name, part})
		}
		return nil
	case len(t.Decl.Cons) == 1:
		return m.tuple(c, t.Decl.Cons[0].FieldTypes(t))
	}
	return unfit(c, "an interface whose structs are registered by fluxion.Variants")
}

// only returns the name of the constructor, if a product stands for a data type with one
// constructor, or "".
func (c *codec) only() string {
	if t, ok := c.ty.(*types.Data); ok && len(t.Decl.Cons) == 1 {
		return t.Decl.Cons[0].Name
	}
	return ""
}

// isOption reports whether a type is the prelude's Option.
func isOption(t *types.Data) bool { return t.Decl.Name == "Option" && t.Decl.Module == "prelude" }

// written returns the Fluxion type that a Go type stands for by itself, as a program writes it.
// It returns "" if that depends on a declaration of the program.
func written(t reflect.Type) string {
	switch t {
	case typeDense, typeSym:
		return "[][]Real"
	case typeVec:
		return "[]Real"
	case typeRat:
		return "Real"
	}
	switch t.Kind() {
	case reflect.Pointer:
		if isPlainStruct(t.Elem()) {
			return written(t.Elem())
		}
	case reflect.Float64:
		return "Real"
	case reflect.Int, reflect.Int64:
		return "Int"
	case reflect.Bool:
		return "Bool"
	case reflect.String:
		return "String"
	case reflect.Slice, reflect.Array:
		if elem := written(t.Elem()); elem != "" {
			return "[](" + elem + ")"
		}
	case reflect.Struct:
		fields, d := structFields(t)
		if d != nil || len(fields) == 0 {
			return ""
		}
		var parts []string
		for _, f := range fields {
			name, ty := f.Tag.Get("flx"), written(f.Type)
			if name == "" {
				name = strings.ToLower(f.Name[:1]) + f.Name[1:]
			}
			if ty == "" {
				return ""
			}
			parts = append(parts, fmt.Sprintf("%s : %s", name, ty))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return ""
}
