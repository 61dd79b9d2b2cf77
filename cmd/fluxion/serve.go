package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/web"
	"github.com/fluxion-lang/fluxion/internal/web/messages"
)

func serveCommand() *command {
	var budget budgetFlags
	var port int
	var export string
	return &command{
		name:    "serve",
		args:    "[FILE…] [--port N] | --export DIR",
		summary: "serve a page to write, run and differentiate programs in a browser",
		help: `Serves a page on localhost. The page has an editor with diagnostics, types and
completion. It shows results as figures and tables, exact results, graphs of functions with
their derivatives, a laboratory that shows what each published algorithm makes of a function,
and the tour.

Programs run in this process, within the limits (--timeout is 1m by default). They can import
and read the FILEs, and no other files.

With --export, the command writes the page to DIR as files that any web server can serve. That
page runs all of Fluxion as WebAssembly in the browser. It works offline after the first visit
and sends nothing anywhere. --export needs the Go toolchain and the source code of this
command: run it in a clone of the repository.

Examples:
  fluxion serve
  fluxion serve model.flx points.csv
  fluxion serve --port 8080 --timeout 10s
  fluxion serve --export site`,
		flags: func(flags *flag.FlagSet) {
			flags.IntVar(&port, "port", 0,
				"listen on the port `N` of localhost (default one that is free)")
			flags.StringVar(&export, "export", "",
				"write the page as files to `DIR` instead of serving it")
			budget.timeout = timeLimit(time.Minute)
			budget.registerLimits(flags)
		},
		run: func(ctx context.Context, c *call) int {
			if port < 0 || port > 65535 {
				return c.usage(fmt.Errorf("%d is not a port: they go from 1 to 65535", port))
			}
			ctx, stop := driver.Interruptible(ctx)
			defer stop()
			if export != "" {
				if len(c.args) > 0 {
					return c.usage(errors.New("--export takes no files"))
				}
				return c.exportPage(ctx, export)
			}
			return c.servePage(ctx, port, &budget)
		},
	}
}

func (c *call) servePage(ctx context.Context, port int, budget *budgetFlags) int {
	for _, file := range c.args {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			return c.usage(fmt.Errorf("`%s` is not a file", file))
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(
		ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		fmt.Fprintf(c.err, "fluxion: %v\n", err)
		return exitFailed
	}
	names, read := given(c.args)
	options := web.Options{Options: messages.Options{Settings: budget.settings(), Given: read},
		Files: names}
	fmt.Fprintf(c.out, "Fluxion is at http://%s/ (Ctrl-C ends it)\n", listener.Addr())
	if err := web.Serve(ctx, listener, options); err != nil {
		fmt.Fprintf(c.err, "fluxion: %v\n", err)
		return exitFailed
	}
	return exitOK
}

func (c *call) exportPage(ctx context.Context, folder string) int {
	sent, err := web.Export(ctx, folder)
	if err != nil {
		fmt.Fprintf(c.err, "fluxion: %v\n", err)
		return exitFailed
	}
	fmt.Fprintf(c.out, "%s: a visitor fetches %.1f MB\n", folder, float64(sent)/1e6)
	return exitOK
}

// given maps the files of the command line to the names that the page uses. Its read function
// reads these files and no others.
func given(files []string) (names []string, read func(string) (string, error)) {
	paths := map[string]string{}
	for _, file := range files {
		name := filepath.ToSlash(filepath.Clean(file))
		if !fs.ValidPath(name) {
			name = filepath.Base(file)
		}
		names, paths[name] = append(names, name), file
	}
	return names, func(name string) (string, error) {
		if file, ok := paths[name]; ok {
			return driver.ReadSource(file)
		}
		return "", fs.ErrNotExist
	}
}
