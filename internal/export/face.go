package export

import (
	"github.com/fluxion-lang/fluxion/internal/loop/source"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// valueOf says what values of a type are made of. The type has a shape.
func valueOf(t types.Type) *source.Value { return valueIn(t, false) }

func valueIn(t types.Type, inArray bool) *source.Value {
	parts := func(kind source.ValueKind, ts []types.Type) *source.Value {
		v := &source.Value{Kind: kind}
		for _, t := range ts {
			v.Parts = append(v.Parts, valueIn(t, inArray))
		}
		return v
	}
	switch t := types.Resolve(t).(type) {
	case *types.Array:
		return &source.Value{Kind: source.List, Parts: []*source.Value{valueIn(t.Elem, true)},
			Counted: leavesIn(lower.ResultShapeOf(t), inArray)[0] == length}
	case *types.Tuple:
		return parts(source.Tuple, t.Elems)
	case *types.Record:
		v := &source.Value{Kind: source.Record}
		for _, f := range t.Fields {
			v.Names, v.Parts = append(v.Names, f.Name), append(v.Parts, valueIn(f.Type, inArray))
		}
		return v
	case *types.Data:
		v := &source.Value{Kind: source.Choice}
		switch shape := lower.ResultShapeOf(t); {
		case shape.Kind == lower.VariantShape:
			v.Kind = source.Variant
			for _, c := range t.Decl.Cons {
				v.Parts = append(v.Parts, parts(source.Tuple, c.FieldTypes(t)))
			}
		case shape.Kind == lower.ProductShape:
			v = parts(source.Data, t.Decl.Cons[0].FieldTypes(t))
		}
		v.Type = t.Decl.Name
		for _, c := range t.Decl.Cons {
			v.Names = append(v.Names, c.Name)
		}
		return v
	}
	return &source.Value{Kind: map[types.Type]source.ValueKind{
		types.Real: source.Real, types.Int: source.Integer, types.Bool: source.Truth}[types.Resolve(t)]}
}

// resultNames says what the results of a function and of its derivatives are called in a language
// in which each part is one: value, d_w for the gradient by w, d2_w_x for the second derivative by w
// and x.
var resultNames = map[string]struct {
	prefix string
	order  int // of the derivative that they are, by the parameters whose names follow
}{"": {"value", 0}, "_grad": {"d", 1}, "_vjp": {"d", 1}, "_jvp": {"d_value", 0}, "_hessian": {"d2", 2}}

func (f *function) resultNames() []string {
	var list []string
	var add func(v *source.Value, name string, order int)
	add = func(v *source.Value, name string, order int) {
		switch {
		case order == 0:
			for _, leaf := range v.Leaves(name) {
				list = append(list, ascii(leaf.Name))
			}
		case len(f.varied) == 1:
			add(v, name+"_"+f.varied[0], order-1)
		default:
			for k, part := range v.Parts {
				add(part, name+"_"+f.varied[k], order-1)
			}
		}
	}
	names := resultNames[f.suffix]
	add(valueOf(f.result), names.prefix, names.order)
	return list
}
