package driver

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// landscapes are well-known test functions for global optimisation, in their published boxes, made a
// little lopsided where the minimum would lie on a cut, and the minima.
var landscapes = []struct {
	name, text string
	minimum    float64
	quick      bool
}{
	{"Ackley", `let f (xs : []Real) : Real =
  let n = real (length xs)
  -20 * exp (-0.2 * sqrt (sum [x^2 for x in xs] / n)) - exp (sum [cos (2 * pi * x) for x in xs] / n) + 20 + e
minOver [-30, -30.5, -31, -32, -32.7] [32, 32.1, 32.2, 32.3, 31.9] f`, 0, false},
	{"Branin", `minOver (-5, 0) (10, 15) (fun (x, y) => (y - 5.1 / (4 * pi^2) * x^2 + 5 / pi * x - 6)^2 + 10 * (1 - 1 / (8 * pi)) * cos x + 10)`, 0.397887357729739, true},
	{"Goldstein and Price", `minOver (-2, -2) (2, 2) (fun (x, y) => (1 + (x + y + 1)^2 * (19 - 14 * x + 3 * x^2 - 14 * y + 6 * x * y + 3 * y^2))
  * (30 + (2 * x - 3 * y)^2 * (18 - 32 * x + 12 * x^2 + 48 * y - 36 * x * y + 27 * y^2)))`, 3, false},
	{"Griewank", `let f (xs : []Real) : Real =
  sum [x^2 for x in xs] / 4000 - product [cos (xs[i] / sqrt (real (i + 1))) for i < length xs] + 1
minOver [-600, -600, -600, -600, -600] [500, 510, 520, 530, 600] f`, 0, false},
	{"Hartmann 3", hartmann + `
minOver [0, 0, 0] [1, 1, 1] (f [[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]]
  [[0.3689, 0.1170, 0.2673], [0.4699, 0.4387, 0.7470], [0.1091, 0.8732, 0.5547], [0.03815, 0.5743, 0.8828]])`, -3.86278214782076, true},
	{"Hartmann 6", hartmann + `
minOver [0, 0, 0, 0, 0, 0] [1, 1, 1, 1, 1, 1]
  (f [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
    [[0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886], [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
     [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650], [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381]])`, -3.32236801141551, false},
	{"Levy", `let f (xs : []Real) : Real =
  let n = length xs
  let w = [1 + (x - 1) / 4 for x in xs]
  sin (pi * w[0])^2 + sum [(w[i] - 1)^2 * (1 + 10 * sin (pi * w[i] + 1)^2) for i < n - 1] + (w[n - 1] - 1)^2 * (1 + sin (2 * pi * w[n - 1])^2)
minOver [-10, -10, -10, -10, -10] [10, 10, 10, 10, 10] f`, 0, false},
	{"Michalewicz", `minOver [0, 0, 0, 0, 0] [pi, pi, pi, pi, pi] (fun x => -(sum [sin x[i] * sin (real (i + 1) * x[i]^2 / pi)^20 for i < 5]))`, -4.68765817908815, false},
	{"Rastrigin", `minOver [-5, -5, -5, -5, -5] [5.5, 5.5, 5.5, 5.5, 5.5] (fun xs => sum [x^2 + 10 * (1 - cos (2 * pi * x)) for x in xs])`, 0, true},
	{"Schwefel", `minOver [-500, -500, -500, -500, -500] [500, 500, 500, 500, 500] (fun xs => sum [-x * sin (sqrt (abs x)) for x in xs])`, -2094.91443636216, false},
	{"Shekel 5", shekel + "minOver [0, 0, 0, 0] [10, 10, 10, 10] (f 5)", -10.1531996790582, true},
	{"Shekel 7", shekel + "minOver [0, 0, 0, 0] [10, 10, 10, 10] (f 7)", -10.4029405668187, false},
	{"Shekel 10", shekel + "minOver [0, 0, 0, 0] [10, 10, 10, 10] (f 10)", -10.5364098166920, false},
	{"six-hump camel", `minOver (-3, -2) (3, 2) (fun (x, y) => (4 - 2.1 * x^2 + x^4 / 3) * x^2 + x * y + 4 * (y^2 - 1) * y^2)`, -1.03162845348988, true},
}

