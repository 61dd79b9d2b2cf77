package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// programs generates expressions of given types: the type decides what may be
// written, so everything it writes is well typed.
type programs struct {
	t     *rapid.T
	scope []variable
	fresh int
}

type variable struct {
	name string
	t    types.Type
}

var typeDecls = `data Option a = None | Some a
data List a = Nil | Cons a (List a)
`

func (p *programs) pick(n int) int { return rapid.IntRange(0, n-1).Draw(p.t, "choice") }

// typ draws a type that expressions are written for.
func (p *programs) typ(depth int) types.Type {
	if depth == 0 || p.pick(3) > 0 {
		return []types.Type{types.Real, types.Int, types.Bool, types.String}[p.pick(4)]
	}
	switch p.pick(4) {
	case 0:
		return &types.Tuple{Elems: []types.Type{p.typ(depth - 1), p.typ(depth - 1)}}
	case 1:
		return &types.Fun{Param: p.typ(depth - 1), Result: p.typ(depth - 1)}
	case 2:
		return &types.Array{Size: types.AnySize, Elem: p.typ(depth - 1)}
	}
	return &types.Record{Fields: []types.Field{{Name: "x", Type: p.typ(depth - 1)}, {Name: "y", Type: p.typ(depth - 1)}}}
}

func (p *programs) name() string {
	p.fresh++
	return fmt.Sprintf("v%d", p.fresh)
}

// bind runs f with a variable of the type in scope.
func (p *programs) bind(t types.Type, f func(name string) string) string {
	name := p.name()
	p.scope = append(p.scope, variable{name, t})
	text := f(name)
	p.scope = p.scope[:len(p.scope)-1]
	return text
}

// expr writes an expression of type t.
func (p *programs) expr(t types.Type, depth int) string {
	if depth > 0 {
		switch p.pick(10) {
		case 0:
			return fmt.Sprintf("(if %s then %s else %s)", p.expr(types.Bool, depth-1), p.expr(t, depth-1), p.expr(t, depth-1))
		case 1:
			u := p.typ(1)
			value := p.expr(u, depth-1)
			return p.bind(u, func(v string) string {
				return fmt.Sprintf("(let %s = (%s : %s) in %s)", v, value, types.Show(u), p.expr(t, depth-1))
			})
		case 2:
			u := p.typ(1)
			arg := p.expr(u, depth-1)
			return p.bind(u, func(v string) string {
				return fmt.Sprintf("((fun (%s : %s) => %s) %s)", v, types.Show(u), p.expr(t, depth-1), arg)
			})
		case 3:
			u := p.typ(1)
			return fmt.Sprintf("(%s, %s)[0]", p.expr(t, depth-1), p.expr(u, depth-1))
		case 4:
			return fmt.Sprintf("{a = %s, b = %s}.a", p.expr(t, depth-1), p.expr(p.typ(1), depth-1))
		case 5:
			u := p.typ(1)
			some, none := p.expr(u, depth-1), p.expr(t, 0)
			return p.bind(u, func(v string) string {
				return fmt.Sprintf("(match Some (%s : %s) with | Some %s -> %s | None -> %s)", some, types.Show(u), v, p.expr(t, depth-1), none)
			})
		case 6:
			state := p.name()
			p.scope = append(p.scope, variable{state, t})
			body := p.expr(t, depth-1)
			p.scope = p.scope[:len(p.scope)-1]
			return fmt.Sprintf("(loop %s = (%s : %s) for i < 3 do %s)", state, p.expr(t, depth-1), types.Show(t), body)
		}
	}
	var fits []string
	for _, v := range p.scope {
		if types.Equal(v.t, t) {
			fits = append(fits, v.name)
		}
	}
	if len(fits) > 0 && p.pick(2) == 0 {
		return fits[p.pick(len(fits))]
	}
	return p.construct(t, depth)
}

