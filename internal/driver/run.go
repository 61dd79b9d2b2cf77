package driver

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Settings say how a program is run.
type Settings struct {
	Limits interp.Limits
	Verify bool // check the core after every pass

	// Timeout is the time that a command, a request or a call may take: see Within.
	Timeout time.Duration

	// Compile says how derivatives treat ties and infinities, and more.
	Compile interp.Options

	// Engine is one of Engines: what runs compiled parts of the program. The usual one, "", is the
	// interpreter alone.
	Engine string

	// WhenReached compiles what Functions prepares when a call first reaches it. Otherwise all of
	// it is compiled before the first call, on several cores.
	WhenReached bool

	// Flush lets machine code make zeros of subnormal results of arithmetic, as benchmarks do.
	Flush bool

	// Deterministic makes all engines agree to the last bit, for any number of threads.
	Deterministic bool

	// Constants, if not nil, keeps the values of constants from one run on doubles
	// to the next, for a session.
	Constants *interp.Constants

	// Watch, if not nil, is told the texts of `progress` while the program runs.
	Watch func(text string)

	// Debug, if not nil, is given what `debug` shows: a place, a label and a value, as a line.
	Debug func(line string)
}

// Within returns the context of a command, a request or a call that begins now, with its limits
// of time and memory. Whoever begins one calls it, once; the functions of this package keep to
// the deadline of the context that they are given.
func (s Settings) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	return stop.Within(stop.Holding(ctx, s.Limits.Memory), s.Timeout)
}

// inspector writes what `debug` is given as a line.
func (s Settings) inspector() func(at diag.Span, label string, v value.Value) {
	return func(at diag.Span, label string, v value.Value) {
		s.Debug(fmt.Sprintf("%s: %s = %s", at, label, value.ShowAtMost(v, maxInspected)))
	}
}

// maxInspected is how many elements of a value `debug` shows.
const maxInspected = 100

// Result is what a program evaluates to.
type Result struct {
	Value value.Value
	Type  string // as a program would write it
	Of    types.Type

	Warnings []*diag.Diagnostic // of what an exact run does not promise
}

// Interruptible makes a context that Ctrl-C cancels, so that what runs can end
// with a report. A second Ctrl-C kills, should that report not come.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Run evaluates a unit's final expression, or its `main`.
func Run(ctx context.Context, u *Unit, s Settings) (Result, *diag.Diagnostic) {
	e, d := u.Evaluation(ctx, s)
	if d != nil {
		return Result{}, d
	}
	return e.Run(ctx, s)
}

// Evaluation is what a unit evaluates to on doubles, compiled once. It may run any number of times,
// for several goroutines at once.
type Evaluation struct {
	unit    *Unit
	code    *interp.Code
	of      types.Type
	written string // its type as a program writes it

	beside atomic.Pointer[machine.Beside] // what is compiled beside the first run, which ends it
}

// Evaluation compiles the unit's final expression, or its `main`.
func (u *Unit) Evaluation(ctx context.Context, s Settings) (*Evaluation, *diag.Diagnostic) {
	linked, d := Link(u)
	if d != nil {
		return nil, d
	}
	program, d := opt.Prepare(linked, opt.Options{Verify: s.Verify, Watch: stop.Of(ctx)})
	if d != nil {
		return nil, d
	}
	options := s.compile()
	e := &Evaluation{unit: u, of: resultType(u), written: typeOf(u)}
	beside := machine.NewBeside(ctx)
	e.beside.Store(beside)
	options.Kept, options.Stacks, options.Beside = s.Constants, u.stacks, beside
	if e.code, d = interp.CompileWith(program, options); d != nil {
		beside.End()
		return nil, d
	}
	return e, nil
}

// Run evaluates it with the settings that it was compiled with, except for the limits.
func (e *Evaluation) Run(ctx context.Context, s Settings) (Result, *diag.Diagnostic) {
	if s.Watch != nil {
		ctx = interp.Watched(ctx, s.Watch)
	}
	if s.Debug != nil {
		ctx = interp.Inspected(ctx, s.inspector())
	}
	if beside := e.beside.Swap(nil); beside != nil {
		defer beside.End()
	}
	v, d := e.code.RunKeeping(ctx, e.unit.limits(s.Limits), s.Constants)
	if d != nil {
		return Result{}, d
	}
	if _, isFunction := v.(value.Func); isFunction {
		v = value.Func{Type: e.written} // as inferred, before it was made concrete
	}
	return Result{Value: v, Type: e.written, Of: e.of}, nil
}

