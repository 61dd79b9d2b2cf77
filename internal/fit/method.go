package fit

import (
	"context"
	"math"
	"slices"
)

// method is an iterative method. Its exported fields are its whole state: a run that is continued
// from them takes the same steps, bit for bit. Its other fields can be computed again.
type method interface {
	// step does one iteration. It returns why the iterations end, or "" to go on. An error says
	// that the model has no value at the method's point.
	step(ctx context.Context, s *space) (end reason, err error)
	// where returns the method's point, the objective there, and the norm of the gradient, if
	// known.
	where() (u []float64, f, gradient float64)
	// best returns the point to end at, which has the least objective so far, and its objective.
	best() (u []float64, f float64)
}

// running holds the method that is at work: one of its fields is set, or none.
type running struct {
	Levenberg *levenberg
	Newton    *newton
	LBFGS     *lbfgs
	Descent   *descent
}

// method returns the method that is at work, or nil.
func (r running) method() method {
	switch {
	case r.Levenberg != nil:
		return r.Levenberg
	case r.Newton != nil:
		return r.Newton
	case r.LBFGS != nil:
		return r.LBFGS
	case r.Descent != nil:
		return r.Descent
	}
	return nil
}

// reason says why a method ended.
type reason string

const (
	goOn         reason = ""
	smallOffset  reason = "the gradient is within rounding of zero, measured in standard errors"
	smallStep    reason = "steps are within rounding of zero"
	smallChange  reason = "the objective changes within rounding only"
	noProgress   reason = "no step makes the objective smaller"
	proved       reason = "it is proved that the estimate is a minimum"
	lastStep     reason = "the iterations are used up"
	interrupted  reason = "it was interrupted"
	outOfTime    reason = "the time is up"
	stepsAreDone reason = "all steps are done" // for a method that does not converge by itself
)

// converged reports whether a reason means that the method found a minimum.
func (r reason) converged() bool {
	return r == smallOffset || r == smallStep || r == smallChange || r == proved
}

// methods lists the methods by name.
var methods = map[string]struct {
	make       func(o Options, u []float64) running
	iterations int // the default bound on the iterations
}{
	"lm": {func(_ Options, u []float64) running {
		return running{Levenberg: &levenberg{U: u, Damping: 1e-3, Growth: 2}}
	}, 2000},
	"newton": {func(_ Options, u []float64) running {
		return running{Newton: &newton{U: u, Radius: 1}}
	}, 1000},
	"lbfgs": {func(_ Options, u []float64) running { return running{LBFGS: &lbfgs{U: u}} }, 10000},
	"adam": {func(o Options, u []float64) running {
		return running{Descent: newDescent(o, u, true)}
	}, 2000},
	"sgd": {func(o Options, u []float64) running {
		return running{Descent: newDescent(o, u, false)}
	}, 2000},
}

// MethodNames lists the methods.
func MethodNames() []string { return []string{"lm", "newton", "lbfgs", "adam", "sgd", "nuts"} }

// suits returns the method to use for a problem if the user does not ask for one.
func (p *Problem) suits() string {
	n := len(p.free())
	switch {
	case p.sumOfSquares() && n <= 500:
		return "lm"
	case n <= 60:
		return "newton"
	}
	return "lbfgs"
}

// sumOfSquares reports whether the objective is a sum of squares, robust or not, without any
// other term.
func (p *Problem) sumOfSquares() bool {
	return p.Kind == Prediction && !p.Noise && len(p.Priors) == 0
}

// fatal returns the error of an evaluation if it ends the fit. Other errors only mean that the
// point has no value.
func fatal(err error) error {
	if err != nil && stops(err) != nil {
		return err
	}
	return nil
}

func norm(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum = math.Hypot(sum, x)
	}
	return sum
}

func dot(xs, ys []float64) float64 {
	sum := 0.0
	for k, x := range xs {
		sum += x * ys[k]
	}
	return sum
}

// along returns u + t s.
func along(u []float64, t float64, s []float64) []float64 {
	v := slices.Clone(u)
	for k := range v {
		v[k] += t * s[k]
	}
	return v
}

// negligible reports whether a step is within rounding of the point.
func negligible(s, u []float64) bool {
	for k := range s {
		if math.Abs(s[k]) > 4*epsilon*math.Abs(u[k]) {
			return false
		}
	}
	return true
}

const epsilon = 0x1p-52
