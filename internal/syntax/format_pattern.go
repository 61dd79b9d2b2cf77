package syntax

import "github.com/fluxion-lang/fluxion/internal/notation"

// pattern prints a pattern, one with arguments in parentheses if it must be atomic.
func (f *formatter) pattern(p Pattern, atomic bool) *doc {
	lead := f.leadNode(p)
	d := f.barePattern(p)
	if c, ok := p.(*PCon); ok && atomic && len(c.Args) > 0 {
		d = concat(text("("), nest(2, d), text(")"))
	}
	return concat(lead, d)
}

func (f *formatter) barePattern(p Pattern) *doc {
	switch p := p.(type) {
	case *PVar:
		return text(f.name(p.Name))
	case *PWild:
		return text("_")
	case *PNumber:
		return text(p.Text)
	case *PString:
		return text(notation.Quote(p.Value))
	case *PBool:
		if p.Value {
			return text("true")
		}
		return text("false")
	case *PCon:
		name := p.Name.Name
		if p.Module.Name != "" {
			name = p.Module.Name + "." + name
		}
		parts := []*doc{text(name)}
		for _, a := range p.Args {
			parts = append(parts, f.trail(a), line, f.pattern(a, true))
		}
		return group(nest(4, parts...))
	case *PTuple:
		return f.bracketed(p, "(", ")", len(p.Elems), func(i int) *doc {
			if a, ok := p.Elems[i].(*PAnnot); ok {
				return concat(f.leadNode(a), f.patternAnnotation(a))
			}
			return f.pattern(p.Elems[i], false)
		}, func(i int) Node { return p.Elems[i] })
	case *PRecord:
		return f.bracketed(p, "{", "}", len(p.Fields), func(i int) *doc {
			x := p.Fields[i]
			lead := f.leadNode(place{x.Name})
			if v, ok := x.Pat.(*PVar); ok && v.Name == x.Name.Name {
				return concat(lead, text(notation.Field(x.Name.Name)))
			}
			return concat(lead, text(notation.Field(x.Name.Name)+" = "), f.pattern(x.Pat, false))
		}, func(i int) Node { return place{p.Fields[i].Name} })
	case *PParen:
		return concat(text("("), nest(2, f.pattern(p.X, false), f.closing(p)), text(")"))
	case *PAnnot:
		return concat(text("("), nest(2, f.patternAnnotation(p), f.closing(p)), text(")"))
	}
	return text("_")
}

func (f *formatter) patternAnnotation(p *PAnnot) *doc {
	return concat(f.pattern(p.X, false), text(" : "), f.signature(p.Type))
}
