package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/suggest"
)

// command is a subcommand.
type command struct {
	name    string
	args    string // the arguments in the usage line: "[-f FILE] EXPR"
	summary string // one line, for the list of commands
	help    string // paragraphs and examples for the manual page
	flags   func(*flag.FlagSet)
	run     func(ctx context.Context, c *call) int
	words   []string // what completion offers as the first argument
}

// call is one run of a command.
type call struct {
	terminal
	command *command
	args    []string // the arguments that are not flags
	json    bool
	color   string // auto, always, never
}

func dispatch(ctx context.Context, args []string, t terminal) int {
	if len(args) == 0 {
		fmt.Fprint(t.err, overview())
		return exitUsage
	}
	name, rest := args[0], args[1:]
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	for _, cmd := range commands() {
		if cmd.name == name {
			return invoke(ctx, cmd, rest, t)
		}
	}
	fmt.Fprintf(t.err, "fluxion: there is no command `%s`\n", name)
	var names []string
	for _, cmd := range commands() {
		names = append(names, cmd.name)
	}
	if near := suggest.Nearest(name, names); near != "" {
		fmt.Fprintf(t.err, "  = did you mean `fluxion %s`?\n", near)
	} else if strings.HasSuffix(name, ".flx") {
		fmt.Fprintf(t.err, "  = to run a file: fluxion run %s\n", name)
	}
	fmt.Fprintln(t.err, "  = `fluxion help` lists the commands")
	return exitUsage
}

func invoke(ctx context.Context, cmd *command, args []string, t terminal) int {
	c := &call{terminal: t, command: cmd}
	flags := c.flagSet()
	positional, err := parseArgs(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(t.out, manual(cmd))
		return exitOK
	case err != nil:
		return c.usage(err)
	case c.color != "auto" && c.color != "always" && c.color != "never":
		return c.usage(fmt.Errorf("--color is auto, always or never, not `%s`", c.color))
	}
	c.args = positional
	return cmd.run(c.withCutOff(ctx), c)
}

// flagSet returns the flags of a command, including those that all commands share.
func (c *call) flagSet() *flag.FlagSet {
	flags := flag.NewFlagSet(c.command.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&c.json, "json", false, "print the output, and diagnostics, as JSON")
	flags.StringVar(&c.color, "color", "auto",
		"colour diagnostics: `WHEN` is auto (on a terminal), always or never")
	if c.command.flags != nil {
		c.command.flags(flags)
	}
	return flags
}

// parseArgs separates flags from the other arguments, which may stand in any order. What cannot
// be a flag, such as -1 + 2, is an argument. After -- everything is an argument.
func parseArgs(flags *flag.FlagSet, args []string) (positional []string, err error) {
	for len(args) > 0 {
		switch arg := args[0]; {
		case arg == "--":
			return append(positional, args[1:]...), nil
		case !looksLikeFlag(arg):
			positional = append(positional, arg)
			args = args[1:]
		default:
			if err := flags.Parse(args); err != nil {
				return nil, unknownFlag(flags, err)
			}
			// Parse stops at the first argument, or after a "--", which it eats.
			rest := flags.Args()
			if eaten := len(args) - len(rest); args[eaten-1] == "--" {
				return append(positional, rest...), nil
			}
			args = rest
		}
	}
	return positional, nil
}

// unknownFlag adds to the error of an unknown flag which flag was probably meant. It returns
// other errors unchanged.
func unknownFlag(flags *flag.FlagSet, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err
	}
	var names []string
	near := ""
	flags.VisitAll(func(f *flag.Flag) {
		names = append(names, f.Name)
		if near == "" && strings.HasPrefix(f.Name, name) {
			near = f.Name
		}
	})
	if near = cmp.Or(near, suggest.Nearest(name, names)); near == "" {
		return fmt.Errorf("there is no flag --%s", name)
	}
	return fmt.Errorf("there is no flag --%s; did you mean --%s?", name, near)
}

func looksLikeFlag(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	dashes := len(arg) - len(name)
	if dashes == 0 || dashes > 2 || name == "" {
		return false
	}
	for i, r := range name {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if r == '=' && i > 0 {
			return true
		}
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return true
}

// usage reports a wrong command line.
func (c *call) usage(err error) int {
	fmt.Fprintf(c.err, "fluxion %s: %v\n", c.command.name, err)
	fmt.Fprintln(c.err, usageLine(c.command))
	fmt.Fprintf(c.err, "  = `fluxion help %s` explains it\n", c.command.name)
	return exitUsage
}

// colored reports whether diagnostics on standard error are coloured.
func (c *call) colored() bool {
	return c.color == "always" || c.color == "auto" && c.errTTY
}

// report prints diagnostics: for people on standard error, or as one JSON object on standard
// output. It returns the exit status.
func (c *call) report(list *diag.List) int {
	status := exitOK
	if list.Failed() {
		status = exitFailed
	}
	if c.json {
		c.printJSON(map[string]any{"diagnostics": nonNil(list.Sorted())})
		return status
	}
	diag.RenderAll(c.err, list, diag.Options{Color: c.colored()})
	return status
}

// fail reports one diagnostic.
func (c *call) fail(d *diag.Diagnostic) int {
	var list diag.List
	list.Add(d)
	return c.report(&list)
}

func (c *call) printJSON(v any) {
	encoder := json.NewEncoder(c.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		fmt.Fprintln(c.err, "fluxion:", err)
	}
}

func nonNil[T any](xs []T) []T {
	if xs == nil {
		return []T{}
	}
	return xs
}

// world returns a new world of modules for a command.
func world() *driver.World { return driver.NewWorld(nil) }
