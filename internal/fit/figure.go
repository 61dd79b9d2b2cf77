package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Figure returns the result as a picture. For a prediction it shows the data and the fit with its
// band, and the residuals; for draws, the chains and the densities; for a minimisation, the curve
// of the loss.
func (r *Result) Figure(ctx context.Context) *plot.Figure {
	ctx, done := stop.After(ctx, lastWords)
	defer done()
	var facets []*plot.Figure
	if r.Residuals != nil {
		facets = append(facets, r.fitted(ctx), r.scatter())
	}
	if r.Draws != nil {
		facets = append(facets, r.traces()...)
	}
	for _, f := range r.Profiles {
		if len(facets) < mostFacets {
			facets = append(facets, r.profileCurve(f))
		}
	}
	if len(r.History) > 1 {
		facets = append(facets, r.losses())
	}
	if len(facets) == 1 {
		return facets[0]
	}
	return &plot.Figure{Columns: min(2, len(facets)), Facets: facets}
}

const mostFacets = 24

// fitted plots the data and the fit with its band over the model's only column, if there is one
// and it holds reals. Otherwise it plots observed against predicted values.
func (r *Result) fitted(ctx context.Context) *plot.Figure {
	s := r.Residuals
	ys := strings.Join(r.Response, ", ")
	v, _ := r.calls.Call(ctx, "abscissa'")
	xs, _ := v.(value.Reals)
	if len(xs) != r.Rows { // several columns, or a column that does not hold reals
		lo, hi := min(slices.Min(s.Predicted), slices.Min(s.Observed)), max(slices.Max(s.Predicted),
			slices.Max(s.Observed))
		return &plot.Figure{Title: "observed and predicted", X: "predicted " + ys,
			Y: "observed " + ys, Layers: []plot.Layer{
				{Kind: "Scatter", Name: "data", Xs: s.Predicted, Ys: s.Observed},
				{Kind: "Line", Name: "equal", Xs: []float64{lo, hi}, Ys: []float64{lo, hi}},
			}}
	}
	figure := &plot.Figure{Title: "data and fit", X: r.text.only(), Y: ys}
	at, curve, band := r.between(ctx, xs)
	name := func(k int) (band, line, data string) {
		if len(r.Response) > 1 {
			return "", r.Response[k], ""
		}
		return fmt.Sprintf("%g %% confidence", 100*r.Level), "fit", "data"
	}
	// part returns the numbers of one response.
	part := func(all []float64, k int) []float64 {
		var own []float64
		for ; k < len(all); k += len(r.Response) {
			own = append(own, all[k])
		}
		return own
	}
	for k := range r.Response {
		line := part(curve, k)
		bandName, lineName, dataName := name(k)
		if band != nil {
			lower, upper := slices.Clone(line), slices.Clone(line)
			for i, e := range part(band, k) {
				lower[i], upper[i] = lower[i]-r.quantile*e, upper[i]+r.quantile*e
			}
			figure.Layers = append(figure.Layers,
				plot.Layer{Kind: "Band", Name: bandName, Xs: at, Ys: lower, Us: upper})
		}
		figure.Layers = append(figure.Layers,
			plot.Layer{Kind: "Line", Name: lineName, Xs: at, Ys: line},
			plot.Layer{Kind: "Scatter", Name: dataName, Xs: xs, Ys: part(s.Observed, k)})
	}
	return figure
}

// gridPoints is the number of points at which a curve is drawn.
const gridPoints = 200

// between returns the fit and its standard errors at many points in the range of the rows, in
// increasing order. If the fit has no value between the rows, it returns them at the rows.
func (r *Result) between(ctx context.Context, xs []float64) (at, curve, band []float64) {
	if r.text.over != "" {
		lo, hi := slices.Min(xs), slices.Max(xs)
		for k := range gridPoints {
			at = append(at, lo+(hi-lo)*float64(k)/(gridPoints-1))
		}
		curve, slopes, err := r.curve(ctx, at, r.Q)
		if err == nil {
			return at, curve, r.band(slopes)
		}
	}
	s, m := r.Residuals, len(r.Response)
	order := make([]int, len(xs))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	at, curve, band = nil, nil, nil
	for _, k := range order {
		at = append(at, xs[k])
		curve = append(curve, s.Predicted[m*k:m*k+m]...)
		if s.Band != nil {
			band = append(band, s.Band[m*k:m*k+m]...)
		}
	}
	return at, curve, band
}

func (r *Result) scatter() *plot.Figure {
	s := r.Residuals
	lo, hi := slices.Min(s.Predicted), slices.Max(s.Predicted)
	return &plot.Figure{Title: "residuals", X: "predicted " + strings.Join(r.Response, ", "),
		Y: "standardised residual", Layers: []plot.Layer{
			{Kind: "Scatter", Xs: s.Predicted, Ys: s.Standard},
			{Kind: "Line", Xs: []float64{lo, hi}, Ys: []float64{0, 0}},
		}}
}

func (r *Result) losses() *plot.Figure {
	figure := &plot.Figure{Title: "loss", X: "iteration", Y: "objective", LogY: true}
	layer := plot.Layer{Kind: "Line"}
	for _, rec := range r.History {
		figure.LogY = figure.LogY && rec.Loss > 0
		layer.Xs, layer.Ys = append(layer.Xs, float64(rec.Iteration)), append(layer.Ys, rec.Loss)
	}
	figure.Layers = []plot.Layer{layer}
	return figure
}

func (r *Result) profileCurve(f Profile) *plot.Figure {
	figure := &plot.Figure{Title: "profile of " + r.Names[f.Parameter], X: r.Names[f.Parameter],
		Y: "excess, limit 1"}
	var xs, ys []float64
	for k, y := range f.Ys {
		if y <= 2 && !math.IsNaN(y) {
			xs, ys = append(xs, f.Xs[k]), append(ys, y)
		}
	}
	figure.Layers = []plot.Layer{{Kind: "Line", Xs: xs, Ys: ys},
		{Kind: "Line", Name: fmt.Sprintf("%g %%", 100*r.Level), Xs: []float64{xs[0], xs[len(xs)-1]},
			Ys: []float64{1, 1}}}
	return figure
}

// traces returns, for each parameter, its chains one after the other and a histogram of its
// draws.
func (r *Result) traces() (facets []*plot.Figure) {
	for k, name := range r.Names {
		if len(facets) >= mostFacets || r.coordinates[k].held {
			break
		}
		trace := &plot.Figure{Title: "chains of " + name, X: "draw", Y: name}
		var all []float64
		for _, c := range r.Draws.Chains {
			layer := plot.Layer{Kind: "Line"}
			for t, draw := range c {
				layer.Xs, layer.Ys = append(layer.Xs, float64(t+1)), append(layer.Ys, draw[k])
			}
			trace.Layers = append(trace.Layers, layer)
			all = append(all, layer.Ys...)
		}
		facets = append(facets, trace, &plot.Figure{Title: "posterior of " + name, X: name,
			Y:      "draws",
			Layers: []plot.Layer{{Kind: "Histogram", Bins: 40, Xs: all}}})
	}
	return facets
}
