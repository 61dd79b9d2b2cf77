package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Saves]
//
// A turn of a loop with states that runs again for its reversal would compute anew what the first
// run has computed. What is dear is put on the tape as well: the results and the slopes of
// operations that cost much, and totals of inner loops. They may stand in a nest of loops inside of
// the turn, if the counts of these, or bounds of them, are known in front of the loop. Inner loops
// with states have their tapes there too. What is read from a buffer that is updated in place is
// saved in any case: Note [In place].
//
//	h = tanh (w*h + x)    tape: h before the turn, and tanh's result and slope
//
// If the only use of a result is a factor of a product, its slope is multiplied by the other factor
// before it is put on the tape: the cotangent of the product needs no more.
//
//	h = sigmoid a * tanh b    tape: sigmoid' a * tanh b and sigmoid a * tanh' b, and neither sigmoid a nor tanh b
//
// What of it the reversal does not read is dead code.

// dear is the cost from which on an operation's result is saved.
const dear = 8

// saver makes the places of what a loop saves.
type saver struct {
	*reverser
	*bounds
	root   *loop.For
	allocs map[*loop.Var]*loop.Alloc
	states map[*loop.Var]loop.Atom // the old initial value of a state or of a result
	uses   map[*loop.Var]int
}

// saves makes the places of what a loop saves.
func (r *reverser) saves(s *loop.For, count loop.Atom) {
	v := &saver{r, boundsOf(s, r.b, r.env.Atom), s, map[*loop.Var]*loop.Alloc{}, map[*loop.Var]loop.Atom{}, map[*loop.Var]int{}}
	loop.AllUses(s.Body, func(a loop.Atom) {
		if x, ok := a.(*loop.Var); ok {
			v.uses[x]++
		}
	})
	enter := func(s *loop.For) {
		for _, st := range s.States {
			if st.Var.Kind.IsBuffer() && (r.chains[st.Var] != nil || !r.changes(st.Var)) {
				v.states[st.Var], v.states[st.Result] = st.Init, st.Init
			}
		}
	}
	enter(s)
	loop.Walk(s.Body, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.For:
			enter(s)
		case *loop.Alloc:
			v.allocs[s.Var] = s
		}
	})
	v.block(s.Body, []*loop.For{s}, []loop.Atom{count}, true)
}

// length is the new length of an old buffer, where it is known in front of the loop; or nil.
func (v *saver) length(buf *loop.Var) loop.Atom {
	for v.bound[buf] {
		if a := v.allocs[buf]; a != nil {
			return v.early(a.Len)
		}
		init, ok := v.states[buf].(*loop.Var)
		if !ok {
			return nil
		}
		buf = init
	}
	return v.reverser.length(buf)
}

// block makes places for what is saved of a block. Direct tells that the turns of the loops around
// save, and not those of a loop that will be run again.
func (v *saver) block(b *loop.Block, nest []*loop.For, lens []loop.Atom, direct bool) {
	keep := func(x *loop.Var) {
		if _, ok := v.saved[x]; !ok {
			v.saved[x] = v.place(x.Name, x.Kind, nest, lens)
		}
	}
	for _, x := range b.Stmts {
		switch x := x.(type) {
		case *loop.Let:
			if direct && x.Op.Result == loop.F64 && x.Op.Cost >= dear && v.act.active(x.Var) {
				keep(x.Var)
				v.keepSlopes(x, v.product(x.Var, b), nest, lens)
			}
		case *loop.Load:
			if c := v.chains[x.Buf]; c != nil && v.begins(c) {
				keep(x.Var)
			}
		case *loop.If:
			v.block(x.Then, nest, lens, direct)
			v.block(x.Else, nest, lens, direct)
		case *loop.For:
			v.loop(x, b, nest, lens, direct, keep)
		}
	}
}

// begins tells whether a chain begins with the loop.
func (v *saver) begins(c *chain) bool {
	return slices.ContainsFunc(v.root.States, func(st loop.State) bool { return st.Var == c.state })
}

func (v *saver) loop(s *loop.For, around *loop.Block, nest []*loop.For, lens []loop.Atom, direct bool, keep func(*loop.Var)) {
	var n loop.Atom // how many turns there is room for
	if count := v.most(s.Count); count != nil {
		n = v.b.Let("n", loop.MaxI, count, loop.Int(0))
		nest = slices.Concat(nest, []*loop.For{s})
	}
	again := s.Parallel || v.forwards(s) // the reversal runs the turns again
	taped := direct && !s.Thrifty && v.early(s.Count) != nil && !again && v.act.touches(s) && v.tape(s, around, nest, lens, n)
	for _, red := range s.Reds {
		if taped || direct && red.Result.Kind == loop.F64 && v.act.active(red.Result) {
			keep(red.Result)
		}
	}
	if n != nil {
		v.block(s.Body, nest, slices.Concat(lens, []loop.Atom{n}), direct && (again || taped))
	}
}

// tape makes the tape of an inner loop, if the lengths of its states are known and stay the same.
func (v *saver) tape(s *loop.For, around *loop.Block, nest []*loop.For, lens []loop.Atom, n loop.Atom) bool {
	t := &tape{count: n, nest: nest, block: around, lens: make([]loop.Atom, len(s.States)), parts: make([]*places, len(s.States))}
	for k, st := range s.States {
		if v.chains[st.Var] != nil {
			return false
		}
		if st.Var.Kind.IsBuffer() {
			if t.lens[k] = v.length(st.Var); t.lens[k] == nil {
				return false
			}
		}
	}
	t.sizes = slices.Concat(lens, []loop.Atom{v.b.Let("n", loop.AddI, n, loop.Int(1))})
	v.makeTape(s, t)
	return true
}

