// Package gonumflux turns functions of Fluxion programs into problems for gonum's optimisers. It
// is a separate package, so that programs that do not optimise are not linked with
// gonum/optimize. The types of gonum/mat need no adapter: functions that package fluxion binds
// take and return them.
package gonumflux

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/fluxion-lang/fluxion"
)

// Problem returns a definition of type []Real -> Real as a problem for optimize.Minimize, with
// its gradient and its Hessian. If the context ends or the program fails, the optimisation ends
// with that error.
func Problem(ctx context.Context, p *fluxion.Program, name string,
	options ...fluxion.Option) (optimize.Problem, error) {
	type (
		value    = func(context.Context, []float64) (float64, error)
		gradient = func(ctx context.Context, grad, x []float64) error
		hessian  = func(ctx context.Context, hess *mat.SymDense, x []float64) error
	)
	f, err := fluxion.Bind[value](p, name, options...)
	if err != nil {
		return optimize.Problem{}, err
	}
	g, err := fluxion.Grad[gradient](p, name, options...)
	if err != nil {
		return optimize.Problem{}, err
	}
	h, err := fluxion.Hessian[hessian](p, name, options...)
	if err != nil {
		return optimize.Problem{}, err
	}
	var failed failure
	return optimize.Problem{
		Func: func(x []float64) float64 {
			y, err := f(ctx, x)
			if err != nil {
				failed.note(err)
				return math.NaN()
			}
			return y
		},
		Grad: func(grad, x []float64) {
			if err := g(ctx, grad, x); err != nil {
				failed.note(err)
				for i := range grad {
					grad[i] = math.NaN()
				}
			}
		},
		Hess: func(hess *mat.SymDense, x []float64) { failed.note(h(ctx, hess, x)) },
		Status: func() (optimize.Status, error) {
			if ctx.Err() != nil {
				failed.note(ctx.Err())
			}
			if err := failed.first(); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}, nil
}

// failure keeps the first error of several goroutines.
type failure struct {
	mu  sync.Mutex
	err error
}

func (f *failure) note(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *failure) first() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
