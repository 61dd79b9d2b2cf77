package region

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Finder finds the regions of a program.
type Finder struct {
	*unit
	weights map[string]weight     // of the functions that were weighed
	regions map[*core.If]*Region  // by the choices that stand for them
	ends    map[*core.If]bool     // what stands for the end of a front
	planned map[*core.Block]*plan // of the bodies of definitions that are compiled beside the run
	parts   func(machine.Part)    // is told of what is found and refused, unless it is nil
}

// New makes a finder of regions of a program for an engine. It begins to compile what the program's
// run is sure to reach.
func New(p *core.Program, opts *machine.Options) *Finder {
	source := lower.NewSource(p)
	source.Data, source.Shares, source.Watched = true, true, opts.Watched
	source.IEEETies = opts.IEEETies
	c := &Finder{
		unit: &unit{source: source, engine: opts.Engine, trusted: opts.TrustRules,
			eager: opts.Eager},
		weights: map[string]weight{}, regions: map[*core.If]*Region{}, ends: map[*core.If]bool{},
		planned: map[*core.Block]*plan{}, parts: opts.Parts}
	if p.Main != nil {
		c.startBeside(p.Main, opts.Kept, opts.Beside)
	}
	return c
}

// Of is the region that a choice stands for, nil if it stands for none.
func (c *Finder) Of(op *core.If) *Region {
	if c == nil {
		return nil
	}
	return c.regions[op]
}

// Rewrite puts regions in the body of a function: see Note [Compiled regions].
func (c *Finder) Rewrite(name string, body *core.Block, taped bool) *core.Block {
	w := c.writer(name, taped)
	return w.carriedOut(w.planned(body), body, w.block(body))
}

// Inside is Rewrite without the regions that give the result of the function.
func (c *Finder) Inside(name string, body *core.Block, taped bool) *core.Block {
	return c.writer(name, taped).block(body)
}

// Front is Rewrite with only these, for a definition: it goes on to Inside where they do not run.
// It is nil if there are none.
func (c *Finder) Front(name string, params []*core.Var, body *core.Block, taped bool) *core.Block {
	w := c.writer(name, taped)
	p, planned := c.planned[body]
	if planned && p.taped == taped {
		delete(c.planned, body) // regions belong to one function
	} else {
		p = w.planned(body)
	}
	if len(p.regions()) == 0 {
		return nil
	}
	return w.carriedOut(p, body, w.outline(p, body, params))
}

// EndsFront tells whether a choice stands for the end of a front, where the function goes on to
// Inside.
func (c *Finder) EndsFront(op *core.If) bool { return c != nil && c.ends[op] }

func (c *Finder) writer(name string, taped bool) *writer {
	return &writer{c: c, name: name, taped: taped, lambdas: map[*core.Var]core.Stmt{}}
}

// plan says which regions give the result of a block: none, one, or those of the sides of the
// branch that it ends with.
type plan struct {
	taped       bool
	region      *Region
	then, other *plan
}

// regions are those of a plan.
func (p *plan) regions() []*Region {
	switch {
	case p.region != nil:
		return []*Region{p.region}
	case p.then != nil:
		return append(p.then.regions(), p.other.regions()...)
	}
	return nil
}

// planned plans the body of a function.
func (w *writer) planned(body *core.Block) *plan {
	return w.plan(body, func(b *core.Block) *core.Block { return b })
}

// plan plans a block that gives the result of the function. What is compiled is the block as a part
// of all that leads to it.
//
// If it ends with a branch whose sides both take long to compile, and does not take long to get
// there, each side is a region of its own, so that one which is not reached is not compiled, and
// both are compiled at the same time. A side is lowered with what is in front of the branch, and
// with a failure in the place of the other side: so it knows what it would know otherwise of
// lengths and conditions.
func (w *writer) plan(b *core.Block, part func(b *core.Block) *core.Block) *plan {
	p := &plan{taped: w.taped}
	if branch := w.longBranch(b); branch != nil {
		last := len(b.Stmts) - 1
		let := b.Stmts[last].(*core.Let)
		only := func(branch *core.If) *core.Block {
			stmts := append(b.Stmts[:last:last], &core.Let{Var: let.Var, Op: branch, At: let.At})
			return part(&core.Block{Stmts: stmts, Result: let.Var})
		}
		p.then = w.plan(branch.Then, func(b *core.Block) *core.Block {
			return only(&core.If{Cond: branch.Cond, Then: b, Else: failure(let.Var.Ty)})
		})
		p.other = w.plan(branch.Else, func(b *core.Block) *core.Block {
			return only(&core.If{Cond: branch.Cond, Then: failure(let.Var.Ty), Else: b})
		})
		return p
	}
	r := w.region(whole, part(b))
	if r != nil && !(len(r.Args) == 0 && w.c.onlyCalls(b)) {
		p.region = r
	}
	return p
}

