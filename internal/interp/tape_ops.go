package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// tapedScalar executes an instruction on reals of which one is a NaN, and
// maybe a box.
func (m *Machine) tapedScalar(in *instr, f *windowF, i *windowI) {
	t := m.tape
	k := math.Float64frombits(uint64(in.k))
	switch in.op {
	case opAddT:
		f[in.a] = t.Apply2(t.Sum, f[in.b], f[in.c])
	case opSubT:
		f[in.a] = t.Apply2(t.Minus, f[in.b], f[in.c])
	case opMulT:
		f[in.a] = t.Apply2(t.Product, f[in.b], f[in.c])
	case opDivT:
		f[in.a] = t.Apply2(t.Over, f[in.b], f[in.c])
	case opNegT:
		f[in.a] = t.Apply(t.Negated, f[in.b], 0, 0)
	case opAddKT:
		f[in.a] = t.Apply2(t.Sum, f[in.b], k)
	case opRSubKT:
		f[in.a] = t.Apply2(t.Minus, k, f[in.b])
	case opMulKT:
		f[in.a] = t.Apply2(t.Product, f[in.b], k)
	case opDivKT:
		f[in.a] = t.Apply2(t.Over, f[in.b], k)
	case opRDivKT:
		f[in.a] = t.Apply2(t.Over, k, f[in.b])
	case opLtT:
		i[in.a] = object.Truth(t.Less(f[in.b], f[in.c], false))
	case opLeT:
		i[in.a] = object.Truth(t.Less(f[in.b], f[in.c], true))
	}
}

// rowTaped executes the application of a row to reals that may be boxed.
func (m *Machine) rowTaped(in *instr, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	t := m.tape
	switch in.op {
	case opRow1T:
		row, x := t.Rows[in.k], f[in.b]
		if x == x || !tape.IsBox(x) {
			f[in.a] = row.One(x)
			return nil
		}
		f[in.a] = t.Apply(row, x, 0, 0)
	case opRow2T:
		row, x, y := t.Rows[in.k], f[in.b], f[in.c]
		if x == x && y == y {
			f[in.a] = row.Two(x, y)
			return nil
		}
		f[in.a] = t.Apply(row, x, y, 0)
	case opRowIT:
		f[in.a] = t.Apply(t.Rows[in.k], f[in.b], 0, i[in.c])
	case opRoundT:
		round := m.lib.roundRows[in.k]
		x := t.Rounded(round, f[in.b])
		r, code := round.Float.(prim.ToInt)(x)
		if code != "" {
			return noInt(code, x)
		}
		i[in.a] = r
	case opFoldT:
		object.Share(p[in.b])
		xs := p[in.b].(*object.Reals).V
		m.elements(len(xs))
		f[in.a] = m.tapedFold(m.lib.arrayRows[in.k], xs)
	case opMapT:
		object.Share(p[in.b])
		xs := p[in.b].(*object.Reals).V
		m.elements(len(xs))
		out, d := m.tapedMap(m.lib.arrayRows[in.k], xs)
		if d != nil {
			return d
		}
		p[in.a] = out
	}
	return t.Failed()
}
