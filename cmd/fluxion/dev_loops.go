package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/engine/jit"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

// loopsShower shows the loop form of definitions. Each text that it shows goes to section.
type loopsShower struct {
	// core says whether to show a definition's core too.
	core bool
	// after is called after each stage, unless nil.
	after func(d *devDefinition, f *loop.Func, stage string)
	// show shows a function at the end.
	show func(d *devDefinition, low *lower.Lowered) error
}

// devDefinition says whether a definition is compiled, and holds the texts that were shown of it.
type devDefinition struct {
	Name     string       `json:"name"`
	Compiled bool         `json:"compiled"`
	Loops    bool         `json:"loops"`         // whether the compiled code has loops
	Why      string       `json:"why,omitempty"` // why the definition is not compiled
	Sections []devSection `json:"sections,omitempty"`

	json bool
	out  io.Writer
}

// devSection is the text of a definition after one stage.
type devSection struct {
	Stage string `json:"stage"`
	Text  string `json:"text"`
}

// section keeps the text of a stage for JSON. Without --json it prints it at once, so that the
// stages before a failing one are seen.
func (d *devDefinition) section(stage, text string) {
	if d.json {
		d.Sections = append(d.Sections, devSection{stage, text})
		return
	}
	fmt.Fprintf(d.out, "-- %s\n%s", stage, text)
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
	definitions := []*devDefinition{}
	program.EachDef(func(def *core.Def) {
		if fn != "" && def.Name != fn {
			return
		}
		d := &devDefinition{Name: def.Name, json: c.json, out: c.out}
		definitions = append(definitions, d)
		if fn != "" && how.core {
			d.section("core", core.Print(&core.Program{Defs: []*core.Def{def}}))
		}
		if fn != "" && how.after != nil {
			source.After = func(stage string, f *loop.Func) { how.after(d, f, stage) }
		}
		lowered := source.Definition
		if derive {
			lowered = source.Gradient
		}
		low, err := lowered(def)
		if err == nil {
			d.Compiled, d.Loops = true, low.Loops
			if fn != "" {
				err = how.show(d, low)
			}
		}
		if err != nil {
			d.Compiled, d.Loops, d.Why = false, false, err.Error()
		}
		if !c.json {
			d.conclude(fn == "")
		}
	})
	if len(definitions) == 0 {
		return c.fail(diag.Errorf(diag.UnknownName, diag.Span{}, "%s has no definition %s",
			path, fn))
	}
	if c.json {
		c.printJSON(map[string]any{"definitions": definitions})
	}
	return exitOK
}

// conclude prints why a definition is not compiled or, in a list, that it is.
func (d *devDefinition) conclude(list bool) {
	switch {
	case !d.Compiled:
		fmt.Fprintf(d.out, "%s: %s\n", d.Name, d.Why)
	case list && d.Loops:
		fmt.Fprintf(d.out, "%s: compiled, with loops\n", d.Name)
	case list:
		fmt.Fprintf(d.out, "%s: compiled, without loops\n", d.Name)
	}
}

// loopForm shows a function as it was lowered, and as targets receive it.
func loopForm() loopsShower {
	return loopsShower{show: func(d *devDefinition, low *lower.Lowered) error {
		d.section("lowered", loop.Print(low.Program()))
		low.Optimize()
		d.section("optimised", loop.Print(low.Program()))
		return nil
	}}
}

// stages shows functions after each stage that changes them.
func stages() loopsShower {
	before := map[string]string{}
	after := func(d *devDefinition, f *loop.Func, stage string) {
		text := loop.Print(&loop.Program{Funcs: []*loop.Func{f}})
		if text != before[f.Name] {
			d.section(stage, text)
			before[f.Name] = text
		}
	}
	return loopsShower{core: true, after: after,
		show: func(_ *devDefinition, low *lower.Lowered) error {
			low.Optimize()
			return nil
		}}
}

// assembly shows the machine code of a function for an architecture, beside its loop form.
func assembly(arch string) loopsShower {
	return loopsShower{show: func(d *devDefinition, low *lower.Lowered) error {
		low.Optimize()
		code, err := jit.Compile(low.Program(), jit.Options{Listing: true, Arch: arch})
		if err != nil {
			return err
		}
		d.section("machine code", code.Listing())
		return nil
	}}
}
