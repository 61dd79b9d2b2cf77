// Package checktest writes random programs for tests of what takes source text. The type decides
// what may be written, so every program is well typed; loops and recursion are short, so every
// program terminates. It is given the interfaces of the modules that the programs may use, and
// does not know how they are checked or run.
package checktest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Module is a module whose names programs use, unqualified if its name is empty.
type Module struct {
	Name      string
	Interface *check.Interface
}

// Program is a module with a final expression.
type Program struct {
	Decls string
	Final string
	Type  types.Type // of the final expression; the sizes of its arrays are unknown
}

// Text returns the whole program.
func (p Program) Text() string { return p.Decls + p.Final + "\n" }

// String implements fmt.Stringer, for the reports of rapid.
func (p Program) String() string { return "\n" + p.Text() }

// Programs generates programs that may use the modules; rapid shrinks them.
func Programs(modules ...Module) *rapid.Generator[Program] {
	return rapid.Custom(func(t *rapid.T) Program {
		w := &writer{t: t}
		var b strings.Builder
		for _, m := range modules {
			if m.Name != "" {
				fmt.Fprintf(&b, "import %s\n", m.Name)
			}
			w.use(m)
		}
		for _, row := range prim.All() {
			// zero has no value at a type of unknown shape, and file needs a file.
			if !row.Hidden && row.ID != prim.Neg && row.ID != prim.Zero && row.ID != prim.File {
				w.functions = append(w.functions,
					&function{name: row.Name, infix: isSymbol(row.Name), scheme: row.Scheme})
			}
		}
		b.WriteString(w.dataDecls())
		for range w.pick(4) {
			b.WriteString(w.decl())
		}
		w.budget = 100
		goal := w.typ(2)
		// or its numbers would be reals
		final := fmt.Sprintf("(%s : %s)", w.expr(goal, 5), types.Show(goal))
		return Program{Decls: b.String(), Final: final, Type: goal}
	})
}

// writer writes a program. Expressions are written in parentheses wherever
// they could be misread.
type writer struct {
	t         *rapid.T
	functions []*function       // what can be called by name, with its type
	datas     []*types.DataDecl // what can be constructed
	params    []*types.Param    // the type variables of the surrounding definition
	scope     []variable
	fresh     int
	budget    int // expressions left until only the smallest are written
}

type variable struct {
	name string
	t    types.Type
}

// function is a definition, a primitive or a function of a library.
type function struct {
	name    string
	infix   bool
	library bool // its Ints may be sizes, and are kept small
	scheme  *types.Scheme

	// A recursive function counts its first parameter down; fuel is what to pass for it, and
	// calls, if not nil, how many may still be written.
	fuel  string
	calls *int
}

// use takes the functions and data types of a module.
func (w *writer) use(m Module) {
	prefix := ""
	if m.Name != "" {
		prefix = m.Name + "."
	}
	for _, name := range m.Interface.Order {
		if global := m.Interface.Value(name); global != nil && name[0] != '_' &&
			!abstract(global.Scheme.Type) {
			for _, scheme := range derivatives(global.Scheme) {
				w.functions = append(w.functions, &function{name: prefix + name, library: true,
					scheme: scheme})
			}
		}
		if named := m.Interface.Types[name]; named != nil && named.Data != nil && prefix == "" &&
			!private(named.Data) {
			w.datas = append(w.datas, named.Data)
		}
	}
}

// derivatives returns some instances of a scheme with constraints on the types of derivatives, so
// that they have no constraints. Any other scheme is returned as it is.
func derivatives(s *types.Scheme) []*types.Scheme {
	if len(s.Jacobians) == 0 {
		return []*types.Scheme{s}
	}
	var all []*types.Scheme
	j := s.Jacobians[0]
	from, to := types.Resolve(j.Source).(*types.Param), types.Resolve(j.Result).(*types.Param)
	reals := &types.Array{Size: types.AnySize, Elem: types.Real}
	for _, source := range []types.Type{types.Real,
		&types.Tuple{Elems: []types.Type{types.Real, types.Real}}, reals} {
		at := func(t types.Type) types.Type {
			t = types.Subst(t, []*types.Param{from}, []types.Type{source})
			if p, ok := types.Resolve(j.Target).(*types.Param); ok && source == types.Type(reals) {
				t = types.Subst(t, []*types.Param{p}, []types.Type{reals})
			}
			return t
		}
		result, no := types.DerivativeType(source, at(j.Target), nil)
		if no != nil {
			continue
		}
		t := types.Subst(at(s.Type), []*types.Param{to}, []types.Type{result})
		all = append(all, &types.Scheme{Params: types.Params(t), Type: t})
	}
	return all
}

