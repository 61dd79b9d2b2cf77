package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Tiles]
//
// A product of matrices, c[p, q] = Σ_r a[p, r] b[r, q], is a nest of three parallel loops in some
// order. It either adds up a total in its innermost loop, or adds each product to its element:
//
//	for p { for q { for r, add.f from 0.0 { yield a[p, r] b[r, q] } gives t; c[p, q] = t } }
//	for p { for r { x = a[p, r]; for q { c[p, q] += x b[r, q] } } }
//
// Turn by turn, each product reads two elements from memory, or even writes one. In tiles, a few
// rows of a and a panel of b, which has as many columns as fit some vectors, give a block of c
// whose totals stay in registers, and each element that is read serves a row or a column of the
// block:
//
//	for each panel { y = its columns, side by side
//	  for each few rows p { for q < columns of the panel, lanes { for r { t0 += a[p, r] y[r, q]; t1 += a[p+1, r] y[r, q]; … } } } }
//
// The panel is copied, so that vectors read it in order, whatever the stride of b is, and so that
// it stays in the cache for all rows. Each operand is a buffer at an index that is linear in the
// indices of the loops, with strides that may be variables: so a transposed matrix is nothing
// special. A loop around several such nests is one around each. If a matrix is small, which is
// known at run time, the nest runs as it was.
//
// The tiles with all that is left at their ends are much code. Since the strides and the counts may
// be variables, one function serves all products of a program, and a nest becomes a call of it. The
// function writes to its last parameter, the result.

// Tile is the shape of the blocks of a product: Note [Tiles].
type Tile struct{ Rows, Columns int64 }

// leastTiled is the least number of rows, columns and products of an element that is worth tiles.
const leastTiled = 8

// Tiles makes tiles of the products of matrices in some functions, which it changes: Note [Tiles].
// Totals are taken in another order. It gives the functions that are called for them: one for all
// products that are stored, one for those that are added, and those of Note [Nests that are alike].
func (t Tile) Tiles(fs ...*loop.Func) []*loop.Func {
	k := &tiler{shape: t}
	for _, f := range fs {
		f.Body = k.block(f.Body)
	}
	return k.made
}

// tiler makes calls of products.
type tiler struct {
	shape       Tile
	store, plus *loop.Func
	made        []*loop.Func // all functions that are called
	depth       int          // the loops around the block
	nests       []*sharedNest
}

func (t *tiler) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if x, ok := s.(*loop.For); ok {
			if t.product(out, x) {
				continue
			}
			if x.Lanes {
				out.Add(s)
				continue
			}
		}
		around := 1
		if _, ok := s.(*loop.If); ok {
			around = 0
		}
		t.depth += around
		out.Add(loop.MapBlocks(s, t.block))
		t.depth -= around
	}
	return out.Rebuilt(b, b.Yield)
}

// nest is three loops, each in the body of the one before.
type nest struct {
	out      *loop.Builder // in front of the nest
	loops    [3]*loop.For
	defs     map[*loop.Var]loop.Stmt // by what is bound in the nest
	products []contraction
}

// place is an element of a buffer at an index that is linear in those of the loops.
type place struct {
	buf     *loop.Var
	base    loop.Atom
	strides [3]loop.Atom // nil where it does not depend on the loop
}

// contraction is c[p, q] += Σ a[p, r] b[r, q]. The loops are given by their numbers.
type contraction struct {
	a, b, c place
	p, q, r int
	stored  bool // c is stored, and not added to
}

