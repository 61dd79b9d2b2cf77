package exact

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Function is a function that is evaluated on boxes: sets of arguments, one for each real of it.
type Function struct {
	r       *runner
	efforts map[uint]*effort // by precision
}

// NewFunction makes a program's Main ready, which is the pair of a function S -> T and of a value
// of type S, neither with functions in it; the value says what the arguments look like.
func NewFunction(ctx context.Context, p *core.Program, o Options) (*Function, *diag.Diagnostic) {
	r, d := newRunner(ctx, p, o, [][]int{})
	return &Function{r, map[uint]*effort{}}, d
}

// On evaluates the function once, in numbers of a precision, on a box with a set for each real of
// the argument. The result has a set for each real that contains the values at all points of the
// box. A diagnostic says why there is none.
func (f *Function) On(bits uint, box []Enclosure) (value.Value, *diag.Diagnostic) {
	e := f.efforts[bits]
	if e == nil {
		e = &effort{bits: bits, tol: jet.Exp2(-int64(bits) / 2), cells: 1 << 14, calls: 1 << 20}
		f.efforts[bits] = e
	}
	r := f.r
	o := r.onBox(e, box)
	var d *diag.Diagnostic
	at := r.program.Main.At
	switch {
	case errors.As(o.err, &d):
		return nil, d
	case errors.Is(o.err, errUndecided) && o.tie != nil:
		return nil, diag.Errorf(diag.Undecided, o.tie.at, "which side this comparison takes is not known on the whole box")
	case o.err != nil:
		return nil, diag.Errorf(diag.EffortSpent, at, "%v", o.err)
	case o.unknown && o.trouble.code != "":
		return nil, diag.Errorf(o.trouble.code, o.trouble.at, "%s", o.trouble.what)
	case o.unknown:
		return nil, diag.Errorf(diag.Undefined, at, "some real is not known on the box")
	}
	return o.tree, nil
}

// onBox evaluates the function that Main gives on a box.
func (r *runner) onBox(e *effort, box []Enclosure) outcome {
	m, p := r.machine, r.parts[slices.IndexFunc(r.parts, func(p *part) bool { return p.def != nil })]
	pair := types.Resolve(p.def.Type).(*types.Tuple).Elems
	to := types.Resolve(pair[0]).(*types.Fun).Result
	return r.evaluatePart(e, p, func(v slots) (slots, types.Type, error) {
		like := v.part(shape{p: 1}, shapeOf(pair[1]))
		k := -1
		x, err := m.leaves(diag.Span{}, pair[1], []slots{like}, func([]jet.Jet) jet.Jet {
			k++
			n := m.N
			lo, _ := box[k].Lo.Rat(nil)
			hi, _ := box[k].Hi.Rat(nil)
			if lo.Cmp(hi) == 0 {
				return m.Const(n.Rat(lo))
			}
			return m.Const(n.Span(n.Rat(lo), n.Rat(hi)))
		})
		y := makeSlots(shapeOf(to))
		if err == nil {
			err = m.call(v.p[0].(*closure), x, []shape{shapeOf(pair[1])}, y)
		}
		return y, to, err
	})
}

// Point is the set of one dyadic number.
func Point(x *big.Float) Enclosure { return Enclosure{Lo: x, Hi: x} }
