package loop

import "sync"

// With returns a block in which free variables are replaced by other atoms. Statements that read
// none of them are shared with the old block, so only one of the two may stand in a function.
func (b *Block) With(vars []*Var, to []Atom) *Block {
	r := givers.Get().(*giver)
	for i, v := range vars {
		r.subst.Set(v, to[i])
	}
	out := r.block(b)
	r.subst.Clear()
	givers.Put(r)
	return out
}

// giver replaces variables by atoms.
type giver struct {
	subst VarMap[Atom]
	m     Mapper
}

var givers = sync.Pool{New: func() any {
	r := &giver{}
	r.m = Mapper{Use: r.atom, Block: r.block, Share: true}
	return r
}}

func (r *giver) atom(a Atom) Atom {
	if v, ok := a.(*Var); ok {
		if to := r.subst.Get(v); to != nil {
			return to
		}
	}
	return a
}

func (r *giver) block(b *Block) *Block {
	out := Rebuild(b)
	for _, s := range b.Stmts {
		out.add(r.m.Stmt(s))
	}
	return out.Rebuilt(b, r.m.Uses(b.Yield))
}
