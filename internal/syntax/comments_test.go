package syntax

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// TestCommentsStay scatters comments over random programs, wherever one may stand,
// and checks that formatting keeps all of them, in order.
func TestCommentsStay(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		g := gen{t}
		width := rapid.SampledFrom([]int{20, 60, 100}).Draw(t, "width")
		text := scatter(g, Format(g.module(), FormatOptions{Width: width}))
		var list diag.List
		m := Parse(diag.NewFile("commented.flx", text), &list)
		if list.Failed() {
			return // a comment may have moved a `let` to the right
		}
		fatal := func(format string, args ...any) {
			t.Fatalf("from\n%s\n%s", text, fmt.Sprintf(format, args...))
		}
		checkFormat(fatal, m, FormatOptions{Width: width})
	})
}

// scatter adds comments to a text: between tokens that have a blank between them,
// at the ends of lines, and on lines of their own.
func scatter(g gen, text string) string {
	l := newLexer(nil, diag.NewFile("", text), new(diag.List))
	var b strings.Builder
	n, last := 0, int32(0)
	for {
		tok := l.next()
		gap := text[last:tok.start]
		switch {
		case strings.Contains(gap, "\n") && g.pick(6) == 0:
			n++
			before, after, _ := strings.Cut(gap, "\n")
			switch g.pick(3) {
			case 0:
				gap = fmt.Sprintf("%s -- c%d\n%s", before, n, after)
			case 1:
				gap = fmt.Sprintf("%s\n   -- c%d\n%s", before, n, after)
			case 2:
				gap = fmt.Sprintf("%s\n\n{- c%d\n -}\n%s", before, n, after)
			}
		case strings.HasPrefix(gap, " ") && g.pick(6) == 0:
			n++
			gap = fmt.Sprintf(" {- c%d -} ", n)
		}
		b.WriteString(gap)
		if tok.kind == kEOF {
			return b.String()
		}
		b.WriteString(text[tok.start:tok.end])
		last = tok.end
	}
}
