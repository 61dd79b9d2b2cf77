package check

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// scope maps the names of values to their meaning at the current place. One table serves the
// whole module: entering a binding pushes, and leaving it pops, so that a lookup is a single
// probe however deep the nesting.
type scope struct {
	slots map[string]*slot
	trail []*slot // the slots that were pushed to, in order
}

// slot holds the meanings of one name, of which the last is current.
type slot struct {
	stack []bound
}

// bound is an object, with a shared use if it needs no instance.
type bound struct {
	object Object
	use    *Use
	chain  int32 // the chain of lets that bound it; see lintShadow
}

func (s *scope) init() { s.slots = map[string]*slot{} }

func (s *scope) push(name string, b bound) {
	at := s.slots[name]
	if at == nil {
		at = &slot{}
		s.slots[name] = at
	}
	at.stack = append(at.stack, b)
	s.trail = append(s.trail, at)
}

// lookup returns the innermost binding of a name, or nil.
func (s *scope) lookup(name string) *bound {
	if at := s.slots[name]; at != nil && len(at.stack) > 0 {
		return &at.stack[len(at.stack)-1]
	}
	return nil
}

func (s *scope) mark() int { return len(s.trail) }

// leave ends the scopes entered since the mark, and lints the names they bound.
func (c *checker) leave(mark int) {
	trail := c.names.trail
	for i := len(trail) - 1; i >= mark; i-- {
		last := len(trail[i].stack) - 1
		if local, ok := trail[i].stack[last].object.(*Local); ok && !local.Used &&
			local.Size == nil && !c.givesSize(local) {
			c.lintUnused(local)
		}
		trail[i].stack = trail[i].stack[:last]
	}
	c.names.trail = trail[:mark]
}

// localCell holds in one allocation a Local with its scheme and its shared use, which most locals
// need exactly once.
type localCell struct {
	Local
	scheme types.Scheme
	use    Use
}

// newLocal makes a local with a type that quantifies nothing (yet).
func (c *checker) newLocal(name string, at diag.Span, t types.Type) *localCell {
	if len(c.cells) == 0 {
		c.cells = make([]localCell, 16)
	}
	cell := &c.cells[0]
	c.cells = c.cells[1:]
	cell.Name, cell.At = name, at
	cell.scheme.Type = t
	cell.Scheme = &cell.scheme
	cell.use.Object = &cell.Local
	return cell
}

// bindLocal brings a pattern variable into scope. A program makes a type large by naming a value
// and mentioning the name twice. So the size of types is bounded here; unification and
// generalisation bound the types they see.
func (c *checker) bindLocal(p *syntax.PVar, t types.Type) {
	unknown := false
	switch types.Resolve(t).(type) {
	case *types.Meta:
		unknown = true
	case *types.Basic, *types.Param:
	default:
		if types.Exceeds(t) {
			c.typeTooLarge(p)
			t = c.bad()
		}
	}
	cell := c.newLocal(p.Name, p.At, t)
	if unknown {
		cell.oneType = isParameter
	}
	c.info.Defs[p.ID] = &cell.Local
	c.record(p, t)
	c.names.push(p.Name, bound{object: &cell.Local, use: &cell.use})
}

// defineGlobal brings a top-level name into scope.
func (c *checker) defineGlobal(p *syntax.PVar, scheme *types.Scheme, doc string) *Global {
	g := &Global{Name: p.Name, QName: qualified(c.opts.Name, p.Name), Scheme: scheme, Doc: doc,
		At: p.At, info: c.info}
	c.info.Defs[p.ID] = g
	values := c.info.Interface.values
	if before := values[p.Name]; before != nil {
		c.report(diag.Errorf(diag.DuplicateDefinition, p.At, "`%s` is defined twice in this module",
			p.Name).
			WithRelated(before.At, "first defined here").
			WithHint("rename one of the two; only names of other modules, such as the prelude's, " +
				"can be defined anew"))
	} else {
		values[p.Name] = g
		c.info.Interface.Order = append(c.info.Interface.Order, p.Name)
	}
	c.names.push(p.Name, bound{object: g, use: &Use{Object: g}})
	return g
}

func qualified(module, name string) string {
	if module == "" {
		return name
	}
	return module + "." + name
}

// find resolves an unqualified name: names bound in the module, then those of open modules, then
// the primitives. It returns nil if there is none.
func (c *checker) find(name string) *bound {
	if b := c.names.lookup(name); b != nil {
		return b
	}
	if b := c.findOutside(name); b != nil {
		// From now on it is found at once. The entry lies below everything that the module will
		// bind, and is never popped.
		at := c.names.slots[name]
		if at == nil {
			at = &slot{}
			c.names.slots[name] = at
		}
		at.stack = append(at.stack, *b)
		return &at.stack[0]
	}
	return nil
}

// own returns a definition of the module that is in scope here, or nil.
func (c *checker) own(name string) *Global {
	if g := c.info.Interface.values[name]; g != nil || c.opts.Before == nil {
		return g
	}
	return c.opts.Before(name)
}

func (c *checker) findOutside(name string) *bound {
	if g := c.own(name); g != nil {
		return &bound{object: g, use: &Use{Object: g}}
	}
	for i := len(c.opts.Open) - 1; i >= 0; i-- {
		if g := c.opts.Open[i].public(name); g != nil {
			c.found(name, c.opts.Open[i])
			return &bound{object: g, use: &Use{Object: g}}
		}
	}
	if p := c.primitive(name); p != nil && !p.Prim.Hidden && isIdentifier(name) {
		return &bound{object: p, use: &Use{Object: p}}
	}
	return nil
}

func isPrivate(name string) bool { return len(name) > 0 && name[0] == '_' }

func isIdentifier(name string) bool {
	return name != "" && (name[0] == '_' || name[0] >= 'a' && name[0] <= 'z' || name[0] >= 0x80)
}

// variable returns the type of a name at one of its uses.
func (c *checker) variable(e *syntax.Var) types.Type {
	b := c.find(e.Name)
	if b == nil {
		c.unknownName(e)
		return c.bad()
	}
	return c.use(e, b)
}

// use records what a node refers to and returns the type it has there.
func (c *checker) use(e syntax.Node, b *bound) types.Type {
	var scheme *types.Scheme
	switch o := b.object.(type) {
	case *Local:
		o.Used = true
		scheme = o.Scheme
	case *Global:
		scheme = o.Scheme
	case *Primitive:
		scheme = o.Prim.Scheme
		if o.Prim.ID == prim.File {
			c.files = append(c.files, e)
		}
	case *recursive:
		return c.useRecursive(e, o)
	}
	if len(scheme.Params) == 0 {
		c.info.Uses[e.Num()] = b.use
		if len(scheme.Sizes) == 0 {
			return scheme.Type
		}
	}
	t, inst := c.u.Instantiate(scheme, e)
	c.demandJacobians()
	if len(inst) > 0 {
		c.info.Uses[e.Num()] = &Use{b.object, inst}
		c.noteSources(e, scheme, inst)
	}
	return t
}
