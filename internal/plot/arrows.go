//go:build !page

package plot

import (
	"image/color"
	"math"

	"github.com/fluxion-lang/fluxion/internal/plot/paper"
)

// arrows draws a layer of arrows. The heads are computed in units of the paper, where both axes
// have the same scale.
type arrows struct {
	f *Figure
	l Layer
	c color.NRGBA
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

func (a arrows) draw(p *panel) {
	a.each(func(from, to [2]float64) {
		start, end := p.at(from[0], from[1]), p.at(to[0], to[1])
		dx, dy := end.X-start.X, end.Y-start.Y
		length := math.Hypot(dx, dy)
		if length == 0 {
			return
		}
		part := math.Min(headLength, headPart*length) / length
		bx, by := dx*part, dy*part
		// The line ends within the head, whose tip is sharp.
		neck := paper.Point{X: end.X - bx/2, Y: end.Y - by/2}
		p.page.Stroke([]paper.Point{start, neck}, 1.1, a.c)
		p.page.Fill([]paper.Point{end, {X: end.X - bx - by/2, Y: end.Y - by + bx/2},
			{X: end.X - bx + by/2, Y: end.Y - by - bx/2}}, a.c)
	})
}

func (a arrows) extend(x, y *axis) {
	a.each(func(from, to [2]float64) {
		x.include(from[0])
		x.include(to[0])
		y.include(from[1])
		y.include(to[1])
	})
}
