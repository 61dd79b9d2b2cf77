package marshal

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

// Note [Tables of nodes]
//
// Recursive data is a table of nodes in the loop form (Note [Recursive data] of package lower). The
// nodes that are reached from an argument are numbered in the order in which they are met, each
// once however many others refer to it, and the table has a row for each. The nodes that are left
// to look at are in a list, so that data may be as deep as memory allows.
//
// Numbering a node takes about as long as the interpreter takes to visit it. A program that asks
// for one element of a large tree, then changes the tree and asks again, must not pay for all of
// the tree each time. So numbering takes at most a quarter of the time that the interpreter has
// taken so far; what would exceed it is left to the interpreter. The tables of the last few
// arguments are kept, and those of an array are kept with the array (Note [Flat arrays]).

const (
	nodeWork  = 20      // what it takes to number a node, in units of about 5 ns
	freeNodes = 100_000 // how many may be numbered in any case
	nodeSize  = 48      // bytes for the number of a node, besides its row
)

// NodesLeft is how many nodes may still be numbered in a run that has done so much work, in units
// of about 5 ns, has numbered so many nodes, and has so many bytes left.
func NodesLeft(work, numbered, bytes int64) int {
	return int(min(freeNodes+work/(4*nodeWork)-numbered, bytes/(2*nodeSize)))
}

// Tables are the last tables of nodes, besides those of arrays.
type Tables [4]keptTable

// keptTable is the arguments that data was made into.
type keptTable struct {
	root  object.Ref
	shape *lower.Shape
	args  []loop.Arg
	plain bool // no real is boxed
}

// numbering is nodes with their numbers.
type numbering struct {
	row   *lower.Shape
	fixed []int64 // the numbers of constructors without fields, by their tags; -1 for others
	order []object.Ref
	roots []int64 // the numbers of the nodes that were asked for

	// chains tells that each node refers to at most one other, and no two to the same: its number
	// is the next.
	chains bool
	cells  map[*object.Cell]int64
	nodes  map[*object.Node]int64
}

// newNumbering numbers the constructors without fields.
func newNumbering(row *lower.Shape) *numbering {
	n := &numbering{row: row}
	for tag := range row.Cons {
		k := int64(-1)
		if len(fieldsOf(row, tag)) == 0 {
			k = int64(len(n.order))
			n.order = append(n.order, &object.Cell{Tag: tag})
		}
		n.fixed = append(n.fixed, k)
	}
	return n
}

// nodes numbers nodes and those that are reached from them; false if these are too many.
func (m *Writer) nodes(row *lower.Shape, roots []object.Ref) (*numbering, bool) {
	n := newNumbering(row)
	ok := n.chainsOf(roots, m.Left) || n.graph(roots, m.Left)
	if !ok {
		m.Left = 0
		return nil, false
	}
	m.Left -= len(n.order)
	if len(n.order) == 0 {
		n.order = append(n.order, nil)
	}
	return n, true
}

// known is the number of a node that needs none of its own: of one without fields, or of none.
func (n *numbering) known(r object.Ref) (int64, bool) {
	if r == nil {
		return 0, true
	}
	k := n.fixed[tagOf(r)]
	return k, k >= 0
}

// chainsOf numbers lists of nodes of which no two have a node in common. Two lists that do end in
// the same node.
func (n *numbering) chainsOf(roots []object.Ref, most int) bool {
	next := make([]int, len(n.row.Cons)) // the reference to the next node, -1 for none
	for tag := range next {
		next[tag] = -1
		at := 0
		for _, part := range fieldsOf(n.row, tag) {
			if part.Kind == lower.InnerNodeShape && next[tag] < 0 {
				next[tag] = at
			} else if mentionsInner(part) {
				return false
			}
			at += slotCount(part).P
		}
	}
	fixed := len(n.order)
	ends := map[object.Ref]bool{}
	for _, r := range roots {
		k, known := n.known(r)
		if known {
			n.roots = append(n.roots, k)
			continue
		}
		n.roots = append(n.roots, int64(len(n.order)))
		for !known {
			if len(n.order) > most {
				n.order, n.roots = n.order[:fixed], nil
				return false
			}
			n.order = append(n.order, r)
			slot := next[tagOf(r)]
			if slot < 0 {
				break
			}
			r = refOf(r, slot)
			_, known = n.known(r)
		}
		end := n.order[len(n.order)-1]
		if ends[end] {
			n.order, n.roots = n.order[:fixed], nil
			return false
		}
		ends[end] = true
	}
	n.chains = true
	return true
}

// mentionsInner tells whether there are nodes of the same table in a value.
func mentionsInner(s *lower.Shape) bool {
	return s.Kind == lower.InnerNodeShape || s.Kind != lower.NodeShape &&
		slices.ContainsFunc(s.Parts, mentionsInner)
}

// graph numbers any nodes, each once.
func (n *numbering) graph(roots []object.Ref, most int) bool {
	n.cells, n.nodes = map[*object.Cell]int64{}, map[*object.Node]int64{}
	for _, r := range roots {
		n.roots = append(n.roots, n.number(r))
	}
	for k := 0; k < len(n.order); k++ {
		if k > most {
			return false
		}
		n.children(n.row, n.order[k])
	}
	return true
}

