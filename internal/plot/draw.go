//go:build !page

package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// colours is the palette of Okabe and Ito, which people with any colour vision can tell apart.
var colours = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}, {64, 64, 64, 255},
}

// The size of a picture, and the resolution of PNGs.
const (
	width, height = 5.2 * vg.Inch, 3.4 * vg.Inch
	dotsPerInch   = 192
)

// stretched writes SVG whose images fill their rectangles. The library does not ask for that, and
// viewers then keep the proportions of an image.
type stretched struct{ of io.WriterTo }

func (s stretched) WriteTo(w io.Writer) (int64, error) {
	var text bytes.Buffer
	if _, err := s.of.WriteTo(&text); err != nil {
		return 0, err
	}
	n, err := w.Write(bytes.ReplaceAll(text.Bytes(), []byte("<image "),
		[]byte(`<image preserveAspectRatio="none" `)))
	return int64(n), err
}

// Write draws a figure in the format of the extension, .svg or .png, and returns a description.
func (f *Figure) Write(w io.Writer, ext string) (about string, err error) {
	grid, rows, columns := [][]*plot.Plot(nil), 1, 1
	figures := []*Figure{f}
	if f.Facets != nil {
		figures, columns = f.Facets, f.Columns
		rows = (len(figures) + columns - 1) / columns
	}
	for r := range rows {
		grid = append(grid, make([]*plot.Plot, columns))
		for c := range columns {
			if k := r*columns + c; k < len(figures) {
				if grid[r][c], err = figures[k].plot(); err != nil {
					return "", err
				}
			}
		}
	}
	// A facet is smaller than a single picture.
	scale := vg.Length(1)
	if columns > 1 {
		scale = 0.7
	}
	wide, high := width*vg.Length(columns)*scale, height*vg.Length(rows)*scale
	var canvas vg.CanvasSizer
	var out io.WriterTo
	switch ext {
	case ".svg":
		c := vgsvg.New(wide, high)
		canvas, out = c, stretched{c}
	case ".png":
		c := vgimg.PngCanvas{
			Canvas: vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(dotsPerInch)),
		}
		canvas, out = c, c
	default:
		return "", fmt.Errorf("pictures are written to .svg and .png, not to %s", ext)
	}
	// The drawing library may panic on unusual numbers.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the picture cannot be drawn: %v", r)
		}
	}()
	dc := draw.New(canvas)
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Millimeter * 5, PadY: vg.Millimeter * 5,
		PadTop: vg.Millimeter * 2, PadBottom: vg.Millimeter * 2, PadLeft: vg.Millimeter * 2, PadRight: vg.Millimeter * 4}
	for r, line := range plot.Align(grid, tiles, dc) {
		for c, part := range line {
			if grid[r][c] != nil {
				grid[r][c].Draw(part)
			}
		}
	}
	if _, err := out.WriteTo(w); err != nil {
		return "", err
	}
	return fmt.Sprintf("%.0f by %.0f points", wide.Points(), high.Points()), nil
}

// plot converts a figure without facets to gonum's type.
func (f *Figure) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.X, f.Y
	p.Title.Padding = vg.Points(6)
	p.Title.TextStyle.Font.Size = 13
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = 11, 9.5
		a.Label.TextStyle.Font.Variant, a.Tick.Label.Font.Variant = "Sans", "Sans"
		a.Label.Padding = vg.Points(3)
		a.Tick.Marker, a.Tick.Length = ticks{}, vg.Points(4)
	}
	p.Title.TextStyle.Font.Variant, p.Legend.TextStyle.Font.Variant = "Sans", "Sans"
	p.Legend.Padding = vg.Points(3)
	p.Legend.TextStyle.Font.Size = 9.5
	grid := plotter.NewGrid()
	light := color.RGBA{225, 225, 225, 255}
	grid.Horizontal.Color, grid.Vertical.Color = light, light
	if len(f.Layers) > 0 && f.Layers[0].Kind != "Heatmap" {
		p.Add(grid)
	}
	var legend legend
	for _, l := range f.Layers {
		shown, err := f.add(p, l, legend.colour(l))
		if err != nil {
			return nil, err
		}
		legend.show(l.Name, shown)
	}
	if f.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	if f.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		if a.Max-a.Min > math.MaxFloat64/4 {
			return nil, errors.New("the numbers of the picture are too large for its axes")
		}
		if a.Min == a.Max { // a single value: leave some room around it
			room := math.Max(math.Abs(a.Min)/10, 0.5)
			if a.Scale == (plot.LogScale{}) {
				a.Min, a.Max = a.Min/2, a.Max*2
			} else {
				a.Min, a.Max = a.Min-room, a.Max+room
			}
		}
	}
	legend.place(p, f.Layers)
	return p, nil
}

