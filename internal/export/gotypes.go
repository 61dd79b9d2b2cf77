package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/source/golang"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// goTypes makes Go types for the types of a program. A record becomes a struct, named as in the
// program, or after the first function that has it. A tuple becomes an array if its parts have
// the same type, and otherwise a struct. Data with one constructor becomes a struct, and an
// enumeration an integer type with constants.
type goTypes struct {
	taken map[string]bool                // names of functions and types
	named map[string]*check.TypeName     // types that the program declares, by the text of the type
	known map[string]*golang.Declaration // keyed by the text of the type
	list  []*golang.Declaration
}

func newGoTypes(m *Module, names map[*loop.Func]string) *goTypes {
	g := &goTypes{taken: map[string]bool{"ErrRange": true}, named: map[string]*check.TypeName{},
		known: map[string]*golang.Declaration{}}
	for _, name := range names {
		g.taken[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(m.declared)) {
		t := m.declared[name]
		text := name
		if t.Alias != nil {
			text = types.Show(t.Alias.Type)
		}
		if g.named[text] == nil && (t.Alias == nil || len(t.Alias.Params) == 0) {
			g.named[text] = t
		}
	}
	return g
}

// face returns the Go signature of a function. The parts of a tuple are separate results.
func (g *goTypes) face(f *function, name string) (*golang.Face, error) {
	face := &golang.Face{}
	for i, t := range f.types {
		ty, err := g.of(t, name+goName(f.params[i]), false)
		if err != nil {
			return nil, err
		}
		face.Params = append(face.Params, golang.Param{Name: goParameter(f.params[i]), Type: ty})
	}
	results := []types.Type{f.result}
	if t, ok := types.Resolve(f.result).(*types.Tuple); ok && len(t.Elems) > 0 {
		results = t.Elems
	}
	for _, t := range results {
		ty, err := g.of(t, name+"Result", false)
		if err != nil {
			return nil, err
		}
		face.Results = append(face.Results, ty)
	}
	return face, nil
}

// of returns the Go type for a type. If it needs a declaration, and the program has no name for
// the type, the declaration is called name.
func (g *goTypes) of(t types.Type, name string, inArray bool) (*golang.Type, error) {
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		switch t {
		case types.Real:
			return &golang.Type{Base: loop.F64}, nil
		case types.Int:
			return &golang.Type{Base: loop.I64}, nil
		case types.Bool:
			return &golang.Type{Base: loop.Bool}, nil
		}
	case *types.Array:
		elem, err := g.of(t.Elem, name, true)
		if err != nil {
			return nil, err
		}
		counted := leavesIn(lower.ResultShapeOf(t), inArray)[0] == length
		return &golang.Type{Kind: golang.Slice, Elem: elem, Counted: counted}, nil
	case *types.Tuple:
		return g.tuple(t, name, inArray)
	case *types.Record:
		var fields []field
		for _, f := range t.Fields {
			fields = append(fields, field{f.Name, f.Type})
		}
		return g.structure(t, name, fields, inArray)
	case *types.Data:
		cons := t.Decl.Cons
		if shape := lower.ResultShapeOf(t); shape != nil && shape.Kind == lower.IntShape {
			return g.enumeration(t, types.Show(t), goName(t.Decl.Name), ""), nil
		}
		if len(cons) == 1 {
			return g.structure(t, goName(t.Decl.Name), positions(cons[0].FieldTypes(t)), inArray)
		}
		return g.variant(t, inArray)
	}
	return nil, fmt.Errorf("there is no Go type for %s", types.Show(t))
}

// field is a field of a struct, by its name in the program. The field for the tag of a variant
// has the type of the variant itself.
type field struct {
	name string
	ty   types.Type
}

// positions returns fields for components without names.
func positions(ts []types.Type) (fields []field) {
	ordinals := []string{"first", "second", "third", "fourth", "fifth", "sixth"}
	for k, t := range ts {
		name := fmt.Sprintf("item%d", k+1)
		if k < len(ordinals) {
			name = ordinals[k]
		}
		fields = append(fields, field{name, t})
	}
	return fields
}

func (g *goTypes) tuple(t *types.Tuple, name string, inArray bool) (*golang.Type, error) {
	if len(t.Elems) == 0 {
		return &golang.Type{Kind: golang.Struct}, nil
	}
	for _, e := range t.Elems {
		if types.Show(e) != types.Show(t.Elems[0]) {
			return g.structure(t, name, positions(t.Elems), inArray)
		}
	}
	elem, err := g.of(t.Elems[0], name, inArray)
	return &golang.Type{Kind: golang.Array, Elem: elem, Len: len(t.Elems)}, err
}

