package lower_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

// renewedStates have loops whose turns update a state and go on with another buffer, or hand it to
// another state.
const renewedStates = `
-- a tridiagonal system in each turn
let thomas (r : Real) (d : []Real) : []Real =
  let n = length d
  let (c, e) = loop (c, e) = (replicate n 0.0, d) for i < n do
    let m = 1 + 2 * r + r * (if i == 0 then 0 else c[i - 1])
    ({c with [i] = -r / m}, {e with [i] = (e[i] + r * (if i == 0 then 0 else e[i - 1])) / m})
  loop x = e for k < n - 1 do
    let i = n - 2 - k
    {x with [i] = e[i] - c[i] * x[i + 1]}
let heat (s : Real) : Real =
  let u = loop u = [s * sin (real i) for i < 9] for _ < 7 do thomas (0.5 * s) u
  u[4] + u[2]^2

-- two buffers that change places
let swapped (s : Real) : Real =
  let (a, b) = loop (a, b) = ([s * real i for i < 6], [cos (s * real i) for i < 6]) for k < 9 do
    (b, {a with [mod k 6] = a[mod (k + 1) 6] * b[mod k 5] + s})
  a[2] * b[3] + a[5]

-- states that go through several others, and are read far from where new ones are written
let steps (s : Real) : Real =
  let (a, b, c) = loop (a, b, c) = ([s * real i for i < 50], [cos (s * real i) for i < 50], replicate 50 s) for k < 9 do
    (b, c, [a[mod (i + 7) 50] * 0.1 + b[i] * s - 0.2 * c[49 - i] for i < 50])
  inner a b + sum c

-- states that are chosen
let chosen (s : Real) : Real =
  let (a, b) = loop (a, b) = ([s, 1.0, s^2], [0.0, 0.0, 0.0]) for k < 9 do
    if mod k 3 == 0 then (a, a) else if mod k 3 == 1 then (b, {a with [1] = s * b[0]}) else ([x + s for x in b], a)
  inner a b

-- an update outside of inner loops
let mixed (s : Real) : Real =
  let x = loop x = [s + real i for i < 5] for k < 6 do
    let y = {x with [mod k 5] = x[mod k 5] * x[mod (k + 2) 5]}
    [sin v + y[mod (k + 1) 5] * s for v in y]
  sum x
`

// TestRenewedStates: the derivatives of such loops are compiled, and are those of the interpreter.
func TestRenewedStates(t *testing.T) {
	for _, f := range []string{"heat", "swapped", "mixed", "steps", "chosen"} {
		for _, ask := range []string{f + " 0.7", "valueAndGrad " + f + " 0.7", "deriv (deriv " + f + ") 0.7", "grad (deriv " + f + ") 0.7"} {
			used := &regions{}
			compare(t, ask, everyEngine(t, used), func(sink *diag.List) *driver.Unit {
				unit := driver.NewWorld(nil).LoadText("main", renewedStates+ask+"\n", nil, sink)
				if sink.Failed() {
					t.Fatal(sink.Sorted()[0])
				}
				return unit
			})
			if used.ran != 1 && f != "chosen" { // a choice between a buffer that is updated and another
				t.Errorf("%s is not compiled as a whole: %d regions ran", ask, used.ran)
			}
		}
	}
}
