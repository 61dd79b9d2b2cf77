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
	fixed     int         // the literal sizes of the arrays that it builds,
	sizes     []*core.Var // those that are arguments,
	slots     []int       // with their places among the operands,
	constants []string    // and arrays that are constants
}

// extentOf finds the loops of a block that are not inside others, also in functions that it differentiates, and the
// constants that it hands to functions.
func extentOf(b *core.Block) (e extent) {
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
		case *core.Prim:
			over(op.Args...)
			if !isHeavy(op) {
				break
			}
			if body := functions[op.Args[0]]; body != nil {
				inner := extentOf(body)
				e.fixed += inner.fixed
				e.constants = append(e.constants, inner.constants...)
			}
		case *core.Build:
			switch n := op.Size.(type) {
			case *core.Lit:
				e.fixed += int(n.Int)
			case *core.Var:
				e.sizes = append(e.sizes, n)
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

// elements is how many elements a region loops over, as far as that is known before it runs. The rows of an array are taken
// to be as long as the first.
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
