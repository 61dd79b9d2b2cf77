package gonumflux_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/optimize"

	"github.com/fluxion-lang/fluxion"
	"github.com/fluxion-lang/fluxion/gonumflux"
)

const program = `
let rosenbrock (x : []Real) : Real =
  sum [100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 for i < length x - 1]
let broken (x : []Real) : Real = if x[0] < 0 then x[7] else x[0]^2 + x[1]
let slow (x : []Real) : Real = (loop s = x[0] for i < 100000000 do sin s) + x[0]^2
`

func ExampleProblem() {
	p, err := fluxion.Parse("rosenbrock.flx", program)
	if err != nil {
		log.Fatal(err)
	}
	problem, err := gonumflux.Problem(context.Background(), p, "rosenbrock")
	if err != nil {
		log.Fatal(err)
	}
	for _, method := range []optimize.Method{&optimize.LBFGS{}, &optimize.Newton{}} {
		result, err := optimize.Minimize(problem, []float64{-1.2, 1, 0.5}, nil, method)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%T: %.4f\n", method, result.X)
	}
	// Output:
	// *optimize.LBFGS: [1.0000 1.0000 1.0000]
	// *optimize.Newton: [1.0000 1.0000 1.0000]
}

func TestFailure(t *testing.T) {
	p, err := fluxion.Parse("rosenbrock.flx", program)
	if err != nil {
		t.Fatal(err)
	}
	problem, err := gonumflux.Problem(context.Background(), p, "broken")
	if err != nil {
		t.Fatal(err)
	}
	_, err = optimize.Minimize(problem, []float64{1, 1}, nil, &optimize.LBFGS{})
	var e *fluxion.Error
	if !errors.As(err, &e) || e.Diagnostics[0].Code != "E0501" {
		t.Errorf("a program that fails: %v", err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	slow, err := gonumflux.Problem(ctx, p, "slow")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err = optimize.Minimize(slow, []float64{1}, nil, &optimize.LBFGS{}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("a deadline: %v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("ended after %v", took)
	}
	if _, err := gonumflux.Problem(ctx, p, "rosenbroc"); err == nil {
		t.Error("a name that is not defined")
	}
	if y := slow.Func([]float64{1}); !math.IsNaN(y) {
		t.Errorf("the value after the deadline is %v", y)
	}
}
