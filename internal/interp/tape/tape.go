// Package tape records the operations on reals that derivatives in progress depend on, and sweeps
// over the record for cotangents or tangents. It knows the rows of the table of primitives and
// their rules (rows.go); operations on arrays, and whatever else an evaluator differentiates as one
// step, are nodes that bring their own rules (Custom). A real that is on the tape is a NaN with a
// payload (box.go), so that an evaluator moves reals without asking whether they are.
//
// An evaluator has one Tape for all derivatives in progress (Note [The tape]). It opens a
// derivative with Begin, makes leaves, runs the function, sweeps (sweep.go), and closes it with
// End. What happens where a function has a kink is said in ties.go.
package tape

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

// Node is an operation: its value, its parents (or the constants among
// its operands), and which derivatives in progress it depends on.
type Node struct {
	v    float64
	c    float64 // the second operand: a constant, an integer's bits, or a handle's bits
	a    Handle  // the first parent
	op   uint16  // the row's number, and its form
	Mask Levels
}

// NodeBytes is what an operation costs on the tape.
const NodeBytes = 24

// Nodes lie in chunks, so that a growing tape is never copied.
const chunkNodes = 1 << 13

type nodeChunk [chunkNodes]Node

// Node is the operation with a handle.
func (t *Tape) Node(h Handle) *Node { return &t.chunks[h/chunkNodes][h%chunkNodes] }

// form says which operands of a row with two reals are on the tape.
const (
	formBoth  uint16 = iota << 14 // both: c holds the second one's handle
	formLeft                      // the first: c is the second one
	formRight                     // the second, which is a: c is the first one
	formMask  uint16 = 3 << 14
)

// Levels is a set of derivatives in progress, by their depth; the last bit
// stands for all the deeper ones.
type Levels uint16

const Deepest = Levels(1 << 15)

// Level is the set of the derivative at a depth.
func Level(depth int) Levels { return 1 << min(depth-1, 15) }

// Host is what a tape needs of the machine that computes.
type Host interface {
	// Charge pays for memory.
	Charge(bytes int64) *diag.Diagnostic
	// Tick is called when the fuel is spent: it gives more, or ends the run.
	Tick() *diag.Diagnostic
	// Family applies a family to plain numbers, or ends the run.
	Family(eval prim.Family, ints []int64, xs []float64) (float64, *diag.Diagnostic)
	// Place is that of the instruction that runs.
	Place() diag.Span
}

// Counts says what was put on tapes.
type Counts struct {
	Swept    int64 // products that sweeps over the tape of a derivative have added up
	Taped    int64 // operations put on the tape, at 24 bytes each
	Elements int64 // reals of the arrays on the tape, at 8 bytes each
	Longest  int64 // the most operations and reals of arrays that were on the tape at once
}

// Tape is the record of the derivatives in progress.
type Tape struct {
	Host     Host
	fuel     *int64 // of the host: steps until it wants to be asked
	counts   *Counts
	ieee     bool   // a derivative at a tie is that of the branch taken, and not an error
	Rows     []*Row // by their numbers
	Sum      *Row
	Product  *Row
	Minus    *Row
	Over     *Row
	Negated  *Row
	chunks   []*nodeChunk
	count    int // nodes; the one with handle 0 is none
	customs  []Custom
	wholes   []*Whole // by their elements
	elements Handle   // elements of wholes so far

	Depth int    // derivatives in progress
	Live  Levels // those that operations are recorded for
	Seen  Levels // what the operations recorded since a derivative began depend on
	Ties  []Handle

	watchers []watcher  // of the derivatives in progress: Note [Watched errors]
	errors   *errorList // of the checkpoint that runs, or nil

	Sides *Sides // of the function that runs, or nil
	Mode  Mode   // of what runs
	// Again is set when a derivative failed for which compiled code was to give a part. It then
	// runs again without that.
	Again bool

	Failure *diag.Diagnostic // of an operation on boxes; the instruction reports it
	last    int              // the whole that an element was found in last
	Watch   Handle           // a node whose place in the program is asked for, or 0
	Watched diag.Span
}

// Mode is what the recording depends on, beside the operations. It is a value that holds for all
// that runs Within it.
type Mode struct {
	Derived bool // derived code runs: the program itself was not at a tie
	Full    bool // checkpoints keep what they record, so that an operation can be located
	// what compiled code could give derivatives of is recorded operation by operation
	Apart bool
	Slope Levels // the derivative that is the slope of a search's function, or none
}

