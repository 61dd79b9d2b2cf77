package types

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/property"
)

func fun(params ...Type) Type { return Funs(params[len(params)-1], params[:len(params)-1]...) }

func tuple(elems ...Type) Type { return &Tuple{elems} }

func list() *DataDecl {
	a := &Param{Name: "a"}
	d := &DataDecl{Name: "List", Params: []*Param{a}}
	d.Cons = []*Con{{Data: d, Name: "Nil"}, {Data: d, Name: "Cons", Tag: 1, Fields: []Type{a, &Data{d, []Type{a}}}}}
	return d
}

func TestUnify(t *testing.T) {
	lists := list()
	lists2 := list()
	rigid, other := &Param{Name: "a", Level: 1}, &Param{Name: "b", Level: 1}
	record := func(names ...string) Type {
		r := &Record{}
		for _, n := range names {
			r.Fields = append(r.Fields, Field{n, Real})
		}
		return r
	}
	for _, test := range []struct {
		name string
		make func(u *Unifier) (a, b Type)
		want FailureKind
		ok   bool
	}{
		{"basic", func(*Unifier) (Type, Type) { return Real, Real }, 0, true},
		{"different basics", func(*Unifier) (Type, Type) { return Real, Int }, Clash, false},
		{"meta and basic", func(u *Unifier) (Type, Type) { return u.Fresh(), Int }, 0, true},
		{"basic and meta", func(u *Unifier) (Type, Type) { return Int, u.Fresh() }, 0, true},
		{"two metas", func(u *Unifier) (Type, Type) { return u.Fresh(), u.Fresh() }, 0, true},
		{"functions", func(u *Unifier) (Type, Type) { return fun(Real, u.Fresh()), fun(u.Fresh(), Int) }, 0, true},
		{"arity", func(u *Unifier) (Type, Type) { return fun(Real, Real, Real), fun(Real, Real) }, Clash, false},
		{"tuples", func(u *Unifier) (Type, Type) { return tuple(Real, Int), tuple(Real, Int, Int) }, Clash, false},
		{"unit", func(u *Unifier) (Type, Type) { return &Tuple{}, Unit }, 0, true},
		{"records", func(u *Unifier) (Type, Type) { return record("x", "y"), record("x", "y") }, 0, true},
		{"fields", func(u *Unifier) (Type, Type) { return record("x", "y"), record("x", "z") }, Clash, false},
		{"fewer fields", func(u *Unifier) (Type, Type) { return record("x", "y"), record("x") }, Clash, false},
		{"arrays of different sizes", func(u *Unifier) (Type, Type) { return &Array{ConstSize(2), Real}, &Array{ConstSize(3), Real} }, 0, true},
		{"data", func(u *Unifier) (Type, Type) { return &Data{lists, []Type{u.Fresh()}}, &Data{lists, []Type{Int}} }, 0, true},
		{"data of one name", func(u *Unifier) (Type, Type) { return &Data{lists, []Type{Int}}, &Data{lists2, []Type{Int}} }, Clash, false},
		{"infinite", func(u *Unifier) (Type, Type) { m := u.Fresh(); return m, fun(m, Int) }, Infinite, false},
		{"infinite deep", func(u *Unifier) (Type, Type) {
			m := u.Fresh()
			n := u.Fresh()
			n.Link = tuple(Int, m)
			return m, &Array{AnySize, n}
		}, Infinite, false},
		{"rigid with itself", func(u *Unifier) (Type, Type) { return rigid, rigid }, 0, true},
		{"rigid and concrete", func(u *Unifier) (Type, Type) { return rigid, Int }, Rigid, false},
		{"concrete and rigid", func(u *Unifier) (Type, Type) { return Int, rigid }, Rigid, false},
		{"two rigid", func(u *Unifier) (Type, Type) { return rigid, other }, Rigid, false},
		{"escape", func(u *Unifier) (Type, Type) { return u.Fresh(), fun(rigid, Int) }, Escape, false},
		{"no escape", func(u *Unifier) (Type, Type) { u.Level = 1; return u.Fresh(), fun(rigid, Int) }, 0, true},
		{"class kept", func(u *Unifier) (Type, Type) { m := u.Fresh(); m.Classes = Num; return m, Real }, 0, true},
		{"class lacking", func(u *Unifier) (Type, Type) { m := u.Fresh(); m.Classes = Eq; return m, Real }, Lacking, false},
		{"poison", func(u *Unifier) (Type, Type) {
			m := u.Fresh()
			m.Poisoned = true
			return fun(m, Int), fun(fun(Real, Real), Int)
		}, 0, true},
		{"too large", func(u *Unifier) (Type, Type) {
			var big Type = Real
			for range 20 {
				big = tuple(big, big)
			}
			return u.Fresh(), big
		}, TooLarge, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var u Unifier
			u.Sizes = func(a, b *Size) {}
			a, b := test.make(&u)
			fail := u.Unify(a, b)
			if (fail == nil) != test.ok {
				t.Fatalf("failure %+v", fail)
			}
			if fail != nil && fail.Kind != test.want {
				t.Fatalf("failure %d, want %d", fail.Kind, test.want)
			}
		})
	}
}

