package lower_test

import (
	"fmt"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

const systems = `
import linalg

let m (x : Real) : [][]Real = [[4 + x, 1, 0.5], [1, 3 * x + 2, x], [0.5, x, 5]]
let tall (x : Real) : [][]Real = [[1, x], [x, 2], [3, 1], [x * x, 1]]
let solved (x : Real) : Real = sum (linalg.solve (m x) [1, x, 2])
let exchanged (x : Real) : Real = sum (linalg.solve [[0, 1, x], [x, 0, 1], [1, x, 0]] [1, x, 2])
let factored (x : Real) : Real = sum (map sum (linalg.cholesky (m x)))
let factors (x : Real) : Real = sum (linalg.luSolve (linalg.lu (m x)) [1, x, 2])
let least (x : Real) : Real = sum (linalg.leastSquares (tall x) [1, 2, x, 3])
let orthogonal (x : Real) : Real = let f = linalg.qr (tall x) in f.q[0, 1] + f.r[1, 1]
let determined (x : Real) : Real = linalg.det (m x)
let inverted (x : Real) : Real = sum (map sum (linalg.inverse (m x)))
let tried (x : Real) : Real = match linalg.tryCholesky (m x) with | Some l -> l[2, 2] | None -> -x
let refused (x : Real) : Real = match linalg.tryCholesky [[x, 1], [1, x]] with | Some l -> l[1, 1] | None -> -x
let triangles (x : Real) : Real = sum (linalg.solveUpper (m x) [1, x, 2]) + sum (linalg.solveLower (m x) [x, 1, 2])
let stepped (x : Real) : Real = sum (loop y = [1, x, 2] for _ < 4 do linalg.solve (m x) y)
let filtered (x : Real) : Real =
  let step = fun (mean, p) z =>
    let s = linalg.matMul p (linalg.transpose p) + [[x, 0], [0, 1]]
    let gain = linalg.solveAll s p
    (mean + linalg.matVec gain [z - mean[0], x * z], p - linalg.matMul gain p)
  sum (fst (loop state = ([x, 0], [[1, 0.2], [0.2, 2]]) for z in [1, 2, 1.5] do step state z))
let exponential (x : Real) : Real = let e = linalg.expm (m x) in e[0, 1] + x * e[2, 0]
let sparse (x : Real) : Real = sum (map sum (linalg.expm [[0, x, 0], [0, 0, 2], [0, 0, -x]]))
let steep (x : Real) : Real = sum (map sum (linalg.expm [[-200, x, 1], [100, -150, 10], [0, 0, -x]]))
let zero (x : Real) : Real = sum (map sum (linalg.expm [[0 * x, 0], [0, x - x]]))
let tooSteep (x : Real) : Real = sum (map sum (linalg.expm [[-800, x], [0, -x]]))
let undefined (x : Real) : Real = sum (map sum (linalg.expm [[x, 1 / (x - x)], [2, 4]]))
let singular (x : Real) : Real = sum (linalg.solve [[x, 2 * x], [2, 4]] [1, x])
let hilbert (x : Real) : Real = sum (linalg.solve [x / real (i + j + 1) for i < 14, j < 14] [x for _ < 14])
let indefinite (x : Real) : Real = sum (map sum (linalg.cholesky [[x, 2], [2, x]]))
let dependent (x : Real) : Real = sum (linalg.leastSquares [[x, 2 * x], [1, 2], [3, 6]] [1, 2, x])
let diagonal (x : Real) : Real = sum (linalg.solveLower [[x, 0], [1, 0]] [1, 2])
let flat (x : Real) : Real = linalg.det [[x, 2 * x], [2, 4]]
let large (x : Real) : Real = sum (linalg.solve [if i == j then x + 1 else 1 / real (i + j + 1) for i < 70, j < 70] [x for _ < 70])
let infinite (x : Real) : Real = sum (linalg.solve [[x, 1 / (x - x)], [2, 4]] [1, x])
`

// TestSystems: rows of linear algebra are compiled by their definitions, with derivatives, and
// refuse what the interpreter does.
func TestSystems(t *testing.T) {
	used := &regions{}
	with := everyEngine(t, used)
	for _, f := range []struct {
		name string
		runs bool // as compiled code
	}{
		{"solved", true}, {"exchanged", true}, {"factored", true}, {"factors", true}, {"least", true}, {"orthogonal", true},
		{"determined", true}, {"inverted", true}, {"tried", true}, {"refused", true}, {"triangles", true}, {"stepped", true},
		{"filtered", true}, {"exponential", true}, {"sparse", true}, {"steep", true}, {"zero", true}, {"tooSteep", false}, {"undefined", false},
		{"singular", false}, {"hilbert", false}, {"indefinite", false}, {"dependent", false}, {"diagonal", false},
		{"flat", false}, {"large", false}, {"infinite", false},
	} {
		orders := "%[1]s 0.3, deriv %[1]s 0.3"
		if f.runs {
			orders += ", sum (grad (fun v => %[1]s v[0] * %[1]s v[1]) [0.3, 0.4])"
		}
		switch f.name {
		case "solved", "factored", "least", "exponential", "sparse":
			orders += ", deriv (fun x => deriv %[1]s x) 0.3"
		}
		text := systems + fmt.Sprintf("["+orders+"]\n", f.name)
		before := used.ran
		compare(t, f.name, with, func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		})
		if f.runs && used.ran == before {
			t.Errorf("%s: no region ran as compiled code", f.name)
		}
	}
}
