package check

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Check resolves the names of a module and infers its types and array sizes. It always returns an
// Info with an Interface, however wrong the module is. Diagnostics go to sink.
func Check(m *syntax.Module, opts Options, sink *diag.List) *Info {
	c := &checker{
		opts: opts,
		sink: sink,
		info: &Info{
			Module:     m,
			Name:       opts.Name,
			Types:      make([]types.Type, m.Nodes),
			Uses:       make([]*Use, m.Nodes),
			Defs:       make([]Object, m.Nodes),
			Signatures: map[*syntax.Signature]types.Type{},
			Interface: &Interface{
				Name:   opts.Name,
				Doc:    m.Doc,
				values: map[string]*Global{},
				Cons:   map[string]*types.Con{},
				Types:  map[string]*TypeName{},
			},
			Opened: &Interface{values: map[string]*Global{}, Cons: map[string]*types.Con{},
				Types: map[string]*TypeName{}},
		},
	}
	c.names.init()
	c.u.Sizes = c.meet
	c.openModules(m.Imports)
	if opts.Declared != nil {
		c.takeTypes(opts.Declared)
	} else {
		c.declareTypes(m.Decls)
	}
	if opts.Before == nil {
		c.abbreviate()
		c.opts.Watch.Look()
		c.forward = definitions(m.Decls)
		c.opts.Watch.Look()
	}
	for _, d := range m.Decls {
		if d, ok := d.(*syntax.LetDecl); ok {
			c.opts.Watch.Step()
			c.topLet(d)
		}
	}
	if m.Final != nil {
		c.final(m.Final)
	}
	c.finishModule()
	return c.info
}

// checker is the state of one Check.
type checker struct {
	info *Info
	opts Options
	sink *diag.List
	u    types.Unifier

	names    scope
	modules  map[string]*module   // by the aliases of their imports
	listed   map[string]*listing  // the names that imports list
	forward  map[string]diag.Span // top-level names that are defined further down
	defining []*syntax.PVar       // the names that are being defined without rec

	cells  []localCell
	shared map[string]*Local // the variables that the alternatives of a pattern share
	prims  map[string]*Primitive
	opUses [syntax.OpPowR + 1][2]*Use // uses of operators at Real and at Int
	cons   map[*types.Con]*conInfo

	vars     []typeVar // type and size variables of the annotations in scope
	flexible bool      // whether a new type variable is an unknown rather than rigid
	given    bool      // whether the binding states its constraints
	decl     *declScope
	aliases  map[*TypeName]*aliasState
	datas    []*types.DataDecl
	conAt    map[*types.Con]diag.Span
	chain    int32 // numbers the chains of local lets, for lintShadow
	chains   int32

	deferred  []*deferral // what waits for a type, in this top-level definition
	jacobians []*jacobian // the derivatives whose types are not known yet
	open      []*deferral // the fields that earlier ones left open
	waker     syntax.Node // what decided the types for which deferrals are being woken
	notRecord syntax.Node // the last such thing that should have been a record
	equations []equation  // between sizes, not yet solved
	reason    why         // the purpose of the current unification
	reasonAt  syntax.Node // the node that reason is about

	files     []syntax.Node  // uses of `file`
	literals  []largeLiteral // integer literals that no Int can hold
	firstNew  int32          // the first meta of this top-level definition
	opened    int            // unknowns of the definition for which any type would do
	undecided []*types.Meta  // unknowns of the module that its uses must decide

	madeReal map[Object]*realUse   // what made a variable a Real
	known    map[string]*Interface // see libraries
	swap     swapped
	// the last call with a function of the wrong arity; errors in its other arguments follow from
	// that
	wrongArity   *syntax.Apply
	unused       []*Local // for lintLocals
	sources      []source // for lintSources
	saidTooLarge bool
}

// topLet checks a top-level definition.
func (c *checker) topLet(d *syntax.LetDecl) {
	for _, b := range d.Bindings {
		patternNames(b.Pat, func(v *syntax.PVar) { delete(c.forward, v.Name) })
	}
	c.group(d.Bindings, d.Rec, d)
	c.finishDefinition()
}

