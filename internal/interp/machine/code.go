package machine

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Limits bounds a run besides the deadline of its context, which ends it with E0601. A zero field
// means no bound, but for the memory.
type Limits struct {
	// Memory bounds, in bytes, what the run holds: values, garbage that has
	// not been collected yet, and its stack. Beyond it the run ends with
	// E0602. See Note [Memory] for what is counted. 0 stands for DefaultMemory,
	// and what is below 0 for no bound.
	Memory int64
	// Prims bounds the primitive operations of code compiled with
	// Options.Count and of sweeps. Soon after it the run ends with E0802.
	Prims int64
	// Depth bounds how many calls may be active at once; tail calls are free.
	// Beyond it the run ends with E0603.
	Depth int

	// Reached, unless nil, decides in place of the clock, the memory and the depth whether the run
	// has reached the limit that a code names. It is asked at every step that may look at one, for
	// tests that stop a run everywhere.
	Reached func(limit diag.Code) bool
}

// DefaultLimits are what a run gets that asks for nothing else: no limit of
// time, memory and depth that no sensible program reaches by intention.
func DefaultLimits() Limits { return Limits{Memory: DefaultMemory, Depth: 10_000_000} }

// DefaultMemory is the memory that every run may hold unless it is told otherwise, whatever starts
// it.
const DefaultMemory = 2 << 30

// Bytes is the limit of memory.
func (l Limits) Bytes() int64 {
	switch {
	case l.Memory < 0:
		return math.MaxInt64
	case l.Memory == 0:
		return DefaultMemory
	}
	return l.Memory
}

// Stats says what a run has done. Prims and Calls are counted only in code
// compiled with Options.Count, the others always.
type Stats struct {
	Prims       int64 // primitive operations executed, each element of an array counted
	tape.Counts       // of tapes
	Calls       int64 // function calls
	Certified   int64 // the work of certified searches: calls of functions, weighed by their coefficients
	Allocations int64 // closures, data values and arrays made
	Bytes       int64 // their sizes together
	Work        int64 // what the interpreter itself has done: calls, turns of loops, and sixteenths of the elements of arrays
}

// Engine makes a program of the loop form ready to run; its first function is the entry.
type Engine func(p *loop.Program) (loop.Code, error)

// Options changes how a program is compiled.
type Options struct {
	// Count makes the code count what it does, for tests of cost.
	Count bool

	// IEEETies makes a derivative through a tie that of the branch taken,
	// where otherwise it is an error.
	IEEETies bool
	// AllowInfinite gives infinite components of derivatives, and NaNs, as
	// results, where otherwise they are errors.
	AllowInfinite bool

	// Unguarded leaves integrals, roots and optima to heuristics, without
	// certifying what they find: search, Note [Guard].
	Unguarded bool

	// TrustRules uses the rules of withDerivative and withPullback without comparing
	// them with the derivatives of their functions.
	TrustRules bool
	// RuleCompared, unless nil, is told of each rule that was compared and agreed.
	RuleCompared func(core.Agreement)

	// Stacks, unless nil, are what the runs of several programs share: RunKeeping.
	Stacks *Stacks
	// Beside, unless nil, is what is compiled beside the run.
	Beside *Beside
	// Kept are constants that the run will be given: what evaluates them is not compiled beside it.
	Kept *Constants
	// Engine, unless nil, runs what can be compiled: Note [Compiled regions]. It is not used for
	// code that counts.
	Engine Engine
	// Threads is how many goroutines a large parallel loop of compiled code may use; 0 stands for
	// one.
	Threads int
	// Watched tells that somebody is told how far the run is, which compiled code does not do.
	Watched bool
	// Parts, unless nil, is told of the parts of the program that are looked at for compiling.
	Parts func(Part)
	// Eager uses compiled code however small the work is, for tests.
	Eager bool

	// Compile makes code of a program that is derived while other code runs: taped if its arguments
	// may be on the tape, closed if it is not run as a part of another program.
	Compile func(p *core.Program, opts Options, taped, closed bool) (*Code, *diag.Diagnostic)
}

