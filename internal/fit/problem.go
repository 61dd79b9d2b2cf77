package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Problem is a model with its data, ready to be evaluated: the functions of Note [The fitted
// program], at vectors of natural parameters. It serves one goroutine at a time.
type Problem struct {
	Options
	Names []string  // the names of the real parameters
	Start []float64 // their starting values
	Rows  int
	Used  int  // rows that count: those with a weight other than 0
	Noise bool // whether the last parameter is the standard deviation of the response

	like  value.Value // the parameters in their structure
	world *driver.World
	unit  *driver.Unit // the loaded text
	text  *source
	set   driver.Settings
	calls *driver.Functions
	count int // evaluations so far

	evaluates func() // is Control.evaluates

	coordinates []coordinate
	within      []coordinate // where the least minimum is sought; nil if that is not wanted
	weights     []float64    // of the rows; nil if there are none
}

// errNoValue is the error at a point where the model has no value or no derivative.
type errNoValue struct{ *diag.Diagnostic }

func (e errNoValue) Unwrap() error { return e.Diagnostic }

// stops returns the diagnostic of an error that ends the whole fit, or nil if the error concerns
// only one point.
func stops(err error) *diag.Diagnostic {
	var d *diag.Diagnostic
	if errors.As(err, &d) && d.Code.Limit() {
		return d
	}
	return nil
}

// New makes a problem of a model of a unit. If something is wrong it reports that to sink and
// returns nil.
func New(ctx context.Context, w *driver.World, u *driver.Unit, o Options, noise bool,
	s driver.Settings, sink *diag.List) *Problem {
	p := newProblem(ctx, w, u, o, noise, 0, s, sink)
	if p != nil && noise && p.Used < p.Rows { // only the data shows how many rows count
		p = newProblem(ctx, w, u, o, noise, p.Rows-p.Used, s, sink)
	}
	return p
}

// newProblem does the work of New, for data in which `unused` rows have weight 0.
func newProblem(ctx context.Context, w *driver.World, u *driver.Unit, o Options, noise bool,
	unused int,
	s driver.Settings, sink *diag.List) *Problem {
	text, d := newSource(w, u, o, noise, unused)
	if d != nil {
		sink.Add(d)
		return nil
	}
	p := &Problem{Options: o, Noise: noise, world: w, text: text, set: s}
	var own diag.List
	w = w.Until(ctx)
	p.unit = w.LoadGiven(textName, text.b.String(), []*driver.Unit{u}, &own)
	for _, d := range own.Sorted() {
		told := text.explain(d)
		if told.Severity == diag.Error {
			sink.Add(told)
		}
		// the other diagnostics follow from this one
		if told.Code == diag.CannotFit || text.probes(d.Span) {
			break
		}
	}
	if sink.Failed() {
		return nil
	}
	if p.calls, d = p.unit.Functions(ctx, s, p.functions()...); d == nil {
		d = p.begin(ctx)
	}
	if d != nil {
		sink.Add(text.explain(d))
		return nil
	}
	return p
}

// functions returns the names of the functions of the text.
func (p *Problem) functions() []string {
	names := []string{"start'", "count'", "value'", "gradient'", "curvature'", "weights'",
		"deviations'"}
	if p.Kind == Prediction {
		names = append(names, "linear'", "slopes'", "errorsOf'", "observed'", "predicted'", "bend'",
			"abscissa'")
	}
	if p.Batched() {
		names = append(names, "step'")
	}
	if p.text.over != "" {
		names = append(names, "curve'")
	}
	return names
}

// Batched reports whether the objective is a sum over rows that can be sampled.
func (p *Problem) Batched() bool { return !p.text.whole && len(p.Data) > 0 }

// begin evaluates the starting parameters.
func (p *Problem) begin(ctx context.Context) *diag.Diagnostic {
	v, d := p.calls.Call(ctx, "start'")
	if d != nil {
		return d
	}
	p.like = value.Plain(v)
	value.EachLeaf(p.like, "", func(name string, leaf value.Value) {
		if name == "" {
			name = p.text.params[0].Name
		}
		if _, ok := leaf.(value.Real); ok {
			p.Names = append(p.Names, strings.TrimPrefix(name, "."))
		}
	})
	p.Start = value.RealsOf(p.like)
	rows, d := p.calls.Call(ctx, "count'")
	if d != nil {
		return d
	}
	p.Rows = int(rows.(value.Int))
	p.Used = p.Rows
	switch {
	case len(p.Start) == 0:
		return refuse(p.text.at,
			"the parameters of `%s` have no reals in them, so there is nothing to fit", p.Function)
	case p.Rows == 0:
		return refuse(option("--data", p.Data[0]), "the data has no rows")
	}
	if d := p.checkRows(ctx); d != nil {
		return d
	}
	if p.Noise {
		p.Names, p.Start = append(p.Names, sigmaName), append(p.Start, 1)
	}
	return p.coordinate()
}

// checkRows refuses negative weights, and standard deviations that are not positive.
func (p *Problem) checkRows(ctx context.Context) *diag.Diagnostic {
	for _, c := range []struct {
		function, flag, column, what, rule string
		good                               func(x float64) bool
	}{
		{"weights'", "--weight", p.Weight, "weight",
			"weights are 0 or more, and not all of them are 0",
			func(x float64) bool { return x >= 0 }},
		{"deviations'", "--sigma", p.Sigma, "standard deviation",
			"standard deviations are positive",
			func(x float64) bool { return x > 0 }},
	} {
		v, d := p.calls.Call(ctx, c.function)
		if d != nil {
			return d
		}
		xs, total := reals(v), 0.0
		for k, x := range xs {
			if total += x; c.good(x) {
				continue
			}
			what := fmt.Sprintf("the %s of row %d", c.what, k+1)
			if !isColumn(c.column) {
				what = "the " + c.what
			}
			return refuse(option(c.flag, c.column), "%s is %v", what, x).WithHint("%s", c.rule)
		}
		if c.function == "weights'" && len(xs) == p.Rows {
			p.weights = xs
			for _, w := range xs {
				if w == 0 {
					p.Used--
				}
			}
		}
		if len(xs) > 0 && total == 0 {
			return refuse(option(c.flag, c.column), "all weights are 0").WithHint("%s", c.rule)
		}
	}
	return nil
}

// Clone returns the same problem for use by another goroutine.
func (p *Problem) Clone(ctx context.Context) (*Problem, *diag.Diagnostic) {
	c := *p
	var d *diag.Diagnostic
	c.calls, d = p.unit.Functions(ctx, p.set, p.functions()...)
	return &c, d
}

// Value returns natural parameters in their structure. It leaves out the standard deviation of
// the response.
func (p *Problem) Value(q []float64) value.Value {
	if p.Noise {
		q = q[:len(q)-1]
	}
	return value.WithReals(p.like, q)
}

func (p *Problem) call(ctx context.Context, name string, args ...value.Value) (value.Tuple, error) {
	if p.evaluates != nil {
		p.evaluates()
	}
	if ctx.Err() != nil {
		return nil, errNoValue{stop.Why(ctx)}
	}
	p.count++
	v, d := p.calls.Call(ctx, name, args...)
	if d != nil {
		return nil, errNoValue{p.text.explain(d)}
	}
	if t, ok := v.(value.Tuple); ok {
		return t, nil
	}
	return value.Tuple{v}, nil
}

// value returns the objective.
func (p *Problem) value(ctx context.Context, q []float64) (float64, error) {
	t, err := p.call(ctx, "value'", value.Reals(q))
	if err != nil {
		return math.Inf(1), err
	}
	return finite(float64(t[0].(value.Real)))
}

// counts removes from a list with an entry for each observation those of rows of weight 0.
func (p *Problem) counts(xs []float64) []float64 {
	responses := max(1, len(xs)/p.Rows)
	if p.Used == p.Rows || len(xs) != responses*p.Rows {
		return xs
	}
	var kept []float64
	for k, x := range xs {
		if p.weights[k/responses] != 0 {
			kept = append(kept, x)
		}
	}
	return kept
}

// outOfRange returns a diagnostic if residuals are so small or so large that their squares lose
// digits as doubles.
func (p *Problem) outOfRange(where string, residuals []float64) *diag.Diagnostic {
	size := 0.0
	for _, r := range residuals {
		size = math.Max(size, math.Abs(r))
	}
	if size == 0 || smallest < size && size < 1/smallest {
		return nil
	}
	return refuse(p.text.at, "the residuals at the %s are of size %.2g, and their squares are "+
		"out of the range of doubles", where, size).
		WithHint("measure the response in another unit, give its standard deviation by --sigma, " +
			"or choose another --start")
}

// smallest is the least magnitude of numbers that can be squared, divided and subtracted without
// underflow.
const smallest = 1e-130

// finite returns a value of the objective, or an error if the value is not a finite number.
func finite(f float64) (float64, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return math.Inf(1), errNoValue{diag.Errorf(diag.CannotFit, diag.Span{},
			"the objective is %v", f)}
	}
	return f, nil
}

