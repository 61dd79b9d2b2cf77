package checktest

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// expr writes an expression of type t.
func (w *writer) expr(t types.Type, depth int) string {
	w.budget--
	if w.budget < 0 {
		depth = 0
	}
	if depth > 0 {
		switch w.pick(20) { // rapid tries small numbers when it shrinks
		case 4:
			return fmt.Sprintf("(if %s then %s else %s)", w.expr(types.Bool, depth-1),
				w.expr(t, depth-1), w.expr(t, depth-1))
		case 5, 6:
			return w.let(t, depth)
		case 7:
			return w.redex(t, depth)
		case 8:
			return w.part(t, depth)
		case 9, 10:
			return w.match(t, depth)
		case 11, 12:
			return w.loop(t, depth)
		case 13:
			return fmt.Sprintf("%s[%s]", w.expr(array(t), depth-1), w.small(depth-1))
		case 14:
			u := w.typ(1)
			return fmt.Sprintf("(%s |> %s)", w.expr(u, depth-1),
				w.expr(&types.Fun{Param: u, Result: t}, depth-1))
		case 15, 16, 17, 18, 19:
			if text := w.call(t, depth); text != "" {
				return text
			}
		}
	}
	var fits []string
	for _, v := range w.scope {
		if types.Equal(v.t, t) {
			fits = append(fits, v.name)
		}
	}
	if _, rigid := t.(*types.Param); len(fits) > 0 && (rigid || w.pick(3) > 0) {
		return oneOf(w, fits...)
	}
	return w.construct(t, depth)
}

// let binds something and continues.
func (w *writer) let(t types.Type, depth int) string {
	if w.pick(3) == 0 {
		f, text := w.define(depth - 1)
		w.functions = append(w.functions, f)
		body := w.expr(t, depth-1)
		w.functions = w.functions[:len(w.functions)-1]
		return fmt.Sprintf("(%s in %s)", text, body)
	}
	u := w.typ(2)
	value := w.expr(u, depth-1)
	pattern, vars := w.pattern(u, 2, false)
	if _, name := u.(*types.Basic); !name {
		pattern = fmt.Sprintf("(%s : %s)", pattern, types.Show(u))
	}
	return w.bind(vars, func() string {
		return fmt.Sprintf("(let %s = %s in %s)", pattern, value, w.expr(t, depth-1))
	})
}

// redex applies a function that is written on the spot.
func (w *writer) redex(t types.Type, depth int) string {
	u := w.typ(2)
	arg := w.expr(u, depth-1)
	pattern, vars := w.pattern(u, 2, false)
	return w.bind(vars, func() string {
		return fmt.Sprintf("((fun (%s : %s) => %s) %s)", pattern, types.Show(u),
			w.expr(t, depth-1), arg)
	})
}

// part selects from a tuple or a record.
func (w *writer) part(t types.Type, depth int) string {
	other := w.typ(1)
	if w.pick(2) == 0 {
		pair := &types.Tuple{Elems: []types.Type{t, other}}
		return fmt.Sprintf("(%s : %s)[0]", w.expr(pair, depth-1), types.Show(pair))
	}
	record := &types.Record{Fields: []types.Field{{Name: "x", Type: t}, {Name: "y", Type: other}}}
	return fmt.Sprintf("(%s : %s).x", w.expr(record, depth-1), types.Show(record))
}

