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

// Settings says how a program is run.
type Settings struct {
	Limits interp.Limits
	Verify bool // whether to check the core after every pass

	// Timeout bounds the time of a command, a request or a call: see Within.
	Timeout time.Duration

	// Alone says that nothing but the run allocates memory in this process.
	Alone bool

	// Compile holds options for compiling, such as how derivatives treat ties and infinities.
	Compile interp.Options

	// Engine names one of Engines, which runs compiled parts of the program. "" means the
	// interpreter alone.
	Engine string

	// WhenReached makes Functions compile each definition when a call first reaches it. Otherwise
	// all are compiled before the first call, on several cores.
	WhenReached bool

	// Flush lets machine code replace subnormal results of arithmetic by zero, as benchmarks do.
	Flush bool

	// Deterministic makes all engines agree to the last bit, for any number of threads.
	Deterministic bool

	// Constants, if not nil, keeps the values of constants from one run on doubles to the next,
	// for a session.
	Constants *interp.Constants

	// Watch, if not nil, receives the texts of `progress` while the program runs.
	Watch func(text string)

	// Debug, if not nil, receives each line that `debug` shows: a place, a label and a value.
	Debug func(line string)
}

// Within returns the context of a command, a request or a call that begins now, with its limits
// of time and memory. The code that begins one calls Within, once. The functions of this package
// obey the deadline of the context that they are given.
func (s Settings) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	return stop.Within(stop.Holding(ctx, s.Limits.Memory, s.Alone), s.Timeout)
}

// inspector returns a function that formats what `debug` shows as a line.
func (s Settings) inspector() func(at diag.Span, label string, v value.Value) {
	return func(at diag.Span, label string, v value.Value) {
		s.Debug(fmt.Sprintf("%s: %s = %s", at, label, value.ShowAtMost(v, maxInspected)))
	}
}

// maxInspected bounds the elements of a value that `debug` shows.
const maxInspected = 100

// Result is what a program evaluates to.
type Result struct {
	Value value.Value
	Type  string // its type as a program would write it
	Of    types.Type

	Warnings []*diag.Diagnostic // warnings about what an exact run does not promise
}

// Interruptible returns a context that Ctrl-C cancels, so that a run can end with a report. A
// second Ctrl-C kills the process, in case the report does not come.
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

// Evaluation is the result expression of a unit, compiled once for doubles. It may run any number
// of times, in several goroutines at once.
type Evaluation struct {
	unit    *Unit
	code    *interp.Code
	of      types.Type
	written string // its type as a program writes it

	beside atomic.Pointer[machine.Beside] // what is compiled beside the first run; a run ends it
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
	options := s.Options()
	e := &Evaluation{unit: u, of: resultType(u), written: typeOf(u)}
	beside := machine.NewBeside(ctx)
	defer func() {
		if e.code == nil { // nor will a run end it
			beside.End()
		}
	}()
	options.Kept, options.Stacks, options.Beside = s.Constants, u.stacks, beside
	code, d := interp.CompileWith(program, options)
	if d != nil {
		return nil, d
	}
	e.code = code
	e.beside.Store(beside)
	return e, nil
}

// Run evaluates the expression with the settings that it was compiled with, except for the
// limits.
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
		v = value.Func{Type: e.written} // the inferred type, before type variables were replaced
	}
	return Result{Value: v, Type: e.written, Of: e.of}, nil
}

// resultType returns the type of a unit's result.
func resultType(u *Unit) types.Type {
	if u.AST.Final != nil {
		return u.Info.Types[u.AST.Final.Num()]
	}
	return u.Info.Interface.Value("main").Scheme.Type
}

// typeOf prints the type of a unit's result.
func typeOf(u *Unit) string {
	printer := types.Printer{Sizes: true}
	if u.AST.Final != nil {
		return printer.Type(resultType(u))
	}
	return printer.Scheme(u.Info.Interface.Value("main").Scheme)
}

// Prepare links a unit with all that it reaches, and makes the program ready for an evaluator:
// monomorphic, inlined and simplified.
func Prepare(ctx context.Context, u *Unit, verify bool) (*core.Program, *diag.Diagnostic) {
	program, d := Link(u)
	if d != nil {
		return nil, d
	}
	return opt.Prepare(program, opt.Options{Verify: verify, Watch: stop.Of(ctx)})
}

// PrepareRoots prepares definitions of a unit, which are kept, and the unit's result if it has
// one.
func PrepareRoots(ctx context.Context, u *Unit, roots ...string) (*core.Program, *diag.Diagnostic) {
	program := Gather(u)
	if entry, d := entryOf(u); d == nil {
		program = withEntry(u, program, entry)
	} else if len(roots) == 0 {
		return nil, d
	}
	return opt.Prepare(program, opt.Options{Roots: roots, Watch: stop.Of(ctx)})
}

// Link gathers the definitions of a unit and of all that it imports. The Main of the program is
// the unit's final expression, or else its `main`.
func Link(u *Unit) (*core.Program, *diag.Diagnostic) {
	linked := Gather(u)
	entry, d := entryOf(u)
	if d != nil {
		return nil, d
	}
	return withEntry(u, linked, entry), nil
}

// withEntry adds a Main that stands for a definition.
func withEntry(u *Unit, linked *core.Program, entry *core.Def) *core.Program {
	if entry == u.Core.Main {
		linked.Defs = append(linked.Defs, entry)
	}
	linked.Main = use(entry, u.Info.Name+".$run")
	return linked
}

// Gather returns the definitions of a unit and of all that it imports. Of the library it returns
// the definitions that these reach.
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

// withImports lists all that a unit imports, and then the unit.
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

// entryOf returns the definition that a unit evaluates to.
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
	d := diag.Errorf(diag.NothingToRun, diag.Span{File: u.File, Start: end, End: end},
		"`%s` has nothing to run", u.File.Name)
	return nil, d.WithHint("end the file with an expression, or define `let main = …`")
}

// use returns a definition that stands for another one. Type variables of that definition cannot
// affect a result; they are replaced by the defaults of their classes.
func use(def *core.Def, name string) *core.Def {
	inst := make([]types.Type, len(def.Params))
	for i, param := range def.Params {
		inst[i] = check.DefaultOf(param.Classes)
	}
	ty := types.Subst(def.Type, def.Params, inst)
	body := &core.Block{Result: &core.Global{Name: def.Name, Inst: inst, Ty: ty}}
	return &core.Def{Name: name, Type: ty, Body: body, At: def.At}
}
