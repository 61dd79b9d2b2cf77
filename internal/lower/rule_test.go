package lower_test

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// ownRules use functions with derivatives of their own. That of own is five times the function's,
// so that a derivative which does not use it is seen.
const ownRules = `
let half (x : Real) : Real = loop y = x for i < 8 do 0.5 * (y + x / y)
let own = withDerivative half (fun x dx => 5 * dx / (2 * half x))
let back = withPullback half (fun x by => 5 * by / (2 * half x))
let enclosed = withEnclosure half (fun (low, high) => (half low, half high))
let sums (x : Real) = sum [own (x + real i) for i < 600]
let pulled (x : Real) = sum [back (x * real (i + 1)) for i < 600]
let between (x : Real) = sum [enclosed (x + real i) for i < 600]
let rec down (n : Int) (x : Real) : Real = if n == 0 then own x else 0.5 * down (n - 1) (x + 1) + down (n - 2 + mod n 2) x
let called (x : Real) = sum [down 3 (x + real i) for i < 200]
let inside (x : Real) = sum [deriv own (x + real i) * own x for i < 200]
`

// TestOwnRules: a function with a rule is compiled where it is not differentiated, and derivatives
// use the rule.
func TestOwnRules(t *testing.T) {
	for _, f := range []string{"sums", "pulled", "between", "called", "inside"} {
		for _, ask := range []string{f + " 1.5", "deriv " + f + " 1.5", "deriv (deriv " + f + ") 1.5", "(deriv " + f + " 1.5, " + f + " 2.5)"} {
			var list diag.List
			unit := driver.NewWorld(nil).LoadText("main", ownRules+ask+"\n", nil, &list)
			if list.Failed() {
				t.Fatal(list.Sorted()[0])
			}
			run := func(s driver.Settings) value.Value {
				s.Limits, s.Compile.Eager, s.Compile.TrustRules = interp.DefaultLimits(), true, true
				result, d := driver.Run(context.Background(), unit, s)
				if d != nil {
					t.Fatalf("%s: %v", ask, d)
				}
				return result.Value
			}
			want := run(driver.Settings{})
			used := &regions{}
			for engine, s := range everyEngine(t, used) {
				if got := run(s); !agree(want, got) {
					t.Errorf("%s: by the interpreter %s, by %s %s", ask, value.Show(want), engine, value.Show(got))
				}
			}
			switch ask {
			case "sums 1.5", "pulled 1.5", "between 1.5", "deriv between 1.5":
				if used.ran != 1 {
					t.Errorf("%s is not compiled as a whole: %d regions ran", ask, used.ran)
				}
			}
		}
	}
}
