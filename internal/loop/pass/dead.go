package pass

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// DeadCode removes what no result and no check depends on: operations, loops, single states and
// totals of loops, single results of branches, and buffers that nobody reads
// with all that is written to them.
func DeadCode(f *loop.Func) {
	d := newLiveness()
	d.collect(f.Body, nil)
	for _, a := range f.Body.Yield {
		d.use(a)
	}
	for _, v := range f.Params[len(f.Params)-f.Adds:] {
		d.use(v)
	}
	d.follow()
	f.Body = d.prune(f.Body)
}

// def is where a variable is bound: by a statement, as its result or parameter with a number.
type def struct {
	stmt loop.Stmt
	n    int
}

type liveness struct {
	defs    map[*loop.Var]def
	writers map[*loop.Var][]loop.Stmt // of a buffer
	parent  map[loop.Stmt]loop.Stmt
	vars    map[*loop.Var]bool   // live
	stmts   map[loop.Stmt]bool   // that must stay
	queue   []*loop.Var          // live, not yet followed
	stop    func(*loop.Var) bool // whether not to follow a live variable; nil for never
}

func newLiveness() *liveness {
	return &liveness{defs: map[*loop.Var]def{}, writers: map[*loop.Var][]loop.Stmt{}, parent: map[loop.Stmt]loop.Stmt{},
		vars: map[*loop.Var]bool{}, stmts: map[loop.Stmt]bool{}}
}

// follow marks all that live variables depend on.
func (d *liveness) follow() {
	for len(d.queue) > 0 {
		v := d.queue[len(d.queue)-1]
		d.queue = d.queue[:len(d.queue)-1]
		if d.stop == nil || !d.stop(v) {
			d.reach(v)
		}
	}
}

func (d *liveness) collect(b *loop.Block, parent loop.Stmt) {
	for _, s := range b.Stmts {
		d.parent[s] = parent
		n := 0
		loop.Defs(s, func(v *loop.Var) {
			d.defs[v] = def{s, n}
			n++
		})
		switch s := s.(type) {
		case *loop.For:
			for i, st := range s.States {
				d.defs[st.Var] = def{s, i}
			}
		case *loop.While:
			for i, st := range s.States {
				d.defs[st.Var] = def{s, i}
			}
		case *loop.Store:
			d.writers[s.Buf] = append(d.writers[s.Buf], s)
		case *loop.Accum:
			d.writers[s.Buf] = append(d.writers[s.Buf], s)
		case *loop.Call:
			for _, v := range s.AddedTo() {
				d.writers[v] = append(d.writers[v], s)
			}
		}
		loop.Blocks(s, func(b *loop.Block) { d.collect(b, s) })
		if mayFail(s) {
			d.keep(s)
			loop.Uses(s, d.use)
		}
	}
}

// mayFail tells whether a statement must stay for what it may do by itself.
func mayFail(s loop.Stmt) bool {
	switch s.(type) {
	case *loop.Check, *loop.Call:
		return true
	}
	return false
}

func (d *liveness) use(a loop.Atom) {
	if v, ok := a.(*loop.Var); ok && !d.vars[v] {
		d.vars[v] = true
		d.queue = append(d.queue, v)
	}
}

// keep marks a statement and those around it, which decide whether it runs.
func (d *liveness) keep(s loop.Stmt) {
	for ; s != nil && !d.stmts[s]; s = d.parent[s] {
		d.stmts[s] = true
		switch s := s.(type) {
		case *loop.For:
			d.use(s.Count)
		case *loop.While:
			d.use(s.Cond.Yield[0])
		case *loop.If:
			d.use(s.Cond)
		}
	}
}

// reach marks what a live variable depends on.
func (d *liveness) reach(v *loop.Var) {
	for _, w := range d.writers[v] {
		d.keep(w)
		loop.Uses(w, d.use)
	}
	def, ok := d.defs[v]
	if !ok {
		return
	}
	d.keep(def.stmt)
	state := func(st loop.State, yield loop.Atom) {
		d.use(st.Init)
		d.use(yield)
		d.use(st.Var)
	}
	switch s := def.stmt.(type) {
	case *loop.For:
		if def.n < len(s.States) {
			state(s.States[def.n], s.Body.Yield[def.n])
			return
		}
		d.use(s.Reds[def.n-len(s.States)].Init)
		d.use(s.Body.Yield[def.n])
	case *loop.While:
		state(s.States[def.n], s.Body.Yield[def.n])
	case *loop.If:
		d.use(s.Then.Yield[def.n])
		d.use(s.Else.Yield[def.n])
	default:
		loop.Uses(s, d.use)
	}
}

func (d *liveness) prune(b *loop.Block) *loop.Block {
	out := &loop.Block{Yield: b.Yield}
	for _, s := range b.Stmts {
		if !d.stmts[s] {
			continue
		}
		switch s := s.(type) {
		case *loop.For:
			c := *s
			c.States, c.Reds = nil, nil
			c.Body = d.prune(s.Body)
			c.Body.Yield = nil
			for i, st := range s.States {
				if d.vars[st.Var] {
					c.States = append(c.States, st)
					c.Body.Yield = append(c.Body.Yield, s.Body.Yield[i])
				}
			}
			for i, r := range s.Reds {
				if d.vars[r.Result] {
					c.Reds = append(c.Reds, r)
					c.Body.Yield = append(c.Body.Yield, s.Body.Yield[len(s.States)+i])
				}
			}
			out.Stmts = append(out.Stmts, &c)
		case *loop.While:
			c := &loop.While{Cond: d.prune(s.Cond), Body: d.prune(s.Body)}
			c.Body.Yield = nil
			for i, st := range s.States {
				if d.vars[st.Var] {
					c.States = append(c.States, st)
					c.Body.Yield = append(c.Body.Yield, s.Body.Yield[i])
				}
			}
			out.Stmts = append(out.Stmts, c)
		case *loop.If:
			c := &loop.If{Cond: s.Cond, Then: d.prune(s.Then), Else: d.prune(s.Else)}
			c.Then.Yield, c.Else.Yield = nil, nil
			for i, v := range s.Results {
				if d.vars[v] {
					c.Results = append(c.Results, v)
					c.Then.Yield = append(c.Then.Yield, s.Then.Yield[i])
					c.Else.Yield = append(c.Else.Yield, s.Else.Yield[i])
				}
			}
			out.Stmts = append(out.Stmts, c)
		default:
			out.Stmts = append(out.Stmts, s)
		}
	}
	return out
}