// longBranch is the branch that a block ends with, if both of its sides take long to compile, and
// what is in front of it is no work; else nil.
func (w *writer) longBranch(b *core.Block) *core.If {
	last := len(b.Stmts) - 1
	if last < 0 {
		return nil
	}
	let, ok := b.Stmts[last].(*core.Let)
	if !ok || core.Atom(let.Var) != b.Result {
		return nil
	}
	branch, ok := let.Op.(*core.If)
	if !ok {
		return nil
	}
	for _, side := range []*core.Block{branch.Then, branch.Else} {
		if _, size := w.c.source.Covers(side); int64(size)*compileWork <= cheap {
			return nil
		}
	}
	before := &core.Block{Result: core.UnitLit()}
	for _, s := range b.Stmts[:last] {
		if let, ok := s.(*core.Let); ok {
			if _, function := let.Op.(*core.Lambda); !function {
				before.Stmts = append(before.Stmts, s)
			}
		}
	}
	if w.c.weigh(before).loops {
		return nil
	}
	return branch
}

// outline is a block with the branches of a plan, in which the front of a function with such
// parameters ends.
func (w *writer) outline(p *plan, b *core.Block, params []*core.Var) *core.Block {
	last := len(b.Stmts) - 1
	if p.then == nil {
		v := core.NewVar("end", b.Result.Type())
		op := &core.If{Cond: core.BoolLit(false), Then: keeping(params, v.Ty), Else: failure(v.Ty)}
		w.c.ends[op] = true
		return &core.Block{Stmts: []core.Stmt{&core.Let{Var: v, Op: op}}, Result: v}
	}
	let := b.Stmts[last].(*core.Let)
	branch := let.Op.(*core.If)
	op := &core.If{Cond: branch.Cond, Then: w.outline(p.then, branch.Then, params),
		Else: w.outline(p.other, branch.Else, params)}
	return &core.Block{Stmts: append(b.Stmts[:last:last],
		&core.Let{Var: let.Var, Op: op, At: let.At}), Result: b.Result}
}

// carriedOut is a block with the regions of a plan in front of what they may replace: inner, which
// has the regions of its operations.
func (w *writer) carriedOut(p *plan, b, inner *core.Block) *core.Block {
	switch {
	case p.region != nil:
		v := core.NewVar("whole", b.Result.Type())
		return &core.Block{Stmts: []core.Stmt{w.choice(v, p.region, inner, diag.Span{})}, Result: v}
	case p.then == nil:
		return inner
	}
	last := len(b.Stmts) - 1
	let := b.Stmts[last].(*core.Let)
	branch, within := let.Op.(*core.If), inner.Stmts[last].(*core.Let).Op.(*core.If)
	before, checks := onlyChecks(inner.Stmts[:last], within)
	side := func(p *plan, b, inner *core.Block) *core.Block {
		own := core.Clone(&core.Block{Stmts: checks, Result: core.UnitLit()}, nil).Stmts
		in := func(b *core.Block) *core.Block {
			return &core.Block{Stmts: append(own[:len(own):len(own)], b.Stmts...), Result: b.Result}
		}
		return w.carriedOut(p, in(b), in(inner))
	}
	op := &core.If{Cond: within.Cond, Then: side(p.then, branch.Then, within.Then),
		Else: side(p.other, branch.Else, within.Else)}
	return &core.Block{Stmts: append(before, &core.Let{Var: let.Var, Op: op, At: let.At}),
		Result: b.Result}
}

