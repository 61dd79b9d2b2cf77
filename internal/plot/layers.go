//go:build !page

package plot

import (
	"image/color"
	"math"

	"github.com/fluxion-lang/fluxion/internal/plot/paper"
)

// drawing returns how a layer is drawn in a colour, or nil if there is nothing to be seen of it.
func (f *Figure) drawing(l Layer, c color.NRGBA) drawing {
	switch l.Kind {
	case "Line":
		return lines{f.pieces(l.Xs, l.Ys, maxPoints), c}
	case "Scatter":
		return newScatter(f.pieces(l.Xs, l.Ys, len(l.Xs)), c)
	case "Band":
		return newBand(f.pieces(l.Xs, l.Ys, maxPoints), f.pieces(l.Xs, l.Us, maxPoints), c)
	case "Histogram":
		return newBars(l.Xs, l.Bins, c)
	case "Heatmap":
		return heat{field{l}}
	case "Contour":
		return contours{field{l}, f}
	case "Arrows":
		return arrows{f, l, c}
	case "Cells", "Boxes":
		if len(l.Xs) > 0 {
			return boxes{l, l.Kind == "Boxes", c}
		}
	}
	return nil
}

// extendAll extends axes to the points of runs.
func extendAll(runs [][][2]float64, x, y *axis) {
	for _, run := range runs {
		for _, p := range run {
			x.include(p[0])
			y.include(p[1])
		}
	}
}

// places returns where the points of a run are on the page.
func (p *panel) places(run [][2]float64) []paper.Point {
	list := make([]paper.Point, len(run))
	for k, at := range run {
		list[k] = p.at(at[0], at[1])
	}
	return list
}

// lines draws runs of points, each joined by lines.
type lines struct {
	runs [][][2]float64
	c    color.NRGBA
}

const lineWidth = 1.6

func (l lines) extend(x, y *axis) { extendAll(l.runs, x, y) }

func (l lines) draw(p *panel) {
	for _, run := range l.runs {
		p.page.Stroke(p.places(run), lineWidth, l.c)
	}
}

func (l lines) sample(page paper.Paper, from, to paper.Point) {
	y := (from.Y + to.Y) / 2
	page.Stroke([]paper.Point{{X: from.X, Y: y}, {X: to.X, Y: y}}, lineWidth, l.c)
}

// scatter draws points. They are smaller if there are many, which would hide one another.
type scatter struct {
	points [][2]float64
	radius float64
	c      color.NRGBA
}

// newScatter takes the points of runs, or some of them, evenly chosen, if there are too many.
func newScatter(runs [][][2]float64, c color.NRGBA) scatter {
	var all [][2]float64
	for _, run := range runs {
		all = append(all, run...)
	}
	radius := 2.2
	if len(all) > 400 {
		radius = 1.1
	}
	if n, most := len(all), maxPoints*5; n > most {
		for k := range most {
			all[k] = all[k*n/most]
		}
		all = all[:most]
	}
	return scatter{all, radius, c}
}

func (d scatter) extend(x, y *axis) { extendAll([][][2]float64{d.points}, x, y) }

func (d scatter) draw(p *panel) {
	for _, at := range p.places(d.points) {
		p.page.Dot(at, d.radius, d.c)
	}
}

func (d scatter) sample(page paper.Paper, from, to paper.Point) {
	page.Dot(paper.Point{X: (from.X + to.X) / 2, Y: (from.Y + to.Y) / 2}, d.radius, d.c)
}

// band draws areas.
type band struct {
	edges [][][2]float64
	c     color.NRGBA
}

// newBand returns the areas between runs of lower and of upper ends.
func newBand(lows, highs [][][2]float64, c color.NRGBA) band {
	c.A = 70
	b := band{c: c}
	for k := range min(len(lows), len(highs)) {
		edge := lows[k]
		for n := len(highs[k]) - 1; n >= 0; n-- {
			edge = append(edge, highs[k][n])
		}
		b.edges = append(b.edges, edge)
	}
	return b
}

func (b band) extend(x, y *axis) { extendAll(b.edges, x, y) }

func (b band) draw(p *panel) {
	for _, edge := range b.edges {
		p.page.Fill(p.places(edge), b.c)
	}
}

func (b band) sample(page paper.Paper, from, to paper.Point) {
	page.Fill(paper.Rectangle(from, to), b.c)
}

// bars draws a histogram.
type bars struct {
	from, width float64
	counts      []int
	c           color.NRGBA
}

// newBars counts the finite ones of some numbers. There is one.
func newBars(xs []float64, bins int, c color.NRGBA) bars {
	lo, hi, _ := ends(xs)
	if lo == hi {
		lo, hi = lo-0.5, hi+0.5
	}
	c.A = 170
	b := bars{lo, hi/float64(bins) - lo/float64(bins), make([]int, bins), c}
	for _, x := range xs {
		if finite(x) {
			k := int(math.Floor((x/2 - lo/2) / (b.width / 2)))
			b.counts[max(0, min(k, bins-1))]++
		}
	}
	return b
}

// bar returns the ends of a bar.
func (b bars) bar(k int) (from, to float64) {
	return b.from + float64(k)*b.width, b.from + float64(k+1)*b.width
}

func (b bars) extend(x, y *axis) {
	x.include(b.from)
	_, end := b.bar(len(b.counts) - 1)
	x.include(end)
	y.include(0)
	for _, n := range b.counts {
		if y.include(float64(n)); y.log && n > 0 {
			y.include(0.5) // a logarithmic axis has no 0
		}
	}
}

func (b bars) draw(p *panel) {
	for k, n := range b.counts {
		from, to := b.bar(k)
		if n == 0 || p.x.log && from <= 0 {
			continue
		}
		corner, foot := p.at(from, float64(n)), p.at(to, math.Max(p.y.min, 0))
		outline := paper.Rectangle(corner, foot)
		p.page.Fill(outline, b.c)
		p.page.Stroke(append(outline, corner), hairline, white)
	}
}

func (b bars) sample(page paper.Paper, from, to paper.Point) {
	page.Fill(paper.Rectangle(from, to), b.c)
}
