package interp

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/marshal"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Compiled regions]
//
// An Engine runs loop form, which package lower makes of core. What it is made of are *regions* of the
// program: the whole body of a function or of a constant, or of a branch that it ends with, or one of its operations
// that loops or differentiates. A region is in front of the code that it may replace:
//
//	loops flag, results… = region args…
//	jfalse flag otherwise
//	…                       -- the results are there
//	otherwise: …            -- the interpreter's code, in which there may be smaller regions
//
// A region is lowered when it is first reached. It is left to the interpreter if it is not covered, if an
// argument is boxed (Note [Boxes]) or has rows of different lengths, or if the run was given up: then something is the matter that
// the interpreter finds out, like an index out of range or a derivative at a kink. A region
// that is given up too often is not tried again.
//
// In core, a region is an If whose condition is false: its first side mentions the arguments, so that their
// registers are kept, and its second one is what it may replace.

// Engine makes a program of the loop form ready to run; its first function is the entry.
type Engine func(p *loop.Program) (loop.Code, error)

// loopRegion is a part of a program that may run as compiled code.
type loopRegion struct {
	name   string
	block  *core.Block
	args   []*core.Var
	result types.Type
	weight weight
	size   int  // operations to be compiled, roughly
	taped  bool // reals may be boxed
	whole  bool // its result is that of the function
	source *lower.Source
	engine Engine

	rest  bool        // it is the turns that are left of a loop: Note [The rest of a loop]
	outer *loopRegion // the turns that are left of the loop around, or nil
	due   atomic.Bool // whether a derivative in the loop would have been compiled

	params []*lower.Shape // of the arguments
	value  *lower.Shape   // of the result
	extent extent

	once      sync.Once
	ready     atomic.Bool
	code      loop.Code
	low       *lower.Lowered
	nested    bool           // once it is ready: it has loops in loops, or turns that wait for each other
	constants []*lower.Shape // of low.Constants

	mu      sync.Mutex
	reached int64 // how often it was before it was compiled
	failed  int   // runs given up since the last one that was not
	dueAt   int64 // the work when the loop around became due
}

// maxGivenUp is how often in a row a region may be given up.
const maxGivenUp = 3

// extent is what a region loops over besides the arrays among its arguments.
type extent struct {
	fixed     int         // the literal sizes of the arrays that it builds,
	sizes     []*core.Var // those that are arguments,
	slots     []int       // with their places among the operands,
	constants []string    // and arrays that are constants
}

// extentOf finds the loops of a block that are not inside others, also in functions that it differentiates, and the
// constants that it hands to functions.
func extentOf(b *core.Block) (e extent) {
	over := func(arrays ...core.Atom) {
		for _, a := range arrays {
			if _, isArray := types.Resolve(a.Type()).(*types.Array); !isArray {
				continue
			}
			if g, ok := a.(*core.Global); ok {
				e.constants = append(e.constants, g.Name)
			}
		}
	}
	functions := map[core.Atom]*core.Block{}
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			continue
		}
		switch op := let.Op.(type) {
		case *core.Lambda:
			functions[let.Var] = op.Body
		case *core.Apply:
			over(op.Args...)
		case *core.Prim:
			over(op.Args...)
			if !isHeavy(op) {
				break
			}
			if body := functions[op.Args[0]]; body != nil {
				inner := extentOf(body)
				e.fixed += inner.fixed
				e.constants = append(e.constants, inner.constants...)
			}
		case *core.Build:
			switch n := op.Size.(type) {
			case *core.Lit:
				e.fixed += int(n.Int)
			case *core.Var:
				e.sizes = append(e.sizes, n)
			}
		case *core.Map:
			over(op.Arrays...)
		case *core.Reduce:
			over(op.Array)
		case *core.Scan:
			over(op.Array)
		}
	}
	return e
}

// fewElements is how many elements a region that is a simple loop needs: the interpreter's vector code takes others as fast.
const fewElements = 512

