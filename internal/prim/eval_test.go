package prim_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// A tiny evaluator of the Fluxion that the table itself uses: rules, domains
// and examples. It is untyped: a value is float64, int64, bool, string,
// []any (an array or a tuple), and a literal is a float64 that becomes an
// int64 beside one.

type environment map[string]any

// parse reads one expression, or panics.
func parse(text string) syntax.Expr {
	var sink diag.List
	module := syntax.Parse(diag.NewFile("row", text+"\n"), &sink)
	if sink.Failed() || module.Final == nil {
		panic(fmt.Sprintf("%q does not parse: %v", text, sink.Sorted()))
	}
	return module.Final
}

// evaluate returns the value of an expression, or an error where evaluation
// fails or the evaluator does not know a construct.
func evaluate(text string, env environment) (value any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", text, r)
		}
	}()
	return env.eval(parse(text)), nil
}

func (env environment) eval(x syntax.Expr) any {
	switch x := x.(type) {
	case *syntax.Number:
		f, err := strconv.ParseFloat(x.Text, 64)
		if err != nil {
			panic(err)
		}
		return f
	case *syntax.String:
		return x.Value
	case *syntax.Bool:
		return x.Value
	case *syntax.Paren:
		return env.eval(x.X)
	case *syntax.Annot:
		return env.eval(x.X)
	case *syntax.Var:
		return env.variable(x.Name)
	case *syntax.Neg:
		return call(prim.Lookup("neg"), env.eval(x.X))
	case *syntax.Binary:
		return env.binary(x)
	case *syntax.Apply:
		name, hidden := "", false
		switch f := x.Fun.(type) {
		case *syntax.Var:
			name = f.Name
		case *syntax.Field: // builtin.name
			name, hidden = f.Name.Name, true
		default:
			panic(fmt.Sprintf("cannot apply %T", x.Fun))
		}
		args := make([]any, len(x.Args))
		for i, a := range x.Args {
			args[i] = env.eval(a)
		}
		row := prim.Lookup(name)
		if row == nil || row.Hidden != hidden || row.Arity() != len(args) {
			panic("no row " + name)
		}
		return call(row, args...)
	case *syntax.If:
		if env.eval(x.Cond).(bool) {
			return env.eval(x.Then)
		}
		return env.eval(x.Else)
	case *syntax.Let:
		inner := env.with(x.Bindings[0].Name(), env.eval(x.Bindings[0].Body))
		return inner.eval(x.Body)
	case *syntax.Tuple:
		return env.all(x.Elems)
	case *syntax.Array:
		return env.all(x.Elems)
	case *syntax.Comp:
		return env.comprehension(x)
	case *syntax.Index:
		return env.eval(x.X).([]any)[toInt(env.eval(x.Indices[0]))]
	}
	panic(fmt.Sprintf("cannot evaluate %T", x))
}

func (env environment) with(name string, value any) environment {
	inner := environment{name: value}
	for n, v := range env {
		if n != name {
			inner[n] = v
		}
	}
	return inner
}

func (env environment) variable(name string) any {
	if v, ok := env[name]; ok {
		return v
	}
	if row := prim.Lookup(name); row != nil && row.Arity() == 0 {
		return row.Float
	}
	panic("unknown name " + name)
}

func (env environment) all(xs []syntax.Expr) []any {
	values := make([]any, len(xs))
	for i, x := range xs {
		values[i] = env.eval(x)
	}
	return values
}

func (env environment) comprehension(x *syntax.Comp) any {
	clause := x.Clauses[0]
	name := clause.Pat.(*syntax.PVar).Name
	result := []any{}
	if clause.In {
		for _, v := range env.eval(clause.X).([]any) {
			result = append(result, env.with(name, v).eval(x.Body))
		}
		return result
	}
	for i := range toInt(env.eval(clause.X)) {
		result = append(result, env.with(name, i).eval(x.Body))
	}
	return result
}

func (env environment) binary(x *syntax.Binary) any {
	l := env.eval(x.L)
	switch x.Op {
	case syntax.OpOr:
		return l.(bool) || env.eval(x.R).(bool)
	case syntax.OpAnd:
		return l.(bool) && env.eval(x.R).(bool)
	}
	return call(prim.Lookup(x.Op.String()), l, env.eval(x.R))
}

