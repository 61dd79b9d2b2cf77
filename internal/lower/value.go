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
		// it is a field of a constructor that the value does not have, so that nothing reads it
		idle bool

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

// table is the nodes of recursive data.
type table struct {
	data *types.Data
	rows *array // of variants
}

// nowhere is the table of what belongs to every table: constructors without fields, and what has
// failed.
var nowhere = &table{}

// fewElements is how many elements an array that the program writes may have for a loop over it to
// be written out.
const fewElements = 8

// functions are those that a product is one of.
type functions struct {
	of []*alternative
	ty types.Type // of a function that has failed, which is none
}

// alternative is a function, but for what it captures and is applied to: those values are parts of
// the product.
type alternative struct {
	fun  *core.Lambda
	def  *core.Def
	rec  *core.LetRec
	vars []*core.Var // that it captures
	args int         // how many it is applied to
}

func (a *alternative) is(b *alternative) bool {
	return a.fun == b.fun && a.def == b.def && a.rec == b.rec && a.args == b.args &&
		slices.Equal(a.vars, b.vars)
}

func (a *alternative) size() int { return len(a.vars) + a.args }

// find is the index of an alternative, or -1.
func (f *functions) find(a *alternative) int { return slices.IndexFunc(f.of, a.is) }

// isFunction tells whether a value is a function.
func isFunction(v value) bool {
	switch v := v.(type) {
	case *closure:
		return true
	case *product:
		return v.funs != nil
	}
	return false
}

// total is a scalar, or all scalars of a column, that a loop only adds to.
type total struct {
	kind loop.Kind
	buf  *loop.Var // for a column
}

// pending is a total after some of a turn's contributions.
type pending struct {
	total *total
	op    *loop.Op  // that they are combined by, nil before the first
	by    loop.Atom // what they are combined to
	at    loop.Atom // for an element of a column: its address
}

func (*pending) isValue() {}

// notTotal is what lowering a body panics with.
type notTotal struct{}

// free makes sure that a column is not one of totals.
func (c *column) free() {
	if c.total != nil {
		panic(notTotal{})
	}
}

// loose says that the length of an array is a state of a loop.
type loose struct {
	room  *loop.Var // how many elements there is room for, if the array grows; else nil
	each  loop.Atom // how many are appended in a turn, at most, if the array grows
	depth int       // of the loop's body
	outer *loose    // of the same array in a loop around
}

// also appends to lengths that others share.
func also(dims []loop.Atom, n loop.Atom) []loop.Atom {
	return append(dims[:len(dims):len(dims)], n)
}

// fills tells whether a buffer has no more elements than the arrays in it.
func (l *lowerer) fills(c *column, dims []loop.Atom) bool {
	return l.sizes[c.buf] != nil && l.same(l.sizes[c.buf], l.size(dims))
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

// lengthOf is the length of a buffer.
func (l *lowerer) lengthOf(buf *loop.Var) loop.Atom {
	n := l.natural("n")
	l.add(&loop.Length{Var: n, Buf: buf})
	return n
}
