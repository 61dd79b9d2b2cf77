package types

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/notation"
)

// Printer prints types. It names metas a, b, c … in order of appearance. It keeps the names for
// all types that it prints, so that a message about two types uses the same variables.
type Printer struct {
	Sizes         bool           // whether to print known sizes; otherwise every array is []a
	Abbreviations []Abbreviation // the first one that stands for a record is printed

	names map[*Meta]string

	// taken holds the names of rigid variables that were printed, which metas must not get.
	taken   map[string]bool
	skipped int
}

// Show prints one type, sizes included.
func Show(t Type) string { return (&Printer{Sizes: true}).Type(t) }

// The binding strengths of the grammar of types.
const (
	looseType = iota // a -> b
	argType          // left of an arrow
	atomType         // argument of a type constructor
)

// Type prints a type.
func (p *Printer) Type(t Type) string {
	var b strings.Builder
	p.print(&b, t, looseType)
	return b.String()
}

// Scheme prints a type with the constraints of its variables: Add a => a.
func (p *Printer) Scheme(s *Scheme) string { return s.Context() + p.Type(s.Type) }

// Context prints the constraints of a scheme's variables, with the arrow after
// them: Add a =>.
func (s *Scheme) Context() string {
	var context []string
	p := &Printer{Sizes: true}
	mentioned := Params(s.Type)
	for _, v := range s.Params {
		if !slices.Contains(mentioned, v) {
			continue // shared with other members of a recursive group
		}
		for _, class := range v.Classes.Minimal().Names() {
			context = append(context, class+" "+v.Name)
		}
	}
	for _, j := range s.Jacobians {
		var b strings.Builder
		b.WriteString("Jacobian")
		for _, t := range []Type{j.Source, j.Target, j.Result} {
			b.WriteByte(' ')
			p.print(&b, t, atomType)
		}
		context = append(context, b.String())
	}
	switch len(context) {
	case 0:
		return ""
	case 1:
		return context[0] + " => "
	}
	return "(" + strings.Join(context, ", ") + ") => "
}

// maxPrinted bounds the text of a type. Nobody reads on beyond it.
const maxPrinted = 2000

func (p *Printer) print(b *strings.Builder, t Type, strength int) {
	if b.Len() > maxPrinted {
		b.WriteString("…")
		return
	}
	switch t := Resolve(t).(type) {
	case *Basic:
		b.WriteString(t.Name)
	case *Param:
		if !p.taken[t.Name] {
			if p.taken == nil {
				p.taken = map[string]bool{}
			}
			p.taken[t.Name] = true
		}
		b.WriteString(t.Name)
	case *Meta:
		b.WriteString(p.metaName(t))
	case *Fun:
		if strength > looseType {
			b.WriteByte('(')
			defer b.WriteByte(')')
		}
		p.print(b, t.Param, argType)
		b.WriteString(" -> ")
		p.print(b, t.Result, looseType)
	case *Tuple:
		b.WriteByte('(')
		for i, e := range t.Elems {
			if i > 0 {
				b.WriteString(", ")
			}
			p.print(b, e, looseType)
		}
		b.WriteByte(')')
	case *Record:
		if name, args := p.abbreviated(t); name != "" {
			p.printNamed(b, name, args, strength)
			return
		}
		b.WriteByte('{')
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(notation.Field(f.Name) + " : ")
			p.print(b, f.Type, looseType)
		}
		b.WriteByte('}')
	case *Array:
		b.WriteByte('[')
		if p.Sizes {
			b.WriteString(t.Size.String())
		}
		b.WriteByte(']')
		p.print(b, t.Elem, atomType)
	case *Data:
		p.printNamed(b, t.Decl.Name, t.Args, strength)
	default:
		panic(fmt.Sprintf("types: cannot print %T", t))
	}
}

func (p *Printer) printNamed(b *strings.Builder, name string, args []Type, strength int) {
	if len(args) > 0 && strength >= atomType {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	b.WriteString(name)
	for _, a := range args {
		b.WriteByte(' ')
		p.print(b, a, atomType)
	}
}

func (p *Printer) metaName(m *Meta) string {
	if m.Poisoned {
		return "_"
	}
	if name, ok := p.names[m]; ok {
		return name
	}
	if p.names == nil {
		p.names = map[*Meta]string{}
	}
	name := LetterName(len(p.names))
	for p.taken[name] {
		p.skipped++
		name = LetterName(len(p.names) + p.skipped)
	}
	p.names[m] = name
	return name
}

// LetterName returns the n-th of a, b, …, z, a1, b1, ….
func LetterName(n int) string {
	name := string(rune('a' + n%26))
	if n >= 26 {
		name += strconv.Itoa(n / 26)
	}
	return name
}

// String returns the text between the brackets of an array type.
func (s *Size) String() string {
	switch s = s.Find(); s.Kind {
	case SizeConst:
		return strconv.FormatInt(s.N, 10)
	case SizeParam:
		return s.Name
	case SizeSum:
		unknown := false
		s.Variables(func(v *Size) { unknown = unknown || v.Kind == SizeMeta })
		if !unknown {
			return s.Sum()
		}
	}
	return ""
}

// Sum prints a sum. Unknowns have the names of the parameters that they are instances of.
func (s *Size) Sum() string {
	var b strings.Builder
	write := func(coef int64, factors []*Size) {
		sign := "+"
		if coef < 0 {
			sign = "-"
		}
		switch {
		case b.Len() > 0:
			b.WriteString(" " + sign + " ")
		case coef < 0 && len(factors) > 0:
			b.WriteString("0 - ")
		case coef < 0:
			b.WriteString("-")
		}
		parts := make([]string, 0, len(factors)+1)
		if n := magnitude(coef); n != 1 || len(factors) == 0 {
			parts = append(parts, strconv.FormatUint(n, 10))
		}
		for _, v := range factors {
			parts = append(parts, cmp.Or(v.Name, "_"))
		}
		b.WriteString(strings.Join(parts, " * "))
	}
	first := slices.IndexFunc(s.Terms, func(t SizeTerm) bool { return t.Coef > 0 })
	if first < 0 && s.N > 0 { // 1 - n
		write(s.N, nil)
	}
	if first >= 0 {
		write(s.Terms[first].Coef, s.Terms[first].Of)
	}
	for i, t := range s.Terms {
		if i != first {
			write(t.Coef, t.Of)
		}
	}
	if s.N != 0 && (first >= 0 || s.N < 0) {
		write(s.N, nil)
	}
	return b.String()
}

// Constructor prints a constructor as in its declaration.
func (p *Printer) Constructor(c *Con) string {
	var b strings.Builder
	b.WriteString(c.Name)
	for _, f := range c.Fields {
		b.WriteByte(' ')
		p.print(&b, f, atomType)
	}
	return b.String()
}
