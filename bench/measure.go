package bench

import (
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Times holds the shortest times of several runs that were measured in turn, so that other
// activity of the machine affects all of them alike.
type Times []time.Duration

// Measure runs functions in turn until each has run at least twice and all together for the given
// time.
func Measure(total time.Duration, runs ...func() (time.Duration, *diag.Diagnostic)) (
	Times, *diag.Diagnostic) {
	best := make(Times, len(runs))
	start := time.Now()
	for round := 0; round < 2 || time.Since(start) < total; round++ {
		for k, run := range runs {
			took, d := run()
			if d != nil {
				return nil, d
			}
			if round == 0 || took < best[k] {
				best[k] = took
			}
		}
	}
	return best, nil
}

// Milliseconds returns a time as tables show it.
func Milliseconds(t time.Duration) float64 { return float64(t.Nanoseconds()) / 1e6 }