// match takes a value apart. The last arm matches whatever the others leave.
func (w *writer) match(t types.Type, depth int) string {
	u := w.typ(2)
	for range 3 {
		if _, data := u.(*types.Data); !data {
			u = w.typ(2) // data is what match is for
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "(match (%s : %s) with", w.expr(u, depth-1), types.Show(u))
	arm := func(pattern string, vars []variable) {
		fmt.Fprintf(&b, " | %s -> %s", pattern, w.bind(vars, func() string {
			return w.expr(t, depth-1)
		}))
	}
	if data, ok := u.(*types.Data); ok && w.pick(2) == 0 {
		for _, con := range data.Decl.Cons {
			arm(w.conPattern(con, data, 0, true))
		}
	} else {
		for range w.pick(3) {
			arm(w.pattern(u, 3, true))
		}
		arm(w.pattern(u, 1, false))
	}
	return b.String() + ")"
}

// loop writes one of the three kinds of loop. A loop that counts nothing down would not
// terminate.
func (w *writer) loop(t types.Type, depth int) string {
	start := w.expr(t, depth-1)
	switch w.pick(3) {
	case 0:
		i := w.name("i")
		pattern, vars := w.pattern(t, 1, false)
		bound := w.small(depth - 1)
		return w.bind(append(vars, variable{i, types.Int}), func() string {
			return fmt.Sprintf("(loop (%s : %s) = %s for %s < %s do %s)", pattern, types.Show(t),
				start, i, bound, w.expr(t, depth-1))
		})
	case 1:
		elem, x := w.typ(1), w.name("x")
		xs := w.expr(array(elem), depth-1)
		pattern, vars := w.pattern(t, 1, false)
		return w.bind(append(vars, variable{x, elem}), func() string {
			return fmt.Sprintf("(loop (%s : %s) = %s for %s in %s do %s)", pattern, types.Show(t),
				start, x, xs, w.expr(t, depth-1))
		})
	}
	n, state := w.name("n"), w.name("s")
	return w.bind([]variable{{state, t}}, func() string {
		cond, step := w.expr(types.Bool, depth-1), w.expr(t, depth-1)
		return fmt.Sprintf(
			"(loop (%s : Int, %s : %s) = (2, %s) while %s > 0 && %s do (%s - 1, %s))[1]",
			n, state, types.Show(t), start, n, cond, n, step)
	})
}

// call applies a function of the program or of a library, to all of its arguments or to some. It
// returns "" if none fits.
func (w *writer) call(t types.Type, depth int) string {
	type use struct {
		f    *function
		args []types.Type
		at   []types.Type
	}
	var uses []use
	for _, f := range w.functions {
		if f.calls != nil && *f.calls == 0 {
			continue
		}
		all, _ := types.Splay(f.scheme.Type, 10)
		rest := f.scheme.Type
		for n := 0; n <= len(all); n++ {
			at := make([]types.Type, len(f.scheme.Params))
			if (n > 0 || f.fuel == "") && matches(rest, t, f.scheme.Params, at) &&
				!(f.library && f.takesInt(all[n:])) {
				uses = append(uses, use{f, all[:n], at})
			}
			if n < len(all) {
				rest = types.Resolve(rest).(*types.Fun).Result
			}
		}
	}
	if len(uses) == 0 {
		return ""
	}
	u := oneOf(w, uses...)
	if u.f.calls != nil {
		*u.f.calls--
	}
	for i, p := range u.f.scheme.Params {
		if u.at[i] == nil {
			u.at[i] = w.member(p.Classes)
		}
	}
	args := make([]string, len(u.args))
	for i, arg := range u.args {
		switch arg = instance(arg, u.f.scheme.Params, u.at); {
		case i == 0 && u.f.fuel != "":
			args[i] = u.f.fuel
		case arg == types.Int && u.f.library:
			args[i] = w.small(depth - 1)
		default:
			args[i] = w.expr(arg, depth-1)
		}
	}
	name := u.f.name
	if u.f.infix {
		if len(args) == 2 && w.pick(4) > 0 {
			return fmt.Sprintf("(%s %s %s)", args[0], name, args[1])
		}
		name = "(" + name + ")"
	}
	if len(args) == 0 {
		return name
	}
	return "(" + name + " " + strings.Join(args, " ") + ")"
}

// takesInt reports whether a library's function still waits for an Int, which might be a size
// without a bound.
func (f *function) takesInt(waiting []types.Type) bool {
	for _, t := range waiting {
		if types.Resolve(t) == types.Int {
			return true
		}
	}
	return false
}

// small writes an Int that is suitable as a size or an index.
func (w *writer) small(depth int) string {
	if depth <= 0 || w.pick(2) == 0 {
		return oneOf(w, "2", "1", "0", "3")
	}
	return fmt.Sprintf("(mod %s 4)", w.expr(types.Int, depth-1))
}

// construct writes a value of type t by its own constructors.
func (w *writer) construct(t types.Type, depth int) string {
	inner := func(t types.Type) string { return w.expr(t, max(depth-1, 0)) }
	switch t := t.(type) {
	case *types.Tuple:
		parts := make([]string, len(t.Elems))
		for i, e := range t.Elems {
			parts[i] = inner(e)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case *types.Fun:
		pattern, vars := w.pattern(t.Param, 1, false)
		return w.bind(vars, func() string {
			return fmt.Sprintf("(fun (%s : %s) => %s)", pattern, types.Show(t.Param),
				inner(t.Result))
		})
	case *types.Array:
		return fmt.Sprintf("(%s : %s)", w.array(t.Elem, depth), types.Show(t))
	case *types.Record:
		var fields []string
		for i := len(t.Fields) - 1; i >= 0; i-- { // their order does not matter
			fields = append(fields, t.Fields[i].Name+" = "+inner(t.Fields[i].Type))
		}
		if depth > 0 && w.pick(3) == 0 {
			return fmt.Sprintf("{(%s : %s) with %s}", inner(t), types.Show(t), fields[0])
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case *types.Data:
		con := t.Decl.Cons[0]
		if depth > 0 {
			con = oneOf(w, t.Decl.Cons...)
		}
		text := con.Name
		for _, f := range con.FieldTypes(t) {
			text += " " + inner(f)
		}
		return fmt.Sprintf("(%s : %s)", text, types.Show(t))
	case *types.Param:
		panic("checktest: no variable of type " + t.Name)
	}
	if depth > 0 && w.pick(2) == 0 {
		switch t {
		case types.Real:
			return fmt.Sprintf("(%s %s %s)", inner(t), oneOf(w, "+", "-", "*", "/"), inner(t))
		case types.Int:
			return fmt.Sprintf("(%s %s %s)", inner(t), oneOf(w, "+", "-", "*"), inner(t))
		case types.Bool:
			return fmt.Sprintf("(%s %s %s)", inner(t), oneOf(w, "&&", "||"), inner(t))
		}
	}
	switch t {
	case types.Real:
		return oneOf(w, "0.5", "2", "0", "(-1.5)", "pi", "1e-3", "1e300", "(1 / 3)")
	case types.Int:
		return oneOf(w, "1", "0", "2", "(-3)", "7", "1_000", "0x10", "4000000000")
	case types.Bool:
		return oneOf(w, "true", "false")
	}
	return oneOf(w, `"s"`, `""`, `"a\n\"β\""`)
}

// array writes an array, element by element or by a comprehension.
func (w *writer) array(elem types.Type, depth int) string {
	if depth > 0 {
		switch w.pick(4) {
		case 0:
			i, bound := w.name("i"), w.small(depth-1)
			return w.bind([]variable{{i, types.Int}}, func() string {
				return fmt.Sprintf("[%s for %s < %s]", w.expr(elem, depth-1), i, bound)
			})
		case 1:
			from := w.typ(1)
			xs := w.expr(array(from), depth-1)
			pattern, vars := w.pattern(from, 1, false)
			return w.bind(vars, func() string {
				return fmt.Sprintf("[%s for %s in %s]", w.expr(elem, depth-1), pattern, xs)
			})
		case 2:
			return fmt.Sprintf("%s[%s:%s]", w.expr(array(elem), depth-1), oneOf(w, "0", "1"),
				w.small(depth-1))
		}
	}
	elems := make([]string, w.pick(4))
	for i := range elems {
		elems[i] = w.expr(elem, max(depth-1, 0))
	}
	return "[" + strings.Join(elems, ", ") + "]"
}

// pattern writes a pattern for a type and returns the variables it binds. It may fail to match
// only if that is requested.
func (w *writer) pattern(t types.Type, depth int, refutable bool) (string, []variable) {
	if depth > 0 && w.pick(3) > 0 {
		switch t := t.(type) {
		case *types.Tuple:
			var parts []string
			var vars []variable
			for _, e := range t.Elems {
				part, more := w.pattern(e, depth-1, refutable)
				parts, vars = append(parts, part), append(vars, more...)
			}
			return "(" + strings.Join(parts, ", ") + ")", vars
		case *types.Record:
			var parts []string
			var vars []variable
			for _, f := range t.Fields {
				part, more := w.pattern(f.Type, depth-1, refutable)
				parts, vars = append(parts, f.Name+" = "+part), append(vars, more...)
			}
			return "{" + strings.Join(parts, ", ") + "}", vars
		case *types.Data:
			if refutable || len(t.Decl.Cons) == 1 {
				return w.conPattern(oneOf(w, t.Decl.Cons...), t, depth-1, refutable)
			}
		case *types.Basic:
			if refutable {
				switch t {
				case types.Int:
					return oneOf(w, "0", "1", "(-3)"), nil
				case types.Bool:
					return oneOf(w, "true", "false"), nil
				case types.String:
					return oneOf(w, `"s"`, `""`), nil
				}
			}
		}
	}
	if w.pick(4) == 0 {
		return "_", nil
	}
	v := w.name("v")
	return v, []variable{{v, t}}
}

func (w *writer) conPattern(con *types.Con, t *types.Data, depth int, refutable bool) (
	string, []variable) {
	text := con.Name
	var vars []variable
	for _, f := range con.FieldTypes(t) {
		part, more := w.pattern(f, depth, refutable)
		text, vars = text+" "+part, append(vars, more...)
	}
	if len(con.Fields) > 0 {
		text = "(" + text + ")"
	}
	return text, vars
}