// resultType returns the type of what a unit evaluates to.
func resultType(u *Unit) types.Type {
	if u.AST.Final != nil {
		return u.Info.Types[u.AST.Final.Num()]
	}
	return u.Info.Interface.Value("main").Scheme.Type
}

// typeOf prints the type of what a unit evaluates to.
func typeOf(u *Unit) string {
	printer := types.Printer{Sizes: true}
	if u.AST.Final != nil {
		return printer.Type(resultType(u))
	}
	return printer.Scheme(u.Info.Interface.Value("main").Scheme)
}

// Prepare links a unit with all that it reaches and makes the result fit for
// an evaluator: one type for each definition, inlined and simplified.
func Prepare(ctx context.Context, u *Unit, verify bool) (*core.Program, *diag.Diagnostic) {
	program, d := Link(u)
	if d != nil {
		return nil, d
	}
	return opt.Prepare(program, opt.Options{Verify: verify, Watch: stop.Of(ctx)})
}

// PrepareRoots is Prepare for definitions of a unit, which are kept, and for what it evaluates to
// if that is anything.
func PrepareRoots(ctx context.Context, u *Unit, roots ...string) (*core.Program, *diag.Diagnostic) {
	program := Gather(u)
	if entry, d := entryOf(u); d == nil {
		program = withEntry(u, program, entry)
	} else if len(roots) == 0 {
		return nil, d
	}
	return opt.Prepare(program, opt.Options{Roots: roots, Watch: stop.Of(ctx)})
}

// Link gathers the definitions of a unit and of all that it imports. Its Main
// is the unit's final expression, or else its `main`.
func Link(u *Unit) (*core.Program, *diag.Diagnostic) {
	linked := Gather(u)
	entry, d := entryOf(u)
	if d != nil {
		return nil, d
	}
	return withEntry(u, linked, entry), nil
}

// withEntry adds the Main that stands for a definition.
func withEntry(u *Unit, linked *core.Program, entry *core.Def) *core.Program {
	if entry == u.Core.Main {
		linked.Defs = append(linked.Defs, entry)
	}
	linked.Main = use(entry, u.Info.Name+".$run")
	return linked
}

// Gather returns the definitions of a unit and of all that it imports; of the library those that
// they reach.
func Gather(u *Unit) *core.Program {
	units := u.withImports()
	reached := map[*libraryDefinition]bool{}
	for _, u := range units {
		reach(libraryUses(u.Core), reached)
	}
	linked := &core.Program{}
	for _, u := range units {
		linked.Datas = append(linked.Datas, u.Core.Datas...)
		linked.Defs = append(linked.Defs, u.Core.Defs...)
		if u.library != nil && u == u.library.unit {
			for _, d := range u.library.definitions {
				if reached[d] {
					linked.Defs = append(linked.Defs, d.core...)
				}
			}
		}
	}
	return linked
}

// withImports lists a unit after all that it imports.
func (u *Unit) withImports() []*Unit {
	var units []*Unit
	seen := map[*Unit]bool{}
	var visit func(*Unit)
	visit = func(u *Unit) {
		if seen[u] {
			return
		}
		seen[u] = true
		for _, imported := range u.Imports {
			visit(imported)
		}
		units = append(units, u)
	}
	visit(u)
	return units
}

// entryOf finds what a unit evaluates to.
func entryOf(u *Unit) (*core.Def, *diag.Diagnostic) {
	if u.Core.Main != nil {
		return u.Core.Main, nil
	}
	for _, def := range u.Core.Defs {
		if def.Name == u.Info.Name+".main" {
			return def, nil
		}
	}
	end := int32(len(u.File.Text))
	d := diag.Errorf(diag.NothingToRun, diag.Span{File: u.File, Start: end, End: end}, "`%s` has nothing to run", u.File.Name)
	return nil, d.WithHint("end the file with an expression, or define `let main = …`")
}

// use makes a definition that stands for another one. What the type of that
// one leaves open cannot matter to a result, and is what its classes suggest.
func use(def *core.Def, name string) *core.Def {
	inst := make([]types.Type, len(def.Params))
	for i, param := range def.Params {
		inst[i] = check.DefaultOf(param.Classes)
	}
	ty := types.Subst(def.Type, def.Params, inst)
	body := &core.Block{Result: &core.Global{Name: def.Name, Inst: inst, Ty: ty}}
	return &core.Def{Name: name, Type: ty, Body: body, At: def.At}
}
