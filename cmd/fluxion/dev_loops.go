package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/engine/jit"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

// loopsShower shows the loop form of definitions.
type loopsShower struct {
	core  bool                             // whether to show a definition's core too
	after func(stage string, f *loop.Func) // called after each stage, or nil
	show  func(*lower.Lowered) error       // shows a function at the end
}

// showLoops shows the loop form of a definition, or lists which definitions have one.
func (c *call) showLoops(path, fn string, derive bool, how loopsShower) int {
	var list diag.List
	unit := world().LoadFile(path, &list)
	if unit == nil || list.Failed() {
		return c.report(&list)
	}
	var roots []string
	if fn != "" {
		fn = unit.Info.Name + "." + strings.TrimPrefix(fn, unit.Info.Name+".")
	}
	var general *core.Def
	unit.Core.EachDef(func(d *core.Def) {
		switch {
		case fn != "" && d.Name != fn || d == unit.Core.Main:
		case len(d.Params) > 0:
			general = d
		default:
			roots = append(roots, d.Name)
		}
	})
	switch {
	case fn == "" || len(roots) > 0:
	case general == nil:
		return c.fail(diag.Errorf(diag.UnknownName, diag.Span{}, "%s has no definition %s",
			path, fn))
	default:
		return c.fail(diag.Errorf(diag.CannotCompile, general.At,
			"`%s` works for many types, and is compiled where it is used with one of them", fn).
			WithHint("annotate its parameters with types, or look at a definition that uses it"))
	}
	program, d := driver.PrepareRoots(context.Background(), unit, roots...)
	if d != nil {
		return c.fail(d)
	}
	source := lower.NewSource(program)
	source.Data = true
	if fn != "" {
		source.After = how.after
	}
	shown := false
	program.EachDef(func(def *core.Def) {
		if fn != "" && def.Name != fn {
			return
		}
		shown = true
		if fn != "" && how.core {
			fmt.Fprintf(c.out, "-- core\n%s", core.Print(&core.Program{Defs: []*core.Def{def}}))
		}
		lowered := source.Definition
		if derive {
			lowered = source.Gradient
		}
		low, err := lowered(def)
		switch {
		case err != nil:
			fmt.Fprintf(c.out, "%s: %v\n", def.Name, err)
		case fn == "":
			loops := "without loops"
			if low.Loops {
				loops = "with loops"
			}
			fmt.Fprintf(c.out, "%s: compiled, %s\n", def.Name, loops)
		default:
			if err := how.show(low); err != nil {
				fmt.Fprintf(c.out, "%s: %v\n", def.Name, err)
			}
		}
	})
	if !shown {
		return c.fail(diag.Errorf(diag.UnknownName, diag.Span{}, "%s has no definition %s",
			path, fn))
	}
	return exitOK
}

// showResult prints a function as it was lowered, and as targets receive it.
func (c *call) showResult(low *lower.Lowered) error {
	fmt.Fprintf(c.out, "-- lowered\n%s", loop.Print(low.Program()))
	low.Optimize()
	fmt.Fprintf(c.out, "-- optimised\n%s", loop.Print(low.Program()))
	return nil
}

// stages prints functions after each stage that changes them.
func (c *call) stages() loopsShower {
	before := map[string]string{}
	after := func(stage string, f *loop.Func) {
		text := loop.Print(&loop.Program{Funcs: []*loop.Func{f}})
		if text != before[f.Name] {
			fmt.Fprintf(c.out, "-- %s\n%s", stage, text)
			before[f.Name] = text
		}
	}
	return loopsShower{core: true, after: after, show: func(low *lower.Lowered) error {
		low.Optimize()
		return nil
	}}
}

// showAssembly returns a function that prints the machine code of a function for an architecture,
// beside its loop form.
func (c *call) showAssembly(arch string) func(low *lower.Lowered) error {
	return func(low *lower.Lowered) error {
		low.Optimize()
		code, err := jit.Compile(low.Program(), jit.Options{Listing: true, Arch: arch})
		if err != nil {
			return err
		}
		fmt.Fprint(c.out, code.Listing())
		return nil
	}
}
