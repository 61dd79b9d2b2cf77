package main

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
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

// TestFlagTexts checks that the text of every flag begins with a verb: a clause that says what the
// flag does. Texts once began with an article, a preposition or the argument.
func TestFlagTexts(t *testing.T) {
	openings := []string{"a", "an", "the", "of", "at", "by", "with", "in", "from", "for", "to",
		"on", "besides", "any", "arrays", "nuts", "adam"}
	for _, cmd := range commands() {
		for _, f := range flagsOf(cmd) {
			_, usage := flag.UnquoteUsage(f)
			first, _, _ := strings.Cut(usage, " ")
			if first != strings.ToLower(first) || slices.Contains(openings, first) {
				t.Errorf("fluxion %s: --%s does not begin with a verb: %s", cmd.name, f.Name, usage)
			}
		}
	}
}

// TestLimitTexts checks that the text of every limit says what holds if the flag is not given.
func TestLimitTexts(t *testing.T) {
	for _, cmd := range commands() {
		for _, f := range flagsOf(cmd) {
			if slices.Contains([]string{"timeout", "memory", "depth", "ops", "ties", "threads", "engine"}, f.Name) &&
				!strings.Contains(explained(f), "(default ") {
				t.Errorf("fluxion %s: --%s has no default: %s", cmd.name, f.Name, explained(f))
			}
		}
	}
}

// TestHelpWidth checks that what `fluxion help` prints fits in the columns of a terminal.
func TestHelpWidth(t *testing.T) {
	for _, cmd := range commands() {
		for line := range strings.Lines(manual(cmd)) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > helpWidth {
				t.Errorf("fluxion help %s: a line has %d columns: %s", cmd.name, n, line)
			}
		}
	}
}

// TestFold checks that folded text continues below its indent, and that a word that is longer than
// a line stands alone.
func TestFold(t *testing.T) {
	long := strings.Repeat("x", helpWidth)
	full := strings.Repeat("é", helpWidth-4)
	for _, test := range []struct{ words, want string }{
		{"a b", "  a b"},
		{"a " + long + " b", "  a\n    " + long + "\n    b"},
		{full + " b c", "  " + full + " b\n    c"},
	} {
		if got := fold("  ", "    ", strings.Fields(test.words)); got != test.want {
			t.Errorf("%s\nfolds to\n%s\nwant\n%s", test.words, got, test.want)
		}
	}
}
