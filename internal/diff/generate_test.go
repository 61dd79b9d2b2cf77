package diff_test

import (
	"math/big"
	"math/rand"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// shape is a type with the lengths of its arrays, which the generator fixes so
// that the functions it makes do not fail.
type shape struct {
	kind  kind
	n     int     // of an array
	parts []shape // of a tuple or record; of an array its element
}

type kind uint8

const (
	real    kind = iota
	integer      // small and not negative
	tuple
	record // {n : Int, x : …}
	array
)

var (
	aReal = shape{kind: real}
	anInt = shape{kind: integer}
)

func tupleOf(parts ...shape) shape       { return shape{kind: tuple, parts: parts} }
func recordOf(x shape) shape             { return shape{kind: record, parts: []shape{anInt, x}} }
func arrayOf(n int, elem shape) shape    { return shape{kind: array, n: n, parts: []shape{elem}} }
func (s shape) elem() shape              { return s.parts[0] }
func (s shape) is(k kind) bool           { return s.kind == k }
func (s shape) realArray(least int) bool { return s.kind == array && s.n >= least && s.elem().is(real) }

func (s shape) equal(t shape) bool {
	if s.kind != t.kind || s.n != t.n || len(s.parts) != len(t.parts) {
		return false
	}
	for i := range s.parts {
		if !s.parts[i].equal(t.parts[i]) {
			return false
		}
	}
	return true
}

func (s shape) ty() types.Type {
	switch s.kind {
	case real:
		return types.Real
	case integer:
		return types.Int
	case tuple:
		ts := make([]types.Type, len(s.parts))
		for i, p := range s.parts {
			ts[i] = p.ty()
		}
		return &types.Tuple{Elems: ts}
	case record:
		return &types.Record{Fields: []types.Field{{Name: "n", Type: types.Int}, {Name: "x", Type: s.parts[1].ty()}}}
	}
	return &types.Array{Size: types.AnySize, Elem: s.elem().ty()}
}

// value makes a random value of a shape.
func (s shape) value(src *rand.Rand) coretest.Value {
	switch s.kind {
	case real:
		return ball.FromFloat64(src.Float64()*4 - 2)
	case integer:
		return int64(src.Intn(3))
	case array:
		xs := make(coretest.Array, s.n)
		for i := range xs {
			xs[i] = s.elem().value(src)
		}
		return xs
	}
	parts := make(coretest.Tuple, len(s.parts))
	for i, p := range s.parts {
		parts[i] = p.value(src)
	}
	return parts
}

// generated is a value in scope.
type generated struct {
	atom  core.Atom
	shape shape
}

// generator makes random functions that are smooth as far as they have no
// choices.
type generator struct {
	src   *rand.Rand
	scope []generated
	fuel  int
}

// function makes a function of parameters of some shapes.
func (g *generator) function(depth int) (*core.Lambda, []shape) {
	shapes := []shape{arrayOf(1+g.src.Intn(3), aReal)}
	for range 1 + g.src.Intn(3) {
		shapes = append(shapes, g.shape(3))
	}
	vars := make([]*core.Var, len(shapes))
	for i, s := range shapes {
		vars[i] = core.NewVar("p", s.ty())
		g.scope = append(g.scope, generated{vars[i], s})
	}
	want := aReal
	if g.src.Intn(3) == 0 {
		want = g.shape(3)
	}
	var b core.Builder
	result := g.make(&b, want, depth)
	return &core.Lambda{Params: vars, Body: b.Block(result)}, shapes
}

// shape makes a shape of at most the given depth.
func (g *generator) shape(depth int) shape {
	if depth == 0 {
		return []shape{aReal, aReal, anInt}[g.src.Intn(3)]
	}
	switch g.src.Intn(8) {
	case 0:
		return tupleOf(g.shape(depth-1), g.shape(depth-1))
	case 1:
		return recordOf(g.shape(depth - 1))
	case 2, 3:
		return arrayOf(g.src.Intn(4), g.shape(depth-1))
	case 4:
		return arrayOf(1+g.src.Intn(3), aReal)
	case 5:
		return arrayOf(1+g.src.Intn(2), arrayOf(g.src.Intn(3), aReal))
	}
	return g.shape(0)
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
func (g *generator) nested(want shape, depth int, vars ...generated) *core.Block {
	saved := g.scope
	g.scope = append(g.scope[:len(g.scope):len(g.scope)], vars...)
	var b core.Builder
	result := g.make(&b, want, depth)
	g.scope = saved
	return b.Block(result)
}

// make makes a value of a shape.
func (g *generator) make(b *core.Builder, want shape, depth int) core.Atom {
	if depth <= 0 || g.fuel <= 0 || g.src.Intn(6) == 0 {
		return g.known(b, want)
	}
	a := g.operation(b, want, depth-1)
	g.scope = append(g.scope, generated{a, want})
	return a
}

// known takes a value from the scope, or from within one, or makes a simple
// one.
func (g *generator) known(b *core.Builder, want shape) core.Atom {
	for range 4 {
		v := g.scope[len(g.scope)-1-g.src.Intn(len(g.scope))]
		if a := g.within(b, v, want); a != nil {
			return a
		}
	}
	parts := func(n int, shape func(i int) shape) []core.Atom {
		as := make([]core.Atom, n)
		for i := range as {
			as[i] = g.known(b, shape(i))
		}
		return as
	}
	switch want.kind {
	case real:
		return core.RealLit(big.NewRat(int64(g.src.Intn(7)-3), 2))
	case integer:
		return core.IntLit(int64(g.src.Intn(4)))
	case tuple:
		return g.emit(b, &core.Tuple{Elems: parts(len(want.parts), func(i int) shape { return want.parts[i] })})
	case record:
		return g.emit(b, &core.Record{Ty: want.ty().(*types.Record), Elems: parts(2, func(i int) shape { return want.parts[i] })})
	}
	return g.emit(b, &core.Array{Elem: want.elem().ty(), Elems: parts(want.n, func(int) shape { return want.elem() })})
}

// within looks for a shape at random inside a value.
func (g *generator) within(b *core.Builder, v generated, want shape) core.Atom {
	if v.shape.equal(want) {
		return v.atom
	}
	if !v.shape.contains(want) {
		return nil
	}
	switch v.shape.kind {
	case array:
		if v.shape.n > 0 {
			x := g.emit(b, &core.Index{Of: v.atom, At: g.at(b, v.shape.n)})
			return g.within(b, generated{x, v.shape.elem()}, want)
		}
	case tuple, record:
		i := g.src.Intn(len(v.shape.parts))
		if !v.shape.parts[i].contains(want) {
			i = len(v.shape.parts) - 1 - i
		}
		op := core.Op(&core.Proj{Of: v.atom, Index: i})
		if v.shape.is(record) {
			op = &core.Field{Of: v.atom, Index: i}
		}
		return g.within(b, generated{g.emit(b, op), v.shape.parts[i]}, want)
	}
	return nil
}

func (s shape) contains(want shape) bool {
	if s.equal(want) {
		return true
	}
	for _, p := range s.parts {
		if p.contains(want) && (s.kind != array || s.n > 0) {
			return true
		}
	}
	return false
}

// at makes an index below n.
func (g *generator) at(b *core.Builder, n int) core.Atom {
	if g.src.Intn(3) == 0 {
		return core.IntLit(int64(g.src.Intn(n)))
	}
	var i core.Atom = core.IntLit(1)
	for _, v := range g.scope {
		if v.shape.is(integer) && g.src.Intn(2) == 0 {
			i = v.atom
		}
	}
	if g.src.Intn(2) == 0 {
		i = g.prim(b, "+", types.Int, i, core.IntLit(int64(g.src.Intn(3))))
	}
	return g.prim(b, "mod", nil, i, core.IntLit(int64(n)))
}

func (g *generator) operation(b *core.Builder, want shape, depth int) core.Atom {
	sub := func(s shape) core.Atom { return g.make(b, s, depth) }
	if g.src.Intn(8) == 0 {
		cond := g.condition(b, depth)
		then := g.nested(want, depth)
		return g.emit(b, &core.If{Cond: cond, Then: then, Else: g.nested(want, depth)})
	}
	switch want.kind {
	case real:
		return g.real(b, depth)
	case integer:
		return g.prim(b, "mod", nil, sub(anInt), core.IntLit(3))
	case tuple:
		elems := make([]core.Atom, len(want.parts))
		for i, p := range want.parts {
			elems[i] = sub(p)
		}
		return g.emit(b, &core.Tuple{Elems: elems})
	case record:
		n := sub(anInt)
		return g.emit(b, &core.Record{Ty: want.ty().(*types.Record), Elems: []core.Atom{n, sub(want.parts[1])}})
	}
	return g.array(b, want, depth)
}

func (g *generator) condition(b *core.Builder, depth int) core.Atom {
	if g.src.Intn(2) == 0 {
		return g.prim(b, "<", types.Int, g.make(b, anInt, depth), core.IntLit(int64(1+g.src.Intn(2))))
	}
	x, y := g.make(b, aReal, depth), g.make(b, aReal, depth)
	return g.prim(b, g.pick("<", ">"), types.Real, x, y)
}

func (g *generator) real(b *core.Builder, depth int) core.Atom {
	sub := func() core.Atom { return g.make(b, aReal, depth) }
	positive := func() core.Atom {
		x := sub()
		return g.prim(b, "+", types.Real, g.prim(b, "*", types.Real, x, x), core.RealLit(big.NewRat(1, 2)))
	}
	switch g.src.Intn(14) {
	case 0:
		return g.prim(b, g.pick("sin", "cos", "tanh", "sigmoid", "atan", "erf", "neg", "sign", "abs"), types.Real, sub())
	case 1:
		return g.prim(b, g.pick("sqrt", "log", "lgamma", "cbrt"), nil, positive())
	case 2:
		return g.prim(b, "/", types.Real, sub(), positive())
	case 3:
		return g.prim(b, g.pick("max", "min"), types.Real, sub(), sub())
	case 4:
		return g.prim(b, "^", types.Real, sub(), g.known(b, anInt))
	case 5:
		return g.prim(b, "real", nil, g.make(b, anInt, depth))
	case 6:
		pair := tupleOf(aReal, g.shape(1))
		return g.emit(b, &core.Proj{Of: g.make(b, pair, depth), Index: 0})
	case 7:
		return g.emit(b, &core.Field{Of: g.make(b, recordOf(aReal), depth), Index: 1})
	case 8:
		xs := arrayOf(1+g.src.Intn(3), aReal)
		return g.emit(b, &core.Index{Of: g.make(b, xs, depth), At: g.at(b, xs.n)})
	case 9, 10:
		return g.fold(b, depth)
	case 11:
		xs := g.make(b, arrayOf(1+g.src.Intn(3), aReal), depth)
		return g.prim(b, g.pick("logsumexp", "norm"), nil, xs)
	}
	return g.prim(b, g.pick("+", "-", "*"), types.Real, sub(), sub())
}

// fold makes a sum over an array or a range, of a real or of a value of
// another shape, or the largest or smallest of what a body gives, or a loop
// with any body.
func (g *generator) fold(b *core.Builder, depth int) core.Atom {
	state := aReal
	if g.src.Intn(3) == 0 {
		state = []shape{tupleOf(aReal, aReal), arrayOf(2, aReal), tupleOf(arrayOf(1, aReal), aReal)}[g.src.Intn(3)]
	}
	init := g.make(b, state, depth)
	acc := core.NewVar("acc", state.ty())
	body := func(elem generated) *core.Block {
		if g.src.Intn(4) == 0 {
			return g.nested(state, depth, elem, generated{acc, state})
		}
		inner := g.nested(state, depth, elem)
		var more core.Builder
		more.Add(inner.Stmts...)
		next := g.combined(&more, acc, inner.Result, state, g.pick("+", "+", "-", "max", "min"))
		if g.src.Intn(4) == 0 {
			var some core.Builder
			again := g.combined(&some, next, inner.Result, state, "+")
			next = g.emit(&more, &core.If{Cond: g.condition(&more, 0), Then: some.Block(again), Else: core.Ret(acc)})
		}
		return more.Block(next)
	}
	var end core.Atom
	if g.src.Intn(2) == 0 {
		xs := arrayOf(g.src.Intn(4), g.shape(2))
		x := core.NewVar("x", xs.elem().ty())
		of := g.make(b, xs, depth)
		if g.src.Intn(2) == 0 {
			end = g.emit(b, &core.Reduce{Acc: acc, Elem: x, Init: init, Array: of, Body: body(generated{x, xs.elem()})})
		} else {
			end = g.emit(b, &core.Loop{State: acc, Init: init, Head: &core.Each{Elem: x, Array: of}, Body: body(generated{x, xs.elem()})})
		}
	} else {
		i := core.NewVar("i", types.Int)
		bound := g.length(b, g.src.Intn(4))
		end = g.emit(b, &core.Loop{State: acc, Init: init, Head: &core.Range{Index: i, Bound: bound}, Body: body(generated{i, anInt})})
	}
	g.scope = append(g.scope, generated{end, state})
	return g.known(b, aReal)
}

// combined adds two values of a shape; max and min are for reals alone.
func (g *generator) combined(b *core.Builder, x, y core.Atom, s shape, name string) core.Atom {
	switch s.kind {
	case real:
		return g.prim(b, name, types.Real, x, y)
	case array:
		u, v := core.NewVar("u", s.elem().ty()), core.NewVar("v", s.elem().ty())
		var inner core.Builder
		sum := g.combined(&inner, u, v, s.elem(), "+")
		return g.emit(b, &core.Map{Params: []*core.Var{u, v}, Arrays: []core.Atom{x, y}, Body: inner.Block(sum)})
	}
	elems := make([]core.Atom, len(s.parts))
	for i, p := range s.parts {
		elems[i] = g.combined(b, g.emit(b, &core.Proj{Of: x, Index: i}), g.emit(b, &core.Proj{Of: y, Index: i}), p, "+")
	}
	return g.emit(b, &core.Tuple{Elems: elems})
}

// length makes an atom that is n.
func (g *generator) length(b *core.Builder, n int) core.Atom {
	for _, xs := range g.scope {
		if xs.shape.is(array) && xs.shape.n == n && g.src.Intn(2) == 0 {
			return g.prim(b, "length", xs.shape.elem().ty(), xs.atom)
		}
	}
	return core.IntLit(int64(n))
}

func (g *generator) array(b *core.Builder, want shape, depth int) core.Atom {
	switch g.src.Intn(9) {
	case 0, 1, 2:
		i := core.NewVar("i", types.Int)
		n := g.length(b, want.n)
		return g.emit(b, &core.Build{Size: n, Index: i, Body: g.nested(want.elem(), depth, generated{i, anInt})})
	case 3:
		lo, more := g.src.Intn(2), g.src.Intn(2)
		xs := g.make(b, arrayOf(lo+want.n+more, want.elem()), depth)
		return g.emit(b, &core.Slice{Of: xs, Lo: core.IntLit(int64(lo)), Hi: core.IntLit(int64(lo + want.n))})
	case 4:
		n := g.src.Intn(want.n + 1)
		xs, ys := g.make(b, arrayOf(n, want.elem()), depth), g.make(b, arrayOf(want.n-n, want.elem()), depth)
		return g.prim(b, "append", want.elem().ty(), xs, ys)
	case 5:
		if want.n > 0 {
			return g.scatter(b, want, depth)
		}
	case 6:
		if want.realArray(0) {
			return g.realsOperation(b, want, depth)
		}
	}
	op := &core.Map{}
	var vars []generated
	for range 1 + g.src.Intn(2) {
		s := arrayOf(want.n, g.shape(2))
		x := core.NewVar("x", s.elem().ty())
		op.Params, op.Arrays, vars = append(op.Params, x), append(op.Arrays, g.make(b, s, depth)), append(vars, generated{x, s.elem()})
	}
	op.Body = g.nested(want.elem(), depth, vars...)
	return g.emit(b, op)
}

func (g *generator) scatter(b *core.Builder, want shape, depth int) core.Atom {
	xs := g.make(b, want, depth)
	ats := make([]core.Atom, g.src.Intn(4))
	for i := range ats {
		ats[i] = g.at(b, want.n)
	}
	at := g.emit(b, &core.Array{Elem: types.Int, Elems: ats})
	ys := g.make(b, arrayOf(len(ats), want.elem()), depth)
	if want.elem().is(real) && g.src.Intn(2) == 0 {
		return g.prim(b, "accumulate", types.Real, xs, at, ys)
	}
	return g.prim(b, "scatter", want.elem().ty(), xs, at, ys)
}

func (g *generator) realsOperation(b *core.Builder, want shape, depth int) core.Atom {
	switch g.src.Intn(3) {
	case 0:
		return g.prim(b, "softmax", nil, g.make(b, want, depth))
	case 1:
		acc, x := core.NewVar("acc", types.Real), core.NewVar("x", types.Real)
		if g.src.Intn(2) == 0 {
			init := g.make(b, aReal, depth)
			of := g.make(b, want, depth)
			body := g.nested(aReal, depth, generated{x, aReal}, generated{acc, aReal})
			return g.emit(b, &core.Scan{Acc: acc, Elem: x, Init: init, Array: of, Body: body})
		}
		body := g.nested(aReal, depth, generated{x, aReal})
		var more core.Builder
		more.Add(body.Stmts...)
		next := g.prim(&more, "+", types.Real, acc, body.Result)
		init := g.make(b, aReal, depth)
		return g.emit(b, &core.Scan{Acc: acc, Elem: x, Init: init, Array: g.make(b, want, depth), Body: more.Block(next)})
	}
	row := max(1, want.n)
	if want.n%2 == 0 && want.n > 0 {
		row = want.n / 2
	}
	rows := arrayOf(want.n/row, arrayOf(row, aReal))
	return g.prim(b, "flatten", types.Real, g.make(b, rows, depth))
}
