package grad

import (
	"maps"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// component is a strongly connected component of the call graph: functions that call each other.
type component struct {
	members map[*loop.Func]bool
	trying  bool                  // whether they are being reversed without a tape
	taped   bool                  // whether they are reversed with one
	needed  map[*loop.Func]needed // what counting needs of them; nil until it is asked for
}

// writes tells whether some of them write to buffers that they are given.
func (c *component) writes() bool {
	for f := range c.members {
		if f.Adds > 0 {
			return true
		}
	}
	return false
}

// componentOf is the component that a function is in, nil if it does not call itself.
func (d *derivatives) componentOf(f *loop.Func) *component {
	if c, ok := d.components[f]; ok {
		return c
	}
	members := map[*loop.Func]bool{}
	for g := range reachedFrom(f) {
		members[g] = reachedFrom(g)[f]
	}
	maps.DeleteFunc(members, func(_ *loop.Func, in bool) bool { return !in })
	if len(members) == 0 {
		d.components[f] = nil
		return nil
	}
	c := &component{members: members}
	for g := range members {
		d.components[g] = c
	}
	return c
}

// reachedFrom has the functions that one calls, in any number of steps. Those with rules are none
// of them: rules reverse their calls.
func reachedFrom(f *loop.Func) map[*loop.Func]bool {
	seen := map[*loop.Func]bool{}
	queue := []*loop.Func{f}
	for len(queue) > 0 {
		g := queue[0]
		queue = queue[1:]
		if g.Body == nil {
			continue
		}
		loop.Walk(g.Body, func(s loop.Stmt) {
			if c, ok := s.(*loop.Call); ok && c.Func.Rule == nil && !seen[c.Func] {
				seen[c.Func] = true
				queue = append(queue, c.Func)
			}
		})
	}
	return seen
}

// callTape is the tape of the calls that a call makes.
type callTape struct{ words, doubles *loop.Var }

// needed says which parameters and results of a function counting needs.
type needed struct{ params, results []bool }

// The functions whose calls stand for keeping a buffer on the tape, until they are threaded.
var (
	keepDoubles = &loop.Func{Name: "keep", Params: []*loop.Var{loop.NewVar("xs", loop.F64s)}}
	keepWords   = &loop.Func{Name: "keep", Params: []*loop.Var{loop.NewVar("xs", loop.I64s)}}
)

func isKeeper(f *loop.Func) bool { return f == keepDoubles || f == keepWords }
