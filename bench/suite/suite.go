// Package suite is the table of `fluxion bench suite`: instances of problems, each as a program in
// Fluxion and as an objective with a hand-written gradient in C, measured in one run and
// compared. It is given settings and the names of instances, and hands on rows.
//
//	instances.go  the list of instances
//	adbench.go    problems in the files of ADBench, or made up in the same shapes
//	generated.go  the problems of our own
//	baseline.go   the programs in C
//	peers.go      the programs in JAX and PyTorch
//	printed.go    the loop form of the programs, printed as C
package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"runtime"
	"slices"
	"time"

	"github.com/fluxion-lang/fluxion/bench"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Row is the measurement of one instance on one engine. What is missing is nil: the times in C if
// there is no compiler, and the error if there is nothing to compare with.
type Row struct {
	Instance string   `json:"instance"`
	Engine   string   `json:"engine"`
	Primal   *float64 `json:"primal_ms"`
	Grad     *float64 `json:"grad_ms"`
	CPrimal  *float64 `json:"c_primal_ms"`
	CGrad    *float64 `json:"c_grad_ms"`
	// Error is the largest |Δ| / (|ref| + 1e-6 max |ref|) of the gradient.
	Error *float64 `json:"max_rel_err"`
	// Failure says why there are no times.
	Failure string `json:"failure,omitempty"`
}

// Tolerance is the largest error that a gradient may have.
const Tolerance = 1e-10

// Runner measures instances.
type Runner struct {
	Settings driver.Settings
	Data     string        // a folder with ADBench's data and ref, or ""
	Time     time.Duration // for each instance and engine
	baseline baseline
	systems  []string
	peers    *peers
}

// Close removes what the runner has compiled.
func (r *Runner) Close() {
	r.baseline.close()
	r.peers.close()
}

// Compare adds other systems, listed in Peers, as engines that a Python interpreter has.
func (r *Runner) Compare(ctx context.Context, python string, systems []string) (err error) {
	r.systems = systems
	r.peers, err = newPeers(ctx, python, systems)
	return err
}

// Match lists the names of the instances that a pattern matches, all for "".
func Match(pattern string) ([]string, error) {
	var names []string
	for _, i := range instances() {
		ok, err := path.Match(pattern, i.name)
		if err != nil {
			return nil, err
		}
		if ok || pattern == "" {
			names = append(names, i.name)
		}
	}
	return names, nil
}

// Run measures an instance on engines. The baseline runs before and after them, each time for half
// of the time: the speed of a machine that others share changes by two thirds within seconds, and
// the shortest times should be those of the machine at its best.
func (r *Runner) Run(ctx context.Context, name string, engines []string) ([]Row, error) {
	for _, i := range instances() {
		if i.name == name {
			return r.run(ctx, i, engines)
		}
	}
	return nil, fmt.Errorf("there is no instance `%s`", name)
}

func (r *Runner) run(ctx context.Context, chosen instance, engines []string) ([]Row, error) {
	problem, err := chosen.make(r.Data)
	if err != nil {
		return nil, err
	}
	input, err := json.Marshal(problem.input)
	if err != nil {
		return nil, err
	}
	problem.input = nil // so that the collector need not look at it during the measurement
	c, err := r.baseline.run(ctx, chosen.program, problem.numbers, r.Time/2)
	if err != nil {
		return nil, err
	}
	reference := problem.reference
	if reference == nil && c != nil {
		reference = c.gradient
	}
	var rows []Row
	for _, engine := range append(slices.Clone(engines), r.systems...) {
		row := Row{Instance: chosen.name, Engine: engine}
		if c != nil {
			row.CPrimal, row.CGrad = &c.primalTime, &c.gradTime
		}
		m, err := r.measure(ctx, chosen.program, engine, input)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			row.Failure = err.Error()
		} else {
			row.Primal, row.Grad = &m.primalTime, &m.gradTime
			if reference != nil {
				row.Error = new(distance(m.gradient, reference))
			} else {
				reference = m.gradient // that of the first engine is compared with the others
			}
		}
		rows = append(rows, row)
	}
	if c != nil {
		again, err := r.baseline.run(ctx, chosen.program, problem.numbers, r.Time/2)
		if err != nil {
			return nil, err
		}
		// the rows point here
		c.primalTime, c.gradTime = min(c.primalTime, again.primalTime),
			min(c.gradTime, again.gradTime)
	}
	return rows, nil
}

