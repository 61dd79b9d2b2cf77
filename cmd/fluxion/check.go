package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

func checkCommand() *command {
	return &command{
		name:    "check",
		args:    "FILE…",
		summary: "report errors and suspicious code",
		help: `Checks syntax, names, types, array sizes and patterns of each FILE and of what it
imports, and prints every error and lint found. The exit status is 1 if there is
an error; lints alone do not fail.

Examples:
  fluxion check examples/*.flx
  fluxion check --json program.flx`,
		run: func(_ context.Context, c *call) int {
			if len(c.args) == 0 {
				return c.usage(errors.New("give at least one file"))
			}
			// Nearly all that is allocated is kept until the end, so that
			// collecting it often is wasted.
			debug.SetGCPercent(400)
			var list diag.List
			w := world()
			w.OnlyCheck = true
			for _, file := range c.args {
				w.LoadFile(file, &list)
			}
			status := c.report(&list)
			if !c.json && status == exitFailed {
				fmt.Fprintln(c.err, count(list.Errors(), "error"))
			}
			return status
		},
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
