package soak

import (
	"flag"
	"testing"
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
