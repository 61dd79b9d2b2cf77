package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// BenchmarkElaborate measures Patterns and Elaborate alone, in lines a second,
// on a module with a local polymorphic function and a match in each definition.
func BenchmarkElaborate(b *testing.B) {
	const definitions = 4_000
	var text strings.Builder
	for i := range definitions {
		fmt.Fprintf(&text, "let f%d (x : Real) =\n  let y = x * 2 + 1\n  let g z = (z, y)\n  match g x with\n  | (a, b) -> if a > b then a else b + %d.0\n", i, i)
	}
	var sink diag.List
	module := syntax.Parse(diag.NewFile("in.flx", text.String()), &sink)
	info := check.Check(module, check.Options{Name: "in"}, &sink)
	if sink.Failed() {
		b.Fatal(rendered(&sink))
	}
	for b.Loop() {
		check.Patterns(nil, info, &sink)
		check.Elaborate(nil, info, &sink)
	}
	b.ReportMetric(5*definitions*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
