package driver

import (
	"context"
	"fmt"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// TestEvaluations: what was used last is kept, and no more than the bound.
func TestEvaluations(t *testing.T) {
	var kept Evaluations
	w := NewWorld(nil)
	var list diag.List
	u := w.LoadText("one", "1 + 1", nil, &list)
	e, d := u.Evaluation(context.Background(), Settings{Limits: interp.DefaultLimits()})
	if d != nil {
		t.Fatal(d)
	}
	kept.Keep("first", e)
	for k := range 3 * maxEvaluations {
		kept.Keep(fmt.Sprint(k), e)
		if kept.Find("first") != e {
			t.Fatalf("what is used all the time is forgotten after %d others", k)
		}
	}
	if len(kept.kept) != maxEvaluations || kept.Find("0") != nil {
		t.Errorf("%d are kept", len(kept.kept))
	}
	kept.Keep(string(make([]byte, maxEvaluationText+1)), e)
	if len(kept.kept) != maxEvaluations || kept.Find(fmt.Sprint(3*maxEvaluations-1)) == nil {
		t.Error("a long text is kept")
	}
	for range 2 {
		if r, d := e.Run(context.Background(), Settings{}); d != nil || fmt.Sprint(r.Value) != "2" {
			t.Errorf("1 + 1 is %v (%v)", r.Value, d)
		}
	}
}
