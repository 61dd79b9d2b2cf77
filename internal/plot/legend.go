//go:build !page

package plot

import (
	"image/color"

	"gonum.org/v1/plot"
)

// legend explains the layers of a plot. Layers with the same name share a colour and an entry.
type legend struct {
	names   []string
	shown   map[string][]plot.Thumbnailer
	colours map[string]color.RGBA
	used    int
}

// colour returns the colour of a layer.
func (g *legend) colour(l Layer) color.RGBA {
	if c, ok := g.colours[l.Name]; ok {
		return c
	}
	c := colours[g.used%len(colours)]
	if l.Kind != "Heatmap" && l.Kind != "Contour" {
		g.used++
	}
	if l.Name != "" {
		if g.colours == nil {
			g.colours = map[string]color.RGBA{}
		}
		g.colours[l.Name] = c
	}
	return c
}

// show adds the symbol of a layer to the entry of its name.
func (g *legend) show(name string, t plot.Thumbnailer) {
	if name == "" || t == nil {
		return
	}
	if g.shown == nil {
		g.shown = map[string][]plot.Thumbnailer{}
	}
	if g.shown[name] == nil {
		g.names = append(g.names, name)
	}
	g.shown[name] = append(g.shown[name], t)
}

// place adds the legend in the corner where it covers the fewest points. The axes must be set
// before.
func (g *legend) place(p *plot.Plot, layers []Layer) {
	for _, name := range g.names {
		p.Legend.Add(name, g.shown[name]...)
	}
	const wide, high = 0.35, 0.25 // the size of a legend, relative to the axes
	var covered [2][2]int         // by bottom or top, and right or left
	count := func(xs, ys []float64) {
		for i := range min(len(xs), len(ys)) {
			x, y := p.X.Norm(xs[i]), p.Y.Norm(ys[i])
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
	p.Legend.Top, p.Legend.Left = bestTop == 1, bestLeft == 1
}
