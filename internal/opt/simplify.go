package opt

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [What Simplify may not do]
//
// The language is pure, but its operations may fail or run forever, and a program must stop with
// the same error at the same place. So an operation may be dropped only if it is total
// (total.go). No operation that may fail is moved past another one. Nothing is evaluated twice,
// or under a loop where it was not. Reals are never folded: literals are exact, and the evaluator
// decides how they are rounded.
//
// Everything is linear in the size of the program, up to constants that the budgets below fix.
// Inlining stops when its copies reach `growth`, or when the operations that had to be examined
// again reach `work`.

// The budgets of one Simplify, per operation of the program, and their minimums.
const (
	growthFactor, growthBase = 3, 1_000
	workFactor, workBase     = 10, 10_000

	maxRounds = 4   // rounds over the whole program; most are done after two
	maxDepth  = 100 // of nested inlining, which is recursive
)

// Simplify inlines, evaluates what is known, drops what is not needed, and fuses array
// operations. The given program, at the level core.Mono, is not changed.
func Simplify(p *core.Program, opts Options) *core.Program {
	out := &core.Program{Datas: p.Datas}
	for _, d := range p.Defs {
		out.Defs = append(out.Defs, copyDef(d))
	}
	if p.Main != nil {
		out.Main = copyDef(p.Main)
	}
	simplify(out, groups(out.Defs, usesOf(out.Defs)), opts)
	return out
}

// simplify simplifies a program in place, given the groups of its definitions.
func simplify(p *core.Program, order []group, opts Options) {
	size := p.Size()
	s := newSimplifier(opts)
	s.order = order
	s.growth, s.work = growthFactor*size+growthBase, workFactor*size+workBase
	for range maxRounds {
		s.begin(p)
		s.program(p)
		verify("Simplify", p, opts)
		if !s.changed {
			break
		}
	}
	componentsFirst(p)
	verify("componentsFirst", p, opts)
	s.sinkUpdates(p)
	verify("sinkUpdates", p, opts)
}

// copyDef copies a definition, except for its variables.
func copyDef(d *core.Def) *core.Def {
	copied := *d
	var parts core.Mapper
	parts.Block = func(b *core.Block) *core.Block {
		stmts := make([]core.Stmt, len(b.Stmts))
		for i, stmt := range b.Stmts {
			switch stmt := stmt.(type) {
			case *core.Let:
				stmts[i] = &core.Let{Var: stmt.Var, Op: parts.Op(stmt.Op), At: stmt.At}
			case *core.LetRec:
				rec := &core.LetRec{Vars: stmt.Vars, Funs: make([]*core.Lambda, len(stmt.Funs)),
					At: stmt.At}
				for k, fun := range stmt.Funs {
					rec.Funs[k] = parts.Lambda(fun)
				}
				stmts[i] = rec
			}
		}
		return &core.Block{Stmts: stmts, Result: b.Result}
	}
	copied.Body = parts.Block(d.Body)
	return &copied
}

// simplifier rewrites a program, in rounds.
type simplifier struct {
	opts  Options
	order []group // the groups of the definitions, each after those that it uses
	defs  map[string]*fact
	occ   core.VarMap[int]       // uses of each variable: see count
	subst core.VarMap[core.Atom] // variables that were replaced by other atoms
	// the operations that variables are bound to, if rules look for them
	known core.VarMap[core.Op]
	arity core.VarMap[int] // of recursive functions

	live core.VarSet      // of the current definition: see eliminate
	uses core.VarMap[int] // of the current definition's variables: see fuse

	parts    core.Mapper // rewrites the parts of operations
	copier   copier
	builders []*core.Builder // free for reuse

	growth, work int
	grown        int // how much code the current definition has absorbed
	depth        int
	changed      bool // whether this round has changed anything
}

// fact holds what is known about a definition.
type fact struct {
	fun       *core.Lambda // its lambda, if it is a function
	alias     core.Atom    // the atom that it equals, if it is an alias
	size      int          // of the function, in operations
	uses      int          // in the whole program
	root      bool
	recursive bool
	reached   bool // see dropUnused
	total     bool // whether calling it, or evaluating the constant, cannot fail
}

func newSimplifier(opts Options) *simplifier {
	s := &simplifier{opts: opts}
	s.parts = core.Mapper{Atom: s.atom, Block: s.block}
	c := &s.copier
	c.count, c.parts = s.count, core.Mapper{Atom: c.atom, Bind: c.bind, Block: c.block}
	return s
}

// begin resets what the last round found out.
func (s *simplifier) begin(p *core.Program) {
	s.changed = false
	s.defs = make(map[string]*fact, len(p.Defs))
	s.occ.Clear()
	s.subst.Clear()
	s.known.Clear()
	s.arity.Clear()
	for _, d := range p.Defs {
		s.defs[d.Name] = &fact{root: slices.Contains(s.opts.Roots, d.Name)}
	}
	p.EachDef(func(d *core.Def) { core.Atoms(d.Body, s.count) })
}

// count adds one use of an atom.
func (s *simplifier) count(a core.Atom) { s.recount(a, 1) }

