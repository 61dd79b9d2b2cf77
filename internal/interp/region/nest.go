package region

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// IsNest tells whether an operation is a nest: Note [Nests] of package machine.
func IsNest(op core.Op, body *core.Block) bool {
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
