package interp

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

// Note [Tables of nodes]
//
// Recursive data is a table of nodes in the loop form (Note [Recursive data] of package lower). The nodes that are reached from an
// argument are numbered in the order in which they are met, each once however many others refer to it, and the table has a row for
// each. The nodes that are left to look at are in a list, so that data may be as deep as memory allows.
//
// Numbering a node takes about as long as the interpreter takes to visit it. A program that asks for one element of a large tree,
// then changes the tree and asks again, must not pay for all of the tree each time. So numbering takes at most a quarter of the
// time that the interpreter has taken so far; what would exceed it is left to the interpreter. The tables of the last
// few arguments are kept, and those of an array are kept with the array (Note [Flat arrays]).

const (
	nodeWork  = 20      // what it takes to number a node, in the units of fuelWork
	freeNodes = 100_000 // how many may be numbered in any case
	nodeSize  = 48      // bytes for the number of a node, besides its row
)

// nodesLeft is how many nodes the run may still number.
func (m *Machine) nodesLeft() int {
	most := freeNodes + m.work()*fuelWork/(4*nodeWork)
	return int(min(most-m.numbered, (m.memory-m.used)/(2*nodeSize)))
}

// keptTables is how many tables of nodes are kept besides those of arrays.
const keptTables = 4

// keptTable is the arguments that data was made into.
type keptTable struct {
	root  ref
	shape *lower.Shape
	args  []loop.Arg
	plain bool // no real is boxed
}

// numbering is nodes with their numbers.
type numbering struct {
	row   *lower.Shape
	fixed []int64 // the numbers of constructors without fields, by their tags; -1 for others
	order []ref
	roots []int64 // the numbers of the nodes that were asked for

	// chains tells that each node refers to at most one other, and no two to the same: its number is the next.
	chains bool
	cells  map[*cell]int64
	nodes  map[*node]int64
}

// newNumbering numbers the constructors without fields.
func newNumbering(row *lower.Shape) *numbering {
	n := &numbering{row: row}
	for tag := range row.Cons {
		k := int64(-1)
		if len(fieldsOf(row, tag)) == 0 {
			k = int64(len(n.order))
			n.order = append(n.order, &cell{tag: tag})
		}
		n.fixed = append(n.fixed, k)
	}
	return n
}

// nodes numbers nodes and those that are reached from them; false if these are too many.
func (m *marshaller) nodes(row *lower.Shape, roots []ref) (*numbering, bool) {
	n := newNumbering(row)
	ok := n.chainsOf(roots, m.left) || n.graph(roots, m.left)
	if !ok {
		m.left = 0
		return nil, false
	}
	m.left -= len(n.order)
	if len(n.order) == 0 {
		n.order = append(n.order, nil)
	}
	return n, true
}

// known is the number of a node that needs none of its own: of one without fields, or of none.
func (n *numbering) known(r ref) (int64, bool) {
	if r == nil {
		return 0, true
	}
	k := n.fixed[tagOf(r)]
	return k, k >= 0
}

// chainsOf numbers lists of nodes of which no two have a node in common. Two lists that do end in the same node.
func (n *numbering) chainsOf(roots []ref, most int) bool {
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
	ends := map[ref]bool{}
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
	return s.Kind == lower.InnerNodeShape || s.Kind != lower.NodeShape && slices.ContainsFunc(s.Parts, mentionsInner)
}

