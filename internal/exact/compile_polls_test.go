package exact_test

import (
	"context"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// TestCompilationPolls: compiling a program for exact evaluation polls in proportion to the length
// of the program, takes memory in proportion to it, and ends wherever a poll ends it.
func TestCompilationPolls(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"a literal": func(n int) string { return "sum [" + strings.Repeat("0.5, ", n) + "1]" },
		"parts":     func(n int) string { return "[" + strings.Repeat("sin 0.5, ", n) + "1]" },
		"statements": func(n int) string {
			var b strings.Builder
			b.WriteString("let f (x0 : Real) : Real =\n")
			for i := range n {
				fmt.Fprintf(&b, "  let x%d = sin x%d * x%d in\n", i+1, i, i)
			}
			fmt.Fprintf(&b, "  x%d\nf", n)
			return b.String()
		},
	} {
		t.Run(name, func(t *testing.T) {
			compile := func(n, at int) (polls int, bytes uint64, d *diag.Diagnostic) {
				p := prepared(t, text(n))
				ctx := stop.Polled(context.Background(), func() bool { polls++; return polls == at })
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				d = exact.Compiled(ctx, p, exact.Options{Eps: big.NewRat(1, 10)})
				runtime.ReadMemStats(&after)
				return polls, after.TotalAlloc - before.TotalAlloc, d
			}
			few, small, d := compile(1000, 0)
			if d != nil {
				t.Fatal(d)
			}
			many, large, _ := compile(4000, 0)
			if few < 1000/40 || many < 3*few {
				t.Errorf("%d and %d polls", few, many)
			}
			if large > 6*small {
				t.Errorf("four times the program takes %d bytes, and not %d", large, small)
			}
			for at := 1; at <= few; at += 7 {
				if polls, _, d := compile(1000, at); polls != at || d == nil || d.Code != diag.TimeLimit ||
					!d.Span.Known() {
					t.Fatalf("ended at poll %d it polls %d times and gives %v", at, polls, d)
				}
			}
		})
	}
}
