package prim

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// All returns the rows in the order of the documentation. The slice is shared.
func All() []*Prim { return table().rows }

// Lookup returns a row by the name that programs (or, for a hidden row, the standard library)
// write, or nil. The operator .* is the row "scale".
func Lookup(name string) *Prim { return table().byName[name] }

type index struct {
	rows   []*Prim
	byName map[string]*Prim
}

var table = sync.OnceValue(func() index {
	t := index{byName: map[string]*Prim{}}
	for _, group := range [][]*Prim{
		arithmetic(), powers(), trigonometry(), hyperbolic(), special(), families(), smooth(),
		comparisons(), rounding(), integers(), bitwise(), characters(), arrays(), matrices(),
		structural(), texts(), builtins(), calculus(),
	} {
		for _, row := range group {
			if t.byName[row.Name] != nil {
				panic(fmt.Sprintf("prim: two rows are called %s", row.Name))
			}
			t.byName[row.Name] = row
			t.rows = append(t.rows, row)
			if int(row.ID) != len(t.rows) {
				panic(fmt.Sprintf("prim: %s is not at the place of its identity", row.Name))
			}
			complete(row)
		}
	}
	t.byName[".*"] = t.byName["scale"]
	return t
})

// callCost is the cost of a function such as exp.
const callCost = 11

// complete fills in the columns that follow from the rest of a row.
func complete(row *Prim) {
	row.Interval = identified(row.Interval, row.ID)
	if row.Cost == 0 {
		row.Cost = 1
		if row.Float != nil {
			row.Cost = callCost
		}
	}
}

// identified attaches the identity of its row to a function on sets. Numbers that are more than
// sets (germs, analytic continuations) recognise the function by it.
func identified(f any, id ID) any {
	switch f := f.(type) {
	case tier.Fun1:
		f.Row = int(id)
		return f
	case tier.Fun2:
		f.Row = int(id)
		return f
	case tier.FunFamily:
		f.Row = int(id)
		return f
	case tier.FunInt:
		f.Row = int(id)
		return f
	}
	return f
}

// The points that the Special columns use.
var (
	inf     = math.Inf(1)
	nan     = math.NaN()
	negZero = math.Copysign(0, -1)
)

const (
	tiny    = math.SmallestNonzeroFloat64
	largest = math.MaxFloat64
	small   = 0x1p-1022 // the smallest normal double
)

// points returns a list of samples with one argument each.
func points(xs ...float64) [][]float64 {
	ps := make([][]float64, len(xs))
	for i, x := range xs {
		ps[i] = []float64{x}
	}
	return ps
}

// ---- types of rows

// The types of most rows.
var (
	constant = types.Mono(types.Real)
	real1    = types.Mono(types.Funs(types.Real, types.Real))
	real2    = types.Mono(types.Funs(types.Real, types.Real, types.Real))
	int2     = types.Mono(types.Funs(types.Int, types.Int, types.Int))
	toInt    = types.Mono(types.Funs(types.Int, types.Real))
)

func param(name string, classes types.Classes) *types.Param {
	return &types.Param{Name: name, Classes: classes}
}

func size(name string) *types.Size { return &types.Size{Kind: types.SizeParam, Name: name} }

func array(n *types.Size, elem types.Type) types.Type { return &types.Array{Size: n, Elem: elem} }

func pair(a, b types.Type) types.Type { return &types.Tuple{Elems: []types.Type{a, b}} }

// forAll quantifies over every type and size variable of a type.
func forAll(t types.Type) *types.Scheme {
	scheme := &types.Scheme{Params: types.Params(t), Type: t}
	var walk func(types.Type) types.Type
	walk = func(t types.Type) types.Type {
		if a, ok := t.(*types.Array); ok {
			a.Size.Variables(func(v *types.Size) {
				if !slices.Contains(scheme.Sizes, v) {
					scheme.Sizes = append(scheme.Sizes, v)
				}
			})
		}
		return types.Map(t, walk)
	}
	walk(t)
	return scheme
}

// endo returns the type c a => a -> … -> a, with n arguments.
func endo(c types.Classes, n int) *types.Scheme {
	a := param("a", c)
	args := make([]types.Type, n)
	for i := range args {
		args[i] = a
	}
	return forAll(types.Funs(a, args...))
}
