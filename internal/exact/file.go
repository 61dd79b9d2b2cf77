package exact

import (
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// file compiles the contents of a data file. Decimals are rationals, enclosed anew at each
// precision; doubles are themselves.
func (c *compiler) file(s *core.Let, op *core.Prim, into place) place {
	lit, ok := op.Args[0].(*core.Lit)
	if !ok || lit.Data == nil {
		panic("exact: a data file that was not read")
	}
	m, v, ty := c.m, *lit.Data, s.Var.Ty
	in := &importer{m: m, at: s.At, rounded: c.rounded}
	c.emit(func(f *regs) error {
		all := makeSlots(shapeOf(ty))
		if err := in.value(ty, v, all); err != nil {
			return err
		}
		f.scatter(into, all)
		return nil
	})
	return into
}

// importer converts values that come from outside: the reverse of export.
type importer struct {
	m       *machine
	at      diag.Span
	rounded bool // whether reals are the doubles nearest to them: Note [Certifier]
}

// value stores the slots of a value.
func (in *importer) value(t types.Type, v value.Value, to slots) error {
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		switch v := v.(type) {
		case value.Real:
			return in.real(float64(v), to, func() jet.Jet { return in.m.double(float64(v)) })
		case value.Numeral:
			return in.real(v.Near, to, func() jet.Jet { return in.numeral(v) })
		case value.Int:
			to.i[0] = int64(v)
		case value.Bool:
			to.i[0] = truth(bool(v))
		case value.String:
			to.p[0] = string(v)
		}
	case *types.Tuple:
		return in.parts(t.Elems, v.(value.Tuple), to)
	case *types.Record:
		ts := make([]types.Type, len(t.Fields))
		parts := make([]value.Value, len(t.Fields))
		for k, f := range v.(value.Record) {
			ts[k], parts[k] = t.Fields[k].Type, f.Value
		}
		return in.parts(ts, parts, to)
	case *types.Array:
		n, _ := value.Len(v)
		size := shapeOf(t.Elem)
		if err := in.m.room(in.at, int64(n), size); err != nil {
			return err
		}
		xs := makeArray(n, size)
		for k := range n {
			if err := in.value(t.Elem, value.At(v, k), xs.at(k, size)); err != nil {
				return err
			}
		}
		to.p[0] = xs
	case *types.Data:
		c := v.(value.Con)
		for k, con := range t.Decl.Cons {
			if con.Name == c.Name {
				fields := con.FieldTypes(t)
				d := &data{k, makeSlots(shapesOf(fields))}
				to.p[0] = d
				return in.parts(fields, c.Args, d.slots)
			}
		}
	}
	return nil
}

// real stores a number that is near a double, which may be none: that is known to be wrong, except
// where doubles are meant.
func (in *importer) real(near float64, to slots, number func() jet.Jet) error {
	switch {
	case !math.IsNaN(near) && !math.IsInf(near, 0):
		to.r[0] = number()
	case in.rounded:
		to.r[0] = in.m.Unknown()
	default:
		return diag.Errorf(diag.WrongData, in.at, "%s in these data is not a real number", value.Show(value.Real(near))).
			WithHint("evaluation on doubles takes nan and infinities; in exact evaluation all numbers are real")
	}
	return nil
}

func (in *importer) parts(ts []types.Type, vs []value.Value, to slots) error {
	var before shape
	for k, t := range ts {
		size := shapeOf(t)
		if err := in.value(t, vs[k], to.part(before, size)); err != nil {
			return err
		}
		before = before.plus(size)
	}
	return nil
}

// numeral is a decimal as a set.
func (in *importer) numeral(v value.Numeral) jet.Jet {
	if in.rounded || v.Text == "" && v.Near == math.Trunc(v.Near) && math.Abs(v.Near) < 1<<53 {
		return in.m.double(v.Near)
	}
	var q *big.Rat = v.Rat()
	return in.m.Const(in.m.N.Rat(q))
}
