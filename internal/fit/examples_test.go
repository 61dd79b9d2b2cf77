package fit_test

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/fit"
)

// TestExamples fits the models of examples/fits, whose estimates are published or were used to make
// the data up.
func TestExamples(t *testing.T) {
	folder := "../../examples/"
	for _, c := range []struct {
		file      string
		options   fit.Options
		want      map[string]float64
		tolerance float64
	}{
		{"kinetics", fit.Options{Function: "speed", Kind: fit.Prediction,
			Data:     []string{folder + "data/puromycin.csv"},
			Response: []string{"rate"}, Bounds: []fit.Given{{Name: "half", Text: "0:"}}},
			// R's documentation of nls
			map[string]float64{"top": 166.6041, "change": 42.0260, "half": 0.05797}, 1e-4},
		{"orbit", fit.Options{Function: "position", Kind: fit.Prediction,
			Data:     []string{folder + "fits/orbit.csv"},
			Response: []string{"x", "y"}, Bounds: []fit.Given{{Name: "eccentricity", Text: "0:1"}}},
			map[string]float64{"axis": 2.4, "eccentricity": 0.35, "period": 4.1}, 1e-3},
		{"sphere", fit.Options{Function: "distance", Kind: fit.Prediction,
			Data:     []string{folder + "fits/sphere.csv"},
			Response: []string{"depth"}, Bounds: []fit.Given{{Name: "radius", Text: "0:"}}},
			map[string]float64{"center[2]": 5, "radius": 1.2}, 5e-3},
		{"process", fit.Options{Function: "evidence", Kind: fit.LogLikelihood,
			Data:   []string{folder + "data/nile.csv"},
			Bounds: []fit.Given{{Name: "p", Text: "0:"}}},
			map[string]float64{"deviation": 118.87, "noise": 116.08}, 1e-3},
		{"flowers", fit.Options{Function: "surprise", Kind: fit.Loss,
			Data:   []string{folder + "data/iris.csv"},
			Method: "adam", Batch: 30, Iterations: 300, Seed: 1}, nil, 0},
		{"stiff", fit.Options{Function: "course", Kind: fit.Prediction,
			Data:     []string{folder + "fits/stiff.csv"},
			Response: []string{"product", "between"}, Bounds: []fit.Given{{Name: "k",
				Text: "0:"}}, Start: "{slow = 0.5, fast = 40}"},
			map[string]float64{"slow": 0.8, "fast": 60}, 0.1},
		{"schools", fit.Options{Function: "score", Kind: fit.LogLikelihood,
			Data: []string{folder + "fits/schools.csv"}, Method: "nuts",
			Chains: 2, Draws: 100, Seed: 1, Bounds: []fit.Given{{Name: "spread", Text: "0:"}}},
			map[string]float64{"mean": 4.4}, 0.4},
	} {
		if c.file == "stiff" && !*everything { // a solution takes a second
			continue
		}
		t.Run(c.file, func(t *testing.T) {
			c.options.Level = 0.95
			r := run(t, folder+"fits/"+c.file+".flx", c.options)
			for k, name := range r.Names {
				if want, ok := c.want[name]; ok && math.Abs(r.Q[k]/want-1) > c.tolerance {
					t.Errorf("%s is %v, not %v", name, r.Q[k], want)
				}
			}
			if c.file == "flowers" && r.Loss > 15 { // of 150 flowers; guessing costs 165
				t.Errorf("the loss is %v", r.Loss)
			}
		})
	}
}
