package fit

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/fluxion-lang/fluxion/internal/stop"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Record is one iteration of a run, for the curve of the loss.
type Record struct {
	Iteration int
	Loss      float64
	Gradient  float64 // the norm of the gradient
}

// Progress says how far a run has come.
type Progress struct {
	Start, Starts int // the current starting point, from 1, and their number
	Record
	Last int     // the number of iterations if it is known in advance, otherwise 0
	Rate float64 // iterations per second
}

// End is the result from one starting point.
type End struct {
	From, At   []float64 // natural parameters
	Loss       float64
	Iterations int
	Reason     reason
}

// runState is a state from which a run can be continued: see checkpoint.go.
type runState struct {
	Ends      []End
	From      []float64 // where the current start began
	Iteration int
	Ending    reason // why the iterations of the current start ended, before its end is evaluated
	Spacing   int    // iterations between entries of History
	History   []Record
	Method    running // the method of the current start
}

// Control holds the callbacks and the checkpoint of a run.
type Control struct {
	Watch      func(Progress) // called with the progress; nil for none
	Checkpoint *Checkpoint    // nil for none

	evaluates func() // for tests: called before each evaluation of the model; nil for none
}

// mostRecords bounds the records of the loss. Beyond it every other record is dropped.
const mostRecords = 2000

// minimise runs a method from all starting points. It returns an error if the model has no value
// at the first start, or if a checkpoint cannot be saved. Being stopped is not an error.
func (p *Problem) minimise(ctx context.Context, name string, st *state,
	c Control) *diag.Diagnostic {
	r := &st.Fit
	kind := methods[name]
	limit := p.Iterations
	if limit == 0 {
		limit = kind.iterations
	}
	options := p.Options
	options.Iterations = limit
	watched := Progress{Starts: max(1, p.Starts)}
	if name == "adam" || name == "sgd" {
		watched.Last = limit
	}
	began, steps := time.Now(), 0
	for len(r.Ends) < max(1, p.Starts) {
		m := r.Method.method()
		if m == nil {
			r.From = p.startingPoint(len(r.Ends))
			r.Method = kind.make(options, p.space(p.Start).point(r.From))
			r.Iteration, r.Spacing, m = 0, max(1, r.Spacing), r.Method.method()
		}
		s := p.space(r.From)
		if r.Ending == goOn {
			undo := p.keep(m)
			end, err := m.step(ctx, s)
			if halt := halted(ctx, err); halt != goOn {
				undo()
				return p.halt(ctx, st, c, halt)
			}
			_, f, gradient := m.where()
			if err != nil {
				if d := stops(err); d != nil {
					return d
				}
				if r.Iteration == 0 && len(r.Ends) == 0 {
					return p.atStart(err)
				}
				end = noProgress
			}
			r.Iteration++
			steps++
			if r.Iteration >= limit && end == goOn {
				end = lastStep
			}
			r.Ending = end
			record := Record{r.Iteration, f, gradient}
			if len(r.Ends) == 0 && err == nil && r.Iteration%r.Spacing == 0 {
				if r.History = append(r.History, record); len(r.History) > mostRecords {
					r.thin()
				}
			}
			if c.Watch != nil {
				watched.Start, watched.Record = len(r.Ends)+1, record
				watched.Rate = float64(steps) / time.Since(began).Seconds()
				c.Watch(watched)
			}
		}
		if r.Ending != goOn {
			undo := p.keep(m)
			u, f, err := p.ended(ctx, s, m, r.Ending)
			if halt := halted(ctx, err); halt != goOn {
				undo()
				return p.halt(ctx, st, c, halt)
			}
			r.Ends = append(r.Ends, End{r.From, s.natural(u), f, r.Iteration, r.Ending})
			r.From, r.Method, r.Ending = nil, running{}, goOn
		}
		st.Evaluations = p.count
		if d := c.save(false, st); d != nil {
			return d
		}
	}
	return c.save(true, st)
}

// ended computes the end of a start whose iterations are over: its point and its objective. The
// error is that of an evaluation that ends the fit.
func (p *Problem) ended(ctx context.Context, s *space, m method, end reason) ([]float64, float64,
	error) {
	u, f := m.best()
	if end.converged() && len(u) <= 200 {
		var err error
		if u, err = s.polish(ctx, u); err != nil {
			return u, f, err
		}
	}
	value, err := p.value(ctx, s.natural(u))
	if err != nil {
		return u, f, fatal(err)
	}
	return u, value, nil
}