func toInt(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	}
	panic(fmt.Sprintf("%v is no Int", v))
}

// call applies a row as a back end would.
func call(row *prim.Prim, args ...any) any {
	switch row.Name {
	case "==":
		return equal(args[0], args[1])
	case "!=":
		return !equal(args[0], args[1])
	case "length":
		return int64(len(args[0].([]any)))
	case "inner":
		sum := 0.0
		for i, u := range vector(args[0]) {
			sum += u * vector(args[1])[i]
		}
		return sum
	case "^":
		if x, ok := args[0].(float64); ok {
			return row.Float.(prim.RealInt)(x, toInt(args[1]))
		}
	}
	for i, a := range args { // componentwise
		if v, ok := a.([]any); ok && !overArray(row) {
			result := make([]any, len(v))
			for j := range v {
				part := append([]any(nil), args...)
				part[i] = v[j]
				if len(args) == 2 && i == 0 {
					if w, ok := args[1].([]any); ok {
						part[1] = w[j]
					}
				}
				result[j] = call(row, part...)
			}
			return result
		}
	}
	return callLeaf(row, args)
}

// equal compares an integer with a literal too.
func equal(a, b any) bool {
	_, m := a.(int64)
	_, n := b.(int64)
	if m || n {
		return toInt(a) == toInt(b)
	}
	return a == b
}

func overArray(row *prim.Prim) bool {
	switch row.Float.(type) {
	case prim.Fold, prim.MapArray:
		return true
	}
	return false
}

func callLeaf(row *prim.Prim, args []any) any {
	for _, a := range args {
		if _, ok := a.(int64); ok && row.Int != nil {
			return callInt(row, args)
		}
	}
	switch f := row.Float.(type) {
	case prim.Real1:
		return f(args[0].(float64))
	case prim.Real2:
		return f(args[0].(float64), args[1].(float64))
	case prim.IntReal:
		return f(toInt(args[0]), args[1].(float64))
	case prim.RealInt:
		return f(args[0].(float64), toInt(args[1]))
	case prim.Family:
		reals := len(row.Partials)
		ints, xs := make([]int64, len(args)-reals), make([]float64, reals)
		for i, a := range args {
			if i < len(ints) {
				ints[i] = toInt(a)
			} else {
				xs[i-len(ints)] = a.(float64)
			}
		}
		return f(ints, xs)
	case prim.FromInt:
		return f(toInt(args[0]))
	case prim.ToInt:
		return checked(f(args[0].(float64)))
	case prim.Int2:
		return checked(f(toInt(args[0]), toInt(args[1])))
	case prim.Compare:
		return f(args[0].(float64), args[1].(float64))
	case prim.Bool1:
		return f(args[0].(bool))
	case prim.Fold:
		return f(vector(args[0]))
	case prim.MapArray:
		into := make([]float64, len(args[0].([]any)))
		f(into, vector(args[0]))
		return boxed(into)
	}
	panic(fmt.Sprintf("cannot call %s, a %T", row.Name, row.Float))
}

func callInt(row *prim.Prim, args []any) any {
	switch f := row.Int.(type) {
	case prim.Int1:
		return checked(f(toInt(args[0])))
	case prim.Int2:
		return checked(f(toInt(args[0]), toInt(args[1])))
	case prim.IntCompare:
		return f(toInt(args[0]), toInt(args[1]))
	}
	panic(fmt.Sprintf("cannot call %s on integers, a %T", row.Name, row.Int))
}

func checked(n int64, code diag.Code) int64 {
	if code != "" {
		panic(string(code))
	}
	return n
}

func vector(v any) []float64 {
	xs := make([]float64, len(v.([]any)))
	for i, x := range v.([]any) {
		xs[i] = x.(float64)
	}
	return xs
}

func boxed(xs []float64) []any {
	values := make([]any, len(xs))
	for i, x := range xs {
		values[i] = x
	}
	return values
}

// show prints a value as `fluxion eval` does, tuples as arrays.
func show(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = show(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v)
}
