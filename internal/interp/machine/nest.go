package machine

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

// Note [Nests]
//
// A nest is an array operation with loops in its body, like the product of two
// matrices
//
//	[[inner row column for column in columns] for row in a]
//
// Note [Wholes] makes one entry of the tape of each inner product, n² of them.
// A nest is one entry. It runs as code without a tape, on the values of what
// it is given, and its derivative is what package diff makes of its core.
//
// Code without a tape does not notice ties. A nest therefore has no operation
// that can have one: no comparison or rounding of reals, no row with a kink. It
// computes something, too: boxes that are only moved need no entry at all. And
// its loops only add to their states: of others, package diff would compute
// the states twice, which the tape has anyway.
//
// An entry costs as much as its operands have reals, in the run and in each
// sweep. A nest that reads a few elements of a large array would pay for all
// of it. So the operands that no loop of the nest runs through are limited to
// what loops of its length would look at (maxNestReals).

// Nest is the instruction that runs a nest as a whole, in front of its loop:
// if it does, it leaves nothing to that.
type Nest struct {
	Whole        *Whole
	Index, Bound Slot   // of the loop
	Out          []Slot // the registers of the result
	Parts        []int  // the parameters that no loop runs through
	plain        Derived
}

// maxNestReals is how many reals a nest of n turns may be given in operands
// that no loop runs through.
func maxNestReals(n int64) int64 { return 4 * n * n }

// code compiles the nest without a tape.
func (n *Nest) code(opts Options) (*Code, error) {
	return n.plain.Program(opts, func() (*core.Program, error) {
		fun := core.NewCopier(nil).Lambda(n.Whole.Fun)
		return &core.Program{Defs: []*core.Def{core.FunDef(derivedName, nil, fun, diag.Span{})}}, nil
	})
}

// nestOp runs a nest as a whole if some of its reals are boxed and it is worth
// it. A failure is left to the loop, which runs into it at its place.
func (m *Machine) nestOp(n *Nest, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	t, w, opts := m.tape, n.Whole, m.code.opts
	turns := i[n.Bound.Reg]
	if t.Depth == 0 || t.Mode.Each || turns == 0 {
		return nil
	}
	node := newWholeNode(w, f, i, p)
	size, parts := turns, int64(0)
	for _, a := range node.args {
		size += countReals(a, opts.wholeFrom())
	}
	for _, k := range n.Parts {
		parts += countReals(node.args[k], maxNestReals(turns)+1)
	}
	if size < opts.wholeFrom() || parts > maxNestReals(turns) || !node.look(t) {
		return nil
	}
	if node.record(t) {
		if _, err := w.pullCode(opts, node.wanted); err != nil {
			return nil
		}
	}
	code, err := n.code(opts)
	if err != nil {
		return nil
	}
	var args object.Slots
	for _, a := range node.args {
		args.Add(PlainSlots(t, a))
	}
	out, d := m.RunDerived(code, derivedName, args, m.layouts.Of(w.Result).Shape())
	if d != nil {
		return nil
	}
	if node.record(t) {
		var ok bool
		if out, ok = putWhole(t, node, out); !ok {
			return t.Failed()
		}
	}
	for _, s := range n.Out {
		switch s.Kind {
		case layout.F:
			f[s.Reg] = out.Real()
		case layout.I:
			i[s.Reg] = out.Int()
		case layout.P:
			p[s.Reg] = out.Ref()
		}
	}
	i[n.Index.Reg] = turns
	return nil
}
