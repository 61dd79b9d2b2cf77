package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/driver"
)

// sources lists the Fluxion files that people read.
func sources(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"lib/*.flx", "examples/*.flx"} {
		matches, err := filepath.Glob(pattern)
		if err != nil || len(matches) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, matches...)
	}
	return files
}

// TestSourcesAreFormatted holds the library and the examples to the canonical
// layout.
func TestSourcesAreFormatted(t *testing.T) {
	t.Chdir("../..")
	var out bytes.Buffer
	status := dispatch(context.Background(), append([]string{"fmt", "-d"}, sources(t)...), terminal{out: &out, err: &out})
	if status != exitOK {
		t.Error(out.String())
	}
}

// learnt says what the results of some examples begin with: known values, and
// what those that train must have reached.
var learnt = map[string]string{
	"examples/hypergradient.flx": "{curvature = -0.15616422071547",
	"examples/raytracer.flx":     "{slope = -4.535011756492",
	"examples/kinks.flx":         "(1, -1)",
	"examples/figures.flx":       "A damped oscillation",
	"examples/nested.flx":        "(1, [32, 80, 160, 240, 240])",
	"examples/boxes.flx":         "[(-1, -1), (1, 1)]",
	"examples/descent.flx":       "2.999",
	"examples/classifier.flx":    "{after = 1, before = 0.16",
	"examples/lstm.flx":          "{after = 1, before = 0.4",
	"examples/sequence.flx":      "{after = 0.04",
	"examples/pendulum.flx":      "{converged = true, iterations = 6, pendulum = {friction = 0.30083",
	// the values that the literature and other programs have for these data
	"examples/kalman.flx":          "{levelIn1970 = 798.36",
	"examples/logistic.flx":        "{chanceAt31Degrees = 0.9996087828849",
	"examples/survival.flx":        "{errorOfItsLogarithm = 0.310639",
	"examples/kinetics.flx":        "{enzyme = {change = 42.02597",
	"examples/epidemic.flx":        "{errorOfReproduction = 0.12576",
	"examples/yieldcurve.flx":      "{bond = 97.51035",
	"examples/greeks.flx":          "{delta = 0.43320437049224",
	"examples/hmc.flx":             "{acceptance = 0.9",
	"examples/attention.flx":       "{allLearnt = true, lossBefore = 1.0806",
	"examples/principal.flx":       "{first = [",
	"examples/counts.flx":          "{chanceOfWorseFit = 0.87194",
	"examples/spectrum.flx":        "{period = 9.615",
	"examples/gaussianprocess.flx": "{forecasts = [{error = 0.152",
	"examples/control.flx":         "{converged = true, cost = 0.06845",
	"examples/people.flx":          "{coefficients = {base = 63.12037749", // by the normal equations
	"examples/cooling.flx":         "{curve = [{celsius = 87.687948",
}

// TestExamples runs every example; none has a lint.
func TestExamples(t *testing.T) {
	t.Setenv("FLUXION_ENGINE", driver.BestEngine()) // as users run them
	t.Chdir("../..")
	examples, err := filepath.Glob("examples/*.flx")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range examples {
		var out, errors bytes.Buffer
		status := dispatch(context.Background(), []string{"run", file}, terminal{out: &out, err: &errors})
		if status != exitOK || out.Len() == 0 || errors.Len() > 0 {
			t.Errorf("%s: status %d, says %q, complains %q", file, status, out.String(), errors.String())
		}
		if want := learnt[filepath.ToSlash(file)]; !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: says %q, should say %q", file, out.String(), want)
		}
	}
}
