package interp

import (
	"math"
	"sort"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [The tape]
//
// The tape is the graph of the operations on boxed reals (Note [Boxes]), in
// the order of their execution: 24 bytes each, and one entry for an operation
// on whole arrays. It keeps what was done, not partial derivatives: a sweep
// computes those by the rules of the table of primitives, from the values of
// the parents.
//
// There is one tape for all the derivatives in progress, and no tags. A
// derivative puts fresh leaves at the end, runs its function and sweeps the
// part of the tape from its first leaf on; what lies before is constant to it.
// A sweep inside another derivative records its own arithmetic behind that
// part, in terms of the boxes of the nodes it visits; and a leaf has what it
// stands for as its parent. So the result of an inner derivative depends, on
// the tape, on all that it depends on in truth, derivatives nest to any depth,
// in either mode, and a sweep cannot confuse its leaves with those of another.

// tapeNode is an operation: its value, its parents (or the constants among
// its operands), and which derivatives in progress it depends on.
type tapeNode struct {
	v    float64
	c    float64 // the second operand: a constant, an integer's bits, or a handle's bits
	a    handle  // the first parent
	op   uint16  // the row's number, and its form
	mask levels
}

// tapeNodeBytes is what an operation costs on the tape.
const tapeNodeBytes = 24

// Nodes lie in chunks, so that a growing tape is never copied.
const chunkNodes = 1 << 13

type nodeChunk [chunkNodes]tapeNode

func (t *tape) node(h handle) *tapeNode { return &t.chunks[h/chunkNodes][h%chunkNodes] }

// form says which operands of a row with two reals are on the tape.
const (
	formBoth  uint16 = iota << 14 // both: c holds the second one's handle
	formLeft                      // the first: c is the second one
	formRight                     // the second, which is a: c is the first one
	formMask  uint16 = 3 << 14
)

// levels is a set of derivatives in progress, by their depth; the last bit
// stands for all the deeper ones.
type levels uint16

const deepest = levels(1 << 15)

func level(depth int) levels { return 1 << min(depth-1, 15) }

// tape is the record of the derivatives in progress.
type tape struct {
	m        *Machine
	rows     []*tapeRow // by their numbers
	sum      *tapeRow
	product  *tapeRow
	minus    *tapeRow
	over     *tapeRow
	negated  *tapeRow
	chunks   []*nodeChunk
	count    int // nodes; the one with handle 0 is none
	customs  []custom
	wholes   []*whole // by their elements
	elements handle   // elements of wholes so far

	depth int    // derivatives in progress
	live  levels // those that operations are recorded for
	seen  levels // what the operations recorded since a derivative began depend on
	ties  []handle

	derived bool // derived code runs: the program itself was not at a tie
	each    bool // arrays go on the tape element by element, for what an operation does to be found

	failure *diag.Diagnostic // of an operation on boxes; the instruction reports it
	last    int              // the whole that an element was found in last
	watch   handle           // a node whose place in the program is asked for, or 0
	watched diag.Span
}

// custom is a node whose derivative no row of the table gives.
type custom interface {
	// parents lists what the node depends on: reals that may be boxed.
	parents(visit func(x float64))
	// pull adds the contributions of the node, whose cotangent is w, to its
	// parents.
	pull(s *sweep, at handle, w float64)
	// push is the node's tangent.
	push(s *sweep, at handle) float64
}

// columnLeaf is an array of variables that stand for reals of which some are
// boxed.
type columnLeaf struct {
	w    *whole
	from []float64
}

func (c *columnLeaf) parents(visit func(float64)) {
	for _, x := range c.from {
		visit(x)
	}
}

func (c *columnLeaf) pull(s *sweep, _ handle, _ float64) {
	for k, x := range c.from {
		if w := s.get(box(elementBit | (c.w.base + handle(k)))); !isAbsent(w) {
			s.to(x, w)
		}
	}
}

func (c *columnLeaf) push(s *sweep, _ handle) float64 {
	for k, x := range c.from {
		if dx := s.get(x); !isAbsent(dx) {
			s.contribute(elementBit|(c.w.base+handle(k)), dx)
		}
	}
	return absent
}

// leafColumn makes an array of fresh variables.
func (t *tape) leafColumn(xs []float64, mask levels) (*whole, []float64, bool) {
	if !anyBox(xs) {
		return t.addWhole(xs, mask)
	}
	values := make([]float64, len(xs))
	for k, x := range xs {
		values[k] = t.value(x)
		mask |= t.mask(x)
	}
	w, boxes, ok := t.addWhole(values, mask)
	if ok {
		t.addNode(nodeWhole, &columnLeaf{w, xs}, mask)
	}
	return w, boxes, ok
}

// addNode appends a node that no real refers to, for its rule to be visited.
func (t *tape) addNode(op uint16, c custom, mask levels) {
	t.customs = append(t.customs, c)
	t.add(tapeNode{c: math.Float64frombits(uint64(len(t.customs) - 1)), op: op, mask: mask})
}

// whole is an array of the tape's elements.
type whole struct {
	base   handle // of its first element, without elementBit
	values []float64
	mask   levels
}

func (t *tape) reset(m *Machine) {
	if len(t.chunks) == 0 {
		t.chunks = []*nodeChunk{new(nodeChunk)}
	}
	first := t.chunks[:1:1] // nodes are written before they are read
	*t = tape{m: m, chunks: first, count: 1, rows: tapeRows(), sum: tapeRowOf(prim.Add), product: tapeRowOf(prim.Mul),
		minus: tapeRowOf(prim.Sub), over: tapeRowOf(prim.Quo), negated: tapeRowOf(prim.Neg)}
}

// ---- reading

// value is a real without its box.
func (t *tape) value(x float64) float64 {
	if x == x || !isBox(x) {
		return x
	}
	return t.at(unbox(x))
}

// at is the value of an entry.
func (t *tape) at(h handle) float64 {
	if h&elementBit == 0 {
		return t.node(h).v
	}
	w := t.wholeOf(h)
	return w.values[h&^elementBit-w.base]
}

func (t *tape) wholeOf(h handle) *whole {
	_, w := t.find(h)
	return w
}

// find is the whole that an element belongs to, with its number.
func (t *tape) find(h handle) (int, *whole) {
	e := h &^ elementBit
	if w := t.wholes[t.last]; e < w.base || int(e-w.base) >= len(w.values) {
		// Wholes without elements share their base with the next one.
		t.last = sort.Search(len(t.wholes), func(k int) bool { return t.wholes[k].base > e }) - 1
	}
	return t.last, t.wholes[t.last]
}

// columnOf is the whole, if there is one, whose elements from an index on a
// column of boxes is.
func (t *tape) columnOf(xs []float64) (w *whole, from int) {
	if len(xs) == 0 || !isBox(xs[0]) || unbox(xs[0])&elementBit == 0 {
		return nil, 0
	}
	first := unbox(xs[0])
	w = t.wholeOf(first)
	from = int(first&^elementBit - w.base)
	if from+len(xs) > len(w.values) {
		return nil, 0
	}
	for k, x := range xs {
		if math.Float64bits(x) != boxBits|uint64(first)+uint64(k) {
			return nil, 0
		}
	}
	return w, from
}

// mask is what a real depends on.
func (t *tape) mask(x float64) levels {
	if x == x || !isBox(x) {
		return 0
	}
	h := unbox(x)
	if h&elementBit == 0 {
		return t.node(h).mask
	}
	return t.wholeOf(h).mask
}

// ---- writing

// add appends a node and gives its box.
func (t *tape) add(n tapeNode) float64 {
	if t.count == len(t.chunks)*chunkNodes && !t.grow() {
		return math.NaN()
	}
	if t.watch != 0 && t.watch == handle(t.count) {
		t.watched = t.here()
	}
	t.chunks[t.count/chunkNodes][t.count%chunkNodes] = n
	t.count++
	t.seen |= n.mask
	return box(handle(t.count - 1))
}

// here is the place of the instruction that runs.
func (t *tape) here() diag.Span { return t.m.fn.spans[t.m.pc-1] }

// grow makes room for more nodes.
func (t *tape) grow() bool {
	if d := t.m.charge(chunkNodes * tapeNodeBytes); d != nil {
		t.fail(d)
		return false
	}
	if t.count+chunkNodes >= int(elementBit) {
		t.fail(diag.Errorf(diag.MemoryLimit, diag.Span{}, "the derivative needs more than %d operations on its tape", t.count))
		return false
	}
	t.chunks = append(t.chunks, new(nodeChunk))
	return true
}

func (t *tape) fail(d *diag.Diagnostic) {
	if t.failure == nil {
		t.failure = d
	}
}

// failed gives the failure of the operations since it was asked last.
func (t *tape) failed() *diag.Diagnostic {
	d := t.failure
	t.failure = nil
	return d
}

// addCustom appends a node with a rule of its own.
func (t *tape) addCustom(v float64, c custom) float64 {
	var mask levels
	c.parents(func(x float64) { mask |= t.mask(x) })
	return t.addMasked(v, c, mask)
}

// addMasked is addCustom where it is known what the node depends on.
func (t *tape) addMasked(v float64, c custom, mask levels) float64 {
	if mask&t.live == 0 {
		return v
	}
	t.customs = append(t.customs, c)
	return t.add(tapeNode{v: v, c: math.Float64frombits(uint64(len(t.customs) - 1)), op: nodeCustom, mask: mask})
}

func (t *tape) custom(n *tapeNode) custom { return t.customs[math.Float64bits(n.c)] }

// addWhole puts an array on the tape and gives the boxes of its elements.
func (t *tape) addWhole(values []float64, mask levels) (*whole, []float64, bool) {
	if d := t.m.charge(int64(len(values))*8 + 64); d != nil {
		t.fail(d)
		return nil, nil, false
	}
	if int(t.elements)+len(values) >= int(elementBit) {
		t.fail(diag.Errorf(diag.MemoryLimit, diag.Span{}, "the derivative needs more than %d elements of arrays on its tape", t.elements))
		return nil, nil, false
	}
	w := &whole{base: t.elements, values: values, mask: mask}
	t.wholes = append(t.wholes, w)
	t.elements += handle(len(values))
	t.seen |= mask
	boxes := make([]float64, len(values))
	for k := range boxes {
		boxes[k] = box(elementBit | (w.base + handle(k)))
	}
	return w, boxes, true
}

// look is the value of a real, and what it depends on.
func (t *tape) look(x float64) (v float64, mask levels) {
	if x == x || !isBox(x) {
		return x, 0
	}
	if h := unbox(x); h&elementBit == 0 {
		n := t.node(h)
		return n.v, n.mask
	}
	return t.value(x), t.mask(x)
}

// apply applies a row to reals that may be boxed, of which it records what is.
func (t *tape) apply(r *tapeRow, x, y float64, n int64) float64 {
	if r.args == twoReals {
		return t.apply2(r, x, y)
	}
	vx, mask := t.look(x)
	v := r.value(vx, 0, n)
	if mask&t.live == 0 {
		return v
	}
	if r.kink != prim.Smooth {
		if boxed, done := t.kink(r, x, 0, vx, float64(n), v, mask); done {
			return boxed
		}
	}
	return t.add(tapeNode{v: v, a: unbox(x), c: math.Float64frombits(uint64(n)), op: r.number, mask: mask})
}

// apply2 is apply for a row of two reals.
func (t *tape) apply2(r *tapeRow, x, y float64) float64 {
	vx, mx := t.look(x)
	vy, my := t.look(y)
	v, mask := r.two(vx, vy), mx|my
	if mask&t.live == 0 {
		return v
	}
	if r.kink != prim.Smooth {
		if boxed, done := t.kink(r, x, y, vx, vy, v, mask); done {
			return boxed
		}
	}
	switch {
	case !isBox(y):
		return t.add(tapeNode{v: v, a: unbox(x), c: y, op: r.number | formLeft, mask: mask})
	case !isBox(x):
		return t.add(tapeNode{v: v, a: unbox(y), c: x, op: r.number | formRight, mask: mask})
	}
	return t.add(tapeNode{v: v, a: unbox(x), c: math.Float64frombits(uint64(unbox(y))), op: r.number, mask: mask})
}

// leaf is a fresh variable that stands for x.
func (t *tape) leaf(x float64, mask levels) float64 {
	n := tapeNode{v: t.value(x), op: nodeLeaf, mask: mask | t.mask(x)}
	if isBox(x) {
		n.a = unbox(x)
	}
	return t.add(n)
}

// ---- the part of a derivative

// region is the part of the tape that begins where a derivative began.
type region struct {
	node     handle
	element  handle
	customs  int
	wholes   int
	ties     int
	seen     levels
	outside  levels // what was live around the derivative
	selfMask levels
}

// mark is the end of the tape: what follows is a part that truncate takes off.
func (t *tape) mark() region {
	return region{
		node: handle(t.count), element: t.elements, customs: len(t.customs), wholes: len(t.wholes), ties: len(t.ties),
		seen: t.seen, outside: t.live,
	}
}

// begin opens a derivative.
func (t *tape) begin() region {
	r := t.mark()
	t.depth++
	r.selfMask = level(t.depth)
	t.live |= r.selfMask
	t.seen = 0
	return r
}

// end closes a derivative. Unless what it gave depends on its part of the
// tape, that is given back.
func (t *tape) end(r region, keep bool) {
	t.depth--
	t.live = r.outside
	t.seen |= r.seen
	if keep {
		return
	}
	t.truncate(r)
}

func (t *tape) truncate(r region) {
	// Whatever is put on the tape is taken off it once, and the tape is longest before that.
	t.m.stats.Longest = max(t.m.stats.Longest, int64(t.count)+int64(t.elements))
	t.m.stats.Taped += int64(t.count) - int64(r.node)
	t.m.stats.Elements += int64(t.elements) - int64(r.element)
	t.count = int(r.node)
	clear(t.customs[r.customs:])
	t.customs = t.customs[:r.customs]
	clear(t.wholes[r.wholes:])
	t.wholes = t.wholes[:r.wholes]
	t.ties = t.ties[:r.ties]
	t.elements = r.element
	t.last = 0
}

// leave takes a result out of a derivative: what depends on nothing that is
// still in progress becomes its value.
func (t *tape) leave(r region, x float64) float64 {
	if x == x || !isBox(x) {
		return x
	}
	mask := t.mask(x)
	if mask&r.outside == 0 {
		return t.value(x)
	}
	if mask&^r.outside == 0 {
		return x
	}
	return t.add(tapeNode{v: t.value(x), a: unbox(x), op: nodeLeaf, mask: mask & r.outside})
}