// final checks the expression that the module ends in.
func (c *checker) final(e syntax.Expr) {
	vars := len(c.vars)
	c.flexible = true
	c.u.Level = 1
	t := c.infer(e)
	c.u.Level = 0
	c.flexible = false
	c.vars = c.vars[:vars]
	c.finishDefinition()
	c.lintResult(e, t)
}

// finishDefinition decides the unknowns that the top-level definition left open.
func (c *checker) finishDefinition() {
	c.settle()
	c.defaultJacobians(1)
	c.solveSizes()
	c.defaultDefinition()
}

// finishModule decides the unknowns that the whole module left open.
func (c *checker) finishModule() {
	c.closeRecords()
	c.defaultJacobians(0)
	c.opts.Watch.Look()
	c.solveSizes()
	c.opts.Watch.Look()
	c.defaultModule()
	c.checkLiterals()
	c.checkFiles()
	if c.opts.Before != nil {
		return
	}
	c.opts.Watch.Look()
	c.lintImports()
	c.lintLocals()
	c.lintSources()
	c.opts.Watch.Look()
}

// definitions returns where each top-level name is first defined.
func definitions(decls []syntax.Decl) map[string]diag.Span {
	found := map[string]diag.Span{}
	for _, d := range decls {
		let, ok := d.(*syntax.LetDecl)
		if !ok {
			continue
		}
		for _, b := range let.Bindings {
			patternNames(b.Pat, func(v *syntax.PVar) {
				if _, twice := found[v.Name]; !twice {
					found[v.Name] = v.At
				}
			})
		}
	}
	return found
}

// patternNames calls f for each variable that a pattern binds.
func patternNames(p syntax.Pattern, f func(*syntax.PVar)) {
	switch p := p.(type) {
	case *syntax.PVar:
		f(p)
	case *syntax.PCon:
		for _, a := range p.Args {
			patternNames(a, f)
		}
	case *syntax.PTuple:
		for _, e := range p.Elems {
			patternNames(e, f)
		}
	case *syntax.PRecord:
		for _, field := range p.Fields {
			patternNames(field.Pat, f)
		}
	case *syntax.PParen:
		patternNames(p.X, f)
	case *syntax.PAnnot:
		patternNames(p.X, f)
	case *syntax.PAs:
		patternNames(p.X, f)
		f(p.Name)
	case *syntax.POr:
		patternNames(p.Alts[0], f) // the others bind the same names
	case *syntax.PArray:
		for _, e := range p.Elems {
			patternNames(e, f)
		}
		if p.Rest != nil {
			patternNames(p.Rest, f)
		}
	}
}

// record stores the type of a node.
func (c *checker) record(n syntax.Node, t types.Type) types.Type {
	c.info.Types[n.Num()] = t
	return t
}

// bad returns a type for an expression that was already reported.
func (c *checker) bad() types.Type {
	m := c.u.Fresh()
	m.Poisoned = true
	return m
}

func isBad(t types.Type) bool {
	m, ok := types.Resolve(t).(*types.Meta)
	return ok && m.Poisoned
}

// primitive returns the object of a row of the table.
func (c *checker) primitive(name string) *Primitive {
	if p, ok := c.prims[name]; ok {
		return p
	}
	if c.prims == nil {
		c.prims = map[string]*Primitive{}
	}
	var p *Primitive
	if row := c.opts.Rows[name]; row != nil {
		p = &Primitive{row}
	} else if row := prim.Lookup(name); row != nil {
		p = &Primitive{row}
	}
	c.prims[name] = p
	return p
}

// report adds a diagnostic. It polls the watch, because the search for suggestions may have
// looked at all names.
func (c *checker) report(d *diag.Diagnostic) {
	c.opts.Watch.Poll()
	c.sink.Add(d)
}

func sortFields(fields []types.Field) {
	slices.SortFunc(fields, func(a, b types.Field) int {
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
}
