package syntax

import "github.com/fluxion-lang/fluxion/internal/notation"

// pattern prints a pattern. If it must be atomic and has arguments, it is put in parentheses.
func (f *formatter) pattern(p Pattern, atomic bool) *doc {
	lead := f.leadNode(p)
	d := f.barePattern(p)
	if atomic && !isAtomic(p) {
		d = concat(text("("), nest(2, d), text(")"))
	}
	return concat(lead, d)
}

// isAtomic reports whether a pattern can be an argument of a constructor without parentheses.
func isAtomic(p Pattern) bool {
	switch p := p.(type) {
	case *PCon:
		return len(p.Args) == 0
	case *PAs, *POr:
		return false
	}
	return true
}

// alternative prints one side of a `|`, or the pattern before `as`.
func (f *formatter) alternative(p Pattern, orStands bool) *doc {
	switch p.(type) {
	case *PAs:
		return f.pattern(p, true)
	case *POr:
		return f.pattern(p, !orStands)
	}
	return f.pattern(p, false)
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
	case *PAs:
		return concat(f.alternative(p.X, true), text(" as "+f.name(p.Name.Name)))
	case *POr:
		parts := []*doc{f.alternative(p.Alts[0], false)}
		for _, alt := range p.Alts[1:] {
			parts = append(parts, f.next(alt, line, "| "), f.alternative(alt, false))
		}
		return group(parts...)
	case *PArray:
		count := len(p.Elems)
		at := func(i int) Node {
			if i < len(p.Elems) {
				return p.Elems[i]
			}
			return p.Rest
		}
		if p.Rest != nil {
			count++
		}
		return f.bracketed(p, "[", "]", count, func(i int) *doc {
			if i < len(p.Elems) {
				return f.pattern(p.Elems[i], false)
			}
			if _, wild := p.Rest.(*PWild); wild {
				return concat(f.leadNode(p.Rest), text(".."))
			}
			return concat(f.leadNode(p.Rest), text(".."), f.pattern(p.Rest, true))
		}, at)
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
