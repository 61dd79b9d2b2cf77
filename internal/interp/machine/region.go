package machine

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/marshal"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Region is a part of a program that may run as compiled code. The machine does not know more of
// it.
type Region interface {
	// Run computes the results from arguments, which are in registers. It tells whether it has done
	// that; if not, the interpreter runs the code of the part.
	Run(m *Machine, args, results []Register) (done bool, d *diag.Diagnostic)
}

// Part is a part of a program that may run as compiled code, or that cannot.
type Part struct {
	Definition string
	At         diag.Span     // of its first operation, if it is known
	What       string        // which part of the definition it is
	State      func() string // whether it is compiled at present, and why it is not
}

// RegionWork is what a run has done for its regions.
type RegionWork struct {
	CompiledAt int64 // the work when a region was last compiled
	Numbered   int64 // nodes that were numbered: Note [Tables of nodes]
}

// RegionWork is what the run has done for its regions.
func (m *Machine) RegionWork() *RegionWork { return &m.regions }

// Compared are the rules that were compared with the derivatives of their functions, in all runs of
// the machine.
func (m *Machine) Compared() map[core.Rule]bool {
	if m.compared == nil {
		m.compared = map[core.Rule]bool{}
	}
	return m.compared
}

// Tables are those of nodes that were made for regions.
func (m *Machine) Tables() *marshal.Tables { return &m.kept }

// loopsOp runs a region.
func (m *Machine) loopsOp(in *Instr, fn *Function) *diag.Diagnostic {
	done, d := fn.Lib.Regions[in.K].Run(m, fn.Lists[in.B], fn.Lists[in.C])
	m.i[m.ib+int(in.A)] = object.Truth(done)
	return d
}

// RefAt is the reference in a register.
func (m *Machine) RefAt(o Register) object.Ref { return m.p[m.pb+int(o.Reg)] }

// IntAt is the integer in a register.
func (m *Machine) IntAt(o Register) int64 { return m.i[m.ib+int(o.Reg)] }

// Left is how many bytes the run may still allocate, and how many calls may be active besides the
// present ones.
func (m *Machine) Left() (bytes int64, depth int) {
	if m.Stepping() {
		return DefaultLimits().Memory, DefaultLimits().Depth
	}
	return m.memory - m.used, max(m.depth-m.frames.count(), 1)
}

// Outermost is about the region that is the whole of the function which is applied from outside.
type Outermost struct {
	frames int          // the depth of its frame
	Into   []loop.Arg   // places for its results
	Old    []object.Ref // what lay there before
	Made   []loop.Arg   // its results, if it has run
}

// Stepping tells whether the run is asked at every step whether it has reached a limit.
func (m *Machine) Stepping() bool { return m.limits.Reached != nil }

// AtOutermost is what a region that is the whole of the running function needs to know if that is
// the one which is applied from outside; nil if it is not.
func (m *Machine) AtOutermost() *Outermost {
	if m.frames.count() != m.outermost.frames {
		return nil
	}
	return &m.outermost
}

// Constant is the value of a constant, which is evaluated if need be; false if it has none.
func (m *Machine) Constant(name string) (object.Slots, bool) {
	g := m.code.Defs[name]
	if g == nil || g.Index < 0 {
		return object.Slots{}, false
	}
	if v := &m.globals[g.Index]; v.done {
		return v.Slots, true
	}
	from, d := m.startCallback(layout.Shape{})
	if d != nil {
		return object.Slots{}, false
	}
	d = m.push(m.code.halt, 1)
	if d == nil {
		d = m.enter(g.Fun)
	}
	if d == nil {
		d = m.exec()
	}
	m.endCallback(from)
	v := &m.globals[g.Index]
	return v.Slots, d == nil && v.done
}
