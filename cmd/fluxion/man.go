package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// writeMan writes the manual pages to a folder: fluxion(1), and one for each command.
func writeMan(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	write := func(name string, page func(w io.Writer)) error {
		var b strings.Builder
		page(&b)
		return os.WriteFile(filepath.Join(folder, name+".1"), []byte(b.String()), 0o644)
	}
	if err := write("fluxion", manOverview); err != nil {
		return err
	}
	for _, cmd := range commands() {
		if err := write("fluxion-"+cmd.name, func(w io.Writer) { manPage(w, cmd) }); err != nil {
			return err
		}
	}
	return nil
}

// roff escapes a text for roff: backslashes, dashes that must stay dashes, and points at the
// start of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

func manHead(w io.Writer, name, summary string) {
	fmt.Fprintf(w, ".TH %s 1 \"\" \"Fluxion %s\" \"Fluxion\"\n.SH NAME\n%s \\- %s\n",
		strings.ToUpper(roff(name)), roff(version()), roff(name), roff(summary))
}

func manOverview(w io.Writer) {
	manHead(w, "fluxion", "a language in which every program has derivatives")
	fmt.Fprint(w, ".SH SYNOPSIS\n.B fluxion\n.I COMMAND\n[FLAGS] [ARGUMENTS]\n.SH COMMANDS\n")
	for _, cmd := range commands() {
		fmt.Fprintf(w, ".TP\n.BR fluxion\\-%s (1)\n%s\n", roff(cmd.name), roff(cmd.summary))
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n0 success, 1 a failed program, 2 wrong usage.\n")
}

func manPage(w io.Writer, cmd *command) {
	manHead(w, "fluxion-"+cmd.name, cmd.summary)
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B fluxion %s\n%s\n.SH DESCRIPTION\n", roff(cmd.name),
		roff(cmd.args))
	text, examples, _ := strings.Cut(cmd.help, "Examples:\n")
	// Indented lines are shown verbatim.
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			fmt.Fprintf(w, ".nf\n%s\n.fi\n", roff(paragraph))
		} else {
			fmt.Fprintf(w, ".PP\n%s\n", roff(paragraph))
		}
	}
	fmt.Fprint(w, ".SH OPTIONS\n")
	for _, f := range flagsOf(cmd) {
		argument, _ := flag.UnquoteUsage(f)
		fmt.Fprintf(w, ".TP\n.B %s %s\n%s\n", roff(dashed(f.Name)), roff(argument),
			roff(explained(f)))
	}
	if examples != "" {
		fmt.Fprintf(w, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(examples))
	}
	fmt.Fprint(w, ".SH SEE ALSO\n.BR fluxion (1)\n")
}
