package curry

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// structural evaluates the structural rows. Those that
// move elements around have the pullback that moves their tangents back.
func (p *Prim) structural(m *machine, args Product) (Value, Pullback) {
	m.count(1)
	if p.Row.Text != nil {
		return p.textRow(args), discard
	}
	if p.Row.Order != 0 {
		return p.Row.Order.Holds(compareValues(args[0], args[1])), discard
	}
	switch p.Row.ID {
	case prim.Length:
		return int64(len(args[0].(Product))), discard
	case prim.RowSize:
		return p.rowSize(args[0].(Product)), discard
	case prim.Show:
		return value.Show(toValue(args[0], p.Args[0])), discard
	case prim.Fail:
		fail(diag.Errorf(diag.Failure, p.At, "%s", args[0]))
	case prim.Note, prim.Inspect:
		return Product{}, discard
	case prim.StringAppend:
		return args[0].(string) + args[1].(string), discard
	case prim.StringLength:
		return int64(utf8.RuneCountInString(args[0].(string))), discard
	case prim.SortIndices:
		return sortIndices(args[0].(Product)), discard
	case prim.Append:
		xs, ys := args[0].(Product), args[1].(Product)
		return concat(xs, ys), func(g Tangent) Tangent {
			gx, gy := m.split(g, len(xs), len(xs)+len(ys))
			return tangents(Tangents{tangents(gx), tangents(gy)})
		}
	case prim.Flatten:
		return flatten(m, args[0].(Product))
	case prim.Scatter:
		return p.scatter(m, args)
	case prim.Accumulate:
		return p.accumulate(m, args)
	}
	panic(fmt.Sprintf("curry: no implementation of %s", p.Row.Name))
}

// textRow evaluates a row on texts.
func (p *Prim) textRow(args Product) Value {
	plain := make([]any, len(args))
	for i, a := range args {
		plain[i] = a
		if xs, ok := a.(Product); ok {
			numbers := make([]int64, len(xs))
			for k, n := range xs {
				numbers[k] = n.(int64)
			}
			plain[i] = numbers
		}
	}
	result, problem := p.Row.Text(plain)
	if problem != "" {
		fail(diag.Errorf(diag.Failure, p.At, "%s", problem))
	}
	if numbers, ok := result.([]int64); ok {
		return productOf(len(numbers), func(i int) Value { return numbers[i] })
	}
	if _, kind := types.Splay(p.Row.Scheme.Type, len(args)); kind == types.Type(types.Bool) {
		return result.(int64) != 0
	}
	return result
}

func (p *Prim) rowSize(rows Product) int64 {
	size := int64(-1)
	for i, row := range rows {
		n := int64(len(row.(Product)))
		if i > 0 && n != size {
			fail(diag.Errorf(diag.SizesDiffer, p.At,
				"the rows should have one length, but row 0 has %d and row %d has %d", size, i, n))
		}
		size = n
	}
	return size
}

func sortIndices(xs Product) Product {
	index := productOf(len(xs), func(i int) Value { return int64(i) })
	slices.SortStableFunc(index, func(a, b Value) int {
		return compareValues(xs[a.(int64)], xs[b.(int64)])
	})
	return index
}

func flatten(m *machine, rows Product) (Value, Pullback) {
	flat := Product{}
	for _, row := range rows {
		flat = append(flat, row.(Product)...)
	}
	return flat, func(g Tangent) Tangent {
		gs, out := m.components(g, len(flat)), make(Tangents, len(rows))
		for i, row := range rows {
			n := len(row.(Product))
			out[i], gs = tangents(gs[:n:n]), gs[n:]
		}
		return tangents(Tangents{tangents(out)})
	}
}

// targets returns the indices that scatter and accumulate write to, checked.
func (p *Prim) targets(args Product) (xs Product, at []int, ys Product) {
	xs, ys = args[0].(Product), args[2].(Product)
	if n := len(args[1].(Product)); n != len(ys) {
		fail(diag.Errorf(diag.SizesDiffer, p.At,
			"arrays of lengths %d and %d are combined element by element", n, len(ys)))
	}
	for _, k := range args[1].(Product) {
		if uint64(k.(int64)) >= uint64(len(xs)) {
			fail(diag.Errorf(diag.IndexOutOfRange, p.At,
				"index %d is outside an array of length %d", k, len(xs)))
		}
		at = append(at, int(k.(int64)))
	}
	return xs, at, ys
}

// scatter replaces elements. If several replace the same element the last wins, and only it gets
// the element's tangent.
func (p *Prim) scatter(m *machine, args Product) (Value, Pullback) {
	xs, at, ys := p.targets(args)
	out := slices.Clone(xs)
	for j, k := range at {
		out[k] = ys[j]
	}
	return out, func(g Tangent) Tangent {
		gx, gy := slices.Clone(m.components(g, len(xs))), zeros(len(ys))
		for j := len(at) - 1; j >= 0; j-- {
			gy[j], gx[at[j]] = gx[at[j]], Zero{}
		}
		return tangents(Tangents{tangents(gx), Zero{}, tangents(gy)})
	}
}

// accumulate adds to elements.
func (p *Prim) accumulate(m *machine, args Product) (Value, Pullback) {
	xs, at, ys := p.targets(args)
	out := slices.Clone(xs)
	plus := &Prim{Row: prim.Add.Row(), Inst: []types.Type{p.Inst[0]}, At: p.At}
	for j, k := range at {
		out[k], _ = plus.run(m, Product{out[k], ys[j]})
	}
	if p.isAbout(types.Int) {
		return out, discard
	}
	return out, func(g Tangent) Tangent {
		gs, gy := m.components(g, len(xs)), zeros(len(ys))
		for j, k := range at {
			gy[j] = gs[k]
		}
		return tangents(Tangents{tangents(gs), Zero{}, tangents(gy)})
	}
}
