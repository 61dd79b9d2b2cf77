package main

import (
	"flag"
	"strings"
	"testing"
)

// TestFlagArguments: a flag that takes an argument shows a name for it, in capitals, and one that
// is set or not shows none.
func TestFlagArguments(t *testing.T) {
	for _, cmd := range commands() {
		for _, f := range flagsOf(cmd) {
			argument, usage := flag.UnquoteUsage(f)
			b, ok := f.Value.(interface{ IsBoolFlag() bool })
			switch set := ok && b.IsBoolFlag(); {
			case set && argument != "":
				t.Errorf("fluxion %s: --%s takes no %s", cmd.name, f.Name, argument)
			case !set && argument != strings.ToUpper(argument):
				t.Errorf("fluxion %s: --%s %s: %s", cmd.name, f.Name, argument, usage)
			}
		}
	}
}