// product is the product in a block that is the only use of a variable, as one of its factors; or
// nil.
func (v *saver) product(x *loop.Var, b *loop.Block) *slope {
	if v.uses[x] != 1 {
		return nil
	}
	for _, s := range b.Stmts {
		if p, ok := s.(*loop.Let); ok && p.Op == loop.MulF {
			for i, a := range p.Args {
				if a == loop.Atom(x) {
					return &slope{p, i}
				}
			}
		}
	}
	return nil
}

// keepSlopes makes places for the partial derivatives of an operation that are dear, times the
// other factor of a product if there is one. A slope that is 0 by the rule on one side of a choice
// is not multiplied there, and so is not saved. What of a slope is known before the loop costs
// nothing, as in a division by what does not change: package pass moves it there.
func (v *saver) keepSlopes(s *loop.Let, product *slope, nest []*loop.For, lens []loop.Atom) {
	rule := v.d.rule(s.Op)
	isDear := func(p *loop.Func) bool { return p != nil && v.turnCost(p, s) >= dear && !hasZero(p.Body) }
	if product != nil && len(s.Args) == 1 && rule.Kink == nil && !v.act.mayTie(s) {
		if isDear(rule.Partials[0]) {
			if v.factors[*product].buf == nil {
				v.factors[*product] = factor{slope{s, 0}, v.place("factor", loop.F64, nest, lens)}
			}
			return
		}
	}
	for i, a := range s.Args {
		if v.act.active(a) && isDear(rule.Partials[i]) {
			if at := (slope{s, i}); v.slopes[at].buf == nil {
				v.slopes[at] = v.place("slope", loop.F64, nest, lens)
			}
		}
	}
}

// turnCost is the cost of the statements of a partial derivative that have to be run in each turn:
// those that depend on something that the loop binds.
func (v *saver) turnCost(partial *loop.Func, s *loop.Let) int {
	var changing loop.VarSet
	changing.Add(partial.Params[len(s.Args)]) // the result
	for i, a := range s.Args {
		if x, ok := a.(*loop.Var); ok && v.bound[x] {
			changing.Add(partial.Params[i])
		}
	}
	total := 0
	for _, x := range partial.Body.Stmts {
		if loop.Mentions(x, &changing) {
			total += cost([]loop.Stmt{x})
			loop.Defs(x, changing.Add)
		}
	}
	return total
}

// hasZero tells whether a block has the literal 0.
func hasZero(b *loop.Block) bool {
	found := false
	loop.AllUses(b, func(a loop.Atom) {
		k, ok := a.(*loop.Const)
		found = found || ok && k.Kind == loop.F64 && k.F == 0
	})
	return found
}

func (r *reverser) place(name string, k loop.Kind, nest []*loop.For, lens []loop.Atom) save {
	kind := loop.I64s
	if k == loop.F64 {
		kind = loop.F64s
	}
	return save{r.b.Alloc(name+".tape", kind, r.product(lens), false), nest, lens}
}

// save writes an old scalar to the tape that is being written, if it has a place there.
func (r *reverser) save(b *loop.Builder, v *loop.Var) {
	at, ok := r.saved[v]
	if !ok {
		return
	}
	x := r.env.Atom(v)
	if v.Kind == loop.Bool {
		x = b.Let("w", loop.ToWord, x)
	}
	b.Store(at.buf, r.index(b, at.nest, at.lens), x)
}

// saveSlopes writes the slopes of an old operation to the tape that is being written, if they have
// places there.
func (r *reverser) saveSlopes(b *loop.Builder, s *loop.Let) {
	for i := range s.Args {
		if at, ok := r.slopes[slope{s, i}]; ok {
			args := append(r.atoms(s.Args), r.env.Atom(s.Var))
			x := inline(b, r.d.rule(s.Op).Partials[i], args)[0]
			b.Store(at.buf, r.index(b, at.nest, at.lens), x)
		}
	}
}

// saveFactors writes the slopes of the factors of a product to the tape that is being written.
func (r *reverser) saveFactors(b *loop.Builder, s *loop.Let) {
	for i := range s.Args {
		if f, ok := r.factors[slope{s, i}]; ok && f.nest[0] == r.saving {
			args := append(r.atoms(f.of.Args), r.env.Atom(f.of.Var))
			x := inline(b, r.d.rule(f.of.Op).Partials[f.arg], args)[0]
			b.Store(f.buf, r.index(b, f.nest, f.lens), b.Let("factor", loop.MulF, x, r.env.Atom(s.Args[1-i])))
		}
	}
}

// recalled takes an old scalar from a tape, and tells whether it is on one.
func (r *reverser) recalled(b *loop.Builder, v *loop.Var) bool {
	at, ok := r.saved[v]
	if !ok || at.nest[0] == r.saving {
		return false
	}
	x := b.Load(v.Name, at.buf, r.index(b, at.nest, at.lens))
	r.env.Set(v, x)
	if v.Kind == loop.Bool {
		r.env.Set(v, b.Let(v.Name, loop.NeI, x, loop.Int(0)))
	}
	return true
}

// forget forgets the places that a loop has made.
func (r *reverser) forget(s *loop.For) {
	for v, at := range r.saved {
		if at.nest[0] == s {
			delete(r.saved, v)
		}
	}
	for v, at := range r.slopes {
		if at.nest[0] == s {
			delete(r.slopes, v)
		}
	}
	for v, f := range r.factors {
		if f.nest[0] == s {
			delete(r.factors, v)
		}
	}
	for inner, t := range r.tapes {
		if t.nest[0] == s {
			delete(r.tapes, inner)
		}
	}
}
