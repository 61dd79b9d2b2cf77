package plot

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A figure as text is drawn in dots of Braille characters, two across and four down in each.
const textColumns, textRows = 72, 18

// Text draws a figure for a terminal: its curves and points, and the numbers at the corners. Colours of
// heat maps and levels of contours have no dots.
func (f *Figure) Text(w io.Writer) error {
	for k, part := range f.Facets {
		if k > 0 {
			fmt.Fprintln(w)
		}
		if err := part.Text(w); err != nil {
			return err
		}
	}
	if f.Facets != nil {
		return nil
	}
	c := &dots{f: f, x: [2]float64{math.Inf(1), math.Inf(-1)}, y: [2]float64{math.Inf(1), math.Inf(-1)}}
	for pass := range 2 { // what is seen, and then its dots
		c.drawing = pass == 1
		for _, l := range f.Layers {
			c.layer(l)
		}
		if !c.drawing {
			c.room()
		}
	}
	if f.Title != "" {
		fmt.Fprintf(w, "%s\n", f.Title)
	}
	high, low := short(c.y[1]), short(c.y[0])
	margin := max(len(high), len(low))
	for r := range textRows {
		label := map[int]string{0: high, textRows - 1: low}[r]
		line := make([]rune, textColumns)
		for k, bits := range c.bits[r] {
			line[k] = '⠀' + rune(bits)
			if bits == 0 {
				line[k] = ' '
			}
		}
		text := fmt.Sprintf("%*s %s", margin, label, string(line))
		if _, err := fmt.Fprintln(w, strings.TrimRight(text, " ")); err != nil {
			return err
		}
	}
	left, right := short(c.x[0]), short(c.x[1])
	gap := max(1, textColumns-len(left)-len(right))
	_, err := fmt.Fprintf(w, "%*s %s%*s%s\n", margin, "", left, gap, "", right)
	for k, l := range f.Layers {
		if l.Name != "" && err == nil {
			_, err = fmt.Fprintf(w, "%*s layer %d: %s\n", margin, "", k+1, l.Name)
		}
	}
	return err
}

// dots is a drawing in the making.
type dots struct {
	f       *Figure
	drawing bool
	x, y    [2]float64 // what is in view
	bits    [textRows][textColumns]byte
}

// brailleBits is the bit of a dot, by its line and side.
var brailleBits = [4][2]byte{{1, 8}, {2, 16}, {4, 32}, {64, 128}}

func (c *dots) layer(l Layer) {
	switch l.Kind {
	case "Line":
		c.curve(l.Xs, l.Ys)
	case "Scatter":
		for k := range min(len(l.Xs), len(l.Ys)) {
			c.point(l.Xs[k], l.Ys[k])
		}
	case "Band":
		c.curve(l.Xs, l.Ys)
		c.curve(l.Xs, l.Us)
	case "Arrows":
		for k := range min(len(l.Xs), len(l.Us)) {
			c.stroke([2]float64{l.Xs[k], l.Ys[k]}, [2]float64{l.Xs[k] + l.Us[k], l.Ys[k] + l.Vs[k]})
		}
	case "Histogram":
		c.histogram(l)
	case "Heatmap", "Contour":
		for _, x := range l.Ranges[0] {
			for _, y := range l.Ranges[1] {
				c.point(x, y)
			}
		}
	}
}

func (c *dots) curve(xs, ys []float64) {
	for _, run := range c.f.pieces(xs, ys, maxPoints) {
		for k, p := range run {
			c.stroke(run[max(k-1, 0)], p)
		}
	}
}

func (c *dots) histogram(l Layer) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range l.Xs {
		if finite(x) {
			lo, hi = math.Min(lo, x), math.Max(hi, x)
		}
	}
	counts := make([]float64, l.Bins)
	for _, x := range l.Xs {
		if finite(x) {
			counts[min(int((x-lo)/(hi-lo)*float64(l.Bins)), l.Bins-1)*b2i(hi > lo)]++
		}
	}
	wide := (hi - lo) / float64(l.Bins)
	for k, n := range counts {
		a, b := lo+float64(k)*wide, lo+float64(k+1)*wide
		c.stroke([2]float64{a, 0}, [2]float64{a, n})
		c.stroke([2]float64{a, n}, [2]float64{b, n})
		c.stroke([2]float64{b, n}, [2]float64{b, 0})
	}
}

func b2i(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// place is a point in dots from the left and from the top.
func (c *dots) place(x, y float64) (float64, float64) {
	part := func(v float64, span [2]float64, log bool) float64 {
		if log {
			return (math.Log(v) - math.Log(span[0])) / (math.Log(span[1]) - math.Log(span[0]))
		}
		return (v/2 - span[0]/2) / (span[1]/2 - span[0]/2)
	}
	return math.Round(part(x, c.x, c.f.LogX) * (2*textColumns - 1)),
		math.Round((1 - part(y, c.y, c.f.LogY)) * (4*textRows - 1))
}

func (c *dots) point(x, y float64) { c.stroke([2]float64{x, y}, [2]float64{x, y}) }

// stroke is a line between two points, or on the first pass makes room for it.
func (c *dots) stroke(from, to [2]float64) {
	if !c.f.visible(from[0], from[1]) || !c.f.visible(to[0], to[1]) {
		return
	}
	if !c.drawing {
		c.x = [2]float64{math.Min(c.x[0], math.Min(from[0], to[0])), math.Max(c.x[1], math.Max(from[0], to[0]))}
		c.y = [2]float64{math.Min(c.y[0], math.Min(from[1], to[1])), math.Max(c.y[1], math.Max(from[1], to[1]))}
		return
	}
	ax, ay := c.place(from[0], from[1])
	bx, by := c.place(to[0], to[1])
	steps := math.Max(1, math.Max(math.Abs(bx-ax), math.Abs(by-ay)))
	for s := range int(steps) + 1 {
		x := int(math.Round(ax + (bx-ax)*float64(s)/steps))
		y := int(math.Round(ay + (by-ay)*float64(s)/steps))
		if x >= 0 && x < 2*textColumns && y >= 0 && y < 4*textRows {
			c.bits[y/4][x/2] |= brailleBits[y%4][x%2]
		}
	}
}

// room widens a view of one value.
func (c *dots) room() {
	for k, span := range []*[2]float64{&c.x, &c.y} {
		if span[0] == span[1] {
			by := math.Max(math.Abs(span[0])/10, 0.5)
			if log := []bool{c.f.LogX, c.f.LogY}[k]; log {
				*span = [2]float64{span[0] / 2, span[1] * 2}
			} else {
				*span = [2]float64{span[0] - by, span[1] + by}
			}
		}
	}
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
