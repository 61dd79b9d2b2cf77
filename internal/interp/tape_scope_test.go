package interp

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

// What evaluates a function for its derivative leaves the tape as it was if
// the function fails: a search goes on at another point then.
func TestFailuresLeaveTheTape(t *testing.T) {
	p, d := core.Parse("in.core", "def one : Real =\n  ret 1.0\n")
	if d != nil {
		t.Fatal(d)
	}
	code, d := compileTaped(p, Options{})
	if d != nil {
		t.Fatal(d)
	}
	m := code.NewMachine()
	m.start(context.Background(), DefaultLimits())
	tape := m.tape
	outer := tape.begin() // a derivative is in progress
	fails := func(x float64) (float64, *diag.Diagnostic) {
		tape.apply2(tape.sum, x, 1)
		return 0, diag.Errorf(diag.Failure, diag.Span{}, "no value")
	}
	g := &integration{m: m, f: fails}
	part := &piece{from: 0, to: 1, decided: []int64{}}
	for name, run := range map[string]func() *diag.Diagnostic{
		"linearizeAs": func() *diag.Diagnostic {
			_, d := m.linearizeAs(fails, 1, linearization{record: true})
			return d
		},
		"dependsOn": func() *diag.Diagnostic { _, _, d := m.dependsOn(fails, 1); return d },
		"record":    func() *diag.Diagnostic { _, _, _, d := g.record(1); return d },
		"tiedIn":    func() *diag.Diagnostic { _, d := g.tiedIn(part); return d },
		"boundary":  func() *diag.Diagnostic { _, d := g.boundary(part); return d },
		"eval":      func() *diag.Diagnostic { _, d := part.eval(m, fails)(1); return d },
	} {
		depth, live, count := tape.depth, tape.live, tape.count
		if run() == nil {
			t.Errorf("%s: no failure", name)
		}
		same := tape.depth == depth && tape.live == live && tape.count == count
		if !same || tape.decisions != nil || tape.searched {
			t.Errorf("%s leaves the tape changed", name)
			tape.depth, tape.live, tape.count, tape.decisions = depth, live, count, nil
		}
	}
	tape.end(outer, false)
}