// product appends the tiles of a loop, or tells that it has something else in it than products.
func (t *tiler) product(out *loop.Builder, s *loop.For) bool {
	nests := nestsOf(s)
	for _, n := range nests {
		out.Add(n.out.Stmts...)
		var enough loop.Atom
		for _, x := range n.loops {
			is := out.Let("enough", loop.LeI, loop.Int(leastTiled), x.Count)
			if enough != nil {
				is = out.Let("enough", loop.And, enough, is)
			}
			enough = is
		}
		tiled := &loop.Builder{}
		outermost := false // lanes that add to the same elements, which an engine may do otherwise if no loop is around them
		for _, c := range n.products {
			t.call(tiled, n, c)
			outermost = outermost || t.depth == 0 && n.loops[c.r].Lanes
		}
		small := t.asItWas(loop.NewCopier().Stmt(n.loops[0]).(*loop.For), outermost)
		out.Add(&loop.If{Cond: enough, Then: tiled.Block(), Else: small})
	}
	return nests != nil
}

// holdsProduct tells whether there is a loop of products in a block, which tiles serve better than
// lanes around it.
func holdsProduct(b *loop.Block) bool {
	for _, s := range b.Stmts {
		if x, ok := s.(*loop.For); ok && nestsOf(x) != nil {
			return true
		}
		found := false
		loop.Blocks(s, func(b *loop.Block) { found = found || holdsProduct(b) })
		if found {
			return true
		}
	}
	return false
}

