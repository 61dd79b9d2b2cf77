// Command fluxion checks, formats, runs and explores Fluxion programs. Each subcommand is a file
// of this package. The help, the completion scripts and the dispatch read the table of commands
// below and nothing else.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"golang.org/x/term"

	"github.com/fluxion-lang/fluxion/internal/engine/jit"
)

// The exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // the program, or one of the files, has an error
	exitUsage  = 2 // the command line is wrong
)

// terminal holds the streams that a command reads and writes.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	outTTY   bool // whether out is a terminal
	errTTY   bool // whether err is a terminal
}

// commands lists the subcommands in the order of the help.
func commands() []*command {
	return []*command{
		evalCommand(), runCommand(), dataCommand(), plotCommand(), fitCommand(),
		solveCommand(), checkCommand(),
		fmtCommand(), replCommand(),
		diffCommand(), tourCommand(), serveCommand(), lspCommand(), kernelCommand(), buildCommand(),
		benchCommand(), gradbenchCommand(), docCommand(), devCommand(), completionCommand(),
		versionCommand(), helpCommand(),
	}
}

func main() {
	collectLate()
	os.Exit(run(os.Args[1:]))
}

// run does the work of main and returns the exit status, so that tests can call it.
func run(args []string) (status int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "fluxion: this is a bug in Fluxion, not in your program: "+
				"%v\n\n%s\n", r, debug.Stack())
			fmt.Fprintln(os.Stderr, "Please report it with the program that provokes it.")
			status = exitFailed
		}
	}()
	if err := jit.CheckCPU(); err != nil {
		fmt.Fprintf(os.Stderr, "fluxion: %v\n", err)
		return exitUsage
	}
	return dispatch(withExit(context.Background()), args, terminal{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		outTTY: term.IsTerminal(int(os.Stdout.Fd())),
		errTTY: term.IsTerminal(int(os.Stderr.Fd())),
	})
}
