package export

import (
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/source"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// valueOf describes what values of a type are made of. The type must have a shape.
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
		types.Real: source.Real, types.Int: source.Integer,
		types.Bool: source.Truth}[types.Resolve(t)]}
}

// resultNames holds the names of the results of a function and of its derivatives, in a language
// in which each part is a result of its own: value, d_w for the gradient by w, d2_w_x for the
// second derivative by w and x, and d2_p_a_x for that by the field a of p, and x. A derivative by
// a record or tuple has its components.
var resultNames = map[string]struct {
	prefix string
	order  int // the order of the derivative by the parameters whose names follow
}{"": {"value", 0}, "_grad": {"d", 1}, "_vjp": {"d", 1}, "_jvp": {"d_value", 0},
	"_hessian": {"d2", 2}}

func (f *function) resultNames() []string {
	var list []string
	// adds a derivative by the parameters
	var add func(v *source.Value, name string, order int)
	// adds the part of it that is by one parameter
	var by func(v, param *source.Value, name string, order int)
	add = func(v *source.Value, name string, order int) {
		switch {
		case order == 0:
			for _, leaf := range v.Leaves(name) {
				list = append(list, ascii(leaf.Name))
			}
		case len(f.varied) == 1:
			add(v, name+"_"+f.params[f.varied[0]], order-1)
		default:
			for k, part := range v.Parts {
				p := f.varied[k]
				by(part, valueOf(f.types[p]), name+"_"+f.params[p], order-1)
			}
		}
	}
	by = func(v, param *source.Value, name string, order int) {
		if order == 0 || param.Kind != source.Record && param.Kind != source.Tuple {
			add(v, name, order)
			return
		}
		for k, part := range v.Parts {
			component := fmt.Sprint(k + 1)
			if param.Kind == source.Record {
				component = param.Names[k]
			}
			by(part, param.Parts[k], name+"_"+component, order)
		}
	}
	names := resultNames[f.suffix]
	add(valueOf(f.result), names.prefix, names.order)
	return list
}
