package core

import (
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Embed emits statements that build a value of a type without functions.
func (b *Builder) Embed(v value.Value, ty types.Type) Atom {
	switch v := v.(type) {
	case value.Real:
		return b.embedReal(float64(v))
	case value.Int:
		return IntLit(int64(v))
	case value.Bool:
		return BoolLit(bool(v))
	case value.String:
		return StringLit(string(v))
	case value.Tuple:
		if len(v) == 0 {
			return UnitLit()
		}
		tuple := types.Resolve(ty).(*types.Tuple)
		elems := make([]Atom, len(v))
		for i, e := range v {
			elems[i] = b.Embed(e, tuple.Elems[i])
		}
		return b.Let("t", ty, &Tuple{Elems: elems}, diag.Span{})
	case value.Record:
		record := types.Resolve(ty).(*types.Record)
		elems := make([]Atom, len(v))
		for i, f := range v {
			elems[i] = b.Embed(f.Value, record.Fields[i].Type)
		}
		return b.Let("r", ty, &Record{Ty: record, Elems: elems}, diag.Span{})
	case value.Con:
		data := types.Resolve(ty).(*types.Data)
		for _, con := range data.Decl.Cons {
			if con.Name == v.Name {
				fields := con.FieldTypes(data)
				args := make([]Atom, len(v.Args))
				for i, a := range v.Args {
					args[i] = b.Embed(a, fields[i])
				}
				return b.Let("c", ty, &Construct{Con: con, Ty: data, Args: args}, diag.Span{})
			}
		}
	case value.Numeral:
		if math.IsNaN(v.Near) || math.IsInf(v.Near, 0) {
			return b.Embed(value.Real(v.Near), ty)
		}
		return RealLit(v.Rat())
	}
	if n, ok := value.Len(v); ok {
		return b.embedArray(n, ty, func(i int) value.Value { return value.At(v, i) })
	}
	panic("core: a value that does not have its type")
}

// embedReal emits a double: a literal, or the operation that computes an infinity, NaN or the
// negative zero, which are not literals.
func (b *Builder) embedReal(x float64) Atom {
	atReal := []types.Type{types.Real}
	by := func(row prim.ID, inst []types.Type, args ...int64) Atom {
		op := &Prim{Prim: row.Row(), Inst: inst}
		for _, a := range args {
			op.Args = append(op.Args, RealLit(big.NewRat(a, 1)))
		}
		return b.Let("x", types.Real, op, diag.Span{})
	}
	switch {
	case math.IsNaN(x):
		return by(prim.Quo, atReal, 0, 0)
	case math.IsInf(x, 1):
		return by(prim.Quo, atReal, 1, 0)
	case math.IsInf(x, -1):
		return by(prim.Quo, atReal, -1, 0)
	case x == 0 && math.Signbit(x):
		return by(prim.Neg, atReal, 0)
	}
	return RealLit(new(big.Rat).SetFloat64(x))
}

func (b *Builder) embedArray(n int, ty types.Type, at func(int) value.Value) Atom {
	elem := types.Resolve(ty).(*types.Array).Elem
	elems := make([]Atom, n)
	for i := range elems {
		elems[i] = b.Embed(at(i), elem)
	}
	return b.Let("xs", ty, &Array{Elem: elem, Elems: elems}, diag.Span{})
}
