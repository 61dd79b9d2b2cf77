package fit_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/fit"
)

const lineText = "let line (p : {a : Real, b : Real}) (x : Real) : Real = p.a + p.b * x\n" +
	"let off (p : {a : Real, b : Real}) (x y : Real) : Real = (y - line p x)^2 / 2\n"

// lineFit fits a line to rows of x, y, w and s.
func lineFit(t *testing.T, change func(o *fit.Options)) *fit.Result {
	t.Helper()
	folder := t.TempDir()
	file := write(t, folder, "line.flx", lineText)
	table := write(t, folder, "line.csv",
		"x,y,w,s\n0,1,1,1\n1,3.5,4,0.5\n2,4,1,1\n3,7.5,9,0.25\n4,8,1,2\n")
	o := fit.Options{Function: "line", Kind: fit.Prediction, Data: []string{table},
		Response: []string{"y"},
		Start:    "{a = 0, b = 0}", Level: 0.95}
	change(&o)
	return run(t, file, o)
}

// weighted returns the line by the formula, with the inverse of the sums of squares as covariance.
func weighted(w []float64) (a, b, varA, varB, squares float64) {
	xs, ys := []float64{0, 1, 2, 3, 4}, []float64{1, 3.5, 4, 7.5, 8}
	var s, sx, sy, sxx, sxy float64
	for k, x := range xs {
		s, sx, sy, sxx, sxy = s+w[k], sx+w[k]*x, sy+w[k]*ys[k], sxx+w[k]*x*x, sxy+w[k]*x*ys[k]
	}
	det := s*sxx - sx*sx
	a, b = (sxx*sy-sx*sxy)/det, (s*sxy-sx*sy)/det
	for k, x := range xs {
		squares += w[k] * (ys[k] - a - b*x) * (ys[k] - a - b*x)
	}
	return a, b, sxx / det, s / det, squares
}

// TestWeights compares weights and standard deviations with the formulas for a line.
func TestWeights(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(o *fit.Options)
		w      []float64
		known  bool // the variance
	}{
		{"none", func(*fit.Options) {}, []float64{1, 1, 1, 1, 1}, false},
		{"weight", func(o *fit.Options) { o.Weight = "w" }, []float64{1, 4, 1, 9, 1}, false},
		{"sigma", func(o *fit.Options) { o.Sigma = "s" }, []float64{1, 4, 1, 16, 0.25}, true},
		{"number", func(o *fit.Options) { o.Sigma = "0.5" }, []float64{4, 4, 4, 4, 4}, true},
		{"both", func(o *fit.Options) { o.Weight, o.Sigma = "w", "s" },
			[]float64{1, 16, 1, 144, 0.25}, true},
	} {
		r := lineFit(t, c.change)
		a, b, varA, varB, squares := weighted(c.w)
		variance := squares / 3
		if c.known {
			variance = 1
		}
		for k, want := range []float64{a, b} {
			if digits(r.Q[k], want) < 12 {
				t.Errorf("%s: %s is %v, not %v", c.name, r.Names[k], r.Q[k], want)
			}
		}
		for k, want := range []float64{varA, varB} {
			if want = math.Sqrt(want * variance); digits(r.Errors[k], want) < 10 {
				t.Errorf("%s: the error of %s is %v, not %v", c.name, r.Names[k], r.Errors[k], want)
			}
		}
	}
	// Half the squares as a loss, with the same weights, have the same minimum.
	r := lineFit(t, func(o *fit.Options) {
		o.Function, o.Kind, o.Response, o.Weight = "off",
			fit.Loss, nil, "w"
	})
	if a, _, _, _, squares := weighted([]float64{1, 4, 1, 9, 1}); digits(r.Q[0], a) < 8 ||
		digits(2*r.Loss, squares) < 8 {
		t.Errorf("as a loss: a is %v, not %v", r.Q[0], a)
	}
}

