package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

func fmtCommand() *command {
	var f formatter
	return &command{
		name:    "fmt",
		args:    "[-w] [-d] [-l] [--ascii | --unicode] FILE…",
		summary: "lay out source files in the one canonical way",
		help: `Prints each FILE (- for standard input) in the canonical layout. Comments stay where
they belong. Formatting a formatted file changes nothing. A file with a syntax error is left
alone.

Examples:
  fluxion fmt program.flx
  fluxion fmt -w examples/*.flx
  fluxion fmt -d --unicode program.flx`,
		flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&f.write, "w", false, "write the result back to each FILE")
			flags.BoolVar(&f.diff, "d", false,
				"print what would change, and exit with 1 if anything would")
			flags.BoolVar(&f.list, "l", false, "print the names of files that would change")
			flags.BoolVar(&f.ascii, "ascii", false, "spell fun, =>, ->, Real and so on in ASCII")
			flags.BoolVar(&f.unicode, "unicode", false,
				"spell fun, =>, ->, Real and so on as λ, ⇒, →, ℝ")
		},
		run: func(_ context.Context, c *call) int {
			switch {
			case len(c.args) == 0:
				return c.usage(errors.New("give at least one file, or - for standard input"))
			case f.ascii && f.unicode:
				return c.usage(errors.New("choose one of --ascii and --unicode"))
			}
			var list diag.List
			changed := []string{}
			for _, path := range c.args {
				if f.format(c, path, &list) {
					changed = append(changed, path)
				}
			}
			if c.json {
				c.printJSON(map[string]any{"changed": changed,
					"diagnostics": nonNil(list.Sorted())})
			} else {
				c.report(&list)
			}
			if list.Failed() || f.diff && len(changed) > 0 {
				return exitFailed
			}
			return exitOK
		},
	}
}

// formatter holds the flags of `fluxion fmt`.
type formatter struct{ write, diff, list, ascii, unicode bool }

// format lays out one file and reports whether its text changed.
func (f *formatter) format(c *call, path string, list *diag.List) bool {
	text, err := driver.ReadSource(path)
	if err != nil {
		list.Add(driver.CannotRead(diag.Span{}, path, err))
		return false
	}
	var own diag.List
	module := syntax.Parse(diag.NewFile(path, text), &own)
	if own.Failed() {
		list.Append(&own)
		return false
	}
	laidOut := syntax.Format(module, syntax.FormatOptions{ASCII: f.ascii, Unicode: f.unicode})
	changed := laidOut != text
	if changed && f.list && !c.json {
		fmt.Fprintln(c.out, path)
	}
	if changed && f.diff && !c.json {
		c.out.Write(diff.Diff(path, []byte(text), path+" (formatted)", []byte(laidOut)))
	}
	if changed && f.write && path != "-" {
		err := replaceFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, laidOut)
			return err
		})
		if err != nil {
			list.Add(diag.Errorf(diag.CannotRead, diag.Span{}, "cannot write `%s`: %v", path, err))
		}
	}
	if !f.write && !f.diff && !f.list && !c.json {
		fmt.Fprint(c.out, laidOut)
	}
	return changed
}
