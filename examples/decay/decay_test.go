package decay_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/fluxion-lang/fluxion/examples/decay"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/export"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

func load(t *testing.T, name, text string) (*driver.World, *driver.Unit) {
	t.Helper()
	world := driver.NewWorld(nil)
	var list diag.List
	unit := world.LoadFile("decay.flx", &list)
	if text != "" && unit != nil {
		unit = world.LoadText(name, text, []*driver.Unit{unit}, &list)
	}
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	return world, unit
}

// TestGenerated: the package is what the command makes of the program.
func TestGenerated(t *testing.T) {
	world, unit := load(t, "", "")
	var list diag.List
	module := export.Functions(context.Background(), world, unit, export.Options{
		Functions: []string{"concentration", "loss", "misfit", "rosenbrock"},
		Grad:      true, Hessian: true, By: []string{"theta", "drug"}, Typed: true}, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	files, err := module.Print("go")
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(files[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(files[0].Text) {
		t.Errorf("%s is not up to date: run go generate", files[0].Name)
	}
}

// TestInterpreter compares the package with the interpreter at random points.
func TestInterpreter(t *testing.T) {
	_, unit := load(t, "derivatives", `
let lossGrad theta times values = grad (fun theta => loss theta times values) theta
let lossHessian theta times values = hessian (fun theta => loss theta times values) theta
let rosenbrockGrad x = grad rosenbrock x
let value theta times values = loss theta times values
let decayed dose rate time = concentration dose rate time
`)
	functions, d := unit.Functions(context.Background(), driver.Settings{Limits: interp.DefaultLimits(),
		Engine: "interp"}, "lossGrad", "lossHessian", "rosenbrockGrad", "value", "decayed")
	if d != nil {
		t.Fatal(d)
	}
	call := func(name string, args ...value.Value) value.Value {
		t.Helper()
		v, d := functions.Call(context.Background(), name, args...)
		if d != nil {
			t.Fatal(d)
		}
		return v
	}
	agree := func(what string, got float64, want any) {
		t.Helper()
		w := float64(want.(value.Real))
		if math.Abs(got-w) > 1e-12*math.Max(1, math.Abs(w)) {
			t.Errorf("%s is %v, and %v in the interpreter", what, got, w)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = 3 * random.Float64()
		}
		return xs
	}
	for range 20 {
		theta, times, values := numbers(2), numbers(5), numbers(5)
		args := []value.Value{value.Reals(theta), value.Reals(times), value.Reals(values)}
		y, err := decay.Loss(theta, times, values)
		if err != nil {
			t.Fatal(err)
		}
		agree("the loss", y, call("value", args...))
		y, _ = decay.Concentration(theta[0], theta[1], times[0])
		agree("the concentration", y, call("decayed", value.Real(theta[0]), value.Real(theta[1]),
			value.Real(times[0])))
		g, err := decay.LossGrad(theta, times, values)
		if err != nil {
			t.Fatal(err)
		}
		wantG := call("lossGrad", args...)
		h, err := decay.LossHessian(theta, times, values)
		if err != nil || len(h) != 2 || len(h[0]) != 2 {
			t.Fatal(h, err)
		}
		wantH := call("lossHessian", args...)
		for i := range 2 {
			agree("the gradient", g[i], value.At(wantG, i))
			for j := range 2 {
				agree("the Hessian", h[i][j], value.At(value.At(wantH, i), j))
			}
		}
		// The same, with a record of parameters and rows of records.
		drug, samples := decay.Drug{Dose: theta[0], Rate: theta[1]}, []decay.Sample{}
		for i := range times {
			samples = append(samples, decay.Sample{Time: times[i], Value: values[i]})
		}
		y, err = decay.Misfit(drug, samples)
		if err != nil {
			t.Fatal(err)
		}
		agree("the misfit", y, call("value", args...))
		slope, err := decay.MisfitGrad(drug, samples)
		if err != nil {
			t.Fatal(err)
		}
		agree("its gradient", slope.Dose, value.At(wantG, 0))
		agree("its gradient", slope.Rate, value.At(wantG, 1))
		bend, err := decay.MisfitHessian(drug, samples)
		if err != nil {
			t.Fatal(err)
		}
		agree("its Hessian", bend.Dose.Rate, value.At(value.At(wantH, 0), 1))
		agree("its Hessian", bend.Rate.Rate, value.At(value.At(wantH, 1), 1))
		x := numbers(6)
		g, err = decay.RosenbrockGrad(x)
		if err != nil {
			t.Fatal(err)
		}
		want := call("rosenbrockGrad", value.Reals(x))
		for i := range x {
			agree("the gradient of rosenbrock", g[i], value.At(want, i))
		}
	}
	if _, err := decay.Loss(numbers(2), numbers(3), numbers(4)); err != decay.ErrRange {
		t.Errorf("arrays of different lengths: %v", err)
	}
}

// TestConcurrent calls the functions from several goroutines with the same arguments, which the
// race detector watches.
func TestConcurrent(t *testing.T) {
	theta, times, values := []float64{2, 0.5}, []float64{0, 1, 2}, []float64{2, 1, 1}
	want, err := decay.LossGrad(theta, times, values)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 100 {
				got, err := decay.LossGrad(theta, times, values)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%v: %v", got, err)
				}
				if _, err := decay.MisfitHessian(decay.Drug{Dose: 2, Rate: 0.5},
					[]decay.Sample{{Time: 1, Value: 1}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}