// nestsOf gives the products that a loop consists of, each in a nest of its own: nil if there is
// anything else in it.
func nestsOf(s *loop.For) []*nest {
	if !s.Parallel || len(s.Reds) > 0 || slices.ContainsFunc(s.Body.Stmts, notOfProduct) {
		return nil
	}
	var common []loop.Stmt
	var inner []*loop.For
	for _, x := range s.Body.Stmts {
		if x, ok := x.(*loop.For); ok {
			inner = append(inner, x)
			continue
		}
		common = append(common, x)
	}
	var out []*nest
	for _, x := range inner {
		alone := *s
		alone.Body = &loop.Block{Stmts: append(needed(common, x), x), Yield: s.Body.Yield}
		n := &nest{out: &loop.Builder{}, defs: map[*loop.Var]loop.Stmt{}}
		if n.products = n.match(&alone); n.products == nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// needed are those of some statements that write, or bind what another statement needs.
func needed(stmts []loop.Stmt, by loop.Stmt) []loop.Stmt {
	var live loop.VarSet
	use := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok {
			live.Add(v)
		}
	}
	loop.Uses(by, use)
	loop.Blocks(by, func(b *loop.Block) { loop.AllUses(b, use) })
	var out []loop.Stmt
	for _, s := range slices.Backward(stmts) {
		stays := true
		loop.Defs(s, func(v *loop.Var) { stays = live.Has(v) })
		if stays {
			loop.Uses(s, use)
			out = append(out, s)
		}
	}
	slices.Reverse(out)
	return out
}

// match finds the products of a nest: nil if there is anything else in it.
func (n *nest) match(s *loop.For) []contraction {
	var writes []loop.Stmt
	bound := map[*loop.Var]bool{}
	for level := range n.loops {
		if s == nil || !s.Parallel || len(s.Reds) > 0 && level < 2 {
			return nil
		}
		if v, ok := s.Count.(*loop.Var); ok && bound[v] {
			return nil
		}
		n.loops[level], bound[s.Index] = s, true
		var inner *loop.For
		for _, x := range s.Body.Stmts {
			if notOfProduct(x) {
				return nil
			}
			switch x := x.(type) {
			case *loop.Store, *loop.Accum:
				writes = append(writes, x)
			case *loop.For:
				if inner != nil {
					return nil
				}
				inner = x
			}
			loop.Defs(x, func(v *loop.Var) { n.defs[v], bound[v] = x, true })
		}
		s = inner
	}
	if s != nil || len(writes) == 0 {
		return nil
	}
	var out []contraction
	for _, w := range writes {
		c := n.contraction(w)
		if c == nil {
			return nil
		}
		out = append(out, *c)
	}
	return out
}

// notOfProduct tells whether a statement is none that a nest of products has.
func notOfProduct(s loop.Stmt) bool {
	switch s := s.(type) {
	case *loop.Let:
		return s.Op.Result != loop.I64 && s.Op != loop.MulF
	case *loop.Load, *loop.Store, *loop.Accum, *loop.For:
		return false
	}
	return true
}

// contraction is the product that a statement writes, or nil.
func (n *nest) contraction(w loop.Stmt) *contraction {
	c := &contraction{}
	var value, at loop.Atom
	switch w := w.(type) {
	case *loop.Store:
		c.c.buf, at, value, c.stored = w.Buf, w.At, w.Value, true
	case *loop.Accum:
		c.c.buf, at, value = w.Buf, w.At, w.Value
	}
	innermost := n.loops[2]
	if total, ok := n.def(value).(*loop.For); ok {
		if len(total.Reds) != 1 || total.Reds[0].Op != loop.AddF || !isReal(total.Reds[0].Init, 0) {
			return nil
		}
		value = total.Body.Yield[0]
	} else if c.stored || len(innermost.Reds) > 0 || !slices.Contains(innermost.Body.Stmts, w) {
		return nil
	}
	times, ok := n.def(value).(*loop.Let)
	if !ok || times.Op != loop.MulF {
		return nil
	}
	factor := func(k int) place {
		load, ok := n.def(times.Args[k]).(*loop.Load)
		if !ok || n.defs[load.Buf] != nil {
			return place{}
		}
		return n.place(load.Buf, load.At)
	}
	c.a, c.b, c.c = factor(0), factor(1), n.place(c.c.buf, at)
	if c.a.buf == nil || c.b.buf == nil || c.c.buf == nil || !c.roles() {
		return nil
	}
	return c
}

func (n *nest) def(a loop.Atom) loop.Stmt {
	v, _ := a.(*loop.Var)
	return n.defs[v]
}

// roles finds which loop is which, and which factor.
func (c *contraction) roles() bool {
	c.p, c.q, c.r = -1, -1, -1
	for l, stride := range c.c.strides {
		switch {
		case stride == nil && c.r < 0:
			c.r = l
		case stride != nil && isInt(stride, 1) && c.q < 0:
			c.q = l
		case stride != nil && c.p < 0:
			c.p = l
		}
	}
	if c.p < 0 || c.q < 0 || c.r < 0 {
		return false
	}
	if c.a.strides[c.q] != nil {
		c.a, c.b = c.b, c.a
	}
	has := func(x place, with1, with2, without int) bool {
		return x.strides[with1] != nil && x.strides[with2] != nil && x.strides[without] == nil
	}
	return has(c.a, c.p, c.r, c.q) && has(c.b, c.r, c.q, c.p)
}

// place is the element of a buffer at an index; without a buffer if that is not linear.
func (n *nest) place(buf *loop.Var, at loop.Atom) place {
	if p, ok := n.linear(at); ok {
		p.buf = buf
		return p
	}
	return place{}
}

// linear finds how an integer depends on the indices of the loops.
func (n *nest) linear(a loop.Atom) (p place, ok bool) {
	v, isVar := a.(*loop.Var)
	for l, s := range n.loops {
		if s.Index == v && isVar {
			p.base, p.strides[l] = loop.Int(0), loop.Int(1)
			return p, true
		}
	}
	def := n.def(a)
	if def == nil {
		p.base = a
		return p, true
	}
	let, isLet := def.(*loop.Let)
	if !isLet || let.Op != loop.AddI && let.Op != loop.MulI {
		return p, false
	}
	x, ok := n.linear(let.Args[0])
	y, ok2 := n.linear(let.Args[1])
	if !ok || !ok2 {
		return p, false
	}
	if let.Op == loop.AddI {
		p.base = sum(n.out, x.base, y.base)
		for l := range p.strides {
			p.strides[l] = sum(n.out, x.strides[l], y.strides[l])
		}
		return p, true
	}
	if !y.invariant() {
		x, y = y, x
	}
	if !y.invariant() {
		return p, false
	}
	p.base = times(n.out, x.base, y.base)
	for l, stride := range x.strides {
		if stride != nil {
			p.strides[l] = times(n.out, stride, y.base)
		}
	}
	return p, true
}

func (p *place) invariant() bool { return p.strides == [3]loop.Atom{} }

// sum is a + b, where nil stands for 0.
func sum(out *loop.Builder, a, b loop.Atom) loop.Atom {
	switch {
	case b == nil || a != nil && isInt(b, 0):
		return a
	case a == nil || isInt(a, 0):
		return b
	}
	return out.Let("a", loop.AddI, a, b)
}

func times(out *loop.Builder, a, b loop.Atom) loop.Atom {
	switch {
	case isInt(a, 1) || isInt(b, 0):
		return b
	case isInt(b, 1) || isInt(a, 0):
		return a
	}
	return out.Let("a", loop.MulI, a, b)
}

// plus is a place that is some turns of a loop further on.
func (p place) plus(out *loop.Builder, l int, turns loop.Atom) place {
	p.base = sum(out, p.base, times(out, turns, p.strides[l]))
	return p
}

// call appends a call of the function for a product.
func (t *tiler) call(out *loop.Builder, n *nest, c contraction) {
	to, name := &t.plus, "product.add"
	if c.stored {
		to, name = &t.store, "product"
	}
	if *to == nil {
		*to = t.shape.function(name, c.stored)
		t.made = append(t.made, *to)
	}
	out.Add(&loop.Call{Func: *to, Args: []loop.Atom{n.loops[c.p].Count, n.loops[c.q].Count, n.loops[c.r].Count,
		c.a.buf, c.a.base, c.a.strides[c.p], c.a.strides[c.r],
		c.b.buf, c.b.base, c.b.strides[c.r], c.b.strides[c.q],
		c.c.base, c.c.strides[c.p], c.c.buf}})
}

// function is the function that takes the counts of the loops, and the base and the strides of each
// matrix, and stores the product or adds it. The elements of a row of the result lie side by side.
func (t Tile) function(name string, stored bool) *loop.Func {
	f := &loop.Func{Name: name, Adds: 1}
	param := func(name string, k loop.Kind) *loop.Var {
		v := loop.NewVar(name, k)
		f.Params = append(f.Params, v)
		return v
	}
	integer := func(name string) loop.Atom { return param(name, loop.I64) }
	const p, q, r = 0, 1, 2
	x := product{rows: integer("rows"), columns: integer("columns"), length: integer("length")}
	x.contraction = contraction{p: p, q: q, r: r, stored: stored}
	x.a.buf, x.a.base, x.a.strides[p], x.a.strides[r] = param("a", loop.F64s), integer("a0"), integer("ap"), integer("ar")
	x.b.buf, x.b.base, x.b.strides[r], x.b.strides[q] = param("b", loop.F64s), integer("b0"), integer("br"), integer("bq")
	x.c.base, x.c.strides[p], x.c.strides[q] = integer("c0"), integer("cp"), loop.Int(1)
	x.c.buf = param("c", loop.F64s)
	out := &loop.Builder{}
	t.emit(out, x)
	f.Body = out.Block()
	return f
}

// product is a contraction with the counts of its loops.
type product struct {
	contraction
	rows, columns, length loop.Atom
}

// emit appends the tiles of a product.
func (t Tile) emit(out *loop.Builder, x product) {
	c, rows, columns, length := x.contraction, x.rows, x.columns, x.length
	last := out.Let("n", loop.AddI, columns, loop.Int(t.Columns-1))
	panels := out.Let("panels", loop.DivI, last, loop.Int(t.Columns))
	size := out.Let("n", loop.MulI, length, loop.Int(t.Columns))
	full := out.Let("rows", loop.DivI, rows, loop.Int(t.Rows))
	done := out.Let("n", loop.MulI, full, loop.Int(t.Rows))
	rest := out.Let("rest", loop.SubI, rows, done)
	inOrder := out.Let("order", loop.EqI, c.b.strides[c.q], loop.Int(1))
	out.Parallel("panel", panels, func(out *loop.Builder, k *loop.Var) {
		first := out.Let("q", loop.MulI, k, loop.Int(t.Columns))
		left := out.Let("n", loop.SubI, columns, first)
		width := out.Let("n", loop.MinI, left, loop.Int(t.Columns))
		panel := place{buf: out.Alloc("panel", loop.F64s, size, false), base: loop.Int(0)}
		panel.strides[c.q], panel.strides[c.r] = loop.Int(1), loop.Int(t.Columns)
		from, to := c.b.plus(out, c.q, first), c.c.plus(out, c.q, first)
		copied := func(from place) *loop.Block {
			out := &loop.Builder{}
			out.Parallel("r", length, func(out *loop.Builder, r *loop.Var) {
				from, to := from.plus(out, c.r, r), panel.plus(out, c.r, r)
				lanesOver(out, "q", width, func(out *loop.Builder, q *loop.Var) {
					x := out.Load("x", from.buf, from.plus(out, c.q, q).base)
					out.Store(to.buf, to.plus(out, c.q, q).base, x)
				})
			})
			return out.Block()
		}
		apart, beside := from, from
		beside.strides[c.q] = loop.Int(1) // vectors are read as such
		out.Add(&loop.If{Cond: inOrder, Then: copied(beside), Else: copied(apart)})
		blocks := func(width loop.Atom) *loop.Block {
			out := &loop.Builder{}
			tile := contraction{c.a, panel, to, c.p, c.q, c.r, c.stored}
			out.Parallel("p", full, func(out *loop.Builder, p *loop.Var) {
				tile.rows(out, out.Let("p", loop.MulI, p, loop.Int(t.Rows)), t.Rows, width, length)
			})
			out.Parallel("p", rest, func(out *loop.Builder, p *loop.Var) {
				tile.rows(out, out.Let("p", loop.AddI, p, done), 1, width, length)
			})
			return out.Block()
		}
		whole := out.Let("whole", loop.EqI, width, loop.Int(t.Columns))
		out.Add(&loop.If{Cond: whole, Then: blocks(loop.Int(t.Columns)), Else: blocks(width)})
	})
}

// rows appends some rows of a panel, from row p on.
func (c contraction) rows(out *loop.Builder, p loop.Atom, rows int64, width, length loop.Atom) {
	as, cs := make([]place, rows), make([]place, rows)
	for k := range as {
		row := sum(out, p, loop.Int(int64(k)))
		as[k], cs[k] = c.a.plus(out, c.p, row), c.c.plus(out, c.p, row)
	}
	lanesOver(out, "q", width, func(out *loop.Builder, q *loop.Var) {
		s := &loop.For{Index: loop.NewVar("r", loop.I64), Count: length, Parallel: true}
		b := &loop.Builder{}
		at := c.b.plus(b, c.r, s.Index).plus(b, c.q, q)
		y := b.Load("y", at.buf, at.base)
		var products []loop.Atom
		for _, a := range as {
			x := b.Load("x", a.buf, a.plus(b, c.r, s.Index).base)
			products = append(products, b.Let("xy", loop.MulF, x, y))
			s.Reds = append(s.Reds, loop.Red{Op: loop.AddF, Init: loop.Real(0), Result: loop.NewVar("total", loop.F64)})
		}
		s.Body = b.Block(products...)
		out.Add(s)
		for k, to := range cs {
			at, total := to.plus(out, c.q, q).base, s.Reds[k].Result
			if c.stored {
				out.Store(to.buf, at, total)
			} else {
				out.Accum(to.buf, at, total)
			}
		}
	})
}

// lanesOver appends a parallel loop with lanes.
func lanesOver(out *loop.Builder, name string, count loop.Atom, body func(out *loop.Builder, i *loop.Var)) {
	out.Parallel(name, count, body)
	out.Stmts[len(out.Stmts)-1].(*loop.For).Lanes = true
}
