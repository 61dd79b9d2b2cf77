// Package gradbench is Fluxion's side of GradBench, the public benchmark of automatic
// differentiation: the programs, one for each of its evals, and a server that speaks its
// protocol. It is given a stream of messages and hands on a stream of answers.
//
// A program defines the functions of its eval. Each takes one argument, into which the input is
// decoded by its type. If the program defines `prepare`, that is applied to the input first, and if it
// defines `reportF` for a function `f`, that is applied to the result; neither is timed.
package gradbench

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.flx
var programs embed.FS

// Evals lists the evals that there are programs for.
func Evals() []string {
	files, err := fs.Glob(programs, "*.flx")
	if err != nil {
		panic("gradbench: " + err.Error())
	}
	var names []string
	for _, f := range files {
		if f != "solver.flx" { // which others import
			names = append(names, strings.TrimSuffix(f, ".flx"))
		}
	}
	return names
}

// read gives the text of a program to a world of modules.
func read(path string) (string, error) {
	text, err := programs.ReadFile(path)
	return string(text), err
}
