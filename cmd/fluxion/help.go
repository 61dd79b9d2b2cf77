package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/suggest"
)

func helpCommand() *command {
	var man string
	return &command{
		name:    "help",
		args:    "[COMMAND]",
		summary: "explain a command",
		help: `Explains COMMAND and its flags. Without COMMAND, lists the commands.

Examples:
  fluxion help run
  fluxion help --man ~/.local/share/man/man1`,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&man, "man", "",
				"write the manual pages of all commands to the folder `DIR`")
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
						if c.json {
							c.printJSON(commandJSON(cmd))
						} else {
							fmt.Fprint(c.out, manual(cmd))
						}
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
		all = append(all, commandJSON(cmd))
	}
	return all
}

// commandJSON describes a command and its flags.
func commandJSON(cmd *command) map[string]any {
	flags := map[string]string{}
	for _, f := range flagsOf(cmd) {
		flags[dashed(f.Name)] = explained(f)
	}
	return map[string]any{"name": cmd.name, "arguments": cmd.args, "summary": cmd.summary,
		"help": cmd.help, "flags": flags}
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

// helpWidth is the number of columns of the texts that help prints.
const helpWidth = 100

// manual returns the manual page of one command.
func manual(cmd *command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "fluxion %s: %s\n\n%s\n\n%s\n\nFlags:\n",
		cmd.name, cmd.summary, usageLine(cmd), cmd.help)
	for _, f := range flagsOf(cmd) {
		argument, _ := flag.UnquoteUsage(f)
		head := fmt.Sprintf("  %-18s ", strings.TrimSpace(dashed(f.Name)+" "+argument))
		indent := strings.Repeat(" ", 21)
		if utf8.RuneCountInString(head) > len(indent) {
			b.WriteString(strings.TrimRight(head, " ") + "\n")
			head = indent
		}
		fmt.Fprintln(&b, fold(head, indent, strings.Fields(explained(f))))
	}
	return b.String()
}

// usageLine returns the line that shows how a command is called, folded where it is long.
func usageLine(cmd *command) string {
	var words []string
	depth := 0 // of brackets: what is in them stays on one line
	for _, word := range strings.Fields(cmd.args) {
		if depth > 0 {
			words[len(words)-1] += " " + word
		} else {
			words = append(words, word)
		}
		depth += strings.Count(word, "[") - strings.Count(word, "]")
	}
	return strings.TrimSpace(fold("usage: fluxion "+cmd.name+" ", "         ", words))
}

// fold joins words by spaces and continues on a new line with an indent where a line would be
// longer than helpWidth.
func fold(head, indent string, words []string) string {
	var b strings.Builder
	b.WriteString(head)
	column := utf8.RuneCountInString(head)
	for i, word := range words {
		width := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+width > helpWidth:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}

// explained returns what a flag does, with its default if that is not its zero value.
func explained(f *flag.Flag) string {
	_, usage := flag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
		usage += " (default " + f.DefValue + ")"
	}
	return usage
}

// dashed returns a flag as people type it: -f, --json.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
