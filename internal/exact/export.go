package exact

import (
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// export converts a value to what evaluators hand back, its reals by real.
func (m *machine) export(t types.Type, v slots, real func(jet.Jet) value.Value) value.Value {
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		switch t {
		case types.Real:
			return real(v.r[0])
		case types.Bool:
			return value.Bool(v.i[0] != 0)
		case types.String:
			return value.String(v.p[0].(string))
		}
		return value.Int(v.i[0])
	case *types.Tuple:
		return value.Tuple(m.exportAll(t.Elems, v, real))
	case *types.Record:
		ts := make([]types.Type, len(t.Fields))
		for k, f := range t.Fields {
			ts[k] = f.Type
		}
		record := make(value.Record, len(ts))
		for k, x := range m.exportAll(ts, v, real) {
			record[k] = value.Field{Name: t.Fields[k].Name, Value: x}
		}
		return record
	case *types.Array:
		xs := v.p[0].(*array)
		if types.Resolve(t.Elem) == types.Int {
			return value.Ints(xs.i)
		}
		size := shapeOf(t.Elem)
		all := make(value.Array, xs.n)
		for k := range all {
			all[k] = m.export(t.Elem, xs.at(k, size), real)
		}
		return all
	case *types.Data:
		d := v.p[0].(*data)
		con := t.Decl.Cons[d.con]
		return value.Con{Name: con.Name, Args: m.exportAll(con.FieldTypes(t), d.slots, real)}
	}
	return value.Func{Type: types.Show(t)}
}

func (m *machine) exportAll(ts []types.Type, v slots, real func(jet.Jet) value.Value) []value.Value {
	all := make([]value.Value, len(ts))
	var before shape
	for k, t := range ts {
		size := shapeOf(t)
		all[k] = m.export(t, v.part(before, size), real)
		before = before.plus(size)
	}
	return all
}

// Ends are the ends of a set as exact numbers.
func Ends(x jet.Set) (lo, hi *big.Float) {
	switch {
	case x.Ball == nil:
		return float(x.Interval.Inf()), float(x.Interval.Sup())
	case !x.Ball.IsFinite():
		return float(math.Inf(-1)), float(math.Inf(1))
	}
	return dyadic(new(ball.Ball).Lower(x.Ball), false), dyadic(new(ball.Ball).Upper(x.Ball), true)
}

func float(x float64) *big.Float {
	if math.IsNaN(x) {
		x = math.Inf(1)
	}
	return new(big.Float).SetFloat64(x)
}

// maxExponent bounds the ends of enclosures, to at most 315,653 decimals before and behind
// the point: balls go far beyond, even beyond big.Float, and could not be written.
const maxExponent = 1 << 20

// dyadic is an end, moved outward where it is larger or smaller than maxExponent allows.
func dyadic(x *ball.Ball, up bool) *big.Float {
	man, exp := x.Dyadic()
	f := new(big.Float).SetPrec(uint(max(man.BitLen(), 1))).SetInt(man)
	outward := up == (man.Sign() > 0) // away from zero
	switch top := exp + int64(man.BitLen()); {
	case man.Sign() == 0:
		return f
	case top > maxExponent && outward:
		return f.SetInf(!up)
	case top > maxExponent:
		return power2(man.Sign(), maxExponent)
	case top < -maxExponent && outward:
		return power2(man.Sign(), -maxExponent)
	case top < -maxExponent:
		return new(big.Float)
	}
	return f.SetMantExp(f, int(exp))
}

// power2 is ± 2^exp.
func power2(sign, exp int) *big.Float {
	return new(big.Float).SetMantExp(big.NewFloat(float64(sign)), exp)
}