const hartmann = `let al = [1, 1.2, 3, 3.2]
let f (a p : [][]Real) (x : []Real) : Real =
  -(sum [al[i] * exp (-(sum [a[i][j] * (x[j] - p[i][j])^2 for j < length x])) for i < 4])
`

const shekel = `let c = [0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5]
let a = [[4, 4, 4, 4], [1, 1, 1, 1], [8, 8, 8, 8], [6, 6, 6, 6], [3, 7, 3, 7], [2, 9, 2, 9], [5, 5, 3, 3], [8, 1, 8, 1], [6, 2, 6, 2], [7, 3.6, 7, 3.6]]
let f (m : Int) (x : [4]Real) : Real = -(sum [1 / (sum [(x[j] - a[i][j])^2 for j < 4] + c[i]) for i < m])
`

// TestKnownMinima: the minima of the test functions of global optimisation, to ten digits.
func TestKnownMinima(t *testing.T) {
	t.Parallel()
	for _, c := range landscapes {
		if !c.quick && !property.Long() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			got, d := solved(t, c.text, 10)
			if d != nil {
				t.Fatal(d)
			}
			lo, _ := got[0].Lo.Float64()
			hi, _ := got[0].Hi.Float64()
			grain := 1e-13 * max(1, math.Abs(c.minimum)) // of the minimum as it is written
			if lo > c.minimum+grain || hi < c.minimum-grain || hi-lo > 1.1e-10 {
				t.Errorf("%s, want %v", got[0].Fluxion(), c.minimum)
			}
		})
	}
}

// systems are well-known systems of equations with their boxes, and how many solutions they have
// there.
var systems = []struct {
	name, text string
	solutions  int
	quick      bool
}{
	{"Bratu, 20", "let n = 20" + bratu, 2, true},
	{"Bratu, 100", "let n = 100" + bratu, 2, false},
	{"Brown, almost linear", `let n = 5
roots [-2 for _ < n] [2.1 for _ < n] (fun x => [if i < n - 1 then x[i] + sum x - real (n + 1) else product x - 1 for i < n])`, 2, false},
	{"Broyden, tridiagonal, 20", "let n = 20" + tridiagonal, 2, true},
	{"Broyden, tridiagonal, 100", "let n = 100" + tridiagonal, 2, false},
	{"Broyden, banded, 10", "let n = 10" + banded, 1, false},
	{"Broyden, banded, 100", "let n = 100" + banded, 1, false},
	{"chemistry of combustion", `roots [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1] [1, 1, 1, 1, 1, 1, 1, 1, 1, 1] (fun x =>
  [ x[1] + 2 * x[5] + x[8] + 2 * x[9] - 0.00001, x[2] + x[7] - 0.00003
  , x[0] + x[2] + 2 * x[4] + 2 * x[7] + x[8] + x[9] - 0.00005, x[3] + 2 * x[6] - 0.00001
  , 0.00000005140437 * x[4] - x[0]^2, 0.0000001006932 * x[5] - 2 * x[1]^2, 0.0000000000000007816278 * x[6] - x[3]^2
  , 0.0000001496236 * x[7] - x[0] * x[2], 0.00000006194411 * x[8] - x[0] * x[1], 0.000000000000002089296 * x[9] - x[0] * x[1]^2 ])`, 4, false},
	{"economics", `let n = 5
let c = [1, 0.5, 0.3, 0.2]
roots [-10 for _ < n] [10 for _ < n] (fun x =>
  [if k < n - 1 then (x[k] + sum [x[i] * x[i + k + 1] for i < n - k - 2]) * x[n - 1] - c[k] else sum [x[l] for l < n - 1] + 1 for k < n])`, 3, false},
	{"hydrocarbons", `let r = 10
let (r5, r6, r7) = (0.193, 0.002597 / sqrt 40, 0.003448 / sqrt 40)
let (r8, r9, r10) = (0.00001799 / 40, 0.0002155 / sqrt 40, 0.00003846 / 40)
roots [0.0001, 0.0001, 0.0001, 0.0001, 0.0001] [100, 100, 100, 100, 100] (fun y =>
  [ y[0] * y[1] + y[0] - 3 * y[4]
  , 2 * y[0] * y[1] + y[0] + y[1] * y[2]^2 + r8 * y[1] - r * y[4] + 2 * r10 * y[1]^2 + r7 * y[1] * y[2] + r9 * y[1] * y[3]
  , 2 * y[1] * y[2]^2 + 2 * r5 * y[2]^2 - 8 * y[4] + r6 * y[2] + r7 * y[1] * y[2]
  , r9 * y[1] * y[3] + 2 * y[3]^2 - 4 * r * y[4]
  , y[0] * (y[1] + 1) + r10 * y[1]^2 + y[1] * y[2]^2 + r8 * y[1] + r5 * y[2]^2 + y[3]^2 - 1 + r6 * y[2] + r7 * y[1] * y[2] + r9 * y[1] * y[3] ])`, 1, false},
	{"neurophysiology", `roots [-10, -10, -10, -10, -10, -10] [10, 10, 10, 10, 10, 10] (fun x =>
  [ x[0]^2 + x[2]^2 - 1, x[1]^2 + x[3]^2 - 1, x[4] * x[2]^3 + x[5] * x[3]^3 - 5, x[4] * x[0]^3 + x[5] * x[1]^3 - 4
  , x[4] * x[0] * x[2]^2 + x[5] * x[3]^2 * x[1] - 3, x[4] * x[0]^2 * x[2] + x[5] * x[1]^2 * x[3] - 2 ])`, 8, false},
	{"robot", `roots [-1, -1, -1, -1, -1, -1, -1, -1] [1, 1, 1, 1, 1, 1, 1, 1] (fun x =>
  [ 0.004731 * x[0] * x[2] - 0.3578 * x[1] * x[2] - 0.1238 * x[0] + x[6] - 0.001637 * x[1] - 0.9338 * x[3] - 0.3571
  , 0.2238 * x[0] * x[2] + 0.7623 * x[1] * x[2] + 0.2638 * x[0] - x[6] - 0.07745 * x[1] - 0.6734 * x[3] - 0.6022
  , x[5] * x[7] + 0.3578 * x[0] + 0.004731 * x[1], -0.7623 * x[0] + 0.2238 * x[1] + 0.3461
  , x[0]^2 + x[1]^2 - 1, x[2]^2 + x[3]^2 - 1, x[4]^2 + x[5]^2 - 1, x[6]^2 + x[7]^2 - 1 ])`, 16, true},
	{"Trigexp", `let n = 10
roots [-2 for _ < n] [2.1 for _ < n] (fun x => [
  if i == 0 then 3 * x[0]^3 + 2 * x[1] - 5 + sin (x[0] - x[1]) * sin (x[0] + x[1])
  else if i < n - 1 then 3 * x[i]^3 + 2 * x[i + 1] - 5 + sin (x[i] - x[i + 1]) * sin (x[i] + x[i + 1]) + 4 * x[i] - x[i - 1] * exp (x[i - 1] - x[i]) - 3
  else 4 * x[i] - x[i - 1] * exp (x[i - 1] - x[i]) - 3
  for i < n])`, 1, true},
}

