package driver

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// TestSparseSystems: random systems whose equations mention few unknowns each have the roots of the
// same systems with their equations mixed, where each mentions all.
func TestSparseSystems(t *testing.T) {
	random := rand.New(rand.NewPCG(33, property.First()))
	const n = 6
	numbers := func(most int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("%.2f", float64(random.IntN(2*most+1)-most)/100)
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	compared, found := 0, 0
	for range property.Rounds(12) {
		text := fmt.Sprintf(`let n = 6
let (a, b, c, d, e) = (%s, %s, %s, %s, %s)
let f (x : []Real) : []Real =
  [(x[i] - a[i]) * (x[i] - b[i]) + c[i] * (if i > 0 then x[i - 1] else 1) + d[i] * sin (if i < n - 1 then x[i + 1] else 1) + e[i] * max 0 x[i] for i < n]
let mixed (x : []Real) : []Real = let y = f x in [sum [(if i == j then 2 else 1 / real (i + 2 * j + 1)) * y[j] for j < n] for i < n]
`, numbers(150), numbers(150), numbers(60), numbers(60), numbers(30))
		search := "roots [-2.03 for _ < n] [2.01 for _ < n] "
		got, d := solved(t, text+search+"f", 8)
		if d != nil {
			t.Logf("%s\n%v", text, d)
			continue
		}
		want, d := solved(t, text+search+"mixed", 8)
		if d != nil {
			t.Logf("%s\n%v", text, d)
			continue
		}
		compared++
		found += len(want)
		if len(got) != len(want) {
			t.Errorf("%s\n%d reals, and %d if the equations are mixed", text, len(got), len(want))
			continue
		}
		for k := range got {
			if got[k].Lo.Cmp(want[k].Hi) > 0 || want[k].Lo.Cmp(got[k].Hi) > 0 {
				t.Errorf("%s\n%s, and %s if the equations are mixed", text, got[k].Fluxion(), want[k].Fluxion())
			}
		}
	}
	if compared == 0 || found == 0 {
		t.Errorf("%d systems with %d reals were compared", compared, found)
	}
	t.Logf("%d systems, %d reals", compared, found)
}