// gradient returns the objective and its gradient.
func (p *Problem) gradient(ctx context.Context, q []float64) (float64, []float64, error) {
	t, err := p.call(ctx, "gradient'", value.Reals(q))
	if err != nil {
		return math.Inf(1), nil, err
	}
	f, err := finite(float64(t[0].(value.Real)))
	return f, reals(t[1]), err
}

// sample returns the objective and its gradient, estimated on some rows.
func (p *Problem) sample(ctx context.Context, rows []int64, q []float64) (float64, []float64,
	error) {
	t, err := p.call(ctx, "step'", value.Ints(rows), value.Reals(q))
	if err != nil {
		return math.Inf(1), nil, err
	}
	f, err := finite(float64(t[0].(value.Real)))
	return f, reals(t[1]), err
}

// curvature returns the objective, its gradient and its Hessian.
func (p *Problem) curvature(ctx context.Context, q []float64) (float64, []float64, *mat.SymDense,
	error) {
	t, err := p.call(ctx, "curvature'", value.Reals(q))
	if err != nil {
		return math.Inf(1), nil, nil, err
	}
	f, err := finite(float64(t[0].(value.Real)))
	n := len(q)
	h := mat.NewSymDense(n, nil)
	rows := matrix(t[2])
	for i := range n {
		for j := i; j < n; j++ {
			h.SetSym(i, j, (rows[i][j]+rows[j][i])/2)
		}
	}
	return f, reals(t[1]), h, err
}