// TestWeightZero: rows of weight 0 are as if they were not there, in every number of the report.
func TestWeightZero(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "line.flx", lineText)
	all := write(t, folder, "all.csv", "x,y,w\n0,1,1\n9,-7,0\n1,3.5,2\n2,4,1\n7,0,0\n3,7.5,3\n5,99,0\n")
	some := write(t, folder, "some.csv", "x,y,w\n0,1,1\n1,3.5,2\n2,4,1\n3,7.5,3\n")
	for _, change := range []func(o *fit.Options){
		func(*fit.Options) {},
		func(o *fit.Options) { o.Method = "newton" },
		func(o *fit.Options) { o.Robust = "huber" },
		func(o *fit.Options) { o.Sigma = "0.5" },
		func(o *fit.Options) { o.Priors = []fit.Given{{Name: "b", Text: "normal 1 0.5"}} },
	} {
		o := fit.Options{Function: "line", Kind: fit.Prediction, Response: []string{"y"}, Weight: "w",
			Start: "{a = 0, b = 0}", Level: 0.95}
		change(&o)
		o.Data = []string{all}
		a := run(t, file, o)
		o.Data = []string{some}
		b := run(t, file, o)
		if a.Freedom != b.Freedom || a.Used != 4 {
			t.Errorf("%s: %d degrees of freedom of %d rows, not %d", o.Method, a.Freedom, a.Used, b.Freedom)
		}
		for k := range a.Q {
			if digits(a.Q[k], b.Q[k]) < 7 || digits(a.Errors[k], b.Errors[k]) < 7 || digits(a.Upper[k], b.Upper[k]) < 7 {
				t.Errorf("%s is %v ± %v, not %v ± %v", a.Names[k], a.Q[k], a.Errors[k], b.Q[k], b.Errors[k])
			}
		}
		if c, d := a.Residuals, b.Residuals; digits(c.RSquared, d.RSquared) < 7 || digits(c.DurbinWatson, d.DurbinWatson) < 7 ||
			digits(c.Normality, d.Normality) < 6 || digits(c.Runs, d.Runs) < 6 {
			t.Errorf("%+v, not %+v", c, d)
		}
	}
}

// TestScales fits a line in units of every size: the answer is that of the unit 1, scaled, or it is
// said what is out of range. No interval excludes its estimate, and no error is 0.
func TestScales(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "line.flx", lineText)
	xs, ys := []float64{0, 1, 2, 3, 4}, []float64{1, 3.5, 4, 7.5, 8}
	type scales struct {
		x, y  float64
		start string
	}
	var all []scales
	for _, c := range []scales{
		{x: 1, y: 1}, {x: 1, y: 1e-100}, {x: 1, y: 1e-140}, {x: 1, y: 1e-160}, {x: 1, y: 1e-170}, {x: 1, y: 1e-300}, {x: 1, y: 1e100}, {x: 1, y: 1e160},
		{x: 1e-100, y: 1},
		{x: 1e-150, y: 1}, {x: 1e-160, y: 1}, {x: 1e-170, y: 1}, {x: 1e100, y: 1}, {x: 1e150, y: 1}, {x: 1e160, y: 1}, {x: 1e-80, y: 1e80}, {x: 1e80, y: 1e-80}, {x: 1e-100, y: 1e-100},
	} {
		for _, c.start = range []string{"{a = 0, b = 0}", "{a = 1, b = 1}"} {
			all = append(all, c)
		}
	}
	for _, c := range all {
		text := "x,y\n"
		for k := range xs {
			text += fmt.Sprintf("%g,%g\n", xs[k]*c.x, ys[k]*c.y)
		}
		o := fit.Options{Function: "line", Kind: fit.Prediction, Data: []string{write(t, folder, "line.csv", text)},
			Response: []string{"y"}, Start: c.start, Level: 0.95}
		r, list := try(file, o, fit.Control{})
		if r == nil {
			if text := fmt.Sprint(list.Sorted()); !strings.Contains(text, "range of doubles") && !strings.Contains(text, "Inf") {
				t.Errorf("%v: %s", c, text)
			}
			continue
		}
		a, b, varA, varB, squares := weighted([]float64{1, 1, 1, 1, 1})
		for k, want := range []struct{ at, variance, unit float64 }{{a, varA, c.y}, {b, varB, c.y / c.x}} {
			if digits(r.Q[k], want.at*want.unit) < 7 {
				t.Errorf("%v: %s is %v", c, r.Names[k], r.Q[k])
			}
			if s := math.Sqrt(want.variance * squares / 3); !math.IsNaN(r.Errors[k]) && digits(r.Errors[k], s*want.unit) < 7 {
				t.Errorf("%v: the error of %s is %v, not %v", c, r.Names[k], r.Errors[k], s*want.unit)
			}
			if math.IsNaN(r.Errors[k]) && len(r.Warnings) == 0 {
				t.Errorf("%v: nothing is said of the error of %s", c, r.Names[k])
			}
			if !math.IsNaN(r.Lower[k]) && !(r.Lower[k] <= r.Q[k] && r.Q[k] <= r.Upper[k]) {
				t.Errorf("%v: %s is %v, not in %v … %v", c, r.Names[k], r.Q[k], r.Lower[k], r.Upper[k])
			}
		}
	}
}

