package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/kernel"
)

func kernelCommand() *command {
	var budget budgetFlags
	var prefix string
	return &command{
		name:    "kernel",
		args:    "install | run CONNECTION",
		summary: "work in Jupyter notebooks",
		help: `install tells Jupyter that this command is a kernel for notebooks. It does so for
the user, or with --prefix for an environment, such as the one in which Jupyter is installed.
Jupyter then starts the kernel by kernel run, with the limits that install was given. Cells
share definitions. %help in a cell lists the commands that a cell can use.

Examples:
  fluxion kernel install
  fluxion kernel install --prefix "$VIRTUAL_ENV"
  jupyter lab`,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&prefix, "prefix", "",
				"install for the environment in the folder `DIR` instead of for the user")
			budget.registerLimits(flags)
			budget.access.register(flags)
		},
		words: []string{"install", "run"},
		run: func(ctx context.Context, c *call) int {
			var err error
			switch {
			case len(c.args) == 1 && c.args[0] == "install":
				err = c.installKernel(prefix, &budget)
			case len(c.args) == 2 && c.args[0] == "run":
				err = kernel.Run(ctx, c.args[1], kernel.Options{
					Version: version(), Settings: budget.settings(), Folders: budget.access.folders,
					Log: c.err,
				})
			case len(c.args) == 1 && c.args[0] == "run":
				return c.usage(errors.New(
					"`run` needs a connection file: Jupyter writes it and starts the kernel"))
			default:
				return c.usage(errors.New("say install"))
			}
			if err != nil {
				fmt.Fprintf(c.err, "fluxion kernel: %v\n", err)
				return exitFailed
			}
			return exitOK
		},
	}
}

func (c *call) installKernel(prefix string, budget *budgetFlags) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if self, err = filepath.Abs(self); err != nil {
		return err
	}
	folder, err := kernel.Install(prefix, append([]string{self, "kernel", "run"},
		budget.limitFlags()...))
	if err != nil {
		return err
	}
	if c.json {
		c.printJSON(map[string]string{"folder": folder})
		return nil
	}
	fmt.Fprintf(c.out, "installed in %s; notebooks have the kernel Fluxion now\n", folder)
	return nil
}

// limitFlags returns flags that repeat the same limits for another process. Folders become
// absolute paths.
func (b *budgetFlags) limitFlags() (flags []string) {
	if b.timeout > 0 {
		flags = append(flags, "--timeout", b.timeout.String())
	}
	if b.memory > 0 {
		flags = append(flags, "--memory", b.memory.String())
	}
	if int(b.depth) != interp.DefaultLimits().Depth {
		flags = append(flags, "--depth", b.depth.String())
	}
	for _, folder := range b.access.folders {
		if whole, err := filepath.Abs(folder); err == nil {
			folder = whole
		}
		flags = append(flags, "--allow-read", folder)
	}
	return flags
}
