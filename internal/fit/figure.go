package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Figure is the result as a picture: of a prediction the data and the fit with its band, and the
// residuals; of draws the chains and the densities; and of a minimisation the curve of the loss.
func (r *Result) Figure() *plot.Figure {
	var facets []*plot.Figure
	if r.Residuals != nil {
		facets = append(facets, r.fitted(), r.scatter())
	}
	if r.Draws != nil {
		facets = append(facets, r.traces()...)
	}
	for _, f := range r.Profiles {
		if len(facets) < mostFacets {
			facets = append(facets, r.curve(f))
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

// abscissa is the column that predictions are drawn over: the only one that is a real. There is
// none otherwise, and they are drawn over their own values.
func (r *Result) abscissa() (name string, xs []float64) {
	v, d := r.calls.Call(context.Background(), "abscissa'")
	if d != nil {
		return "", nil
	}
	for _, c := range r.text.columns {
		if c.why != responseWhy && c.name != r.Weight && c.name != r.Sigma {
			name = c.name
		}
	}
	xs, _ = v.(value.Reals)
	return name, xs
}

func (r *Result) fitted() *plot.Figure {
	s := r.Residuals
	name, xs := r.abscissa()
	y := r.Response[0]
	if len(xs) != len(s.Observed) { // several arguments: observed against predicted
		lo, hi := min(slices.Min(s.Predicted), slices.Min(s.Observed)), max(slices.Max(s.Predicted), slices.Max(s.Observed))
		return &plot.Figure{Title: "observed and predicted", X: "predicted " + y, Y: "observed " + y, Layers: []plot.Layer{
			{Kind: "Scatter", Name: "data", Xs: s.Predicted, Ys: s.Observed},
			{Kind: "Line", Name: "equal", Xs: []float64{lo, hi}, Ys: []float64{lo, hi}},
		}}
	}
	order := make([]int, len(xs))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(xs[a], xs[b]) })
	pick := func(f func(k int) float64) []float64 {
		out := make([]float64, len(order))
		for i, k := range order {
			out[i] = f(k)
		}
		return out
	}
	sorted := pick(func(k int) float64 { return xs[k] })
	figure := &plot.Figure{Title: "data and fit", X: name, Y: y}
	if s.Band != nil {
		by := r.Uncertainty.quantile
		figure.Layers = append(figure.Layers, plot.Layer{Kind: "Band", Name: fmt.Sprintf("%g %% confidence", 100*r.Level), Xs: sorted,
			Ys: pick(func(k int) float64 { return s.Predicted[k] - by*s.Band[k] }),
			Us: pick(func(k int) float64 { return s.Predicted[k] + by*s.Band[k] })})
	}
	figure.Layers = append(figure.Layers,
		plot.Layer{Kind: "Line", Name: "fit", Xs: sorted, Ys: pick(func(k int) float64 { return s.Predicted[k] })},
		plot.Layer{Kind: "Scatter", Name: "data", Xs: xs, Ys: s.Observed})
	return figure
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (r *Result) scatter() *plot.Figure {
	s := r.Residuals
	lo, hi := slices.Min(s.Predicted), slices.Max(s.Predicted)
	return &plot.Figure{Title: "residuals", X: "predicted " + r.Response[0], Y: "standardised residual", Layers: []plot.Layer{
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

func (r *Result) curve(f Profile) *plot.Figure {
	figure := &plot.Figure{Title: "profile of " + r.Names[f.Parameter], X: r.Names[f.Parameter], Y: "excess, limit 1"}
	var xs, ys []float64
	for k, y := range f.Ys {
		if y <= 2 && !math.IsNaN(y) {
			xs, ys = append(xs, f.Xs[k]), append(ys, y)
		}
	}
	figure.Layers = []plot.Layer{{Kind: "Line", Xs: xs, Ys: ys},
		{Kind: "Line", Name: fmt.Sprintf("%g %%", 100*r.Level), Xs: []float64{xs[0], xs[len(xs)-1]}, Ys: []float64{1, 1}}}
	return figure
}

// traces are the chains of a parameter one after the other, and the histogram of its draws.
func (r *Result) traces() (facets []*plot.Figure) {
	for k, name := range r.Names {
		if len(facets) >= mostFacets || r.coordinates[k].held {
			break
		}
		trace := &plot.Figure{Title: "chains of " + name, X: "draw", Y: name}
		var all []float64
		for i, c := range r.Draws.Chains {
			layer := plot.Layer{Kind: "Line", Name: fmt.Sprintf("%d", i+1)}
			for t, draw := range c {
				layer.Xs, layer.Ys = append(layer.Xs, float64(t+1)), append(layer.Ys, draw[k])
			}
			trace.Layers = append(trace.Layers, layer)
			all = append(all, layer.Ys...)
		}
		facets = append(facets, trace, &plot.Figure{Title: "posterior of " + name, X: name, Y: "draws",
			Layers: []plot.Layer{{Kind: "Histogram", Bins: 40, Xs: all}}})
	}
	return facets
}