func TestUnifyMergesConstraints(t *testing.T) {
	var u Unifier
	a, b := u.Fresh(), u.Fresh()
	a.Classes, a.Demands = Num, &Demand{Num, "a", nil}
	b.Classes, b.Demands = Eq, &Demand{Eq, "b", nil}
	a.Waits, b.Waits = &Waiter{For: 1}, &Waiter{For: 2}
	u.Unify(a, b)
	root := Resolve(a).(*Meta)
	if root.Classes != Num|Eq || root.Demander(Num) != "a" || root.Demander(Eq) != "b" {
		t.Errorf("classes %s, demanders %v and %v", root.Classes, root.Demander(Num), root.Demander(Eq))
	}
	fail := u.Unify(a, Real)
	if fail == nil || fail.By != "b" || fail.Lack.Class != Eq {
		t.Errorf("Real should lack Eq, for b: %+v", fail)
	}
	if u.Unify(a, Int); len(u.Woken) != 2 {
		t.Errorf("%d woken", len(u.Woken))
	}
}

func TestClassesSpread(t *testing.T) {
	lists := list()
	CompleteData([]*DataDecl{lists})
	op := &DataDecl{Name: "Op"}
	op.Cons = []*Con{{Data: op, Name: "Op", Fields: []Type{fun(Real, Real)}}}
	phantomParam := &Param{Name: "a"}
	phantom := &DataDecl{Name: "Phantom", Params: []*Param{phantomParam}}
	phantom.Cons = []*Con{{Data: phantom, Name: "Phantom", Fields: []Type{Int}}}
	ofReal := func(t Type) Type { return &Data{lists, []Type{t}} }
	for _, test := range []struct {
		class Classes
		t     Type
		part  Type // nil if it is a member
	}{
		{Num, Int, nil}, {Num, Real, nil}, {Num, Bool, Bool}, {Num, Unit, Unit}, {Num, &Array{AnySize, &Array{AnySize, Int}}, nil},
		{Scalar, Int, nil}, {Scalar, Real, nil}, {Num | Vec, &Array{AnySize, Real}, nil}, {Num | Vec, &Array{AnySize, Int}, Int},
		{Vec, Real, nil}, {Vec, Int, Int}, {Vec, Unit, nil}, {Vec, tuple(Real, Real), nil}, {Vec, tuple(Real, Int), Int},
		{Vec, &Array{AnySize, Real}, nil}, {Vec, &Record{[]Field{{"x", Real}}}, nil},
		{Add, Int, nil}, {Add, tuple(Real, Real), nil}, {Add, tuple(Int, Int), nil}, {Add, tuple(Int, Bool), Bool}, {Add, String, String},
		{Eq, Int, nil}, {Eq, Real, Real}, {Eq, tuple(Int, Real), Real}, {Eq, ofReal(Int), nil}, {Eq, ofReal(Real), Real},
		{Ord, ofReal(tuple(Int, String)), nil},
		{Cmp, Real, nil}, {Cmp, tuple(Real, Real), Real}, {Cmp, Bool, nil}, {Cmp, ofReal(Real), Real},
		{Diff, Real, nil}, {Diff, String, nil}, {Diff, ofReal(Real), nil},
		{Eq, &Data{phantom, []Type{Real}}, nil},
	} {
		lack := Member(test.t, test.class)
		switch {
		case (lack == nil) != (test.part == nil):
			t.Errorf("%s %s: %+v", test.class, Show(test.t), lack)
		case lack != nil && lack.Part != test.part:
			t.Errorf("%s %s: because of %s", test.class, Show(test.t), Show(lack.Part))
		}
	}
	for _, bad := range []Type{fun(Real, Real), &Data{op, nil}, tuple(Int, &Data{op, nil}), ofReal(fun(Int, Int))} {
		if lack := Member(bad, Diff); lack == nil || !isFunType(lack.Part) {
			t.Errorf("Diff %s: %+v", Show(bad), lack)
		}
	}
}

func isFunType(t Type) bool { _, ok := t.(*Fun); return ok }

func TestRequireReachesUnknowns(t *testing.T) {
	var u Unifier
	a, b := u.Fresh(), u.Fresh()
	if lack := Require(tuple(a, &Array{AnySize, b}), Add, "here"); lack != nil {
		t.Fatal(lack)
	}
	if a.Classes != Add || b.Classes != Add || a.Demander(Add) != "here" {
		t.Errorf("%s and %s", a.Classes, b.Classes)
	}
	p := &Param{Name: "p", Level: 1}
	if Require(p, Add, nil) != nil || p.Classes != Add {
		t.Error("an open variable takes a class")
	}
	given := &Param{Name: "q", Level: 1, Given: true, Classes: Num}
	if Require(given, Add, nil) != nil {
		t.Error("Num implies Add")
	}
	if Require(given, Eq, nil) == nil {
		t.Error("Num does not imply Eq")
	}
}