// graph numbers any nodes, each once.
func (n *numbering) graph(roots []ref, most int) bool {
	n.cells, n.nodes = map[*cell]int64{}, map[*node]int64{}
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
func (n *numbering) number(r ref) int64 {
	k, ok := n.known(r)
	if ok {
		return k
	}
	k = int64(len(n.order))
	switch r := r.(type) {
	case *cell:
		if k, ok := n.cells[r]; ok {
			return k
		}
		n.cells[r] = k
	case *node:
		if k, ok := n.nodes[r]; ok {
			return k
		}
		n.nodes[r] = k
	}
	n.order = append(n.order, r)
	return k
}

// numbers are those of nodes that the rows refer to, one from each row.
func (n *numbering) numbers(all []ref) []int64 {
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
func (n *numbering) children(s *lower.Shape, r ref) {
	if r == nil {
		return
	}
	at := 0
	for _, part := range fieldsOf(s, tagOf(r)) {
		n.slots(part, r, &at)
	}
}

// slots numbers the nodes among the references of a variant from one on.
func (n *numbering) slots(s *lower.Shape, r ref, at *int) {
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
		sum.F, sum.I, sum.P = sum.F+c.F, sum.I+c.I, sum.P+c.P
	}
	return sum
}

func tagOf(r ref) int {
	switch r := r.(type) {
	case *cell:
		return r.tag
	case *node:
		return r.tag
	}
	return 0
}

func refOf(r ref, k int) ref {
	if c, ok := r.(*cell); ok {
		return c.p
	}
	return r.(*node).ref(k)
}

func wordOf(r ref, k int) uint64 {
	if c, ok := r.(*cell); ok {
		return c.w
	}
	return uint64(r.(*node).word(k))
}

// variants are data values as an array of their tags and of the fields of all constructors. The fields that a value does not have
// are zeros, and references to nothing.
func variants(s *lower.Shape, all []ref) *table {
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
		t.i[0][j] = int64(tag)
		at := starts[tag]
		words, ptrs := 0, 0
		for _, k := range kinds[tag] {
			column := at.Next(k)
			switch k {
			case layout.F:
				t.f[column][j] = math.Float64frombits(wordOf(r, words))
				words++
			case layout.I:
				t.i[column][j] = int64(wordOf(r, words))
				words++
			case layout.P:
				t.p[column][j] = refOf(r, ptrs)
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
func blank(s layout.Shape, n int) *table {
	t := &table{n: n}
	for range s.F {
		t.f = append(t.f, make([]float64, n))
	}
	for range s.I {
		t.i = append(t.i, make([]int64, n))
	}
	for range s.P {
		t.p = append(t.p, make([]ref, n))
	}
	return t
}

// variant adds a data value with several constructors.
func (m *marshaller) variant(s *lower.Shape, r ref) bool {
	t := variants(s, []ref{r})
	from := m.from
	m.from = Slots{}
	for _, c := range t.f {
		m.from.f = append(m.from.f, c[0])
	}
	for _, c := range t.i {
		m.from.i = append(m.from.i, c[0])
	}
	for _, c := range t.p {
		m.from.p = append(m.from.p, c[0])
	}
	ok := m.values(s.Parts)
	m.from = from
	return ok
}

// node adds a value of recursive data, in the form that was kept if there is one.
func (m *marshaller) node(s *lower.Shape, r ref) bool {
	if m.kept != nil {
		for _, k := range m.kept {
			if k.root == r && r != nil && s.SameData(k.shape) && (k.plain || !m.taped) {
				m.args = append(m.args, k.args...)
				return true
			}
		}
	}
	first := len(m.args)
	n, ok := m.nodes(s.Parts[0], []ref{r})
	if !ok {
		return false
	}
	m.args = append(m.args, loop.Arg{Word: uint64(n.roots[0])})
	if !m.rows(n) {
		return false
	}
	if m.kept != nil {
		copy(m.kept[1:], m.kept[:keptTables-1])
		m.kept[0] = keptTable{r, s, m.args[first:len(m.args):len(m.args)], m.taped}
	}
	return true
}

// nodeColumn adds a column of recursive data.
func (m *marshaller) nodeColumn(s *lower.Shape, roots []ref) bool {
	n, ok := m.nodes(s.Parts[0], roots)
	if !ok {
		return false
	}
	m.args = append(m.args, loop.Arg{I: n.roots})
	return m.rows(n)
}

// rows adds the table of numbered nodes.
func (m *marshaller) rows(n *numbering) bool {
	outer := m.inner
	m.inner = n
	ok := m.arrays(n.row, []ref{&refs{v: n.order}})
	m.inner = outer
	return ok
}

// variant makes a data value of its tag and the fields of all constructors.
func (u *unmarshaller) variant(s *lower.Shape) ref {
	tag := int(u.next().Word)
	into := u.into
	var chosen Slots
	for c := range s.Cons {
		u.into = Slots{}
		for _, part := range fieldsOf(s, c) {
			u.value(part)
		}
		if c == tag {
			chosen = u.into
		}
	}
	u.into = into
	return u.object(s, tag, chosen)
}

// variants adds a column of data values to arrays of n elements.
func (u *unmarshaller) variants(s *lower.Shape, tables []table, n int) {
	tags := u.next().I
	fields := make([][]table, len(s.Cons))
	for c := range s.Cons {
		fields[c] = make([]table, len(tables))
		for _, part := range fieldsOf(s, c) {
			u.columns(part, fields[c], n)
		}
	}
	for k := range tables {
		column := make([]ref, n)
		for j := range column {
			tag := int(tags[k*n+j])
			var from Slots
			own := &fields[tag][k]
			for _, c := range own.f {
				from.f = append(from.f, c[j])
			}
			for _, c := range own.i {
				from.i = append(from.i, c[j])
			}
			for _, c := range own.p {
				from.p = append(from.p, c[j])
			}
			column[j] = u.object(s, tag, from)
		}
		tables[k].p = append(tables[k].p, column)
	}
}

// object is a data value of the fields of its constructor.
func (u *unmarshaller) object(s *lower.Shape, tag int, from Slots) ref {
	form := layout.Cell
	for c := range s.Cons {
		if !slotCounts(fieldsOf(s, c)).FitsCell() {
			form = layout.Node
		}
	}
	kinds := layoutOf(fieldsOf(s, tag), nil)
	word := func(k layout.Kind) uint64 {
		if k == layout.F {
			return math.Float64bits(from.real())
		}
		return uint64(from.int())
	}
	if form == layout.Cell {
		u.bytes += cellBytes
		c := &cell{tag: tag}
		for _, k := range kinds {
			if k == layout.P {
				c.p = from.ref()
			} else {
				c.w = word(k)
			}
		}
		return c
	}
	o := &node{tag: tag}
	size := kinds.Shape()
	o.grow(size.F+size.I, size.P)
	u.bytes += nodeBytes + payloadBytes(size.F+size.I, size.P)
	words, ptrs := 0, 0
	for _, k := range kinds {
		if k == layout.P {
			o.setRef(ptrs, from.ref())
			ptrs++
		} else {
			o.setWord(words, word(k))
			words++
		}
	}
	return o
}
