//go:build !page

package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// arrows draws a layer of arrows. The heads are computed in units of the paper, where both axes
// have the same scale.
type arrows struct {
	f *Figure
	l Layer
	c color.RGBA
}

// each calls draw with the ends of each visible arrow.
func (a arrows) each(draw func(from, to [2]float64)) {
	l := a.l
	for k := range min(len(l.Xs), len(l.Us), maxPoints) {
		from, to := [2]float64{l.Xs[k], l.Ys[k]}, [2]float64{l.Xs[k] + l.Us[k], l.Ys[k] + l.Vs[k]}
		if a.f.visible(from[0], from[1]) && a.f.visible(to[0], to[1]) {
			draw(from, to)
		}
	}
}

// headLength bounds the length of a head; headPart is its length relative to the arrow.
const headLength, headPart = 6, 0.35

// Plot draws the arrows.
func (a arrows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: a.c, Width: vg.Points(1.1)}
	a.each(func(from, to [2]float64) {
		start, end := vg.Point{X: x(from[0]), Y: y(from[1])}, vg.Point{X: x(to[0]), Y: y(to[1])}
		c.StrokeLines(style, []vg.Point{start, end})
		along := end.Sub(start)
		length := math.Hypot(float64(along.X), float64(along.Y))
		if length == 0 {
			return
		}
		back := along.Scale(vg.Length(math.Min(headLength, headPart*length) / length))
		side := vg.Point{X: -back.Y / 2, Y: back.X / 2}
		c.FillPolygon(a.c, []vg.Point{end, end.Sub(back).Add(side), end.Sub(back).Sub(side)})
	})
}

// DataRange returns the ranges that the axes must show.
func (a arrows) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	a.each(func(from, to [2]float64) {
		xmin, xmax = math.Min(
			xmin,
			math.Min(from[0], to[0]),
		), math.Max(
			xmax,
			math.Max(from[0], to[0]),
		)
		ymin, ymax = math.Min(
			ymin,
			math.Min(from[1], to[1]),
		), math.Max(
			ymax,
			math.Max(from[1], to[1]),
		)
	})
	return xmin, xmax, ymin, ymax
}
