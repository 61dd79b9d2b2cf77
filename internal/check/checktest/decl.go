package checktest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// dataDecls declares data types, which may refer to one another. The first constructor of each
// does not refer to another, so that every type has a value.
func (w *writer) dataDecls() string {
	group := make([]*types.DataDecl, w.pick(3))
	for i := range group {
		group[i] = &types.DataDecl{Module: "in", Name: w.name("D")}
		for n := range w.pick(3) {
			group[i].Params = append(group[i].Params, &types.Param{Name: types.LetterName(n)})
		}
	}
	var b strings.Builder
	for _, d := range group {
		var texts []string
		for tag := range 1 + w.pick(4) {
			con := &types.Con{Data: d, Name: w.name("C"), Tag: tag}
			for range w.pick(3) {
				con.Fields = append(con.Fields, w.field(d, group, tag > 0))
			}
			d.Cons = append(d.Cons, con)
			texts = append(texts, (&types.Printer{}).Constructor(con))
		}
		b.WriteString("data " + d.Name)
		for _, p := range d.Params {
			b.WriteString(" " + p.Name)
		}
		b.WriteString(" = " + strings.Join(texts, " | ") + "\n")
	}
	types.CompleteData(group)
	w.datas = append(w.datas, group...)
	return b.String()
}

// field draws the type of a constructor's field.
func (w *writer) field(d *types.DataDecl, group []*types.DataDecl, recursive bool) types.Type {
	w.params = d.Params
	defer func() { w.params = nil }()
	if !recursive || w.pick(2) == 0 {
		return w.typ(w.pick(2))
	}
	other := oneOf(w, group...)
	data := &types.Data{Decl: other}
	for range other.Params {
		data.Args = append(data.Args, w.typ(0))
	}
	if w.pick(4) == 0 {
		return array(data)
	}
	return data
}

// decl writes a definition at the top of the module.
func (w *writer) decl() string {
	w.budget = 40
	if w.pick(5) == 0 {
		t, name := w.typ(2), w.name("c")
		text := fmt.Sprintf("let %s%s = %s\n", name, w.maybe(t), w.expr(t, 3))
		w.scope = append(w.scope, variable{name, t})
		return text
	}
	f, text := w.define(3)
	w.functions = append(w.functions, f)
	return text + "\n"
}

// define writes `let f … = …` without what follows it: a function. One half of the functions are
// recursive and one half polymorphic.
func (w *writer) define(depth int) (*function, string) {
	f := &function{name: w.name("f")}
	outer := len(w.params)
	defer func() { w.params = w.params[:outer] }()
	var params []variable
	for range w.pick(2) * (1 + w.pick(2)) { // each has a value to work with
		p := &types.Param{Name: w.name("a"), Classes: oneOf(w, 0, types.Add, types.Num, types.Ord,
			types.Vec)}
		w.params = append(w.params, p)
		params = append(params, variable{w.name("v"), p})
	}
	own := slices.Clone(w.params[outer:])
	for range w.pick(3) {
		params = append(params, variable{w.name("v"), w.typ(2)})
	}
	recursive := w.pick(2) == 0 || len(params) == 0
	if recursive {
		params = append([]variable{{w.name("n"), types.Int}}, params...)
	}
	result := w.typ(2)
	var head strings.Builder
	kinds := make([]types.Type, len(params))
	for i, v := range params {
		kinds[i] = v.t
		// A type with type variables is written out, because inference may find a more general
		// one whose classes no type variable of this text has.
		if _, variable := v.t.(*types.Param); !variable && w.omits(v.t) {
			head.WriteString(" " + v.name)
		} else {
			fmt.Fprintf(&head, " (%s : %s)", v.name, types.Show(v.t))
		}
	}
	f.scheme = &types.Scheme{Params: own, Type: types.Funs(result, kinds...)}
	annotation := " : " + types.Show(result)
	if !recursive {
		return f, fmt.Sprintf("let %s%s%s = %s", f.name, head.String(), annotation,
			w.bind(params, func() string {
				return w.expr(result, depth)
			}))
	}
	last := w.bind(params, func() string { return w.expr(result, 1) })
	calls := 2
	// Inside its own body the function is monomorphic.
	inside := &function{name: f.name, scheme: types.Mono(f.scheme.Type),
		fuel: fmt.Sprintf("(%s - 1)", params[0].name), calls: &calls}
	w.functions = append(w.functions, inside)
	step := w.bind(params, func() string { return w.expr(result, depth) })
	w.functions = w.functions[:len(w.functions)-1]
	f.fuel = oneOf(w, "0", "1", "3")
	return f, fmt.Sprintf("let rec %s%s%s = if %s <= 0 then %s else %s", f.name, head.String(),
		annotation, params[0].name, last, step)
}

// omits reports whether to leave out the annotation of a variable. A variable with components
// needs the annotation, in case nothing else says what they are components of.
func (w *writer) omits(t types.Type) bool {
	if w.pick(2) == 0 {
		return false
	}
	known := true
	var walk func(types.Type) types.Type
	walk = func(t types.Type) types.Type {
		switch t.(type) {
		case *types.Tuple, *types.Record, *types.Array, *types.Param:
			known = false
		}
		return types.Map(t, walk)
	}
	walk(t)
	return known
}

// maybe returns an annotation or nothing.
func (w *writer) maybe(t types.Type) string {
	if w.omits(t) {
		return ""
	}
	return " : " + types.Show(t)
}
