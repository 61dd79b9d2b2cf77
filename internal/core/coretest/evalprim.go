package coretest

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// prim applies a primitive: by the evaluator of its row, or here if it is
// structural.
func (e *evaluator) prim(let *core.Let, op *core.Prim, args []Value) (Value, *diag.Diagnostic) {
	if e.reals != nil {
		if v, err, ok := e.reals.prim(e, let, op, args); ok {
			return v, err
		}
	}
	column := op.Prim.Float
	if len(args) > 0 && op.Prim.Int != nil {
		if _, isInt := args[0].(int64); isInt {
			column = op.Prim.Int
		}
	}
	checked := func(n int64, code diag.Code) (Value, *diag.Diagnostic) {
		if code != "" {
			return nil, diag.Errorf(code, let.At, "%s", op.Prim.Name)
		}
		return n, nil
	}
	_, isBasic := basicArg(args)
	switch f := column.(type) {
	case prim.Real1:
		return f(args[0].(float64)), nil
	case prim.Real2:
		return f(args[0].(float64), args[1].(float64)), nil
	case prim.Family:
		ints, xs := partsOf[float64](args)
		return f(ints, xs), nil
	case prim.IntReal:
		return f(args[0].(int64), args[1].(float64)), nil
	case prim.RealInt:
		return f(args[0].(float64), args[1].(int64)), nil
	case prim.ToInt:
		return checked(f(args[0].(float64)))
	case prim.Int1:
		return checked(f(args[0].(int64)))
	case prim.Int2:
		return checked(f(args[0].(int64), args[1].(int64)))
	case prim.FromInt:
		return f(args[0].(int64)), nil
	case prim.IntCompare:
		return f(args[0].(int64), args[1].(int64)), nil
	case prim.Compare:
		if isBasic {
			return op.Prim.Order.Holds(compareBasic(args[0], args[1])), nil
		}
		return f(args[0].(float64), args[1].(float64)), nil
	case prim.Bool1:
		return f(args[0].(bool)), nil
	case prim.Fold:
		return f(floats(args[0].(Array))), nil
	case prim.MapArray:
		xs := floats(args[0].(Array))
		into := make([]float64, len(xs))
		f(into, xs)
		return fromFloats(into), nil
	case prim.Constant:
		return f, nil
	case prim.Whole:
		return whole(let, f, args)
	}
	if op.Prim.Text != nil {
		return textRow(let, op, args)
	}
	if IsCalculus(op.Prim) {
		return nil, diag.Errorf(diag.StrategyLimits, let.At,
			"the executable semantics over doubles does not cover `%s`", op.Prim.Name)
	}
	on := realOps{
		plus:   func(x, y Value) Value { return x.(float64) + y.(float64) },
		times:  func(x, y Value) Value { return x.(float64) * y.(float64) },
		over:   func(x, y Value) Value { return x.(float64) / y.(float64) },
		number: func(n int) Value { return float64(n) },
	}
	if v, d, ok := leafOp(let, op, args, on); ok {
		return v, d
	}
	if core.IsRule(op) {
		return e.apply(args[0], args[len(args)-1:], let.At)
	}
	return structural(let, op, args)
}

// basicArg reports whether the first argument is a Bool or a String.
func basicArg(args []Value) (Value, bool) {
	if len(args) == 0 {
		return nil, false
	}
	switch args[0].(type) {
	case bool, string:
		return args[0], true
	}
	return nil, false
}