func points(run [][2]float64) plotter.XYs {
	xys := make(plotter.XYs, len(run))
	for k, p := range run {
		xys[k].X, xys[k].Y = p[0], p[1]
	}
	return xys
}

// add draws a layer. It returns the layer's symbol for the legend, or nil.
func (f *Figure) add(p *plot.Plot, l Layer, c color.RGBA) (shown plot.Thumbnailer, err error) {
	switch l.Kind {
	case "Line":
		for _, run := range f.pieces(l.Xs, l.Ys, maxPoints) {
			line, err := plotter.NewLine(points(run))
			if err != nil {
				return nil, err
			}
			line.Color, line.Width = c, vg.Points(1.6)
			p.Add(line)
			shown = line
		}
	case "Scatter":
		var all [][2]float64
		for _, run := range f.pieces(l.Xs, l.Ys, len(l.Xs)) {
			all = append(all, run...)
		}
		// keep evenly spaced ones
		for k, n := 0, len(all); n > maxPoints*5 && k < maxPoints*5; k++ {
			all[k] = all[k*n/(maxPoints*5)]
		}
		dots, err := plotter.NewScatter(points(all[:min(len(all), maxPoints*5)]))
		if err != nil {
			return nil, err
		}
		radius := vg.Points(2.2)
		if len(all) > 400 { // otherwise they would hide one another
			radius = vg.Points(1.1)
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}
		p.Add(dots)
		shown = dots
	case "Band":
		lows, highs := f.pieces(l.Xs, l.Ys, maxPoints), f.pieces(l.Xs, l.Us, maxPoints)
		for k := range min(len(lows), len(highs)) {
			edge := lows[k]
			for n := len(highs[k]) - 1; n >= 0; n-- {
				edge = append(edge, highs[k][n])
			}
			area, err := plotter.NewPolygon(points(edge))
			if err != nil {
				return nil, err
			}
			area.Color, area.LineStyle.Width = color.NRGBA{c.R, c.G, c.B, 70}, 0
			p.Add(area)
			shown = area
		}
	case "Histogram":
		var xs plotter.Values
		for _, x := range l.Xs {
			if finite(x) {
				xs = append(xs, x)
			}
		}
		h, err := plotter.NewHist(xs, l.Bins)
		if err != nil {
			return nil, err
		}
		h.FillColor, h.LineStyle.Color = color.NRGBA{c.R, c.G, c.B, 170}, color.White
		h.LineStyle.Width = vg.Points(0.5)
		p.Add(h)
		shown = h
	case "Heatmap":
		heat := moreland.ExtendedBlackBody()
		m := plotter.NewHeatMap(&field{l}, heat.Palette(255))
		m.Rasterized = true
		m.NaN = color.RGBA{200, 200, 200, 255}
		p.Add(m)
	case "Contour":
		p.Add(contours{field{l}, f})
	case "Arrows":
		p.Add(arrows{f, l, c})
	}
	return shown, nil
}

// field is a layer with a matrix over a rectangle, in gonum's interface.
type field struct{ Layer }

func (g *field) Dims() (c, r int) { return len(g.Rows[0]), len(g.Rows) }

func (g *field) Z(c, r int) float64 { return g.Rows[r][c] }

func (g *field) X(c int) float64 { return at(g.Ranges[0], c, len(g.Rows[0])) }

func (g *field) Y(r int) float64 { return at(g.Ranges[1], r, len(g.Rows)) }

func at(span [2]float64, k, n int) float64 {
	if n == 1 {
		return (span[0] + span[1]) / 2
	}
	return span[0] + (span[1]-span[0])*float64(k)/float64(n-1)
}
