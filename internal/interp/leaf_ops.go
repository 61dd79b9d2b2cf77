package interp

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
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

func (op *leafOp) String() string { return op.row.String() }

func (op *leafOp) within() string { return "" }

func (op *leafOp) run(m *Machine, args object.Slots) (result object.Slots, d *diag.Diagnostic) {
	var factor float64
	if op.row == prim.ScaleReal {
		factor, args.F = args.F[0], args.F[1:]
	}
	first := args.Take(op.shape)
	u, d := m.leavesOf(op.ty, first)
	if d == nil {
		d = m.charge(int64(len(u.Reals)) * 8)
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
		result, d = m.withLeaves(op.ty, first, xs)
	case prim.StopGradient:
		if m.tape != nil {
			u.Reals = m.stopped(u.Reals)
		}
		result, d = m.withLeaves(op.ty, first, u.Reals)
	case prim.ScaleReal:
		for k, x := range u.Reals {
			u.Reals[k] = m.times(factor, x)
		}
		result, d = m.withLeaves(op.ty, first, u.Reals)
	default:
		v, failure := m.leavesOf(op.ty, args.Take(op.shape))
		if failure != nil {
			return object.Slots{}, failure
		}
		if !u.SameShape(v) {
			return object.Slots{}, diag.Errorf(diag.ShapesDiffer, diag.Span{}, "the values have different shapes").
				WithHint("they must have the same constructors and the same lengths of arrays")
		}
		if op.row == prim.AddReal {
			for k, x := range v.Reals {
				u.Reals[k] = m.plus(u.Reals[k], x)
			}
			result, d = m.withLeaves(op.ty, first, u.Reals)
			break
		}
		sum := 0.0
		for k, x := range v.Reals {
			sum = m.plus(sum, m.times(u.Reals[k], x))
		}
		result.F = []float64{sum}
	}
	if d == nil && m.tape != nil {
		d = m.tape.Failed()
	}
	return result, d
}

// stopped are reals as constants of derivatives. The slope that a search takes to find its way is
// that of the values, and goes on.
func (m *Machine) stopped(xs []float64) []float64 {
	list := make([]float64, len(xs))
	for k, x := range xs {
		v, mask := m.tape.Look(x)
		if list[k] = v; mask != 0 && mask == m.tape.Mode.Slope {
			list[k] = x
		}
	}
	return list
}

// plus and times are arithmetic on reals that may be boxed.
func (m *Machine) plus(x, y float64) float64 {
	r := x + y
	if r == r || m.tape == nil {
		return r
	}
	return m.tape.Apply(m.tape.Sum, x, y, 0)
}

func (m *Machine) times(x, y float64) float64 {
	r := x * y
	if r == r || m.tape == nil {
		return r
	}
	return m.tape.Apply(m.tape.Product, x, y, 0)
}
