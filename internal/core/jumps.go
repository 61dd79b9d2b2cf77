package core

import (
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Jumps finds out whether functions of a monomorphic program may compare or round reals, or have
// kinks where these count.
type Jumps struct {
	Defs  func(name string) *Def
	Kinks bool            // whether kinks count: second derivatives jump there
	known map[string]bool // definitions that were looked at
}

// In tells whether a block may, or what it calls.
func (j *Jumps) In(b *Block) bool {
	found := false
	Walk(b, func(s Stmt) {
		let, ok := s.(*Let)
		if !ok {
			return
		}
		if p, ok := let.Op.(*Prim); ok {
			switch p.Prim.KinkKind {
			case prim.TieKink:
				found = found || len(p.Inst) > 0 && types.Resolve(p.Inst[0]) == types.Type(types.Real)
			case prim.JumpKink:
				found = true
			case prim.MaxKink, prim.MinKink, prim.AbsKink:
				found = found || j.Kinks
			}
		}
	})
	if !found {
		Atoms(b, func(a Atom) {
			if g, ok := a.(*Global); ok {
				found = found || j.of(g.Name)
			}
		})
	}
	return found
}

func (j *Jumps) of(name string) bool {
	if is, ok := j.known[name]; ok {
		return is
	}
	if j.known == nil {
		j.known = map[string]bool{}
	}
	j.known[name] = false // where it calls itself
	def := j.Defs(name)
	switch {
	case def == nil:
	case def.Function() != nil:
		j.known[name] = j.In(def.Function().Body)
	case types.Contains(def.Type, func(t types.Type) bool { _, fun := t.(*types.Fun); return fun }):
		j.known[name] = j.In(def.Body)
	}
	return j.known[name]
}