// prepare lowers the region.
func (r *loopRegion) prepare() {
	defer r.ready.Store(true)
	low, err := r.source.Function(r.name, &core.Lambda{Body: r.block}, r.args, nil)
	if err != nil || !low.Loops {
		return
	}
	low.Optimize()
	if r.code, err = r.engine(low.Program()); err != nil {
		r.code = nil
		return
	}
	r.low, r.nested = low, nested(low.Func.Body)
	for _, d := range low.Constants {
		r.constants = append(r.constants, lower.DataShapeOf(d.Type))
	}
}

// nested tells whether a block has loops in loops, loops that run in order, or calls.
func nested(b *loop.Block) bool {
	found := false
	loop.Walk(b, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.For:
			found = found || !s.Parallel
			loop.Walk(s.Body, func(s loop.Stmt) {
				_, inner := s.(*loop.For)
				found = found || inner
			})
		case *loop.While, *loop.Call:
			found = true
		}
	})
	return found
}

// gaveUp notes how a run ended.
func (r *loopRegion) gaveUp(yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed++; !yes {
		r.failed = 0
	}
}

// pays tells whether it is time to compile a region that is reached in a run that has done so much work since it last compiled
// one, with arrays of n elements: if the time of both is not more than doubled by it. Work is counted and not timed, so that the
// same program takes the same way in every run, and has the same result to the last digit.
func (r *loopRegion) pays(work int64, n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached++
	each := int64(reachWork)
	if r.weight.deep {
		each = deepWork
		for range min(r.weight.nest, mostNested) - 1 {
			each *= turnsWork
		}
	}
	if r.rest || r.outer != nil {
		work *= manyTurns
	}
	return r.due.Load() || r.price() <= cheap || max(work*fuelWork, r.reached*each, int64(n)*elementWork) >= r.price()
}

// price is what compiling the region takes.
func (r *loopRegion) price() int64 { return int64(r.size) * compileWork }

// In units of about 5 ns: a unit of fuel, which is an instruction that calls or turns back, with those between; what compiling
// an operation takes, what it may take at once, and what a region is taken to cost the interpreter each time it is reached, if
// it is deep, times what is nested further for each loop in a loop, and for each element of its arguments.
const (
	fuelWork    = 60
	compileWork = 4_000
	cheap       = 400_000
	reachWork   = 2_000
	deepWork    = 100_000
	turnsWork   = 10
	mostNested  = 6
	elementWork = 200
)

func (r *loopRegion) tired() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed >= maxGivenUp
}

// ---- compilation

// regions rewrites the body of a function: see Note [Compiled regions].
func (c *compiler) regions(name string, body *core.Block, taped bool) *core.Block {
	w := &regionWriter{c: c, name: name, taped: taped, lambdas: map[*core.Var]core.Stmt{}}
	out := w.whole(body, w.block(body), func(b *core.Block) *core.Block { return b })
	c.startAhead(name, w.wholes)
	return out
}

// whole is a block that gives the result of the function, as a region or as a choice between regions in front of inner, which has
// the regions of its operations. What is compiled is the block as a part of all that leads to it.
func (w *regionWriter) whole(b, inner *core.Block, part func(b *core.Block) *core.Block) *core.Block {
	if out := w.sides(b, inner, part); out != nil {
		return out
	}
	result := b.Result.Type()
	r := w.region(part(b), result)
	if r == nil || len(r.args) == 0 && w.c.onlyCalls(b) {
		return inner
	}
	r.whole = true
	w.wholes = append(w.wholes, r)
	v := &core.Var{Name: "whole", Ty: result}
	return &core.Block{Stmts: []core.Stmt{w.choice(v, r, inner, diag.Span{})}, Result: v}
}

