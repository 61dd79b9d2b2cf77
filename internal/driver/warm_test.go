package driver_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/data"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// TestWarmCalls: the interpreter does the same for a call of a compiled function, and little,
// however long the arrays among its arguments are: it does not walk through their rows to check
// sizes, nor copy them. This is counted and not timed. Each program has arrays of rows of a size
// that its types tell, which is checked, and a branch whose sides are compiled apart.
func TestWarmCalls(t *testing.T) {
	const mostWork, mostBytes = 4, 4096
	const types = `type Model = {places : [][4]Real, turns : [][2][2]Real, parents : []Int}
type Input = {theta : [3]Real, us : [][2]Real, model : Model}
let place (m : Model) (theta : [3]Real) (i : Int) : Real =
  theta[0] * m.places[i, 0] + theta[1] * m.places[i, 3] * m.turns[i, 1, 1] + sin theta[2] * m.places[m.parents[i], 1]
let apart (input : Input) (theta : [3]Real) : []Real = [place input.model theta i for i < length input.model.places]
let shifted (input : Input) (theta : [3]Real) : []Real =
  [place input.model theta i + input.us[i, 0] * theta[1] for i < length input.model.places]
`
	for name, body := range map[string]string{
		"value":    "let f (input : Input) : []Real = if length input.us == 0 then apart input input.theta else shifted input input.theta",
		"jacobian": "let f (input : Input) : [][]Real =\n  if length input.us == 0 then jacobian (apart input) input.theta else jacobian (shifted input) input.theta",
		"straight": "let f (input : Input) : [][]Real = jacobian (shifted input) input.theta",
	} {
		t.Run(name, func(t *testing.T) {
			world := driver.NewWorld(func(string) (string, error) { return types + body, nil })
			var list diag.List
			unit := world.LoadFile("warm.flx", &list)
			if unit == nil || list.Failed() {
				t.Fatal(list.Sorted())
			}
			functions, d := unit.Functions(context.Background(), driver.Settings{Engine: "jit"}, "f")
			if d != nil {
				t.Fatal(d)
			}
			for _, n := range []int{30, 3000} {
				row := func(element string) string {
					return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
				}
				input := fmt.Sprintf(`{"theta":[1,2,3],"us":%s,"model":{"places":%s,"turns":%s,"parents":%s}}`,
					row("[0.5,1]"), row("[1,2,3,4]"), row("[[1,0],[0,2]]"), row("7"))
				x, d := functions.Read("f", data.Input{Name: "x.json", Reader: strings.NewReader(input), Size: int64(len(input))}, data.Options{})
				if d != nil {
					t.Fatal(d)
				}
				var old interp.Operand
				bytes := uint64(math.MaxUint64) // since memory that is kept for the next run may have been collected
				for range 20 {
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					if old, d = functions.ApplyAgain(context.Background(), old, "f", x); d != nil {
						t.Fatal(d)
					}
					runtime.ReadMemStats(&after)
					bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
				}
				if work := functions.Stats().Work; work > mostWork {
					t.Errorf("with %d rows, the interpreter does %d units of work", n, work)
				}
				if bytes > mostBytes {
					t.Errorf("with %d rows, a call takes %d bytes", n, bytes)
				}
				t.Logf("%d rows: %d units of work, %d bytes", n, functions.Stats().Work, bytes)
			}
		})
	}
}