// onlyChecks takes statements in front of a branch apart: those that it needs, and those that
// nothing needs, which check the sizes of arguments, say. A side that runs as compiled code checks
// them itself, so that the latter may come behind its region, if the former cannot fail.
func onlyChecks(stmts []core.Stmt, branch *core.If) (needed, checks []core.Stmt) {
	used := map[core.Atom]bool{}
	use := func(a core.Atom) { used[a] = true }
	core.OpAtoms(branch, use)
	for _, s := range slices.Backward(stmts) {
		let, ok := s.(*core.Let)
		if ok && !used[let.Var] {
			checks = append(checks, s)
			continue
		}
		if !ok || !cannotFail(let.Op) {
			return slices.Clone(stmts), nil
		}
		core.OpAtoms(let.Op, use)
		needed = append(needed, s)
	}
	slices.Reverse(needed)
	slices.Reverse(checks)
	return needed, checks
}

// cannotFail tells whether an operation always has a value.
func cannotFail(op core.Op) bool {
	switch op := op.(type) {
	case *core.Tuple, *core.Record, *core.Proj, *core.Field, *core.Lambda:
		return true
	case *core.Prim:
		return op.Prim.Ends(len(op.Args) > 0 &&
			types.Resolve(op.Args[0].Type()) == types.Type(types.Int))
	}
	return false
}

// failure is a block that fails.
func failure(ty types.Type) *core.Block {
	none := core.NewVar("none", ty)
	fail := &core.Prim{Prim: prim.Fail.Row(), Inst: []types.Type{ty},
		Args: []core.Atom{core.StringLit("")}}
	return &core.Block{Stmts: []core.Stmt{&core.Let{Var: none, Op: fail}}, Result: none}
}

