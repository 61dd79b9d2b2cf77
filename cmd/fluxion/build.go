package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/export"
)

func buildCommand() *command {
	var budget budgetFlags
	var o export.Options
	var names, target, dir, by string
	return &command{
		name: "build",
		args: "FILE --fn NAME[,NAME…] [--grad] [--vjp] [--jvp] [--hessian] [--wrt NAMES] " +
			"[--deterministic] --target " + strings.Join(export.Targets(), "|") + " -o DIR",
		summary: "compile functions to Go, C or WebAssembly",
		help: `Writes the functions NAME of FILE, and their derivatives if flags ask for them, as
code that needs only the standard library of its language:

` + export.Files() + `
In Go, a record is a struct and an array is a slice. The comments of the program are kept.

In C and WebAssembly, a Real is a double, and an Int or a Bool is an integer. The parts of a
tuple or record are separate arguments or results, one after the other. An array is its length,
followed by a buffer for each part of its elements. The buffer of an array of arrays holds the
elements of all rows, one row after the other.

A function fails where the program would stop with an error, and where a derivative does not
exist or is not finite.

Results agree with those of ` + "`fluxion run`" + ` up to rounding. C compilers must not contract sums of
products: give gcc and clang the flag -ffp-contract=off. With -fopenmp-simd -DFX_SIMD, loops
run in vectors. In WebAssembly they do so too, except with --deterministic, which gives the
digits of the other targets.

Examples:
  fluxion build model.flx --fn loss --grad --target go -o model
  fluxion build model.flx --fn loss --grad --hessian --wrt theta --target go -o model
  fluxion build model.flx --fn loss,predict --jvp --target c -o out
  fluxion build model.flx --fn predict --target wasm -o web`,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&names, "fn", "", "compile the functions `NAMES`, separated by commas")
			flags.BoolVar(&o.Grad, "grad", false, "write the gradients too")
			flags.BoolVar(&o.VJP, "vjp", false,
				"write the products of cotangents with derivatives too")
			flags.BoolVar(&o.JVP, "jvp", false,
				"write the products of derivatives with directions too")
			flags.BoolVar(&o.Hessian, "hessian", false, "write the second derivatives too")
			flags.StringVar(&by, "wrt", "",
				"differentiate by the parameters `NAMES` alone, separated by commas; functions "+
					"that "+
					"have none of them are differentiated by all of theirs")
			flags.BoolVar(&o.Deterministic, "deterministic", false,
				"compute the same digits in every language")
			flags.StringVar(&target, "target", "",
				"write the language `NAME`: "+strings.Join(export.Targets(), ", "))
			budget.registerTimeout(flags)
			budget.registerMemory(flags)
			flags.StringVar(&dir, "o", "", "write the files to the folder `DIR`")
		},
		run: func(ctx context.Context, c *call) int {
			switch {
			case len(c.args) != 1 || names == "":
				return c.usage(errors.New("give a file and the names of functions with --fn"))
			case target == "":
				return c.usage(fmt.Errorf("say with --target in which language: %s",
					strings.Join(export.Targets(), ", ")))
			case !slices.Contains(export.Targets(), target):
				return c.usage(fmt.Errorf("there is no target `%s`; there are %s", target,
					strings.Join(export.Targets(), ", ")))
			case dir == "":
				return c.usage(errors.New("say with -o where to write"))
			}
			o.Functions = strings.Split(names, ",")
			if by != "" {
				o.By = strings.Split(by, ",")
			}
			ctx, stop := budget.within(ctx)
			defer stop()
			return c.build(ctx, o, target, dir, int64(budget.memory))
		},
	}
}

// build writes the functions of a file to a folder.
func (c *call) build(ctx context.Context, o export.Options, target, dir string, memory int64) int {
	var list diag.List
	w := world().Until(ctx)
	w.Data.Memory = memory
	unit := w.LoadFile(c.args[0], &list)
	if unit == nil || list.Failed() {
		return c.report(&list)
	}
	o.Typed = export.Typed(target)
	module := export.Functions(ctx, w, unit, o, &list)
	if module == nil {
		return c.report(&list)
	}
	files, err := module.Print(target)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err == nil {
			err = replaceFile(path, func(w io.Writer) error {
				_, err := w.Write(f.Text)
				return err
			})
		}
		if err == nil {
			fmt.Fprintln(c.out, path)
		}
	}
	if d := (*diag.Diagnostic)(nil); errors.As(err, &d) {
		return c.fail(d)
	}
	if err != nil {
		return c.fail(diag.Errorf(diag.CannotWrite, diag.Span{}, "%v", err))
	}
	return exitOK
}
