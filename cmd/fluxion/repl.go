package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/fluxion-lang/fluxion/internal/repl"
)

func replCommand() *command {
	var budget budgetFlags
	return &command{
		name:    "repl",
		args:    "[FILE]",
		summary: "explore interactively",
		help: `Reads definitions and expressions, and answers each. With FILE, the session starts
with its definitions.

Tab completes names, fields and files. The arrow keys recall earlier inputs, also those of
earlier sessions, which are kept in the file that $FLUXION_HISTORY names or in the user's state
folder. An unfinished input continues on the next line. A pasted text is one input. The name
` + "`it`" + ` stands for the last result, and :all prints it whole if it was shortened. Ctrl-C stops an
evaluation, Ctrl-D leaves, and :help lists the commands:

  :type EXPR   :doc NAME   :browse [MODULE]   :load FILE   :reload   :time EXPR
  :eps E       :float      :explain HOW NAME [VALUE]        :plot FUNCTION FROM TO
  :all [EXPR]

If the input is not a terminal, there are no prompts. With --json, the answer to each input is
a JSON object on a line of its own.`,
		flags: budget.register,
		run: func(ctx context.Context, c *call) int {
			if len(c.args) > 1 {
				return c.usage(errors.New("give at most one file"))
			}
			session := repl.NewSession(c.out, c.err)
			session.Color = c.colored() && !c.json
			session.JSON = c.json
			session.Settings = budget.settings()
			session.Data().Folders = budget.access.folders
			session.Settings.Debug = c.debugLine
			if budget.progress || c.errTTY {
				session.Settings.Watch = func(text string) { fmt.Fprintln(c.err, plain(text)) }
			}
			if len(c.args) == 1 {
				session.Handle(ctx, ":load "+c.args[0])
			}
			var err error
			if in, ok := c.in.(*os.File); ok && c.outTTY && term.IsTerminal(int(in.Fd())) {
				fmt.Fprintln(c.out, "Fluxion. :help explains, :quit leaves.")
				err = session.Run(ctx)
			} else {
				err = session.RunPlain(ctx, c.in)
			}
			if err != nil {
				fmt.Fprintln(c.err, "fluxion repl:", err)
				return exitFailed
			}
			return exitOK
		},
	}
}