// construct writes a value of type t by its own constructors and operators.
func (p *programs) construct(t types.Type, depth int) string {
	smaller := max(depth-1, 0)
	switch t := t.(type) {
	case *types.Tuple:
		return fmt.Sprintf("(%s, %s)", p.expr(t.Elems[0], smaller), p.expr(t.Elems[1], smaller))
	case *types.Fun:
		return p.bind(t.Param, func(v string) string {
			return fmt.Sprintf("(fun (%s : %s) => %s)", v, types.Show(t.Param), p.expr(t.Result, smaller))
		})
	case *types.Array:
		if p.pick(2) == 0 {
			return fmt.Sprintf("([%s, %s] : %s)", p.expr(t.Elem, smaller), p.expr(t.Elem, smaller), types.Show(t))
		}
		return fmt.Sprintf("[%s for i < %s]", p.expr(t.Elem, smaller), p.expr(types.Int, smaller))
	case *types.Record:
		return fmt.Sprintf("{y = %s, x = %s}", p.expr(t.Fields[1].Type, smaller), p.expr(t.Fields[0].Type, smaller))
	}
	if depth > 0 {
		l, r := func(t types.Type) string { return p.expr(t, smaller) }, func(t types.Type) string { return p.expr(t, smaller) }
		switch t {
		case types.Real:
			return fmt.Sprintf("(%s %s %s)", l(types.Real), []string{"+", "-", "*", "/"}[p.pick(4)], r(types.Real))
		case types.Int:
			return fmt.Sprintf("(%s %s %s)", l(types.Int), []string{"+", "-", "*"}[p.pick(3)], r(types.Int))
		case types.Bool:
			return fmt.Sprintf("(%s %s %s)", l(types.Int), []string{"==", "<", ">="}[p.pick(3)], r(types.Int))
		}
	}
	switch t {
	case types.Real:
		return []string{"0.5", "pi", "(2 : Real)"}[p.pick(3)]
	case types.Int:
		return []string{"(2 : Int)", "(length [true])"}[p.pick(2)]
	case types.Bool:
		return []string{"true", "(not false)"}[p.pick(2)]
	}
	return `"s"`
}

// TestWellTyped: the checker accepts programs that are well typed by
// construction, and gives them their type.
func TestWellTyped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &programs{t: t}
		want := p.typ(2)
		text := typeDecls + "let main = " + p.expr(want, 4) + "\n"
		var sink diag.List
		module := syntax.Parse(diag.NewFile("in.flx", text), &sink)
		info := check.Check(module, check.Options{Name: "in"}, &sink)
		if sink.Failed() {
			t.Fatalf("%s\n%s", text, rendered(&sink))
		}
		got := info.Interface.Values["main"].Scheme
		if !types.Equal(got.Type, want) {
			t.Fatalf("%s\nhas type %s, not %s", text, types.Show(got.Type), types.Show(want))
		}
		complete(t, info)
	})
}

// complete fails if the Info leaves something open.
func complete(t interface{ Fatalf(string, ...any) }, info *check.Info) {
	for i, typ := range info.Types {
		var walk func(types.Type) types.Type
		walk = func(u types.Type) types.Type {
			u = types.Resolve(u)
			if _, ok := u.(*types.Meta); ok {
				t.Fatalf("node %d has the unsolved type %s", i, types.Show(typ))
			}
			return types.Map(u, walk)
		}
		if typ != nil {
			walk(typ)
		}
	}
	for _, use := range info.Uses {
		if use == nil {
			continue
		}
		params := -1
		switch o := use.Object.(type) {
		case *check.Local:
			params = len(o.Scheme.Params)
		case *check.Global:
			params = len(o.Scheme.Params)
		case *check.Primitive:
			params = len(o.Prim.Scheme.Params)
		case *check.Constructor:
			params = len(o.Con.Data.Params)
		}
		if params != len(use.Inst) {
			t.Fatalf("a use of %#v has %d types for %d parameters", use.Object, len(use.Inst), params)
		}
	}
}

// TestInfoComplete: after a successful check nothing is left open, in the
// library of constructs that the cases are.
func TestInfoComplete(t *testing.T) {
	info := checkText(t, generated(100))
	complete(t, info)
}

// TestMutations: programs with a piece removed are rejected or accepted, but
// never break the checker.
func TestMutations(t *testing.T) {
	paths, _ := filepath.Glob("../../testdata/check/*.txtar")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(data), "-- in.flx --\n")
		text, _, _ = strings.Cut(text, "-- types --")
		words := strings.Fields(text)
		for i := 0; i < len(words); i += 3 {
			mutate(strings.Replace(text, words[i], "", 1))
			mutate(strings.Replace(text, words[i], "f", 1))
		}
	}
}

func mutate(text string) {
	var sink diag.List
	module := syntax.Parse(diag.NewFile("in.flx", text), &sink)
	check.Check(module, check.Options{Name: "in"}, &sink)
	rendered(&sink)
}

// FuzzCheck: whatever the text, the checker ends and gives an Info.
func FuzzCheck(f *testing.F) {
	paths, _ := filepath.Glob("../../testdata/check/*.txtar")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		_, text, _ := strings.Cut(string(data), "-- in.flx --\n")
		text, _, _ = strings.Cut(text, "-- types --")
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var sink diag.List
		module := syntax.Parse(diag.NewFile("in.flx", text), &sink)
		info := check.Check(module, check.Options{Name: "in", Library: true}, &sink)
		if info == nil || info.Interface == nil {
			t.Fatal("no interface")
		}
		if !sink.Failed() {
			complete(t, info)
		}
		rendered(&sink)
	})
}