// The functions of every program.
const (
	primal   = "primal"
	gradient = "gradient"
)

// measure measures one engine, or another system.
func (r *Runner) measure(ctx context.Context, program, engine string, input json.RawMessage) (
	*measured, error) {
	switch {
	case engine == Printed:
		return r.printed(ctx, program, input)
	case slices.Contains(r.systems, engine):
		return r.peers.run(ctx, engine, program, input, r.Time)
	}
	m, d := r.compiled(ctx, program, engine, input)
	if d != nil {
		return nil, errors.New(d.Message)
	}
	return m, nil
}

// compiled measures one engine.
func (r *Runner) compiled(ctx context.Context, program, engine string, input json.RawMessage) (
	*measured, *diag.Diagnostic) {
	settings := r.Settings
	settings.Engine, settings.Flush = engine, true // as in C
	module, list := bench.Load(ctx, "suite/"+program+".flx", settings)
	if list != nil {
		return nil, list.Sorted()[0]
	}
	argument, d := module.Argument(ctx, primal, input)
	if d != nil {
		return nil, d
	}
	run := func(name string) func() (time.Duration, *diag.Diagnostic) {
		var result interp.Operand
		return func() (took time.Duration, d *diag.Diagnostic) {
			result, took, d = module.Run(ctx, name, result, argument)
			return took, d
		}
	}
	result, _, d := module.Run(ctx, gradient, interp.Operand{}, argument)
	if d != nil {
		return nil, d
	}
	v, d := module.Report(ctx, gradient, result)
	if d != nil {
		return nil, d
	}
	partials := leaves(nil, v)
	v, result = nil, interp.Operand{} // as above
	runtime.GC()
	times, d := bench.Measure(r.Time, run(primal), run(gradient))
	if d != nil {
		return nil, d
	}
	return &measured{
		primalTime: bench.Milliseconds(times[0]), gradTime: bench.Milliseconds(times[1]),
		gradient: partials,
	}, nil
}

// leaves appends the reals of a value.
func leaves(to []float64, v value.Value) []float64 {
	switch v := v.(type) {
	case value.Real:
		return append(to, float64(v))
	case value.Reals:
		return append(to, v...)
	case value.Tuple:
		for _, x := range v {
			to = leaves(to, x)
		}
	case value.Record:
		for _, f := range v {
			to = leaves(to, f.Value)
		}
	case value.Array:
		for _, x := range v {
			to = leaves(to, x)
		}
	}
	return to
}

// distance returns the error measure. If the shapes differ, or a number is NaN, it is the largest
// double.
func distance(xs, reference []float64) float64 {
	if len(xs) != len(reference) {
		return math.MaxFloat64
	}
	largest := 0.0
	for _, x := range reference {
		largest = math.Max(largest, math.Abs(x))
	}
	worst := 0.0
	for k, x := range xs {
		gap := math.Abs(x - reference[k])
		if gap == 0 {
			continue
		}
		e := gap / (math.Abs(reference[k]) + 1e-6*largest)
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return math.MaxFloat64 // JSON has neither
		}
		worst = math.Max(worst, e)
	}
	return worst
}

// Quotient compares the time of machine code with that of the same loop form compiled as C.
type Quotient struct {
	Mean     float64 // the geometric mean over all values and gradients
	Largest  float64
	Instance string // the instance with the largest quotient
}

// Quotients compares the rows of two engines. There are none if no instance has both.
func Quotients(rows []Row, engine, other string) (q Quotient, some bool) {
	times := map[string]Row{}
	for _, r := range rows {
		if r.Engine == engine && r.Failure == "" {
			times[r.Instance] = r
		}
	}
	logs, n := 0.0, 0
	for _, r := range rows {
		mine, ok := times[r.Instance]
		if !ok || r.Engine != other || r.Failure != "" {
			continue
		}
		for _, x := range []float64{*mine.Primal / *r.Primal, *mine.Grad / *r.Grad} {
			if logs, n = logs+math.Log(x), n+1; x > q.Largest {
				q.Largest, q.Instance = x, r.Instance
			}
		}
	}
	q.Mean = math.Exp(logs / float64(max(n, 1)))
	return q, n > 0
}
