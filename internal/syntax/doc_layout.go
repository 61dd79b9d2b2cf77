package syntax

import (
	"strings"
	"unicode/utf8"
)

// Note [Documents]
//
// The formatter turns the tree into a document: text with places where a line may end, after
// Wadler ("A prettier printer", 2003) and Oppen. A group is laid out on one line if everything up
// to the next possible line end fits. Otherwise all of its own line ends are broken. This
// decision looks at no more than a line's worth of text, so printing is linear.
//
// Comments are part of the document. A line comment always ends its line. The printer records
// that a line end is due, and makes it before the next text, unless the document asks for a line
// end there anyway. The due line is indented more than the text before it, so that what follows
// is never offside (Note [The offside rule]). Every other line end is at a place where the
// builder of the document knows that it is allowed.

type docKind uint8

const (
	docText   docKind = iota
	docConcat         // kids, concatenated
	docGroup          // kids, on one line if they fit
	docNest           // kids, lines indented more by n
	docAlign          // kids, lines indented to the current column
	docLine           // a blank, or a line end
	docSoft           // nothing, or a line end
	docHard           // a line end
	docBlank          // a line end and an empty line
	docIf             // kids[0] when flat, kids[1] when broken
	// kids[0] whole after a blank, or whole on a new line, or broken after a blank
	docHug
	docTrailing // a comment after other text
	docInline   // a comment with text on both sides
	docOwn      // a comment on lines of its own
)

type doc struct {
	kind docKind
	hard bool // whether it contains a mandatory line end, so that no group around it fits on a line
	gap  bool // of docOwn: whether an empty line precedes it
	n    int
	text string
	kids []*doc
}

var (
	line  = &doc{kind: docLine}
	soft  = &doc{kind: docSoft}
	hard  = &doc{kind: docHard, hard: true}
	blank = &doc{kind: docBlank, hard: true}
	empty = &doc{kind: docConcat}
)

func text(s string) *doc { return &doc{kind: docText, text: s} }

func container(kind docKind, n int, kids []*doc) *doc {
	d := &doc{kind: kind, n: n, kids: kids}
	for _, k := range kids {
		d.hard = d.hard || k.hard
	}
	return d
}

func concat(kids ...*doc) *doc      { return container(docConcat, 0, kids) }
func group(kids ...*doc) *doc       { return container(docGroup, 0, kids) }
func nest(n int, kids ...*doc) *doc { return container(docNest, n, kids) }
func align(kids ...*doc) *doc       { return container(docAlign, 0, kids) }

func hug(d *doc) *doc { return container(docHug, 0, []*doc{d}) }

// ifFlat returns a document that is printed as flat on one line, and as broken otherwise.
func ifFlat(flat, broken *doc) *doc { return &doc{kind: docIf, kids: []*doc{flat, broken}} }

// command is a document to print, with its indentation and mode.
type command struct {
	d      *doc
	indent int
	flat   bool
}

// layouter prints documents.
type layouter struct {
	width  int
	out    []byte
	col    int
	fresh  bool // whether the current line is empty
	margin int  // the indentation of an empty line
	// the indentation of a line that must start before the next text; -1 if there is none
	due    int
	spaced bool // whether a blank must precede the next text
	stack  []command
}

// layout prints a document.
func layout(d *doc, width int) string {
	w := &layouter{width: width, fresh: true, due: -1}
	w.stack = append(w.stack, command{d: d})
	for len(w.stack) > 0 {
		c := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		w.step(c)
	}
	return string(w.out)
}

func (w *layouter) step(c command) {
	switch d := c.d; d.kind {
	case docText:
		w.write(d.text)
	case docConcat:
		w.pushAll(d.kids, c.indent, c.flat)
	case docNest:
		w.pushAll(d.kids, c.indent+d.n, c.flat)
	case docAlign:
		column := w.col
		if w.due >= 0 {
			column = w.due
		} else if w.fresh {
			column = w.margin
		}
		w.pushAll(d.kids, column, c.flat)
	case docGroup:
		flat := c.flat || !d.hard && w.fits(c.d, w.room())
		w.pushAll(d.kids, c.indent, flat)
	case docIf:
		k := d.kids[1]
		if c.flat {
			k = d.kids[0]
		}
		w.stack = append(w.stack, command{k, c.indent, c.flat})
	case docHug:
		w.hug(c)
	case docLine:
		if c.flat {
			w.write(" ")
		} else {
			w.newline(c.indent)
		}
	case docSoft:
		if !c.flat {
			w.newline(c.indent)
		}
	case docHard:
		w.newline(c.indent)
	case docBlank:
		w.newline(c.indent)
		w.emptyLine()
	case docTrailing:
		w.trailing(d.text, c.indent)
	case docInline:
		w.inline(d.text, c.indent)
	case docOwn:
		w.own(d, c.indent)
	}
}

