package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// prim evaluates a primitive at closed values: A–P's ev(op, V) and
// bev(pred, V).
func (m *machine) prim(op *core.Prim, args []value.Value, at diag.Span) value.Value {
	row := op.Prim
	if v, ok := m.structural(row, args, at); ok {
		return v
	}
	m.count(1, at)
	if _, isInt := first(args).(value.Int); isInt && row.Int != nil {
		return integer(row, args, at)
	}
	switch f := row.Float.(type) {
	case prim.Constant:
		return value.Real(f)
	case prim.Real1:
		return value.Real(f(float(args[0])))
	case prim.Real2:
		return value.Real(f(float(args[0]), float(args[1])))
	case prim.Family:
		var ints []int64
		var xs []float64
		for _, a := range args {
			if n, ok := a.(value.Int); ok {
				ints = append(ints, int64(n))
			} else {
				xs = append(xs, float(a))
			}
		}
		return value.Real(f(ints, xs))
	case prim.IntReal:
		return value.Real(f(int64(args[0].(value.Int)), float(args[1])))
	case prim.RealInt:
		return value.Real(f(float(args[0]), int64(args[1].(value.Int))))
	case prim.ToInt:
		n, code := f(float(args[0]))
		if code != "" {
			failf(code, at, "no Int holds the real %s", value.Show(args[0]))
		}
		return value.Int(n)
	case prim.FromInt:
		return value.Real(f(int64(args[0].(value.Int))))
	case prim.Compare:
		if x, ok := args[0].(value.Real); ok {
			return value.Bool(f(float64(x), float(args[1])))
		}
		// Strings and truth values, whose order is that of −1, 0, 1.
		return value.Bool(f(float64(compareBasic(args[0], args[1])), 0))
	case prim.Bool1:
		return value.Bool(f(bool(args[0].(value.Bool))))
	case prim.Fold:
		xs := floats(args[0])
		m.count(int64(len(xs)), at)
		return value.Real(f(xs))
	case prim.MapArray:
		xs := floats(args[0])
		m.count(int64(len(xs)), at)
		f(xs, xs)
		return reals(xs)
	}
	if row.Order != 0 {
		return value.Bool(row.Order.Holds(compareBasic(args[0], args[1])))
	}
	refuse(at, "the primitive `%s` is not one of the first-order language", row.Name)
	return nil
}

// integer evaluates a row at Int.
func integer(row *prim.Prim, args []value.Value, at diag.Span) value.Value {
	var n int64
	var code diag.Code
	a := int64(args[0].(value.Int))
	switch f := row.Int.(type) {
	case prim.IntCompare:
		return value.Bool(f(a, int64(args[1].(value.Int))))
	case prim.Int1:
		n, code = f(a)
	case prim.Int2:
		n, code = f(a, int64(args[1].(value.Int)))
	}
	if code != "" {
		words := make([]string, len(args))
		for i, v := range args {
			words[i] = value.Show(v)
		}
		failf(code, at, "%s has no value at %s", row.Name, strings.Join(words, " and "))
	}
	return value.Int(n)
}

