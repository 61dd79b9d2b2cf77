package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/bench/gradbench"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

func gradbenchCommand() *command {
	var budget budgetFlags
	return &command{
		name:    "gradbench",
		summary: "be a tool of GradBench, the benchmark of automatic differentiation",
		help: `Answers the messages of GradBench (github.com/gradbench/gradbench) on standard input
and output until the input ends. A message is a line of JSON. The programs are part of this
command:

  ` + strings.Join(gradbench.Evals(), ", ") + `

A program is compiled when the benchmark asks for its definition. Only its calls are timed.

Examples:
  gradbench run --eval 'gradbench eval gmm' --tool 'fluxion gradbench'
  echo '{"id": 0, "kind": "evaluate", "module": "hello", "function": "double", "input": 3}' |
    fluxion gradbench`,
		flags: func(flags *flag.FlagSet) {
			budget.registerLimits(flags)
			budget.registerEngine(flags)
			budget.oneThread(flags)
		},
		run: func(ctx context.Context, c *call) int {
			if len(c.args) > 0 {
				return c.usage(errors.New("the messages are read from standard input"))
			}
			ctx, stop := driver.Interruptible(ctx)
			defer stop()
			server := gradbench.Server{Settings: budget.settings()}
			if err := server.Serve(ctx, c.in, c.out); err != nil {
				fmt.Fprintln(c.err, "fluxion gradbench:", err)
				return exitFailed
			}
			return exitOK
		},
	}
}
