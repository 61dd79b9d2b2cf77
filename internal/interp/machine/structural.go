package machine

import (
	"cmp"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// structural executes the primitives on values of any type, and on strings.
func (m *Machine) structural(in *Instr, fn *Function, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	var r object.Ref
	var d *diag.Diagnostic
	switch in.Op {
	case OpCmpS:
		i[in.A] = object.Truth(prim.Order(in.K).Holds(strings.Compare(p[in.B].(*object.Text).S, p[in.C].(*object.Text).S)))
		return nil
	case OpLengthS:
		i[in.A] = int64(utf8.RuneCountInString(p[in.B].(*object.Text).S))
		return nil
	case OpRowSize:
		i[in.A] = -1
		rows := p[in.B].(*object.Refs)
		if len(rows.V) > 0 && rows.Flat() {
			i[in.A] = int64(object.Len(rows.V[0]))
			return nil
		}
		m.pay(len(rows.V))
		for k, row := range rows.V {
			n := int64(object.Len(row))
			if k > 0 && n != i[in.A] {
				return diag.Errorf(diag.SizesDiffer, diag.Span{},
					"the rows should have one length, but row 0 has %d and row %d has %d", i[in.A], k, n)
			}
			i[in.A] = n
		}
		return nil
	case OpFail:
		return diag.Errorf(diag.Failure, diag.Span{}, "%s", p[in.A].(*object.Text).S)
	case OpInspect:
		return m.inspect(p[in.A].(*object.Text).S, fn.Lists[in.B], m.fn.Lib.inspects[in.K], f, i, p)
	case OpNote:
		m.note(p[in.A].(*object.Text).S)
		return nil
	case OpAppendS:
		s, t := p[in.B].(*object.Text).S, p[in.C].(*object.Text).S
		if d = m.Charge(object.TextBytes + int64(len(s)) + int64(len(t))); d == nil {
			r = &object.Text{S: s + t}
		}
	case OpTextP, OpTextI, OpTextF:
		return m.textRow(in, fn.Lists[in.B], f, i, p)
	case OpShow:
		r, d = m.show(fn.Lists[in.B], m.fn.Lib.types[in.K], f, i, p)
	case OpAppend:
		n := object.Len(p[in.B])
		if r, d = m.allocArray(object.ShapeOf(p[in.B]), int64(n)+int64(object.Len(p[in.C]))); d == nil {
			object.CopyInto(r, 0, p[in.B])
			object.CopyInto(r, n, p[in.C])
		}
	case OpFlatten:
		r, d = m.flatten(p[in.B].(*object.Refs).V, m.fn.Lib.shapes[in.K])
	case OpScatter, OpAccumulate:
		l := fn.Lists[in.B]
		xs := p[l[0].Reg]
		inPlace := in.K == 1 && object.Owned(xs)
		r, d = m.scatter(xs, p[l[1].Reg].(*object.Ints), p[l[2].Reg], in.Op == OpAccumulate, inPlace)
	case OpScatterPath:
		l := fn.Lists[in.B]
		root := p[l[0].Reg]
		path := make([]int64, len(l)-3)
		for n, o := range l[3:] {
			path[n] = i[o.Reg]
		}
		r, d = m.scatterPath(root, path, p[l[1].Reg].(*object.Ints), p[l[2].Reg], in.K == 1 && object.Owned(root))
	case OpSortIndices:
		r, d = m.sortIndices(p[in.B], m.fn.Lib.types[in.K])
	default:
		panic("machine: no such instruction: " + opTable[in.Op].name)
	}
	if d == nil {
		p[in.A] = r
	}
	return d
}

// show is a value as text.
func (m *Machine) show(list []Register, t types.Type, f *windowF, i *windowI, p []object.Ref) (object.Ref, *diag.Diagnostic) {
	tree, d := m.valueIn(list, t, f, i, p)
	if d != nil {
		return nil, d
	}
	more := func() bool { d = m.Tick(); return d == nil }
	n, ok := value.Length(tree, more)
	if !ok {
		return nil, d
	}
	if d := m.Charge(object.TextBytes + n); d != nil {
		return nil, d
	}
	m.pay(int(n))
	text, ok := value.ShowIn(n, tree, more)
	if !ok {
		return nil, d
	}
	return &object.Text{S: text}, nil
}

// valueIn is the value that registers hold, without tangents.
func (m *Machine) valueIn(list []Register, t types.Type, f *windowF, i *windowI, p []object.Ref) (value.Value, *diag.Diagnostic) {
	src := object.Slots{}
	for _, o := range list {
		switch o.Kind {
		case layout.F:
			src.F = append(src.F, f[o.Reg])
		case layout.I:
			src.I = append(src.I, i[o.Reg])
		case layout.P:
			src.P = append(src.P, p[o.Reg])
		}
	}
	return m.ToValue(t, &src)
}

// textRow evaluates a row on texts. What is on the tape counts by its value.
func (m *Machine) textRow(in *Instr, list []Register, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	row := m.fn.Lib.texts[in.K]
	args := make([]any, len(list))
	for n, o := range list {
		switch o.Kind {
		case layout.F:
			x, d := m.valueIn(list[n:n+1], types.Real, f, i, p)
			if d != nil {
				return d
			}
			args[n] = float64(x.(value.Real))
		case layout.I:
			args[n] = i[o.Reg]
		case layout.P:
			switch x := p[o.Reg].(type) {
			case *object.Text:
				args[n] = x.S
			case *object.Ints:
				args[n] = x.V
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
		f[in.A] = result
	case int64:
		i[in.A] = result
	case string:
		p[in.A] = &object.Text{S: result}
		return m.Charge(object.TextBytes + int64(len(result)))
	case []int64:
		p[in.A] = &object.Ints{V: result}
		return m.Charge(object.HeaderBytes + 8*int64(len(result)))
	case []*big.Rat:
		xs := make([]float64, len(result))
		for k, q := range result {
			xs[k], _ = q.Float64()
		}
		p[in.A] = &object.Reals{V: xs}
		return m.Charge(object.HeaderBytes + 8*int64(len(xs)))
	}
	return nil
}

func (m *Machine) flatten(rows []object.Ref, s layout.Shape) (object.Ref, *diag.Diagnostic) {
	n := int64(0)
	for _, row := range rows {
		// Rows may be shared, so that the sum can be beyond any array; it cannot
		// overflow, since a row is at most 2^46 long and there are fewer rows.
		if n += int64(object.Len(row)); n > math.MaxInt64>>8 {
			break
		}
	}
	r, d := m.allocArray(s, n)
	if d != nil {
		return nil, d
	}
	at := 0
	for _, row := range rows {
		object.CopyInto(r, at, row)
		at += object.Len(row)
	}
	return r, nil
}

// scatter replaces elements of a copy, or adds to them; in place it changes
// xs itself.
func (m *Machine) scatter(xs object.Ref, at *object.Ints, ys object.Ref, accumulate, inPlace bool) (object.Ref, *diag.Diagnostic) {
	n := object.Len(xs)
	if l := object.Len(ys); l != len(at.V) {
		return nil, sizesDiffer(len(at.V), l)
	}
	for _, k := range at.V {
		if uint64(k) >= uint64(n) {
			return nil, outOfRange(k, n)
		}
	}
	m.elements(len(at.V))
	// Entries for a few additions are smaller than one for the array.
	if few := len(at.V) < n/3; accumulate && m.tape != nil && !few {
		if to, ok := xs.(*object.Reals); ok && (tape.AnyBox(to.V) || tape.AnyBox(ys.(*object.Reals).V)) {
			object.ShareAll([]object.Ref{xs, at, ys})
			return m.tapedAccumulate(to.V, at.V, ys.(*object.Reals).V)
		}
	}
	r := xs
	if !inPlace {
		var d *diag.Diagnostic
		if r, d = m.allocArray(object.ShapeOf(xs), int64(n)); d != nil {
			return nil, d
		}
		object.CopyInto(r, 0, xs)
		object.Own(r)
	}
	if accumulate {
		return r, m.addAt(r, at.V, ys)
	}
	rf, ri, rp := object.Columns(r)
	yf, yi, yp := object.Columns(ys)
	put(rf, at.V, yf)
	put(ri, at.V, yi)
	put(rp, at.V, yp)
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
func (m *Machine) addAt(r object.Ref, at []int64, ys object.Ref) *diag.Diagnostic {
	switch r := r.(type) {
	case *object.Reals:
		if m.tape == nil {
			addReals(r.V, at, ys.(*object.Reals).V)
			return nil
		}
		for j, y := range ys.(*object.Reals).V {
			r.V[at[j]] = m.tape.Apply2(m.tape.Sum, r.V[at[j]], y)
		}
		return m.tape.Failed()
	case *object.Ints:
		for j, y := range ys.(*object.Ints).V {
			x := r.V[at[j]]
			s := x + y
			if (s^x)&(s^y) < 0 {
				return overflow(prim.Add, x, y)
			}
			r.V[at[j]] = s
		}
	default:
		panic("machine: accumulate at a type that is no number")
	}
	return nil
}

// sortIndices sorts numbers, truth values or strings; the order is stable, and
// NaN comes last.
func (m *Machine) sortIndices(xs object.Ref, t types.Type) (object.Ref, *diag.Diagnostic) {
	n := object.Len(xs)
	r, d := m.allocArray(layout.Shape{I: 1}, int64(n))
	if d != nil {
		return nil, d
	}
	index := r.(*object.Ints).V
	for k := range index {
		index[k] = int64(k)
	}
	var compare func(a, b int64) int
	switch xs := xs.(type) {
	case *object.Reals:
		if m.tape != nil && tape.AnyBox(xs.V) {
			return r, m.tapedSort(index, xs.V)
		}
		compare = func(a, b int64) int { return compareReals(xs.V[a], xs.V[b]) }
	case *object.Ints:
		compare = func(a, b int64) int { return cmp.Compare(xs.V[a], xs.V[b]) }
	case *object.Refs:
		if types.Resolve(t) != types.String {
			panic("machine: sortIndices at a type that is not basic")
		}
		compare = func(a, b int64) int { return strings.Compare(xs.V[a].(*object.Text).S, xs.V[b].(*object.Text).S) }
	default:
		panic("machine: sortIndices at a type that is not basic")
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
	return int(object.Truth(math.IsNaN(x)) - object.Truth(math.IsNaN(y)))
}