func (w *layouter) pushAll(kids []*doc, indent int, flat bool) {
	for i := len(kids) - 1; i >= 0; i-- {
		w.stack = append(w.stack, command{kids[i], indent, flat})
	}
}

// hug prints something that should stay whole. If it cannot, it is broken inside its own
// brackets.
func (w *layouter) hug(c command) {
	k := c.d.kids[0]
	flat := c.flat || !k.hard && w.fits(k, w.room()-1)
	if !flat && !k.hard && w.fits(k, w.width-c.indent-2) {
		w.newline(c.indent + 2)
		w.stack = append(w.stack, command{k, c.indent + 2, true})
		return
	}
	w.write(" ")
	w.stack = append(w.stack, command{k, c.indent, flat})
}

// room returns the number of columns left on the line.
func (w *layouter) room() int {
	switch {
	case w.due >= 0:
		return w.width - w.due
	case w.fresh:
		return w.width - w.margin
	}
	return w.width - w.col
}

// fits reports whether a document fits into the given room, together with what must follow it on
// the same line.
func (w *layouter) fits(d *doc, room int) bool {
	todo := []command{{d, 0, true}}
	rest := len(w.stack)
	for room >= 0 {
		if len(todo) == 0 {
			if rest == 0 {
				return true
			}
			rest--
			todo = append(todo, w.stack[rest])
		}
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch d := c.d; d.kind {
		case docText:
			room -= utf8.RuneCountInString(d.text)
		case docInline:
			room -= utf8.RuneCountInString(d.text) + 2
		case docTrailing, docOwn, docHard, docBlank:
			return true
		case docLine:
			if !c.flat {
				return true
			}
			room--
		case docSoft:
			if !c.flat {
				return true
			}
		case docIf:
			k := d.kids[1]
			if c.flat {
				k = d.kids[0]
			}
			todo = append(todo, command{k, 0, c.flat})
		case docHug:
			if !c.flat {
				return true
			}
			room--
			todo = append(todo, command{d.kids[0], 0, true})
		default:
			// A later group may still be broken.
			flat := c.flat && !(d.kind == docGroup && d.hard)
			for i := len(d.kids) - 1; i >= 0; i-- {
				todo = append(todo, command{d.kids[i], 0, flat})
			}
		}
	}
	return false
}

// write appends text to the line, after anything that is due.
func (w *layouter) write(s string) {
	if w.due >= 0 {
		w.newline(w.due)
	}
	if w.fresh {
		s = strings.TrimLeft(s, " ")
		if s == "" {
			return
		}
		w.indent()
	} else if w.spaced && !strings.ContainsAny(s[:1], " ,)]}") {
		w.out = append(w.out, ' ')
		w.col++
	}
	w.spaced = false
	w.out = append(w.out, s...)
	w.col += utf8.RuneCountInString(s)
}

func (w *layouter) indent() {
	for range w.margin {
		w.out = append(w.out, ' ')
	}
	w.col, w.fresh = w.margin, false
}

// newline ends the line, unless it is still empty, and sets the indentation of the next line.
func (w *layouter) newline(margin int) {
	w.due, w.spaced = -1, false
	w.trim()
	if !w.fresh {
		w.out = append(w.out, '\n')
	}
	w.col, w.fresh, w.margin = 0, true, margin
}

func (w *layouter) trim() {
	for len(w.out) > 0 && w.out[len(w.out)-1] == ' ' {
		w.out = w.out[:len(w.out)-1]
	}
}

// emptyLine ensures that an empty line precedes the current line, which must be empty.
func (w *layouter) emptyLine() {
	if n := len(w.out); n >= 2 && w.out[n-1] == '\n' && w.out[n-2] != '\n' {
		w.out = append(w.out, '\n')
	}
}

// trailing puts a line comment at the end of the current line.
func (w *layouter) trailing(s string, indent int) {
	if w.due >= 0 || w.fresh { // after another comment, or at the start: on a line of its own
		w.own(&doc{text: s}, indent)
		return
	}
	w.trim()
	w.out = append(w.out, "  "...)
	w.out = append(w.out, s...)
	w.due = indent + 2
}

// inline puts a block comment between other text. At the start of a line the comment gets a line
// of its own, so that it does not move the following text to another column.
func (w *layouter) inline(s string, indent int) {
	if w.due >= 0 || w.fresh {
		w.own(&doc{text: s}, indent)
		return
	}
	if last := w.out[len(w.out)-1]; last != ' ' && last != '(' && last != '[' {
		s = " " + s
	}
	w.spaced = false
	w.write(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		w.col = utf8.RuneCountInString(s[i+1:])
	}
	w.spaced = true
}

// own puts a comment on lines of its own. If no line may end here, the comment is indented more.
func (w *layouter) own(d *doc, indent int) {
	switch {
	case w.due >= 0:
		w.newline(w.due)
	case !w.fresh:
		w.newline(indent + 2)
	}
	if d.gap {
		w.emptyLine()
	}
	w.indent()
	w.out = append(w.out, d.text...)
	w.due = w.margin
}
