package exact_test

import (
	"context"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// hard is an integral that 1e-12 takes minutes for.
const hard = "integral 0 1 (fun x => integral 0 1 (fun y => integral 0 1 (fun z => abs (sin (9*x*y*z) - x*y))))"

// TestParts: what a result has besides a hard part is known, wherever it stands.
func TestParts(t *testing.T) {
	const easy, digits = "integral 0 1 (fun x => sin (x * x))", "[0.310268301723, 0.310268301724]"
	for _, text := range []string{
		"(" + hard + ", " + easy + ")",
		"(" + easy + ", " + hard + ")",
		"{a = " + hard + ", b = [Some (" + easy + "), None]}",
		"[" + hard + ", " + easy + "]",
		"let h = " + hard + "\nlet e = " + easy + "\nlet main = (h, (h + e, e))",
		"let rec even' (n : Int) : Real = if n == 0 then " + easy + " else odd' (n - 1)\nand odd' (n : Int) : Real = even' (n - 1)\n(" + hard + ", even' 4)",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			var list diag.List
			unit := driver.NewWorld(nil).LoadText("test.flx", text, nil, &list)
			if list.Failed() {
				t.Fatal(list.Sorted()[0])
			}
			settings := driver.Settings{}
			ctx, done := stop.Within(context.Background(), time.Second)
			defer done()
			result, d := driver.RunExact(ctx, unit, settings, driver.Exactly{Eps: big.NewRat(1, 1e12)})
			if d == nil || d.Code != diag.TimeLimit {
				t.Errorf("%s: %v, and should take too long", text, d)
			}
			if got := value.Show(result.Value); !strings.Contains(got, digits) {
				t.Errorf("%s is %s, and should contain %s", text, got, digits)
			}
		})
	}
}

// TestPartsShareWork: a statement that several parts need is evaluated once on a rung.
func TestPartsShareWork(t *testing.T) {
	calls := func(text string) (n int64) {
		var list diag.List
		unit := library.LoadText("test.flx", text, nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		driver.RunExact(context.Background(), unit, driver.Settings{}, driver.Exactly{
			Eps:   big.NewRat(1, 10),
			Watch: func(p exact.Progress) { n = max(n, p.Calls) },
		})
		return n
	}
	const s = "let s = integral 0 1 (fun x => exp (abs (sin (7 * x))))\n"
	if one, many := calls(s+"s"), calls(s+"(s, s + 1, s + 2)"); one == 0 || many != one {
		t.Errorf("%d calls for three parts that share an integral, and %d for one", many, one)
	}
}