// sides is whole for a block that ends with a branch whose sides both take long to compile, and does not take long to get there.
// Each side is a region of its own, so that one which is not reached is not compiled, and both are compiled at the same time. It
// is lowered with what is in front of the branch, and with a failure in the place of the other side: so it knows what it would
// know otherwise of lengths and conditions.
func (w *regionWriter) sides(b, inner *core.Block, part func(b *core.Block) *core.Block) *core.Block {
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
		if int64(w.c.source.Size(side))*compileWork <= cheap {
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
	only := func(branch *core.If) *core.Block {
		stmts := append(b.Stmts[:last:last], &core.Let{Var: let.Var, Op: branch, At: let.At})
		return part(&core.Block{Stmts: stmts, Result: let.Var})
	}
	within := inner.Stmts[last].(*core.Let).Op.(*core.If)
	op := &core.If{Cond: within.Cond}
	op.Then = w.whole(branch.Then, within.Then, func(b *core.Block) *core.Block {
		return only(&core.If{Cond: branch.Cond, Then: b, Else: failure(let.Var.Ty)})
	})
	op.Else = w.whole(branch.Else, within.Else, func(b *core.Block) *core.Block {
		return only(&core.If{Cond: branch.Cond, Then: failure(let.Var.Ty), Else: b})
	})
	stmts := append(inner.Stmts[:last:last], &core.Let{Var: let.Var, Op: op, At: let.At})
	return &core.Block{Stmts: stmts, Result: b.Result}
}

// failure is a block that fails.
func failure(ty types.Type) *core.Block {
	none := core.NewVar("none", ty)
	fail := &core.Prim{Prim: prim.Fail.Row(), Inst: []types.Type{ty}, Args: []core.Atom{core.StringLit("")}}
	return &core.Block{Stmts: []core.Stmt{&core.Let{Var: none, Op: fail}}, Result: none}
}

// onlyCalls tells whether a block calls functions which may be regions themselves, and has no loops of its own. A constant that does
// is not compiled: the functions are, each once.
func (c *compiler) onlyCalls(b *core.Block) bool {
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
			if !ok || c.source.FunctionOf(g.Name) == nil || slices.ContainsFunc(op.Args, func(a core.Atom) bool {
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

// regionWriter rewrites the blocks of a function.
type regionWriter struct {
	c       *compiler
	name    string
	taped   bool
	around  *loopRegion             // the turns that are left of the loop around what is being rewritten
	lambdas map[*core.Var]core.Stmt // that bind the local functions
	wholes  []*loopRegion           // that give the result of the function
}

// block rewrites the operations of a block that may be regions.
func (w *regionWriter) block(b *core.Block) *core.Block {
	out := &core.Block{Result: b.Result}
	for _, s := range b.Stmts {
		switch stmt := s.(type) {
		case *core.Let:
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

func (w *regionWriter) let(let *core.Let) core.Stmt {
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
	if _, loop := op.(*core.Loop); loop || !w.taped || !isHeavy(op) {
		m := core.Mapper{Block: w.block}
		op = m.Op(op)
	}
	if !isHeavy(let.Op) {
		return &core.Let{Var: let.Var, Op: op, At: let.At}
	}
	v := core.NewVar(let.Var.Name, let.Var.Ty)
	r := w.region(&core.Block{Stmts: []core.Stmt{let}, Result: let.Var}, let.Var.Ty)
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
func (w *regionWriter) region(b *core.Block, result types.Type) *loopRegion {
	value := lower.ResultShapeOf(result)
	if value == nil {
		return nil
	}
	for {
		var more []core.Stmt
		var args []*core.Var
		var params []*lower.Shape
		for _, v := range core.FreeVars(b) {
			shape := lower.DataShapeOf(v.Ty)
			switch {
			case shape != nil:
				args, params = append(args, v), append(params, shape)
			case w.lambdas[v] != nil:
				if !slices.Contains(more, w.lambdas[v]) {
					more = append(more, w.lambdas[v])
				}
			default:
				return nil
			}
		}
		if len(more) > 0 {
			b = &core.Block{Stmts: append(more, b.Stmts...), Result: b.Result}
			continue
		}
		weight := w.c.weigh(b)
		if !weight.loops || !w.c.source.Covers(b) {
			return nil
		}
		return &loopRegion{name: w.name, block: b, args: args, result: result, weight: weight, size: w.c.source.Size(b), taped: w.taped, outer: w.around,
			params: params, value: value, extent: extentOf(b), source: w.c.source, engine: w.c.opts.Engine}
	}
}

// weight is what a region seems to take.
type weight struct {
	loops bool // there are loops, or calls that may have them
	deep  bool // there are loops in loops or derivatives, in the block or in definitions that it uses
	nest  int  // how deep loops and derivatives of them are nested
}

// weigh looks at a block and at the definitions that it uses.
func (c *compiler) weigh(b *core.Block) weight {
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
			core.OpAtoms(let.Op, func(a core.Atom) {
				if g, ok := a.(*core.Global); ok {
					used := c.weighDef(g.Name)
					w.deep, w.nest = w.deep || used.deep, max(w.nest, depth+used.nest)
				}
			})
			parts := core.Parts{Block: func(b *core.Block) { visit(b, inner) }}
			parts.Visit(let.Op)
		}
	}
	visit(b, 0)
	return w
}

// weighDef is weigh for a definition that is a function.
func (c *compiler) weighDef(name string) weight {
	w, known := c.weights[name]
	if fun := c.source.FunctionOf(name); !known && fun != nil {
		c.weights[name] = weight{} // where it calls itself
		w = c.weigh(fun.Body)
		c.weights[name] = w
	}
	return w
}

// choice is a region in front of what it may replace.
func (w *regionWriter) choice(v *core.Var, r *loopRegion, otherwise *core.Block, at diag.Span) *core.Let {
	atoms := make([]core.Atom, len(r.args))
	for i, a := range r.args {
		atoms[i] = a
	}
	kept := &core.Let{Var: core.NewVar("kept", types.Unit), Op: &core.Tuple{Elems: atoms}}
	then := failure(v.Ty)
	then.Stmts = append([]core.Stmt{kept}, then.Stmts...)
	op := &core.If{Cond: core.BoolLit(false), Then: then, Else: otherwise}
	w.c.regionOf[op] = r
	return &core.Let{Var: v, Op: op, At: at}
}

// compiledChoice generates a region.
func (c *funCompiler) compiledChoice(op *core.If, r *loopRegion, t target) {
	var args []slot
	for _, v := range r.args {
		if slices.Contains(r.extent.sizes, v) {
			r.extent.slots = append(r.extent.slots, len(args))
		}
		args = append(args, c.atom(v)...)
	}
	if r.rest {
		c.compiledRest(r, args)
		return
	}
	results := t.regs
	if t.tail {
		for _, k := range c.Of(r.result) {
			results = append(results, c.temp(k))
		}
	}
	flag := c.temp(layout.I)
	c.share(args...)
	c.emit(instr{op: opLoops, a: flag.reg, b: c.list(args), c: c.list(results), k: int64(add(&c.lib.regions, r))})
	var otherwise, end label
	c.jumpUnless(flag, &otherwise)
	state := c.regs.save()
	if t.tail {
		c.ret(results)
	} else {
		c.jump(&end, instr{op: opJump})
	}
	c.here(&otherwise)
	c.regs.restore(state)
	c.arm(op.Else, t)
	c.here(&end)
	c.regs.restore(state)
}

// ---- execution

// pollError is what ends a run that the machine wants to end.
type pollError struct{ d *diag.Diagnostic }

func (e pollError) Error() string { return e.d.Message }

// loopsOp runs a region.
func (m *Machine) loopsOp(in *instr, fn *function) *diag.Diagnostic {
	r := m.lib.regions[in.k]
	done, d := m.runRegion(r, fn.lists[in.b], fn.lists[in.c])
	m.i[m.ib+int(in.a)] = object.Truth(done)
	return d
}

func (m *Machine) runRegion(r *loopRegion, args, results []operand) (done bool, d *diag.Diagnostic) {
	if r.tired() {
		return false, nil
	}
	if !m.code.opts.Eager {
		n, ready := m.elementsOf(r.extent, args), r.ready.Load()
		deep := r.weight.deep || ready && r.nested
		if !deep && n < fewElements || !ready && (!r.pays(m.work()-m.compiledAt, n) || r.waits(m.work())) {
			return false, nil
		}
	}
	left := marshal.NodesLeft(m.work()*fuelWork, m.numbered, m.memory-m.used)
	in := marshal.Writer{From: m.operandValues(args), Taped: r.taped, Left: left, Kept: &m.kept}
	if r.ready.Load() && r.low != nil {
		in.Args = make([]loop.Arg, 0, len(r.low.Func.Params))
	}
	defer func() { m.numbered += int64(left - in.Left) }()
	if !in.Values(r.params) {
		return false, nil
	}
	r.once.Do(func() {
		r.prepare()
		m.compiledAt = m.work()
	})
	if r.code == nil {
		return false, nil
	}
	for i, def := range r.low.Constants {
		g := m.code.defs[def.Name]
		if g == nil || !m.constant(g) {
			return false, nil
		}
		in.From = m.globals[g.index].Slots
		if !in.Value(r.constants[i]) {
			return false, nil
		}
	}
	opts := loop.RunOptions{MaxBytes: m.memory - m.used, MaxDepth: max(m.depth-len(m.frames), 1), Threads: m.code.opts.Threads, Poll: func() error {
		if d := m.tick(); d != nil {
			return pollError{d}
		}
		return nil
	}}
	out := make([]loop.Arg, len(r.low.Func.Body.Yield))
	outermost := r.whole && len(m.frames) == m.outermost.frames
	var old []object.Ref
	if outermost && len(m.outermost.into) == len(out) {
		out, old = m.outermost.into, m.outermost.old
		m.outermost.into, m.outermost.old = nil, nil
	}
	err := r.code.RunInto(out, in.Args, opts)
	var stop pollError
	switch {
	case errors.As(err, &stop):
		return false, stop.d
	case err != nil:
		r.gaveUp(true)
		return false, nil
	}
	r.gaveUp(false)
	if outermost {
		m.outermost.made = out
	}
	to := marshal.Reader{From: out, Old: old}
	to.Value(r.value)
	if d := m.charge(to.Bytes); d != nil {
		return false, d
	}
	m.setOperands(results, to.Into)
	return true, nil
}

// elementsOf is how many elements a region loops over, as far as that is known before it runs. The rows of an array are taken
// to be as long as the first.
func (m *Machine) elementsOf(e extent, args []operand) int {
	n := e.fixed
	for _, o := range args {
		if o.kind == layout.P {
			n += elementCount(m.p[m.pb+int(o.reg)])
		}
	}
	for _, k := range e.slots {
		n += int(max(0, m.i[m.ib+int(args[k].reg)]))
	}
	for _, name := range e.constants {
		if g := m.code.defs[name]; g != nil && m.constant(g) {
			for _, r := range m.globals[g.index].P {
				n += elementCount(r)
			}
		}
	}
	return n
}

func elementCount(r object.Ref) int {
	switch a := r.(type) {
	case *object.Refs:
		if len(a.V) > 0 {
			return len(a.V) * max(1, elementCount(a.V[0]))
		}
	case *object.Reals, *object.Ints, *object.Table:
		return object.Len(a)
	}
	return 0
}

// constant evaluates a constant, if need be, and tells whether it has a value.
func (m *Machine) constant(g *global) bool {
	if g.index < 0 {
		return false
	}
	if m.globals[g.index].done {
		return true
	}
	from, d := m.startCallback(layout.Shape{})
	if d == nil {
		d = m.push(m.code.halt, 1)
	}
	if d == nil {
		d = m.enter(g.fun)
	}
	if d == nil {
		m.fn, m.pc = g.fun, 0
		d = m.exec()
	}
	m.endCallback(from)
	return d == nil && m.globals[g.index].done
}
