package diff

import "github.com/fluxion-lang/fluxion/internal/core"

// live gives the statements that some atoms need, without what those nested
// in them do not need; nested blocks are changed in place.
//
// A derivative is asked for where the function has a value, so that all of the
// function's operations succeed; what is dead may therefore be dropped even if
// it could fail, unlike in package opt.
func live(stmts []core.Stmt, roots ...core.Atom) []core.Stmt {
	l := &liveness{used: map[*core.Var]bool{}}
	for _, a := range roots {
		l.atom(a)
	}
	return l.stmts(stmts)
}

type liveness struct{ used map[*core.Var]bool }

func (l *liveness) atom(a core.Atom) {
	if v, ok := a.(*core.Var); ok {
		l.used[v] = true
	}
}

func (l *liveness) stmts(stmts []core.Stmt) []core.Stmt {
	parts := core.Parts{Atom: l.atom, Block: l.block}
	kept := make([]core.Stmt, len(stmts))
	n := len(stmts)
	for i := len(stmts) - 1; i >= 0; i-- {
		switch s := stmts[i].(type) {
		case *core.Let:
			if !l.used[s.Var] {
				continue
			}
			parts.Visit(s.Op)
		case *core.LetRec:
			used := false
			for _, v := range s.Vars {
				used = used || l.used[v]
			}
			if !used {
				continue
			}
			for _, fun := range s.Funs {
				parts.Visit(fun)
			}
		}
		n--
		kept[n] = stmts[i]
	}
	return kept[n:]
}

func (l *liveness) block(b *core.Block) {
	l.atom(b.Result)
	b.Stmts = l.stmts(b.Stmts)
}
