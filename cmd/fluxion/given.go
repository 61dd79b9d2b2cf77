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
	flags.Func("allow-read", "let the program read data files below `DIR`, besides those below "+
		"its own folder", func(dir string) error {
		a.folders = append(a.folders, dir)
		return nil
	})
}

// givenFlags holds the values that the command line gives the parameters of main.
type givenFlags struct {
	arguments []driver.Argument
}

func (g *givenFlags) register(flags *flag.FlagSet) {
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
	flags.Func("data", "read the parameter NAME of main from the data file FILE (`NAME=FILE`); - "+
		"is standard input", add(true, "--data rows=people.csv"))
	flags.Func("set", "give the parameter NAME of main the value of EXPR (`NAME=EXPR`)",
		add(false, "--set rate=0.1"))
}
