package curry

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Terms are written as in the paper, but for composition, f ; g:
//
//	π x               the projection to the variable or field x; π₁ of a tuple
//	⟨f, g⟩            prod f g
//	⟨π x, y = f⟩      the same, where the second component is y from there on
//	curry[x y] (f)    curry f, where the argument is x and y in f
//	v                 const v, for a value or a definition v
//
// A combinator whose body binds says in brackets what: build[i] (…).

const width = 90 // of a line

// Print writes a term, on one line if it fits.
func Print(t Term) string {
	var p printer
	p.layout(document(t), 0)
	return p.b.String()
}

// printer writes documents.
type printer struct {
	b     strings.Builder
	watch *stop.Watch // ends the work by a panic
}

// definition writes a definition.
func (p *printer) definition(d *definition) {
	t := d.term
	if d.fun != nil {
		t = d.fun
	}
	p.b.WriteString(d.def.Name + " =\n  ")
	p.layout(document(t), 2)
	p.b.WriteString("\n")
}

// doc is a text to be laid out: a head, parts, and a tail. On one line the
// parts are separated by sep and a space, otherwise each has its line, and sep
// stands before it or after it.
type doc struct {
	head, tail string
	sep        string
	before     bool
	parts      []doc
}

func text(s string) doc { return doc{head: s} }

func (d doc) flat(b *strings.Builder, room int) bool {
	if b.WriteString(d.head); b.Len() > 4*room {
		return false
	}
	for i, p := range d.parts {
		if i > 0 {
			if d.before {
				b.WriteByte(' ')
			}
			b.WriteString(d.sep + " ")
		}
		if !p.flat(b, room) {
			return false
		}
	}
	b.WriteString(d.tail)
	return utf8.RuneCountInString(b.String()) <= room
}

// layout writes a document from a column on.
func (p *printer) layout(d doc, column int) {
	p.watch.Step()
	if len(d.parts) == 0 {
		p.b.WriteString(d.head + d.tail)
		return
	}
	var line strings.Builder
	if d.flat(&line, max(width-column, width/3)) {
		p.b.WriteString(line.String())
		return
	}
	p.b.WriteString(strings.TrimRight(d.head, " "))
	inner, newline := column, "\n"+strings.Repeat(" ", column)
	if d.head != "" {
		inner += 2
		p.b.WriteString(newline + "  ")
		newline += "  "
	}
	for i, part := range d.parts {
		at := inner
		if i > 0 {
			p.b.WriteString(newline)
		}
		if d.before {
			at += 2
			if i > 0 {
				p.b.WriteString(d.sep + " ")
			} else {
				p.b.WriteString("  ")
			}
		}
		p.layout(part, at)
		if !d.before && i < len(d.parts)-1 {
			p.b.WriteString(d.sep)
		}
	}
	p.b.WriteString(d.tail)
}

// binder returns name[vars] (body), with its bodies.
func binder(name string, vars []string, bodies ...doc) doc {
	head := name
	if len(vars) > 0 {
		head += "[" + strings.Join(vars, " ") + "]"
	}
	return doc{head: head + " (", tail: ")", sep: " |", parts: bodies}
}

func document(t Term) doc {
	switch t := t.(type) {
	case Id:
		return text("id")
	case *Comp:
		parts := make([]doc, len(t.Steps))
		for i, s := range t.Steps {
			parts[i] = document(s)
		}
		return doc{sep: ";", before: true, parts: parts}
	case *Prod:
		return t.document()
	case *Proj:
		if t.Name == "" {
			return text("π" + subscript(t.Index+1))
		}
		return text("π " + t.Name)
	case *Const:
		return text(constant(t.Value))
	case *Global:
		return text(t.Name)
	case *Prim:
		return text("(" + t.Row.Name + ")")
	case *Curry:
		return binder("curry", t.Params, document(t.Body))
	case *Eval:
		return text("eval")
	case *Fix:
		d := binder("fix", nil)
		for i, c := range t.Curry {
			d.parts = append(d.parts, doc{head: t.Names[i] + " = ", parts: []doc{document(c)}})
		}
		return d
	case *Inject:
		return text(t.Con.Name)
	case *Case:
		return t.document()
	case *If:
		return binder("if", nil, document(t.Then), document(t.Else))
	}
	return arrayDocument(t)
}

func arrayDocument(t Term) doc {
	switch t := t.(type) {
	case *Build:
		return binder("build", []string{t.Index}, document(t.Body))
	case *Map:
		return binder("map", t.Params, document(t.Body))
	case *Index:
		return text("index")
	case *Slice:
		return text("slice")
	case *Fold:
		name := "fold"
		if t.All {
			name = "scan"
		}
		return binder(name, []string{t.Acc, t.Elem}, document(t.Body))
	case *For:
		return binder("for", []string{t.State, t.Index}, document(t.Body))
	case *While:
		return binder("while", []string{t.State}, document(t.Cond), document(t.Body))
	case *CheckSize:
		return text("checkSize")
	}
	panic("curry: no such combinator")
}

func (p *Prod) document() doc {
	d := doc{head: "⟨", tail: "⟩", sep: ","}
	for i, part := range p.Parts {
		q := document(part)
		if i < len(p.Names) {
			if proj, ok := part.(*Proj); !ok || proj.Name != p.Names[i] {
				q = doc{head: p.Names[i] + " = ", parts: []doc{q}}
			}
		}
		d.parts = append(d.parts, q)
	}
	return d
}

func (c *Case) document() doc {
	d := binder("case", nil)
	arm := func(head string, body Term) {
		d.parts = append(d.parts, doc{head: head + " → ", parts: []doc{document(body)}})
	}
	for _, a := range c.Arms {
		arm(strings.Join(append([]string{a.Con.Name}, a.Fields...), " "), a.Body)
	}
	if c.Default != nil {
		arm("_", c.Default)
	}
	return d
}

func constant(v Value) string {
	if p, ok := v.(Product); ok && len(p) == 0 {
		return "()"
	}
	return showArgs(Product{v})
}

func subscript(n int) string {
	var b strings.Builder
	for _, c := range strconv.Itoa(n) {
		b.WriteRune(c - '0' + '₀')
	}
	return b.String()
}
