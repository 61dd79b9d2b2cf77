//go:build !page

package plot

import (
	"image"
	"image/color"
	"math"
)

// field is a matrix over a rectangle.
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

// heat draws a matrix as colours. A number is in the middle of its rectangle.
type heat struct{ field }

// cells returns the range that the rectangles of n numbers over a range take.
func cells(span [2]float64, n int) (from, to float64) {
	half := 0.5
	if n > 1 {
		half = (span[1] - span[0]) / float64(n-1) / 2
	}
	return at(span, 0, n) - half, at(span, n-1, n) + half
}

func (h heat) extend(x, y *axis) {
	columns, rows := h.Dims()
	for _, side := range []struct {
		to   *axis
		span [2]float64
		n    int
	}{{x, h.Ranges[0], columns}, {y, h.Ranges[1], rows}} {
		from, to := cells(side.span, side.n)
		side.to.include(from)
		side.to.include(to)
	}
}

func (h heat) draw(p *panel) {
	columns, rows := h.Dims()
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, row := range h.Rows {
		if low, high, ok := ends(row); ok {
			lo, hi = math.Min(lo, low), math.Max(hi, high)
		}
	}
	picture := image.NewNRGBA(image.Rect(0, 0, columns, rows))
	for r := range rows {
		for c := range columns {
			picture.SetNRGBA(c, rows-1-r, heatColour((h.Z(c, r)/2-lo/2)/(hi/2-lo/2)))
		}
	}
	left, right := cells(h.Ranges[0], columns)
	bottom, top := cells(h.Ranges[1], rows)
	p.page.Image(picture, p.at(left, top), p.at(right, bottom))
}

// blackBody has Moreland's extended black body colours in CIELAB: black, blue, red, yellow and
// white, whose lightness grows as the number does.
var blackBody = [][3]float64{
	{0, 0, 0}, {21.873, 50.199, -74.670}, {34.507, 75.413, -88.738}, {47.030, 70.932, 33.599},
	{65.175, 49.146, 56.865}, {84.133, -6.460, 82.420}, {100, 0, 0},
}

// heatColour returns the colour of a part of the range; outside of it, or for NaN, it is grey.
func heatColour(part float64) color.NRGBA {
	if !(part >= 0 && part <= 1) {
		return color.NRGBA{200, 200, 200, 255}
	}
	part *= 100
	k := 1
	for part > blackBody[k][0] {
		k++
	}
	a, b := blackBody[k-1], blackBody[k]
	t := (part - a[0]) / (b[0] - a[0])
	return fromLab(part, a[1]+t*(b[1]-a[1]), a[2]+t*(b[2]-a[2]))
}

// fromLab converts a colour of CIELAB under daylight (D65) to sRGB.
func fromLab(l, a, b float64) color.NRGBA {
	cube := func(t float64) float64 {
		if t > 6./29 {
			return t * t * t
		}
		return 3 * 36. / 841 * (t - 4./29)
	}
	f := (l + 16) / 116
	x, y, z := 0.95047*cube(f+a/500), cube(f), 1.08883*cube(f-b/200)
	channel := func(v float64) uint8 {
		if v > 0.0031308 {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		} else {
			v *= 12.92
		}
		return uint8(math.Max(0, math.Min(1, v))*255 + 0.5)
	}
	return color.NRGBA{channel(3.2406*x - 1.5372*y - 0.4986*z),
		channel(-0.9689*x + 1.8758*y + 0.0415*z), channel(0.0557*x - 0.2040*y + 1.0570*z), 255}
}
