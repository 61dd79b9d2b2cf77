package main

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/jit"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

// showLoops shows the loop form of a definition, or tells which definitions have one.
func (c *call) showLoops(path, fn string, derive bool, show func(*lower.Lowered) error) int {
	var list diag.List
	unit := world().LoadFile(path, &list)
	if unit == nil || list.Failed() {
		return c.report(&list)
	}
	var roots []string
	if fn != "" {
		fn = unit.Info.Name + "." + strings.TrimPrefix(fn, unit.Info.Name+".")
		var def *core.Def
		unit.Core.EachDef(func(d *core.Def) {
			if d.Name == fn {
				def = d
			}
		})
		switch {
		case def == nil:
			return c.fail(diag.Errorf(diag.UnknownName, diag.Span{}, "%s has no definition %s", path, fn))
		case len(def.Params) > 0:
			return c.fail(diag.Errorf(diag.CannotCompile, def.At, "`%s` works for many types, and is compiled where it is used with one of them", fn).
				WithHint("annotate its parameters with types, or look at a definition that uses it"))
		}
		roots = append(roots, fn)
	}
	program, d := driver.PrepareRoots(unit, roots...)
	if d != nil {
		return c.fail(d)
	}
	source := lower.NewSource(program)
	shown := false
	program.EachDef(func(def *core.Def) {
		if fn != "" && def.Name != fn {
			return
		}
		shown = true
		low, err := source.Definition(def)
		if err == nil && derive {
			low, err = source.Gradient(def)
		}
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
			if err := show(low); err != nil {
				fmt.Fprintf(c.out, "%s: %v\n", def.Name, err)
			}
		}
	})
	if !shown {
		return c.fail(diag.Errorf(diag.UnknownName, diag.Span{}, "%s has no definition %s", path, fn))
	}
	return exitOK
}

// showStages prints a function after each pass.
func (c *call) showStages(low *lower.Lowered) error {
	fmt.Fprintf(c.out, "-- lowered\n%s", loop.Print(low.Program()))
	low.Optimize()
	fmt.Fprintf(c.out, "-- optimised\n%s", loop.Print(low.Program()))
	return nil
}

// showAssembly prints the machine code of a function for an architecture beside its loop form.
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
