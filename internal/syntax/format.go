package syntax

import "strings"

// FormatOptions chooses the spelling of tokens that have two. ASCII is the canonical one, and the
// default.
type FormatOptions struct {
	ASCII   bool // fun => -> Real * grad <= >= !=
	Unicode bool // λ ⇒ → ℝ × ∇ ≤ ≥ ≠
	Width   int  // the columns of a line; 0 means 100
}

// Format prints a module in the one canonical layout. The result parses to the same tree, with
// the same comments, and formatting it again changes nothing.
//
// The parentheses of the source are part of the tree. Others are added only where a tree made by
// a program needs them. A module with Bad nodes has no layout.
func Format(m *Module, opts FormatOptions) string {
	f := &formatter{m: m, unicode: opts.Unicode && !opts.ASCII, width: opts.Width,
		comments: m.Comments}
	if f.width <= 0 {
		f.width = 100
	}
	if m.File != nil {
		f.src = m.File.Text
	}
	return f.module()
}

// formatter turns a tree into documents. It must visit everything in the order of the text,
// because it consumes the comments in that order, each before the first thing after it.
type formatter struct {
	m        *Module
	src      string
	unicode  bool
	width    int
	comments []Comment // the comments that are not yet consumed
}

// item is something on lines of its own at the top level of a file.
type item struct {
	text    string
	gap     bool // whether an empty line precedes it in the source
	comment bool
	imp     bool
}

func (f *formatter) module() string {
	var items []item
	if f.m.Doc != "" && len(f.m.Comments) == 0 {
		items = append(items, item{text: strings.TrimRight(docComment(f.m.Doc), "\n"),
			comment: true})
	}
	add := func(n Node, doc string, d func() *doc, imp bool) {
		items = f.takeItems(items, n)
		it := item{imp: imp, gap: !n.Span().Known() || f.gapBefore(n.Span().Start)}
		if doc != "" && !n.Span().Known() {
			it.text = docComment(doc)
		}
		it.text += layout(concat(d(), f.tail(n)), f.width)
		items = append(items, it)
	}
	for _, i := range f.m.Imports {
		add(i, "", func() *doc { return f.importDecl(i) }, true)
	}
	for _, d := range f.m.Decls {
		switch d := d.(type) {
		case *LetDecl:
			add(d, d.Doc, func() *doc { return f.letDecl(d) }, false)
		case *TypeDecl:
			add(d, d.Doc, func() *doc { return f.typeDecl(d) }, false)
		case *DataDecl:
			add(d, d.Doc, func() *doc { return f.dataDecl(d) }, false)
		}
	}
	if e := f.m.Final; e != nil {
		add(e, "", func() *doc { return group(f.final(e)) }, false)
	}
	items = f.takeItems(items, nil)
	return join(items)
}

// final prints the final expression. A `let` there keeps its `in`, because without it, it would
// be a declaration.
func (f *formatter) final(e Expr) *doc {
	let, ok := e.(*Let)
	if !ok {
		return f.block(e, inBinding, 0)
	}
	lead := f.leadNode(e)
	bindings := f.bindings(let.Rec, let.Bindings)
	sep := line
	if _, chain := let.Body.(*Let); chain {
		sep = hard
	}
	return concat(lead, bindings, text(" in"), f.trail(let.Body), sep, f.final(let.Body))
}

