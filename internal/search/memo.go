package search

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
)

// Note [Searches made before]
//
// A program that asks for a value and then for its derivative makes the searches twice that do not
// depend on the variable: the rays of a picture, when the light moves. So what certified searches
// without variables have found is kept, by a description of the primitive, the function, what it
// captures, and the bounds. The description is written by the Builder that package exact would
// otherwise build these with: two problems with one description are the same problem.

const (
	// mostDescribed is how long a description may be, in bytes, and mostRemembered how long those
	// are together that are kept.
	mostDescribed  = 1 << 12
	mostRemembered = 1 << 23
	// mostListed is the number of elements of an array that is described.
	mostListed = 256
)

// memo has the searches made before.
type memo struct {
	found map[string]madeBefore
	bytes int
}

// madeBefore is a search made before.
type madeBefore struct {
	Found
	texts []*core.Lambda // that its description refers to
}

func (m *memo) put(key string, d *Describer, f Found) {
	if m.found == nil || m.bytes > mostRemembered {
		m.found, m.bytes = map[string]madeBefore{}, 0
	}
	m.found[key] = madeBefore{f, d.texts}
	m.bytes += len(key)
}

// describe is the description of the function and the bounds of a problem, nil if it is too long.
func describe(p Problem) *Describer {
	d := &Describer{}
	fun, bounds, failed := p.Build(d)
	if failed != nil || d.TooLong {
		return nil
	}
	d.text = fmt.Appendf(d.text, "\n%v %s", fun, bounds.(*described).text)
	if len(d.text) > mostDescribed {
		return nil
	}
	return d
}

// Describer is a Builder that describes values.
type Describer struct {
	text    []byte
	objects int
	texts   []*core.Lambda
	TooLong bool // what was built so far is too long to be described
}

// Lists tells whether an array of so many elements is described.
func (d *Describer) Lists(n int) bool {
	d.TooLong = d.TooLong || n > mostListed || len(d.text) > mostDescribed
	return !d.TooLong
}

// described is the description of slots.
type described struct{ text []byte }

func (s *described) Real(x float64, k int) {
	s.text = binary.LittleEndian.AppendUint64(append(s.text, 'r', byte(k)), math.Float64bits(x))
}

func (s *described) Int(n int64) {
	s.text = binary.LittleEndian.AppendUint64(append(s.text, 'i'), uint64(n))
}

func (s *described) Ref(x any) { s.text = fmt.Appendf(s.text, "p%q", fmt.Sprint(x)) }

// object describes an object, and gives its number.
func (d *Describer) object(format string, args ...any) any {
	d.text = fmt.Appendf(append(d.text, '\n'), format, args...)
	d.objects++
	return d.objects
}

// RealBytes is part of exact.Builder, and so are the following.
func (d *Describer) RealBytes() int64 { return 0 }

// Slots is an empty value.
func (d *Describer) Slots() exact.Slots { return &described{} }

// Array describes an array.
func (d *Describer) Array(n int, elements exact.Slots) any {
	return d.object("array %d %s", n, elements.(*described).text)
}

// Data describes a constructor.
func (d *Describer) Data(con int) any { return d.object("data %d", con) }

// Hold describes the fields of data.
func (d *Describer) Hold(data any, fields exact.Slots) {
	d.object("hold %v %s", data, fields.(*described).text)
}

// Function describes a function by its text, which is part of the program.
func (d *Describer) Function(name string, _ diag.Span, fun *core.Lambda, _ []*core.Var) any {
	d.texts = append(d.texts, fun)
	return d.object("function %q %p", name, fun)
}

// Capture describes what a function captures.
func (d *Describer) Capture(fun any, values exact.Slots) {
	d.object("capture %v %s", fun, values.(*described).text)
}

// Partial describes a function with some of its arguments.
func (d *Describer) Partial(fun any, given int, args exact.Slots) any {
	return d.object("partial %v %d %s", fun, given, args.(*described).text)
}

// Define is not needed: constants do not change.
func (d *Describer) Define(string, exact.Slots) {}