// Within runs in a mode.
func (t *Tape) Within(m Mode, run func()) {
	around := t.Mode
	t.Mode = m
	defer func() { t.Mode = around }()
	run()
}

// Custom is a node whose derivative no row of the table gives.
type Custom interface {
	// Parents lists what the node depends on: reals that may be boxed.
	Parents(visit func(x float64))
	// Pull adds the contributions of the node, whose cotangent is w, to its
	// parents.
	Pull(s *Sweep, at Handle, w float64)
	// Push is the node's tangent.
	Push(s *Sweep, at Handle) float64
}

// columnLeaf is an array of variables that stand for reals of which some are
// boxed.
type columnLeaf struct {
	w    *Whole
	from []float64
}

func (c *columnLeaf) Parents(visit func(float64)) {
	for _, x := range c.from {
		visit(x)
	}
}

func (c *columnLeaf) Pull(s *Sweep, _ Handle, _ float64) {
	for k, x := range c.from {
		if w := s.Get(Box(ElementBit | (c.w.Base + Handle(k)))); !IsAbsent(w) {
			s.To(x, w)
		}
	}
}

func (c *columnLeaf) Push(s *Sweep, _ Handle) float64 {
	for k, x := range c.from {
		if dx := s.Get(x); !IsAbsent(dx) {
			s.Contribute(ElementBit|(c.w.Base+Handle(k)), dx)
		}
	}
	return Absent
}

// LeafColumn makes an array of fresh variables.
func (t *Tape) LeafColumn(xs []float64, mask Levels) (*Whole, []float64, bool) {
	if !AnyBox(xs) {
		return t.AddWhole(xs, mask)
	}
	values := make([]float64, len(xs))
	for k, x := range xs {
		values[k] = t.Value(x)
		mask |= t.Mask(x)
	}
	w, boxes, ok := t.AddWhole(values, mask)
	if ok {
		t.AddNode(WholeNode, &columnLeaf{w, xs}, mask)
	}
	return w, boxes, ok
}

// AddNode appends a node that no real refers to, for its rule to be visited.
func (t *Tape) AddNode(op uint16, c Custom, mask Levels) {
	t.customs = append(t.customs, c)
	t.add(Node{c: math.Float64frombits(uint64(len(t.customs) - 1)), op: op, Mask: mask})
}

// Whole is an array of the tape's elements.
type Whole struct {
	Base   Handle // of its first element, without ElementBit
	values []float64
	mask   Levels
}

// Reset makes the tape empty, for a host with its fuel and its counts.
func (t *Tape) Reset(h Host, fuel *int64, c *Counts, ieee bool) {
	if len(t.chunks) == 0 {
		t.chunks = []*nodeChunk{new(nodeChunk)}
	}
	t.Clear()
	*t = Tape{Host: h, fuel: fuel, counts: c, ieee: ieee, chunks: t.chunks, count: 1,
		Rows: allRows(), Sum: RowOf(prim.Add), Product: RowOf(prim.Mul), Minus: RowOf(prim.Sub),
		Over: RowOf(prim.Quo), Negated: RowOf(prim.Neg)}
}

// Clear drops what the tape refers to. It keeps the memory of its first nodes for the next Reset,
// since nodes are written before they are read.
func (t *Tape) Clear() {
	n := min(1, len(t.chunks))
	*t = Tape{chunks: t.chunks[:n:n]}
}

// ---- reading

// Value is a real without its box.
func (t *Tape) Value(x float64) float64 {
	if x == x || !IsBox(x) {
		return x
	}
	return t.At(Unbox(x))
}

// At is the value of an entry.
func (t *Tape) At(h Handle) float64 {
	if h&ElementBit == 0 {
		return t.Node(h).v
	}
	w := t.WholeOf(h)
	return w.values[h&^ElementBit-w.Base]
}

// WholeOf is the whole that an element belongs to.
func (t *Tape) WholeOf(h Handle) *Whole {
	_, w := t.Find(h)
	return w
}

// Find is the whole that an element belongs to, with its number.
func (t *Tape) Find(h Handle) (int, *Whole) {
	e := h &^ ElementBit
	if w := t.wholes[t.last]; e < w.Base || int(e-w.Base) >= len(w.values) {
		// Wholes without elements share their base with the next one.
		t.last = sort.Search(len(t.wholes), func(k int) bool { return t.wholes[k].Base > e }) - 1
	}
	return t.last, t.wholes[t.last]
}

