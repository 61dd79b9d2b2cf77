//go:build !page

package plot

import (
	"image/color"

	"github.com/fluxion-lang/fluxion/internal/plot/paper"
)

// contours draws the level lines of a matrix over a rectangle, by marching squares. In each
// square of neighbouring values a level is one line between two sides, or two such lines.
type contours struct {
	field
	f *Figure
}

var contourColor = color.NRGBA{40, 40, 40, 255}

func (g contours) draw(p *panel) {
	g.each(func(from, to [2]float64) {
		if g.f.visible(from[0], from[1]) && g.f.visible(to[0], to[1]) {
			ends := []paper.Point{p.at(from[0], from[1]), p.at(to[0], to[1])}
			p.page.Stroke(ends, 1, contourColor)
		}
	})
}

func (g contours) extend(x, y *axis) {
	for k, to := range []*axis{x, y} {
		to.include(g.Ranges[k][0])
		to.include(g.Ranges[k][1])
	}
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
