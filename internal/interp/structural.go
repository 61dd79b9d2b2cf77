package interp

import (
	"cmp"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// structural executes the primitives on values of any type, and on strings.
func (m *Machine) structural(in *instr, fn *function, f *windowF, i *windowI, p []ref) *diag.Diagnostic {
	var r ref
	var d *diag.Diagnostic
	switch in.op {
	case opCmpS:
		i[in.a] = truth(prim.Order(in.k).Holds(strings.Compare(p[in.b].(*text).s, p[in.c].(*text).s)))
		return nil
	case opLengthS:
		i[in.a] = int64(utf8.RuneCountInString(p[in.b].(*text).s))
		return nil
	case opRowSize:
		i[in.a] = -1
		for k, row := range p[in.b].(*refs).v {
			n := int64(arrayLen(row))
			if k > 0 && n != i[in.a] {
				return diag.Errorf(diag.SizesDiffer, diag.Span{},
					"the rows should have one length, but row 0 has %d and row %d has %d", i[in.a], k, n)
			}
			i[in.a] = n
		}
		return nil
	case opFail:
		return diag.Errorf(diag.Failure, diag.Span{}, "%s", p[in.a].(*text).s)
	case opInspect:
		return m.inspect(p[in.a].(*text).s, fn.lists[in.b], m.lib.inspects[in.k], f, i, p)
	case opNote:
		m.note(p[in.a].(*text).s)
		return nil
	case opAppendS:
		s, t := p[in.b].(*text).s, p[in.c].(*text).s
		if d = m.charge(textBytes + int64(len(s)) + int64(len(t))); d == nil {
			r = &text{s + t}
		}
	case opTextP, opTextI, opTextF:
		return m.textRow(in, fn.lists[in.b], f, i, p)
	case opShow:
		r, d = m.show(fn.lists[in.b], m.lib.types[in.k], f, i, p)
	case opAppend:
		n := arrayLen(p[in.b])
		if r, d = m.allocArray(arrayShape(p[in.b]), int64(n)+int64(arrayLen(p[in.c]))); d == nil {
			copyInto(r, 0, p[in.b])
			copyInto(r, n, p[in.c])
		}
	case opFlatten:
		r, d = m.flatten(p[in.b].(*refs).v, m.lib.shapes[in.k])
	case opScatter, opAccumulate:
		l := fn.lists[in.b]
		xs := p[l[0].reg]
		inPlace := in.k == 1 && owned(xs)
		r, d = m.scatter(xs, p[l[1].reg].(*ints), p[l[2].reg], in.op == opAccumulate, inPlace)
	case opScatterPath:
		l := fn.lists[in.b]
		root := p[l[0].reg]
		path := make([]int64, len(l)-3)
		for n, o := range l[3:] {
			path[n] = i[o.reg]
		}
		r, d = m.scatterPath(root, path, p[l[1].reg].(*ints), p[l[2].reg], in.k == 1 && owned(root))
	case opSortIndices:
		r, d = m.sortIndices(p[in.b], m.lib.types[in.k])
	default:
		panic("interp: no such instruction: " + opTable[in.op].name)
	}
	if d == nil {
		p[in.a] = r
	}
	return d
}

// show is a value as text.
func (m *Machine) show(list []operand, t types.Type, f *windowF, i *windowI, p []ref) (ref, *diag.Diagnostic) {
	tree, d := m.valueIn(list, t, f, i, p)
	if d != nil {
		return nil, d
	}
	n := value.Length(tree)
	if d := m.charge(textBytes + n); d != nil {
		return nil, d
	}
	m.pay(int(n))
	return &text{value.ShowIn(n, tree)}, nil
}

// valueIn is the value that registers hold, without tangents.
func (m *Machine) valueIn(list []operand, t types.Type, f *windowF, i *windowI, p []ref) (value.Value, *diag.Diagnostic) {
	src := Slots{}
	for _, o := range list {
		switch o.kind {
		case layout.F:
			src.f = append(src.f, f[o.reg])
		case layout.I:
			src.i = append(src.i, i[o.reg])
		case layout.P:
			src.p = append(src.p, p[o.reg])
		}
	}
	return m.toValue(t, &src)
}

// textRow evaluates a row on texts. What is on the tape counts by its value.
func (m *Machine) textRow(in *instr, list []operand, f *windowF, i *windowI, p []ref) *diag.Diagnostic {
	row := m.lib.texts[in.k]
	args := make([]any, len(list))
	for n, o := range list {
		switch o.kind {
		case layout.F:
			x, d := m.valueIn(list[n:n+1], types.Real, f, i, p)
			if d != nil {
				return d
			}
			args[n] = float64(x.(value.Real))
		case layout.I:
			args[n] = i[o.reg]
		case layout.P:
			switch x := p[o.reg].(type) {
			case *text:
				args[n] = x.s
			case *ints:
				args[n] = x.v
			}
		}
		if s, ok := args[n].(string); ok {
			m.pay(len(s))
		}
	}
	result, problem := row.Text(args)
	if problem != "" {
		return diag.Errorf(diag.Failure, diag.Span{}, "%s", problem)
	}
	switch result := result.(type) {
	case float64:
		f[in.a] = result
	case int64:
		i[in.a] = result
	case string:
		p[in.a] = &text{result}
		return m.charge(textBytes + int64(len(result)))
	case []int64:
		p[in.a] = &ints{v: result}
		return m.charge(headerBytes + 8*int64(len(result)))
	case []*big.Rat:
		xs := make([]float64, len(result))
		for k, q := range result {
			xs[k], _ = q.Float64()
		}
		p[in.a] = &reals{v: xs}
		return m.charge(headerBytes + 8*int64(len(xs)))
	}
	return nil
}

func (m *Machine) flatten(rows []ref, s layout.Shape) (ref, *diag.Diagnostic) {
	n := int64(0)
	for _, row := range rows {
		// Rows may be shared, so that the sum can be beyond any array; it cannot
		// overflow, since a row is at most 2^46 long and there are fewer rows.
		if n += int64(arrayLen(row)); n > math.MaxInt64>>8 {
			break
		}
	}
	r, d := m.allocArray(s, n)
	if d != nil {
		return nil, d
	}
	at := 0
	for _, row := range rows {
		copyInto(r, at, row)
		at += arrayLen(row)
	}
	return r, nil
}

// scatter replaces elements of a copy, or adds to them; in place it changes
// xs itself.
func (m *Machine) scatter(xs ref, at *ints, ys ref, accumulate, inPlace bool) (ref, *diag.Diagnostic) {
	n := arrayLen(xs)
	if l := arrayLen(ys); l != len(at.v) {
		return nil, sizesDiffer(len(at.v), l)
	}
	for _, k := range at.v {
		if uint64(k) >= uint64(n) {
			return nil, outOfRange(k, n)
		}
	}
	m.elements(len(at.v))
	// Entries for a few additions are smaller than one for the array.
	if few := len(at.v) < n/3; accumulate && m.tape != nil && !few {
		if to, ok := xs.(*reals); ok && (tape.AnyBox(to.v) || tape.AnyBox(ys.(*reals).v)) {
			shareAll([]ref{xs, at, ys})
			return m.tapedAccumulate(to.v, at.v, ys.(*reals).v)
		}
	}
	r := xs
	if !inPlace {
		var d *diag.Diagnostic
		if r, d = m.allocArray(arrayShape(xs), int64(n)); d != nil {
			return nil, d
		}
		copyInto(r, 0, xs)
		own(r)
	}
	if accumulate {
		return r, m.addAt(r, at.v, ys)
	}
	rf, ri, rp := columns(r)
	yf, yi, yp := columns(ys)
	put(rf, at.v, yf)
	put(ri, at.v, yi)
	put(rp, at.v, yp)
	return r, nil
}

// put replaces the elements of columns at the given indices.
func put[T any](to [][]T, at []int64, from [][]T) {
	for c, col := range from {
		for j, k := range at {
			to[c][k] = col[j]
		}
	}
}

// addAt adds ys, in order, to the elements at the given indices.
func (m *Machine) addAt(r ref, at []int64, ys ref) *diag.Diagnostic {
	switch r := r.(type) {
	case *reals:
		if m.tape == nil {
			addReals(r.v, at, ys.(*reals).v)
			return nil
		}
		for j, y := range ys.(*reals).v {
			r.v[at[j]] = m.tape.Apply2(m.tape.Sum, r.v[at[j]], y)
		}
		return m.tape.Failed()
	case *ints:
		for j, y := range ys.(*ints).v {
			x := r.v[at[j]]
			s := x + y
			if (s^x)&(s^y) < 0 {
				return overflow(prim.Add, x, y)
			}
			r.v[at[j]] = s
		}
	default:
		panic("interp: accumulate at a type that is no number")
	}
	return nil
}

// sortIndices sorts numbers, truth values or strings; the order is stable, and
// NaN comes last.
func (m *Machine) sortIndices(xs ref, t types.Type) (ref, *diag.Diagnostic) {
	n := arrayLen(xs)
	r, d := m.allocArray(layout.Shape{I: 1}, int64(n))
	if d != nil {
		return nil, d
	}
	index := r.(*ints).v
	for k := range index {
		index[k] = int64(k)
	}
	var compare func(a, b int64) int
	switch xs := xs.(type) {
	case *reals:
		if m.tape != nil && tape.AnyBox(xs.v) {
			return r, m.tapedSort(index, xs.v)
		}
		compare = func(a, b int64) int { return compareReals(xs.v[a], xs.v[b]) }
	case *ints:
		compare = func(a, b int64) int { return cmp.Compare(xs.v[a], xs.v[b]) }
	case *refs:
		if types.Resolve(t) != types.String {
			panic("interp: sortIndices at a type that is not basic")
		}
		compare = func(a, b int64) int { return strings.Compare(xs.v[a].(*text).s, xs.v[b].(*text).s) }
	default:
		panic("interp: sortIndices at a type that is not basic")
	}
	return r, m.sortStable(index, compare)
}

func compareReals(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	return int(truth(math.IsNaN(x)) - truth(math.IsNaN(y)))
}
