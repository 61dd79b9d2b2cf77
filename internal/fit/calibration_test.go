package fit_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/fit"
	"gonum.org/v1/gonum/stat/distuv"
)

var calibrations = flag.Int("calibrations", 20, "how many data sets TestCalibration draws for each model; 300 tell something")

// calibrated is a model whose prior and data can be drawn.
type calibrated struct {
	name, text, start string
	priors            []fit.Given
	prior             func(r *rand.Rand) []float64
	data              func(r *rand.Rand, q []float64) string
	bounds            []fit.Given
}

var calibratedModels = []calibrated{
	{ // conjugate: a normal mean, with a normal prior
		name: "normal", text: "let model (m : Real) (y : Real) : Real = -((y - m)^2) / 2\n", start: "0",
		priors: []fit.Given{{Name: "m", Text: "normal 1 2"}},
		prior:  func(r *rand.Rand) []float64 { return []float64{1 + 2*r.NormFloat64()} },
		data: func(r *rand.Rand, q []float64) string {
			text := "y\n"
			for range 3 {
				text += fmt.Sprintln(q[0] + r.NormFloat64())
			}
			return text
		},
	},
	{ // not conjugate: a Poisson regression
		name: "poisson", text: "let model (p : {a : Real, b : Real}) (x y : Real) : Real = let l = p.a + p.b * x in y * l - exp l\n",
		start:  "{a = 0, b = 0}",
		priors: []fit.Given{{Name: "a", Text: "normal 0 1"}, {Name: "b", Text: "normal 0 0.5"}},
		prior:  func(r *rand.Rand) []float64 { return []float64{r.NormFloat64(), 0.5 * r.NormFloat64()} },
		data: func(r *rand.Rand, q []float64) string {
			text := "x,y\n"
			for k := range 8 {
				x := float64(k-4) / 2
				poisson := distuv.Poisson{Lambda: math.Exp(q[0] + q[1]*x), Src: r}
				text += fmt.Sprintf("%g,%g\n", x, poisson.Rand())
			}
			return text
		},
	},
}

// TestCalibration returns the calibration of the sampler by simulation (Talts and others 2018): the
// parameters are drawn from the prior, the data from the model, and the posterior of that data by
// nuts. If the sampler is right, the rank of the parameter among independent draws is uniform.
// Draws of one chain are thinned to be nearly independent.
func TestCalibration(t *testing.T) {
	const ranks, thin = 15, 8 // draws that are ranked with: 16 ranks
	for _, m := range calibratedModels {
		t.Run(m.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(17, 4))
			folder := t.TempDir()
			file := write(t, folder, "model.flx", m.text)
			var counts [][]int
			for k := range *calibrations {
				q := m.prior(random)
				o := fit.Options{Function: "model", Kind: fit.LogLikelihood, Start: m.start, Level: 0.95, Method: "nuts",
					Chains: 1, Warmup: 200, Draws: ranks * thin, Seed: uint64(k) + 1, Priors: m.priors, Bounds: m.bounds,
					Data: []string{write(t, folder, "data.csv", m.data(random, q))}}
				r := run(t, file, o)
				if counts == nil {
					counts = make([][]int, len(q))
					for i := range counts {
						counts[i] = make([]int, ranks+1)
					}
				}
				for i := range q {
					rank := 0
					for d := thin - 1; d < ranks*thin; d += thin {
						if r.Draws.Chains[0][d][i] < q[i] {
							rank++
						}
					}
					counts[i][rank]++
				}
			}
			for i, list := range counts {
				// Four classes of four ranks each, so that each expects enough.
				squares, expected := 0.0, float64(*calibrations)/4
				for c := range 4 {
					seen := 0
					for _, n := range list[4*c : 4*c+4] {
						seen += n
					}
					squares += math.Pow(float64(seen)-expected, 2) / expected
				}
				if p := (distuv.ChiSquared{K: 3}).Survival(squares); p < 1e-4 {
					t.Errorf("the ranks of parameter %d are %v: p = %.1e", i, list, p)
				} else {
					t.Logf("ranks of parameter %d: %v, p = %.3f", i, list, p)
				}
			}
		})
	}
}
