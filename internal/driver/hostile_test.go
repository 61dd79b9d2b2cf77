package driver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// many repeats a text with its number in place of each %d.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// TestLongPrograms: what is long, rather than deep, is a program like any
// other. Each of these once was refused, or took time in proportion to the
// square of its length.
func TestLongPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"definitions", "let x = 1\n" + many(60_000, "let x%d = x + %d\n") + "length [" + many(60_000, "x%d, ") + "x]\n", "60001"},
		{"elements", "length [" + many(20_000, "%d + 1, ") + "0]\n", "20001"},
		{"arms", "let f (n : Int) : Int =\n  match n with\n" + many(4_000, "  | %d -> %d\n") + "  | _ -> -1\nf 3999\n", "3999"},
		{"constructors", "data T = " + many(2_000, "C%d Int | ") + "Last\nlet f t =\n  match t with\n" + many(2_000, "  | C%d n -> n\n") +
			"  | Last -> 0\nf (C1999 7)\n", "7"},
		{"fields", "{" + many(4_000, "x%d = %d, ") + "y = 1}.x77\n", "77"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var list diag.List
			unit := NewWorld(nil).LoadText("in.flx", c.text, nil, &list)
			if list.Failed() {
				t.Fatal(rendered(&list))
			}
			if got, _ := evaluated(unit); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestManyErrors: only so many are reported, and only for those is it looked
// for what was meant.
func TestManyErrors(t *testing.T) {
	var list diag.List
	NewWorld(nil).LoadText("in.flx", many(50_000, "let x%d = y%d + 1\n"), nil, &list)
	if list.Errors() != 50_000 || len(list.Sorted()) != diag.MaxReported {
		t.Errorf("%d errors, of which %d are shown", list.Errors(), len(list.Sorted()))
	}
}
