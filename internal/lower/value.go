package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// value is what a variable of the program stands for: *scalar, *product, *array, *closure,
// *text or *bottom; inside an array's Elem also *column.
type value interface{ isValue() }

type (
	// scalar is a Real, Int or Bool, or the tag of an enumeration.
	scalar struct{ atom loop.Atom }

	// product is a tuple, a record, a value of a data type with one constructor, or of one with
	// several: Note [Variants]; or one of several functions.
	product struct {
		parts []value
		cons  []int      // of a variant: the first of the parts that are fields of each constructor
		table *table     // of recursive data, whose one part is an index: Note [Recursive data]
		funs  *functions // that it is one of: Note [Functions chosen at run time]
	}

	// array has n elements. Elem is any one of them: where an element has scalars, it
	// has columns, with a step for each of the arrays around them.
	array struct {
		n    loop.Atom
		elem value
		lit  []value   // the elements, where the program writes them
		was  *replaced // what it was before an update, or nil
		idle bool      // it is a field of a constructor that the value does not have, so that nothing reads it

		loose *loose // if its length is a state of a loop: Note [Lengths that change]
	}

	// replaced says that an array is what another is, but for elements that are replaced one after
	// the other.
	replaced struct {
		of    *array
		edits []edit
	}

	// edit is an element that is replaced.
	edit struct {
		at loop.Atom
		by value
	}

	// column is where scalars lie. Under indices i, j … it is element base + i*steps[0] +
	// j*steps[1] + … of a buffer. Without steps it is the address of one scalar.
	column struct {
		kind  loop.Kind // of the scalars
		buf   *loop.Var
		base  loop.Atom
		steps []loop.Atom
		total *total // that the scalars are added to, or nil: Note [Totals]
	}

	// closure is a function applied to fewer arguments than it has parameters.
	closure struct {
		fun  *core.Lambda
		env  *env
		args []value
		def  *core.Def    // that it is, or nil
		rec  *core.LetRec // that binds it, or nil: its variables are bound in env
	}

	// text is a String. Only messages have them, and they are not computed.
	text struct{}

	// bottom is the value of what has failed.
	bottom struct{ ty types.Type }
)

func (*scalar) isValue()  {}
func (*product) isValue() {}
func (*array) isValue()   {}
func (*column) isValue()  {}
func (*closure) isValue() {}
func (*text) isValue()    {}
func (*bottom) isValue()  {}

var unit = &product{}

// fresh is a product of as many parts, which are to be filled in.
func (p *product) fresh() *product {
	return &product{parts: make([]value, len(p.parts)), cons: p.cons, table: p.table, funs: p.funs}
}

func boolean(a loop.Atom) value { return &scalar{a} }

// Shape is what a first-order type is made of.
type Shape struct {
	Kind  ShapeKind
	Parts []*Shape // of a product or a variant; of an array its one element, of recursive data a row of its table

	data *types.Data // that recursive data is
	Cons []int       // of a variant: the first of the parts that are fields of each constructor
}

// ShapeKind tells shapes apart.
type ShapeKind uint8

// The kinds of shape. A Real, an Int and a Bool are a parameter each. A product is its parts. An
// array is a parameter for its length and then the parts of its element, where a scalar is a
// buffer: with the elements of the innermost array next to each other, and those of the outermost
// furthest apart. A variant is a product, of its tag and the fields of all constructors. Recursive
// data is an index, followed by the length and the columns of its table, an array of variants;
// inside of the table it is an index only.
const (
	RealShape ShapeKind = iota
	IntShape
	BoolShape
	ProductShape
	ArrayShape
	VariantShape
	NodeShape
	InnerNodeShape
)

// ShapeOf gives the shape of a type, or nil for one that has none: functions,
// texts, and data with several constructors that have fields, or that contains itself.
func ShapeOf(t types.Type) *Shape {
	if hasVariants(t) {
		return nil
	}
	return DataShapeOf(t)
}

// DataShapeOf is ShapeOf also for data with several constructors that have fields, and for
// recursive data. Callers of loop form that take apart such data may ask for it.
func DataShapeOf(t types.Type) *Shape { return shapeOf(t, nil) }

