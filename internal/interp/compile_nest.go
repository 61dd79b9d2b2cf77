package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// nest puts the instruction before a loop that is a nest.
func (c *funCompiler) nest(
	op core.Op, body *core.Block, whole func() *machine.Whole, loop *counting, out []machine.Slot,
) {
	if !c.taped || c.opts.NoVector || !isNest(op, body) {
		return
	}
	if w := whole(); w != nil {
		n := &machine.Nest{Whole: w, Index: loop.index, Bound: loop.bound, Out: out, Parts: readInPart(w.Fun)}
		c.emit(machine.Instr{Op: machine.OpNest, K: c.lib.Nest(n)})
	}
}

// isNest tells whether an operation is a nest: see Note [Nests].
func isNest(op core.Op, body *core.Block) bool {
	s := nestScan{}
	if !s.op(op) {
		return false
	}
	s.loops = false
	return s.block(body) && s.loops && s.computes
}

// nestScan looks at the operations in the body of a loop.
type nestScan struct {
	loops    bool // there is a loop
	computes bool // there is arithmetic on reals
}

// block tells whether a block may be in a nest.
func (n *nestScan) block(b *core.Block) bool {
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok || !n.op(let.Op) {
			return false
		}
		fine := true
		nested := core.Parts{Block: func(b *core.Block) { fine = fine && n.block(b) }}
		if nested.Visit(let.Op); !fine {
			return false
		}
	}
	return true
}

func (n *nestScan) op(op core.Op) bool {
	switch op := op.(type) {
	case *core.Prim:
		return n.prim(op)
	case *core.Tuple, *core.Record, *core.Proj, *core.Field, *core.If,
		*core.Array, *core.Index, *core.Slice, *core.CheckSize:
		return true
	case *core.Map, *core.Build:
		n.loops = true
		return true
	case *core.Reduce, *core.Loop:
		n.loops = true
		return diff.OnlyAdds(op)
	}
	return false
}

func (n *nestScan) prim(op *core.Prim) bool {
	row := op.Prim
	ofReals := len(op.Args) > 0 && types.Resolve(op.Args[0].Type()) == types.Real
	switch row.Float.(type) {
	case nil:
		switch row.ID {
		case prim.Eq, prim.Ne:
			return !ofReals
		case prim.Length, prim.Append, prim.Flatten, prim.Accumulate:
			return true
		}
		return row.Int != nil
	case prim.ToInt:
		return false
	case prim.Compare:
		return !ofReals
	}
	if types.Resolve(core.TypeOf(op)) == types.Int {
		return true
	}
	n.computes = n.computes || len(row.Partials) > 0 || row.Pullback != nil
	return row.Kink == ""
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
