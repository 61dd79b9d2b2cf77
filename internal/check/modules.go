package check

import (
	"slices"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// module is an import, as the importing module sees it.
type module struct {
	decl   *syntax.Import
	face   *Interface // nil if the import failed, and for builtin
	hidden bool       // whether it holds the hidden primitives of the standard library
	used   bool

	earlier bool // whether an earlier input of the session imported it
}

// listing is the import that brings a name into scope without a qualifier.
type listing struct {
	from *module
	at   diag.Span
	used bool
}

// openModules makes imports known by their aliases.
func (c *checker) openModules(imports []*syntax.Import) {
	if len(imports)+len(c.opts.Modules) == 0 {
		return
	}
	c.modules = make(map[string]*module, len(imports)+len(c.opts.Modules))
	for name, face := range c.opts.Modules {
		c.modules[name] = &module{decl: &syntax.Import{Alias: syntax.Ident{Name: name}}, face: face,
			earlier: true, used: true}
	}
	for _, imp := range imports {
		m := &module{decl: imp, used: c.opts.Session}
		face, known := c.opts.Imports[imp]
		switch {
		case face != nil:
			m.face = face
		case c.opts.Library && imp.Path == "builtin" && !imp.Quoted:
			m.hidden = true
		case !known:
			c.report(diag.Errorf(diag.UnknownModule, imp.At, "there is no module `%s`", imp.Path))
			m.used = true
		default:
			m.used = true // the driver has reported what is wrong with it
		}
		if before := c.modules[imp.Alias.Name]; before != nil && !before.earlier {
			d := diag.Errorf(diag.DuplicateDefinition, imp.Alias.At, "two imports are called `%s`",
				imp.Alias.Name).
				WithRelated(before.decl.At, "the other one")
			path := imp.Path
			if imp.Quoted {
				path = strconv.Quote(path)
			}
			c.report(d.WithHint("give one of them another name: `import %s as other`", path))
			continue
		}
		c.modules[imp.Alias.Name] = m
		c.openNames(m)
	}
	c.opts.Open = append(slices.Clip(c.opts.Open), c.info.Opened)
}

// openNames brings the names that an import lists into scope: values, types and constructors.
func (c *checker) openNames(m *module) {
	opened := c.info.Opened
	for _, id := range m.decl.Names {
		if m.face == nil {
			m.used = true
			continue
		}
		value, con, named := m.face.public(id.Name), m.face.Cons[id.Name], m.face.Types[id.Name]
		if value == nil && con == nil && named == nil {
			c.unknownMember(m, id)
			m.used = true
			continue
		}
		if before := c.listed[id.Name]; before != nil {
			c.report(diag.Errorf(diag.DuplicateDefinition, id.At,
				"two imports bring `%s` into scope", id.Name).
				WithRelated(before.at, "the other one").
				WithHint("leave one out and write `%s.%s`", m.decl.Alias.Name, id.Name))
			continue
		}
		if value != nil {
			opened.values[id.Name] = value
		}
		if con != nil {
			opened.Cons[id.Name] = con
		}
		if named != nil {
			opened.Types[id.Name] = named
		}
		if c.listed == nil {
			c.listed = map[string]*listing{}
		}
		c.listed[id.Name] = &listing{from: m, at: id.At, used: c.opts.Session}
	}
}

// found records the use of a name of an opened module.
func (c *checker) found(name string, face *Interface) {
	if l := c.listed[name]; l != nil && face == c.info.Opened {
		l.used, l.from.used = true, true
	}
}

// qualifier returns the module that an expression names, or nil. Values of the same name hide a
// module.
func (c *checker) qualifier(e syntax.Expr) *module {
	if len(c.modules) == 0 {
		return nil
	}
	switch e := e.(type) {
	case *syntax.Var:
		if m := c.modules[e.Name]; m != nil && !c.bindsValue(e.Name) {
			return m
		}
	case *syntax.Con:
		return c.modules[e.Name]
	}
	return nil
}

// bindsValue reports whether the module itself binds a name here, so that it
// hides a module of that name.
func (c *checker) bindsValue(name string) bool {
	if b := c.names.lookup(name); b != nil {
		switch b.object.(type) {
		case *Local, *recursive:
			return true
		}
	}
	return c.own(name) != nil
}

// member returns the type of a qualified name.
func (c *checker) member(e *syntax.Field, m *module) types.Type {
	m.used = true
	name := e.Name.Name
	alias := m.decl.Alias.Name
	if isUpper(name) {
		con := c.memberCon(m, e.Name)
		if con == nil {
			return c.bad()
		}
		return c.constructor(e, con)
	}
	if m.hidden {
		if p := c.primitive(name); p != nil {
			return c.use(e, &bound{object: p, use: &Use{Object: p}})
		}
		c.report(diag.Errorf(diag.UnknownMember, e.Name.At, "there is no primitive `%s`", name))
		return c.bad()
	}
	if m.face == nil {
		return c.bad()
	}
	g := m.face.Value(name)
	switch {
	case g == nil:
		c.unknownMember(m, e.Name)
		return c.bad()
	case isPrivate(name):
		c.report(diag.Errorf(diag.PrivateName, e.Name.At, "`%s` is private to module `%s`",
			name, alias).
			WithRelated(g.At, "defined here").
			WithHint("a name that starts with `_` can only be used in its own module"))
	}
	return c.use(e, &bound{object: g, use: &Use{Object: g}})
}

// memberCon returns a qualified constructor, or reports that there is none.
func (c *checker) memberCon(m *module, name syntax.Ident) *types.Con {
	m.used = true
	if m.face == nil {
		if m.hidden {
			c.unknownMember(m, name)
		}
		return nil
	}
	con := m.face.Cons[name.Name]
	if con == nil {
		c.unknownMember(m, name)
	}
	return con
}

func isUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// findCon returns an unqualified constructor, or nil.
func (c *checker) findCon(name string) *types.Con {
	if con := c.info.Interface.Cons[name]; con != nil {
		return con
	}
	if isPrivate(name) {
		return nil
	}
	for i := len(c.opts.Open) - 1; i >= 0; i-- {
		if face := c.opts.Open[i]; face != nil {
			if con := face.Cons[name]; con != nil {
				c.found(name, face)
				return con
			}
		}
	}
	return nil
}

// findType returns an unqualified declared type, or nil.
func (c *checker) findType(name string) *TypeName {
	if t := c.info.Interface.Types[name]; t != nil {
		return t
	}
	if isPrivate(name) {
		return nil
	}
	for i := len(c.opts.Open) - 1; i >= 0; i-- {
		if face := c.opts.Open[i]; face != nil {
			if t := face.Types[name]; t != nil {
				c.found(name, face)
				return t
			}
		}
	}
	return nil
}
