package syntax

import (
	"fmt"
	"reflect"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// A generator of trees, not of text: every tree that the types allow and the
// language means something by, whether or not it needs parentheses.

type gen struct{ *rapid.T }

func (g gen) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.T, "n") }

func (g gen) oneOf(list ...string) string { return list[g.pick(len(list))] }

func (g gen) lower() string {
	return g.oneOf("x", "y", "f", "go'", "grad", "α", "Σ", "_p", "longName", "x₁")
}
func (g gen) upper() string { return g.oneOf("Nil", "Cons", "A", "Élan") }

func (g gen) number() string {
	return g.oneOf("0", "1", "2.5", "1e-3", "0x1F", "1_000", "3.0e10")
}

func list[T any](g gen, min, max int, elem func() T) (l []T) {
	for range min + g.pick(max-min+1) {
		l = append(l, elem())
	}
	return l
}

func (g gen) expr(depth int) Expr {
	if depth == 0 {
		switch g.pick(6) {
		case 0:
			return &Number{Text: g.number()}
		case 1:
			return &Con{Name: g.upper()}
		case 2:
			return &String{Value: g.oneOf("", "a\"b\\", "line\n\ttab", "\x1b\u202e", "é∇")}
		case 3:
			return &Bool{Value: g.pick(2) == 0}
		case 4:
			return &OpFun{Op: Op(g.pick(int(OpPowR) + 1))}
		}
		return &Var{Name: g.lower()}
	}
	sub := func() Expr { return g.expr(g.pick(depth)) }
	switch g.pick(22) {
	case 0:
		return &Paren{X: sub()}
	case 1:
		return &Annot{X: sub(), Type: g.signature()}
	case 2:
		l := list(g, 0, 3, sub)
		if len(l) == 1 {
			l = append(l, sub())
		}
		return &Tuple{Elems: l}
	case 3:
		return &Record{Fields: g.fields(0, depth)}
	case 4:
		return &Update{X: sub(), Fields: g.fields(1, depth)}
	case 5:
		return &Array{Elems: list(g, 0, 4, sub)}
	case 6:
		return &Comp{Body: sub(), Clauses: list(g, 1, 2, func() Clause { return *g.clause(depth) })}
	case 7:
		return &Field{X: sub(), Name: Ident{Name: g.label(0)}}
	case 8:
		return &Index{X: sub(), Indices: list(g, 1, 2, sub)}
	case 9:
		s := &Slice{X: sub()}
		if g.pick(2) == 0 {
			s.Lo = sub()
		}
		if g.pick(2) == 0 {
			s.Hi = sub()
		}
		return s
	case 10, 11:
		return &Apply{Fun: sub(), Args: list(g, 1, 3, sub)}
	case 12, 13:
		return &Binary{Op: Op(g.pick(int(OpPowR) + 1)), L: sub(), R: sub()}
	case 14:
		return &Neg{X: sub()}
	case 15:
		return &Fun{Params: g.params(1), Body: sub()}
	case 16:
		return &If{Cond: sub(), Then: sub(), Else: sub()}
	case 17:
		return &Match{X: sub(), Arms: list(g, 1, 3, func() *Arm {
			a := &Arm{Pat: g.pattern(2, new(int)), Body: sub()}
			if g.pick(3) == 0 {
				a.Guard = sub()
			}
			return a
		})}
	case 18:
		rec, bindings := g.bindings(depth)
		return &Let{Rec: rec, Bindings: bindings, Body: sub()}
	}
	if g.pick(2) == 0 {
		return g.section(sub())
	}
	if g.pick(2) == 0 {
		t := &Text{Strings: []string{g.oneOf("", "a = ", "{\"}")}, Holes: list(g, 1, 2, func() Expr { return g.inline(g.pick(depth)) })}
		for range t.Holes {
			t.Strings = append(t.Strings, g.oneOf("", " b", "}\n{"))
		}
		return t
	}
	if g.pick(2) == 0 {
		return g.flat(depth)
	}
	l := &Loop{State: g.pattern(1, new(int)), Init: sub(), Body: sub()}
	if g.pick(2) == 0 {
		l.Clause = g.clause(depth)
	}
	if l.Clause == nil || g.pick(2) == 0 {
		l.While, l.Until = sub(), g.pick(2) == 0
	}
	return l
}