const (
	bratu = `
let h = 1 / real (n + 1)
roots [-1 for _ < n] [10 for _ < n] (fun x => [(if i > 0 then x[i - 1] else 0) - 2 * x[i] + (if i < n - 1 then x[i + 1] else 0) + h^2 * exp x[i] for i < n])`
	tridiagonal = `
roots [-10 for _ < n] [10 for _ < n] (fun x => [(3 - 2 * x[i]) * x[i] - (if i > 0 then x[i - 1] else 0) - 2 * (if i < n - 1 then x[i + 1] else 0) + 1 for i < n])`
	banded = `
let f (x : []Real) : []Real =
  [x[i] * (2 + 5 * x[i]^2) + 1 - sum [if j != i && j >= i - 5 && j <= i + 1 then x[j] * (1 + x[j]) else 0 for j < n] for i < n]
roots [-10 for _ < n] [10 for _ < n] f`
)

// TestKnownSystems: all solutions of the systems are found, and nothing else.
func TestKnownSystems(t *testing.T) {
	t.Parallel()
	for _, c := range systems {
		if !c.quick && !property.Long() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			at := strings.LastIndex(c.text, "roots [")
			text := fmt.Sprintf("%slength (%s)", c.text[:at], c.text[at:])
			got := valueOf(t, text)
			if fmt.Sprint(got) != fmt.Sprint(c.solutions) {
				t.Errorf("%v solutions, want %d", got, c.solutions)
			}
		})
	}
}