// TestFewRows: with as few rows as parameters it is said what is not determined.
func TestFewRows(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "line.flx", lineText)
	for rows, said := range map[string][]string{
		"1,2\n":           {"does not determine `a`, `b`", "2 parameters and 1 observation leave nothing"},
		"1,2\n2,3\n":      {"2 parameters and 2 observations leave nothing"},
		"1,2\n1,3\n1,4\n": {"does not determine `a`, `b`"},
	} {
		r := run(t, file, fit.Options{Function: "line", Kind: fit.Prediction, Data: []string{write(t, folder, "line.csv", "x,y\n"+rows)},
			Response: []string{"y"}, Start: "{a = 0, b = 0}", Level: 0.95})
		text := strings.Join(r.Warnings, "\n")
		for _, s := range said {
			if !strings.Contains(text, s) {
				t.Errorf("%q: %s", rows, text)
			}
		}
		if math.IsInf(r.Residuals.RSquared, 0) {
			t.Errorf("%q: R² is %v", rows, r.Residuals.RSquared)
		}
	}
}

// TestPrior: with normal errors of known deviation, a normal prior of the slope is one more row.
func TestPrior(t *testing.T) {
	r := lineFit(t, func(o *fit.Options) {
		o.Sigma, o.Priors = "1", []fit.Given{{Name: "b", Text: "normal 1 0.5"}}
	})
	// The normal equations, with 1 / 0.5² = 4 for the prior: [5 10; 10 34] p = (24, 70).
	a, b := (34*24.0-10*70)/70, (5*70-10*24.0)/70
	if digits(r.Q[0], a) < 8 || digits(r.Q[1], b) < 8 {
		t.Errorf("%v, not %v and %v", r.Q, a, b)
	}
}

// TestBounds: an estimate that bounds keep from its place ends there, which is said.
func TestBounds(t *testing.T) {
	r := lineFit(t, func(o *fit.Options) {
		o.Start, o.Bounds = "{a = 0, b = 1}", []fit.Given{{Name: "b", Text: "0:1.5"}}
	})
	if math.Abs(r.Q[1]-1.5) > 1e-6 || !strings.Contains(strings.Join(r.Warnings, "\n"),
		"`b` is at its upper bound") {
		t.Errorf("%v, %v", r.Q, r.Warnings)
	}
	for _, text := range []string{"0:10", "0:", ":10"} {
		free, bounded := lineFit(t, func(*fit.Options) {}), lineFit(t, func(o *fit.Options) {
			o.Start, o.Bounds = "{a = 0.5, b = 0.5}", []fit.Given{{Name: "p", Text: text}}
		})
		for k := range free.Q {
			if digits(bounded.Q[k], free.Q[k]) < 8 ||
				digits(bounded.Errors[k], free.Errors[k]) < 6 {
				t.Errorf("%s: %v ± %v, not %v ± %v", text, bounded.Q, bounded.Errors, free.Q,
					free.Errors)
			}
		}
	}
}

// TestBatches: descents by batches of rows end near the minimum, those by all rows at the least
// objective seen.
func TestBatches(t *testing.T) {
	a, b, _, _, squares := weighted([]float64{1, 1, 1, 1, 1})
	for _, method := range []string{"adam", "sgd"} {
		r := lineFit(t, func(o *fit.Options) {
			o.Method, o.Batch, o.Iterations, o.Seed = method, 2,
				3000, 7
		})
		if math.Abs(r.Q[0]-a) > 0.02 || math.Abs(r.Q[1]-b) > 0.02 || r.Loss < squares/2 {
			t.Errorf("%s: %v, not %v and %v; the objective is %v", method, r.Q, a, b, r.Loss)
		}
		r = lineFit(t, func(o *fit.Options) { o.Method, o.Iterations, o.Rate = method, 40, 0.9 })
		for _, record := range r.History {
			if record.Loss < r.Loss*(1-1e-12) {
				t.Errorf("%s ends at %v, and has been at %v", method, r.Loss, record.Loss)
				break
			}
		}
	}
}

