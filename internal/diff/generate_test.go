package diff_test

import (
	"fmt"
	"math/big"
	"math/rand"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// kind is a kind of value that random functions are about.
type kind uint8

const (
	real    kind = iota
	integer      // small and not negative
	pair         // (Real, Real)
	record       // {n : Int, x : Real}
	reals        // []Real
	ints         // []Int
	pairs        // [](Real, Int)
	matrix       // [][]Real
	numKinds
)

func kindType(k kind) types.Type {
	array := func(t types.Type) types.Type { return &types.Array{Size: types.AnySize, Elem: t} }
	switch k {
	case real:
		return types.Real
	case integer:
		return types.Int
	case pair:
		return &types.Tuple{Elems: []types.Type{types.Real, types.Real}}
	case record:
		return &types.Record{Fields: []types.Field{{Name: "n", Type: types.Int}, {Name: "x", Type: types.Real}}}
	case reals:
		return array(types.Real)
	case ints:
		return array(types.Int)
	case pairs:
		return array(&types.Tuple{Elems: []types.Type{types.Real, types.Int}})
	}
	return array(array(types.Real))
}

// generated is a value in scope: of an array the generator knows the length,
// of a matrix also that of its rows.
type generated struct {
	atom   core.Atom
	kind   kind
	n, row int
}

// generator makes random functions that are smooth, as far as they have no
// choices, and do not fail on arguments of the lengths that it fixed.
type generator struct {
	src   *rand.Rand
	scope []generated
	fuel  int
}

// function makes a function of some parameters.
func (g *generator) function() (*core.Lambda, []generated) {
	n, m := 1+g.src.Intn(3), g.src.Intn(4)
	var params []generated
	add := func(k kind) {
		v := core.NewVar(string("xiprvnqm"[k]), kindType(k))
		p := generated{atom: v, kind: k, n: n, row: m}
		if k == reals && g.src.Intn(4) == 0 {
			p.n = m
		}
		params = append(params, p)
	}
	add(reals)
	for range 1 + g.src.Intn(3) {
		add(kind(g.src.Intn(int(numKinds))))
	}
	g.scope = append(g.scope, params...)
	var b core.Builder
	want := generated{kind: real}
	if g.src.Intn(3) == 0 {
		want = generated{kind: kind(g.src.Intn(int(numKinds))), n: n, row: m}
	}
	result := g.make(&b, want, 4)
	vars := make([]*core.Var, len(params))
	for i, p := range params {
		vars[i] = p.atom.(*core.Var)
	}
	return &core.Lambda{Params: vars, Body: b.Block(result)}, params
}

func (g *generator) pick(names ...string) string { return names[g.src.Intn(len(names))] }

func (g *generator) emit(b *core.Builder, op core.Op) core.Atom {
	g.fuel--
	return b.Emit("t", op, diag.Span{})
}

func (g *generator) prim(b *core.Builder, name string, inst types.Type, args ...core.Atom) core.Atom {
	op := &core.Prim{Prim: prim.Lookup(name), Args: args}
	if len(op.Prim.Scheme.Params) > 0 {
		op.Inst = []types.Type{inst}
	}
	return g.emit(b, op)
}

// nested makes a block with more variables in scope.
func (g *generator) nested(want generated, depth int, vars ...generated) *core.Block {
	saved := g.scope
	g.scope = append(g.scope[:len(g.scope):len(g.scope)], vars...)
	var b core.Builder
	result := g.make(&b, want, depth)
	g.scope = saved
	return b.Block(result)
}

// make makes a value of the kind and lengths wanted.
func (g *generator) make(b *core.Builder, want generated, depth int) core.Atom {
	if depth <= 0 || g.fuel <= 0 || g.src.Intn(5) == 0 {
		return g.known(b, want)
	}
	a := g.operation(b, want, depth-1)
	made := want
	made.atom = a
	g.scope = append(g.scope, made)
	return a
}

// known takes a value from the scope, or makes a simple one.
func (g *generator) known(b *core.Builder, want generated) core.Atom {
	var found []generated
	for _, v := range g.scope {
		if v.kind == want.kind && (want.kind < reals || v.n == want.n) && (want.kind != matrix || v.row == want.row) {
			found = append(found, v)
		}
	}
	if len(found) > 0 && g.src.Intn(6) > 0 {
		return found[g.src.Intn(len(found))].atom
	}
	elems := func(of generated, n int) []core.Atom {
		as := make([]core.Atom, n)
		for i := range as {
			as[i] = g.known(b, of)
		}
		return as
	}
	elem := func() types.Type { return kindType(want.kind).(*types.Array).Elem }
	switch want.kind {
	case real:
		return core.RealLit(big.NewRat(int64(g.src.Intn(7)-3), 2))
	case integer:
		return core.IntLit(int64(g.src.Intn(4)))
	case pair:
		return g.emit(b, &core.Tuple{Elems: elems(generated{kind: real}, 2)})
	case record:
		return g.emit(b, &core.Record{Ty: kindType(record).(*types.Record),
			Elems: []core.Atom{g.known(b, generated{kind: integer}), g.known(b, generated{kind: real})}})
	case reals:
		return g.emit(b, &core.Array{Elem: elem(), Elems: elems(generated{kind: real}, want.n)})
	case ints:
		return g.emit(b, &core.Array{Elem: elem(), Elems: elems(generated{kind: integer}, want.n)})
	case matrix:
		return g.emit(b, &core.Array{Elem: elem(), Elems: elems(generated{kind: reals, n: want.row}, want.n)})
	}
	as := make([]core.Atom, want.n)
	for i := range as {
		as[i] = g.emit(b, &core.Tuple{Elems: []core.Atom{g.known(b, generated{kind: real}), g.known(b, generated{kind: integer})}})
	}
	return g.emit(b, &core.Array{Elem: elem(), Elems: as})
}

// array picks an array in scope with at least so many elements.
func (g *generator) array(least int, kinds ...kind) (generated, bool) {
	var found []generated
	for _, v := range g.scope {
		for _, k := range kinds {
			if v.kind == k && v.n >= least {
				found = append(found, v)
			}
		}
	}
	if len(found) == 0 {
		return generated{}, false
	}
	return found[g.src.Intn(len(found))], true
}

// at makes an index below n.
func (g *generator) at(b *core.Builder, n int) core.Atom {
	if g.src.Intn(3) == 0 {
		return core.IntLit(int64(g.src.Intn(n)))
	}
	i := g.known(b, generated{kind: integer})
	if g.src.Intn(2) == 0 {
		i = g.prim(b, "+", types.Int, i, core.IntLit(int64(g.src.Intn(3))))
	}
	return g.prim(b, "mod", nil, i, core.IntLit(int64(n)))
}

func (g *generator) operation(b *core.Builder, want generated, depth int) core.Atom {
	sub := func(w generated) core.Atom { return g.make(b, w, depth) }
	if g.src.Intn(8) == 0 {
		cond := g.condition(b, depth)
		then := g.nested(want, depth)
		return g.emit(b, &core.If{Cond: cond, Then: then, Else: g.nested(want, depth)})
	}
	switch want.kind {
	case real:
		return g.real(b, depth)
	case integer:
		if xs, ok := g.array(1, ints); ok && g.src.Intn(3) > 0 {
			return g.emit(b, &core.Index{Of: xs.atom, At: g.at(b, xs.n)})
		}
		return g.prim(b, "mod", nil, sub(generated{kind: integer}), core.IntLit(3))
	case pair:
		return g.emit(b, &core.Tuple{Elems: []core.Atom{sub(generated{kind: real}), sub(generated{kind: real})}})
	case record:
		return g.emit(b, &core.Record{Ty: kindType(record).(*types.Record), Elems: []core.Atom{sub(generated{kind: integer}), sub(generated{kind: real})}})
	}
	return g.arrayOperation(b, want, depth)
}

func (g *generator) condition(b *core.Builder, depth int) core.Atom {
	if g.src.Intn(2) == 0 {
		return g.prim(b, "<", types.Int, g.make(b, generated{kind: integer}, depth), core.IntLit(int64(1+g.src.Intn(2))))
	}
	x, y := g.make(b, generated{kind: real}, depth), g.make(b, generated{kind: real}, depth)
	return g.prim(b, g.pick("<", ">"), types.Real, x, y)
}

func (g *generator) real(b *core.Builder, depth int) core.Atom {
	sub := func() core.Atom { return g.make(b, generated{kind: real}, depth) }
	positive := func() core.Atom {
		x := sub()
		return g.prim(b, "+", types.Real, g.prim(b, "*", types.Real, x, x), core.RealLit(big.NewRat(1, 2)))
	}
	switch g.src.Intn(14) {
	case 0:
		return g.prim(b, g.pick("sin", "cos", "tanh", "sigmoid", "atan", "erf", "neg"), types.Real, sub())
	case 1:
		return g.prim(b, g.pick("sqrt", "log", "lgamma", "cbrt"), nil, positive())
	case 2:
		return g.prim(b, "/", nil, sub(), positive())
	case 3:
		return g.prim(b, g.pick("max", "min"), types.Real, sub(), sub())
	case 4:
		return g.prim(b, "^", types.Real, sub(), g.known(b, generated{kind: integer}))
	case 5:
		return g.prim(b, "real", nil, g.make(b, generated{kind: integer}, depth))
	case 6:
		return g.emit(b, &core.Proj{Of: g.make(b, generated{kind: pair}, depth), Index: g.src.Intn(2)})
	case 7:
		return g.emit(b, &core.Field{Of: g.make(b, generated{kind: record}, depth), Index: 1})
	case 8:
		if xs, ok := g.array(1, reals, pairs, matrix); ok {
			return g.element(b, xs)
		}
	case 9, 10:
		return g.fold(b, depth)
	case 11:
		xs := g.make(b, generated{kind: reals, n: 1 + g.src.Intn(3)}, depth)
		return g.prim(b, g.pick("logsumexp", "norm"), nil, xs)
	}
	return g.prim(b, g.pick("+", "-", "*"), types.Real, sub(), sub())
}

// element reads a real from an array.
func (g *generator) element(b *core.Builder, xs generated) core.Atom {
	x := g.emit(b, &core.Index{Of: xs.atom, At: g.at(b, xs.n)})
	switch xs.kind {
	case pairs:
		return g.emit(b, &core.Proj{Of: x, Index: 0})
	case matrix:
		if xs.row == 0 {
			return g.known(b, generated{kind: real})
		}
		return g.emit(b, &core.Index{Of: x, At: g.at(b, xs.row)})
	}
	return x
}

// fold makes a sum over an array or a range, of one real or of a pair, or the
// largest or smallest of what a body gives.
func (g *generator) fold(b *core.Builder, depth int) core.Atom {
	init := g.make(b, generated{kind: real}, depth)
	acc := core.NewVar("acc", types.Real)
	body := func(elem ...generated) *core.Block {
		inner := g.nested(generated{kind: real}, depth, elem...)
		var more core.Builder
		more.Add(inner.Stmts...)
		next := g.prim(&more, g.pick("+", "+", "-", "max", "min"), types.Real, acc, inner.Result)
		if g.src.Intn(4) == 0 {
			var some core.Builder
			twice := g.prim(&some, "+", types.Real, next, g.known(&some, generated{kind: real}))
			next = g.emit(&more, &core.If{Cond: g.condition(&more, 0), Then: some.Block(twice), Else: core.Ret(acc)})
		}
		return more.Block(next)
	}
	if xs, ok := g.array(0, reals, ints, pairs, matrix); ok && g.src.Intn(2) == 0 {
		x := g.elementOf(xs)
		if g.src.Intn(2) == 0 {
			return g.emit(b, &core.Reduce{Acc: acc, Elem: x.atom.(*core.Var), Init: init, Array: xs.atom, Body: body(g.opened(x)...)})
		}
		return g.emit(b, &core.Loop{State: acc, Init: init, Head: &core.Each{Elem: x.atom.(*core.Var), Array: xs.atom}, Body: body(g.opened(x)...)})
	}
	i := core.NewVar("i", types.Int)
	bound, _ := g.bound(b)
	return g.emit(b, &core.Loop{State: acc, Init: init, Head: &core.Range{Index: i, Bound: bound}, Body: body(generated{atom: i, kind: integer})})
}

// bound makes the number of turns of a loop, and tells it.
func (g *generator) bound(b *core.Builder) (core.Atom, int) {
	if xs, ok := g.array(0, reals); ok && g.src.Intn(2) == 0 {
		return g.prim(b, "length", types.Real, xs.atom), xs.n
	}
	n := g.src.Intn(4)
	return core.IntLit(int64(n)), n
}

// elementOf is a variable for the elements of an array.
func (g *generator) elementOf(xs generated) generated {
	v := core.NewVar("x", kindType(xs.kind).(*types.Array).Elem)
	switch xs.kind {
	case reals:
		return generated{atom: v, kind: real}
	case ints:
		return generated{atom: v, kind: integer}
	case matrix:
		return generated{atom: v, kind: reals, n: xs.row}
	}
	return generated{atom: v, kind: numKinds} // a pair (Real, Int): see opened
}

// opened is what a body sees of an element. A pair (Real, Int) is not a kind,
// so bodies take it apart by what mapping adds.
func (g *generator) opened(x generated) []generated {
	if x.kind == numKinds {
		return nil
	}
	return []generated{x}
}

func (g *generator) arrayOperation(b *core.Builder, want generated, depth int) core.Atom {
	elem := generated{kind: real}
	switch want.kind {
	case ints:
		elem = generated{kind: integer}
	case matrix:
		elem = generated{kind: reals, n: want.row}
	}
	switch choice := g.src.Intn(9); {
	case choice < 3 && want.kind != pairs:
		return g.mapping(b, want, elem, depth)
	case choice < 5 || want.kind == pairs:
		i := core.NewVar("i", types.Int)
		n := g.length(b, want.n)
		if want.kind != pairs {
			return g.emit(b, &core.Build{Size: n, Index: i, Body: g.nested(elem, depth, generated{atom: i, kind: integer})})
		}
		body := g.nested(generated{kind: real}, depth, generated{atom: i, kind: integer})
		var more core.Builder
		more.Add(body.Stmts...)
		p := g.emit(&more, &core.Tuple{Elems: []core.Atom{body.Result, i}})
		return g.emit(b, &core.Build{Size: n, Index: i, Body: more.Block(p)})
	case choice == 5:
		long := want
		long.n += g.src.Intn(3)
		xs := g.make(b, long, depth)
		lo := g.src.Intn(long.n - want.n + 1)
		return g.emit(b, &core.Slice{Of: xs, Lo: core.IntLit(int64(lo)), Hi: core.IntLit(int64(lo + want.n))})
	case choice == 6:
		first, second := want, want
		first.n = g.src.Intn(want.n + 1)
		second.n = want.n - first.n
		return g.prim(b, "append", kindType(elem.kind), g.make(b, first, depth), g.make(b, second, depth))
	case want.kind == reals:
		return g.realsOperation(b, want, depth)
	}
	return g.mapping(b, want, elem, depth)
}

// length makes an atom that is n.
func (g *generator) length(b *core.Builder, n int) core.Atom {
	for _, xs := range g.scope {
		if xs.kind == reals && xs.n == n && g.src.Intn(2) == 0 {
			return g.prim(b, "length", types.Real, xs.atom)
		}
	}
	return core.IntLit(int64(n))
}

func (g *generator) mapping(b *core.Builder, want, elem generated, depth int) core.Atom {
	op := &core.Map{}
	var vars []generated
	for range 1 + g.src.Intn(2) {
		of := generated{kind: reals, n: want.n}
		switch g.src.Intn(4) {
		case 0:
			of = generated{kind: ints, n: want.n}
		case 1:
			of = generated{kind: matrix, n: want.n, row: g.src.Intn(3)}
		}
		x := g.elementOf(of)
		op.Params, op.Arrays, vars = append(op.Params, x.atom.(*core.Var)), append(op.Arrays, g.make(b, of, depth)), append(vars, x)
	}
	op.Body = g.nested(elem, depth, vars...)
	return g.emit(b, op)
}

func (g *generator) realsOperation(b *core.Builder, want generated, depth int) core.Atom {
	xs := g.make(b, want, depth)
	switch g.src.Intn(5) {
	case 0:
		return g.prim(b, "softmax", nil, xs)
	case 1:
		m := 1 + g.src.Intn(3)
		if want.n == 0 {
			m = 0
		}
		var ats []core.Atom
		for range m {
			ats = append(ats, g.at(b, want.n))
		}
		at := g.emit(b, &core.Array{Elem: types.Int, Elems: ats})
		return g.prim(b, g.pick("scatter", "accumulate"), types.Real, xs, at, g.make(b, generated{kind: reals, n: m}, depth))
	case 2:
		acc, x := core.NewVar("acc", types.Real), core.NewVar("x", types.Real)
		body := g.nested(generated{kind: real}, depth, generated{atom: x, kind: real})
		var more core.Builder
		more.Add(body.Stmts...)
		next := g.prim(&more, "+", types.Real, acc, body.Result)
		return g.emit(b, &core.Scan{Acc: acc, Elem: x, Init: g.make(b, generated{kind: real}, depth), Array: xs, Body: more.Block(next)})
	case 3:
		if want.n > 0 {
			for row := 1; row <= want.n; row++ {
				if want.n%row == 0 && g.src.Intn(2) == 0 {
					return g.prim(b, "flatten", types.Real, g.make(b, generated{kind: matrix, n: want.n / row, row: row}, depth))
				}
			}
		}
	}
	return xs
}

// String names a kind in messages.
func (k kind) String() string { return fmt.Sprint(types.Show(kindType(k))) }
