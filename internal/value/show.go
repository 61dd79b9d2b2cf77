package value

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/notation"
)

// Printer prints values as Fluxion expressions that evaluate to the same value, except for
// functions. The zero Printer prints everything.
type Printer struct {
	// MaxElems, if positive, elides the elements of an array beyond that number as `…`.
	MaxElems int
	// MaxNesting, if positive, elides data constructors nested deeper than that as `…`. For a
	// list these are the elements beyond that number.
	MaxNesting int

	elided bool // whether something was left out

	more  func() bool // asked now and then whether to go on; nil if nothing ends the work
	items int         // values written since it was asked
	ended bool        // whether it said no
}

// between is the number of values that are written from one question whether to go on to the next.
const between = 1024

// goesOn counts a value that is written, and reports whether to go on.
func (p *Printer) goesOn() bool {
	if p.items++; p.more != nil && p.items >= between && !p.ended {
		p.items, p.ended = 0, !p.more()
	}
	return !p.ended
}

// Show prints a whole value.
func Show(v Value) string { return (&Printer{}).Show(v) }

// ShowAtMost prints a value for reading. Elements of arrays and of lists beyond the n-th are
// elided.
func ShowAtMost(v Value, n int) string { return (&Printer{MaxElems: n, MaxNesting: n}).Show(v) }

// item is a piece of output still to be written. It is a text, or a value with its nesting depth
// and whether it is an argument.
type item struct {
	text string
	v    Value
	arg  bool
	deep int
}

// Show prints a value. Pending output is kept in a list instead of on the Go stack, since a list
// of a million elements nests a million deep.
func (p *Printer) Show(v Value) string {
	var b builder
	p.write(&b, v)
	return b.String()
}

// ShowIn prints a whole value of the given Length, into memory of that size. It asks more now and
// then whether to go on. If that is false, ok is false.
func ShowIn(length int64, v Value, more func() bool) (text string, ok bool) {
	var b builder
	b.Grow(int(length))
	p := &Printer{more: more}
	p.write(&b, v)
	return b.String(), !p.ended
}

// Length returns the length of what Show prints, which may exceed the memory. It asks more like
// ShowIn.
func Length(v Value, more func() bool) (n int64, ok bool) {
	var counted length
	p := &Printer{more: more}
	p.write(&counted, v)
	return int64(counted), !p.ended
}

// output is what a Printer writes to: a builder, or a length.
type output interface {
	io.StringWriter
	io.ByteWriter
	WriteQuoted(s string)
}

// builder keeps the text.
type builder struct{ strings.Builder }

func (b *builder) WriteQuoted(s string) { notation.WriteQuoted(&b.Builder, s) }

// length only counts the bytes of the text.
type length int64

func (n *length) WriteString(s string) (int, error) {
	*n += length(len(s))
	return len(s), nil
}

func (n *length) WriteByte(byte) error {
	*n++
	return nil
}

func (n *length) WriteQuoted(s string) { *n += length(notation.QuotedLength(s)) }

func (p *Printer) write(b output, v Value) {
	todo := []item{{v: v}}
	for len(todo) > 0 && p.goesOn() {
		it := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if it.v == nil {
			b.WriteString(it.text)
			continue
		}
		todo = p.expand(b, it, todo)
	}
}

// expand writes a value without parts. It pushes the parts of any other value on the list, the
// first on top.
func (p *Printer) expand(b output, it item, todo []item) []item {
	switch v := it.v.(type) {
	case Real:
		atom(b, Decimal(float64(v)), it.arg)
	case Int:
		atom(b, strconv.FormatInt(int64(v), 10), it.arg)
	case Bool:
		b.WriteString(strconv.FormatBool(bool(v)))
	case String:
		b.WriteQuoted(string(v))
	case Func:
		b.WriteString("<function : " + v.Type + ">")
	case Reals:
		p.flat(b, len(v), func(n int) string { return Decimal(v[n]) })
	case Ints:
		p.flat(b, len(v), func(n int) string { return strconv.FormatInt(v[n], 10) })
	case Tuple:
		return sequence(todo, "(", v, ")", it.deep)
	case Array:
		if p.MaxElems > 0 && len(v) > p.MaxElems {
			kept := append(append([]Value(nil), v[:p.MaxElems]...), ellipsis{})
			return sequence(todo, "[", kept, "]", it.deep)
		}
		return sequence(todo, "[", v, "]", it.deep)
	case Record:
		b.WriteString("{")
		todo = append(todo, item{text: "}"})
		for n := len(v) - 1; n >= 0; n-- {
			name := notation.Field(v[n].Name) + " = "
			if n > 0 {
				name = ", " + name
			}
			todo = append(todo, item{v: v[n].Value, deep: it.deep}, item{text: name})
		}
	case Con:
		return p.con(b, v, it, todo)
	case ellipsis:
		p.elided = true
		b.WriteString("…")
	case Unknown:
		b.WriteString("?")
	case Number:
		b.WriteString(v.Fluxion())
	default:
		panic(fmt.Sprintf("value: cannot print %T", v))
	}
	return todo
}

// ellipsis stands for what is not printed.
type ellipsis struct{}

func (p *Printer) con(b output, v Con, it item, todo []item) []item {
	if len(v.Args) == 0 {
		b.WriteString(v.Name)
		return todo
	}
	if p.MaxNesting > 0 && it.deep >= p.MaxNesting {
		p.elided = true
		b.WriteString("…")
		return todo
	}
	if it.arg {
		b.WriteString("(")
		todo = append(todo, item{text: ")"})
	}
	b.WriteString(v.Name)
	for n := len(v.Args) - 1; n >= 0; n-- {
		todo = append(todo, item{v: v.Args[n], arg: true, deep: it.deep + 1}, item{text: " "})
	}
	return todo
}

// sequence pushes elements with commas between them on the list.
func sequence(todo []item, open string, elems []Value, end string, deep int) []item {
	todo = append(todo, item{text: end})
	for n := len(elems) - 1; n >= 0; n-- {
		todo = append(todo, item{v: elems[n], deep: deep})
		if n > 0 {
			todo = append(todo, item{text: ", "})
		}
	}
	return append(todo, item{text: open})
}

// flat writes an array of numbers.
func (p *Printer) flat(b output, n int, show func(int) string) {
	b.WriteByte('[')
	for k := range n {
		if !p.goesOn() {
			return
		}
		if k > 0 {
			b.WriteString(", ")
		}
		if p.MaxElems > 0 && k >= p.MaxElems {
			p.elided = true
			b.WriteString("…")
			break
		}
		b.WriteString(show(k))
	}
	b.WriteByte(']')
}

// atom writes a number, in parentheses where its sign would be an operator.
func atom(b output, s string, arg bool) {
	if arg && s[0] == '-' {
		s = "(" + s + ")"
	}
	b.WriteString(s)
}

// Decimal returns the shortest decimal that reads back to the same double, in the notation of
// programs: 0.1, 1, 1e-7, 1e21, -0. It returns nan, inf and -inf for doubles that are not finite.
func Decimal(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	// Between these bounds positional notation is easier to read.
	if a := math.Abs(x); a == 0 || 1e-5 <= a && a < 1e21 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	n, err := strconv.Atoi(exponent)
	if err != nil {
		panic("value: strconv writes no exponent: " + exponent)
	}
	return digits + "e" + strconv.Itoa(n)
}