// shapeOf is the shape of a type inside of the tables of recursive data.
func shapeOf(t types.Type, inside []*types.Data) *Shape {
	parts := func(ts []types.Type, inside []*types.Data) *Shape {
		s := &Shape{Kind: ProductShape}
		for _, t := range ts {
			part := shapeOf(t, inside)
			if part == nil {
				return nil
			}
			s.Parts = append(s.Parts, part)
		}
		return s
	}
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		switch t {
		case types.Real:
			return &Shape{Kind: RealShape}
		case types.Int:
			return &Shape{Kind: IntShape}
		case types.Bool:
			return &Shape{Kind: BoolShape}
		}
	case *types.Tuple, *types.Record:
		return parts(types.Parts(t), inside)
	case *types.Array:
		if elem := shapeOf(t.Elem, inside); elem != nil {
			return &Shape{Kind: ArrayShape, Parts: []*Shape{elem}}
		}
	case *types.Data:
		if isEnumeration(t) {
			return &Shape{Kind: IntShape}
		}
		if t.Decl.Recursive() {
			return nodeShape(t, inside)
		}
		if len(t.Decl.Cons) > 1 {
			return variantShape(t, parts(allFields(t), inside))
		}
		return parts(allFields(t), inside)
	}
	return nil
}

// isEnumeration tells whether a data type has several constructors, none of them with fields.
func isEnumeration(t *types.Data) bool { return len(t.Decl.Cons) > 1 && t.Decl.Enumeration() }

func (k ShapeKind) scalar() loop.Kind {
	switch k {
	case RealShape:
		return loop.F64
	case IntShape:
		return loop.I64
	}
	return loop.Bool
}

// param makes the parameters for an argument of a type.
func (l *lowerer) param(name string, t types.Type) value {
	s := l.argShape(t)
	if s == nil {
		l.fail("an argument of type %s", types.Show(t))
	}
	return l.paramOf(name, s)
}

// argShape is the shape that an argument of the whole function may have.
func (l *lowerer) argShape(t types.Type) *Shape {
	if l.source.Data {
		return DataShapeOf(t)
	}
	return ShapeOf(t)
}

func (l *lowerer) paramOf(name string, s *Shape) value {
	return l.shaped(s, nil, func(k loop.Kind) *loop.Var {
		v := l.fresh(name, k)
		l.bindAt(v, 0)
		l.params = append(l.params, v)
		return v
	})
}

// shaped is a value of a shape, in arrays of the given lengths, whose parts are new variables.
func (l *lowerer) shaped(s *Shape, dims []loop.Atom, make func(k loop.Kind) *loop.Var) value {
	return (&shaping{l: l, make: make}).value(s, dims)
}

// shaping makes values whose parts are new variables.
type shaping struct {
	l    *lowerer
	make func(k loop.Kind) *loop.Var
	of   func(*types.Data) *table // the table of recursive data; nil if it is made too
	in   *table                   // whose rows are being made
}

func (sh *shaping) value(s *Shape, dims []loop.Atom) value {
	l := sh.l
	switch s.Kind {
	case ProductShape, VariantShape:
		p := &product{cons: s.Cons}
		for _, part := range s.Parts {
			p.parts = append(p.parts, sh.value(part, dims))
		}
		return p
	case ArrayShape:
		n := sh.make(loop.I64)
		l.spans.Set(n, &natural)
		return &array{n: n, elem: sh.value(s.Parts[0], also(dims, n))}
	case NodeShape:
		at := sh.value(indexShape, dims)
		if sh.of != nil {
			return &product{parts: []value{at}, table: sh.of(s.data)}
		}
		t := &table{data: s.data}
		rows := &shaping{l: l, make: sh.make, in: t}
		t.rows = rows.value(&Shape{Kind: ArrayShape, Parts: s.Parts}, nil).(*array)
		return &product{parts: []value{at}, table: t}
	case InnerNodeShape:
		return &product{parts: []value{sh.value(indexShape, dims)}, table: sh.in}
	}
	k := s.Kind.scalar()
	if len(dims) == 0 {
		return &scalar{sh.make(k)}
	}
	buf := sh.make(bufferOf(k))
	l.sizes[buf] = l.size(dims)
	return &column{k, buf, loop.Int(0), l.rowMajor(dims), nil}
}

func bufferOf(k loop.Kind) loop.Kind {
	if k == loop.F64 {
		return loop.F64s
	}
	return loop.I64s
}