// Uncompiled says why compiled code may not be used, or "" if it may.
func (o Options) Uncompiled() string {
	switch {
	case o.Engine == nil:
		return "the interpreter runs alone"
	case o.Count:
		return "operations are counted, which only the interpreter does"
	}
	return ""
}

// Code is a compiled program. It may be used by many goroutines at once, for which it does not
// change.
type Code struct {
	program *core.Program // that it was compiled from
	Defs    map[string]*Global
	Globals []*Global   // those that are not functions, by number
	Entry   *Global     // the main expression, or nil
	Funs    []*Function // every function that was compiled, for the disassembler
	opts    Options
	taped   bool // whether it computes derivatives

	// halt is what the outermost call returns to. It has no registers, so that
	// results lie at the bottom of the stacks. pending is what a call with more
	// arguments than parameters returns to: the result is in P 0, the other
	// arguments are in P 1.
	halt, pending *Function

	compiling sync.Mutex  // held while a function is compiled
	stubs     []*Function // those that were made
	shared    shared

	pool sync.Pool // of *Machine
}

// NewCode is the code of a program that has no definitions yet. It is taped if it computes
// derivatives.
func NewCode(p *core.Program, opts Options, taped bool) *Code {
	return &Code{program: p, opts: opts, taped: taped, Defs: map[string]*Global{},
		shared: shared{nullaries: map[nullaryKey]object.Ref{}, arrayRows: map[*prim.Prim]*arrayRow{}},
		halt:   single(layout.Shape{}, OpHalt), pending: single(layout.Shape{P: 2}, OpApplyPending)}
}

// single is a function of one instruction. Results of calls that return to it go
// to its first register.
func single(frame layout.Shape, op Opcode) *Function {
	return &Function{
		Self: -1, Params: make([]layout.Shape, 1), Frame: frame,
		Code: []Instr{{Op: OpNop}, {Op: op}}, Spans: make([]diag.Span, 2),
	}
}

// Global is a definition of the program.
type Global struct {
	Name  string
	Type  types.Type
	At    diag.Span
	Fun   *Function // the function, or what evaluates the constant
	Index int       // of a constant, in Code.Globals; -1 for a function

	// Plain makes the function for calls outside of derivatives; nil if that is Fun.
	Plain func() *Function
	plain atomic.Pointer[Function] // what it made
}

// Called is the code of a definition that a call from outside runs: no real that it is given is
// boxed.
func (c *Code) Called(g *Global) *Function {
	if g.Plain == nil {
		return g.Fun
	}
	if fn := g.plain.Load(); fn != nil {
		return fn
	}
	c.compiling.Lock()
	defer c.compiling.Unlock()
	fn := g.Plain()
	g.plain.Store(fn)
	return fn
}

// Run evaluates the program's Main.
func (c *Code) Run(ctx context.Context, lim Limits) (value.Value, *diag.Diagnostic) {
	m := c.NewMachine()
	defer m.Release()
	return m.Run(ctx, lim)
}

// RunKeeping is Run in a session: constants that an earlier run has evaluated are
// not evaluated again.
func (c *Code) RunKeeping(ctx context.Context, lim Limits, kept *Constants) (value.Value, *diag.Diagnostic) {
	m := c.NewMachine()
	defer m.Release()
	defer c.opts.Stacks.borrow(m)()
	return m.run(ctx, lim, kept)
}

// Call applies a definition to arguments, which must fit its type, and gives
// the result; without arguments it gives the definition's value. A caller
// that does it often keeps a Machine.
func (c *Code) Call(ctx context.Context, lim Limits, name string, args ...value.Value) (value.Value, *diag.Diagnostic) {
	m := c.NewMachine()
	defer m.Release()
	return m.Call(ctx, lim, name, args...)
}
