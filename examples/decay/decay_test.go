package decay_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
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
	module := export.Functions(world, unit, export.Options{Functions: []string{"concentration", "loss", "rosenbrock"},
		Grad: true, Hessian: true, By: []string{"theta"}}, &list)
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
	functions, d := unit.Functions(driver.Settings{Limits: interp.DefaultLimits(), Engine: "interp"}, "lossGrad", "lossHessian", "rosenbrockGrad", "value", "decayed")
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
		agree("the concentration", y, call("decayed", value.Real(theta[0]), value.Real(theta[1]), value.Real(times[0])))
		g, err := decay.LossGrad(theta, times, values)
		if err != nil {
			t.Fatal(err)
		}
		wantG := call("lossGrad", args...)
		n, m, h, err := decay.LossHessian(theta, times, values)
		if err != nil || n != 2 || m != 2 {
			t.Fatal(n, m, err)
		}
		wantH := call("lossHessian", args...)
		for i := range 2 {
			agree("the gradient", g[i], value.At(wantG, i))
			for j := range 2 {
				agree("the Hessian", h[2*i+j], value.At(value.At(wantH, i), j))
			}
		}
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
