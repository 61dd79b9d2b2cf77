package main

import (
	"flag"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/driver"
)

// accessFlags holds the flags that say which data files a program may read.
type accessFlags struct {
	folders []string
}

func (a *accessFlags) register(flags *flag.FlagSet) {
	flags.Func("allow-read",
		"let the program read data files in `DIR` and its subfolders, besides "+
			"those in its own folder; may be repeated", func(dir string) error {
			a.folders = append(a.folders, dir)
			return nil
		})
}

// givenFlags holds the values that the command line gives the parameters of a function.
type givenFlags struct {
	arguments []driver.Argument
}

// register registers the flags for the parameters of a function, in words.
func (g *givenFlags) register(flags *flag.FlagSet, function string) {
	add := func(file bool, example string) func(string) error {
		return func(text string) error {
			name, value, ok := strings.Cut(text, "=")
			if !ok || name == "" || value == "" {
				return fmt.Errorf("`%s` names no parameter; write %s", text, example)
			}
			g.arguments = append(g.arguments, driver.Argument{Name: name, Text: value, File: file})
			return nil
		}
	}
	flags.Func("data", "read a parameter of "+function+
		" from a data file, by `NAME=FILE`; a FILE of - is standard input; may be repeated",
		add(true, "--data rows=people.csv"))
	flags.Func("set", "give a parameter of "+function+
		" the value of an expression, by `NAME=EXPR`; may be repeated",
		add(false, "--set rate=0.1"))
}
