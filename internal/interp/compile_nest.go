package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/region"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// nest puts the instruction before a loop that is a nest.
func (c *funCompiler) nest(
	op core.Op, body *core.Block, whole func() *machine.Whole, loop *counting, out []machine.Slot,
) {
	if !c.taped || c.opts.NoVector || !region.IsNest(op, body) {
		return
	}
	if w := whole(); w != nil {
		n := &machine.Nest{Whole: w, Index: loop.index, Bound: loop.bound, Out: out, Parts: readInPart(w.Fun)}
		c.emit(machine.Instr{Op: machine.OpNest, K: c.lib.Nest(n)})
	}
}

// readInPart lists the parameters of a function that no loop runs through, down
// to their reals, or only if some condition holds.
func readInPart(fun *core.Lambda) (list []int) {
	elements := map[core.Atom][]*core.Var{} // what loops over an array call its elements
	var visit func(b *core.Block)
	nested := core.Parts{Block: func(b *core.Block) { visit(b) }}
	visit = func(b *core.Block) {
		for _, s := range b.Stmts {
			op := s.(*core.Let).Op
			switch op := op.(type) {
			case *core.If:
				continue
			case *core.Map:
				for k, array := range op.Arrays {
					elements[array] = append(elements[array], op.Params[k])
				}
			case *core.Reduce:
				elements[op.Array] = append(elements[op.Array], op.Elem)
			case *core.Loop:
				if head, ok := op.Head.(*core.Each); ok {
					elements[head.Array] = append(elements[head.Array], head.Elem)
				}
			}
			nested.Visit(op)
		}
	}
	visit(fun.Body)
	var through func(v *core.Var) bool
	through = func(v *core.Var) bool {
		if _, ok := types.Resolve(v.Ty).(*types.Array); !ok {
			return true
		}
		return slices.ContainsFunc(elements[v], through)
	}
	for k, v := range fun.Params {
		if !through(v) {
			list = append(list, k)
		}
	}
	return list
}