// abstract reports whether a type mentions one whose values programs cannot construct.
func abstract(t types.Type) bool {
	found := false
	var walk func(types.Type) types.Type
	walk = func(t types.Type) types.Type {
		if data, ok := t.(*types.Data); ok {
			found = found || private(data.Decl)
		}
		return types.Map(t, walk)
	}
	walk(t)
	return found
}

func private(d *types.DataDecl) bool {
	return slices.ContainsFunc(d.Cons, func(c *types.Con) bool { return c.Name[0] == '_' })
}

func isSymbol(name string) bool { return !unicode.IsLetter(rune(name[0])) }

func (w *writer) pick(n int) int { return rapid.IntRange(0, n-1).Draw(w.t, "choice") }

func oneOf[T any](w *writer, of ...T) T { return of[w.pick(len(of))] }

func (w *writer) name(prefix string) string {
	w.fresh++
	return fmt.Sprintf("%s%d", prefix, w.fresh)
}

// bind writes something with variables in scope.
func (w *writer) bind(vars []variable, write func() string) string {
	n := len(w.scope)
	w.scope = append(w.scope, vars...)
	text := write()
	w.scope = w.scope[:n]
	return text
}

// typ draws a type that expressions can be written for.
func (w *writer) typ(depth int) types.Type {
	if depth == 0 || w.pick(3) == 0 {
		basic := []types.Type{types.Real, types.Int, types.Bool, types.String}
		for _, p := range w.params {
			basic = append(basic, p)
		}
		return oneOf(w, basic...)
	}
	inner := func() types.Type { return w.typ(depth - 1) }
	switch w.pick(6) {
	case 0:
		return &types.Tuple{Elems: []types.Type{inner(), inner()}}
	case 1:
		return &types.Fun{Param: inner(), Result: inner()}
	case 2:
		return array(inner())
	case 3:
		fields := []types.Field{{Name: "x", Type: inner()}, {Name: "y", Type: inner()},
			{Name: "z", Type: inner()}}
		return &types.Record{Fields: fields[:1+w.pick(3)]}
	case 4:
		if len(w.datas) > 0 {
			data := &types.Data{Decl: oneOf(w, w.datas...)}
			for range data.Decl.Params {
				data.Args = append(data.Args, inner())
			}
			return data
		}
	}
	return oneOf[types.Type](w, types.Unit, array(types.Real),
		&types.Fun{Param: types.Int, Result: types.Int})
}

func array(elem types.Type) types.Type { return &types.Array{Size: types.AnySize, Elem: elem} }

// member draws a type that has the classes.
func (w *writer) member(c types.Classes) types.Type {
	for range 4 {
		if t := w.typ(1); types.Member(t, c) == nil {
			return t
		}
	}
	if types.Member(types.Real, c) == nil {
		return types.Real
	}
	return types.Int
}

// instance returns a part of a function's type at given types. Sizes are left open, as for all
// types here.
func instance(t types.Type, params []*types.Param, by []types.Type) types.Type {
	var open func(types.Type) types.Type
	open = func(t types.Type) types.Type {
		t = types.Map(types.Resolve(t), open)
		if a, ok := t.(*types.Array); ok {
			return array(a.Elem)
		}
		return t
	}
	return open(types.Subst(t, params, by))
}

// matches finds the types at which the parameters make a pattern equal to a type. found holds
// them by position, with nil for those that are still open.
func matches(pattern, t types.Type, params []*types.Param, found []types.Type) bool {
	pattern = types.Resolve(pattern)
	all := func(ps, ts []types.Type) bool {
		for i := range ps {
			if !matches(ps[i], ts[i], params, found) {
				return false
			}
		}
		return true
	}
	switch p := pattern.(type) {
	case *types.Param:
		for i, q := range params {
			if p != q {
				continue
			}
			if found[i] == nil && types.Member(t, p.Classes) == nil {
				found[i] = t
			}
			return found[i] != nil && types.Equal(found[i], t)
		}
	case *types.Fun:
		t, ok := t.(*types.Fun)
		return ok && matches(p.Param, t.Param, params, found) && matches(p.Result, t.Result,
			params, found)
	case *types.Tuple:
		t, ok := t.(*types.Tuple)
		return ok && len(p.Elems) == len(t.Elems) && all(p.Elems, t.Elems)
	case *types.Record:
		t, ok := t.(*types.Record)
		if !ok || len(p.Fields) != len(t.Fields) {
			return false
		}
		for i, f := range p.Fields {
			if f.Name != t.Fields[i].Name || !matches(f.Type, t.Fields[i].Type, params, found) {
				return false
			}
		}
		return true
	case *types.Array:
		t, ok := t.(*types.Array)
		return ok && matches(p.Elem, t.Elem, params, found)
	case *types.Data:
		t, ok := t.(*types.Data)
		return ok && p.Decl == t.Decl && all(p.Args, t.Args)
	}
	return types.Equal(pattern, t)
}
