package fit_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/fit"
)

const growth = "../../examples/fits/growth.flx"

func growthOptions() fit.Options {
	return fit.Options{Function: "size", Kind: fit.Prediction,
		Data:     []string{"../../examples/fits/growth.csv"},
		Response: []string{"size"}, Level: 0.95}
}

// TestMethodsAgree: all methods end at the minimum of Levenberg and Marquardt.
func TestMethodsAgree(t *testing.T) {
	want := run(t, growth, growthOptions())
	for _, method := range []string{"newton", "lbfgs"} {
		o := growthOptions()
		o.Method, o.Bounds = method, []fit.Given{{Name: "rate", Text: "0:"}}
		got := run(t, growth, o)
		for k := range want.Q {
			if d := digits(got.Q[k], want.Q[k]); d < 8 {
				t.Errorf("%s: %s is %v, not %v", method, want.Names[k], got.Q[k], want.Q[k])
			}
		}
	}
}

// TestProfile: of a linear model the profile is the interval of confidence.
func TestProfile(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "line.flx",
		"let line (p : {a : Real, b : Real}) (x : Real) : Real = p.a + p.b * x\n")
	table := write(t, folder, "line.csv", "x,y\n0,1\n1,3.5\n2,4\n3,7.5\n4,8\n")
	r := run(t, file, fit.Options{Function: "line", Kind: fit.Prediction, Data: []string{table},
		Response: []string{"y"},
		Start:    "{a = 0, b = 0}", Level: 0.9, Profile: []string{"all"}})
	for _, f := range r.Profiles {
		if digits(f.Lower, r.Lower[f.Parameter]) < 5 || digits(f.Upper, r.Upper[f.Parameter]) < 5 {
			t.Errorf("%s: profile %v … %v, interval %v … %v", r.Names[f.Parameter], f.Lower,
				f.Upper, r.Lower[f.Parameter], r.Upper[f.Parameter])
		}
	}
}

// TestUndetermined: parameters that only occur as a sum are not determined, which is said.
func TestUndetermined(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "sum.flx",
		"let total (p : {a : Real, b : Real}) (x : Real) : Real = (p.a + p.b) * x\n")
	table := write(t, folder, "sum.csv", "x,y\n1,1\n2,2.5\n3,2.5\n4,4.1\n")
	r := run(t, file, fit.Options{Function: "total", Kind: fit.Prediction, Data: []string{table},
		Response: []string{"y"},
		Start:    "{a = 0, b = 0}", Level: 0.95})
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text,
		"does not determine `a`, `b`") {
		t.Errorf("warnings: %s", text)
	}
}

// TestRobust: an outlier moves a line that is fitted by squares, and hardly one that is not.
func TestRobust(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "line.flx",
		"let line (p : {a : Real, b : Real}) (x : Real) : Real = p.a + p.b * x\n")
	table := write(t, folder, "line.csv",
		"x,y\n0,0.1\n1,0.9\n2,2.05\n3,2.98\n4,4.1\n5,30\n6,6.02\n7,6.9\n8,8.1\n")
	for _, loss := range fit.RobustNames() {
		r := run(t, file, fit.Options{Function: "line", Kind: fit.Prediction, Data: []string{table},
			Response: []string{"y"},
			Start:    "{a = 0, b = 1}", Level: 0.95, Robust: loss, Scale: 0.3})
		if math.Abs(r.Q[1]-1) > 0.05 {
			t.Errorf("%s: the slope is %v", loss, r.Q[1])
		}
	}
}

// TestKnownPosterior: draws of a normal posterior have its mean and deviation. With a normal prior
// of deviation 2 and three observations of deviation 1 the precision is 3 + 1/4.
func TestKnownPosterior(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "mean.flx",
		"let mean' (m : Real) (y : Real) : Real = -((y - m)^2) / 2\n")
	table := write(t, folder, "mean.csv", "y\n1\n2\n4.5\n")
	r := run(t, file, fit.Options{Function: "mean'", Kind: fit.LogLikelihood, Data: []string{table},
		Start: "0", Level: 0.95,
		Method: "nuts", Chains: 4, Draws: 500, Seed: 3, Priors: []fit.Given{{Name: "m",
			Text: "normal 0 2"}}})
	mean, deviation := 7.5/3.25, 1/math.Sqrt(3.25)
	off := math.Abs(r.Q[0]-mean) / deviation * math.Sqrt(r.Draws.ESS[0])
	if off > 4 || math.Abs(r.Errors[0]/deviation-1) > 0.1 || r.Draws.RHat[0] > 1.02 {
		t.Errorf("mean %v, deviation %v, R-hat %v, effective %v; not %v, %v", r.Q[0], r.Errors[0],
			r.Draws.RHat[0], r.Draws.ESS[0], mean, deviation)
	}
}