// rowMajor gives the steps of a column that lies densely.
func (e *emitter) rowMajor(dims []loop.Atom) []loop.Atom {
	steps := make([]loop.Atom, len(dims))
	step := loop.Atom(loop.Int(1))
	for i := len(dims) - 1; i >= 0; i-- {
		steps[i] = step
		if i > 0 {
			step = e.times(step, dims[i])
		}
	}
	return steps
}

// parts gives what a value is made of, in the order of Shape; its columns are owned.
func (l *lowerer) parts(v value) []loop.Atom {
	switch v := v.(type) {
	case *scalar:
		return []loop.Atom{v.atom}
	case *column:
		v.free()
		return []loop.Atom{v.buf}
	case *pending:
		panic(notTotal{})
	case *product:
		var all []loop.Atom
		for _, p := range v.parts {
			all = append(all, l.parts(p)...)
		}
		return all
	case *array:
		return append([]loop.Atom{v.n}, l.parts(v.elem)...)
	}
	l.failWith(textHint, "a function or a text in a value")
	return nil
}

// mapLeaves rebuilds a value. Leaves are scalars and columns, dims the lengths of the arrays
// around one.
func mapLeaves(v value, dims []loop.Atom, f func(leaf value, dims []loop.Atom) value) value {
	switch v := v.(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = mapLeaves(part, dims, f)
		}
		return p
	case *array:
		return &array{n: v.n, elem: mapLeaves(v.elem, also(dims, v.n), f)}
	}
	return f(v, dims)
}

// kindOf is the kind of the scalars that a leaf is.
func kindOf(leaf value) loop.Kind {
	switch v := leaf.(type) {
	case *scalar:
		return v.atom.AtomKind()
	case *column:
		return v.kind
	}
	return loop.F64
}

// locate is an element of an array, as an address where it is a scalar.
func (l *lowerer) locate(a *array, i loop.Atom) value {
	return mapLeaves(a.elem, nil, func(leaf value, _ []loop.Atom) value {
		c, ok := leaf.(*column)
		if !ok {
			return leaf
		}
		return &column{c.kind, c.buf, l.plus(l.times(i, c.steps[0]), c.base), c.steps[1:], c.total}
	})
}

// loaded reads what is an address.
func (l *lowerer) loaded(v value) value {
	return mapLeaves(v, nil, func(leaf value, _ []loop.Atom) value {
		if c, ok := leaf.(*column); ok && len(c.steps) == 0 {
			if c.total != nil {
				return &pending{total: c.total, at: c.base}
			}
			return &scalar{l.load(c.kind, c.buf, c.base)}
		}
		return leaf
	})
}

// element is an element of an array, at an index that has been checked. One that is known to be
// outside is in code that ends at its check.
func (l *lowerer) element(a *array, i loop.Atom) value {
	if c, ok := i.(*loop.Const); ok && 0 <= c.I && c.I < int64(len(a.lit)) {
		return a.lit[c.I]
	}
	return l.loaded(l.locate(a, i))
}

// plain is the atom of a scalar.
func (l *lowerer) plain(v value) loop.Atom {
	switch v := l.defined(v).(type) {
	case *scalar:
		return v.atom
	case *pending:
		panic(notTotal{})
	}
	l.failWith(textHint, "a function or a text")
	return nil
}

// slice is n elements of an array from one on.
func (l *lowerer) slice(a *array, from, n loop.Atom) *array {
	return &array{n: n, elem: mapLeaves(a.elem, nil, func(leaf value, _ []loop.Atom) value {
		c, ok := leaf.(*column)
		if !ok {
			return leaf
		}
		return &column{c.kind, c.buf, l.plus(l.times(from, c.steps[0]), c.base), c.steps, c.total}
	})}
}

// room makes buffers, with uninitialised elements, for arrays of the given lengths whose elements
// are like a value.
func (l *lowerer) room(dims []loop.Atom, like value) value {
	return mapLeaves(like, dims, func(leaf value, dims []loop.Atom) value {
		switch leaf := leaf.(type) {
		case *scalar:
		case *column:
			leaf.free()
		case *pending:
			panic(notTotal{})
		case *text:
			return leaf
		default:
			l.fail("an array of values that are not known")
		}
		k := kindOf(leaf)
		return &column{k, l.alloc("xs", k, l.size(dims), false), loop.Int(0), l.rowMajor(dims), nil}
	})
}