func (s *simplifier) recount(a core.Atom, by int) {
	switch a := a.(type) {
	case *core.Var:
		*s.occ.At(a) += by
	case *core.Global:
		if f := s.defs[a.Name]; f != nil {
			f.uses += by
		}
	}
}

// program rewrites every definition after those that it uses, so that inlined code is already
// simple.
func (s *simplifier) program(p *core.Program) {
	for _, group := range s.order {
		s.opts.Watch.Step()
		for _, d := range group.defs {
			f := s.defs[d.Name]
			f.recursive = group.recursive
			if fun := d.Function(); fun != nil {
				f.fun = fun // for its arity, within the group
			}
		}
		for _, d := range group.defs {
			s.def(d)
			s.learn(d)
		}
	}
	if p.Main != nil {
		s.def(p.Main)
	}
	s.dropUnused(p)
}

func (s *simplifier) def(d *core.Def) {
	s.grown = 0
	body := s.block(d.Body)
	s.opts.Watch.Poll()
	s.eliminate(body)
	s.opts.Watch.Poll()
	if s.fuse(body) {
		s.changed = true
	}
	s.opts.Watch.Poll()
	s.expandDef(d, body)
}

// learn records the facts of a finished definition, for its users.
func (s *simplifier) learn(d *core.Def) {
	f := s.defs[d.Name]
	f.fun = d.Function()
	f.total = !f.recursive
	switch {
	case f.fun != nil:
		f.size = f.fun.Body.Size()
		f.total = f.total && s.totalBlock(f.fun.Body)
	default:
		f.total = f.total && s.totalBlock(d.Body)
		if len(d.Body.Stmts) == 0 && !f.recursive {
			f.alias = d.Body.Result
		}
	}
}

// expandDef gives parameters to a definition that computes a function without doing any work,
// such as `let norm = reduce plus 0`. Then calls of it are calls of a known function.
func (s *simplifier) expandDef(d *core.Def, body *core.Block) {
	d.Body = body
	result, ok := body.Result.(*core.Var)
	if !ok || d.Function() != nil || len(body.Stmts) == 0 || !s.totalBlock(body) {
		return
	}
	missing := 0
	for _, stmt := range body.Stmts {
		let, ok := stmt.(*core.Let)
		if !ok {
			return
		}
		switch op := let.Op.(type) {
		case *core.Lambda, *core.Tuple, *core.Record, *core.Construct, *core.Proj, *core.Field:
		case *core.Apply:
			n := s.arityOf(op.Fun) - len(op.Args)
			if n <= 0 {
				return
			}
			if let.Var == result {
				missing = n
			}
		default:
			return
		}
	}
	if missing == 0 {
		return
	}
	ts, resultType := types.Splay(result.Ty, missing)
	params, args := make([]*core.Var, missing), make([]core.Atom, missing)
	for i, t := range ts {
		params[i] = core.NewVar("x", t)
		args[i] = params[i]
	}
	var b core.Builder
	inner := b.Splice(body)
	r := b.Let("r", resultType, &core.Apply{Fun: inner, Args: args}, d.At)
	fun := &core.Lambda{Params: params, Body: b.Block(r)}
	d.Body = b.Block(b.Let("f", d.Type, fun, d.At))
	s.changed = true
}

// arityOf returns the number of parameters of a known function, and 0 for others.
func (s *simplifier) arityOf(f core.Atom) int {
	switch f := f.(type) {
	case *core.Var:
		if fun, ok := s.known.Get(f).(*core.Lambda); ok {
			return len(fun.Params)
		}
		return s.arity.Get(f)
	case *core.Global:
		if d := s.defs[f.Name]; d != nil && d.fun != nil {
			return len(d.fun.Params)
		}
	}
	return 0
}

// dropUnused keeps the definitions that Main and the roots reach, or all if there are neither. It
// also keeps the constants that may fail, because the program evaluates them in any case.
func (s *simplifier) dropUnused(p *core.Program) {
	uses := usesOf(p.Defs)
	var queue []int
	reach := func(i int) {
		if f := s.defs[p.Defs[i].Name]; !f.reached {
			f.reached = true
			queue = append(queue, i)
		}
	}
	library := p.Main == nil && len(s.opts.Roots) == 0 // whose definitions others may use
	for i, d := range p.Defs {
		if f := s.defs[d.Name]; f.root || library || f.fun == nil && !f.total {
			reach(i)
		}
	}
	if p.Main != nil {
		index := make(map[string]int, len(p.Defs))
		for i, d := range p.Defs {
			index[d.Name] = i
		}
		core.Atoms(p.Main.Body, func(a core.Atom) {
			if g, ok := a.(*core.Global); ok {
				if i, ok := index[g.Name]; ok {
					reach(i)
				}
			}
		})
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, k := range uses[i] {
			reach(k)
		}
	}
	all := len(p.Defs)
	s.order = slices.DeleteFunc(groups(p.Defs, uses), func(g group) bool {
		return !s.defs[g.defs[0].Name].reached
	})
	p.Defs = inOrder(s.order)
	s.changed = s.changed || len(p.Defs) < all
}
