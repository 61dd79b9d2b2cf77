package soak

import (
	"flag"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

var points = flag.Int("points", 2_500, "points a function, each in four intervals")

// TestSoak makes ten thousand checks of every operation. For a million, in
// some minutes:
//
//	go test ./internal/interval/soak -points 250000 -timeout 1h
//
// The command cmd/soak runs for as long as wanted.
func TestSoak(t *testing.T) {
	n := *points
	for _, op := range Ops() {
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			s := Run(&op, n, 1)
			for _, f := range s.Failures {
				t.Error(f)
			}
			if s.Points < n/4 {
				t.Errorf("only %d of %d points were in the domain", s.Points, n)
			}
			t.Logf("%8d checks, %.3f%% of ends tightest, excess mean %.5f worst %g, "+
				"%d unnested, unrounded error ≤ %.3f of budget", s.Checks, 100*float64(s.Tight)/float64(s.Ends), s.Excess/float64(s.Ends), s.Worst, s.Unnested, s.Budget)
		})
	}
}

// TestComplete: every row of the table of primitives that is a function of one or two reals is
// among the operations, but for those that round nothing or are an operation of another name.
func TestComplete(t *testing.T) {
	other := []string{"neg", "sign", "zeroLike", "scale", "inner", "+", "-", "*", "/", "**", "trunc"}
	for _, row := range prim.All() {
		switch row.Interval.(type) {
		case tier.Fun1, tier.Fun2:
		default:
			continue
		}
		if !slices.Contains(other, row.Name) &&
			!slices.ContainsFunc(Ops(), func(op Op) bool { return op.Name == row.Name }) {
			t.Errorf("%s is not among the operations", row.Name)
		}
	}
}
