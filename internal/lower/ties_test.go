package lower_test

import (
	_ "embed"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

//go:embed testdata/ties.flx
var ties string

// TestTiesAgree: derivatives at kinks are those of the interpreter, along the same direction, and
// compiled. Those at which a comparison is tied, and second derivatives, are left to it.
func TestTiesAgree(t *testing.T) {
	const resolved, left = true, false
	for _, c := range []struct {
		expression string
		compiled   bool
	}{
		{"grad tuples [(1, 1, 1) for i < 40]", resolved},
		{"grad tuples [(1, 2, 3), (2, 1, 2), (3, 3, 3)]", resolved},
		{"grad records [{a = 1, k = i, bs = [1, 1, 0.5, 1], c = (1, 0.9)} for i < 9]", resolved},
		{"grad rows [[1, 1, 1], [1, 1, 1]]", resolved},
		{"jvp rows [[1, 1, 1], [1, 1, 1]] [[1, 2, 3], [4, 5, 6]]", resolved},
		{"grad differences [1, 1, 1, 1, 1, 1, 1]", resolved},
		{"jvp differences [1, 1, 1, 1, 1, 1, 1] [1, 0, 2, 0, 3, 0, 1]", resolved},
		{"grad states [0, 0, 1, 1, 0]", resolved},
		{"grad search [1, 1, 0.5, 1]", resolved},
		{"grad (fun v => sum [recursive 5 x for x in v]) [1, 2, 1]", resolved},
		{"grad net [[1, 2, 3], [3, 2, 1]]", resolved},
		{"grad table [1, 2, 3, 2, 1]", resolved},
		{"jacobian (fun v => [maximum v, minimum v, abs v[0] + v[1], v[1]]) [0, 0, 0]", resolved},
		{"jacobian (fun v => [max v[mod i 40] v[mod (i + 1) 40] for i < 50]) [0 for _ < 40]", resolved},
		{"[grad (fun y => sum [max x (y * y) for x in [1, y, 1]]) z for z in [0.5, 1, 2]]", resolved},
		{"[grad signs v for v in [[0, 0, 0], [-0.0, 0, -0.0], [0, -0.0, 0], [-0.0, -0.0, 0]]]", resolved},
		{"(loop v = [1, 1] for i < 5 do v - scale 0.1 (grad (fun u => max u[0] u[1] + sum [abs (x - 1) for x in u]) v))", resolved},
		{"grad (fun v => deriv (fun y => sum [max y x for x in v]) 1) [1, 1]", left},
		{"deriv (fun z => sum [abs (x * z) for x in [0, 1]] + norm [z, z]) 0", resolved},
		{"[grad stillNorm z for z in [0.7, 2]]", resolved},
		{"grad (fun v => norm v) [0, 0, 0]", resolved},
		{"grad apart [[1, 2], [3, 4], [1, 2]]", resolved},
		{"jvp apart [[1, 2], [3, 4], [1, 2]] [[1, 0], [0, 1], [1, 1]]", resolved},
		{"grad (fun v => sum [hypot v[0] x + max (hypot x x) (2 * x) for x in v]) [0, 0, 1]", resolved},
		{"grad (fun v => sum [norm [v[0], x] * 3 + max (norm [x, v[1], v[2]]) (norm [2 * x, 0] * 2) for x in v]) [0, 0, 0, 1]", resolved},
		{"grad (fun v => sum [norm [x, x, 1e-200 * v[2]] for x in v]) [0, -0.0, 0]", resolved},
		{"[deriv (deriv (fun z => norm [z, z, w])) 0 for w in [1, 0]]", left},
		{"grad (fun v => sum [if x > 1 then x else max x 1 for x in v]) [1, 1]", left},
		{"grad (fun v => sum [real (floor x) * max x 1 for x in v]) [1, 1]", left},
	} {
		used := &regions{}
		compare(t, c.expression, everyEngine(t, used), func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", ties+"\n"+c.expression+"\n", nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", c.expression, sink.Sorted()[0])
			}
			return unit
		})
		if used.left == 0 || c.compiled && used.ran == 0 {
			t.Errorf("%s: %d regions ran as compiled code, %d were given up", c.expression, used.ran, used.left)
		}
	}
}
