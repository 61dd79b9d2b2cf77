package derive

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// leafOp is a primitive on the reals of values of any type.
type leafOp struct {
	row   prim.ID
	ty    types.Type
	shape layout.Shape
}

// OnLeaves makes the operation of an application of addReal, scaleReal, innerReal, reals, withReals,
// stopGradient or deviation.
func OnLeaves(ls *layout.Layouts, op *core.Prim) machine.Operation {
	ty := op.Args[0].Type()
	switch op.Prim.ID {
	case prim.ScaleReal:
		ty = op.Args[1].Type()
	case prim.Deviation:
		ty = op.Args[2].Type()
	}
	return &leafOp{op.Prim.ID, ty, ls.Of(ty).Shape()}
}

func (op *leafOp) String() string { return op.row.String() }

func (op *leafOp) Within() string { return "" }

func (op *leafOp) Run(m *machine.Machine, args object.Slots) (result object.Slots, d *diag.Diagnostic) {
	if op.row == prim.Deviation {
		return op.deviation(m, args)
	}
	var factor float64
	if op.row == prim.ScaleReal {
		factor, args.F = args.F[0], args.F[1:]
	}
	first := args.Take(op.shape)
	u, d := m.LeavesOf(op.ty, first)
	if d == nil {
		d = m.Charge(int64(len(u.Reals)) * 8)
	}
	if d != nil {
		return object.Slots{}, d
	}
	switch op.row {
	case prim.Reals:
		result.P = []object.Ref{&object.Reals{V: u.Reals}}
	case prim.WithReals:
		xs := args.P[0].(*object.Reals).V
		if len(xs) != len(u.Reals) {
			return object.Slots{}, diag.Errorf(diag.ShapesDiffer, diag.Span{}, "a value with %d reals cannot take %d", len(u.Reals), len(xs))
		}
		result, d = m.WithLeaves(op.ty, first, xs)
	case prim.StopGradient:
		if m.Tape() != nil {
			u.Reals = stopped(m, u.Reals)
		}
		result, d = m.WithLeaves(op.ty, first, u.Reals)
	case prim.ScaleReal:
		for k, x := range u.Reals {
			u.Reals[k] = times(m, factor, x)
		}
		result, d = m.WithLeaves(op.ty, first, u.Reals)
	default:
		v, failure := m.LeavesOf(op.ty, args.Take(op.shape))
		if failure != nil {
			return object.Slots{}, failure
		}
		if !u.SameShape(v) {
			return object.Slots{}, diag.Errorf(diag.ShapesDiffer, diag.Span{}, "the values have different shapes").
				WithHint("they must have the same constructors and the same lengths of arrays")
		}
		if op.row == prim.AddReal {
			for k, x := range v.Reals {
				u.Reals[k] = plus(m, u.Reals[k], x)
			}
			result, d = m.WithLeaves(op.ty, first, u.Reals)
			break
		}
		sum := 0.0
		for k, x := range v.Reals {
			sum = plus(m, sum, times(m, u.Reals[k], x))
		}
		result.F = []float64{sum}
	}
	if d == nil && m.Tape() != nil {
		d = m.Tape().Failed()
	}
	return result, d
}

// stopped are reals as constants of derivatives. The slope that a search takes to find its way is
// that of the values, and goes on.
func stopped(m *machine.Machine, xs []float64) []float64 {
	list := make([]float64, len(xs))
	for k, x := range xs {
		v, mask := m.Tape().Look(x)
		if list[k] = v; mask != 0 && mask == m.Tape().Mode.Slope {
			list[k] = x
		}
	}
	return list
}

// plus and times are arithmetic on reals that may be boxed.
func plus(m *machine.Machine, x, y float64) float64 {
	r := x + y
	if r == r || m.Tape() == nil {
		return r
	}
	return m.Tape().Apply(m.Tape().Sum, x, y, 0)
}

func times(m *machine.Machine, x, y float64) float64 {
	r := x * y
	if r == r || m.Tape() == nil {
		return r
	}
	return m.Tape().Apply(m.Tape().Product, x, y, 0)
}

// deviation is the mean over the reals of an error.
func (op *leafOp) deviation(m *machine.Machine, args object.Slots) (result object.Slots, d *diag.Diagnostic) {
	tolerance := args.F[:2]
	args.F = args.F[2:]
	var reals []float64
	n := 0
	for k := range 3 {
		x, d := m.LeavesOf(op.ty, args.Take(op.shape))
		if d != nil {
			return object.Slots{}, d
		}
		if k > 0 && len(x.Reals) != n {
			return object.Slots{}, diag.Errorf(diag.ShapesDiffer, diag.Span{}, "the states have different shapes")
		}
		n = len(x.Reals)
		reals = append(reals, x.Reals...)
	}
	t := m.Tape()
	if t == nil {
		return object.Slots{F: []float64{meanError(tolerance, [][]float64{reals}, n)}}, nil
	}
	mean, ok := t.LookedAt(func() (float64, bool) {
		jets, ok := t.Jets(reals)
		return meanError(t.Plain(tolerance), jets, n), ok
	})
	if !ok {
		return object.Slots{}, t.Failed()
	}
	return object.Slots{F: []float64{mean}}, nil
}

// meanError is the mean of n errors, which the first of the jets has in front of two states, each
// the largest of its jets.
func meanError(tolerance []float64, jets [][]float64, n int) float64 {
	sum := 0.0
	for i := range n {
		largest := func(by int) float64 {
			most := 0.0
			for k, x := range jets {
				e, w := x[i], tolerance[1]*x[by*n+i]
				if of := e * e / (tolerance[0]*tolerance[0] + w*w); k == 0 || of > most {
					most = of
				}
			}
			return most
		}
		sum += 2 / (1/largest(1) + 1/largest(2))
	}
	return sum / float64(max(1, n))
}
