package jit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/asmtest"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// TestArmListing: the listing of a function is what GNU as makes the same code from.
func TestArmListing(t *testing.T) {
	if asmtest.GnuAs("arm64") == "" {
		t.Skip("GNU as for arm64 is not installed")
	}
	for name, p := range map[string]*loop.Program{"mixture": program(mixture(t)), "recurrent": program(recurrent(t)), "fibonacci": fibonacci(false)} {
		for _, registers := range []int{0, 3} {
			code, err := Compile(p, Options{Arch: "arm64", Listing: true, registers: registers})
			if err != nil {
				t.Fatal(err)
			}
			ls := code.listing
			var source strings.Builder
			at := 0
			for _, l := range ls.Lines {
				for ; at < l.At; at += 4 { // what fills up
					fmt.Fprintln(&source, "nop")
				}
				switch {
				case l.Code:
					fmt.Fprintln(&source, l.Text)
					at += 4
				case strings.HasSuffix(l.Text, ":"):
					fmt.Fprintln(&source, l.Text)
				}
			}
			for ; at%64 != 0; at += 4 {
				fmt.Fprintln(&source, "nop")
			}
			fmt.Fprintln(&source, "pool:")
			if theirs := asmtest.Assemble(t, "arm64", source.String()); !slices.Equal(theirs, ls.Text[:len(theirs)]) {
				t.Errorf("%s with %d registers: the code is not that of its listing", name, registers)
			}
		}
	}
}
