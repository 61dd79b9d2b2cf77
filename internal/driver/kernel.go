package driver

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Kernel is a definition of a unit, ready to be called by a host. If the loop form covers all of
// it, it is compiled as a whole. Otherwise, and when the compiled code gives up, the interpreter
// runs it. It is safe for concurrent use.
type Kernel struct {
	Limits interp.Limits

	// Loops is the compiled code, or nil. It takes the arguments of the definition, in the order
	// of lower.Shape, followed by Constants.
	Loops     loop.Code
	constants []*core.Def
	evaluated atomic.Pointer[constantArgs]
	// rules that Loops uses and that must be compared with the derivatives of their functions
	rules    []core.Rule
	compared atomic.Bool // whether all rules have been compared
	ruled    sync.Mutex
	uses     loop.Schedule // counts calls of Loops if there are rules; guarded by ruled
	params   []*loop.Var   // the parameters of Loops

	// Code is the program for the interpreter, in which the definition has the name Name.
	Code *interp.Code
	Name string
}

// constantArgs holds the constants that compiled code uses.
type constantArgs struct {
	args []loop.Arg
	err  error // why there are none: how a constant fails, or errNoConstant
}

// errNoConstant says that the loop form does not have the type of a constant.
var errNoConstant = errors.New("a constant of a type that is not compiled")

// Kernel compiles a monomorphic definition.
func (u *Unit) Kernel(ctx context.Context, s Settings, name string) (*Kernel, *diag.Diagnostic) {
	def, d := u.definition(name)
	if d != nil {
		return nil, d
	}
	linked := Gather(u)
	program, d := opt.Prepare(linked, opt.Options{Roots: []string{def.Name}, Verify: s.Verify,
		Watch: stop.Of(ctx)})
	if d != nil {
		return nil, d
	}
	if u.hosted {
		program.EachDef(func(prepared *core.Def) {
			if prepared.Name == def.Name && d == nil {
				d = lacking(program, prepared)
			}
		})
		if d != nil {
			return nil, d
		}
	}
	code, d := interp.CompileWith(program, s.Options())
	if d != nil {
		return nil, d
	}
	k := &Kernel{Limits: u.limits(s.Limits), Code: code, Name: def.Name}
	if d := k.lower(ctx, program, s); d != nil {
		return nil, d
	}
	return k, nil
}

// lower compiles the definition as a whole, if the loop form covers it.
func (k *Kernel) lower(ctx context.Context, program *core.Program, s Settings) (
	d *diag.Diagnostic) {
	defer stop.Catch(&d)
	engine := s.Options().Engine
	if engine == nil {
		return nil
	}
	watch := stop.Of(ctx)
	var def *core.Def
	program.EachDef(func(d *core.Def) {
		if d.Name == k.Name {
			def = d
		}
	})
	source := lower.NewSource(program).Until(watch)
	source.IEEETies = s.Compile.IEEETies
	low, err := source.Definition(def)
	if err != nil {
		return nil
	}
	low.OptimizeUntil(watch)
	loops := low.Program()
	loops.Watch = watch
	if k.Loops, err = engine(loops); err != nil {
		k.Loops = nil
	}
	k.constants, k.params = low.Constants, low.Func.Params
	if !s.Compile.TrustRules {
		k.rules = low.Rules
	}
	return nil
}

// Compiled reports whether Loops may run. If it uses rules, it may run only after the interpreter
// has compared them all.
func (k *Kernel) Compiled() bool {
	return k.Loops != nil && (len(k.rules) == 0 || k.compared.Load())
}

// Due counts a call of Loops. It reports whether the interpreter should run the call instead, so
// that rules are compared again, because the arguments differ from those of earlier calls.
func (k *Kernel) Due(args []loop.Arg) bool {
	if len(k.rules) == 0 {
		return false
	}
	k.ruled.Lock()
	defer k.ruled.Unlock()
	return k.uses.Due(k.params, args)
}

// Interpreted records which rules a machine compared while it ran the definition.
func (k *Kernel) Interpreted(m *interp.Machine) {
	if len(k.rules) > 0 && !k.compared.Load() {
		compared := m.Compared()
		k.compared.Store(!slices.ContainsFunc(k.rules, func(r core.Rule) bool {
			return !compared[r]
		}))
	}
}

// Constants returns the last arguments of Loops, which the first call evaluates. If that fails, the
// interpreter runs the call, and finds out whether it needs the constant that fails. A failure at a
// limit is not kept: the next call may have more time and memory.
func (k *Kernel) Constants(ctx context.Context) ([]loop.Arg, error) {
	c := k.evaluated.Load()
	if c == nil {
		c = k.evaluate(ctx)
		if d := (*diag.Diagnostic)(nil); !errors.As(c.err, &d) || !d.Code.Limit() {
			k.evaluated.Store(c)
		}
	}
	return c.args, c.err
}

func (k *Kernel) evaluate(ctx context.Context) *constantArgs {
	c := &constantArgs{}
	m := k.Code.NewMachine()
	defer m.Release()
	for _, def := range k.constants {
		v, d := m.Apply(ctx, k.Limits, def.Name)
		if d != nil {
			return &constantArgs{err: d}
		}
		args, ok := v.Args()
		if !ok {
			return &constantArgs{err: errNoConstant}
		}
		c.args = append(c.args, args...)
	}
	return c
}

// ApplyExact applies a monomorphic definition to arguments, over the reals: see RunExact.
func (u *Unit) ApplyExact(ctx context.Context, s Settings, e Exactly, name string,
	args ...value.Value) (value.Value, *diag.Diagnostic) {
	def, d := u.definition(name)
	if d != nil {
		return nil, d
	}
	linked := Gather(u)
	var b core.Builder
	params, result := types.Splay(def.Type, len(args))
	atoms := make([]core.Atom, len(args))
	for i, arg := range args {
		atoms[i] = b.Embed(arg, params[i])
	}
	value := core.Atom(def.Use())
	if len(args) > 0 {
		value = b.Let("result", result, &core.Apply{Fun: def.Use(), Args: atoms}, def.At)
	}
	linked.Main = &core.Def{Name: u.Info.Name + ".$run", Type: result, Body: b.Block(value),
		At: def.At}
	return runExact(ctx, u, linked, s, e)
}