// linear is the linearisation at a point of a sum of squares, robust or not: its value, the
// residuals, their Jacobian, and the weights that a robust loss gives their squares.
type linear struct {
	f       float64
	r, w    []float64
	j       [][]float64
	squares float64 // the sum of the squared residuals
}

func (p *Problem) linear(ctx context.Context, q []float64) (*linear, error) {
	t, err := p.call(ctx, "linear'", value.Reals(q))
	if err != nil {
		return nil, err
	}
	l := &linear{float64(t[0].(value.Real)), reals(t[1]), reals(t[2]), matrix(t[3]), 0}
	for _, r := range l.r {
		l.squares += r * r
	}
	_, err = finite(l.f)
	return l, err
}

// errors returns the residuals, divided by their standard deviations.
func (p *Problem) errors(ctx context.Context, q []float64) ([]float64, error) {
	t, err := p.call(ctx, "errorsOf'", value.Reals(q))
	if err != nil {
		return nil, err
	}
	return reals(t[0]), nil
}

// predictions returns the predictions of the model, and their Jacobian.
func (p *Problem) predictions(ctx context.Context, q []float64) (f []float64, j [][]float64,
	err error) {
	t, err := p.call(ctx, "slopes'", value.Reals(q))
	if err != nil {
		return nil, nil, err
	}
	return reals(t[0]), matrix(t[1]), nil
}

// curve returns predictions at values of the model's only column, and their Jacobian.
func (p *Problem) curve(ctx context.Context, xs, q []float64) (f []float64, j [][]float64,
	err error) {
	t, err := p.call(ctx, "curve'", value.Reals(xs), value.Reals(q))
	if err != nil {
		return nil, nil, err
	}
	return reals(t[0]), matrix(t[1]), nil
}

// observations returns the values of the response.
func (p *Problem) observations(ctx context.Context) ([]float64, error) {
	t, err := p.call(ctx, "observed'")
	if err != nil {
		return nil, err
	}
	return reals(t[0]), nil
}

// reals returns the numbers of an array of reals. An empty array may have another Go type.
func reals(v value.Value) []float64 {
	xs, _ := v.(value.Reals)
	return slices.Clone(xs)
}

func matrix(v value.Value) [][]float64 {
	array, _ := v.(value.Array)
	rows := make([][]float64, len(array))
	for i, row := range array {
		rows[i] = reals(row)
	}
	return rows
}
