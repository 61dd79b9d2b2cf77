package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"

	"github.com/fluxion-lang/fluxion/internal/lsp"
)

func lspCommand() *command {
	var budget budgetFlags
	var listen string
	return &command{
		name:    "lsp",
		summary: "serve editors by the Language Server Protocol",
		help: `Answers an editor on standard input and output. With --listen it answers on a TCP
port, one connection after the other. It offers diagnostics while typing, types and
documentation, completion, definitions, references, renaming, formatting, edits that do what a
diagnostic asks for, and results beside the lines that are run. The limits hold for what the
editor runs.

Examples:
  fluxion lsp
  fluxion lsp --listen 127.0.0.1:7998`,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&listen, "listen", "",
				"listen on the TCP `ADDRESS`, such as 127.0.0.1:7998, instead of standard input")
			budget.registerLimits(flags)
		},
		run: func(ctx context.Context, c *call) int {
			if len(c.args) > 0 {
				return c.usage(errors.New("it takes no arguments"))
			}
			opts := lsp.Options{Version: version(), Settings: budget.settings()}
			if listen == "" {
				if err := lsp.Serve(ctx, standard{c.in, c.out}, opts); err != nil {
					fmt.Fprintf(c.err, "fluxion: %v\n", err)
					return exitFailed
				}
				return exitOK
			}
			return c.serveTCP(ctx, listen, opts)
		},
	}
}

// standard joins standard input and output into one stream.
type standard struct {
	io.Reader
	io.Writer
}

// Close does nothing: the process owns its streams.
func (standard) Close() error { return nil }

func (c *call) serveTCP(ctx context.Context, address string, opts lsp.Options) int {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		fmt.Fprintf(c.err, "fluxion: %v\n", err)
		return exitFailed
	}
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	fmt.Fprintf(c.err, "listening on %s\n", listener.Addr())
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return exitOK
			}
			fmt.Fprintf(c.err, "fluxion: %v\n", err)
			return exitFailed
		}
		if err := lsp.Serve(ctx, conn, opts); err != nil {
			fmt.Fprintf(c.err, "fluxion: %v\n", err)
		}
	}
}
