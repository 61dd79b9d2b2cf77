package interp

import (
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/region"
	"github.com/fluxion-lang/fluxion/internal/interp/uses"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// compiler translates a program, each definition when it is first entered. What it has is used by
// one goroutine at a time: the one that compiles a definition.
type compiler struct {
	*layout.Layouts
	code       *Code
	opts       Options
	globals    map[string]*globalUse
	program    *core.Program
	updates    bool // whether arrays are updated: Note [Updates in place]
	rowUpdates bool // whether rows are: Note [Updates of rows]

	derives bool // the program computes derivatives: some of its code is taped
	closed  bool // no real that the code is given is boxed: Note [Plain and taped]

	regions *region.Finder // of what an engine compiles; nil if there is none
	watch   *stop.Watch    // of the definition that is being compiled
}

// globalUse is what code that uses a definition needs to know of it.
type globalUse struct {
	*machine.Global
	plain  *machine.Function // a stub of a function for calls outside of derivatives, if there are any
	def    *core.Def
	lambda *core.Lambda
	slots  []machine.Slot // what it is, if that is known: a literal, or a function's closure
	layout layout.Layout
}

// Compile translates a monomorphic program. The diagnostic is E0605 where the values of a
// definition are beyond what the instructions can address; a definition whose code is fails with
// that diagnostic when it is entered.
func Compile(p *core.Program) (*Code, *diag.Diagnostic) {
	return CompileWith(p, Options{})
}

// CompileWith is Compile with options.
func CompileWith(p *core.Program, opts Options) (*Code, *diag.Diagnostic) {
	return compileWith(p, opts, mentionsKind(p, prim.Derivation, prim.Search, prim.Trajectory), true)
}

func compileWith(p *core.Program, opts Options, taped, closed bool) (code *Code, failure *diag.Diagnostic) {
	opts.Compile = compileWith
	var at diag.Span
	defer func() {
		if d := tooLarge(recover(), at); d != nil {
			code, failure = nil, d
		}
	}()
	var regions *region.Finder
	if opts.Uncompiled() == "" && closed {
		regions = region.New(p, &opts)
	}
	opts.Kept, opts.Beside, opts.Parts = nil, nil, nil // not of what is compiled later
	c := &compiler{
		Layouts: layout.New(),
		code:    machine.NewCode(p, opts, taped),
		opts:    opts,
		derives: taped,
		globals: map[string]*globalUse{},
		program: p,
		updates: mentionsKind(p, prim.Update),
		closed:  closed,
		regions: regions,
	}
	c.rowUpdates = c.updates && uses.UpdatesRows(p)
	declare := func(d *core.Def) *globalUse {
		if g := c.globals[d.Name]; g != nil && g.def == d {
			return g
		}
		at = d.At
		g := c.declare(d)
		c.globals[d.Name], c.code.Defs[d.Name] = g, g.Global
		return g
	}
	for _, d := range p.Defs {
		declare(d)
	}
	if p.Main != nil {
		c.code.Entry = declare(p.Main).Global
	}
	return c.code, nil
}

// tooLarge is the diagnostic for what the compilation of a definition has panicked with; nil if it
// has not.
func tooLarge(panicked any, at diag.Span) *diag.Diagnostic {
	switch r := panicked.(type) {
	case nil:
		return nil
	case layout.TooManySlots:
		return diag.Errorf(diag.ProgramTooLarge, at, "values of the type %s are too large to compute with", diag.Shorten(types.Show(r.Type))).
			WithHint("a value may have at most %d numbers in its tuples and records; use an array for more", layout.MaxSlots)
	case tooManyRegisters:
		return diag.Errorf(diag.ProgramTooLarge, at, "this definition is too large").
			WithHint("split it into functions, or put values into an array: at most %d values can be alive in a function at once", machine.MaxRegs)
	}
	panic(panicked)
}

// declare makes a definition known before any code is compiled.
func (c *compiler) declare(d *core.Def) *globalUse {
	g := &globalUse{Global: &machine.Global{Name: d.Name, Type: d.Type, At: d.At, Index: -1}, def: d, layout: c.Of(d.Type)}
	if g.lambda = d.Function(); g.lambda != nil {
		g.Fun = c.stub(g, c.derives, false)
		if c.derives {
			g.Plain = func() *machine.Function { return c.plain(g) }
		}
		g.Fun.Static = &machine.Closure{Fn: g.Fun}
		g.slots = []machine.Slot{machine.ConstP(g.Fun.Static)}
		return g
	}
	g.Fun = c.stub(g, c.derives && !c.closed, false)
	g.Index = len(c.code.Globals)
	c.code.Globals = append(c.code.Globals, g.Global)
	if lit, ok := d.Body.Result.(*core.Lit); ok && len(d.Body.Stmts) == 0 {
		g.slots = literal(lit)
	}
	return g
}

// signature sets what callers of a function need to know.
func (c *compiler) signature(fn *machine.Function, lambda *core.Lambda) {
	fn.Arity = len(lambda.Params)
	fn.Params = make([]layout.Shape, fn.Arity+1)
	for i, p := range lambda.Params {
		s, more := fn.Params[i], c.Of(p.Ty).Shape()
		fn.Params[i+1] = s.Plus(more)
	}
	fn.Result = c.Of(lambda.Body.Result.Type()).Shape()
}

// stub makes a stub for the code of a definition, or for the part of it that runs where its regions
// do not.
func (c *compiler) stub(g *globalUse, taped, otherwise bool) *machine.Function {
	stub := c.signatureOf(g)
	return c.code.Stub(stub, func(w *stop.Watch) *machine.Function {
		c.watch = w
		return c.define(g, stub, taped, otherwise)
	})
}

// signatureOf makes a function without code for a definition.
func (c *compiler) signatureOf(g *globalUse) *machine.Function {
	fn := &machine.Function{Name: g.Name, Self: -1}
	if g.lambda == nil {
		fn.Params, fn.Result = make([]layout.Shape, 1), g.layout.Shape()
		return fn
	}
	c.signature(fn, g.lambda)
	fn.Source = &machine.Source{Lambda: g.lambda, At: g.def.At}
	return fn
}

// define compiles a definition that stub stands for.
func (c *compiler) define(g *globalUse, stub *machine.Function, taped, otherwise bool) (fn *machine.Function) {
	known := len(c.code.Funs)
	defer func() {
		if r := recover(); r != nil {
			c.code.Funs = c.code.Funs[:known]
			fn = machine.Refused(stub, tooLarge(r, g.def.At))
		}
	}()
	fn = c.signatureOf(g)
	fn.Lib = c.code.NewLibrary()
	body := g.def.Body
	var params []*core.Var
	if g.lambda != nil {
		body, params = g.lambda.Body, g.lambda.Params
	}
	if c.regions != nil {
		front := (*core.Block)(nil)
		if !otherwise {
			front = c.regions.Front(g.Name, params, body, taped)
		}
		if front != nil {
			body, fn.Otherwise = front, c.stub(g, taped, true)
		} else {
			body = c.regions.Inside(g.Name, body, taped)
		}
	}
	fc := c.newFunction(fn, body, taped)
	fc.self, fc.at = stub, g.def.At
	if g.lambda != nil {
		fc.function(g.lambda, nil)
	} else {
		fc.constantBody(g)
	}
	return fn
}

// ---- one function

// funCompiler generates the code of one function.
type funCompiler struct {
	*compiler
	fn    *machine.Function
	self  *machine.Function // the stub of the definition that fn is, or nil
	lib   *machine.Library
	taped bool // reals may be boxed: Note [Plain and taped]
	regs  registers
	live  *uses.Liveness
	rows  *uses.Rows // nil if the program updates no rows
	env   map[*core.Var]machine.Binding
	hints map[*core.Var][]machine.Slot // registers that a variable had best be in
	at    diag.Span
	temps []machine.Slot // held until the statement ends
	pins  []machine.Slot // pinned until the statement ends
	freed core.Stmt      // the statement whose dying variables are given back already
	args  []machine.Slot // the registers of the parameters
	body  *core.Block
	count int // pc of an OpCount that straight-line code may still add to, or -1
	loops []openLoop

	constIndex map[object.Ref]int64
	called     map[*core.Var]bool // of plain code: local functions that it calls, and no more
}

func (c *compiler) newFunction(fn *machine.Function, body *core.Block, taped bool) *funCompiler {
	c.code.Funs = append(c.code.Funs, fn)
	var called map[*core.Var]bool
	if c.derives && !taped {
		called = onlyCalled(body)
	}
	live := uses.LivenessOf(body)
	var rows *uses.Rows
	if c.rowUpdates {
		rows = uses.RowsOf(body, live)
	}
	return &funCompiler{
		compiler: c, rows: rows, fn: fn, lib: fn.Lib, taped: taped, called: called, live: live, body: body, count: -1,
		env: map[*core.Var]machine.Binding{}, hints: map[*core.Var][]machine.Slot{}, constIndex: map[object.Ref]int64{},
	}
}

// place numbers the registers of values that lie one after the other, kind by
// kind, from the given counts on.
func place(l layout.Layout, from layout.Shape) []machine.Slot {
	slots := make([]machine.Slot, len(l))
	for n, k := range l {
		switch k {
		case layout.F:
			slots[n] = machine.Slot{Kind: layout.F, Reg: uint16(from.F)}
			from.F++
		case layout.I:
			slots[n] = machine.Slot{Kind: layout.I, Reg: uint16(from.I)}
			from.I++
		case layout.P:
			slots[n] = machine.Slot{Kind: layout.P, Reg: uint16(from.P)}
			from.P++
		}
	}
	return slots
}

// function generates the code of a lambda; captured gives the bindings of its
// free variables, already in terms of its own registers.
func (c *funCompiler) function(lambda *core.Lambda, captured []machine.Captured) {
	c.fn.Source = &machine.Source{Lambda: lambda, Captured: captured, At: c.at}
	params := c.fn.Params[c.fn.Arity]
	if max(params.F, params.I, params.P) >= machine.MaxRegs {
		panic(tooManyRegisters{})
	}
	for i, p := range lambda.Params {
		slots := place(c.Of(p.Ty), c.fn.Params[i])
		c.regs.reserve(slots)
		c.args = append(c.args, slots...)
		c.bind(p, machine.Binding{Slots: slots})
	}
	if c.fn.Self >= 0 {
		self := machine.Slot{Kind: layout.P, Reg: uint16(c.fn.Self)}
		c.regs.reserve([]machine.Slot{self})
		c.regs.pin([]machine.Slot{self}) // calls of itself pass it on
		for _, v := range captured {
			c.captured(v, self)
		}
	} else {
		for _, v := range captured {
			c.bind(v.Var, v.Binding)
		}
	}
	for _, p := range lambda.Params {
		c.dropUnused(p)
	}
	for _, v := range captured {
		c.dropUnused(v.Var)
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
	c.emit(machine.Instr{Op: machine.OpRetGlobal, K: int64(g.Index)})
	c.finish()
}

func (c *funCompiler) finish() {
	fn := c.fn
	fn.Frame = layout.Shape{F: len(c.regs[layout.F].refs), I: len(c.regs[layout.I].refs), P: len(c.regs[layout.P].refs)}
	fn.Out = layout.Shape{F: c.regs[layout.F].outs, I: c.regs[layout.I].outs, P: c.regs[layout.P].outs}
	if max(fn.Frame.F+fn.Out.F, fn.Frame.I+fn.Out.I, fn.Frame.P+fn.Out.P) > machine.WindowSize {
		panic(tooManyRegisters{})
	}
	c.patchOutgoing()
}

// bind makes a variable known and its registers referenced.
func (c *funCompiler) bind(v *core.Var, b machine.Binding) {
	c.env[v] = b
	c.regs.hold(b.Slots)
}

// dropUnused gives back the registers of a variable that nothing uses.
func (c *funCompiler) dropUnused(v *core.Var) {
	if c.live.Uses.Get(v) == 0 {
		c.regs.release(c.env[v].Slots)
	}
}

// ---- emission

func bitsOf(x float64) int64 { return int64(math.Float64bits(x)) }

func (c *funCompiler) emit(in machine.Instr) int {
	c.fn.Code = append(c.fn.Code, in)
	c.fn.Spans = append(c.fn.Spans, c.at)
	return len(c.fn.Code) - 1
}

// label is a place that jumps go to; here binds it.
type label struct{ jumps []int }

func (c *funCompiler) jump(l *label, in machine.Instr) {
	c.count = -1
	l.jumps = append(l.jumps, c.emit(in))
}

// here makes a label stand for the next instruction.
func (c *funCompiler) here(l *label) {
	c.count = -1
	for _, pc := range l.jumps {
		c.fn.Code[pc].K |= int64(len(c.fn.Code))
	}
}

// mark starts a loop: backward jumps go to the place that it gives.
func (c *funCompiler) mark() int64 {
	c.count = -1
	return int64(len(c.fn.Code))
}

// counted notes that the code executes n primitive operations.
func (c *funCompiler) counted(n int) {
	if !c.opts.Count {
		return
	}
	if c.count < 0 {
		c.count = c.emit(machine.Instr{Op: machine.OpCount})
	}
	c.fn.Code[c.count].K += int64(n)
}

func (c *funCompiler) constant(r object.Ref) int64 {
	k, ok := c.constIndex[r]
	if !ok {
		k = int64(len(c.fn.Consts))
		c.fn.Consts = append(c.fn.Consts, r)
		c.constIndex[r] = k
	}
	return k
}

// temp gives a register that stays reserved until the statement ends.
func (c *funCompiler) temp(k layout.Kind) machine.Slot {
	s := c.regs.fresh(k)
	c.regs.hold([]machine.Slot{s})
	c.temps = append(c.temps, s)
	return s
}

// reg makes sure that a slot is in a register.
func (c *funCompiler) reg(s machine.Slot) uint16 {
	if s.IsConst {
		t := c.temp(s.Kind)
		c.load(t, s)
		return t.Reg
	}
	return s.Reg
}

// list adds an operand list and gives its number.
func (c *funCompiler) list(slots []machine.Slot) uint16 {
	ops := make([]machine.Register, len(slots))
	for n, s := range slots {
		ops[n] = machine.Register{Kind: s.Kind, Reg: c.reg(s)}
	}
	if len(c.fn.Lists) > math.MaxUint16 {
		panic(tooManyRegisters{})
	}
	c.fn.Lists = append(c.fn.Lists, ops)
	return uint16(len(c.fn.Lists) - 1)
}

// ---- atoms

func literal(lit *core.Lit) []machine.Slot {
	switch types.Resolve(lit.Ty) {
	case types.Real:
		x, _ := lit.Real.Float64()
		return []machine.Slot{machine.ConstF(x)}
	case types.Int:
		return []machine.Slot{machine.ConstI(lit.Int)}
	case types.Bool:
		if lit.Bool {
			return []machine.Slot{machine.ConstI(1)}
		}
		return []machine.Slot{machine.ConstI(0)}
	case types.String:
		return []machine.Slot{machine.ConstP(&object.Text{S: lit.Str})}
	}
	return nil
}

// atom is where the slots of an atom are.
func (c *funCompiler) atom(a core.Atom) []machine.Slot { return c.resolve(a).Slots }

func (c *funCompiler) resolve(a core.Atom) machine.Binding {
	switch a := a.(type) {
	case *core.Var:
		b, ok := c.env[a]
		if !ok {
			panic(fmt.Sprintf("interp: variable %s of %s is not bound", a.Name, c.fn.Name))
		}
		return b
	case *core.Lit:
		return machine.Binding{Slots: literal(a)}
	case *core.Global:
		g := c.globals[a.Name]
		if g == nil {
			panic("interp: no definition of " + a.Name)
		}
		switch {
		case g.lambda != nil:
			return machine.Binding{Slots: g.slots, Known: c.callee(g)}
		case g.slots != nil || len(g.layout) == 0 && len(g.def.Body.Stmts) == 0:
			return machine.Binding{Slots: g.slots}
		}
		slots := make([]machine.Slot, len(g.layout))
		for n, k := range g.layout {
			slots[n] = c.temp(k)
		}
		c.emit(machine.Instr{Op: machine.OpGlobal, B: c.list(slots), K: int64(g.Index)})
		return machine.Binding{Slots: slots}
	}
	panic("interp: unknown atom")
}

func (c *funCompiler) atoms(as []core.Atom) []machine.Slot {
	var slots []machine.Slot
	for _, a := range as {
		slots = append(slots, c.atom(a)...)
	}
	return slots
}

// scalar is the slot of an atom that has one.
func (c *funCompiler) scalar(a core.Atom) machine.Slot { return c.atom(a)[0] }