// newArray makes room for n elements that are like a value.
func (l *lowerer) newArray(n loop.Atom, like value) *array {
	return &array{n: n, elem: l.room([]loop.Atom{n}, like)}
}

// put writes a value to where it belongs.
func (l *lowerer) put(to, from value) {
	switch to := to.(type) {
	case *product:
		from := l.matching(to, from)
		for i, part := range from.parts {
			l.put(to.parts[i], part)
		}
	case *column:
		l.add(&loop.Store{Buf: to.buf, At: to.base, Value: l.word(l.plain(from))})
	case *array:
		from := from.(*array)
		l.equalLengths(from.n, to.n)
		l.parallel(to.n, func(i *loop.Var) { l.put(l.locate(to, i), l.element(from, i)) })
	}
}

// dense tells whether columns lie row by row without gaps.
func (l *lowerer) dense(c *column, dims []loop.Atom) bool {
	for i, step := range l.rowMajor(dims) {
		if !l.same(step, c.steps[i]) {
			return false
		}
	}
	return true
}

// owned is a value each of whose columns is all of a buffer, row by row.
func (l *lowerer) owned(v value) value {
	return l.compact(v, func(c *column, dims []loop.Atom) bool {
		return isInt(c.base, 0) && l.fills(c, dims) && l.dense(c, dims)
	})
}

// compact copies the arrays that have a column which is not fit.
func (l *lowerer) compact(v value, fit func(c *column, dims []loop.Atom) bool) value {
	v = l.defined(v)
	switch v := v.(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = l.compact(part, fit)
		}
		return p
	case *array:
		all := true
		mapLeaves(v, nil, func(leaf value, dims []loop.Atom) value {
			if c, ok := leaf.(*column); ok {
				all = all && (c.total != nil || fit(c, dims))
			}
			return leaf
		})
		if all {
			return v
		}
		copied := l.newArray(v.n, v.elem)
		l.parallel(v.n, func(i *loop.Var) { l.put(l.locate(copied, i), l.element(v, i)) })
		return copied
	}
	return v
}

// defined is a value that is not bottom: what has failed is 0, false or empty.
func (l *lowerer) defined(v value) value {
	b, ok := v.(*bottom)
	if !ok {
		return v
	}
	s := DataShapeOf(b.ty)
	if s == nil {
		return &text{}
	}
	return l.zero(s, nil)
}

// zero is a value of a shape with zeroes and arrays without elements.
func (l *lowerer) zero(s *Shape, dims []loop.Atom) value {
	switch s.Kind {
	case ProductShape, VariantShape:
		p := &product{cons: s.Cons}
		for _, part := range s.Parts {
			p.parts = append(p.parts, l.zero(part, dims))
		}
		return p
	case NodeShape:
		return &product{parts: []value{l.zero(indexShape, dims)}, table: nowhere}
	case ArrayShape:
		n := loop.Int(0)
		return &array{n: n, elem: l.zero(s.Parts[0], also(dims, n))}
	}
	k := s.Kind.scalar()
	if len(dims) > 0 {
		return &column{k, l.alloc("none", k, loop.Int(0), false), loop.Int(0), l.rowMajor(dims), nil}
	}
	return &scalar{loop.Literal(k, 0)}
}

// move is put for a value that nothing uses after it.
func (l *lowerer) move(to, from value) {
	switch to := to.(type) {
	case *product:
		from := l.matching(to, from)
		for i, part := range from.parts {
			l.move(to.parts[i], part)
		}
		return
	case *array:
		from := from.(*array)
		l.equalLengths(from.n, to.n)
		if l.redirect(to, from) {
			return
		}
	}
	l.put(to, from)
}

// distinct tells whether no two parts of a value are in the same buffer.
func distinct(v value) bool {
	seen, once := map[*loop.Var]bool{}, true
	mapLeaves(v, nil, func(leaf value, _ []loop.Atom) value {
		if c, ok := leaf.(*column); ok {
			once = once && !seen[c.buf]
			seen[c.buf] = true
		}
		return leaf
	})
	return once
}

