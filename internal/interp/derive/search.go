package derive

import (
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/search"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Integrals, roots and optima of functions of the program. Package search finds them and their
// Taylor series in the variables of the derivatives in progress; what it finds becomes a node of
// the tape.

// searching is the operation of one of the primitives.
type searching prim.ID

// Search makes the operation of a primitive that searches.
func Search(row prim.ID) machine.Operation { return searching(row) }

func (s searching) String() string { return prim.ID(s).String() }

func (s searching) Within() string { return "in the function given to `" + s.String() + "`" }

func (s searching) Run(m *machine.Machine, args object.Slots) (object.Slots, *diag.Diagnostic) {
	kept := stateOf(m)
	p := &problem{m: m, row: prim.ID(s), at: m.Tape().Here(), fun: args.P[0], bounds: args.F}
	if kept.searcher == nil {
		kept.searcher = search.New(running{m}, m.Options().Unguarded || m.Options().IEEETies)
		kept.translated = arrayCache{}
	}
	if p.row.Row().Over != 0 {
		if p.box = args.P[:2]; object.Len(p.box[0]) != object.Len(p.box[1]) {
			return object.Slots{}, diag.Errorf(diag.ShapesDiffer, p.at, "a box from %d reals to %d",
				object.Len(p.box[0]), object.Len(p.box[1]))
		}
		p.fun = args.P[2]
	}
	found, d := kept.searcher.Run(p)
	if !kept.searcher.Busy() {
		m.NoteCertified(kept.searcher.Work())
		kept.translated.age()
	}
	switch {
	case d != nil:
		return object.Slots{}, d
	case p.row == prim.Crosses:
		return object.Slots{I: []int64{object.Truth(found.Yes)}}, nil
	case p.row == prim.BoxRoots:
		return p.places(found.Places)
	case p.row != prim.BoxMaxOver && p.row.Row().Over != 0:
		all, d := p.places(found.Places)
		if d == nil {
			all.P[0] = object.ColumnP(all.P[0], 0)[0]
		}
		return all, d
	}
	return object.Slots{F: []float64{p.real(found.Number)}}, nil
}

// real is a number that was found, as a node of the tape if it depends on variables.
func (p *problem) real(x search.Number) float64 {
	if x.Series == nil {
		return x.Value
	}
	return addSearch(p.m.Tape(), x.Value, &searchNode{x.Series, p.vars})
}

// places is an array of places.
func (p *problem) places(found [][]search.Number) (object.Slots, *diag.Diagnostic) {
	rows := make([]object.Ref, len(found))
	size := int64(0)
	for k, place := range found {
		xs := make([]float64, len(place))
		for i, x := range place {
			xs[i] = p.real(x)
		}
		rows[k] = &object.Reals{V: xs}
		size += int64(len(xs))*8 + layout.RefBytes + object.HeaderBytes
	}
	return object.Slots{P: []object.Ref{&object.Refs{V: rows}}}, p.m.Charge(size)
}

// ---- the program

// running is the program that runs, for package search.
type running struct{ m *machine.Machine }

// Core is the program itself.
func (r running) Core() *core.Program { return r.m.Program() }

// Define tells package exact the constants that are known by now.
func (r running) Define(to exact.Builder, defined map[string]bool) *diag.Diagnostic {
	for name, c := range r.m.Constants() {
		if defined[name] {
			continue
		}
		defined[name] = true
		tr := translation{m: r.m, to: to, known: map[object.Ref]any{}}
		value := to.Slots()
		tr.value(c.Type, &c.Slots, value)
		if tr.finish(); tr.failed != nil {
			return tr.failed
		}
		to.Define(name, value)
	}
	return nil
}

// Stop lets a search be interrupted.
func (r running) Stop() error {
	if d := r.m.Tick(); d != nil {
		return d
	}
	return nil
}

// Watch ends what is compiled for a search.
func (r running) Watch() *stop.Watch { return r.m.Watch() }

// ---- the function

// problem is an instruction that searches, with what it is given.
type problem struct {
	m      *machine.Machine
	row    prim.ID
	at     diag.Span
	fun    object.Ref
	bounds []float64
	box    []object.Ref        // the corners of a box: arrays of reals
	vars   []tape.Handle       // the reals that depend on a derivative in progress
	number map[tape.Handle]int // which of them an entry of the tape is
}

func (p *problem) Row() prim.ID { return p.row }

func (p *problem) Place() diag.Span { return p.at }

func (p *problem) Bounds() []float64 {
	bounds := p.bounds
	for _, corner := range p.box {
		bounds = append(bounds[:len(bounds):len(bounds)], object.ColumnF(corner, 0)...)
	}
	return p.m.Tape().Plain(bounds)
}

// realDerivation is that of a function of one real.
var realDerivation = &derivation{from: types.Real, to: types.Real,
	call: machine.NewCall(layout.Shape{F: 1}), args: layout.Shape{F: 1}, result: layout.Shape{F: 1}}

// Value is the function at a number, as a number: without regard to the derivatives in progress.
func (p *problem) Value(x float64) (float64, error) {
	m := p.m
	defer m.Tape().Freeze()()
	y, d := m.CallReal(p.fun, x)
	if d != nil {
		return 0, d
	}
	return m.Tape().Value(y), nil
}

// Slope is the derivative of the function at a number.
func (p *problem) Slope(x float64) (float64, error) {
	defer p.m.Tape().Freeze()()
	j := &differentiation{m: p.m, t: p.m.Tape(), derivation: realDerivation, fun: p.fun, point: object.Slots{F: []float64{x}}}
	defer j.end(false)
	mode := j.t.Mode
	mode.Slope = tape.Level(j.t.Depth + 1)
	var slope []float64
	var d *diag.Diagnostic
	j.t.Within(mode, func() {
		if d = j.run(); d != nil {
			return
		}
		times, ok := j.resolutions(func() bool { return j.pullBack(j.out.Reals, []float64{1}, &slope) })
		if d = j.t.Failed(); ok {
			j.average(slope, times)
		}
	})
	if d != nil {
		return 0, d
	}
	return tape.Present(slope[0]), nil
}

// Varying finds the reals that the search depends on and that depend on a derivative in progress.
func (p *problem) Varying(scratch exact.Builder) (at []float64, order int, d *diag.Diagnostic) {
	t := p.m.Tape()
	if t.Live == 0 {
		return nil, 0, nil
	}
	p.number = map[tape.Handle]int{}
	tr := translation{m: p.m, to: scratch, known: map[object.Ref]any{}, vars: p.number, seek: true}
	if _, _, d = tr.problem(p); d != nil {
		return nil, 0, d
	}
	p.vars = make([]tape.Handle, len(p.number))
	for h, k := range p.number {
		p.vars[k] = h
	}
	var mask tape.Levels
	for _, h := range p.vars {
		at = append(at, t.At(h))
		mask |= t.Mask(tape.Box(h)) & t.Live
	}
	if mask&tape.Deepest != 0 {
		return at, t.Depth, nil
	}
	return at, bits.OnesCount16(uint16(mask)), nil
}

// Build translates the function and its bounds.
func (p *problem) Build(to exact.Builder) (fun any, bounds exact.Slots, d *diag.Diagnostic) {
	tr := translation{m: p.m, to: to, known: map[object.Ref]any{}, vars: p.number}
	return tr.problem(p)
}

// ---- the node

// searchNode is the result of a search, by its Taylor series. At a tie, the sweep that resolves
// those gives it its derivatives: see Note [Ties].
type searchNode struct {
	series *search.Series
	vars   []tape.Handle // of the series, by their numbers
}

// addSearch puts a search on the tape.
func addSearch(t *tape.Tape, v float64, c *searchNode) float64 {
	x := t.AddCustom(v, c)
	if c.series.Tied() && tape.IsBox(x) {
		t.Ties = append(t.Ties, tape.Unbox(x))
	}
	return x
}

func (c *searchNode) Parents(visit func(float64)) {
	for _, h := range c.vars {
		visit(tape.Box(h))
	}
}

// partialOf is the derivative with respect to an entry of the tape.
type partialOf struct {
	of tape.Handle
	d  float64
}

// partials are the derivatives by the variables that are wanted: in a recording sweep they are
// nodes like this one.
func (c *searchNode) partials(s *tape.Sweep, mask tape.Levels, wanted func(h tape.Handle) bool) (list []partialOf) {
	for k, h := range c.vars {
		if !c.series.DependsOn(k) || !wanted(h) {
			continue
		}
		by := c.series.By(k)
		d, some, wrong := by.Value()
		if wrong != nil {
			s.Tape.Fail(wrong)
			return nil
		}
		if s.Record && by.Varies() {
			d, some = s.Tape.AddMasked(d, &searchNode{by, c.vars}, mask), true
		}
		if some {
			list = append(list, partialOf{h, d})
		}
	}
	return list
}

func (c *searchNode) Pull(s *tape.Sweep, at tape.Handle, w float64) {
	reaches := func(h tape.Handle) bool { return s.Place(h) != nil || s.Escape != nil }
	for _, p := range c.partials(s, s.Tape.Node(at).Mask, reaches) {
		s.Contribute(p.of, s.Product(w, p.d))
	}
}

func (c *searchNode) Push(s *tape.Sweep, at tape.Handle) float64 {
	if s.Resolve && c.series.Tied() {
		slopes := make([]float64, len(c.vars))
		for k, h := range c.vars {
			slopes[k] = tape.Present(s.Get(tape.Box(h)))
		}
		if d := c.series.Resolve(slopes); d != nil {
			s.Tape.Fail(d)
			return tape.Absent
		}
	}
	moves := func(h tape.Handle) bool { return !tape.IsAbsent(s.Get(tape.Box(h))) }
	sum := tape.Absent
	for _, p := range c.partials(s, s.Tape.Node(at).Mask, moves) {
		d := s.Product(s.Get(tape.Box(p.of)), p.d)
		if !tape.IsAbsent(sum) {
			d = s.Sum(sum, d)
		}
		sum = d
	}
	return sum
}
