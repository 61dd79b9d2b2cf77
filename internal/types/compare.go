package types

import (
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/notation"
)

// Comparison is two types printed for a message, with the columns at which they differ.
type Comparison struct {
	A, B         string
	MarkA, MarkB string // carets under the differing parts; "" if everything differs
}

// Compare prints two types side by side, with the same names for variables. Parts that agree up
// to sizes are not marked.
func (p *Printer) Compare(a, b Type) Comparison {
	pa := comparing{printer: p}
	pa.print(a, b, looseType)
	pb := comparing{printer: p}
	pb.print(b, a, looseType)
	return Comparison{
		A: pa.out.String(), B: pb.out.String(),
		MarkA: pa.marks(), MarkB: pb.marks(),
	}
}

// comparing prints one type while walking along another.
type comparing struct {
	printer *Printer
	out     strings.Builder
	spans   [][2]int
}

// marks returns a line of carets.
func (c *comparing) marks() string {
	text := c.out.String()
	if len(c.spans) == 0 || c.spans[0] == [2]int{0, len(text)} {
		return ""
	}
	var b strings.Builder
	at := 0
	for _, s := range c.spans {
		if s[0] < at {
			continue
		}
		b.WriteString(strings.Repeat(" ", utf8.RuneCountInString(text[at:s[0]])))
		b.WriteString(strings.Repeat("^", max(1, utf8.RuneCountInString(text[s[0]:s[1]]))))
		at = s[1]
	}
	return b.String()
}

// whole prints t without looking at its partner, and marks it.
func (c *comparing) whole(t Type, strength int) {
	start := c.out.Len()
	c.printer.print(&c.out, t, strength)
	c.spans = append(c.spans, [2]int{start, c.out.Len()})
}

func (c *comparing) print(t, other Type, strength int) {
	t, other = Resolve(t), Resolve(other)
	if t == other {
		c.printer.print(&c.out, t, strength)
		return
	}
	switch t := t.(type) {
	case *Fun:
		if other, ok := other.(*Fun); ok {
			c.parens(strength > looseType, func() {
				c.print(t.Param, other.Param, argType)
				c.out.WriteString(" -> ")
				c.print(t.Result, other.Result, looseType)
			})
			return
		}
	case *Tuple:
		if other, ok := other.(*Tuple); ok && len(t.Elems) == len(other.Elems) {
			c.out.WriteByte('(')
			for i, e := range t.Elems {
				if i > 0 {
					c.out.WriteString(", ")
				}
				c.print(e, other.Elems[i], looseType)
			}
			c.out.WriteByte(')')
			return
		}
	case *Record:
		if other, ok := other.(*Record); ok {
			c.record(t, other)
			return
		}
	case *Array:
		if other, ok := other.(*Array); ok {
			c.out.WriteString("[" + t.Size.String() + "]")
			c.print(t.Elem, other.Elem, atomType)
			return
		}
	case *Data:
		if other, ok := other.(*Data); ok {
			if t.Decl == other.Decl {
				c.data(t, other, strength)
				return
			}
			if t.Decl.Name == other.Decl.Name {
				// Two types have the same name, and only the module distinguishes them.
				start := c.out.Len()
				c.printer.printNamed(&c.out, t.Decl.QName(), t.Args, strength)
				c.spans = append(c.spans, [2]int{start, c.out.Len()})
				return
			}
		}
	}
	if _, unknown := other.(*Meta); unknown {
		c.printer.print(&c.out, t, strength) // no difference so far
		return
	}
	if _, unknown := t.(*Meta); unknown {
		c.printer.print(&c.out, t, strength)
		return
	}
	c.whole(t, strength)
}

func (c *comparing) record(t, other *Record) {
	c.out.WriteByte('{')
	for i, f := range t.Fields {
		if i > 0 {
			c.out.WriteString(", ")
		}
		start := c.out.Len()
		c.out.WriteString(notation.Field(f.Name) + " : ")
		if j := other.Index(f.Name); j >= 0 {
			c.print(f.Type, other.Fields[j].Type, looseType)
			continue
		}
		c.printer.print(&c.out, f.Type, looseType)
		c.spans = append(c.spans, [2]int{start, c.out.Len()})
	}
	c.out.WriteByte('}')
}

func (c *comparing) data(t, other *Data, strength int) {
	c.parens(len(t.Args) > 0 && strength >= atomType, func() {
		c.out.WriteString(t.Decl.Name)
		for i, a := range t.Args {
			c.out.WriteByte(' ')
			c.print(a, other.Args[i], atomType)
		}
	})
}

func (c *comparing) parens(needed bool, inside func()) {
	if needed {
		c.out.WriteByte('(')
		defer c.out.WriteByte(')')
	}
	inside()
}
