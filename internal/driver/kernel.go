package driver

import (
	"context"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Kernel is a definition of a unit as a host calls it: all of it compiled to loop form where that
// covers it, and by the interpreter otherwise and where the compiled code gives up. It may be used by
// several goroutines at once.
type Kernel struct {
	Type   types.Type
	Limits interp.Limits

	// Loops is the compiled code, or nil. Its arguments are those of the definition, in the order of
	// lower.Shape, and then Constants.
	Loops     loop.Code
	Constants []loop.Arg

	// Code is the program for the interpreter, and Name is what it calls the definition.
	Code *interp.Code
	Name string
}

// Kernel compiles a definition that is not polymorphic. Constants that it uses are evaluated.
func (u *Unit) Kernel(ctx context.Context, s Settings, name string) (*Kernel, *diag.Diagnostic) {
	def, d := u.definition(name)
	if d != nil {
		return nil, d
	}
	program, d := opt.Prepare(gather(u), opt.Options{Roots: []string{def.Name}, Verify: s.Verify})
	if d != nil {
		return nil, d
	}
	code, d := interp.CompileWith(program, s.compile())
	if d != nil {
		return nil, d
	}
	k := &Kernel{Type: def.Type, Limits: u.limits(s.Limits), Code: code, Name: def.Name}
	return k, k.lower(ctx, program, s)
}

// lower compiles the definition as a whole. What is not covered is left to the interpreter; so is
// what needs a constant that fails, for the failure to be reported by the call.
func (k *Kernel) lower(ctx context.Context, program *core.Program, s Settings) *diag.Diagnostic {
	engine := s.compile().Engine
	if engine == nil || !slices.Contains(Engines(), s.Engine) {
		return nil
	}
	var def *core.Def
	program.EachDef(func(d *core.Def) {
		if d.Name == k.Name {
			def = d
		}
	})
	low, err := lower.NewSource(program).Definition(def)
	if err != nil {
		return nil
	}
	m := k.Code.NewMachine()
	defer m.Release()
	for _, c := range low.Constants {
		v, d := m.Apply(ctx, k.Limits, c.Name)
		if d != nil && (d.Code == diag.Interrupted || d.Code == diag.TimeLimit) {
			return d
		}
		args, ok := v.Args()
		if d != nil || !ok {
			return nil
		}
		k.Constants = append(k.Constants, args...)
	}
	low.Optimize()
	if k.Loops, err = engine(low.Program()); err != nil {
		k.Loops = nil
	}
	return nil
}

// ApplyExact applies a definition that is not polymorphic to arguments, over the reals: see RunExact.
func (u *Unit) ApplyExact(ctx context.Context, s Settings, e Exactly, name string, args ...value.Value) (value.Value, *diag.Diagnostic) {
	def, d := u.definition(name)
	if d != nil {
		return nil, d
	}
	linked := gather(u)
	var b core.Builder
	params, result := types.Splay(def.Type, len(args))
	atoms := make([]core.Atom, len(args))
	for i, arg := range args {
		atoms[i] = papers.Embed(&b, arg, params[i])
	}
	value := core.Atom(def.Use())
	if len(args) > 0 {
		value = b.Let("result", result, &core.Apply{Fun: def.Use(), Args: atoms}, def.At)
	}
	linked.Main = &core.Def{Name: u.Info.Name + ".$run", Type: result, Body: b.Block(value), At: def.At}
	return runExact(ctx, u, linked, s, e)
}
