//go:build !page

package plot

import (
	"bytes"
	"image/color"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/plot/paper"
)

// TestArrange: the plots of a column are as wide as one another, those of a row as high, whatever
// their numbers and names need, and all are on the page.
func TestArrange(t *testing.T) {
	curve := func(size float64, name string) *Figure {
		return &Figure{Y: name, Title: name, Layers: []Layer{
			{Kind: "Line", Xs: []float64{0, 1}, Ys: []float64{0, size}}}}
	}
	page, face := paper.NewSVG(500, 300), paper.NewFace()
	var panels []*panel
	for _, f := range []*Figure{curve(1, ""), curve(1e5, "long"), curve(1e-7, ""), curve(3, "y")} {
		p, err := f.panel(page, face)
		if err != nil {
			t.Fatal(err)
		}
		panels = append(panels, p)
	}
	arrange(panels, 2, 2, 500, 300)
	for k, p := range panels {
		below, beside := panels[k%2], panels[k/2*2]
		if p.from.X != below.from.X || p.to.X != below.to.X ||
			p.from.Y != beside.from.Y || p.to.Y != beside.to.Y {
			t.Errorf("plot %d is from %v to %v", k, p.from, p.to)
		}
		m := p.margins()
		if p.from.X-m.left < edge || p.to.X > 500 || p.from.Y-m.above < edge || p.to.Y+m.below > 300 ||
			p.to.X-p.from.X < 100 || p.to.Y-p.from.Y < 50 {
			t.Errorf("plot %d is from %v to %v, and needs %v", k, p.from, p.to, m)
		}
	}
}

// TestHistogram: each number is in one bar, the ends too, and a logarithmic axis has bars.
func TestHistogram(t *testing.T) {
	b := newBars([]float64{0, 0.5, 1, 2, 2.5, 4, math.NaN(), math.Inf(1)}, 4, black)
	for k, want := range []int{2, 1, 2, 1} {
		if b.counts[k] != want {
			t.Errorf("bar %d has %d numbers, want %d", k, b.counts[k], want)
		}
	}
	f := &Figure{LogY: true, Layers: []Layer{{Kind: "Histogram", Bins: 3, Xs: []float64{1, 2, 2, 9}}}}
	var text bytes.Buffer
	if _, err := f.Write(&text, ".svg"); err != nil || bytes.Contains(text.Bytes(), []byte("NaN")) ||
		bytes.Contains(text.Bytes(), []byte("Inf")) {
		t.Errorf("%v, %.3000s", err, text.String())
	}
}

// TestHeatColours: colours get lighter as numbers grow, from black to white.
func TestHeatColours(t *testing.T) {
	luminance := func(c color.NRGBA) float64 {
		return 0.2126*math.Pow(float64(c.R)/255, 2.2) + 0.7152*math.Pow(float64(c.G)/255, 2.2) +
			0.0722*math.Pow(float64(c.B)/255, 2.2)
	}
	if lo, hi := heatColour(0), heatColour(1); lo != black || hi != white {
		t.Errorf("the ends are %v and %v", lo, hi)
	}
	for k := range 50 {
		if a, b := heatColour(float64(k)/50), heatColour(float64(k+1)/50); luminance(a) >= luminance(b) {
			t.Errorf("%v is not darker than %v", a, b)
		}
	}
	if c := heatColour(math.NaN()); c.R != c.G || c.G != c.B {
		t.Errorf("NaN is %v", c)
	}
}