// join concatenates the items. It keeps an empty line of the source, and adds one around items of
// several lines and after the imports.
func join(items []item) string {
	var b strings.Builder
	previous := -1 // the last item that is not a comment
	for i := 0; i < len(items); {
		end := i // the end of the next item with the comments that belong to it
		for end < len(items)-1 && items[end].comment && !items[end+1].gap {
			end++
		}
		gap := items[i].gap
		if !items[end].comment && previous >= 0 {
			p := items[previous]
			gap = gap || strings.Contains(p.text, "\n") || strings.Contains(items[end].text,
				"\n") || p.imp && !items[end].imp
		}
		if i > 0 && gap {
			b.WriteByte('\n')
		}
		for ; i <= end; i++ {
			if !items[i].comment {
				previous = i
			}
			b.WriteString(items[i].text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// takeItems consumes the comments before a node, or all remaining ones.
func (f *formatter) takeItems(items []item, before Node) []item {
	for len(f.comments) > 0 && (before == nil || before.Span().Known() && f.comments[0].At.Start <
		before.Span().Start) {
		c := f.comments[0]
		f.comments = f.comments[1:]
		items = append(items, item{text: c.Text, gap: f.gapBefore(c.At.Start), comment: true})
	}
	return items
}

// tail returns the comments that follow an item on its last line.
func (f *formatter) tail(n Node) *doc {
	var list []*doc
	for len(f.comments) > 0 && n.Span().Known() {
		c := f.comments[0]
		if c.At.Start >= n.Span().End && strings.Contains(f.src[n.Span().End:c.At.Start], "\n") {
			break
		}
		f.comments = f.comments[1:]
		list = append(list, f.comment(c))
	}
	return concat(list...)
}

// lead returns the comments before an offset.
func (f *formatter) lead(at int32) *doc { return f.take(at, func(Comment) bool { return true }) }

// trail returns the comments before a node that follow the text before it on its line.
func (f *formatter) trail(before Node) *doc {
	if !before.Span().Known() {
		return empty
	}
	return f.trailAt(before.Span().Start)
}

func (f *formatter) trailAt(at int32) *doc {
	ended := false
	return f.take(at, func(c Comment) bool {
		if ended || f.own(c) {
			return false
		}
		ended = strings.HasPrefix(c.Text, "--")
		return true
	})
}

// ownBefore returns the comments before a node that stand on lines of their own.
func (f *formatter) ownBefore(n Node) *doc {
	if !n.Span().Known() {
		return empty
	}
	return f.take(n.Span().Start, f.own)
}

// next separates a node from the text before it and puts a word in front of it, with the comments
// between them in their places.
func (f *formatter) next(n Node, sep *doc, word string) *doc {
	return concat(f.trail(n), sep, f.ownBefore(n), text(word))
}

func (f *formatter) take(at int32, want func(Comment) bool) *doc {
	var list []*doc
	for len(f.comments) > 0 && f.comments[0].At.Start < at && want(f.comments[0]) {
		list = append(list, f.comment(f.comments[0]))
		f.comments = f.comments[1:]
	}
	if list == nil {
		return empty
	}
	return concat(list...)
}

// pending reports whether there is a comment before a node.
func (f *formatter) pending(n Node) bool {
	return len(f.comments) > 0 && n.Span().Known() && f.comments[0].At.Start < n.Span().Start
}

// closing returns the comments before the closing bracket of a node.
func (f *formatter) closing(n Node) *doc {
	if !n.Span().Known() {
		return empty
	}
	at := n.Span().End - 1
	trail := f.trailAt(at)
	if rest := f.lead(at); rest != empty {
		return concat(trail, hard, rest)
	}
	return trail
}

func (f *formatter) comment(c Comment) *doc {
	switch {
	case f.own(c):
		return &doc{kind: docOwn, hard: true, text: c.Text, gap: f.gapBefore(c.At.Start)}
	case strings.HasPrefix(c.Text, "--"):
		return &doc{kind: docTrailing, hard: true, text: c.Text}
	}
	return &doc{kind: docInline, hard: strings.Contains(c.Text, "\n"), text: c.Text}
}

// own reports whether a comment stands on lines of its own.
func (f *formatter) own(c Comment) bool {
	before := strings.TrimRight(f.src[:c.At.Start], " \t\uFEFF")
	if before != "" && before[len(before)-1] != '\n' {
		return false
	}
	after := strings.TrimLeft(f.src[c.At.End:], " \t\r")
	return after == "" || after[0] == '\n'
}

// gapBefore reports whether an empty line precedes an offset.
func (f *formatter) gapBefore(at int32) bool {
	before := f.src[:at]
	trimmed := strings.TrimRight(before, " \t\r\n")
	return strings.Count(before[len(trimmed):], "\n") >= 2
}

func docComment(s string) string {
	return "--| " + strings.ReplaceAll(s, "\n", "\n--| ") + "\n"
}

// spell returns a token in the chosen spelling.
func (f *formatter) spell(ascii, unicode string) string {
	if f.unicode {
		return unicode
	}
	return ascii
}

func (f *formatter) name(s string) string {
	if f.unicode && s == "grad" {
		return "∇"
	}
	return s
}
