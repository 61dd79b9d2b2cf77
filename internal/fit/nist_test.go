package fit_test

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/fit"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

var everything = flag.Bool("everything", false,
	"run all reference problems, from all starts, and certify all of them")

// reference is a problem of NIST's reference datasets, whose certified values have 11 digits.
type reference struct {
	name               string
	names              []string
	far, near          []string // starting points: the far one is the harder one
	values, deviations []float64
	rss                float64
}

// references reads the problems.
func references(t *testing.T) map[string]*reference {
	all := map[string]*reference{}
	read := func(file string) [][]string {
		text, err := os.ReadFile(filepath.Join("testdata", "nist", file))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows[1:]
	}
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, row := range read("sums.csv") {
		all[row[0]] = &reference{name: row[0], rss: number(row[1])}
	}
	for _, row := range read("certified.csv") {
		r := all[row[0]]
		r.names = append(r.names, row[1])
		r.far, r.near = append(r.far, row[2]), append(r.near, row[3])
		r.values, r.deviations = append(r.values, number(row[4])), append(r.deviations,
			number(row[5]))
	}
	return all
}

// options returns those of a fit of the problem from a start.
func (r *reference) options(start []string) fit.Options {
	var fields []string
	for k, name := range r.names {
		fields = append(fields, name+" = "+start[k])
	}
	y := "y"
	if r.name == "nelson" {
		y = "log y"
	}
	return fit.Options{Function: r.name, Kind: fit.Prediction,
		Data:     []string{"testdata/nist/" + r.name + ".csv"},
		Response: []string{y}, Start: "{" + strings.Join(fields, ", ") + "}", Level: 0.95}
}

// run fits a model of a file.
func run(t *testing.T, file string, o fit.Options) *fit.Result {
	t.Helper()
	result, list := try(file, o, fit.Control{})
	for _, d := range list.Sorted() {
		t.Fatalf("%s: %v %v", o.Function, d, d.Hints)
	}
	return result
}

func try(file string, o fit.Options, c fit.Control) (*fit.Result, *diag.List) {
	return tryWith(context.Background(), file, o, c)
}

func tryWith(ctx context.Context, file string, o fit.Options, c fit.Control) (*fit.Result,
	*diag.List) {
	var list diag.List
	w := driver.NewWorld(nil)
	u := w.LoadFile(file, &list)
	if u == nil || list.Failed() {
		return nil, &list
	}
	settings := driver.Settings{Engine: driver.BestEngine(), Limits: interp.DefaultLimits()}
	return fit.Fit(ctx, w, u, o, settings, c, &list), &list
}

// digits is to how many digits two numbers agree.
func digits(x, y float64) float64 {
	return -math.Log10(math.Abs(x-y)/math.Abs(y) + 1e-17)
}

// TestReferenceProblems fits the reference problems from their far starts. Estimates, standard
// errors and sums of squares agree with the certified ones to all digits that these have, nearly.
func TestReferenceProblems(t *testing.T) {
	all := references(t)
	some := []string{"misra1a", "boxbod", "lanczos2", "nelson"}
	for name, r := range all {
		if !*everything && !slices.Contains(some, name) {
			continue
		}
		starts := [][]string{r.far}
		if *everything {
			starts = append(starts, r.near)
		}
		for k, start := range starts {
			t.Run(fmt.Sprintf("%s/%d", name, k+1), func(t *testing.T) {
				result := run(t, "testdata/nist/models.flx", r.options(start))
				if !result.Converged() {
					t.Errorf("not converged: %s", result.Reason)
				}
				for i, name := range r.names {
					if d := digits(result.Q[i], r.values[i]); d < 9.5 {
						t.Errorf("%s is %v, not %v: %.1f digits", name, result.Q[i], r.values[i], d)
					}
					// The sum of squares of lanczos1 is 1e-25: its data is the model, to all
					// digits.
					if d := digits(result.GaussNewton[i], r.deviations[i]); d < 9 &&
						r.name != "lanczos1" {
						t.Errorf("the error of %s is %v, not %v: %.1f digits", name,
							result.GaussNewton[i], r.deviations[i], d)
					}
				}
				if d := digits(2*result.Loss, r.rss); d < 9 && r.name != "lanczos1" {
					t.Errorf("the sum of squares is %v, not %v: %.1f digits", 2*result.Loss, r.rss,
						d)
				}
			})
		}
	}
}
