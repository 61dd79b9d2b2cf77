package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/driver"
)

// release is set by the linker in release archives, as in -X main.release=v1.2.3.
var release string

// version returns the version of a release, or of the module if the command was installed from
// one.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version !=
		"(devel)" {
		return info.Main.Version
	}
	return "development"
}

// commit returns the commit that the command was built from: its name, its date, and whether
// files were changed since. The name is "" if it is not known.
func commit() (name, date string, changed bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			name = s.Value
		case "vcs.time":
			date = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	return name, date, changed
}

// features lists the faces of this command besides its subcommands for programs.
func features() []string {
	var found []string
	for _, cmd := range commands() {
		switch cmd.name {
		case "lsp", "kernel", "serve", "fit":
			found = append(found, cmd.name)
		}
	}
	return found
}

func versionCommand() *command {
	return &command{
		name:    "version",
		summary: "print the version",
		help: `Prints the version of this command, the commit and the version of Go that it was
built from, the engines that run on this machine, and the optional features that it was built
with.`,
		run: func(_ context.Context, c *call) int {
			platform := runtime.GOOS + "/" + runtime.GOARCH
			name, date, changed := commit()
			if c.json {
				c.printJSON(map[string]any{
					"version": version(), "commit": name, "date": date, "changed": changed,
					"go": runtime.Version(), "platform": platform, "engines": driver.Engines(),
					"features": features(),
				})
				return exitOK
			}
			fmt.Fprintf(c.out, "fluxion %s (%s, %s)\n", version(), runtime.Version(), platform)
			if name != "" {
				if changed {
					name += ", changed"
				}
				fmt.Fprintf(c.out, "commit   %s %s\n", name, date)
			}
			fmt.Fprintf(c.out, "engines  %s\n", strings.Join(driver.Engines(), " "))
			fmt.Fprintf(c.out, "features %s\n", strings.Join(features(), " "))
			return exitOK
		},
	}
}
