//go:build !page

package plot

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/plot/paper"
)

// panel is a figure without facets that is being drawn.
type panel struct {
	page     paper.Paper
	face     *paper.Face
	title    string
	x, y     axis
	grid     bool
	layers   []drawing
	legend   legend
	from, to paper.Point // the corners of the plot, without its axes
}

// drawing is a layer that can be drawn.
type drawing interface {
	// extend extends the axes to what the layer shows.
	extend(x, y *axis)
	draw(p *panel)
}

// panel plans how a figure is drawn.
func (f *Figure) panel(page paper.Paper, face *paper.Face) (*panel, error) {
	p := &panel{page: page, face: face, title: f.Title,
		x:    axis{f.X, f.LogX, math.Inf(1), math.Inf(-1)},
		y:    axis{f.Y, f.LogY, math.Inf(1), math.Inf(-1)},
		grid: len(f.Layers) > 0 && f.Layers[0].Kind != "Heatmap"}
	for _, l := range f.Layers {
		d := f.drawing(l, p.legend.colour(l))
		if d == nil {
			continue
		}
		d.extend(&p.x, &p.y)
		p.layers = append(p.layers, d)
		p.legend.show(l.Name, d)
	}
	for _, a := range []*axis{&p.x, &p.y} {
		if err := a.settle(); err != nil {
			return nil, err
		}
	}
	p.legend.place(p, f.Layers)
	return p, nil
}

// at returns where a point is on the page.
func (p *panel) at(x, y float64) paper.Point {
	u, v := p.x.norm(x), p.y.norm(y)
	return paper.Point{X: p.from.X + u*(p.to.X-p.from.X), Y: p.to.Y - v*(p.to.Y-p.from.Y)}
}

// margins is the room that a panel needs around its plot.
type margins struct{ left, right, above, below float64 }

func (p *panel) margins() (m margins) {
	m.above = 2
	if p.title != "" {
		m.above = titleSize * 1.7
	}
	m.below = gap + tickLong + 1.5*labelSize
	if p.x.name != "" {
		m.below += 1.4 * nameSize
	}
	m.left = gap + tickLong + 3 + p.widest()
	if p.y.name != "" {
		m.left += 1.5 * nameSize
	}
	return m
}

// widest returns the width of the widest number of the y axis.
func (p *panel) widest() (wide float64) {
	for _, t := range p.y.ticks() {
		wide = math.Max(wide, p.face.Width(t.label, labelSize))
	}
	return wide
}

// draw draws the panel into its part of the page.
func (p *panel) draw() {
	if p.grid {
		p.drawGrid()
	}
	for _, l := range p.layers {
		l.draw(p)
	}
	p.drawAxes()
	p.legend.draw(p)
	middle := (p.from.X + p.to.X) / 2
	p.centred(p.title, middle, p.from.Y-0.6*titleSize, titleSize)
}

// centred sets words about the middle of a base line.
func (p *panel) centred(words string, x, y, size float64) {
	wide := p.face.Width(words, size)
	p.page.Text(words, paper.Point{X: x - wide/2, Y: y}, size, false)
}

func (p *panel) drawGrid() {
	for _, t := range p.x.ticks() {
		if x := p.at(t.value, p.y.min).X; t.label != "" {
			p.page.Stroke([]paper.Point{{X: x, Y: p.from.Y}, {X: x, Y: p.to.Y}}, hairline, light)
		}
	}
	for _, t := range p.y.ticks() {
		if y := p.at(p.x.min, t.value).Y; t.label != "" {
			p.page.Stroke([]paper.Point{{X: p.from.X, Y: y}, {X: p.to.X, Y: y}}, hairline, light)
		}
	}
}

// long returns how long a tick is.
func (t tick) long() float64 {
	if t.label == "" {
		return tickLong / 2
	}
	return tickLong
}

func (p *panel) drawAxes() {
	line := func(from, to paper.Point) { p.page.Stroke([]paper.Point{from, to}, hairline, black) }
	y := p.to.Y + gap
	line(paper.Point{X: p.from.X, Y: y}, paper.Point{X: p.to.X, Y: y})
	for _, t := range p.x.ticks() {
		x := p.at(t.value, p.y.min).X
		line(paper.Point{X: x, Y: y}, paper.Point{X: x, Y: y + t.long()})
		p.centred(t.label, x, y+tickLong+1.1*labelSize, labelSize)
	}
	p.centred(p.x.name, (p.from.X+p.to.X)/2, y+tickLong+1.4*labelSize+1.15*nameSize, nameSize)
	x := p.from.X - gap
	line(paper.Point{X: x, Y: p.from.Y}, paper.Point{X: x, Y: p.to.Y})
	for _, t := range p.y.ticks() {
		y := p.at(p.x.min, t.value).Y
		line(paper.Point{X: x - t.long(), Y: y}, paper.Point{X: x, Y: y})
		wide := p.face.Width(t.label, labelSize)
		at := paper.Point{X: x - tickLong - 3 - wide, Y: y + 0.35*labelSize}
		p.page.Text(t.label, at, labelSize, false)
	}
	if wide := p.face.Width(p.y.name, nameSize); wide > 0 {
		at := paper.Point{X: x - tickLong - 3 - p.widest() - 0.6*nameSize,
			Y: (p.from.Y+p.to.Y)/2 + wide/2}
		p.page.Text(p.y.name, at, nameSize, true)
	}
}
