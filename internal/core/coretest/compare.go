package coretest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Show writes a value so that two values are equal, bit for bit, exactly if their texts are
// equal. Any NaN equals any other. All functions look alike.
func Show(v Value) string {
	var b strings.Builder
	show(&b, v)
	return b.String()
}

func show(b *strings.Builder, v Value) {
	list := func(open string, vs []Value, closing string) {
		b.WriteString(open)
		for i, v := range vs {
			if i > 0 {
				b.WriteString(", ")
			}
			show(b, v)
		}
		b.WriteString(closing)
	}
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) {
			b.WriteString("nan")
		} else {
			b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
			b.WriteByte('r')
		}
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case string:
		b.WriteString(strconv.Quote(v))
	case Tuple:
		list("(", v, ")")
	case Con:
		list(v.Con.Name+"(", v.Args, ")")
	case Array:
		list("[", v, "]")
	case *Closure:
		b.WriteString("<fun>")
	default:
		panic(fmt.Sprintf("coretest: no value: %T", v))
	}
}

// Outcome writes the result of an evaluation: its value, or the code and the place of its error.
func Outcome(v Value, err *diag.Diagnostic) string {
	if err == nil {
		return Show(v)
	}
	return fmt.Sprintf("%s at %s..%d", err.Code, err.Span, err.Span.End)
}

// Export converts a value of the given type to what evaluators return.
func Export(v Value, t types.Type) value.Value {
	switch v := v.(type) {
	case float64:
		return value.Real(v)
	case int64:
		return value.Int(v)
	case bool:
		return value.Bool(v)
	case string:
		return value.String(v)
	case Tuple:
		if r, ok := t.(*types.Record); ok {
			record := make(value.Record, len(v))
			for i, f := range r.Fields {
				record[i] = value.Field{Name: f.Name, Value: Export(v[i], f.Type)}
			}
			return record
		}
		tuple := make(value.Tuple, len(v))
		for i, e := range v {
			tuple[i] = Export(e, t.(*types.Tuple).Elems[i])
		}
		return tuple
	case Con:
		con := value.Con{Name: v.Con.Name}
		for i, f := range v.Con.FieldTypes(t.(*types.Data)) {
			con.Args = append(con.Args, Export(v.Args[i], f))
		}
		return con
	case Array:
		return exportArray(v, t.(*types.Array).Elem)
	}
	return value.Func{Type: types.Show(t)}
}

func exportArray(xs Array, elem types.Type) value.Value {
	switch elem {
	case types.Real:
		return value.Reals(floats(xs))
	case types.Int:
		ints := make(value.Ints, len(xs))
		for i, x := range xs {
			ints[i] = x.(int64)
		}
		return ints
	}
	array := make(value.Array, len(xs))
	for i, x := range xs {
		array[i] = Export(x, elem)
	}
	return array
}
