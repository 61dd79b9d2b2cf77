package interp

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
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

func (op *leafOp) run(m *Machine, args Slots) (result Slots, d *diag.Diagnostic) {
	var factor float64
	if op.row == prim.ScaleReal {
		factor, args.f = args.f[0], args.f[1:]
	}
	first := args.take(op.shape)
	u, d := m.leavesOf(op.ty, first)
	if d == nil {
		d = m.charge(int64(len(u.reals)) * 8)
	}
	if d != nil {
		return Slots{}, d
	}
	switch op.row {
	case prim.Reals:
		result.p = []ref{&reals{v: u.reals}}
	case prim.WithReals:
		xs := args.p[0].(*reals).v
		if len(xs) != len(u.reals) {
			return Slots{}, diag.Errorf(diag.ShapesDiffer, diag.Span{}, "a value with %d reals cannot take %d", len(u.reals), len(xs))
		}
		result, d = m.withLeaves(op.ty, first, xs)
	case prim.StopGradient:
		if m.tape != nil {
			u.reals = m.stopped(u.reals)
		}
		result, d = m.withLeaves(op.ty, first, u.reals)
	case prim.ScaleReal:
		for k, x := range u.reals {
			u.reals[k] = m.times(factor, x)
		}
		result, d = m.withLeaves(op.ty, first, u.reals)
	default:
		v, failure := m.leavesOf(op.ty, args.take(op.shape))
		if failure != nil {
			return Slots{}, failure
		}
		if !u.sameShape(v) {
			return Slots{}, diag.Errorf(diag.ShapesDiffer, diag.Span{}, "the values have different shapes").
				WithHint("they must have the same constructors and the same lengths of arrays")
		}
		if op.row == prim.AddReal {
			for k, x := range v.reals {
				u.reals[k] = m.plus(u.reals[k], x)
			}
			result, d = m.withLeaves(op.ty, first, u.reals)
			break
		}
		sum := 0.0
		for k, x := range v.reals {
			sum = m.plus(sum, m.times(u.reals[k], x))
		}
		result.f = []float64{sum}
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
