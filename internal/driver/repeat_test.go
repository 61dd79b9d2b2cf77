package driver_test

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestRepeated: each run of a program gives the same bits, in every engine, whatever ran before it.
func TestRepeated(t *testing.T) {
	t.Parallel()
	const text = `
import linalg
import random
let xs = random.normals 3000 (random.key 1)
let m = [random.normals 20 (random.child i (random.key 2)) for i < 20]
let f (v : []Real) : Real =
  let s = loop s = 0.1 for x in v do s + sin (s * x) / 7
  s + logsumexp v + sum (map tanh v) / mean [exp x for x in v]
let g = grad f xs
(f xs, sum g, norm g, (linalg.solve m m[0])[3], deriv (fun c => f (c .* xs)) 1.5)
`
	for _, engine := range driver.Engines() {
		first := ""
		for k := range 3 {
			var list diag.List
			unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
			if list.Failed() {
				t.Fatal(list.Sorted()[0])
			}
			settings := driver.Settings{Limits: interp.DefaultLimits(), Engine: engine}
			result, d := driver.Run(context.Background(), unit, settings)
			if d != nil {
				t.Fatal(d)
			}
			switch shown := value.Show(result.Value); {
			case k == 0:
				first = shown
			case shown != first:
				t.Errorf("%s: %s, and then %s", engine, first, shown)
			}
		}
	}
}
