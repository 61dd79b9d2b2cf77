package jit

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// listing collects instructions as text, below the statements that they come from.
type listing struct {
	stmts []loop.Stmt
	b     strings.Builder
}

func (ls *listing) stmt(as *assembler, i int) {
	f := &loop.Func{Body: &loop.Block{Stmts: ls.stmts[i : i+1]}}
	_, text, _ := strings.Cut(f.String(), "\n")
	line, _, _ := strings.Cut(text, "\n")
	fmt.Fprintf(&ls.b, "; %s\n", strings.TrimSpace(strings.ReplaceAll(line, "?", "")))
}

func (ls *listing) add(as *assembler, in *inst) {
	if in.op == opLabel {
		fmt.Fprintf(&ls.b, "L%d:\n", in.to)
		return
	}
	var probe assembler
	probe.labels = make([]int, len(as.labels))
	probe.encode(in)
	fmt.Fprintf(&ls.b, "%6x  %-24x %s\n", len(as.buf), probe.buf, in)
}

// Listing is the machine code as text, if it was asked for.
func (c *Code) Listing() string {
	if c.listing == nil {
		return ""
	}
	return c.listing.b.String()
}
