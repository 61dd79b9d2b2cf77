package driver

import (
	"context"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/data"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Functions holds definitions of a unit that are linked and compiled once and can be called any
// number of times. It serves one goroutine at a time.
type Functions struct {
	unit    *Unit
	machine *interp.Machine
	limits  interp.Limits
	defs    map[string]*core.Def // monomorphic, by their names in the unit
}

// Functions prepares definitions of a unit. Type variables in their types are replaced by the
// defaults of their classes.
func (u *Unit) Functions(ctx context.Context, s Settings, names ...string) (
	*Functions, *diag.Diagnostic) {
	program := Gather(u)
	defs := map[string]*core.Def{}
	var roots []string
	for _, name := range names {
		def, d := u.definition(name)
		if d != nil {
			return nil, d
		}
		if len(def.Params) > 0 {
			def = use(def, def.Name+".$call")
			program.Defs = append(program.Defs, def)
		}
		defs[name] = def
		roots = append(roots, def.Name)
	}
	prepared, d := opt.Prepare(program, opt.Options{Roots: roots, Verify: s.Verify,
		Watch: stop.Of(ctx)})
	if d != nil {
		return nil, d
	}
	return u.compiled(ctx, prepared, defs, s)
}

// Instances prepares definitions, like Functions, at the types at which the unit's final
// expression uses them. user, if not "", names one more definition whose uses count.
func (u *Unit) Instances(ctx context.Context, s Settings, user string, names ...string) (
	made *Functions, d *diag.Diagnostic) {
	defer stop.Catch(&d)
	program, d := Link(u)
	if d != nil {
		return nil, d
	}
	program.Main = u.Core.Main
	options := opt.Options{Verify: s.Verify, Watch: stop.Of(ctx)}
	if _, d := u.definition(user); d == nil {
		options.Roots = []string{u.Info.Name + "." + user}
	}
	mono, d := opt.Mono(program, options)
	if d != nil {
		return nil, d
	}
	options.Roots = nil
	defs := map[string]*core.Def{}
	for _, name := range names {
		full := u.Info.Name + "." + name
		for _, def := range mono.Defs {
			if def.Name == full || strings.HasPrefix(def.Name, full+"<") {
				defs[name] = def
				options.Roots = append(options.Roots, def.Name)
			}
		}
	}
	mono.Main = nil
	return u.compiled(ctx, opt.Simplify(mono, options), defs, s)
}

// compiled compiles definitions of a prepared program.
func (u *Unit) compiled(ctx context.Context, p *core.Program, defs map[string]*core.Def,
	s Settings) (*Functions, *diag.Diagnostic) {
	code, d := interp.CompileWith(p, s.Options())
	if d != nil {
		return nil, d
	}
	var names []string
	for _, def := range defs {
		names = append(names, def.Name)
	}
	begin := interp.Warm
	if s.WhenReached {
		begin = interp.Expect
	}
	if d := begin(ctx, code, names...); d != nil {
		return nil, d
	}
	return &Functions{unit: u, machine: code.NewMachine(), limits: u.limits(s.Limits), defs: defs},
		nil
}

// Exercise runs a unit's result, or compiles all of its definitions if it has none.
func (u *Unit) Exercise(ctx context.Context, s Settings) *diag.Diagnostic {
	if _, d := entryOf(u); d == nil {
		_, d := Run(ctx, u, s)
		return d
	}
	var names []string
	for _, name := range u.Info.Interface.Order {
		if _, d := u.definition(name); d == nil {
			names = append(names, name)
		}
	}
	_, d := u.Functions(ctx, s, names...)
	return d
}

// definition finds a definition of the unit by its name.
func (u *Unit) definition(name string) (*core.Def, *diag.Diagnostic) {
	for _, def := range u.Core.Defs {
		if def.Name == u.Info.Name+"."+name {
			return def, nil
		}
	}
	return nil, u.Undefined(name)
}

// Undefined returns the diagnostic for a name that the unit does not define.
func (u *Unit) Undefined(name string) *diag.Diagnostic {
	defined := u.Info.Interface.Order
	d := diag.Errorf(diag.UnknownName, diag.Span{}, "`%s` defines no `%s`", u.File.Name, name)
	if near := suggest.Nearest(name, defined); near != "" {
		d.WithHint("did you mean `%s`?", near)
	}
	return d.WithHint("it defines %s", strings.Join(defined, ", "))
}

// Defines reports whether the unit has a definition of that name.
func (u *Unit) Defines(name string) bool { return u.Info.Interface.Value(name) != nil }

// Lacks returns a diagnostic if a definition is not among those that were prepared.
func (fs *Functions) Lacks(name string) *diag.Diagnostic {
	if fs.defs[name] != nil {
		return nil
	}
	return fs.unit.Undefined(name)
}

// Type returns the type of a definition.
func (fs *Functions) Type(name string) types.Type { return fs.defs[name].Type }

// Read decodes data as an argument of a function, by the type of its parameter.
func (fs *Functions) Read(name string, input data.Input, opts data.Options) (interp.Operand,
	*diag.Diagnostic) {
	def := fs.defs[name]
	params, _ := types.Splay(def.Type, 1)
	if len(params) == 0 {
		return interp.Operand{}, diag.Errorf(diag.NotAFunction, def.At, "`%s` is not a function",
			name)
	}
	v, _, d := data.Read(input, params[0], opts)
	if d != nil {
		return interp.Operand{}, d
	}
	o, err := fs.machine.Operand(params[0], v)
	if err != nil {
		return interp.Operand{}, diag.Errorf(diag.Mismatch, def.At, "the argument of `%s`: %v",
			name, err)
	}
	return o, nil
}

// Apply calls a function. Without arguments it returns the value of a definition.
func (fs *Functions) Apply(ctx context.Context, name string, args ...interp.Operand) (
	interp.Operand, *diag.Diagnostic) {
	return fs.machine.Apply(ctx, fs.limits, fs.defs[name].Name, args...)
}

// ApplyAgain does the same as Apply. The new result may reuse the memory of old, an earlier
// result that the caller no longer needs.
func (fs *Functions) ApplyAgain(ctx context.Context, old interp.Operand, name string,
	args ...interp.Operand) (interp.Operand, *diag.Diagnostic) {
	return fs.machine.ApplyAgain(ctx, fs.limits, old, fs.defs[name].Name, args...)
}

// Call calls a function on values.
func (fs *Functions) Call(ctx context.Context, name string, args ...value.Value) (
	value.Value, *diag.Diagnostic) {
	return fs.machine.Call(ctx, fs.limits, fs.defs[name].Name, args...)
}

// Value returns an argument or result as a value.
func (fs *Functions) Value(o interp.Operand) (value.Value, *diag.Diagnostic) {
	return fs.machine.Value(o)
}

// Stats returns the statistics of the last call.
func (fs *Functions) Stats() interp.Stats { return fs.machine.Stats() }