// redirect writes an array directly to where it is put, if it was made in the current block, row by
// row, and nothing has read it: its stores then go to the other place, and its buffers are not
// made.
func (l *lowerer) redirect(to, from *array) bool {
	var pairs [][2]*column
	ok := true
	var match func(a, b value, dims []loop.Atom)
	match = func(a, b value, dims []loop.Atom) {
		switch a := a.(type) {
		case *product:
			l.sameTable(a, b.(*product))
			for i := range a.parts {
				match(a.parts[i], b.(*product).parts[i], dims)
			}
		case *array:
			inner := b.(*array)
			ok = ok && l.same(a.n, inner.n)
			match(a.elem, inner.elem, also(dims, a.n))
		case *column:
			c := b.(*column)
			c.free()
			ok = ok && isInt(c.base, 0) && l.dense(a, dims) && l.dense(c, dims)
			pairs = append(pairs, [2]*column{a, c})
		}
	}
	match(to, from, nil)
	if !ok {
		return false
	}
	for _, p := range pairs {
		if l.depth(p[0].buf) >= len(l.open)-1 || !l.early(p[0].base) || !l.onlyStored(p[1].buf) {
			return false
		}
	}
	for _, p := range pairs {
		l.retarget(p[1].buf, p[0])
	}
	return true
}

// onlyStored tells whether a buffer is made in the current block and only ever written by Store.
func (l *lowerer) onlyStored(buf *loop.Var) bool {
	made, only := false, true
	for _, s := range l.scope().Stmts {
		if a, ok := s.(*loop.Alloc); ok && a.Var == buf {
			made = true
		}
	}
	if !made {
		return false
	}
	block := &loop.Block{Stmts: l.scope().Stmts}
	loop.Walk(block, func(s loop.Stmt) {
		if _, store := s.(*loop.Store); !store {
			loop.Uses(s, func(a loop.Atom) { only = only && a != loop.Atom(buf) })
		}
		loop.Blocks(s, func(b *loop.Block) {
			for _, a := range b.Yield {
				only = only && a != loop.Atom(buf)
			}
		})
	})
	return only
}

// retarget replaces a buffer made in the current block by a place in another, which is
// computed where the buffer was made.
func (l *lowerer) retarget(buf *loop.Var, to *column) {
	stmts := l.scope().Stmts
	for k, s := range stmts {
		if a, ok := s.(*loop.Alloc); ok && a.Var == buf {
			var address loop.Builder
			base := l.recomputed(&address, to.base)
			rest := l.shiftStores(&loop.Block{Stmts: stmts[k+1:]}, buf, to.buf, base)
			l.scope().Stmts = append(append(stmts[:k:k], address.Stmts...), rest.Stmts...)
			return
		}
	}
}

// early tells whether an integer can be computed at the start of the current block.
func (l *lowerer) early(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	if !ok || l.depth(v) < len(l.open)-1 || l.given[v] {
		return true
	}
	def := l.defs.Get(v)
	return def != nil && !slices.ContainsFunc(def.Args, func(a loop.Atom) bool { return !l.early(a) })
}

// recomputed emits an address that is known in the current block anew.
func (l *lowerer) recomputed(b *loop.Builder, a loop.Atom) loop.Atom {
	v, ok := a.(*loop.Var)
	if !ok || l.depth(v) < len(l.open)-1 {
		return a
	}
	def := l.defs.Get(v)
	if def == nil {
		return a // given
	}
	args := make([]loop.Atom, len(def.Args))
	for i, a := range def.Args {
		args[i] = l.recomputed(b, a)
	}
	w := b.Let(v.Name, def.Op, args...)
	if w, ok := w.(*loop.Var); ok {
		l.bindAt(w, len(l.open)-1)
	}
	return w
}

// shiftStores is a block in which the stores of a buffer are those of another, from a place on.
func (l *lowerer) shiftStores(b *loop.Block, from, to *loop.Var, base loop.Atom) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		store, ok := s.(*loop.Store)
		if !ok || store.Buf != from {
			out.Add(loop.MapBlocks(s, func(inner *loop.Block) *loop.Block { return l.shiftStores(inner, from, to, base) }))
			continue
		}
		at := store.At
		switch {
		case isInt(base, 0):
		case isInt(at, 0):
			at = base
		default:
			at = out.Let("a", loop.AddI, at, base)
		}
		out.Store(to, at, store.Value)
	}
	return out.Rebuilt(b, b.Yield)
}
