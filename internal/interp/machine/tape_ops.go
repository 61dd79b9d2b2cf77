package machine

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// tapedScalar executes an instruction on reals of which one is a NaN, and
// maybe a box.
func (m *Machine) tapedScalar(in *Instr, f *windowF, i *windowI) {
	t := m.tape
	k := math.Float64frombits(uint64(in.K))
	switch in.Op {
	case OpAddT:
		f[in.A] = t.Apply2(t.Sum, f[in.B], f[in.C])
	case OpSubT:
		f[in.A] = t.Apply2(t.Minus, f[in.B], f[in.C])
	case OpMulT:
		f[in.A] = t.Apply2(t.Product, f[in.B], f[in.C])
	case OpDivT:
		f[in.A] = t.Apply2(t.Over, f[in.B], f[in.C])
	case OpNegT:
		f[in.A] = t.Apply(t.Negated, f[in.B], 0, 0)
	case OpAddKT:
		f[in.A] = t.Apply2(t.Sum, f[in.B], k)
	case OpRSubKT:
		f[in.A] = t.Apply2(t.Minus, k, f[in.B])
	case OpMulKT:
		f[in.A] = t.Apply2(t.Product, f[in.B], k)
	case OpDivKT:
		f[in.A] = t.Apply2(t.Over, f[in.B], k)
	case OpRDivKT:
		f[in.A] = t.Apply2(t.Over, k, f[in.B])
	case OpLtT:
		i[in.A] = object.Truth(t.Less(f[in.B], f[in.C], false))
	case OpLeT:
		i[in.A] = object.Truth(t.Less(f[in.B], f[in.C], true))
	}
}

// rowTaped executes the application of a row to reals that may be boxed.
func (m *Machine) rowTaped(in *Instr, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	t := m.tape
	switch in.Op {
	case OpRow1T:
		row, x := t.Rows[in.K], f[in.B]
		if x == x || !tape.IsBox(x) {
			f[in.A] = row.One(x)
			return nil
		}
		f[in.A] = t.Apply(row, x, 0, 0)
	case OpRow2T:
		row, x, y := t.Rows[in.K], f[in.B], f[in.C]
		if x == x && y == y {
			f[in.A] = row.Two(x, y)
			return nil
		}
		f[in.A] = t.Apply(row, x, y, 0)
	case OpRowIT:
		f[in.A] = t.Apply(t.Rows[in.K], f[in.B], 0, i[in.C])
	case OpRoundT:
		round := m.fn.Lib.roundRows[in.K]
		x := t.Rounded(round, f[in.B])
		r, code := round.Float.(prim.ToInt)(x)
		if code != "" {
			return noInt(code, x)
		}
		i[in.A] = r
	case OpFoldT:
		object.Share(p[in.B])
		xs := p[in.B].(*object.Reals).V
		m.elements(len(xs))
		f[in.A] = m.tapedFold(m.fn.Lib.arrayRows[in.K], xs)
	case OpMapT:
		object.Share(p[in.B])
		xs := p[in.B].(*object.Reals).V
		m.elements(len(xs))
		out, d := m.tapedMap(m.fn.Lib.arrayRows[in.K], xs)
		if d != nil {
			return d
		}
		p[in.A] = out
	}
	return t.Failed()
}
