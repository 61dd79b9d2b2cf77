package suite

import (
	"context"
	"math"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/driver"
)

// small are instances of every program that run in no time.
func small() []instance {
	return []instance{
		{"gmm", "gmm", gmm(3, 2)},
		{"ba", "ba", ba(0, 2, 3, 20)},
		{"lstm", "lstm", lstm(2, 8)},
		{"hand_simple", "hand", smallHand(false)},
		{"hand_complicated", "hand", smallHand(true)},
		{"mlp", "mlp", mlp(5, 4, 3, 6)},
		{"rnn", "rnn", rnn(3, 5)},
		{"kalman", "kalman", kalman(20)},
		{"blackscholes", "blackscholes", blackScholes(50)},
		{"lotka", "lotka", lotka(20)},
		{"transformer", "transformer", transformer(3, 4, 2)},
		{"conv", "conv", conv(2, 5, 2, 3)},
		{"hmc", "hmc", hmc(4)},
		{"sparse", "sparse", chain(12)},
	}
}

func smallHand(complicated bool) func(string) (*problem, error) {
	return func(string) (*problem, error) {
		in := madeUpHand(random(), 4, 3, complicated)
		return &problem{input: in, numbers: in.numbers()}, nil
	}
}

// TestBaselines compares the gradients of the programs with those that are written by hand in C.
func TestBaselines(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	flags = []string{"-O0"}
	runner := &Runner{Time: time.Millisecond}
	defer runner.Close()
	covered := map[string]bool{}
	for _, i := range small() {
		covered[i.program] = true
		rows, err := runner.run(context.Background(), i, []string{driver.BestEngine()})
		if err != nil {
			t.Errorf("%s: %v", i.name, err)
			continue
		}
		r := rows[0]
		switch {
		case r.Failure != "":
			t.Errorf("%s: %s", i.name, r.Failure)
		case r.Grad == nil || r.Primal == nil || runner.baseline.built[i.program] != "" && (r.Error == nil || r.CGrad == nil || r.CPrimal == nil):
			t.Errorf("%s: not everything was measured: %+v", i.name, r)
		case r.Error != nil && *r.Error > Tolerance:
			t.Errorf("%s: the gradients differ by %g", i.name, *r.Error)
		}
	}
	for _, i := range instances() {
		if !covered[i.program] {
			t.Errorf("no small instance has the program of %s", i.name)
		}
	}
}

// TestPrinted compares gradients with those of the loop form, printed as C.
func TestPrinted(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	flags = []string{"-O0"}
	runner := &Runner{Time: time.Millisecond}
	defer runner.Close()
	if err := runner.Compare(t.Context(), "", []string{Printed}); err != nil {
		t.Fatal(err)
	}
	for _, i := range small() {
		if i.program != "kalman" {
			continue
		}
		rows, err := runner.run(t.Context(), i, []string{driver.BestEngine()})
		if err != nil {
			t.Fatal(err)
		}
		if r := rows[1]; r.Engine != Printed || r.Failure != "" || r.Error == nil || *r.Error > Tolerance || *r.Grad <= 0 {
			t.Errorf("%s in %s: %s %v", i.name, r.Engine, r.Failure, r.Error)
		}
	}
}

func TestQuotients(t *testing.T) {
	row := func(instance, engine string, value, gradient float64) Row {
		return Row{Instance: instance, Engine: engine, Primal: &value, Grad: &gradient}
	}
	rows := []Row{row("a", "jit", 1, 2), row("a", "gcc", 2, 1), row("b", "jit", 3, 3), row("b", "gcc", 3, 3), row("c", "jit", 9, 9)}
	if q, some := Quotients(rows, "jit", "gcc"); !some || math.Abs(q.Mean-1) > 1e-12 || q.Largest != 2 || q.Instance != "a" {
		t.Errorf("%+v", q)
	}
	if _, some := Quotients(rows, "portable", "gcc"); some {
		t.Error("there are none to compare")
	}
}

// TestPeers compares the gradients of the programs with those of other systems, with the Python
// that BENCH_PYTHON names.
func TestPeers(t *testing.T) {
	python := os.Getenv("BENCH_PYTHON")
	if python == "" {
		t.Skip("BENCH_PYTHON names no Python with JAX and PyTorch")
	}
	runner := &Runner{Time: time.Millisecond}
	defer runner.Close()
	if err := runner.Compare(t.Context(), python, Peers); err != nil {
		t.Fatal(err)
	}
	for _, i := range small() {
		rows, err := runner.run(t.Context(), i, []string{driver.BestEngine()})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows[1:] {
			if r.Failure != "" || r.Error == nil || *r.Error > Tolerance {
				t.Errorf("%s in %s: %s %v", i.name, r.Engine, r.Failure, r.Error)
			}
		}
	}
}

// TestReferences compares gradients with the references in the folder that ADBENCH_DATA names.
func TestReferences(t *testing.T) {
	folder := os.Getenv("ADBENCH_DATA")
	if folder == "" {
		t.Skip("ADBENCH_DATA names no folder")
	}
	runner := &Runner{Time: time.Millisecond, Data: folder}
	defer runner.Close()
	for _, i := range instances() {
		rows, err := runner.run(context.Background(), i, []string{driver.BestEngine()})
		if err != nil {
			t.Errorf("%s: %v", i.name, err)
		} else if r := rows[0]; r.Failure != "" || r.Error != nil && *r.Error > Tolerance {
			t.Errorf("%s: %s %v", i.name, r.Failure, *r.Error)
		}
	}
}

// TestDistance: the measure of errors sees what is missing and what is not a number.
func TestDistance(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		xs, ref []float64
		low     float64
		high    float64
	}{
		{[]float64{1, 2}, []float64{1, 2}, 0, 0},
		{[]float64{1, 2.2}, []float64{1, 2}, 0.0999, 0.1},
		{[]float64{1e-9, 2}, []float64{0, 2}, 4e-4, 6e-4},
		{[]float64{1}, []float64{1, 2}, 1e300, math.MaxFloat64},
		{[]float64{nan, 2, 3}, []float64{1, 2, 4}, 1e300, math.MaxFloat64},
	} {
		if got := distance(tc.xs, tc.ref); got < tc.low || got > tc.high {
			t.Errorf("%v against %v: %g", tc.xs, tc.ref, got)
		}
	}
}
