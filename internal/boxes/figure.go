package boxes

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Bounds of what is drawn.
const (
	gridSide   = 200      // points of a grid along an axis
	leastCell  = 1. / 500 // of a cell, relative to the box
	mostCells  = 20_000
	mostLevels = 12
)

// heights evaluates the function on doubles at the points of a grid; nil if it fails somewhere.
func (s *source) heights(ctx context.Context, set driver.Settings) [][][]float64 {
	var sink diag.List
	text := s.b.String()[:s.body] + fmt.Sprintf(
		"let at' k i = los'[k] + (his'[k] - los'[k]) * real i / %d\n"+
			"[[prelude.flatten (f' [at' 0 i, at' 1 j]) for i < %[2]d] for j < %[2]d]\n",
		gridSide-1, gridSide)
	unit := s.world.LoadGiven(textName, text, []*driver.Unit{s.unit}, &sink)
	if unit == nil || sink.Failed() {
		return nil
	}
	r, d := driver.Run(ctx, unit, set)
	if d != nil {
		return nil
	}
	all := value.RealsOf(r.Value)
	count := len(all) / (gridSide * gridSide)
	heights := make([][][]float64, count)
	for k := range heights {
		heights[k] = make([][]float64, gridSide)
		for j := range heights[k] {
			heights[k][j] = make([]float64, gridSide)
			for i := range heights[k][j] {
				heights[k][j][i] = all[(j*gridSide+i)*count+k]
			}
		}
	}
	return heights
}

// levels are the heights at which contours of an optimum are drawn: denser towards it.
func (r *Result) levels(rows [][]float64) []float64 {
	var all []float64
	for _, row := range rows {
		for _, y := range row {
			if !math.IsNaN(y) && !math.IsInf(y, 0) {
				all = append(all, y)
			}
		}
	}
	slices.Sort(all)
	if r.Question == Greatest {
		slices.Reverse(all)
	}
	var levels []float64
	for k := range mostLevels {
		if part := (float64(k) + 0.5) / mostLevels; len(all) > 0 {
			levels = append(levels, all[int(part*part*float64(len(all)-1))])
		}
	}
	return levels
}

// Figure is a picture of the boxes of a search for two unknowns. It shows the function by contours:
// where each of its results is 0, or of what is sought the optimum.
func (r *Result) Figure() *plot.Figure {
	b := r.known
	f := &plot.Figure{X: r.Names[0], Y: r.Names[1],
		Title: fmt.Sprintf("%s of %s", r.sought(), r.Function)}
	corners := func(kind, name string, all []exact.Box) {
		l := plot.Layer{Kind: kind, Name: name}
		for _, x := range all {
			l.Xs, l.Ys = append(l.Xs, x[0][0]), append(l.Ys, x[1][0])
			l.Us, l.Vs = append(l.Us, x[0][1]), append(l.Vs, x[1][1])
		}
		f.Layers = append(f.Layers, l)
	}
	cells := []exact.Box{b.Box}
	for _, x := range b.Trace {
		wide := 0.0
		for i, r := range x {
			wide = max(wide, (r[1]-r[0])/(b.Box[i][1]-b.Box[i][0]))
		}
		if wide > leastCell && len(cells) < mostCells {
			cells = append(cells, x)
		}
	}
	corners("Cells", "excluded", cells)
	for _, rows := range r.heights {
		levels := []float64{0}
		if r.Question.Optimum() {
			levels = r.levels(rows)
		}
		f.Layers = append(f.Layers,
			plot.Layer{Kind: "Contour", Rows: rows, Ranges: [2][2]float64(b.Box), Levels: levels})
	}
	corners("Boxes", "not decided", b.Open)
	found := make([]exact.Box, len(b.Found))
	for k, x := range b.Found {
		found[k] = exact.Box{{x[0].Middle(), x[0].Middle()}, {x[1].Middle(), x[1].Middle()}}
	}
	if r.Question.Optimum() {
		name := r.Question.noun()
		if !r.Proved {
			name = "may be the " + name
		}
		corners("Boxes", name, found)
	} else {
		corners("Boxes", "one root, proved", slices.Concat(b.Zones, found))
	}
	return f
}

// sought is what was sought, for a title.
func (r *Result) sought() string {
	if r.Question.Optimum() {
		return r.Question.noun()
	}
	return "roots"
}
