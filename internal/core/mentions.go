package core

import (
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Mentions finds out whether functions of a monomorphic program may apply rows of some kind.
type Mentions struct {
	Defs   func(name string) *Def
	Are    func(p *Prim) bool // whether an application is of that kind
	known  map[string]bool    // the definitions examined so far
	blocks map[*Block]bool    // the blocks examined so far
}

// AreKinks reports whether an application compares or rounds reals, as max, min and abs do too.
func AreKinks(p *Prim) bool {
	switch p.Prim.KinkKind {
	case prim.TieKink:
		return len(p.Inst) > 0 && types.Resolve(p.Inst[0]) == types.Type(types.Real)
	case prim.JumpKink, prim.MaxKink, prim.MinKink, prim.AbsKink:
		return true
	}
	return false
}

// AreNarrow reports whether an application may have a narrow feature.
func AreNarrow(p *Prim) bool {
	if p.Prim.ID == prim.PowInt {
		n, ok := p.Args[1].(*Lit)
		return !ok || n.Int < 0 || n.Int > prim.Widest
	}
	return p.Prim.Feature != nil
}

// In reports whether a block, or anything it calls, may apply such a row.
func (m *Mentions) In(b *Block) bool {
	if is, ok := m.blocks[b]; ok {
		return is
	}
	found := false
	Walk(b, func(s Stmt) {
		if let, ok := s.(*Let); ok && !found {
			p, ok := let.Op.(*Prim)
			found = ok && m.Are(p)
		}
	})
	if !found {
		Atoms(b, func(a Atom) {
			if g, ok := a.(*Global); ok {
				found = found || m.of(g.Name)
			}
		})
	}
	if m.blocks == nil {
		m.blocks = map[*Block]bool{}
	}
	m.blocks[b] = found
	return found
}
func (m *Mentions) of(name string) bool {
	if is, ok := m.known[name]; ok {
		return is
	}
	if m.known == nil {
		m.known = map[string]bool{}
	}
	m.known[name] = false // for the case that it calls itself
	def := m.Defs(name)
	switch {
	case def == nil:
	case def.Function() != nil:
		m.known[name] = m.In(def.Function().Body)
	case types.Contains(def.Type, func(t types.Type) bool { _, fun := t.(*types.Fun); return fun }):
		m.known[name] = m.In(def.Body)
	}
	return m.known[name]
}
