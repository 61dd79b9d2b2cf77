package object

import (
	"errors"
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Conversion between slots and trees of values follows the type. Data nests
// as deeply as a program made it (a list of a million elements a million
// deep), so both directions keep the work that is left in a list of their own
// instead of on the Go stack.

// unfold is a data value still to be converted, and where its tree goes.
type unfold struct {
	ty *types.Data
	r  Ref
	to *value.Value
}

// Meter is what pays for objects and values that are made.
type Meter interface {
	// Spend pays for memory that is about to be allocated, and for work on so many elements. What
	// cannot be paid for is not made.
	Spend(bytes int64, work int) *diag.Diagnostic
}

// ToValue takes the slots of a value and gives its tree, with numbers for the reals that are on the
// tape, if there is one. The tree is paid for like anything that a program makes: data that shares
// parts can unfold to a tree of exponential size.
func ToValue(ls *layout.Layouts, by Meter, on *tape.Tape, t types.Type, from *Slots) (
	value.Value, *diag.Diagnostic) {
	c := converter{layouts: ls, by: by, tape: on}
	var root value.Value
	c.convert(t, from, &root)
	for len(c.todo) > 0 && c.failure == nil {
		u := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		c.unfold(u)
	}
	return root, c.failure
}

// converter is a conversion to values in progress.
type converter struct {
	layouts *layout.Layouts
	by      Meter
	tape    *tape.Tape
	todo    []unfold
	failure *diag.Diagnostic
}

// The sizes that parts of a tree are charged with.
const (
	conBytes   = 96 // with what is left to do for it
	valueBytes = 24 // a component, with its number boxed
)

const conWork = 16 // elements of an array that take as long as a part of a tree does at least

// pay charges n components, and tells whether that was possible.
func (c *converter) pay(n int) bool {
	if c.failure == nil {
		c.failure = c.by.Spend(conBytes+valueBytes*int64(n), conWork+n)
	}
	return c.failure == nil
}

// convert converts all but the fields of referenced data, which it notes.
func (c *converter) convert(t types.Type, from *Slots, to *value.Value) {
	if c.failure != nil { // what failed did not take its slots
		return
	}
	t = types.Resolve(t)
	switch t {
	case types.Real:
		x := from.Real()
		if c.tape != nil {
			x = c.tape.Value(x) // what is shown inside a derivative
		}
		*to = value.Real(x)
		return
	case types.Int:
		*to = value.Int(from.Int())
		return
	case types.Bool:
		*to = value.Bool(from.Int() != 0)
		return
	case types.String:
		*to = value.String(from.Ref().(*Text).S)
		return
	}
	switch t := t.(type) {
	case *types.Fun:
		from.Ref()
		*to = value.Func{Type: types.Show(t)}
	case *types.Tuple:
		if !c.pay(len(t.Elems)) {
			return
		}
		tuple := make(value.Tuple, len(t.Elems))
		for n, e := range t.Elems {
			c.convert(e, from, &tuple[n])
		}
		*to = tuple
	case *types.Record:
		if !c.pay(2 * len(t.Fields)) {
			return
		}
		record := make(value.Record, len(t.Fields))
		for n, f := range t.Fields {
			record[n].Name = f.Name
			c.convert(f.Type, from, &record[n].Value)
		}
		*to = record
	case *types.Array:
		*to = c.array(t, from.Ref())
	case *types.Data:
		switch c.layouts.Form(t) {
		case layout.Enum:
			*to = value.Con{Name: t.Decl.Cons[from.Int()].Name}
		case layout.Flat:
			*to = c.con(t.Decl.Cons[0], t, from)
		default:
			c.todo = append(c.todo, unfold{t, from.Ref(), to})
		}
	}
}

func (c *converter) con(con *types.Con, t *types.Data, from *Slots) value.Value {
	if !c.pay(len(con.Fields)) {
		return nil
	}
	args := make([]value.Value, len(con.Fields))
	for n, ft := range con.FieldTypes(t) {
		c.convert(ft, from, &args[n])
	}
	return value.Con{Name: con.Name, Args: args}
}

// unfold converts a referenced data value.
func (c *converter) unfold(u unfold) {
	con, from := Unpack(c.layouts, u.ty, u.r)
	*u.to = c.con(con, u.ty, &from)
}

// Unpack is the constructor and the fields of a referenced data value.
func Unpack(ls *layout.Layouts, ty *types.Data, r Ref) (con *types.Con, from Slots) {
	switch r := r.(type) {
	case *Cell:
		con = ty.Decl.Cons[r.Tag]
		from = Slots{F: []float64{math.Float64frombits(r.W)}, I: []int64{int64(r.W)}, P: []Ref{r.P}}
	case *Node:
		con = ty.Decl.Cons[r.Tag]
		words, ptrs := 0, 0
		for _, k := range ls.Fields(con, ty) {
			switch k {
			case layout.F:
				from.F = append(from.F, r.Real(words))
				words++
			case layout.I:
				from.I = append(from.I, r.Word(words))
				words++
			case layout.P:
				from.P = append(from.P, r.Ref(ptrs))
				ptrs++
			}
		}
	}
	return con, from
}

func (c *converter) array(t *types.Array, r Ref) value.Value {
	switch types.Resolve(t.Elem) {
	case types.Real:
		xs := r.(*Reals).V
		if c.tape != nil {
			xs = c.tape.Plain(xs)
		}
		return value.Reals(xs)
	case types.Int:
		return value.Ints(r.(*Ints).V)
	}
	if !c.pay(Len(r)) {
		return nil
	}
	array := make(value.Array, Len(r))
	f, i, p := Columns(r)
	var from Slots
	for at := range array {
		from.F, from.I, from.P = from.F[:0], from.I[:0], from.P[:0]
		for _, col := range f {
			from.F = append(from.F, col[at])
		}
		for _, col := range i {
			from.I = append(from.I, col[at])
		}
		for _, col := range p {
			from.P = append(from.P, col[at])
		}
		if c.failure != nil {
			return nil
		}
		c.convert(t.Elem, &Slots{from.F, from.I, from.P}, &array[at])
	}
	return array
}

// ---- values in

// fold is a constructor whose arguments are being converted.
type fold struct {
	ty   *types.Data
	con  *types.Con
	sink Slots
}

// FromValue appends the slots of a value to a sink.
func FromValue(ls *layout.Layouts, t types.Type, v value.Value, to *Slots) error {
	t = types.Resolve(t)
	switch t {
	case types.Real:
		switch v := v.(type) {
		case value.Real:
			to.F = append(to.F, float64(v))
		case value.Int: // 2 is a Real by context, as in programs
			to.F = append(to.F, float64(v))
		case value.Numeral:
			to.F = append(to.F, v.Near)
		default:
			return mismatch(t, v)
		}
		return nil
	case types.Int:
		n, ok := v.(value.Int)
		if !ok {
			return mismatch(t, v)
		}
		to.I = append(to.I, int64(n))
		return nil
	case types.Bool:
		b, ok := v.(value.Bool)
		if !ok {
			return mismatch(t, v)
		}
		to.I = append(to.I, Truth(bool(b)))
		return nil
	case types.String:
		s, ok := v.(value.String)
		if !ok {
			return mismatch(t, v)
		}
		to.P = append(to.P, &Text{string(s)})
		return nil
	}
	switch t := t.(type) {
	case *types.Tuple:
		tuple, ok := v.(value.Tuple)
		if !ok || len(tuple) != len(t.Elems) {
			return mismatch(t, v)
		}
		for n, e := range t.Elems {
			if err := FromValue(ls, e, tuple[n], to); err != nil {
				return err
			}
		}
		return nil
	case *types.Record:
		record, ok := v.(value.Record)
		if !ok || len(record) != len(t.Fields) {
			return mismatch(t, v)
		}
		for n, f := range t.Fields {
			if record[n].Name != f.Name {
				return mismatch(t, v)
			}
			if err := FromValue(ls, f.Type, record[n].Value, to); err != nil {
				return err
			}
		}
		return nil
	case *types.Array:
		return fromArray(ls, t, v, to)
	case *types.Data:
		return fromCon(ls, t, v, to)
	}
	return errors.New("a function cannot be given as a value")
}

func fromArray(ls *layout.Layouts, t *types.Array, v value.Value, to *Slots) error {
	n, ok := value.Len(v)
	if !ok {
		return mismatch(t, v)
	}
	var cols columnSink
	if err := fromElements(ls, t.Elem, v, n, &cols); err != nil {
		return err
	}
	to.P = append(to.P, cols.array(n))
	return nil
}

// columnSink collects the columns of an array.
type columnSink struct {
	f [][]float64
	i [][]int64
	p [][]Ref
}

// array is the array of n elements with these columns.
func (c *columnSink) array(n int) Ref {
	switch (layout.Shape{F: len(c.f), I: len(c.i), P: len(c.p)}) {
	case layout.Shape{F: 1}:
		return &Reals{V: c.f[0]}
	case layout.Shape{I: 1}:
		return &Ints{V: c.i[0]}
	case layout.Shape{P: 1}:
		return &Refs{V: c.p[0]}
	}
	return &Table{N: n, F: c.f, I: c.i, P: c.p}
}

// fromElements appends the columns of the n elements of an array. Columns of numbers are shared
// with the value, where it has them.
func fromElements(ls *layout.Layouts, elem types.Type, v value.Value, n int, to *columnSink) error {
	elem = types.Resolve(elem)
	switch v := v.(type) {
	case value.Reals:
		if elem == types.Real {
			to.f = append(to.f, v)
			return nil
		}
	case value.Numerals:
		if elem == types.Real {
			to.f = append(to.f, v.Near)
			return nil
		}
	case value.Ints:
		if elem == types.Int {
			to.i = append(to.i, v)
			return nil
		}
	case value.Strings:
		if elem == types.String {
			to.p = append(to.p, texts(v))
			return nil
		}
	case value.Table:
		if parts := types.Parts(elem); len(parts) == len(v.Columns) {
			for k, part := range parts {
				if err := fromElements(ls, part, v.Columns[k], n, to); err != nil {
					return err
				}
			}
			return nil
		}
	}
	r := NewArray(ls.Of(elem).Shape(), n)
	f, i, p := Columns(r)
	var one Slots
	for at := range n {
		one.F, one.I, one.P = one.F[:0], one.I[:0], one.P[:0]
		if err := FromValue(ls, elem, value.At(v, at), &one); err != nil {
			return err
		}
		for k, x := range one.F {
			f[k][at] = x
		}
		for k, x := range one.I {
			i[k][at] = x
		}
		for k, x := range one.P {
			p[k][at] = x
		}
	}
	to.f, to.i, to.p = append(to.f, f...), append(to.i, i...), append(to.p, p...)
	return nil
}

// texts makes a column of texts, in which words that repeat are one object.
func texts(words []string) []Ref {
	known := map[string]*Text{}
	column := make([]Ref, len(words))
	for k, w := range words {
		t := known[w]
		if t == nil {
			t = &Text{w}
			if len(known) < 1<<16 {
				known[w] = t
			}
		}
		column[k] = t
	}
	return column
}

// fromCon converts a data value. A constructor's last argument, which is
// where lists nest, is converted by the loop and not by recursion.
func fromCon(ls *layout.Layouts, t *types.Data, v value.Value, to *Slots) error {
	var pending []*fold
	var result Slots
	for {
		c, ok := v.(value.Con)
		con := constructor(t, c.Name)
		if !ok || con == nil || len(con.Fields) != len(c.Args) {
			return mismatch(t, v)
		}
		fo := &fold{ty: t, con: con}
		pending = append(pending, fo)
		fields := con.FieldTypes(t)
		last := len(fields) - 1
		for n, ft := range fields {
			if n == last {
				if d, ok := types.Resolve(ft).(*types.Data); ok && ls.Form(d) >= layout.Cell {
					t, v = d, c.Args[n]
					break
				}
			}
			if err := FromValue(ls, ft, c.Args[n], &fo.sink); err != nil {
				return err
			}
			if n == last {
				last = -1
			}
		}
		if last == -1 {
			break
		}
	}
	for n := len(pending) - 1; n >= 0; n-- {
		fo := pending[n]
		fo.sink.F = append(fo.sink.F, result.F...)
		fo.sink.I = append(fo.sink.I, result.I...)
		fo.sink.P = append(fo.sink.P, result.P...)
		result = pack(ls, fo)
	}
	to.F = append(to.F, result.F...)
	to.I = append(to.I, result.I...)
	to.P = append(to.P, result.P...)
	return nil
}

// pack makes a data value of its fields' slots.
func pack(ls *layout.Layouts, fo *fold) Slots {
	s := fo.sink
	switch form := ls.Form(fo.ty); form {
	case layout.Flat:
		return s
	case layout.Enum:
		return Slots{I: []int64{int64(fo.con.Tag)}}
	case layout.Cell:
		c := &Cell{Tag: fo.con.Tag}
		for _, x := range s.F {
			c.W = math.Float64bits(x)
		}
		for _, x := range s.I {
			c.W = uint64(x)
		}
		for _, x := range s.P {
			c.P = x
		}
		return Slots{P: []Ref{c}}
	}
	n := &Node{Tag: fo.con.Tag}
	n.Grow(len(s.F)+len(s.I), len(s.P))
	var at layout.Shape
	words := 0
	for _, k := range ls.Fields(fo.con, fo.ty) {
		switch c := at.Next(k); k {
		case layout.F:
			n.SetWord(words, math.Float64bits(s.F[c]))
			words++
		case layout.I:
			n.SetWord(words, uint64(s.I[c]))
			words++
		case layout.P:
			n.SetRef(c, s.P[c])
		}
	}
	return Slots{P: []Ref{n}}
}

func constructor(t *types.Data, name string) *types.Con {
	for _, con := range t.Decl.Cons {
		if con.Name == name {
			return con
		}
	}
	return nil
}

func mismatch(t types.Type, v value.Value) error {
	return fmt.Errorf("a value of the type %s is expected, not %s", types.Show(t),
		diag.Shorten(value.Show(v)))
}