// structural evaluates the rows that move data about. They count nothing but
// the additions of accumulate.
func (m *machine) structural(row *prim.Prim, args []value.Value, at diag.Span) (value.Value, bool) {
	if row.Text != nil {
		return textRow(row, args, at), true
	}
	switch row.ID {
	case prim.Length:
		return value.Int(len(args[0].(value.Array))), true
	case prim.Show:
		return value.String(value.Show(args[0])), true
	case prim.Fail:
		failf(diag.Failure, at, "%s", string(args[0].(value.String)))
	case prim.Append:
		return slices.Concat(args[0].(value.Array), args[1].(value.Array)), true
	case prim.Flatten:
		all := value.Array{}
		for _, row := range args[0].(value.Array) {
			all = append(all, row.(value.Array)...)
		}
		return all, true
	case prim.Scatter:
		xs := slices.Clone(args[0].(value.Array))
		for j, k := range targets(args, at) {
			xs[k] = args[2].(value.Array)[j]
		}
		return xs, true
	case prim.Accumulate:
		xs := slices.Clone(args[0].(value.Array))
		plus := prim.Add.Row()
		for j, k := range targets(args, at) {
			xs[k] = m.prim(&core.Prim{Prim: plus}, []value.Value{xs[k], args[2].(value.Array)[j]},
				at)
		}
		return xs, true
	case prim.SortIndices:
		xs := args[0].(value.Array)
		index := make(value.Array, len(xs))
		for i := range index {
			index[i] = value.Int(i)
		}
		slices.SortStableFunc(index, func(a, b value.Value) int {
			return compareBasic(xs[a.(value.Int)], xs[b.(value.Int)])
		})
		return index, true
	case prim.RowSize:
		rows := args[0].(value.Array)
		if len(rows) == 0 {
			return value.Int(-1), true
		}
		return value.Int(commonLength(rows, at)), true
	case prim.Note, prim.Inspect:
		return value.Tuple{}, true
	case prim.StringAppend:
		return args[0].(value.String) + args[1].(value.String), true
	case prim.StringLength:
		return value.Int(utf8.RuneCountInString(string(args[0].(value.String)))), true
	}
	return nil, false
}

// textRow evaluates a row on texts.
func textRow(row *prim.Prim, args []value.Value, at diag.Span) value.Value {
	plain := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case value.String:
			plain[i] = string(a)
		case value.Int:
			plain[i] = int64(a)
		case value.Real:
			plain[i] = float64(a)
		case value.Array:
			numbers := make([]int64, len(a))
			for k, n := range a {
				numbers[k] = int64(n.(value.Int))
			}
			plain[i] = numbers
		}
	}
	result, problem := row.Text(plain)
	if problem != "" {
		failf(diag.Failure, at, "%s", problem)
	}
	switch result := result.(type) {
	case string:
		return value.String(result)
	case float64:
		return value.Real(result)
	case []int64:
		xs := make(value.Array, len(result))
		for k, n := range result {
			xs[k] = value.Int(n)
		}
		return xs
	}
	if _, kind := types.Splay(row.Scheme.Type, len(args)); kind == types.Type(types.Bool) {
		return value.Bool(result.(int64) != 0)
	}
	return value.Int(result.(int64))
}

// targets returns the indices that scatter and accumulate write to.
func targets(args []value.Value, at diag.Span) []int {
	to := args[1].(value.Array)
	commonLength(args[1:], at)
	indices := make([]int, len(to))
	for j, k := range to {
		indices[j] = checkIndex([]value.Value{args[0], k}, at)
	}
	return indices
}

// compareBasic orders two values of a basic type; NaN comes last.
func compareBasic(a, b value.Value) int {
	switch a := a.(type) {
	case value.Real:
		x, y := float64(a), float(b)
		if math.IsNaN(x) || math.IsNaN(y) {
			return cmp.Compare(truth(math.IsNaN(x)), truth(math.IsNaN(y)))
		}
		return cmp.Compare(x, y)
	case value.Int:
		return cmp.Compare(a, b.(value.Int))
	case value.String:
		return strings.Compare(string(a), string(b.(value.String)))
	case value.Bool:
		return cmp.Compare(truth(bool(a)), truth(bool(b.(value.Bool))))
	case value.Tuple: // unit
		return 0
	}
	panic(fmt.Sprintf("trace: %T is not basic", a))
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func first(args []value.Value) value.Value {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

func float(v value.Value) float64 { return float64(v.(value.Real)) }

func floats(v value.Value) []float64 {
	a := v.(value.Array)
	xs := make([]float64, len(a))
	for i, x := range a {
		xs[i] = float(x)
	}
	return xs
}

func reals(xs []float64) value.Array {
	a := make(value.Array, len(xs))
	for i, x := range xs {
		a[i] = value.Real(x)
	}
	return a
}