// inline makes an expression that is printed on one line.
func (g gen) inline(depth int) Expr {
	if depth == 0 {
		return g.expr(0)
	}
	sub := func() Expr { return g.inline(depth - 1) }
	switch g.pick(6) {
	case 0:
		return &Binary{Op: Op(g.pick(int(OpPowR) + 1)), L: sub(), R: sub()}
	case 1:
		return &Neg{X: sub()}
	case 2:
		return &Text{Strings: []string{"{", "}"}, Holes: []Expr{sub()}}
	case 3:
		return &Record{Fields: []FieldInit{{Name: Ident{Name: "x"}, Value: sub()}}}
	case 4:
		return &If{Cond: sub(), Then: sub(), Else: sub()}
	}
	return &Apply{Fun: sub(), Args: []Expr{sub()}}
}

// section makes `(+ x)` or `(x +)`.
func (g gen) section(x Expr) Expr {
	b := &Binary{Op: OpOr + Op(g.pick(int(OpPowR))), L: x, R: &Var{Name: holeName}}
	if b.Op != OpSub && g.pick(2) == 0 {
		b.L, b.R = b.R, b.L
	}
	return &Section{Hole: &PVar{Name: holeName}, Body: b}
}

// flat makes a comprehension of one dimension.
func (g gen) flat(depth int) Expr {
	c := &Comp{Body: g.expr(g.pick(depth)), Flat: true, Clauses: list(g, 1, 3, func() Clause {
		c := *g.clause(depth)
		if g.pick(2) == 0 {
			c.If = g.expr(g.pick(depth))
		}
		return c
	})}
	if len(c.Clauses) == 1 && c.Clauses[0].If == nil {
		c.Clauses[0].If = &Bool{}
	}
	return c
}

// label names field i of a record: any text does.
func (g gen) label(i int) string {
	name := g.oneOf("x", "data", "fun", "A", "sepal length", "_", "λ", "2nd", "a.b\"", "")
	if i > 0 {
		name += strconv.Itoa(i)
	}
	return name
}

func (g gen) fields(min, depth int) (l []FieldInit) {
	for i := range min + g.pick(3) {
		name := g.label(i)
		value := g.expr(g.pick(depth))
		if g.pick(3) == 0 {
			name = fmt.Sprintf("f%d", i)
			value = &Var{Name: name}
		}
		l = append(l, FieldInit{Name: Ident{Name: name}, Value: value})
	}
	return l
}

func (g gen) clause(depth int) *Clause {
	x := g.expr(g.pick(depth))
	if g.pick(2) == 0 {
		return &Clause{Pat: &PVar{Name: "i"}, X: x}
	}
	return &Clause{Pat: g.pattern(1, new(int)), In: true, X: x}
}

func (g gen) bindings(depth int) (rec bool, l []*Binding) {
	rec = g.pick(2) == 0
	n := 1
	if rec {
		n += g.pick(2)
	}
	for i := range n {
		b := &Binding{Body: g.expr(g.pick(depth))}
		switch g.pick(3) {
		case 0:
			b.Pat = g.pattern(1, new(int))
			if _, isAnnot := b.Pat.(*PNumber); isAnnot {
				b.Pat = &PWild{}
			}
		default:
			b.Pat = &PVar{Name: fmt.Sprintf("g%d", i)}
			b.Params = g.params(0)
		}
		if g.pick(3) == 0 {
			b.Result = g.signature()
		}
		l = append(l, b)
	}
	return rec, l
}

