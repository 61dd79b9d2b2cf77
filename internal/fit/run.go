package fit

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Record is an iteration of a run, for the curve of the loss.
type Record struct {
	Iteration int
	Loss      float64
	Gradient  float64 // its norm
}

// Progress is where a run is.
type Progress struct {
	Start, Starts int // which starting point, from 1, and how many there are
	Record
	Last int     // the number of iterations, if it is known before; otherwise 0
	Rate float64 // iterations a second
}

// End is what came of one starting point.
type End struct {
	From, At   []float64 // natural parameters
	Loss       float64
	Iterations int
	Reason     reason
}

// runState is a run that can be continued from here: see checkpoint.go.
type runState struct {
	Ends      []End
	From      []float64 // where the present start began
	Iteration int
	Spacing   int // of the iterations in History
	History   []Record
	Done      bool

	State  json.RawMessage // of the method, as it was read
	method method
}

// Control is what a run is told from outside.
type Control struct {
	Watch      func(Progress) // nil for none
	Checkpoint *Checkpoint    // nil for none
}

// mostRecords bounds the records of the loss: beyond it, every other one is dropped.
const mostRecords = 2000

// minimise runs a method from all starting points. The error is that of the first start, if the
// model has no value there, or of what cannot be saved; being stopped is not an error.
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
	began := time.Now()
	steps := 0
	for len(r.Ends) < max(1, p.Starts) && !r.Done {
		if r.method == nil {
			if r.From == nil {
				r.From = p.startingPoint(len(r.Ends))
			}
			r.method = kind.make(options, p.space(p.Start).point(r.From))
			r.Iteration = 0
			if len(r.Ends) == 0 {
				r.Spacing = 1
			}
		}
		s := p.space(r.From)
		end, err := reason(goOn), error(nil)
		if end = stopped(ctx); end == goOn {
			end, err = r.method.step(ctx, s)
		}
		u, f, gradient := r.method.where()
		if err != nil {
			d := stops(err)
			switch {
			case d != nil && (d.Code == diag.Interrupted || d.Code == diag.TimeLimit) ||
				ctx.Err() != nil:
				end = stopped(ctx)
			case d != nil:
				return d
			case r.Iteration == 0 && len(r.Ends) == 0:
				return p.atStart(err)
			default:
				end = noProgress
			}
			if r.Iteration == 0 {
				f = math.MaxFloat64
			}
		}
		halted := end == interrupted || end == outOfTime
		if halted { // where it stands is kept, so that it can go on
			if d := c.save(true, st); d != nil {
				return d
			}
		}
		r.Iteration++
		steps++
		if r.Iteration >= limit && end == goOn {
			end = lastStep
		}
		record := Record{r.Iteration, f, gradient}
		if len(r.Ends) == 0 && err == nil && r.Iteration%r.Spacing == 0 {
			if r.History = append(r.History, record); len(r.History) > mostRecords {
				r.thin()
			}
		}
		if c.Watch != nil {
			last := 0
			if name == "adam" || name == "sgd" {
				last = limit
			}
			c.Watch(Progress{len(r.Ends) + 1, max(1, p.Starts), record, last,
				float64(steps) / time.Since(began).Seconds()})
		}
		if end != goOn {
			if end.converged() && name != "adam" && name != "sgd" && len(u) <= 200 {
				u = s.polish(ctx, u)
			} else {
				u = r.method.best()
			}
			if v, err := p.value(context.WithoutCancel(ctx), s.natural(u)); err == nil {
				f = v
			}
			r.Ends = append(r.Ends, End{r.From, s.natural(u), f, r.Iteration, end})
			r.From, r.method = nil, nil
		}
		if halted {
			return nil
		}
		if d := c.save(false, st); d != nil {
			return d
		}
	}
	r.Done = true
	return nil
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

// stopped says that a context is over, and why.
func stopped(ctx context.Context) reason {
	switch err := ctx.Err(); {
	case err == nil:
		return goOn
	case errors.Is(err, context.DeadlineExceeded):
		return outOfTime
	}
	return interrupted
}

// atStart is the diagnostic of a model that has no value where the fit starts.
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

// startingPoint is where a start begins: the one that is given first, then random ones, within
// bounds uniformly and otherwise around the first one.
func (p *Problem) startingPoint(k int) []float64 {
	q := slices.Clone(p.Start)
	if k == 0 {
		return q
	}
	random := rand.New(rand.NewPCG(p.Seed, uint64(k)))
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

// best is the end with the least loss, those that converged first.
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
