package fit_test

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/fit"
)

// TestCertifiedReferences proves minima of the reference problems. The published values, which have
// 11 digits, are the proved ones, rounded: nothing in the two computations is shared.
func TestCertifiedReferences(t *testing.T) {
	some := []string{"misra1a", "boxbod", "rat42", "lanczos1"}
	for name, r := range references(t) {
		if !*everything && !slices.Contains(some, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			result := run(t, "testdata/nist/models.flx", r.options(r.far))
			if d := result.Certify(context.Background()); d != nil {
				t.Fatal(d)
			}
			for i, name := range r.names {
				agree(t, name, result.Certificate.Parameters[i], r.values[i])
				agree(t, "the error of "+name, result.Certificate.Others[i], r.deviations[i])
				if _, n := fit.Decimal(result.Certificate.Errors[i], 15); n < 12 {
					t.Errorf("the error of %s has %d digits", name, n)
				}
			}
		})
	}
}

// agree compares an enclosure with a published number: its 11 digits, up to two units of the last
// one, since some of the published ones are not rounded to nearest.
func agree(t *testing.T, name string, e exact.Enclosure, published float64) {
	t.Helper()
	unit := new(big.Float).SetPrec(100)
	unit.SetString(fmt.Sprintf("%.0e", published))
	unit.Mul(unit.Abs(unit), big.NewFloat(2e-10))
	middle := new(big.Float).SetPrec(200).Add(e.Lo, e.Hi)
	middle.Quo(middle, big.NewFloat(2))
	off := new(big.Float).Sub(middle, big.NewFloat(published))
	if off.Abs(off).Cmp(unit) > 0 {
		t.Errorf("%s is certified as %s, and published as %v", name, middle.Text('g', 15),
			published)
	}
}

// write makes a file of a test.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCertifyInTime: a proof ends with its context, and is then said to be unfinished.
func TestCertifyInTime(t *testing.T) {
	o := references(t)["gauss1"].options(references(t)["gauss1"].near)
	for _, limit := range []time.Duration{0, 3 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond} {
		result := run(t, "testdata/nist/models.flx", o)
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		began := time.Now()
		d := result.Certify(ctx)
		if took := time.Since(began); took > limit+10*time.Second { // the machine may be busy
			t.Errorf("with %v it took %v", limit, took)
		}
		cancel()
		if d == nil && limit == 0 || d != nil && (d.Code != diag.Unproved || !strings.Contains(d.Message, "not finished")) {
			t.Errorf("%v: %v", limit, d)
		}
		if (d == nil) != (result.Certificate != nil) {
			t.Errorf("%v: there is half a proof", limit)
		}
	}
}

// TestUnproved: what is not a strict local minimum is not proved to be one.
func TestUnproved(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "models.flx", strings.Join([]string{
		"let saddle (p : {a : Real, b : Real}) : Real = p.a^2 - p.b^2 + p.b^4",
		"let flat (p : {a : Real, b : Real}) : Real = (p.a + p.b)^2",
		"let quartic (p : {a : Real}) : Real = p.a^4",
		"let kink (p : {a : Real}) : Real = abs p.a",
		"let good (p : {a : Real, b : Real}) : Real = (p.a - 1/3)^2 + (p.a * p.b - 1)^2",
	}, "\n"))
	for _, c := range []struct{ function, start string }{
		{"saddle", "{a = 0, b = 0}"}, {"flat", "{a = 1, b = -1}"}, {"quartic", "{a = 0}"}, {"kink",
			"{a = 0}"},
	} {
		o := fit.Options{Function: c.function, Kind: fit.Loss, Start: c.start, Level: 0.95,
			Method: "adam", Iterations: 1, Rate: 1e-300}
		result, list := try(file, o, fit.Control{})
		if result == nil {
			continue // there is no derivative to begin with
		}
		if d := result.Certify(context.Background()); d == nil || d.Code != diag.Unproved {
			t.Errorf("%s: %v %v", c.function, d, list.Sorted())
		}
	}
	result := run(t, file, fit.Options{Function: "good", Kind: fit.Loss, Start: "{a = 0.1, b = 1}",
		Level: 0.95})
	if d := result.Certify(context.Background()); d != nil {
		t.Fatal(d)
	}
	if text, n := fit.Decimal(result.Certificate.Parameters[0], 15); text != "0.333333333333333" ||
		n != 15 {
		t.Errorf("a is %s, with %d digits", text, n)
	}
}