func (g gen) params(min int) []Pattern {
	names := new(int)
	var l []Pattern
	for range min + g.pick(3) {
		if g.pick(3) == 0 {
			sig := g.signature()
			n := 1 + g.pick(2)
			for i := range n {
				l = append(l, &PAnnot{X: g.pvar(names), Type: sig, Group: i < n-1})
			}
			continue
		}
		l = append(l, g.pattern(1, names))
	}
	return l
}

// pvar makes a name that no other of the same pattern has.
func (g gen) pvar(names *int) Pattern {
	*names++
	return &PVar{Name: fmt.Sprintf("p%d", *names)}
}

func (g gen) pattern(depth int, names *int) Pattern {
	sub := func() Pattern { return g.pattern(depth-1, names) }
	if depth == 0 {
		switch g.pick(6) {
		case 0:
			return &PWild{}
		case 1:
			return &PNumber{Text: g.oneOf("0", "-1", "12")}
		case 2:
			return &PString{Value: "s\n"}
		case 3:
			return &PBool{Value: true}
		case 4:
			return &PCon{Name: Ident{Name: g.upper()}}
		}
		return g.pvar(names)
	}
	switch g.pick(9) {
	case 6:
		return &PAs{X: sub(), Name: g.pvar(names).(*PVar)}
	case 7:
		return &POr{Alts: list(g, 2, 3, func() Pattern { return g.closed() })}
	case 8:
		a := &PArray{Elems: list(g, 0, 2, sub)}
		switch g.pick(3) {
		case 0:
			a.Rest = &PWild{}
		case 1:
			a.Rest = g.pvar(names)
		}
		return a
	case 0:
		c := &PCon{Name: Ident{Name: g.upper()}, Args: list(g, 0, 2, sub)}
		if g.pick(3) == 0 {
			c.Module.Name = g.oneOf("list", "M")
		}
		return c
	case 1:
		l := list(g, 0, 3, sub)
		if len(l) == 1 {
			l = append(l, sub())
		}
		return &PTuple{Elems: l}
	case 2:
		r := &PRecord{}
		for i := range g.pick(3) {
			r.Fields = append(r.Fields, FieldPattern{Ident{Name: g.label(i)}, sub()})
		}
		return r
	case 3:
		return &PParen{X: sub()}
	case 4:
		return &PAnnot{X: sub(), Type: g.signature()}
	}
	return sub()
}

// closed makes a pattern that binds nothing.
func (g gen) closed() Pattern {
	if g.pick(2) == 0 {
		return &PNumber{Text: g.oneOf("0", "-1", "12")}
	}
	return &PCon{Name: Ident{Name: g.upper()}, Args: []Pattern{&PWild{}}}
}

func (g gen) signature() *Signature {
	s := &Signature{Type: g.typ(2)}
	if g.pick(4) == 0 {
		s.Context = list(g, 1, 2, func() Constraint { return Constraint{Ident{Name: "Add"}, Ident{Name: g.oneOf("a", "b")}} })
	}
	return s
}

func (g gen) typ(depth int) TypeExpr {
	sub := func() TypeExpr { return g.typ(depth - 1) }
	if depth == 0 {
		if g.pick(2) == 0 {
			return &TVar{Name: g.oneOf("a", "b")}
		}
		return &TName{Name: Ident{Name: g.oneOf("Real", "Int")}}
	}
	switch g.pick(9) {
	case 0:
		n := &TName{Name: Ident{Name: g.oneOf("List", "Real")}, Args: list(g, 0, 2, sub)}
		if g.pick(3) == 0 {
			n.Module.Name = "M"
		}
		return n
	case 1:
		return &TFun{Param: sub(), Result: sub()}
	case 2:
		l := list(g, 0, 3, sub)
		if len(l) == 1 {
			l = append(l, sub())
		}
		return &TTuple{Elems: l}
	case 3:
		return &TProduct{Elems: list(g, 2, 3, sub)}
	case 4:
		return &TPower{Elem: sub(), N: 1 + g.pick(4)}
	case 5:
		r := &TRecord{}
		for i := range g.pick(3) {
			r.Fields = append(r.Fields, FieldType{Ident{Name: g.label(i)}, sub()})
		}
		return r
	case 6:
		return &TArray{Size: g.size(2), Elem: sub()}
	case 7:
		return &TParen{X: sub()}
	}
	return sub()
}