// onlyCalls tells whether a block calls functions which may be regions themselves, and has no loops
// of its own. A constant that does is not compiled: the functions are, each once.
func (c *Finder) onlyCalls(b *core.Block) bool {
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			return false
		}
		switch op := let.Op.(type) {
		case *core.Tuple, *core.Record, *core.Proj, *core.Field, *core.Construct:
		case *core.Prim:
			if isHeavy(op) || op.Prim.Float == nil {
				return false
			}
		case *core.Apply:
			g, ok := op.Fun.(*core.Global)
			if !ok || c.source.FunctionOf(g.Name) == nil ||
				slices.ContainsFunc(op.Args, func(a core.Atom) bool {
					return lower.DataShapeOf(a.Type()) == nil
				}) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// writer rewrites the blocks of a function.
type writer struct {
	c     *Finder
	name  string
	taped bool
	// the turns that are left of the loop around what is being rewritten
	around  *Region
	lambdas map[*core.Var]core.Stmt // that bind the local functions
}

// block rewrites the operations of a block that may be regions.
func (w *writer) block(b *core.Block) *core.Block {
	out := &core.Block{Result: b.Result}
	for _, s := range b.Stmts {
		switch stmt := s.(type) {
		case *core.Let:
			if isHeavy(stmt.Op) {
				var before []core.Stmt
				before, stmt = apart(stmt)
				out.Stmts = append(out.Stmts, before...)
			}
			s = w.let(stmt)
		case *core.LetRec:
			for _, v := range stmt.Vars {
				w.lambdas[v] = stmt
			}
		}
		out.Stmts = append(out.Stmts, s)
	}
	return out
}

func (w *writer) let(let *core.Let) core.Stmt {
	if _, ok := let.Op.(*core.Lambda); ok {
		w.lambdas[let.Var] = let
		return let
	}
	op := let.Op
	if loop, ok := op.(*core.Loop); ok {
		if r := w.restOf(loop, let); r != nil {
			return &core.Let{Var: let.Var, Op: w.turns(loop, r), At: let.At}
		}
	}
	m := core.Mapper{Block: w.block}
	op = m.Op(op)
	if !isHeavy(let.Op) {
		return &core.Let{Var: let.Var, Op: op, At: let.At}
	}
	v := core.NewVar(let.Var.Name, let.Var.Ty)
	r := w.region(operation, &core.Block{Stmts: []core.Stmt{let}, Result: let.Var})
	if r == nil {
		return &core.Let{Var: let.Var, Op: op, At: let.At}
	}
	inner := &core.Block{Stmts: []core.Stmt{&core.Let{Var: v, Op: op, At: let.At}}, Result: v}
	return w.choice(let.Var, r, inner, let.At)
}

// isHeavy tells whether an operation loops or differentiates.
func isHeavy(op core.Op) bool {
	switch op := op.(type) {
	case *core.Build, *core.Map, *core.Reduce, *core.Scan, *core.Loop:
		return true
	case *core.Prim:
		switch op.Prim.ID {
		case prim.Reverse, prim.Forward, prim.Jacobian:
			return true
		}
	}
	return false
}

// region makes one of a block, with the local functions that it uses; nil if it cannot be one.
func (w *writer) region(as role, b *core.Block) *Region {
	for {
		var more []core.Stmt
		args := core.FreeVars(b)
		for _, v := range args {
			switch {
			case lower.DataShapeOf(v.Ty) != nil:
			case w.lambdas[v] == nil:
				w.refused(as, b, func() error { return errTaken(v) })
				return nil
			case !slices.Contains(more, w.lambdas[v]):
				more = append(more, w.lambdas[v])
			}
		}
		if len(more) > 0 {
			b = &core.Block{Stmts: append(more, b.Stmts...), Result: b.Result}
			continue
		}
		r := &Region{unit: w.c.unit, name: w.name, role: as, block: b, Args: args, taped: w.taped,
			shapes: shapesOf(args, b.Result.Type()), outer: w.around}
		var covered bool
		covered, r.size = w.c.source.Covers(b)
		if r.weight = w.c.weigh(b); r.value == nil || !r.loops || !covered {
			w.refused(as, b, r.refusal)
			return nil
		}
		r.steps, r.extent = w.c.source.Watches(b), extentOf(b, w.c.source.FunctionOf)
		return r
	}
}

// weight is what a region seems to take.
type weight struct {
	loops bool // there are loops, or calls that may have them
	// there are loops in loops or derivatives, in the block or in definitions that it uses
	deep bool
	nest int // how deep loops are nested
}

// weigh looks at a block and at the definitions that it uses.
func (c *Finder) weigh(b *core.Block) weight {
	var w weight
	var visit func(b *core.Block, depth int)
	visit = func(b *core.Block, depth int) {
		for _, s := range b.Stmts {
			let, ok := s.(*core.Let)
			if !ok {
				continue
			}
			inner := depth
			switch op := let.Op.(type) {
			case *core.Apply:
				w.loops = true
				w.deep = w.deep || depth > 0
			case *core.Prim:
				if isHeavy(op) || op.Prim.Definition != "" {
					w.loops, w.deep = true, true
				}
			case *core.Loop:
				w.loops, w.deep = true, true
				inner++
			case *core.Build, *core.Map, *core.Reduce, *core.Scan:
				w.loops = true
				w.deep = w.deep || depth > 0
				inner++
			}
			w.nest = max(w.nest, inner)
			use := func(a core.Atom) {
				if g, ok := a.(*core.Global); ok {
					used := c.weighDef(g.Name)
					w.deep, w.nest = w.deep || used.deep, max(w.nest, depth+used.nest)
				}
			}
			parts := core.Parts{Atom: use, Block: func(b *core.Block) {
				use(b.Result)
				for _, s := range b.Stmts {
					if rec, ok := s.(*core.LetRec); ok {
						core.Atoms(&core.Block{Stmts: []core.Stmt{rec}, Result: core.UnitLit()},
							use)
					}
				}
				visit(b, inner)
			}}
			parts.Visit(let.Op)
		}
	}
	visit(b, 0)
	return w
}

// weighDef is weigh for a definition that is a function.
func (c *Finder) weighDef(name string) weight {
	w, known := c.weights[name]
	if fun := c.source.FunctionOf(name); !known && fun != nil {
		c.weights[name] = weight{} // where it calls itself
		w = c.weigh(fun.Body)
		c.weights[name] = w
	}
	return w
}

// choice is a region in front of what it may replace.
func (w *writer) choice(v *core.Var, r *Region, otherwise *core.Block, at diag.Span) *core.Let {
	op := &core.If{Cond: core.BoolLit(false), Then: keeping(r.Args, v.Ty), Else: otherwise}
	w.c.regions[op] = r
	w.found(r)
	return &core.Let{Var: v, Op: op, At: at}
}

// keeping is a block that fails, and mentions variables, so that their registers are kept until
// then.
func keeping(vars []*core.Var, ty types.Type) *core.Block {
	atoms := make([]core.Atom, len(vars))
	for i, v := range vars {
		atoms[i] = v
	}
	kept := &core.Let{Var: core.NewVar("kept", types.Unit), Op: &core.Tuple{Elems: atoms}}
	b := failure(ty)
	b.Stmts = append([]core.Stmt{kept}, b.Stmts...)
	return b
}