// compareBasic orders two leaves: false before true, texts by their bytes.
func compareBasic(x, y Value) int {
	switch x := x.(type) {
	case bool:
		return cmp.Compare(bit(x), bit(y.(bool)))
	case string:
		return strings.Compare(x, y.(string))
	case int64:
		return cmp.Compare(x, y.(int64))
	case float64:
		y := y.(float64)
		return cmp.Or(cmp.Compare(bit(x != x), bit(y != y)), cmp.Compare(x, y)) // NaN comes last
	}
	panic("coretest: a comparison at a structured type")
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// IsCalculus reports whether a row is about functions of reals: derivatives,
// integrals, roots and optima.
func IsCalculus(row *prim.Prim) bool {
	return row.Kind == prim.Derivation || row.Kind == prim.Search
}

func structural(let *core.Let, op *core.Prim, args []Value) (Value, *diag.Diagnostic) {
	switch op.Prim.ID {
	case prim.Length:
		return int64(len(args[0].(Array))), nil
	case prim.Fail:
		return nil, diag.Errorf(diag.Failure, let.At, "%s", args[0])
	case prim.Append:
		return slices.Concat(args[0].(Array), args[1].(Array)), nil
	case prim.Flatten:
		all := Array{}
		for _, row := range args[0].(Array) {
			all = append(all, row.(Array)...)
		}
		return all, nil
	case prim.RowSize:
		rows := args[0].(Array)
		for _, row := range rows {
			if len(row.(Array)) != len(rows[0].(Array)) {
				return nil, diag.Errorf(diag.SizesDiffer, let.At, "rows of different lengths")
			}
		}
		if len(rows) == 0 {
			return int64(-1), nil
		}
		return int64(len(rows[0].(Array))), nil
	case prim.Scatter, prim.Accumulate:
		return scatter(let, op, args[0].(Array), args[1].(Array), args[2].(Array))
	case prim.SortIndices:
		xs := args[0].(Array)
		indices := make(Array, len(xs))
		for i := range indices {
			indices[i] = int64(i)
		}
		slices.SortStableFunc(indices, func(i, j Value) int {
			return compareBasic(xs[i.(int64)], xs[j.(int64)])
		})
		return indices, nil
	case prim.Show:
		return value.Show(Export(args[0], op.Inst[0])), nil
	case prim.Eq, prim.Ne:
		return op.Prim.Order.Holds(compareBasic(args[0], args[1])), nil
	case prim.StopGradient:
		return args[0], nil
	case prim.Jumps, prim.Narrow:
		// steps are approximations of the same solution, however they are chosen
		return false, nil
	case prim.Note, prim.Inspect:
		return Tuple{}, nil
	case prim.StringAppend:
		return args[0].(string) + args[1].(string), nil
	case prim.StringLength:
		return int64(utf8.RuneCountInString(args[0].(string))), nil
	}
	panic(fmt.Sprintf("coretest: no semantics for the primitive %s", op.Prim.Name))
}

// textRow evaluates a row on texts.
func textRow(let *core.Let, op *core.Prim, args []Value) (Value, *diag.Diagnostic) {
	plain := make([]any, len(args))
	for i, a := range args {
		plain[i] = a
		if xs, ok := a.(Array); ok {
			numbers := make([]int64, len(xs))
			for k, x := range xs {
				numbers[k] = x.(int64)
			}
			plain[i] = numbers
		}
	}
	result, problem := op.Prim.Text(plain)
	if problem != "" {
		return nil, diag.Errorf(diag.Failure, let.At, "%s", problem)
	}
	switch result := result.(type) {
	case int64:
		if let.Var.Ty == types.Type(types.Bool) {
			return result != 0, nil
		}
	case []int64:
		xs := make(Array, len(result))
		for k, n := range result {
			xs[k] = n
		}
		return xs, nil
	case []*big.Rat:
		xs := make(Array, len(result))
		for k, q := range result {
			xs[k], _ = q.Float64()
		}
		return xs, nil
	}
	return result, nil
}

func scatter(let *core.Let, op *core.Prim, xs, at, ys Array) (Value, *diag.Diagnostic) {
	if len(at) != len(ys) {
		return nil, diag.Errorf(diag.SizesDiffer, let.At, "%d indices for %d values",
			len(at), len(ys))
	}
	result := slices.Clone(xs)
	for k, i := range at {
		i := i.(int64)
		if i < 0 || i >= int64(len(xs)) {
			return nil, diag.Errorf(diag.IndexOutOfRange, let.At, "index %d of %d", i, len(xs))
		}
		if op.Prim.ID == prim.Scatter {
			result[i] = ys[k]
			continue
		}
		plus := prim.Add.Row()
		if op.Inst[0] == types.Type(types.Real) {
			result[i] = plus.Float.(prim.Real2)(result[i].(float64), ys[k].(float64))
			continue
		}
		sum, code := plus.Int.(prim.Int2)(result[i].(int64), ys[k].(int64))
		if code != "" {
			return nil, diag.Errorf(code, let.At, "accumulate")
		}
		result[i] = sum
	}
	return result, nil
}

func floats(xs Array) []float64 {
	fs := make([]float64, len(xs))
	for i, x := range xs {
		fs[i] = x.(float64)
	}
	return fs
}

func fromFloats(fs []float64) Array {
	xs := make(Array, len(fs))
	for i, f := range fs {
		xs[i] = f
	}
	return xs
}

// partsOf returns the integers and the reals of the arguments of a family.
func partsOf[T any](args []Value) (ints []int64, xs []T) {
	for _, a := range args {
		if n, ok := a.(int64); ok {
			ints = append(ints, n)
		} else {
			xs = append(xs, a.(T))
		}
	}
	return ints, xs
}
