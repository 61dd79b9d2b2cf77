package service

import (
	"path/filepath"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// covers reports whether an offset lies in a span or at its end. The cursor after a word counts
// as on the word.
func covers(s diag.Span, offset int) bool {
	return s.Known() && int(s.Start) <= offset && offset <= int(s.End)
}

// path returns the nodes that cover an offset, from the outermost to the innermost.
func (v *view) path(offset int) []syntax.Node {
	var path []syntax.Node
	visit := func(n syntax.Node) bool {
		if !covers(n.Span(), offset) {
			return false
		}
		// Of two neighbours that meet at the offset, the later one counts, unless it is a part of
		// the earlier one.
		for len(path) > 0 && path[len(path)-1].Span().End <= n.Span().Start &&
			int(n.Span().Start) == offset {
			path = path[:len(path)-1]
		}
		path = append(path, n)
		return true
	}
	syntax.InspectModule(v.unit.AST, visit)
	return path
}

// name is an occurrence of a name in a text: its place and the object that it refers to.
type name struct {
	at     diag.Span
	text   string
	object check.Object // nil if unknown
	ty     types.Type   // its type at this place
	binds  bool         // whether this occurrence introduces the object
	node   syntax.Node
}

// names calls f for every name in the module that refers to an object or introduces one.
func (v *view) names(f func(name)) {
	info := v.unit.Info
	use := func(n syntax.Node, at diag.Span, text string) {
		if u := info.Uses[n.Num()]; u != nil {
			f(name{at: at, text: text, object: u.Object, ty: info.Types[n.Num()], node: n})
		}
	}
	syntax.InspectModule(v.unit.AST, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Var:
			use(n, n.At, n.Name)
		case *syntax.Con:
			use(n, n.At, n.Name)
		case *syntax.Binary:
			use(n, n.OpAt, n.Op.String())
		case *syntax.OpFun:
			use(n, n.At, n.Op.String())
		case *syntax.Field:
			use(n, n.Name.At, n.Name.Name)
		case *syntax.PCon:
			use(n, n.Name.At, n.Name.Name)
		case *syntax.PVar:
			if object := info.Defs[n.Num()]; object != nil && n.At.Known() {
				f(name{at: n.At, text: n.Name, object: object, ty: info.Types[n.Num()],
					binds: true, node: n})
			}
		}
		return true
	})
}

// at finds the name at an offset.
func (v *view) at(offset int) (found name, ok bool) {
	v.names(func(n name) {
		if covers(n.at, offset) && (!ok || n.at.End-n.at.Start < found.at.End-found.at.Start ||
			int(n.at.Start) == offset) {
			found, ok = n, true
		}
	})
	return found, ok
}

// declared returns where an object is introduced. It returns the zero Span for a primitive.
func (s *Service) declared(o check.Object) diag.Span {
	switch o := o.(type) {
	case *check.Local:
		return o.At
	case *check.Global:
		return o.At
	case *check.Constructor:
		return s.constructor(o.Con)
	}
	return diag.Span{}
}

// constructor finds the declaration of a constructor in the modules that are loaded.
func (s *Service) constructor(con *types.Con) diag.Span {
	for _, v := range s.units {
		for _, u := range append(v.unit.Imports, v.unit) {
			if u.AST == nil || u.Info == nil {
				continue
			}
			if face := u.Info.Interface.Cons[con.Name]; face == nil || face.Data != con.Data {
				continue
			}
			for _, d := range u.AST.Decls {
				data, ok := d.(*syntax.DataDecl)
				if !ok || data.Name.Name != con.Data.Name {
					continue
				}
				for _, c := range data.Constructors {
					if c.Name.Name == con.Name {
						return c.Name.At
					}
				}
			}
		}
	}
	return diag.Span{}
}

// Definition returns where the name at an offset is introduced, if that is known. A place in the
// library is in a file of its own, which carries its text.
func (s *Service) Definition(path string, offset int) (diag.Span, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return diag.Span{}, false
	}
	for _, imp := range v.unit.AST.Imports {
		if covers(imp.At, offset) {
			if u := v.unit.Module(imp.Alias.Name); u != nil {
				return diag.Span{File: u.File}, true
			}
		}
	}
	n, ok := v.at(offset)
	if !ok {
		return v.declaredType(offset)
	}
	at := s.declared(n.object)
	return at, at.Known()
}

// declaredType returns the declaration of the type that is named at an offset.
func (v *view) declaredType(offset int) (diag.Span, bool) {
	for _, n := range v.path(offset) {
		t, ok := n.(*syntax.TName)
		if !ok || !covers(t.Name.At, offset) {
			continue
		}
		face := v.unit.Info.Interface
		if t.Module.Name != "" {
			if u := v.unit.Module(t.Module.Name); u != nil {
				face = u.Info.Interface
			}
		}
		if d := face.Types[t.Name.Name]; d != nil {
			return d.At, d.At.Known()
		}
	}
	return diag.Span{}, false
}

// same reports whether two objects are the same. Objects of a module that was loaded once are
// identical. A whole library module has its own definitions, which have the same places.
func same(a, b check.Object) bool {
	if c, ok := a.(*check.Constructor); ok {
		d, ok := b.(*check.Constructor)
		return ok && c.Con == d.Con
	}
	if p, ok := a.(*check.Primitive); ok {
		q, ok := b.(*check.Primitive)
		return ok && p.Prim == q.Prim
	}
	if g, ok := a.(*check.Global); ok {
		h, ok := b.(*check.Global)
		return ok && g.QName == h.QName && g.At == h.At
	}
	return a == b
}

// References returns the places where the name at an offset is introduced and used, in all open
// documents and in the file that introduces it.
func (s *Service) References(path string, offset int, declaration bool) []diag.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	spans, _ := s.references(path, offset, declaration)
	return spans
}

func (s *Service) references(path string, offset int, declaration bool) (
	[]diag.Span, check.Object) {
	v := s.look(path)
	if v == nil {
		return nil, nil
	}
	n, ok := v.at(offset)
	if !ok {
		return nil, nil
	}
	views := []*view{v}
	if _, local := n.object.(*check.Local); !local {
		files := map[string]bool{filepath.Clean(path): true}
		if at := s.declared(n.object); at.Known() && !at.File.Library {
			files[filepath.Clean(at.File.Name)] = true
		}
		for p := range s.docs {
			files[p] = true
		}
		views = views[:0]
		for p := range files {
			if other := s.look(p); other != nil {
				views = append(views, other)
			}
		}
	}
	var spans []diag.Span
	seen := map[diag.Span]bool{}
	add := func(at diag.Span) {
		if at.Known() && !at.File.Library && !seen[at] {
			seen[at] = true
			spans = append(spans, at)
		}
	}
	for _, v := range views {
		v.names(func(m name) {
			if same(m.object, n.object) && (declaration || !m.binds) {
				add(m.at)
			}
		})
	}
	if declaration {
		add(s.declared(n.object))
	}
	return spans, n.object
}
