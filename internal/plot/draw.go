//go:build !page

package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"github.com/fluxion-lang/fluxion/internal/plot/paper"
)

// colours is the palette of Okabe and Ito, which people with any colour vision can tell apart.
var colours = []color.NRGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}, {64, 64, 64, 255},
}

var (
	black = color.NRGBA{0, 0, 0, 255}
	white = color.NRGBA{255, 255, 255, 255}
	light = color.NRGBA{225, 225, 225, 255} // of lines behind a plot
)

// The size of a picture in points, and the resolution of PNGs.
const (
	width, height = 5.2 * 72, 3.4 * 72
	dotsPerInch   = 192
)

// Lengths of the layout, in points.
const (
	titleSize, nameSize, labelSize = 13, 11, 9.5 // of letters

	edge     = 6.  // around the page, with more on the right for numbers of an axis
	between  = 14. // facets
	gap      = 5.  // between an axis and the plot
	tickLong = 4.
	hairline = 0.5
)

// Write draws a figure in the format of the extension, .svg or .png, and returns a description.
func (f *Figure) Write(w io.Writer, ext string) (about string, err error) {
	figures, columns, scale := []*Figure{f}, 1, 1.
	if f.Facets != nil {
		figures, columns = f.Facets, f.Columns
	}
	if columns > 1 {
		scale = 0.7 // a facet is smaller than a single picture
	}
	rows := (len(figures) + columns - 1) / columns
	wide, high := width*float64(columns)*scale, height*float64(rows)*scale
	var page paper.Paper
	switch ext {
	case ".svg":
		page = paper.NewSVG(wide, high)
	case ".png":
		page = paper.NewPNG(wide, high, dotsPerInch)
	default:
		return "", fmt.Errorf("pictures are written to .svg and .png, not to %s", ext)
	}
	face := paper.NewFace()
	var panels []*panel
	for _, one := range figures {
		p, err := one.panel(page, face)
		if err != nil {
			return "", err
		}
		panels = append(panels, p)
	}
	arrange(panels, columns, rows, wide, high)
	for _, p := range panels {
		p.draw()
	}
	if err := page.Finish(w); err != nil {
		return "", err
	}
	return fmt.Sprintf("%.0f by %.0f points", wide, high), nil
}

// arrange gives each panel its part of the page. The plots of a row have one height, and those of a
// column one width.
func arrange(panels []*panel, columns, rows int, wide, high float64) {
	cellWide := (wide - 3*edge - between*float64(columns-1)) / float64(columns)
	cellHigh := (high - 2*edge - between*float64(rows-1)) / float64(rows)
	left, right := make([]float64, columns), make([]float64, columns)
	above, below := make([]float64, rows), make([]float64, rows)
	for k, p := range panels {
		r, c := k/columns, k%columns
		m := p.margins()
		left[c], right[c] = math.Max(left[c], m.left), math.Max(right[c], m.right)
		above[r], below[r] = math.Max(above[r], m.above), math.Max(below[r], m.below)
	}
	for k, p := range panels {
		r, c := k/columns, k%columns
		x, y := edge+float64(c)*(cellWide+between), edge+float64(r)*(cellHigh+between)
		p.from = paper.Point{X: x + left[c], Y: y + above[r]}
		p.to = paper.Point{X: x + cellWide - right[c], Y: y + cellHigh - below[r]}
	}
}