// number gives a node its number.
func (n *numbering) number(r object.Ref) int64 {
	k, ok := n.known(r)
	if ok {
		return k
	}
	k = int64(len(n.order))
	switch r := r.(type) {
	case *object.Cell:
		if k, ok := n.cells[r]; ok {
			return k
		}
		n.cells[r] = k
	case *object.Node:
		if k, ok := n.nodes[r]; ok {
			return k
		}
		n.nodes[r] = k
	}
	n.order = append(n.order, r)
	return k
}

// numbers are those of nodes that the rows refer to, one from each row.
func (n *numbering) numbers(all []object.Ref) []int64 {
	numbers := make([]int64, len(all))
	for j, r := range all {
		k, ok := n.known(r)
		switch {
		case ok:
		case n.chains:
			k = int64(j) + 1
		default:
			k = n.number(r)
		}
		numbers[j] = k
	}
	return numbers
}

// children numbers the nodes that a variant refers to.
func (n *numbering) children(s *lower.Shape, r object.Ref) {
	if r == nil {
		return
	}
	at := 0
	for _, part := range fieldsOf(s, tagOf(r)) {
		n.slots(part, r, &at)
	}
}

// slots numbers the nodes among the references of a variant from one on.
func (n *numbering) slots(s *lower.Shape, r object.Ref, at *int) {
	switch s.Kind {
	case lower.ProductShape:
		for _, part := range s.Parts {
			n.slots(part, r, at)
		}
	case lower.InnerNodeShape:
		n.number(refOf(r, *at))
		*at++
	case lower.VariantShape:
		n.children(s, refOf(r, *at))
		*at++
	case lower.ArrayShape, lower.NodeShape:
		*at++
	}
}

// fieldsOf are the shapes of the fields of a variant's constructor.
func fieldsOf(s *lower.Shape, tag int) []*lower.Shape {
	if tag+1 < len(s.Cons) {
		return s.Parts[s.Cons[tag]:s.Cons[tag+1]]
	}
	return s.Parts[s.Cons[tag]:]
}

// slotCount is what a value of a shape is made of in the interpreter.
func slotCount(s *lower.Shape) layout.Shape {
	switch s.Kind {
	case lower.RealShape:
		return layout.Shape{F: 1}
	case lower.IntShape, lower.BoolShape:
		return layout.Shape{I: 1}
	case lower.ProductShape:
		return slotCounts(s.Parts)
	}
	return layout.Shape{P: 1}
}

func slotCounts(all []*lower.Shape) layout.Shape {
	var sum layout.Shape
	for _, s := range all {
		c := slotCount(s)
		sum = sum.Plus(c)
	}
	return sum
}

func tagOf(r object.Ref) int {
	switch r := r.(type) {
	case *object.Cell:
		return r.Tag
	case *object.Node:
		return r.Tag
	}
	return 0
}

func refOf(r object.Ref, k int) object.Ref {
	if c, ok := r.(*object.Cell); ok {
		return c.P
	}
	return r.(*object.Node).Ref(k)
}

func wordOf(r object.Ref, k int) uint64 {
	if c, ok := r.(*object.Cell); ok {
		return c.W
	}
	return uint64(r.(*object.Node).Word(k))
}

// variants are data values as an array of their tags and of the fields of all constructors. The
// fields that a value does not have are zeros, and references to nothing.
func variants(s *lower.Shape, all []object.Ref) *object.Table {
	t := blank(slotCounts(s.Parts), len(all))
	starts := make([]layout.Shape, len(s.Cons))
	kinds := make([]layout.Layout, len(s.Cons))
	for tag := range s.Cons {
		starts[tag] = slotCounts(s.Parts[:s.Cons[tag]])
		kinds[tag] = layoutOf(fieldsOf(s, tag), nil)
	}
	for j, r := range all {
		if r == nil {
			continue
		}
		tag := tagOf(r)
		t.I[0][j] = int64(tag)
		at := starts[tag]
		words, ptrs := 0, 0
		for _, k := range kinds[tag] {
			column := at.Next(k)
			switch k {
			case layout.F:
				t.F[column][j] = math.Float64frombits(wordOf(r, words))
				words++
			case layout.I:
				t.I[column][j] = int64(wordOf(r, words))
				words++
			case layout.P:
				t.P[column][j] = refOf(r, ptrs)
				ptrs++
			}
		}
	}
	return t
}

// layoutOf appends the layout of values of the given shapes.
func layoutOf(all []*lower.Shape, to layout.Layout) layout.Layout {
	for _, s := range all {
		switch s.Kind {
		case lower.RealShape:
			to = append(to, layout.F)
		case lower.IntShape, lower.BoolShape:
			to = append(to, layout.I)
		case lower.ProductShape:
			to = layoutOf(s.Parts, to)
		default:
			to = append(to, layout.P)
		}
	}
	return to
}

