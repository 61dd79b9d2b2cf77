//go:build !page

package plot

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// contours draws the level lines of a matrix over a rectangle, by marching squares. In each
// square of neighbouring values a level is one line between two sides, or two such lines.
type contours struct {
	field
	f *Figure
}

var contourColor = color.RGBA{40, 40, 40, 255}

// Plot draws the lines.
func (g contours) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: contourColor, Width: vg.Points(1)}
	g.each(func(from, to [2]float64) {
		if g.f.visible(from[0], from[1]) && g.f.visible(to[0], to[1]) {
			c.StrokeLines(
				style,
				[]vg.Point{{X: x(from[0]), Y: y(from[1])}, {X: x(to[0]), Y: y(to[1])}},
			)
		}
	})
}

// DataRange returns the rectangle.
func (g contours) DataRange() (xmin, xmax, ymin, ymax float64) {
	return g.Ranges[0][0], g.Ranges[0][1], g.Ranges[1][0], g.Ranges[1][1]
}

// each calls line with the ends of each line.
func (g contours) each(line func(from, to [2]float64)) {
	columns, rows := g.Dims()
	for r := range rows - 1 {
		for c := range columns - 1 {
			// the corners, in turn
			zs := [4]float64{g.Z(c, r), g.Z(c+1, r), g.Z(c+1, r+1), g.Z(c, r+1)}
			at := [4][2]float64{
				{g.X(c), g.Y(r)},
				{g.X(c + 1), g.Y(r)},
				{g.X(c + 1), g.Y(r + 1)},
				{g.X(c), g.Y(r + 1)},
			}
			if !finite(zs[0]) || !finite(zs[1]) || !finite(zs[2]) || !finite(zs[3]) {
				continue
			}
			for _, level := range g.Levels {
				square(zs, at, level, line)
			}
		}
	}
}

// square calls line with the lines of a level in a square that has the values zs at its corners.
func square(zs [4]float64, at [4][2]float64, level float64, line func(from, to [2]float64)) {
	var crossings [][2]float64 // on its sides, in turn
	for k := range 4 {
		a, b := zs[k], zs[(k+1)%4]
		if (a < level) == (b < level) {
			continue
		}
		p, q := at[k], at[(k+1)%4]
		part := (level/2 - a/2) / (b/2 - a/2)
		crossings = append(crossings, [2]float64{p[0] + part*(q[0]-p[0]), p[1] + part*(q[1]-p[1])})
	}
	switch {
	case len(crossings) == 2:
		line(crossings[0], crossings[1])
	case len(crossings) == 4: // a saddle: the middle decides which diagonal is connected
		middle := zs[0]/4 + zs[1]/4 + zs[2]/4 + zs[3]/4
		if (middle < level) == (zs[0] < level) {
			line(crossings[0], crossings[1])
			line(crossings[2], crossings[3])
		} else {
			line(crossings[3], crossings[0])
			line(crossings[1], crossings[2])
		}
	}
}
