package core_test

import (
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

func TestVerifyAccepts(t *testing.T) {
	for _, name := range files(t, "poly/*.core") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p, d := core.Parse(name, string(text))
		if d != nil {
			t.Fatal(d)
		}
		extern := func(name string) *core.Def {
			if name != "other.t" {
				return nil
			}
			a := &types.Param{Name: "a"}
			other := p.Main.Body.Stmts[1].(*core.Let).Var.Ty.(*types.Data).Decl
			return &core.Def{Name: name, Params: []*types.Param{a}, Type: &types.Data{Decl: other, Args: []types.Type{a}}}
		}
		if err := core.VerifyLinked(p, core.Poly, extern); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

const prelude = `
data Option a = None | Some a
data Pair = Pair Int Real
def id [a] : a -> a =
  let f : a -> a = fun (x : a) ->
    ret x
  ret f
def inc : Int -> Int =
  let f : Int -> Int = fun (x : Int) ->
    let y : Int = %+[Int] x 1
    ret y
  ret f
`

// TestVerifyRejects: each text breaks one rule; the message names it, the definition and the
// statement.
func TestVerifyRejects(t *testing.T) {
	cases := []struct {
		level core.Level
		body  string // of main : Int, the result being r
		want  string
	}{
		{core.Poly, "let r : Int = %+[Int] 1 2.0", "let r = %+[Int] 1 2.0: the second argument has type Real, want Int"},
		{core.Poly, "let r : Int = %+[Real] 1.0 2.0", "the operation has type Real, want Int"},
		{core.Poly, "let r : Int = %+ 1 2", "+ has 0 type arguments and needs 1"},
		{core.Poly, "let r : Int = %+[Int] 1", "+ has 1 arguments and needs 2"},
		{core.Poly, "let r : Int = call @id[Int] true", "the first argument has type Bool, want Int"},
		{core.Poly, "let r : Int = call @inc 1 2", "2 arguments for a function of type Int -> Int"},
		{core.Poly, "let r : Int = call @inc", "a call without arguments"},
		{core.Poly, "let r : Int = call (@nowhere : Int -> Int) 1", "nowhere is not defined"},
		{core.Poly, "let r : Int = call (@id : Int -> Int) 1", "id has 0 type arguments and needs 1"},
		{core.Poly, "let r : Int = call (@id[Real] : Int -> Int) 1", "id has type Int -> Int, want Real -> Real"},
		{core.Poly, "let t : (Int, Int) = (1, 2) let r : Int = proj 2 t", "a tuple of 2 has no component 2"},
		{core.Poly, "let r : Int = proj 0 1", "proj of Int, which is no tuple"},
		{core.Poly, "let t : Int = (1) let r : Int = %+[Int] 1 1", "a tuple of 1 elements"},
		{core.Poly, "let t : {a : Int} = {a = true} let r : Int = field a t", "field a has type Bool, want Int"},
		{core.Poly, "let t : {a : Int, b : Int} = {a = 1} let r : Int = field a t", "1 values for 2 fields"},
		{core.Poly, "let t : {b : Int, a : Int} = {b = 1, a = 2} let r : Int = field a t", "are not sorted"},
		{core.Poly, "let o : Option Int = Some let r : Int = case o of | _ -> ret 1", "Some has 0 arguments and needs 1"},
		{core.Poly, "let o : Option Int = Some true let r : Int = case o of | _ -> ret 1", "the first argument of Some has type Bool, want Int"},
		{core.Poly, "let o : Option = None let r : Int = case o of | _ -> ret 1", "Option has 0 type arguments and needs 1"},
		{core.Poly, "let o : Option Int = None let r : Int = case o of | None -> ret 1", "no arm for Some"},
		{core.Poly, "let o : Option Int = None let r : Int = case o of | None -> ret 1 | None -> ret 2 | _ -> ret 3", "two arms for None"},
		{core.Poly, "let o : Option Int = None let r : Int = case o of | None -> ret 1 | Some (x : Real) -> ret 2", "variable x has type Real, want Int"},
		{core.Poly, "let o : Option Int = None let r : Int = case o of | None -> ret 1 | Some -> ret 2", "the arm of Some binds 0 variables and needs 1"},
		{core.Poly, "let o : Option Int = None let r : Int = case o of | None -> ret 1 | _ -> ret 2.0", "the branch of _ has type Real, want Int"},
		{core.Poly, "let r : Int = if 1 then ret 1 else ret 2", "the condition has type Int, want Bool"},
		{core.Poly, "let r : Int = if true then ret 1 else ret 2.0", "the else branch has type Real, want Int"},
		{core.Poly, "let xs : []Int = [1, 2.0] let r : Int = index xs 0", "an element has type Real, want Int"},
		{core.Poly, "let xs : []Int = build (i : Int) < 2.0 -> ret i let r : Int = index xs 0", "the size has type Real, want Int"},
		{core.Poly, "let xs : []Real = build (i : Real) < 2 -> ret i let r : Int = %length[Real] xs", "the index variable has type Real, want Int"},
		{core.Poly, "let xs : []Int = [1] let ys : []Int = map (x : Real) in xs -> ret 1 let r : Int = index ys 0", "variable x has type Real, want Int"},
		{core.Poly, "let ys : []Int = map (x : Int) in 3 -> ret x let r : Int = index ys 0", "Int is no array"},
		{core.Poly, "let xs : []Int = [1] let r : Int = index xs 0.0", "the index has type Real, want Int"},
		{core.Poly, "let xs : []Int = [1] let ys : []Int = slice xs 0 1.0 let r : Int = index ys 0", "the upper bound has type Real, want Int"},
		{core.Poly, "let xs : []Int = [1] let r : Int = reduce (a : Int) (x : Int) from 1.0 in xs -> ret a", "the initial value has type Real, want Int"},
		{core.Poly, "let xs : []Int = [1] let r : Int = reduce (a : Int) (x : Int) from 1 in xs -> ret true", "the body has type Bool, want Int"},
		{core.Poly, "let xs : []Int = [1] let s : []Int = scan (a : Int) (x : Real) from 1 in xs -> ret a let r : Int = index s 0", "variable x has type Real, want Int"},
		{core.Poly, "let r : Int = loop (s : Int) from true for (i : Int) < 3 do ret s", "the initial state has type Bool, want Int"},
		{core.Poly, "let r : Int = loop (s : Int) from 1 for (i : Int) < true do ret s", "the bound has type Bool, want Int"},
		{core.Poly, "let r : Int = loop (s : Int) from 1 for (i : Int) in 3 do ret s", "Int is no array"},
		{core.Poly, "let r : Int = loop (s : Int) from 1 while ret s do ret s", "the condition has type Int, want Bool"},
		{core.Poly, "let r : Int = loop (s : Int) from 1 while ret true do ret true", "the body has type Bool, want Int"},
		{core.Poly, "let u : () = checksize \"n\" 1 true let r : Int = %+[Int] 1 1", "the wanted size has type Bool, want Int"},
		{core.Poly, "let rec f : Int -> Real = fun (x : Int) -> ret x let r : Int = %+[Int] 1 1", "let rec f: the function has type Int -> Int, want Int -> Real"},
		{core.Poly, "let f : Int -> Real = fun (x : Int) -> ret x let r : Int = %+[Int] 1 1", "the operation has type Int -> Int, want Int -> Real"},
		{core.Mono, "let r : Int = call @id[Int] 1", "def id: polymorphic after monomorphisation"},
		{core.Mono, "let t : (Int, Int) = (1, 2) let b : Bool = %==[(Int, Int)] t t let r : Int = %+[Int] 1 1", "== at (Int, Int) after monomorphisation"},
		{core.FirstOrder, "let f : Int -> Int = fun (x : Int) -> ret x let r : Int = call f 1", "a function value at the first-order level"},
		{core.FirstOrder, "let f : Int -> Int = fun (x : Int) -> ret x let r : Int = call f 1", "a call of an unknown function at the first-order level"},
		{core.FirstOrder, "let t : (Int -> Int, Int) = (@inc, 1) let r : Int = proj 1 t", "inc is used as a value at the first-order level"},
		{core.FirstOrder, "let rec f : Int -> Int = fun (x : Int) -> ret x let r : Int = call @inc 1", "a local function at the first-order level"},
	}
	for _, c := range cases {
		p, d := core.Parse("bad", prelude+"main : Int = "+c.body+" ret r")
		if d != nil {
			t.Errorf("%s: %v", c.body, d)
			continue
		}
		err := core.Verify(p, c.level)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "def ") {
			t.Errorf("%s\ngot:  %v\nwant: %s", c.body, err, c.want)
		}
	}
}

// TestVerifyRejectsBuilt: what text cannot say.
func TestVerifyRejectsBuilt(t *testing.T) {
	x, meta := core.NewVar("x", types.Int), &types.Meta{ID: 7}
	param := &types.Param{Name: "a"}
	option := &types.DataDecl{Name: "Option"}
	option.Cons = []*types.Con{{Data: option, Name: "None"}}
	foreign := &types.Con{Data: &types.DataDecl{Name: "Other"}, Name: "Some"}
	none := &core.Construct{Con: option.Cons[0], Ty: &types.Data{Decl: option}}
	op := func(ops ...core.Op) *core.Program {
		var b core.Builder
		for _, o := range ops {
			b.Let("x", core.TypeOf(o), o, diag.Span{})
		}
		return &core.Program{Main: &core.Def{Name: "main", Type: types.Int, Body: b.Block(core.IntLit(1))}}
	}
	result := func(a core.Atom) *core.Program {
		return &core.Program{Main: &core.Def{Name: "main", Type: types.Int, Body: core.Ret(a)}}
	}
	let := func(v *core.Var, o core.Op) core.Stmt { return &core.Let{Var: v, Op: o} }
	one := &core.Prim{Prim: prim.Lookup("+"), Inst: []types.Type{types.Int}, Args: []core.Atom{core.IntLit(1), core.IntLit(1)}}
	o := core.NewVar("o", none.Ty)
	cases := map[string]*core.Program{
		"variable x is not in scope":               result(x),
		"Real literal without":                     op(&core.Tuple{Elems: []core.Atom{&core.Lit{Ty: types.Real}, x}}),
		"a literal of type":                        result(&core.Lit{Ty: none.Ty}),
		"is an unknown of inference":               op(&core.Array{Elem: meta}),
		"type parameter a is not in scope":         op(&core.Array{Elem: param}),
		"a function without parameters":            op(&core.Lambda{Body: core.Ret(x)}),
		"variable x is bound twice":                {Main: &core.Def{Name: "m", Type: types.Int, Body: &core.Block{Stmts: []core.Stmt{let(x, one), let(x, one)}, Result: x}}},
		"f is defined twice":                       {Defs: []*core.Def{{Name: "f", Type: types.Int, Body: core.Ret(core.IntLit(1))}, {Name: "f", Type: types.Int, Body: core.Ret(core.IntLit(1))}}},
		"Some is no constructor of Option":         op(&core.Construct{Con: foreign, Ty: none.Ty}),
		"ret: result has type Real, want Int":      result(core.RealLit(big.NewRat(1, 2))),
		"2 variables for 1 arrays":                 {Main: &core.Def{Name: "m", Type: types.Int, Body: &core.Block{Stmts: []core.Stmt{let(core.NewVar("ys", types.Int), &core.Map{Params: []*core.Var{x, o}, Arrays: []core.Atom{x}, Body: core.Ret(x)})}, Result: x}}},
		"constructor Late does not know its place": {Datas: []*types.DataDecl{{Name: "D", Cons: []*types.Con{{Name: "Late", Tag: 3}}}}},
	}
	for want, p := range cases {
		if err := core.Verify(p, core.Poly); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