// TestStarts: of several starting points the best end is kept.
func TestStarts(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "wave.flx", "let wave (w : Real) (x : Real) : Real = sin (w * x)\n")
	rows := "x,y\n"
	for _, x := range []string{"0.3", "0.9", "1.7", "2.2", "3.1", "3.9", "5", "6.3"} {
		rows += x + "," + x + "\n"
	}
	table := write(t, folder, "wave.csv", rows)
	o := fit.Options{Function: "wave", Kind: fit.Prediction, Data: []string{table},
		Response: []string{"sin (2.5 * y)"},
		Start:    "7.0", Level: 0.95, Bounds: []fit.Given{{Name: "w", Text: "0.5:8"}}, Seed: 1}
	one := run(t, file, o)
	o.Starts = 20
	many := run(t, file, o)
	if one.Loss < 0.1 || many.Loss > 1e-20 || math.Abs(many.Q[0]-2.5) > 1e-9 ||
		len(many.Ends) != 20 {
		t.Errorf("one start ends at %v with %v, %d at %v with %v", one.Q, one.Loss, len(many.Ends),
			many.Q, many.Loss)
	}
}

// TestRobustIntervals: without outliers, profiles of a robust loss are nearly those of squares.
func TestRobustIntervals(t *testing.T) {
	plain := lineFit(t, func(o *fit.Options) { o.Profile = []string{"all"} })
	r := lineFit(t, func(o *fit.Options) {
		o.Profile, o.Robust, o.Scale = []string{"all"},
			"soft-l1", 1000
	})
	for k, f := range r.Profiles {
		want := plain.Profiles[k]
		if ratio := (f.Upper - f.Lower) / (want.Upper - want.Lower); ratio < 0.5 || ratio > 1.5 {
			t.Errorf("profile of %s: %v … %v, and of squares %v … %v", r.Names[k], f.Lower, f.Upper,
				want.Lower, want.Upper)
		}
	}
}

// TestFigure: the curve is drawn between the rows, and each of several responses has one.
func TestFigure(t *testing.T) {
	r := lineFit(t, func(*fit.Options) {})
	figure := r.Figure(context.Background())
	if len(figure.Facets) != 3 {
		t.Fatalf("%d facets", len(figure.Facets))
	}
	layers := figure.Facets[0].Layers
	if len(layers) != 3 || len(layers[0].Xs) < 100 || len(layers[1].Ys) != len(layers[0].Us) ||
		len(layers[2].Xs) != 5 {
		t.Fatalf("the layers are %v", layers)
	}
	for k, x := range layers[1].Xs {
		at, width := r.Q[0]+r.Q[1]*x, layers[0].Us[k]-layers[0].Ys[k]
		if math.Abs(layers[1].Ys[k]-at) > 1e-12 || !(width > 0) {
			t.Errorf("at %v: %v with a band of %v, not %v", x, layers[1].Ys[k], width, at)
		}
	}
	folder := t.TempDir()
	file := write(t, folder, "two.flx",
		"let two (p : {a : Real, b : Real}) (x : Real) = (p.a * x, p.b + x)\n")
	table := write(t, folder, "two.csv", "x,u,v\n0,0.1,1\n1,2,2.2\n2,4.1,3\n")
	r = run(t, file, fit.Options{Function: "two", Kind: fit.Prediction, Data: []string{table},
		Response: []string{"u", "v"},
		Start:    "{a = 0, b = 0}", Level: 0.95})
	layers = r.Figure(context.Background()).Facets[0].Layers
	if len(layers) != 6 || layers[1].Name != "u" || layers[4].Name != "v" ||
		layers[5].Ys[1] != 2.2 {
		t.Errorf("the layers are %v", layers)
	}
}

// TestSeveralResponses: neighbours and outliers are those of rows, not of the responses of one row.
func TestSeveralResponses(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "two.flx",
		"let two (p : {a : Real, b : Real}) (x : Real) = (p.a + 0 * x, p.b)\n")
	rows := "x,u,v\n"
	for k := range 40 {
		sign := float64(1 - 2*(k%2))
		if k == 11 {
			sign = 60
		}
		rows += fmt.Sprintf("%d,%v,%v\n", k, sign, 3+float64(k)/100)
	}
	table := write(t, folder, "two.csv", rows)
	r := run(t, file, fit.Options{Function: "two", Kind: fit.Prediction, Data: []string{table},
		Response: []string{"u", "v"},
		Start:    "{a = 0, b = 0}", Level: 0.95})
	if !slices.Equal(r.Residuals.Outliers, []int{12}) {
		t.Errorf("outliers: %v", r.Residuals.Outliers)
	}
	one := run(t, file, fit.Options{Function: "two", Kind: fit.Prediction, Data: []string{table},
		Response: []string{"u", "3 + 0*v"},
		Start:    "{a = 0, b = 0}", Level: 0.95})
	if math.Abs(one.Residuals.DurbinWatson-2) > 0.3 { // one great residual: (60² + 60²) / 60²
		t.Errorf("Durbin–Watson: %v", one.Residuals.DurbinWatson)
	}
}
