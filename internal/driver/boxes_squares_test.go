package driver

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// leastSquares are problems of Moré, Garbow and Hillstrom with up to four unknowns, in boxes that hold
// the published minimum: residuals in terms of testdata/optim/mgh.flx, and the bounds, of each unknown
// or of all.
var leastSquares = []struct {
	name, residuals, low, high string
	size                       int
	minimum                    float64
	quick                      bool
}{
	{"Rosenbrock", "problems[0].residuals", "-10", "10.1", 2, 0, true},
	{"Freudenstein and Roth", "problems[1].residuals", "-10", "10.1", 2, 0, false},
	{"Powell badly scaled", "problems[2].residuals", "-10", "10.1", 2, 0, false},
	{"Brown badly scaled", "problems[3].residuals", "5e5, 1e-6", "2.1e6, 4.1e-6", 2, 0, false},
	{"Beale", "problems[4].residuals", "-10", "10.1", 2, 0, true},
	{"Jennrich and Sampson", "problems[5].residuals", "-10", "10.1", 2, 124.362182355615, true},
	{"helical valley", "problems[6].residuals", "0.1, -10, -10", "10, 10.1, 9.9", 3, 0, false},
	{"Bard", "problems[7].residuals", "0, 0.1, 0.1", "10, 10.1, 9.9", 3, 8.21487730657897e-3, false},
	{"Gaussian", "problems[8].residuals", "0, 0, -10", "10, 10.1, 9.9", 3, 1.12793276961912e-8, false},
	{"Gulf research and development", "problems[10].residuals", "0.1, 0, 0", "100, 25.6, 5", 3, 0, false},
	{"Box three-dimensional", "problems[11].residuals", "-10", "10.1", 3, 0, false},
	{"Powell singular", "problems[12].residuals", "-10", "10.1", 4, 0, false},
	{"Wood", "problems[13].residuals", "-10", "10.1", 4, 0, true},
	{"extended Rosenbrock", "_rosenbrock", "-10", "10.1", 4, 0, false},
	{"extended Powell singular", "_powellSingular", "-10", "10.1", 4, 0, false},
	{"variably dimensioned", "_variable", "-10", "10.1", 4, 0, false},
	{"trigonometric", "_trigonometric", "-10", "10.1", 4, 0, false},
	{"Brown almost linear", "_almostLinear", "-10", "10.1", 4, 0, false},
	{"discrete boundary value", "_boundary", "-10", "10.1", 4, 0, false},
	{"discrete integral equation", "_integral", "-10", "10.1", 4, 0, false},
	{"Broyden tridiagonal", "_tridiagonal", "-10", "10.1", 4, 0, false},
	{"Broyden banded", "_banded", "-10", "10.1", 4, 0, false},
	{"linear, full rank", "fun x => [(if i < 4 then x[i] else 0) - 2 * sum x / 10 - 1 for i < 10]", "-10", "10.1", 4, 6, false},
	{"Chebyquad", "_chebyquad", "-10", "10.1", 4, 0, false},
}

// TestLeastSquaresInBoxes: the published minima are proved to be the least in a box, to ten digits
// after the point.
func TestLeastSquaresInBoxes(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../testdata/optim/mgh.flx")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range leastSquares {
		if !c.quick && !property.Long() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			bound := func(each string) string {
				if strings.Contains(each, ",") {
					return "[" + each + "]"
				}
				return fmt.Sprintf("(replicate %d (%s))", c.size, each)
			}
			got, d := solved(t, fmt.Sprintf("%s\nminOver %s %s (fun x => let r = (%s) x in inner r r)",
				file, bound(c.low), bound(c.high), c.residuals), 10)
			if d != nil {
				t.Fatal(d)
			}
			lo, _ := got[0].Lo.Float64()
			hi, _ := got[0].Hi.Float64()
			grain := 1e-13 * max(1, c.minimum) // of the minimum as it is written
			if lo > c.minimum+grain || hi < c.minimum-grain || hi-lo > 1.1e-10 {
				t.Errorf("%s, want %v", got[0].Fluxion(), c.minimum)
			}
		})
	}
}