func TestGeneralise(t *testing.T) {
	var u Unifier
	u.Level = 1
	a, b, c := u.Fresh(), u.Fresh(), u.Fresh()
	b.Classes = Num
	c.Level = 0
	typ := fun(a, b, c, &Array{u.FreshSize(), a})
	g := Generaliser{Level: 0}
	g.Add(typ)
	params, sizes := g.Finish()
	s := &Scheme{Params: params, Sizes: sizes, Type: typ}
	if got := (&Printer{Sizes: true}).Scheme(s); got != "Num b => a -> b -> c -> [n]a" {
		t.Error(got)
	}
	first, inst := u.Instantiate(s, nil)
	second, _ := u.Instantiate(s, nil)
	if len(inst) != 2 || inst[1].(*Meta).Classes != Num {
		t.Errorf("instance %v", inst)
	}
	if Equal(first, second) {
		t.Error("instances are different")
	}
	if u.Unify(first, second) != nil {
		t.Error("instances unify")
	}
}

func TestGeneraliseRestricted(t *testing.T) {
	var u Unifier
	u.Level = 1
	a, b, only := u.Fresh(), u.Fresh(), u.Fresh()
	b.Classes, only.Classes = Num, Scalar|Eq
	g := Generaliser{Level: 0, Restricted: true}
	g.Add(tuple(a, b, only))
	params, _ := g.Finish()
	if len(params) != 1 || b.Link != nil || b.Level != 0 {
		t.Errorf("only the unconstrained variable is generalised: %d", len(params))
	}
	if Resolve(only) != Type(Int) {
		t.Error("Scalar and Eq leave Int")
	}
}

func TestCompare(t *testing.T) {
	lists := list()
	for _, test := range []struct {
		a, b         Type
		markA, markB string
	}{
		{tuple(Real, Int), tuple(Real, Bool), "       ^^^", "       ^^^^"},
		{fun(Real, Real), fun(Int, Real), "^^^^", "^^^"},
		{Real, Int, "", ""},
		{&Array{ConstSize(3), Int}, &Array{AnySize, Real}, "   ^^^", "  ^^^^"},
		{&Record{[]Field{{"x", Real}, {"y", Int}}}, &Record{[]Field{{"x", Real}}}, "           ^^^^^^^", ""},
		{&Data{lists, []Type{tuple(Int, Real)}}, &Data{lists, []Type{tuple(Int, Int)}}, "           ^^^^", "           ^^^"},
		{fun(fun(Int, Int), Int), fun(Int, Int), "^^^^^^^^^^^^", "^^^"},
	} {
		got := (&Printer{Sizes: true}).Compare(test.a, test.b)
		if got.MarkA != test.markA || got.MarkB != test.markB {
			t.Errorf("\n%s\n%s\n%s\n%s", got.A, got.MarkA, got.B, got.MarkB)
		}
	}
}

// genType draws a type over a few metas.
func genType(metas []*Meta, depth int) *rapid.Generator[Type] {
	return rapid.Custom(func(t *rapid.T) Type {
		kind := rapid.IntRange(0, 7).Draw(t, "kind")
		if depth == 0 {
			kind %= 3
		}
		part := func() Type { return genType(metas, depth-1).Draw(t, "part") }
		switch kind {
		case 0:
			return Real
		case 1:
			return Int
		case 2:
			return metas[rapid.IntRange(0, len(metas)-1).Draw(t, "meta")]
		case 3:
			return fun(part(), part())
		case 4:
			return tuple(part(), part())
		case 5:
			return &Array{AnySize, part()}
		case 6:
			return &Record{[]Field{{"x", part()}, {"y", part()}}}
		default:
			return tuple(part(), part(), part())
		}
	})
}

// TestUnifyLaws: if unification succeeds the types are equal, and a second
// time changes nothing; the order of the two does not matter.
func TestUnifyLaws(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		var u, v Unifier
		mu, mv := make([]*Meta, 3), make([]*Meta, 3)
		for i := range mu {
			mu[i], mv[i] = u.Fresh(), v.Fresh()
			c := Classes(rapid.SampledFrom([]Classes{0, 0, Num, Add, Eq, Cmp}).Draw(t, "classes"))
			mu[i].Classes, mv[i].Classes = c, c
		}
		a := genType(mu, 3).Draw(t, "a")
		b := genType(mu, 3).Draw(t, "b")
		mirror := map[Type]Type{}
		for i := range mu {
			mirror[mu[i]] = mv[i]
		}
		var copyOf func(Type) Type
		copyOf = func(t Type) Type {
			if m, ok := mirror[t]; ok {
				return m
			}
			return Map(t, copyOf)
		}
		a2, b2 := copyOf(a), copyOf(b)
		fail := u.Unify(a, b)
		if back := v.Unify(b2, a2); (fail == nil) != (back == nil) {
			t.Fatalf("%s and %s unify one way only", Show(a), Show(b))
		}
		if fail != nil {
			return
		}
		if !Equal(a, b) {
			t.Fatalf("%s is not %s", Show(a), Show(b))
		}
		if u.Unify(a, b) != nil {
			t.Fatal("not twice")
		}
		if !Equal(Zonk(a), a) {
			t.Fatal("Zonk changes the type")
		}
	})
}
