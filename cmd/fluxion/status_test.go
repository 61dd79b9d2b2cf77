package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestExitStatuses tells failed programs (1) from wrong usage (2).
func TestExitStatuses(t *testing.T) {
	t.Chdir("../..")
	for _, c := range []struct {
		args   string
		status int
	}{
		{"eval 1", 0}, {"eval x", 1}, {"eval (", 1}, {"eval", 2}, {"eval --nonsense 1", 2}, {"eval --timeout never 1", 2},
		{"eval --color sometimes 1", 2}, {"eval --depth 0 1", 2}, {"eval --json x", 1}, {"eval --help", 0},
		{"run examples/heat.flx", 0}, {"run missing.flx", 1}, {"run", 2},
		{"check examples/heat.flx", 0}, {"check testdata/cycle/a.flx", 1}, {"check", 2},
		{"fmt examples/heat.flx", 0}, {"fmt -d examples/heat.flx", 0}, {"fmt missing.flx", 1}, {"fmt", 2},
		{"doc sqrt", 0}, {"doc sqrtt", 1}, {"doc a b", 2},
		{"dev core examples/heat.flx", 0}, {"dev core testdata/cycle/wrong.core", 1}, {"dev", 2}, {"dev core --stage x examples/heat.flx", 2},
		{"diff examples/sharing.flx --fn chain --at 0.5", 0}, {"diff examples/sharing.flx --fn none --at 0.5", 1}, {"diff examples/sharing.flx", 2},
		{"completion bash", 0}, {"completion tcsh", 2}, {"version", 0}, {"help", 0}, {"help eval", 0}, {"help none", 2},
		{"repl a b", 2}, {"nonsense", 2}, {"", 2}, {"--help", 0}, {"--version", 0},
	} {
		var out bytes.Buffer
		got := dispatch(context.Background(), strings.Fields(c.args), terminal{in: strings.NewReader(""), out: &out, err: &out})
		if got != c.status {
			t.Errorf("fluxion %s: status %d, want %d\n%s", c.args, got, c.status, out.String())
		}
	}
}