// blank is an array of zeros and references to nothing.
func blank(s layout.Shape, n int) *object.Table {
	t := &object.Table{N: n}
	for range s.F {
		t.F = append(t.F, make([]float64, n))
	}
	for range s.I {
		t.I = append(t.I, make([]int64, n))
	}
	for range s.P {
		t.P = append(t.P, make([]object.Ref, n))
	}
	return t
}

// variant adds a data value with several constructors.
func (m *Writer) variant(s *lower.Shape, r object.Ref) bool {
	t := variants(s, []object.Ref{r})
	from := m.From
	m.From = object.Slots{}
	for _, c := range t.F {
		m.From.F = append(m.From.F, c[0])
	}
	for _, c := range t.I {
		m.From.I = append(m.From.I, c[0])
	}
	for _, c := range t.P {
		m.From.P = append(m.From.P, c[0])
	}
	ok := m.Values(s.Parts)
	m.From = from
	return ok
}

// node adds a value of recursive data, in the form that was kept if there is one.
func (m *Writer) node(s *lower.Shape, r object.Ref) bool {
	if m.Kept != nil {
		for _, k := range m.Kept {
			if k.root == r && r != nil && s.SameData(k.shape) && (k.plain || !m.Taped) {
				m.Args = append(m.Args, k.args...)
				return true
			}
		}
	}
	first := len(m.Args)
	n, ok := m.nodes(s.Parts[0], []object.Ref{r})
	if !ok {
		return false
	}
	m.Args = append(m.Args, loop.Arg{Word: uint64(n.roots[0])})
	if !m.rows(n) {
		return false
	}
	if m.Kept != nil {
		copy(m.Kept[1:], m.Kept[:])
		m.Kept[0] = keptTable{r, s, m.Args[first:len(m.Args):len(m.Args)], m.Taped}
	}
	return true
}

// nodeColumn adds a column of recursive data.
func (m *Writer) nodeColumn(s *lower.Shape, roots []object.Ref) bool {
	n, ok := m.nodes(s.Parts[0], roots)
	if !ok {
		return false
	}
	m.Args = append(m.Args, loop.Arg{I: n.roots})
	return m.rows(n)
}

// rows adds the table of numbered nodes.
func (m *Writer) rows(n *numbering) bool {
	outer := m.inner
	m.inner = n
	ok := m.arrays(n.row, []object.Ref{&object.Refs{V: n.order}})
	m.inner = outer
	return ok
}

// variant makes a data value of its tag and the fields of all constructors.
func (u *Reader) variant(s *lower.Shape) object.Ref {
	tag := int(u.next().Word)
	into := u.Into
	var chosen object.Slots
	for c := range s.Cons {
		u.Into = object.Slots{}
		for _, part := range fieldsOf(s, c) {
			u.Value(part)
		}
		if c == tag {
			chosen = u.Into
		}
	}
	u.Into = into
	return u.object(s, tag, chosen)
}

// variants adds a column of data values to arrays of n elements.
func (u *Reader) variants(s *lower.Shape, tables []object.Table, n int) {
	tags := u.next().I
	fields := make([][]object.Table, len(s.Cons))
	for c := range s.Cons {
		fields[c] = make([]object.Table, len(tables))
		for _, part := range fieldsOf(s, c) {
			u.columns(part, fields[c], n)
		}
	}
	for k := range tables {
		column := make([]object.Ref, n)
		for j := range column {
			tag := int(tags[k*n+j])
			var from object.Slots
			own := &fields[tag][k]
			for _, c := range own.F {
				from.F = append(from.F, c[j])
			}
			for _, c := range own.I {
				from.I = append(from.I, c[j])
			}
			for _, c := range own.P {
				from.P = append(from.P, c[j])
			}
			column[j] = u.object(s, tag, from)
		}
		tables[k].P = append(tables[k].P, column)
	}
}

// object is a data value of the fields of its constructor.
func (u *Reader) object(s *lower.Shape, tag int, from object.Slots) object.Ref {
	form := layout.Cell
	for c := range s.Cons {
		if !slotCounts(fieldsOf(s, c)).FitsCell() {
			form = layout.Node
		}
	}
	kinds := layoutOf(fieldsOf(s, tag), nil)
	word := func(k layout.Kind) uint64 {
		if k == layout.F {
			return math.Float64bits(from.Real())
		}
		return uint64(from.Int())
	}
	if form == layout.Cell {
		u.Bytes += object.CellBytes
		c := &object.Cell{Tag: tag}
		for _, k := range kinds {
			if k == layout.P {
				c.P = from.Ref()
			} else {
				c.W = word(k)
			}
		}
		return c
	}
	o := &object.Node{Tag: tag}
	size := kinds.Shape()
	o.Grow(size.F+size.I, size.P)
	u.Bytes += object.NodeBytes + object.PayloadBytes(size.F+size.I, size.P)
	words, ptrs := 0, 0
	for _, k := range kinds {
		if k == layout.P {
			o.SetRef(ptrs, from.Ref())
			ptrs++
		} else {
			o.SetWord(words, word(k))
			words++
		}
	}
	return o
}
