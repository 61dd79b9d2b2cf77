package value

import (
	"math/big"
	"strconv"
)

// Values from data files. They are stored in columns, because a file can have a hundred million
// rows: an array of records is one array per field. Evaluators that take a value accept these
// too. Len and At treat all arrays in the same way.
type (
	// Numeral is a real that was written as a decimal. It holds the nearest double, and the text
	// if that is not the shortest decimal of the double.
	Numeral struct {
		Near float64
		Text string
	}
	// Numerals is an array of Numerals. Texts holds the texts, by index, of those that need one.
	Numerals struct {
		Near  []float64
		Texts map[int]string
	}
	// Bools is an array of truth values.
	Bools []bool
	// Strings is an array of texts.
	Strings []string
	// Optional is an array of the prelude's Option. Where Missing is set the element is None, and
	// otherwise Some of the element of Of at the same index.
	Optional struct {
		Missing []bool
		Of      Value
	}
	// Table is an array of records, or of tuples if Names is nil. It holds an array for each
	// component, in the order of the type.
	Table struct {
		Rows    int
		Names   []string
		Columns []Value
	}
)

// Rat returns the decimal as a rational.
func (n Numeral) Rat() *big.Rat {
	text := n.Text
	if text == "" {
		text = strconv.FormatFloat(n.Near, 'g', -1, 64)
	}
	q, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("value: a numeral that is not a decimal: " + text)
	}
	return q
}

// At returns an element.
func (ns Numerals) At(i int) Numeral { return Numeral{ns.Near[i], ns.Texts[i]} }

// Len returns the length of an array; ok is false for any other value.
func Len(v Value) (n int, ok bool) {
	switch v := v.(type) {
	case Reals:
		return len(v), true
	case Ints:
		return len(v), true
	case Array:
		return len(v), true
	case Numerals:
		return len(v.Near), true
	case Bools:
		return len(v), true
	case Strings:
		return len(v), true
	case Optional:
		return len(v.Missing), true
	case Table:
		return v.Rows, true
	}
	return 0, false
}

// At returns an element of an array.
func At(v Value, i int) Value {
	switch v := v.(type) {
	case Reals:
		return Real(v[i])
	case Ints:
		return Int(v[i])
	case Array:
		return v[i]
	case Numerals:
		return v.At(i)
	case Bools:
		return Bool(v[i])
	case Strings:
		return String(v[i])
	case Optional:
		if v.Missing[i] {
			return Con{Name: "None"}
		}
		return Con{Name: "Some", Args: []Value{At(v.Of, i)}}
	case Table:
		if v.Names == nil {
			tuple := make(Tuple, len(v.Columns))
			for k, column := range v.Columns {
				tuple[k] = At(column, i)
			}
			return tuple
		}
		record := make(Record, len(v.Columns))
		for k, column := range v.Columns {
			record[k] = Field{v.Names[k], At(column, i)}
		}
		return record
	}
	panic("value: not an array")
}

// Plain returns a value without columns and numerals, as evaluators on doubles return it.
func Plain(v Value) Value {
	switch v := v.(type) {
	case Numeral:
		return Real(v.Near)
	case Numerals:
		return Reals(v.Near)
	case Bools, Strings, Optional, Table, Array:
		n, _ := Len(v)
		array := make(Array, n)
		for i := range array {
			array[i] = Plain(At(v, i))
		}
		return array
	case Tuple:
		tuple := make(Tuple, len(v))
		for i, e := range v {
			tuple[i] = Plain(e)
		}
		return tuple
	case Record:
		record := make(Record, len(v))
		for i, f := range v {
			record[i] = Field{f.Name, Plain(f.Value)}
		}
		return record
	case Con:
		args := make([]Value, len(v.Args))
		for i, a := range v.Args {
			args[i] = Plain(a)
		}
		return Con{Name: v.Name, Args: args}
	}
	return v
}
