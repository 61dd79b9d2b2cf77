package tour

import (
	"context"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestStops: at every stop things are as the paper says.
func TestStops(t *testing.T) {
	settings := driver.Settings{Limits: interp.DefaultLimits()}
	settings.Timeout = time.Minute
	for _, paper := range Papers() {
		if len(paper.Stops) < 10 {
			t.Errorf("%s has only %d stops", paper.Name, len(paper.Stops))
		}
		for _, stop := range paper.Stops {
			t.Run(paper.Name+" "+stop.Where+" "+stop.Title, func(t *testing.T) {
				var list diag.List
				visit := stop.Visit(context.Background(), settings, &list)
				if list.Failed() {
					t.Fatal(list.Sorted()[0])
				}
				if len(stop.Asks) == 0 && stop.Diff == nil && stop.Grow == nil {
					t.Error("nothing is run")
				}
				if visit.Holds {
					return
				}
				t.Error("it is not as the paper says")
				for i, answer := range visit.Answers {
					t.Logf("%s\n  gives %s\n  want  %s", stop.Asks[i].Expr, answer, stop.Asks[i].Want)
				}
				for _, o := range visit.Outcomes {
					if o.Answer == nil {
						t.Logf("%s: %v", o.Strategy.Name, o.Failure)
						continue
					}
					t.Logf("%s: %s (want %s)\n%s", o.Strategy.Name, value.Show(o.Answer.Gradient), stop.Diff.Want, o.Answer.Explanation)
				}
				t.Logf("%v", visit.Counts)
			})
		}
	}
}
