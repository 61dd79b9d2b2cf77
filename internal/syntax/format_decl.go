package syntax

import "github.com/fluxion-lang/fluxion/internal/notation"

func (f *formatter) importDecl(i *Import) *doc {
	s := "import " + i.Path
	if i.Quoted {
		s = "import " + notation.Quote(i.Path)
	}
	if i.HasAs {
		s += " as " + i.Alias.Name
	}
	if len(i.Names) == 0 {
		return text(s)
	}
	return concat(text(s+" "), f.bracketed(i, "(", ")", len(i.Names), func(n int) *doc {
		return concat(f.leadNode(place{i.Names[n]}), text(i.Names[n].Name))
	}, func(n int) Node { return place{i.Names[n]} }))
}

func (f *formatter) letDecl(d *LetDecl) *doc { return f.bindings(d.Rec, d.Bindings) }

// bindings prints `let rec f x = e` and its `and`s.
func (f *formatter) bindings(rec bool, list []*Binding) *doc {
	word := "let "
	if rec {
		word = "let rec "
	}
	var parts []*doc
	for i, b := range list {
		if i > 0 {
			parts = append(parts, f.trail(b), line, f.ownBefore(b))
			word = "and "
		}
		parts = append(parts, f.binding(word, b))
	}
	return concat(parts...)
}

func (f *formatter) binding(word string, b *Binding) *doc {
	head := []*doc{text(word), f.pattern(b.Pat, false)}
	if len(b.Params) > 0 {
		head = append(head, nest(4, f.params(b.Params, line)))
	}
	if b.Result != nil {
		head = append(head, nest(4, line, text(": "), f.signature(b.Result)))
	}
	head = append(head, text(" ="))
	return concat(group(head...), f.body(b.Body, inBinding))
}

// params prints parameters, each after a separator. Groups are printed as groups.
func (f *formatter) params(list []Pattern, before *doc) *doc {
	var parts []*doc
	for i := 0; i < len(list); i++ {
		parts = append(parts, f.trail(list[i]), before)
		a, ok := list[i].(*PAnnot)
		if !ok || !a.Group {
			parts = append(parts, f.pattern(list[i], true))
			continue
		}
		parts = append(parts, f.leadNode(a), text("("))
		for {
			parts = append(parts, f.pattern(a.X, true))
			if !a.Group || i+1 == len(list) {
				break
			}
			i++
			parts = append(parts, text(" "))
			a = list[i].(*PAnnot)
		}
		parts = append(parts, text(" : "), f.signature(a.Type), text(")"))
	}
	return concat(parts...)
}

func (f *formatter) signature(s *Signature) *doc {
	t := func() *doc { return f.typ(s.Type, typeFun) }
	switch len(s.Context) {
	case 0:
		return t()
	case 1:
		c := s.Context[0]
		return concat(text(c.Class.Name+" "+c.Var.Name+" "+f.spell("=>", "⇒")+" "), t())
	}
	all := ""
	for i, c := range s.Context {
		if i > 0 {
			all += ", "
		}
		all += c.Class.Name + " " + c.Var.Name
	}
	return concat(text("("+all+") "+f.spell("=>", "⇒")+" "), t())
}

func (f *formatter) typeDecl(d *TypeDecl) *doc {
	return concat(text("type "+head(d.Name, d.Params)+" ="),
		group(nest(2, line, f.typ(d.Type, typeFun))))
}

func head(name Ident, params []Ident) string {
	s := name.Name
	for _, p := range params {
		s += " " + p.Name
	}
	return s
}

func (f *formatter) dataDecl(d *DataDecl) *doc {
	var parts []*doc
	for i, c := range d.Constructors {
		bar := "= "
		if i > 0 {
			bar = "| "
		}
		parts = append(parts, f.trail(c), line, f.ownBefore(c))
		if c.Doc != "" && !c.Span().Known() {
			parts = append(parts, &doc{kind: docOwn, hard: true,
				text: docComment(c.Doc)[:len(docComment(c.Doc))-1]})
		}
		parts = append(parts, text(bar), f.leadNode(c), text(c.Name.Name))
		var fields []*doc
		for _, t := range c.Fields {
			fields = append(fields, f.trail(t), line, f.typ(t, typeField))
		}
		parts = append(parts, group(nest(4, fields...)))
	}
	return group(text("data "+head(d.Name, d.Params)), nest(2, parts...))
}

// leadNode returns the comments before a node.
func (f *formatter) leadNode(n Node) *doc {
	if !n.Span().Known() {
		return empty
	}
	return f.lead(n.Span().Start)
}
