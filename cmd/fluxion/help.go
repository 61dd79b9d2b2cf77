package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/suggest"
)

func helpCommand() *command {
	var man string
	return &command{
		name:    "help",
		args:    "[COMMAND]",
		summary: "explain a command",
		help: `Without COMMAND, lists the commands.

Examples:
  fluxion help run
  fluxion help --man ~/.local/share/man/man1`,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&man, "man", "",
				"write manual pages of all commands to the folder `DIR`")
		},
		run: func(_ context.Context, c *call) int {
			if man != "" {
				if err := writeMan(man); err != nil {
					fmt.Fprintf(c.err, "fluxion help: %v\n", err)
					return exitFailed
				}
				return exitOK
			}
			switch len(c.args) {
			case 0:
				if c.json {
					c.printJSON(map[string]any{"commands": commandsJSON()})
				} else {
					fmt.Fprint(c.out, overview())
				}
				return exitOK
			case 1:
				var names []string
				for _, cmd := range commands() {
					if cmd.name == c.args[0] {
						fmt.Fprint(c.out, manual(cmd))
						return exitOK
					}
					names = append(names, cmd.name)
				}
				if near := suggest.Nearest(c.args[0], names); near != "" {
					return c.usage(fmt.Errorf("there is no command `%s`; did you mean `%s`?",
						c.args[0], near))
				}
				return c.usage(fmt.Errorf("there is no command `%s`", c.args[0]))
			}
			return c.usage(errors.New("name one command"))
		},
	}
}

// commandsJSON describes the commands and their flags.
func commandsJSON() []map[string]any {
	var all []map[string]any
	for _, cmd := range commands() {
		flags := map[string]string{}
		for _, f := range flagsOf(cmd) {
			_, usage := flag.UnquoteUsage(f)
			flags[dashed(f.Name)] = usage
		}
		all = append(all, map[string]any{"name": cmd.name, "arguments": cmd.args,
			"summary": cmd.summary, "help": cmd.help, "flags": flags})
	}
	return all
}

// overview returns what `fluxion help` prints.
func overview() string {
	var b strings.Builder
	b.WriteString("Fluxion: a language in which every program has derivatives.\n\nusage: fluxion " +
		"COMMAND [FLAGS] [ARGUMENTS]\n\n")
	for _, cmd := range commands() {
		fmt.Fprintf(&b, "  %-12s%s\n", cmd.name, cmd.summary)
	}
	b.WriteString(`
Try:
  fluxion eval '1/3 + 0.5'
  fluxion repl

` + "`fluxion help COMMAND`" + ` explains one command, ` + "`fluxion doc`" + ` the library and every error
code. Exit status: 0 success, 1 a failed program, 2 wrong usage.
`)
	return b.String()
}

// manual returns the manual page of one command.
func manual(cmd *command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "fluxion %s: %s\n\nusage: %s\n\n%s\n\nFlags:\n",
		cmd.name, cmd.summary, strings.TrimSpace("fluxion "+cmd.name+" "+cmd.args), cmd.help)
	for _, f := range flagsOf(cmd) {
		argument, usage := flag.UnquoteUsage(f)
		head := dashed(f.Name)
		if argument != "" {
			head += " " + argument
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
			usage += " (" + f.DefValue + " if not given)"
		}
		fmt.Fprintf(&b, "  %-18s %s\n", head, usage)
	}
	return b.String()
}

// dashed returns a flag as people type it: -f, --json.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