// structure returns a struct type, and declares it if necessary.
func (g *goTypes) structure(t types.Type, name string, fields []field, inArray bool) (*golang.Type,
	error) {
	text := types.Show(t)
	d := g.known[text]
	if d == nil {
		d = &golang.Declaration{Name: g.name(text, name), Doc: g.doc(text)}
		if d.Doc == "" {
			d.Doc = folded(comment(fmt.Sprintf("%s is `%s`.", d.Name, text)))
		}
		g.known[text] = d
		g.list = append(g.list, d)
	}
	out := &golang.Type{Kind: golang.Struct, Name: d.Name}
	used := map[string]bool{}
	var docs []golang.FieldDoc
	for _, f := range fields {
		own := unused(goName(f.name), used)
		if f.ty == t {
			ty := g.enumeration(t.(*types.Data), text+" tag", d.Name+"Tag", d.Name)
			out.Fields = append(out.Fields, golang.Field{Name: own, Type: ty})
			docs = append(docs, golang.FieldDoc{Name: own, Type: ty.String(),
				Doc: "which of the others there are"})
			continue
		}
		ty, err := g.of(f.ty, d.Name+own, inArray)
		if err != nil {
			return nil, err
		}
		note := ""
		if !strings.EqualFold(own, f.name) {
			note = comment("`" + f.name + "`")
		}
		out.Fields = append(out.Fields, golang.Field{Name: own, Type: ty})
		docs = append(docs, golang.FieldDoc{Name: own, Type: ty.String(), Doc: note})
	}
	d.Fields = docs
	return out, nil
}

// enumeration returns an integer type with constants for the constructors of t. text identifies
// the type. If the program has no name for it, it is called name. The type is the tag of the
// struct called prefix, or t itself if prefix is empty. Its constants begin with that name.
func (g *goTypes) enumeration(t *types.Data, text, name, prefix string) *golang.Type {
	if g.known[text] == nil {
		d := &golang.Declaration{Name: g.name(text, name), Doc: g.doc(text)}
		switch {
		case prefix != "":
			d.Doc = fmt.Sprintf("%s tells the constructors of %s apart.", d.Name, prefix)
		case d.Doc == "":
			d.Doc = comment(fmt.Sprintf("%s is `%s`.", d.Name, text))
		}
		for _, c := range t.Decl.Cons {
			d.Constants = append(d.Constants,
				unused(cmp.Or(prefix, d.Name)+goName(c.Name), g.taken))
		}
		g.known[text] = d
		g.list = append(g.list, d)
	}
	return &golang.Type{Base: loop.I64, Name: g.known[text].Name}
}

// variant returns a struct with a field Tag for the constructor, and a field for each field of
// each constructor. Fields of other constructors than the value's are not read.
func (g *goTypes) variant(t *types.Data, inArray bool) (*golang.Type, error) {
	fields := []field{{"tag", t}}
	for _, c := range t.Decl.Cons {
		own := positions(c.FieldTypes(t))
		for _, f := range own {
			if inArray && types.Contains(f.ty, func(t types.Type) bool {
				_, ok := t.(*types.Array)
				return ok
			}) {
				return nil, fmt.Errorf("there is no Go type for an array of %s, of which some "+
					"have arrays", types.Show(t))
			}
			if f.name = goName(c.Name) + goName(f.name); len(own) == 1 {
				f.name = goName(c.Name)
			}
			fields = append(fields, f)
		}
	}
	return g.structure(t, goName(t.Decl.Name), fields, inArray)
}

// name returns a name for a type: the program's, if it has one.
func (g *goTypes) name(text, name string) string {
	if t := g.named[text]; t != nil {
		name = goName(t.Name)
		if g.taken[name] {
			name += "Type"
		}
	}
	return unused(name, g.taken)
}

// doc returns the comment of the program on a type.
func (g *goTypes) doc(text string) string {
	t := g.named[text]
	if t == nil || t.Doc == "" {
		return ""
	}
	return strings.TrimPrefix(commentLines(t.Doc), "\n")
}

// goParameter returns the name of a parameter: dTheta for d_theta.
func goParameter(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	if rest == "" {
		return name
	}
	return first + goName(rest)
}

// folded breaks a comment into lines.
func folded(text string) string {
	line, out := "", ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+len(word) > 95 {
			out, line = out+line+"\n", ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return out + line
}

// unused returns a name that is not taken, and takes it.
func unused(name string, taken map[string]bool) string {
	base := name
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s%d", base, n)
	}
	taken[name] = true
	return name
}
