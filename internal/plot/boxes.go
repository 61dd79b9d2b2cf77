//go:build !page

package plot

import (
	"image/color"
	"math"

	"github.com/fluxion-lang/fluxion/internal/plot/paper"
)

// boxes draws rectangles between the corners (Xs, Ys) and (Us, Vs): their outlines, or filled.
// Those that are filled are large enough to be seen.
type boxes struct {
	Layer
	filled bool
	c      color.NRGBA
}

// leastBox is the least side of a box that is filled, in points.
const leastBox = 3

func (b boxes) extend(x, y *axis) {
	for k := range b.Xs {
		x.include(b.Xs[k])
		x.include(b.Us[k])
		y.include(b.Ys[k])
		y.include(b.Vs[k])
	}
}

func (b boxes) draw(p *panel) {
	for k := range b.Xs {
		from, to := p.at(b.Xs[k], b.Vs[k]), p.at(b.Us[k], b.Ys[k])
		if b.filled {
			for _, side := range [][2]*float64{{&from.X, &to.X}, {&from.Y, &to.Y}} {
				room := math.Max(0, leastBox-(*side[1]-*side[0])) / 2
				*side[0] -= room
				*side[1] += room
			}
		}
		b.box(p.page, from, to)
	}
}

func (b boxes) sample(page paper.Paper, from, to paper.Point) { b.box(page, from, to) }

func (b boxes) box(page paper.Paper, from, to paper.Point) {
	outline := paper.Rectangle(from, to)
	if b.filled {
		inside := b.c
		inside.A = 110
		page.Fill(outline, inside)
	}
	page.Stroke(append(outline, from), hairline, b.c)
}