// columnOf is the whole, if there is one, whose elements from an index on a
// column of boxes is.
func (t *Tape) columnOf(xs []float64) (w *Whole, from int) {
	if len(xs) == 0 || !IsBox(xs[0]) || Unbox(xs[0])&ElementBit == 0 {
		return nil, 0
	}
	first := Unbox(xs[0])
	w = t.WholeOf(first)
	from = int(first&^ElementBit - w.Base)
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

// Mask is what a real depends on.
func (t *Tape) Mask(x float64) Levels {
	if x == x || !IsBox(x) {
		return 0
	}
	h := Unbox(x)
	if h&ElementBit == 0 {
		return t.Node(h).Mask
	}
	return t.WholeOf(h).mask
}

// ---- writing

// add appends a node and gives its box.
func (t *Tape) add(n Node) float64 {
	if t.count == len(t.chunks)*chunkNodes && !t.grow() {
		return math.NaN()
	}
	if t.Watch != 0 && t.Watch == Handle(t.count) {
		t.Watched = t.Here()
	}
	t.chunks[t.count/chunkNodes][t.count%chunkNodes] = n
	t.count++
	t.Seen |= n.Mask
	return Box(Handle(t.count - 1))
}

// Here is the place of the instruction that runs.
func (t *Tape) Here() diag.Span { return t.Host.Place() }

// grow makes room for more nodes.
func (t *Tape) grow() bool {
	if d := t.Host.Charge(chunkNodes * NodeBytes); d != nil {
		t.Fail(d)
		return false
	}
	if t.count+chunkNodes >= int(ElementBit) {
		t.Fail(diag.Errorf(diag.MemoryLimit, diag.Span{},
			"the derivative needs more than %d operations on its tape", t.count))
		return false
	}
	t.chunks = append(t.chunks, new(nodeChunk))
	return true
}

func (t *Tape) Fail(d *diag.Diagnostic) {
	if t.Failure == nil {
		t.Failure = d
	}
}

// Failed gives the failure of the operations since it was asked last.
func (t *Tape) Failed() *diag.Diagnostic {
	d := t.Failure
	t.Failure = nil
	return d
}

// AddCustom appends a node with a rule of its own.
func (t *Tape) AddCustom(v float64, c Custom) float64 {
	var mask Levels
	c.Parents(func(x float64) { mask |= t.Mask(x) })
	return t.AddMasked(v, c, mask)
}

// AddMasked is AddCustom where it is known what the node depends on.
func (t *Tape) AddMasked(v float64, c Custom, mask Levels) float64 {
	if mask&t.Live == 0 {
		return v
	}
	t.customs = append(t.customs, c)
	return t.add(Node{v: v, c: math.Float64frombits(uint64(len(t.customs) - 1)), op: CustomNode,
		Mask: mask})
}

func (t *Tape) custom(n *Node) Custom { return t.customs[math.Float64bits(n.c)] }

// AddWhole puts an array on the tape and gives the boxes of its elements.
func (t *Tape) AddWhole(values []float64, mask Levels) (*Whole, []float64, bool) {
	if d := t.Host.Charge(int64(len(values))*8 + 64); d != nil {
		t.Fail(d)
		return nil, nil, false
	}
	if int(t.elements)+len(values) >= int(ElementBit) {
		t.Fail(diag.Errorf(diag.MemoryLimit, diag.Span{},
			"the derivative needs more than %d elements of arrays on its tape", t.elements))
		return nil, nil, false
	}
	w := &Whole{Base: t.elements, values: values, mask: mask}
	t.wholes = append(t.wholes, w)
	t.elements += Handle(len(values))
	t.Seen |= mask
	boxes := make([]float64, len(values))
	for k := range boxes {
		boxes[k] = Box(ElementBit | (w.Base + Handle(k)))
	}
	return w, boxes, true
}

// Look is the value of a real, and what it depends on.
func (t *Tape) Look(x float64) (v float64, mask Levels) {
	if x == x || !IsBox(x) {
		return x, 0
	}
	if h := Unbox(x); h&ElementBit == 0 {
		n := t.Node(h)
		return n.v, n.Mask
	}
	return t.Value(x), t.Mask(x)
}

// Apply applies a row to reals that may be boxed, of which it records what is.
func (t *Tape) Apply(r *Row, x, y float64, n int64) float64 {
	if r.args == twoReals {
		return t.Apply2(r, x, y)
	}
	vx, mask := t.Look(x)
	v := r.value(vx, 0, n)
	if mask&t.Live == 0 {
		return v
	}
	if r.kink != prim.Smooth {
		if boxed, done := t.kink(r, x, 0, vx, float64(n), v, mask); done {
			return boxed
		}
	}
	return t.add(Node{v: v, a: Unbox(x), c: math.Float64frombits(uint64(n)), op: r.Number,
		Mask: mask})
}

// Apply2 is apply for a row of two reals.
func (t *Tape) Apply2(r *Row, x, y float64) float64 {
	vx, mx := t.Look(x)
	vy, my := t.Look(y)
	v, mask := r.Two(vx, vy), mx|my
	if mask&t.Live == 0 {
		return v
	}
	if r.kink != prim.Smooth {
		if boxed, done := t.kink(r, x, y, vx, vy, v, mask); done {
			return boxed
		}
	}
	switch {
	case !IsBox(y):
		return t.add(Node{v: v, a: Unbox(x), c: y, op: r.Number | formLeft, Mask: mask})
	case !IsBox(x):
		return t.add(Node{v: v, a: Unbox(y), c: x, op: r.Number | formRight, Mask: mask})
	}
	return t.add(Node{v: v, a: Unbox(x), c: math.Float64frombits(uint64(Unbox(y))), op: r.Number,
		Mask: mask})
}

// Leaf is a fresh variable that stands for x.
func (t *Tape) Leaf(x float64, mask Levels) float64 {
	n := Node{v: t.Value(x), op: LeafNode, Mask: mask | t.Mask(x)}
	if IsBox(x) {
		n.a = Unbox(x)
	}
	return t.add(n)
}

// ---- the part of a derivative

// Region is the part of the tape that begins where a derivative began.
type Region struct {
	node     Handle
	element  Handle
	customs  int
	wholes   int
	Ties     int
	seen     Levels
	Outside  Levels // what was live around the derivative
	SelfMask Levels
}

// Mark is the end of the tape: what follows is a part that truncate takes off.
func (t *Tape) Mark() Region {
	return Region{
		node: Handle(t.count), element: t.elements, customs: len(t.customs), wholes: len(t.wholes),
		Ties: len(t.Ties),
		seen: t.Seen, Outside: t.Live,
	}
}

// Begin opens a derivative.
func (t *Tape) Begin() Region {
	r := t.Mark()
	t.Depth++
	r.SelfMask = Level(t.Depth)
	t.Live |= r.SelfMask
	t.Seen = 0
	t.watchers = append(t.watchers, watcher{region: r})
	return r
}

// End closes a derivative. Unless what it gave depends on its part of the
// tape, that is given back.
func (t *Tape) End(r Region, keep bool) {
	t.Depth--
	t.watchers[t.Depth] = watcher{}
	t.watchers = t.watchers[:t.Depth]
	t.Live = r.Outside
	t.Seen |= r.seen
	if keep {
		return
	}
	t.Truncate(r)
}

func (t *Tape) Truncate(r Region) {
	// Whatever is put on the tape is taken off it once, and the tape is longest before that.
	t.counts.Longest = max(t.counts.Longest, int64(t.count)+int64(t.elements))
	t.counts.Taped += int64(t.count) - int64(r.node)
	t.counts.Elements += int64(t.elements) - int64(r.element)
	t.forget(r)
	t.count = int(r.node)
	clear(t.customs[r.customs:])
	t.customs = t.customs[:r.customs]
	clear(t.wholes[r.wholes:])
	t.wholes = t.wholes[:r.wholes]
	t.Ties = t.Ties[:r.Ties]
	t.elements = r.element
	t.last = 0
}

// Leave takes a result out of a derivative: what depends on nothing that is
// still in progress becomes its value.
func (t *Tape) Leave(r Region, x float64) float64 {
	if x == x || !IsBox(x) {
		return x
	}
	mask := t.Mask(x)
	if mask&r.Outside == 0 {
		return t.Value(x)
	}
	if mask&^r.Outside == 0 {
		return x
	}
	return t.add(Node{v: t.Value(x), a: Unbox(x), op: LeafNode, Mask: mask & r.Outside})
}

// Freeze stops the derivatives in progress, and gives what lets them go on.
func (t *Tape) Freeze() (thaw func()) {
	live := t.Live
	t.Live = 0
	return func() { t.Live = live }
}