// size returns a size of an array type, or none.
func (g gen) size(depth int) SizeExpr {
	if depth > 0 {
		switch g.pick(4) {
		case 0:
			return nil
		case 1:
			op := []Op{OpAdd, OpSub, OpMul}[g.pick(3)]
			l, r := g.size(depth-1), g.size(depth-1)
			if l != nil && r != nil {
				return &SizeOp{Op: op, L: l, R: r}
			}
		}
	}
	return &SizeAtom{Name: g.oneOf("3", "n", "_")}
}

func (g gen) module() *Module {
	m := &Module{}
	for range g.pick(2) {
		m.Imports = append(m.Imports, &Import{Path: "list", Alias: Ident{Name: "list"}},
			&Import{Path: "array", Alias: Ident{Name: "array"}, Names: []Ident{{Name: "set"}, {Name: "T"}}},
			&Import{Path: "./m.flx", Quoted: true, Alias: Ident{Name: "M"}, HasAs: true})
	}
	for range g.pick(4) {
		doc := g.oneOf("", "", "what it does\nin two lines")
		switch g.pick(4) {
		case 0:
			m.Decls = append(m.Decls, &TypeDecl{Doc: doc, Name: Ident{Name: "T"}, Params: []Ident{{Name: "a"}}, Type: g.typ(3)})
		case 1:
			cons := list(g, 1, 3, func() *ConstructorDecl {
				return &ConstructorDecl{Doc: g.oneOf("", "", "an alternative"), Name: Ident{Name: g.upper()},
					Fields: list(g, 0, 2, func() TypeExpr { return g.typ(2) })}
			})
			m.Decls = append(m.Decls, &DataDecl{Doc: doc, Name: Ident{Name: "D"}, Constructors: cons})
		default:
			rec, l := g.bindings(4)
			m.Decls = append(m.Decls, &LetDecl{Doc: doc, Rec: rec, Bindings: l})
		}
	}
	if g.pick(2) == 0 {
		m.Final = g.expr(4)
	}
	return m
}

// TestPrintedTreesReadBack is parse (print p) = p, parentheses aside: a tree made
// by a program may need more of them than it has.
func TestPrintedTreesReadBack(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		m := gen{t}.module()
		opts := FormatOptions{Unicode: rapid.Bool().Draw(t, "unicode"), Width: rapid.SampledFrom([]int{10, 40, 100}).Draw(t, "width")}
		text := Format(m, opts)
		var list diag.List
		back := Parse(diag.NewFile("printed.flx", text), &list)
		if list.Failed() {
			t.Fatalf("%s\n%v", text, list.Sorted()[0])
		}
		if again := Format(back, opts); again != text {
			t.Fatalf("formatting again changes\n%s\nto\n%s", text, again)
		}
		strip(reflect.ValueOf(m))
		strip(reflect.ValueOf(back))
		if !Equal(m, back) {
			t.Fatalf("means something else:\n%s", text)
		}
	})
}

// strip takes the parentheses out of a tree.
func strip(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		for !v.IsNil() {
			var inner any
			switch p := v.Interface().(type) {
			case *Paren:
				inner = p.X
			case *PParen:
				inner = p.X
			case *TParen:
				inner = p.X
			}
			if inner == nil || !v.CanSet() {
				break
			}
			v.Set(reflect.ValueOf(inner))
		}
		if !v.IsNil() {
			strip(v.Elem())
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*diag.File]() {
			strip(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			strip(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); v.Type().Field(i).IsExported() {
				strip(f)
			}
		}
	}
}
