//go:build !page

package plot

import (
	"image/color"
	"math"

	"github.com/fluxion-lang/fluxion/internal/plot/paper"
)

// legend explains the layers of a plot. Layers with the same name share a colour and an entry.
type legend struct {
	names     []string
	shown     map[string][]sampler
	colours   map[string]color.NRGBA
	used      int
	top, left bool
}

// sampler is a layer that can stand in a legend.
type sampler interface {
	// sample draws what stands for the layer into a rectangle.
	sample(page paper.Paper, from, to paper.Point)
}

// colour returns the colour of a layer.
func (g *legend) colour(l Layer) color.NRGBA {
	if c, ok := g.colours[l.Name]; ok {
		return c
	}
	c := colours[g.used%len(colours)]
	if l.Kind != "Heatmap" && l.Kind != "Contour" {
		g.used++
	}
	if l.Name != "" {
		if g.colours == nil {
			g.colours = map[string]color.NRGBA{}
		}
		g.colours[l.Name] = c
	}
	return c
}

// show adds the symbol of a layer to the entry of its name.
func (g *legend) show(name string, d drawing) {
	t, ok := d.(sampler)
	if name == "" || !ok {
		return
	}
	if g.shown == nil {
		g.shown = map[string][]sampler{}
	}
	if g.shown[name] == nil {
		g.names = append(g.names, name)
	}
	g.shown[name] = append(g.shown[name], t)
}

// place chooses the corner where the legend covers the fewest points. The axes must be set before.
func (g *legend) place(p *panel, layers []Layer) {
	const wide, high = 0.35, 0.25 // the size of a legend, relative to the axes
	var covered [2][2]int         // by bottom or top, and right or left
	count := func(xs, ys []float64) {
		for i := range min(len(xs), len(ys)) {
			x, y := p.x.norm(xs[i]), p.y.norm(ys[i])
			for top := range 2 {
				for left := range 2 {
					inY := top == 1 && y > 1-high || top == 0 && y < high
					inX := left == 1 && x < wide || left == 0 && x > 1-wide
					if inX && inY {
						covered[top][left]++
					}
				}
			}
		}
	}
	for _, l := range layers {
		count(l.Xs, l.Ys)
		if l.Kind == "Band" {
			count(l.Xs, l.Us)
		}
	}
	bestTop, bestLeft := 1, 0
	for _, corner := range [][2]int{{1, 1}, {0, 0}, {0, 1}} {
		if covered[corner[0]][corner[1]] < covered[bestTop][bestLeft] {
			bestTop, bestLeft = corner[0], corner[1]
		}
	}
	g.top, g.left = bestTop == 1, bestLeft == 1
}

// draw draws the entries, one below the other: a sample at the edge of the plot, and its name.
func (g *legend) draw(p *panel) {
	const sampleWide, sampleHigh, line, pad = 20., 8., 1.3 * labelSize, 4.
	top := p.from.Y + pad
	if !g.top {
		top = p.to.Y - pad - line*float64(len(g.names))
	}
	wide := 0.
	for _, name := range g.names {
		wide = math.Max(wide, p.face.Width(name, labelSize))
	}
	left := p.from.X + pad
	if !g.left {
		left = p.to.X - pad - sampleWide
	}
	if len(g.names) > 0 { // what is below it shines through
		from := paper.Point{X: left - 2, Y: top - 1}
		if !g.left {
			from.X -= wide + pad
		}
		p.page.Fill(paper.Rectangle(from, paper.Point{X: from.X + sampleWide + wide + pad + 4,
			Y: top + line*float64(len(g.names)) + 1}), color.NRGBA{255, 255, 255, 190})
	}
	for k, name := range g.names {
		middle := top + line*(float64(k)+0.5)
		from := paper.Point{X: left, Y: middle - sampleHigh/2}
		for _, s := range g.shown[name] {
			s.sample(p.page, from, paper.Point{X: left + sampleWide, Y: middle + sampleHigh/2})
		}
		at := paper.Point{X: left + sampleWide + pad, Y: middle + 0.35*labelSize}
		if !g.left {
			at.X = left - pad - p.face.Width(name, labelSize)
		}
		p.page.Text(name, at, labelSize, false)
	}
}
