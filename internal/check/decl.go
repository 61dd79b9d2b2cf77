package check

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Type declarations are checked before all values, in three rounds: first the
// names, so that declarations may mention one another in any order; then the
// abbreviations, each when it is first needed; then the constructors.

// declScope is the scope of the declaration whose type expressions are being read.
type declScope struct {
	name   string
	params []*types.Param
}

// variable returns a parameter of the declaration.
func (d *declScope) variable(c *checker, t *syntax.TVar) types.Type {
	for _, p := range d.params {
		if p.Name == t.Name {
			return p
		}
	}
	c.report(diag.Errorf(diag.UnboundTypeVariable, t.At,
		"`%s` does not declare a type variable `%s`", d.name, t.Name).
		WithHint("variables of a declaration stand before its `=`, as in `%s %s = …`",
			d.name, t.Name))
	return c.bad()
}

// aliasState says how far the reading of an abbreviation has come.
type aliasState struct {
	decl    *syntax.TypeDecl
	reading bool
}

// declareTypes reads the data and type declarations of the module.
func (c *checker) declareTypes(decls []syntax.Decl) {
	c.aliases = map[*TypeName]*aliasState{}
	var datas []*syntax.DataDecl
	var abbreviations []*TypeName
	for _, d := range decls {
		switch d := d.(type) {
		case *syntax.TypeDecl:
			name := &TypeName{Name: d.Name.Name, Doc: d.Doc, At: d.Name.At,
				Alias: &Alias{Params: c.declParams(d.Params)}}
			if c.declareType(d.Name, name) {
				c.aliases[name] = &aliasState{decl: d}
				abbreviations = append(abbreviations, name)
			}
		case *syntax.DataDecl:
			data := &types.DataDecl{Module: c.opts.Name, Name: d.Name.Name,
				Params: c.declParams(d.Params)}
			if c.declareType(d.Name, &TypeName{Name: d.Name.Name, Doc: d.Doc, At: d.Name.At,
				Data: data}) {
				datas = append(datas, d)
				c.datas = append(c.datas, data)
			}
		}
	}
	for _, name := range abbreviations {
		c.aliasOf(name)
	}
	for i, d := range datas {
		c.constructors(d, c.datas[i])
	}
	types.CompleteData(c.datas)
}

// takeTypes adopts the types that another Check of the module has declared.
func (c *checker) takeTypes(from *Interface) {
	face := c.info.Interface
	face.Cons, face.Types = from.Cons, from.Types
	face.Order = slices.Clip(from.Order[:len(from.Types)]) // values follow them
}

// declareType adds a type, unless its name is taken.
func (c *checker) declareType(at syntax.Ident, name *TypeName) bool {
	if basicType(at.Name) != nil {
		c.report(diag.Errorf(diag.DuplicateDefinition, at.At,
			"the type `%s` is built in and cannot be declared again", at.Name))
		return false
	}
	face := c.info.Interface
	if before := face.Types[at.Name]; before != nil {
		c.report(diag.Errorf(diag.DuplicateDefinition, at.At,
			"the type `%s` is declared twice in this module", at.Name).
			WithRelated(before.At, "first declared here"))
		return false
	}
	face.Types[at.Name] = name
	face.Order = append(face.Order, at.Name)
	return true
}

func (c *checker) declParams(names []syntax.Ident) []*types.Param {
	params := make([]*types.Param, len(names))
	for i, name := range names {
		params[i] = &types.Param{Name: name.Name}
		for _, before := range names[:i] {
			if before.Name == name.Name {
				c.report(diag.Errorf(diag.DuplicateBinding, name.At,
					"the type variable `%s` is declared twice", name.Name).
					WithRelated(before.At, "first here"))
			}
		}
	}
	return params
}

// aliasOf returns an abbreviation, reading it if it has not been read yet.
func (c *checker) aliasOf(name *TypeName) *Alias {
	state := c.aliases[name]
	if state == nil || name.Alias.Type != nil {
		return name.Alias
	}
	if state.reading {
		c.report(diag.Errorf(diag.TypeAbbreviation, name.At,
			"the type abbreviation `%s` mentions itself", name.Name).
			WithHint("an abbreviation stands for its right-hand side and cannot be recursive; "+
				"declare a new type with `data %s = …`", name.Name))
		name.Alias.Type = c.bad()
		return name.Alias
	}
	state.reading = true
	outer := c.decl
	c.decl = &declScope{name.Name, name.Alias.Params}
	t := c.boundedType(state.decl.Type)
	c.decl = outer
	state.reading = false
	if name.Alias.Type == nil {
		name.Alias.Type = t
	}
	return name.Alias
}

// constructors reads the alternatives of a data declaration.
func (c *checker) constructors(d *syntax.DataDecl, data *types.DataDecl) {
	c.decl = &declScope{d.Name.Name, data.Params}
	defer func() { c.decl = nil }()
	cons := c.info.Interface.Cons
	for _, k := range d.Constructors {
		con := &types.Con{Data: data, Name: k.Name.Name, Tag: len(data.Cons)}
		for _, f := range k.Fields {
			con.Fields = append(con.Fields, c.boundedType(f))
		}
		if before := cons[con.Name]; before != nil {
			c.report(diag.Errorf(diag.DuplicateDefinition, k.Name.At,
				"the constructor `%s` is declared twice in this module", con.Name).
				WithRelated(c.conAt[before], "first declared here"))
			continue
		}
		data.Cons = append(data.Cons, con)
		cons[con.Name] = con
		if c.conAt == nil {
			c.conAt = map[*types.Con]diag.Span{}
		}
		c.conAt[con] = k.Name.At
	}
}

// abbreviate collects the names of record types: those of the module, then those of its imports,
// then those that need no import.
func (c *checker) abbreviate() {
	own := c.info.Interface
	c.abbreviateFrom(own, "", true)
	for _, imp := range c.info.Module.Imports {
		if m := c.modules[imp.Alias.Name]; m != nil && m.face != nil {
			c.abbreviateFrom(m.face, imp.Alias.Name+".", false)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.opts.Modules)) {
		c.abbreviateFrom(c.opts.Modules[name], name+".", false)
	}
	for _, face := range slices.Backward(c.opts.Open) {
		c.abbreviateFrom(face, "", false)
	}
}

func (c *checker) abbreviateFrom(face *Interface, prefix string, private bool) {
	for _, name := range face.Order {
		t := face.Types[name]
		if t == nil || t.Alias == nil || isPrivate(name) && !private {
			continue
		}
		if r, ok := types.Resolve(t.Alias.Type).(*types.Record); ok {
			c.info.abbreviations = append(c.info.abbreviations,
				types.Abbreviation{Name: prefix + name, Params: t.Alias.Params, Type: r})
		}
	}
}