// TestKnownPosteriors compares draws with posteriors that formulas give: of a probability, whose
// bounds are a change of coordinates, of a positive rate, and of a line, whose parameters are
// correlated.
func TestKnownPosteriors(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "models.flx", strings.Join([]string{
		"let coin (p : Real) (y : Real) : Real = y * log p + (1 - y) * log (1 - p)",
		"let wait (rate : Real) (t : Real) : Real = log rate - rate * t",
		"let line (p : {a : Real, b : Real}) (x : Real) : Real = p.a + p.b * x",
	}, "\n"))
	coins := write(t, folder, "coins.csv", "y\n1\n1\n0\n1\n1\n1\n0\n1\n")
	waits := write(t, folder, "waits.csv", "t\n0.5\n2.5\n1\n")
	line := write(t, folder, "line.csv", "x,y\n1,1\n2,3.5\n3,4\n4,7.5\n")
	posterior := fit.Options{Kind: fit.LogLikelihood, Level: 0.95, Method: "nuts", Chains: 4,
		Draws: 500, Seed: 11}
	coin, wait, lines := posterior, posterior, posterior
	coin.Function, coin.Data, coin.Start, coin.Bounds = "coin", []string{coins}, "0.5", []fit.Given{{Name: "p", Text: "0:1"}}
	wait.Function, wait.Data, wait.Start, wait.Bounds = "wait", []string{waits}, "1.0", []fit.Given{{Name: "rate", Text: "0:"}}
	lines.Function, lines.Data, lines.Start, lines.Kind = "line", []string{line}, "{a = 0, b = 0}", fit.Prediction
	lines.Response, lines.Sigma = []string{"y"}, "0.5"
	for _, c := range []struct {
		name            string
		options         fit.Options
		mean, deviation []float64
	}{
		{"coin", coin, []float64{0.7}, []float64{math.Sqrt(7 * 3 / (100.0 * 11))}}, // Beta(7, 3)
		// Gamma(4, rate 4)
		{"wait", wait, []float64{1}, []float64{0.5}},
		// Least squares: [4 10; 10 30] p = (16, 50), with a quarter of the inverse as covariance.
		{"line", lines, []float64{-1, 2}, []float64{math.Sqrt(30.0 / 20 / 4),
			math.Sqrt(4.0 / 20 / 4)}},
	} {
		r := run(t, file, c.options)
		for k, mean := range c.mean {
			off := math.Abs(r.Q[k]-mean) / c.deviation[k] * math.Sqrt(r.Draws.ESS[k])
			if off > 4 || math.Abs(r.Errors[k]/c.deviation[k]-1) > 0.1 || r.Draws.RHat[k] > 1.05 {
				t.Errorf("%s: %s has mean %v, deviation %v, R-hat %v, effective %v; not %v, %v",
					c.name, r.Names[k],
					r.Q[k], r.Errors[k], r.Draws.RHat[k], r.Draws.ESS[k], mean, c.deviation[k])
			}
		}
	}
}

// TestResume: a fit that is stopped after each number of iterations and continued ends at the same
// doubles.
func TestResume(t *testing.T) {
	folder := t.TempDir()
	for _, method := range []string{"lm", "newton", "lbfgs", "adam", "nuts"} {
		o := growthOptions()
		o.Method, o.Seed, o.Chains, o.Draws = method, 5, 2, 60
		if method == "adam" {
			o.Iterations, o.Batch = 200, 5
		}
		if method == "nuts" {
			o.Sigma = "4"
		}
		want := run(t, growth, o)
		path := filepath.Join(folder, method+".json")
		for {
			stop := &stopAfter{n: 23}
			result, list := tryUntil(growth, o, fit.Control{Watch: stop.watch,
				Checkpoint: &fit.Checkpoint{Path: path, Every: time.Second, Resume: true}}, stop)
			if result == nil {
				t.Fatal(list.Sorted())
			}
			if !stop.stopped {
				for k := range want.Q {
					if result.Q[k] != want.Q[k] {
						t.Errorf("%s: %s is %v, and without interruptions %v", method,
							result.Names[k], result.Q[k], want.Q[k])
					}
				}
				break
			}
		}
	}
}

// TestCheckpointIsKept: a file that is not a checkpoint, or of another fit, is not overwritten.
func TestCheckpointIsKept(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "precious.csv", "x,y\n1,2\n")
	for _, resume := range []bool{false, true} {
		result, list := try(growth, growthOptions(),
			fit.Control{Checkpoint: &fit.Checkpoint{Path: path, Resume: resume}})
		if result != nil || !list.Failed() {
			t.Errorf("resume %v: no error", resume)
		}
	}
	if text, _ := os.ReadFile(path); string(text) != "x,y\n1,2\n" {
		t.Errorf("the file is now %q", text)
	}
}

// stopAfter ends a fit after a number of steps, as Ctrl-C does.
type stopAfter struct {
	n       int
	stopped bool
	cancel  context.CancelFunc
}

func (s *stopAfter) watch(fit.Progress) {
	if s.n--; s.n == 0 {
		s.stopped = true
		s.cancel()
	}
}

func tryUntil(file string, o fit.Options, c fit.Control, s *stopAfter) (*fit.Result, *diag.List) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.cancel = cancel
	return tryWith(ctx, file, o, c)
}
