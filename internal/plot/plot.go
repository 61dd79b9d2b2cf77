// Package plot draws values of the library's type Plot: as SVG and PNG, by package paper, or as
// text. It is given results of programs and does not know how they were computed.
package plot

import (
	"errors"
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Figure is a picture: layers on a pair of axes, or several figures in columns.
type Figure struct {
	Title, X, Y string
	LogX, LogY  bool
	Layers      []Layer

	Columns int
	Facets  []*Figure
}

// Layer is one part of a figure. Its kind decides what its numbers mean.
type Layer struct {
	Kind   string // the constructor's name
	Name   string // in the legend
	Xs, Ys []float64
	// Of arrows, their vectors; of a band, its upper ends (Us). Of boxes, which are filled, and of
	// cells, which are outlines, the upper corners, where Xs and Ys are the lower ones.
	Us, Vs []float64
	Bins   int           // of a histogram
	Rows   [][]float64   // of a heat map or a contour
	Ranges [2][2]float64 // the rectangle that the rows cover
	Levels []float64
}

// Bounds of what is drawn.
const (
	maxFacets = 64
	maxLayers = 256
	maxBins   = 10_000
	maxPoints = 4000 // of a curve; see pieces
)

// Is reports whether a type is the library's Plot.
func Is(t types.Type) bool {
	d, ok := types.Resolve(t).(*types.Data)
	return ok && d.Decl.Module == "plot" && d.Decl.Name == "Plot"
}

var errShape = errors.New("this is not a picture that the library's module `plot` makes")

// Of converts a value to a figure.
func Of(v value.Value) (*Figure, error) {
	c, ok := v.(value.Con)
	switch {
	case ok && c.Name == "Plot" && len(c.Args) == 2:
		return one(c)
	case ok && c.Name == "Facets" && len(c.Args) == 2:
		return several(c)
	}
	return nil, errShape
}

func several(c value.Con) (*Figure, error) {
	columns, ok := c.Args[0].(value.Int)
	parts, isArray := c.Args[1].(value.Array)
	switch {
	case !ok || !isArray && value.Show(c.Args[1]) != "[]":
		return nil, errShape
	case len(parts) == 0:
		return nil, errors.New("the picture has no facets")
	case len(parts) > maxFacets:
		return nil, fmt.Errorf(
			"%d facets are too many: at most %d are drawn",
			len(parts),
			maxFacets,
		)
	}
	f := &Figure{Columns: min(max(int(columns), 1), len(parts))}
	for _, p := range parts {
		part, err := Of(p)
		if err != nil {
			return nil, err
		}
		if part.Facets != nil {
			return nil, errors.New("facets inside of facets are not drawn")
		}
		f.Facets = append(f.Facets, part)
	}
	return f, nil
}

func one(c value.Con) (*Figure, error) {
	axes, ok := c.Args[0].(value.Record)
	layers, isArray := c.Args[1].(value.Array)
	if !ok || !isArray {
		return nil, errShape
	}
	f := &Figure{}
	for _, field := range axes {
		switch v := field.Value.(type) {
		case value.String:
			*map[string]*string{"title": &f.Title, "x": &f.X, "y": &f.Y}[field.Name] = string(v)
		case value.Bool:
			*map[string]*bool{"logX": &f.LogX, "logY": &f.LogY}[field.Name] = bool(v)
		}
	}
	if len(layers) > maxLayers {
		return nil, fmt.Errorf(
			"%d layers are too many: at most %d are drawn",
			len(layers),
			maxLayers,
		)
	}
	for _, l := range layers {
		con, ok := l.(value.Con)
		if !ok {
			return nil, errShape
		}
		layer, err := layerOf(con)
		if err != nil {
			return nil, err
		}
		f.Layers = append(f.Layers, layer)
	}
	return f, f.check()
}

func layerOf(c value.Con) (l Layer, err error) {
	l.Kind = c.Name
	for _, a := range c.Args {
		switch v := a.(type) {
		case value.String:
			l.Name = string(v)
		case value.Int:
			l.Bins = int(v)
		}
	}
	reals := func(k int) []float64 {
		xs, ok := c.Args[k].(value.Reals)
		if !ok && value.Show(c.Args[k]) != "[]" {
			err = errShape
		}
		return xs
	}
	switch l.Kind {
	case "Line", "Scatter":
		l.Xs, l.Ys = reals(0), reals(1)
	case "Histogram":
		l.Xs = reals(1)
	case "Band":
		l.Xs, l.Ys, l.Us = reals(0), reals(1), reals(2)
	case "Heatmap", "Contour":
		l.Ranges[0], l.Ranges[1] = rangeOf(c.Args[0]), rangeOf(c.Args[1])
		if l.Kind == "Contour" {
			l.Levels = reals(2)
		}
		l.Rows, err = rowsOf(c.Args[len(c.Args)-1])
	case "Arrows":
		l.Xs, l.Ys = pairsOf(c.Args[0])
		l.Us, l.Vs = pairsOf(c.Args[1])
	default:
		err = errShape
	}
	return l, err
}

func rangeOf(v value.Value) (r [2]float64) {
	if t, ok := v.(value.Tuple); ok && len(t) == 2 {
		for k := range r {
			x, _ := t[k].(value.Real)
			r[k] = float64(x)
		}
	}
	return r
}

func pairsOf(v value.Value) (xs, ys []float64) {
	list, _ := v.(value.Array)
	for _, p := range list {
		pair := rangeOf(p)
		xs, ys = append(xs, pair[0]), append(ys, pair[1])
	}
	return xs, ys
}

func rowsOf(v value.Value) (rows [][]float64, err error) {
	list, ok := v.(value.Array)
	if !ok {
		return nil, errors.New("a heat map or a contour needs a matrix with rows and columns")
	}
	for k, r := range list {
		row, _ := r.(value.Reals)
		if len(row) == 0 || k > 0 && len(row) != len(rows[0]) {
			return nil, errors.New(
				"the rows of a heat map or a contour have one length, which is not 0",
			)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// check returns an error for a figure that cannot be drawn.
func (f *Figure) check() error {
	some := false
	for _, l := range f.Layers {
		switch l.Kind {
		case "Heatmap", "Contour":
			for _, r := range l.Ranges {
				if !(r[0] < r[1]) || !finite(r[0]) || !finite(r[1]) {
					return fmt.Errorf(
						"a heat map or a contour is drawn from a smaller number to a larger one, "+
							"not from %v to %v",
						r[0],
						r[1],
					)
				}
			}
			some = true
		case "Histogram":
			if l.Bins <= 0 || l.Bins > maxBins {
				return fmt.Errorf("a histogram has 1 to %d bins, not %d", maxBins, l.Bins)
			}
			for _, x := range l.Xs {
				some = some || finite(x)
			}
		default:
			for k := range l.Xs {
				some = some || k < len(l.Ys) && f.visible(l.Xs[k], l.Ys[k])
			}
		}
	}
	if !some {
		what := "no number in it is finite"
		if f.LogX || f.LogY {
			what = "no point of it is finite, and positive on the logarithmic axes"
		}
		return fmt.Errorf("the picture is empty: %s", what)
	}
	return nil
}

// visible reports whether a point has a place on the axes.
func (f *Figure) visible(x, y float64) bool {
	return finite(x) && finite(y) && !(f.LogX && x <= 0) && !(f.LogY && y <= 0)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// pieces returns the runs of visible points of a layer, each with at most about limit points. A
// longer run is divided into many stretches, and of each stretch the first, the lowest, the
// highest and the last point are kept.
func (f *Figure) pieces(xs, ys []float64, limit int) (all [][][2]float64) {
	var run [][2]float64
	flush := func() {
		if len(run) > 0 {
			all = append(all, thinned(run, limit))
		}
		run = nil
	}
	for k := range min(len(xs), len(ys)) {
		if !f.visible(xs[k], ys[k]) {
			flush()
			continue
		}
		run = append(run, [2]float64{xs[k], ys[k]})
	}
	flush()
	return all
}

func thinned(run [][2]float64, limit int) [][2]float64 {
	if len(run) <= limit {
		return run
	}
	var kept [][2]float64
	stretches := limit / 4
	for s := range stretches {
		part := run[s*len(run)/stretches : (s+1)*len(run)/stretches]
		lo, hi := 0, 0
		for k, p := range part {
			if p[1] < part[lo][1] {
				lo = k
			}
			if p[1] > part[hi][1] {
				hi = k
			}
		}
		for _, k := range []int{0, min(lo, hi), max(lo, hi), len(part) - 1} {
			kept = append(kept, part[k])
		}
	}
	return kept
}
