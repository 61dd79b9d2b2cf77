package driver

import (
	"context"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// TestRootsOfZero: every number is a root of the polynomial 0, which is no list of roots.
func TestRootsOfZero(t *testing.T) {
	for _, p := range []string{"[]", "[0]", "[0, 0, 0]"} {
		text := "import poly\npoly.realRoots (-1) 1 " + p
		_, d := solved(t, text, 8)
		if d == nil || !strings.Contains(d.Message, "every number is a root") {
			t.Errorf("%s: %v", text, d)
		}
		var list diag.List
		unit := NewWorld(nil).LoadText("test", text, nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		_, d = Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits()})
		if d == nil || !strings.Contains(d.Message, "every number is a root") {
			t.Errorf("%s: %v", text, d)
		}
	}
	for _, c := range []string{"sum (poly.realRoots (-5) 5 [0, -3, 1, 0])", "3 + sum (poly.realRoots (-5) 5 [1])"} {
		if got, d := solved(t, "import poly\n"+c, 8); d != nil || !strings.Contains(got[0].Fluxion(), "3") {
			t.Errorf("%s: %v %v", c, got, d)
		}
	}
}
