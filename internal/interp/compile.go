package interp

import (
	"fmt"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/uses"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// compiler translates a program.
type compiler struct {
	*layout.Layouts
	code       *Code
	opts       Options
	lib        *library
	globals    map[string]*globalUse
	program    *core.Program
	updates    bool // whether arrays are updated: Note [Updates in place]
	rowUpdates bool // whether rows are: Note [Updates of rows]

	closed  bool         // no real that the code is given is boxed: Note [Plain and taped]
	waiting []*globalUse // functions whose plain code is to be compiled

	source   *lower.Source // of regions, if there is an engine
	regionOf map[*core.If]*loopRegion
	weights  map[string]weight // of the functions that were weighed
	ahead    []string          // functions that are to be compiled ahead: Options.Ahead
}

// globalUse is what code that uses a definition needs to know of it.
type globalUse struct {
	*global
	plain  *function // the code of a function for calls outside of derivatives, if there are any
	def    *core.Def
	lambda *core.Lambda
	slots  []slot // what it is, if that is known: a literal, or a function's closure
	layout layout.Layout
}

// Compile translates a monomorphic program. The diagnostic is E0605 for
// programs beyond what the instructions can address.
func Compile(p *core.Program) (*Code, *diag.Diagnostic) { return CompileWith(p, Options{}) }

// CompileWith is Compile with options.
func CompileWith(p *core.Program, opts Options) (*Code, *diag.Diagnostic) {
	return compileWith(p, opts, mentionsKind(p, prim.Derivation, prim.Search), true)
}

func compileWith(p *core.Program, opts Options, taped, closed bool) (code *Code, failure *diag.Diagnostic) {
	opts.compile = compileWith
	var at diag.Span
	defer func() {
		switch r := recover().(type) {
		case nil:
		case layout.TooManySlots:
			code, failure = nil, diag.Errorf(diag.ProgramTooLarge, at, "values of the type %s are too large to compute with", diag.Shorten(types.Show(r.Type))).
				WithHint("a value may have at most %d numbers in its tuples and records; use an array for more", layout.MaxSlots)
		case tooManyRegisters:
			code, failure = nil, diag.Errorf(diag.ProgramTooLarge, at, "this definition is too large").
				WithHint("split it into functions, or put values into an array: at most %d values can be alive in a function at once", maxRegs)
		default:
			panic(r)
		}
	}()
	ahead := slices.Clone(opts.Ahead)
	opts.Ahead = nil // not of what is compiled later
	c := &compiler{
		Layouts: layout.New(),
		code:    &Code{program: p, defs: map[string]*global{}, opts: opts, taped: taped},
		opts:    opts,
		lib:     newLibrary(),
		globals: map[string]*globalUse{},
		program: p,
		updates: mentionsKind(p, prim.Update),
		closed:  closed,
		ahead:   ahead,

		regionOf: map[*core.If]*loopRegion{},
		weights:  map[string]weight{},
	}
	c.code.lib = c.lib
	if opts.compiles() && closed {
		c.source = lower.NewSource(p)
		c.source.Data = true
		c.source.Watched = opts.Watched
	}
	c.rowUpdates = c.updates && uses.UpdatesRows(p)
	declare := func(d *core.Def) *globalUse {
		if g := c.globals[d.Name]; g != nil && g.def == d {
			return g
		}
		at = d.At
		g := c.declare(d)
		c.globals[d.Name], c.code.defs[d.Name] = g, g.global
		return g
	}
	for _, d := range p.Defs {
		declare(d)
	}
	all := append([]*core.Def(nil), p.Defs...)
	if p.Main != nil {
		c.code.main = declare(p.Main).global
		if len(all) == 0 || all[len(all)-1] != p.Main {
			all = append(all, p.Main)
		}
	}
	done := map[*core.Def]bool{}
	for _, d := range all {
		if at = d.At; !done[d] {
			done[d] = true
			c.define(c.globals[d.Name])
		}
	}
	for len(c.waiting) > 0 {
		g := c.waiting[0]
		c.waiting = c.waiting[1:]
		at = g.def.At
		c.body(g.plain, g, false)
	}
	c.code.halt = stub(layout.Shape{}, opHalt)
	c.code.pending = stub(layout.Shape{P: 2}, opApplyPending)
	c.code.funs = append(c.code.funs, c.code.halt, c.code.pending)
	return c.code, nil
}

// stub is a function of one instruction. Results of calls that return to it go
// to its first register.
func stub(frame layout.Shape, op opcode) *function {
	return &function{
		self: -1, params: make([]layout.Shape, 1), frame: frame,
		code: []instr{{op: opNop}, {op: op}}, spans: make([]diag.Span, 2),
	}
}

// declare makes a definition known before any code is compiled.
func (c *compiler) declare(d *core.Def) *globalUse {
	g := &globalUse{global: &global{name: d.Name, ty: d.Type, at: d.At, index: -1}, def: d, layout: c.Of(d.Type)}
	g.fun = &function{name: d.Name, self: -1, params: make([]layout.Shape, 1)}
	if g.lambda = d.Function(); g.lambda != nil {
		g.fun.static = &closure{fn: g.fun}
		c.signature(g.fun, g.lambda)
		g.slots = []slot{constP(g.fun.static)}
		return g
	}
	g.fun.result = g.layout.Shape()
	g.index = len(c.code.globals)
	c.code.globals = append(c.code.globals, g.global)
	if lit, ok := d.Body.Result.(*core.Lit); ok && len(d.Body.Stmts) == 0 {
		g.slots = literal(lit)
	}
	return g
}

// signature sets what callers of a function need to know.
func (c *compiler) signature(fn *function, lambda *core.Lambda) {
	fn.arity = len(lambda.Params)
	fn.params = make([]layout.Shape, fn.arity+1)
	for i, p := range lambda.Params {
		s, more := fn.params[i], c.Of(p.Ty).Shape()
		fn.params[i+1] = s.Plus(more)
	}
	fn.result = c.Of(lambda.Body.Result.Type()).Shape()
}

// define compiles a definition.
func (c *compiler) define(g *globalUse) {
	if g.lambda != nil {
		c.body(g.fun, g, c.code.taped)
		return
	}
	fc := c.newFunction(g.fun, g.def.Body, c.code.taped && !c.closed)
	fc.at = g.def.At
	fc.constantBody(g)
}

// body compiles the function that a definition is.
func (c *compiler) body(fn *function, g *globalUse, taped bool) {
	fc := c.newFunction(fn, g.lambda.Body, taped)
	fc.at = g.def.At
	fc.function(g.lambda, nil)
}

// ---- one function

// funCompiler generates the code of one function.
type funCompiler struct {
	*compiler
	fn    *function
	taped bool // reals may be boxed: Note [Plain and taped]
	regs  registers
	live  *uses.Liveness
	rows  *uses.Rows // nil if the program updates no rows
	env   map[*core.Var]binding
	hints map[*core.Var][]slot // registers that a variable had best be in
	at    diag.Span
	temps []slot    // held until the statement ends
	pins  []slot    // pinned until the statement ends
	freed core.Stmt // the statement whose dying variables are given back already
	args  []slot    // the registers of the parameters
	body  *core.Block
	count int // pc of an opCount that straight-line code may still add to, or -1
	loops []openLoop

	constIndex map[object.Ref]int64
	functions  map[*core.Var]*knownFunction // local functions, for their derivatives
	called     map[*core.Var]bool           // of plain code: local functions that it calls, and no more
}

func (c *compiler) newFunction(fn *function, body *core.Block, taped bool) *funCompiler {
	c.code.funs = append(c.code.funs, fn)
	if c.source != nil {
		body = c.regions(fn.name, body, taped)
	}
	var called map[*core.Var]bool
	if c.code.taped && !taped {
		called = onlyCalled(body)
	}
	var rows *uses.Rows
	if c.rowUpdates {
		rows = uses.RowsOf(body)
	}
	return &funCompiler{
		compiler: c, rows: rows, fn: fn, taped: taped, called: called, live: uses.LivenessOf(body), body: body, count: -1,
		env: map[*core.Var]binding{}, hints: map[*core.Var][]slot{}, constIndex: map[object.Ref]int64{}, functions: map[*core.Var]*knownFunction{},
	}
}

// place numbers the registers of values that lie one after the other, kind by
// kind, from the given counts on.
func place(l layout.Layout, from layout.Shape) []slot {
	slots := make([]slot, len(l))
	for n, k := range l {
		switch k {
		case layout.F:
			slots[n] = slot{kind: layout.F, reg: uint16(from.F)}
			from.F++
		case layout.I:
			slots[n] = slot{kind: layout.I, reg: uint16(from.I)}
			from.I++
		case layout.P:
			slots[n] = slot{kind: layout.P, reg: uint16(from.P)}
			from.P++
		}
	}
	return slots
}

// function generates the code of a lambda; captured gives the bindings of its
// free variables, already in terms of its own registers.
func (c *funCompiler) function(lambda *core.Lambda, captured []capturedVar) {
	c.fn.source = &source{lambda, captured, c.at}
	params := c.fn.params[c.fn.arity]
	if max(params.F, params.I, params.P) >= maxRegs {
		panic(tooManyRegisters{})
	}
	for i, p := range lambda.Params {
		slots := place(c.Of(p.Ty), c.fn.params[i])
		c.regs.reserve(slots)
		c.args = append(c.args, slots...)
		c.bind(p, binding{slots: slots})
	}
	if c.fn.self >= 0 {
		self := slot{kind: layout.P, reg: uint16(c.fn.self)}
		c.regs.reserve([]slot{self})
		c.regs.pin([]slot{self}) // calls of itself pass it on
		for _, v := range captured {
			c.captured(v, self)
		}
	} else {
		for _, v := range captured {
			c.bind(v.v, v.binding)
		}
	}
	for _, p := range lambda.Params {
		c.dropUnused(p)
	}
	for _, v := range captured {
		c.dropUnused(v.v)
	}
	c.block(c.body, target{tail: true})
	c.finish()
}

// constantBody generates the code that evaluates a constant.
func (c *funCompiler) constantBody(g *globalUse) {
	result := place(g.layout, layout.Shape{})
	c.regs.reserve(result)
	c.regs.pin(result)
	c.block(c.body, target{regs: result})
	c.emit(instr{op: opRetGlobal, k: int64(g.index)})
	c.finish()
}

func (c *funCompiler) finish() {
	fn := c.fn
	fn.frame = layout.Shape{F: len(c.regs[layout.F].refs), I: len(c.regs[layout.I].refs), P: len(c.regs[layout.P].refs)}
	fn.out = layout.Shape{F: c.regs[layout.F].outs, I: c.regs[layout.I].outs, P: c.regs[layout.P].outs}
	if max(fn.frame.F+fn.out.F, fn.frame.I+fn.out.I, fn.frame.P+fn.out.P) > windowSize {
		panic(tooManyRegisters{})
	}
	c.patchOutgoing()
}

// bind makes a variable known and its registers referenced.
func (c *funCompiler) bind(v *core.Var, b binding) {
	c.env[v] = b
	c.regs.hold(b.slots)
}

// dropUnused gives back the registers of a variable that nothing uses.
func (c *funCompiler) dropUnused(v *core.Var) {
	if c.live.Uses[v] == 0 {
		c.regs.release(c.env[v].slots)
	}
}

// ---- emission

func bitsOf(x float64) int64 { return int64(math.Float64bits(x)) }

func (c *funCompiler) emit(in instr) int {
	c.fn.code = append(c.fn.code, in)
	c.fn.spans = append(c.fn.spans, c.at)
	return len(c.fn.code) - 1
}

// label is a place that jumps go to; here binds it.
type label struct{ jumps []int }

func (c *funCompiler) jump(l *label, in instr) {
	c.count = -1
	l.jumps = append(l.jumps, c.emit(in))
}

// here makes a label stand for the next instruction.
func (c *funCompiler) here(l *label) {
	c.count = -1
	for _, pc := range l.jumps {
		c.fn.code[pc].k |= int64(len(c.fn.code))
	}
}

// mark starts a loop: backward jumps go to the place that it gives.
func (c *funCompiler) mark() int64 {
	c.count = -1
	return int64(len(c.fn.code))
}

// counted notes that the code executes n primitive operations.
func (c *funCompiler) counted(n int) {
	if !c.opts.Count {
		return
	}
	if c.count < 0 {
		c.count = c.emit(instr{op: opCount})
	}
	c.fn.code[c.count].k += int64(n)
}

func (c *funCompiler) constant(r object.Ref) int64 {
	k, ok := c.constIndex[r]
	if !ok {
		k = int64(len(c.fn.consts))
		c.fn.consts = append(c.fn.consts, r)
		c.constIndex[r] = k
	}
	return k
}

// temp gives a register that stays reserved until the statement ends.
func (c *funCompiler) temp(k layout.Kind) slot {
	s := c.regs.fresh(k)
	c.regs.hold([]slot{s})
	c.temps = append(c.temps, s)
	return s
}

// reg makes sure that a slot is in a register.
func (c *funCompiler) reg(s slot) uint16 {
	if s.isConst {
		t := c.temp(s.kind)
		c.load(t, s)
		return t.reg
	}
	return s.reg
}

// list adds an operand list and gives its number.
func (c *funCompiler) list(slots []slot) uint16 {
	ops := make([]operand, len(slots))
	for n, s := range slots {
		ops[n] = operand{s.kind, c.reg(s)}
	}
	if len(c.fn.lists) > math.MaxUint16 {
		panic(tooManyRegisters{})
	}
	c.fn.lists = append(c.fn.lists, ops)
	return uint16(len(c.fn.lists) - 1)
}

// ---- atoms

func literal(lit *core.Lit) []slot {
	switch types.Resolve(lit.Ty) {
	case types.Real:
		x, _ := lit.Real.Float64()
		return []slot{constF(x)}
	case types.Int:
		return []slot{constI(lit.Int)}
	case types.Bool:
		if lit.Bool {
			return []slot{constI(1)}
		}
		return []slot{constI(0)}
	case types.String:
		return []slot{constP(&object.Text{S: lit.Str})}
	}
	return nil
}

// atom is where the slots of an atom are.
func (c *funCompiler) atom(a core.Atom) []slot { return c.resolve(a).slots }

func (c *funCompiler) resolve(a core.Atom) binding {
	switch a := a.(type) {
	case *core.Var:
		b, ok := c.env[a]
		if !ok {
			panic(fmt.Sprintf("interp: variable %s of %s is not bound", a.Name, c.fn.name))
		}
		return b
	case *core.Lit:
		return binding{slots: literal(a)}
	case *core.Global:
		g := c.globals[a.Name]
		if g == nil {
			panic("interp: no definition of " + a.Name)
		}
		switch {
		case g.lambda != nil:
			return binding{slots: g.slots, known: c.callee(g)}
		case g.slots != nil || len(g.layout) == 0 && len(g.def.Body.Stmts) == 0:
			return binding{slots: g.slots}
		}
		slots := make([]slot, len(g.layout))
		for n, k := range g.layout {
			slots[n] = c.temp(k)
		}
		c.emit(instr{op: opGlobal, b: c.list(slots), k: int64(g.index)})
		return binding{slots: slots}
	}
	panic("interp: unknown atom")
}

func (c *funCompiler) atoms(as []core.Atom) []slot {
	var slots []slot
	for _, a := range as {
		slots = append(slots, c.atom(a)...)
	}
	return slots
}

// scalar is the slot of an atom that has one.
func (c *funCompiler) scalar(a core.Atom) slot { return c.atom(a)[0] }