// keep returns a function that undoes an interrupted step of a method. This works because methods
// replace the slices of their state instead of writing to them, as long as a step can be
// interrupted.
func (p *Problem) keep(m method) (undo func()) {
	now, was, count := reflect.ValueOf(m).Elem(), reflect.New(reflect.TypeOf(m).Elem()).Elem(),
		p.count
	was.Set(now)
	return func() {
		now.Set(was)
		p.count = count
	}
}

// halt ends a run that is stopped before it is done. It saves the state, so that the run can be
// continued, and records the current point as an end. After Ctrl-C there is still time to
// evaluate the objective there.
func (p *Problem) halt(ctx context.Context, st *state, c Control, why reason) *diag.Diagnostic {
	r := &st.Fit
	st.Evaluations = p.count
	if d := c.save(true, st); d != nil {
		return d
	}
	s := p.space(r.From)
	u, f := r.Method.method().best()
	if r.Iteration == 0 {
		f = math.NaN()
	}
	if why == interrupted {
		after, done := stop.After(ctx, lastWords)
		if value, err := p.value(after, s.natural(u)); err == nil {
			f = value
		}
		done()
	}
	r.Ends = append(r.Ends, End{r.From, s.natural(u), f, r.Iteration, why})
	return nil
}

// lastWords bounds the time that each part of the report may take after Ctrl-C.
const lastWords = time.Second

// halted returns why a run must stop after the error of an evaluation, or goOn. A step that had
// no error remains valid.
func halted(ctx context.Context, err error) reason {
	if err == nil {
		return goOn
	}
	if end := stopped(ctx); end != goOn {
		return end
	}
	if d := stops(err); d != nil && d.Code == diag.TimeLimit {
		return outOfTime
	} else if d != nil && d.Code == diag.Interrupted {
		return interrupted
	}
	return goOn
}

func (c Control) save(final bool, st *state) *diag.Diagnostic {
	if c.Checkpoint == nil {
		return nil
	}
	return c.Checkpoint.save(final, st)
}

// thin drops every other record.
func (r *runState) thin() {
	r.Spacing *= 2
	r.History = slices.DeleteFunc(r.History,
		func(rec Record) bool { return rec.Iteration%r.Spacing != 0 })
}

// stopped returns why a context is over, or goOn if it is not.
func stopped(ctx context.Context) reason {
	switch err := ctx.Err(); {
	case err == nil:
		return goOn
	case errors.Is(err, context.DeadlineExceeded):
		return outOfTime
	}
	return interrupted
}

// atStart returns the diagnostic for a model that has no value where the fit starts.
func (p *Problem) atStart(err error) *diag.Diagnostic {
	var d *diag.Diagnostic
	errors.As(err, &d)
	at := *d
	at.Hints = append(slices.Clone(d.Hints), "the fit starts there: choose another --start")
	if !at.Span.Known() {
		at.Span = p.text.at
	}
	return &at
}

// startingPoint returns the k-th starting point. The first is the given one. The others are
// random: uniform within bounds, and otherwise around the given one.
func (p *Problem) startingPoint(k int) []float64 {
	q := slices.Clone(p.Start)
	if k == 0 {
		return q
	}
	random := newGenerator(p.Seed, uint64(k))
	for i, c := range p.coordinates {
		switch {
		case c.held:
		case !math.IsInf(c.lo, 0) && !math.IsInf(c.hi, 0):
			q[i] = c.lo + (c.hi-c.lo)*(0.001+0.998*random.Float64())
		case !math.IsInf(c.lo, 0) || !math.IsInf(c.hi, 0):
			q[i], _, _ = c.natural(c.inverse(q[i]) + 1.5*random.NormFloat64())
		default:
			q[i] += max(math.Abs(q[i]), 1e-3) * random.NormFloat64()
		}
	}
	return q
}

// best returns the end with the least loss. Ends that converged come before the others.
func (r *runState) best() End {
	best := r.Ends[0]
	for _, e := range r.Ends[1:] {
		better := e.Loss < best.Loss || math.IsNaN(best.Loss)
		if e.Reason.converged() == best.Reason.converged() && better || e.Reason.converged() &&
			!best.Reason.converged() {
			best = e
		}
	}
	return best
}
