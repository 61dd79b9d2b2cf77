package region

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// extent is what a region loops over besides the arrays among its arguments.
type extent struct {
	fixed     int         // the sizes and numbers of turns that are literals
	sizes     []*core.Var // those that are arguments
	slots     []int       // their places among the operands
	constants []string    // the arrays that are constants
}

// mostCalled bounds how far calls of differentiated functions are followed.
const mostCalled = 3

// extentOf finds the loops of a block that are not inside others, also in functions that it
// differentiates and in those they call, and the constants that it hands to functions. definition
// gives the function that a definition is, or nil.
func extentOf(b *core.Block, definition func(name string) *core.Lambda) extent {
	return extentIn(b, definition, false, mostCalled)
}

// extentIn is extentOf for a block that is perhaps in a function that is differentiated, with so
// many calls to follow.
func extentIn(b *core.Block, definition func(name string) *core.Lambda, differentiated bool,
	calls int) (e extent) {
	over := func(arrays ...core.Atom) {
		for _, a := range arrays {
			if _, isArray := types.Resolve(a.Type()).(*types.Array); !isArray {
				continue
			}
			if g, ok := a.(*core.Global); ok {
				e.constants = append(e.constants, g.Name)
			}
		}
	}
	functions := map[core.Atom]*core.Block{}
	inside := func(f core.Atom) {
		body := functions[f]
		if g, ok := f.(*core.Global); ok && calls > 0 {
			if fun := definition(g.Name); fun != nil {
				body = fun.Body
			}
		}
		if body != nil {
			inner := extentIn(body, definition, true, calls-1)
			e.turns(inner.fixed)
			e.constants = append(e.constants, inner.constants...)
		}
	}
	count := func(n core.Atom) {
		switch n := n.(type) {
		case *core.Lit:
			e.turns(int(n.Int))
		case *core.Var:
			e.sizes = append(e.sizes, n)
		}
	}
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			continue
		}
		switch op := let.Op.(type) {
		case *core.Lambda:
			functions[let.Var] = op.Body
		case *core.Apply:
			over(op.Args...)
			if differentiated {
				inside(op.Fun)
			}
		case *core.Prim:
			over(op.Args...)
			if isHeavy(op) {
				inside(op.Args[0])
			}
		case *core.Build:
			count(op.Size)
		case *core.Loop:
			switch head := op.Head.(type) {
			case *core.Range:
				count(head.Bound)
			case *core.Each:
				over(head.Array)
			}
		case *core.Map:
			over(op.Arrays...)
		case *core.Reduce:
			over(op.Array)
		case *core.Scan:
			over(op.Array)
		}
	}
	return e
}

// turns adds a number of turns, unless it is past counting.
func (e *extent) turns(n int) { e.fixed += min(max(n, 0), 1<<40) }

// elements is how many elements a region loops over, as far as that is known before it runs. The
// rows of an array are taken to be as long as the first.
func (e *extent) elements(m *machine.Machine, args []machine.Register) int {
	n := e.fixed
	for _, o := range args {
		if o.Kind == layout.P {
			n += elementCount(m.RefAt(o))
		}
	}
	for _, k := range e.slots {
		n += int(max(0, m.IntAt(args[k])))
	}
	for _, name := range e.constants {
		v, _ := m.Constant(name)
		for _, r := range v.P {
			n += elementCount(r)
		}
	}
	return n
}

func elementCount(r object.Ref) int {
	switch a := r.(type) {
	case *object.Refs:
		if len(a.V) > 0 {
			return len(a.V) * max(1, elementCount(a.V[0]))
		}
	case *object.Reals, *object.Ints, *object.Table:
		return object.Len(a)
	}
	return 0
}
