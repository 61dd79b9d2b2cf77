package plot

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A figure as text is drawn in the dots of Braille characters. Each character has two dots across
// and four down.
const textColumns, textRows = 72, 18

// Text draws a figure for a terminal: its curves and points, and the numbers at the corners. A
// heat map is drawn in characters that are denser for larger values, and contours are lines of
// dots.
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
	c := &dots{
		f:     f,
		x:     [2]float64{math.Inf(1), math.Inf(-1)},
		y:     [2]float64{math.Inf(1), math.Inf(-1)},
		least: math.Inf(1),
		most:  math.Inf(-1),
	}
	for pass := range 2 { // the first pass finds what is in view, the second sets the dots
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
				line[k] = max(' ', c.shades[r][k])
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
	if c.least <= c.most && err == nil {
		_, err = fmt.Fprintf(
			w,
			"%*s `%c` is %s and `%c` is %s\n",
			margin,
			"",
			ramp[0],
			short(c.least),
			ramp[len(ramp)-1],
			short(c.most),
		)
	}
	for k, l := range f.Layers {
		if l.Name != "" && err == nil {
			_, err = fmt.Fprintf(w, "%*s layer %d: %s\n", margin, "", k+1, l.Name)
		}
	}
	return err
}

// dots is a drawing in progress.
type dots struct {
	f       *Figure
	drawing bool
	x, y    [2]float64 // the ranges in view
	bits    [textRows][textColumns]byte

	shades      [textRows][textColumns]rune // of heat maps, 0 where there is none
	least, most float64                     // the values with the lightest and the darkest shade
}

// ramp holds the shades of a heat map, from the least value to the largest. nan marks a value
// that is not a number.
const ramp, nan = ".:-=+*#%@", '?'

// brailleBits holds the bit of each dot, by its line and side.
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
		switch {
		case !c.drawing:
			c.stroke(
				[2]float64{l.Ranges[0][0], l.Ranges[1][0]},
				[2]float64{l.Ranges[0][1], l.Ranges[1][1]},
			)
		case l.Kind == "Heatmap":
			c.heatmap(l)
		default:
			c.contour(l)
		}
	}
}

// heatmap shades the characters in the rectangle of a matrix.
func (c *dots) heatmap(l Layer) {
	for _, row := range l.Rows {
		for _, z := range row {
			if finite(z) {
				c.least, c.most = math.Min(c.least, z), math.Max(c.most, z)
			}
		}
	}
	for r := range textRows {
		for k := range textColumns {
			z, ok := l.value(c.at(2*float64(k)+0.5, 4*float64(r)+1.5))
			switch {
			case !ok:
			case !finite(z):
				c.shades[r][k] = nan
			default:
				part := (z/2 - c.least/2) / math.Max(
					c.most/2-c.least/2,
					math.SmallestNonzeroFloat64,
				)
				c.shades[r][k] = rune(ramp[min(int(part*float64(len(ramp))), len(ramp)-1)])
			}
		}
	}
}

// contour sets a dot where a level lies between the value at the dot and that of a neighbour.
func (c *dots) contour(l Layer) {
	for y := range 4 * textRows {
		for x := range 2 * textColumns {
			z, ok := l.value(c.at(float64(x), float64(y)))
			right, ok1 := l.value(c.at(float64(x+1), float64(y)))
			below, ok2 := l.value(c.at(float64(x), float64(y+1)))
			for _, level := range l.Levels {
				if ok && (ok1 && (z < level) != (right < level) ||
					ok2 && (z < level) != (below < level)) &&
					finite(z) && (!ok1 || finite(right)) &&
					(!ok2 || finite(below)) {
					c.bits[y/4][x/2] |= brailleBits[y%4][x%2]
				}
			}
		}
	}
}

// at returns the point of a dot. It is the inverse of place.
func (c *dots) at(x, y float64) (float64, float64) {
	value := func(part float64, span [2]float64, log bool) float64 {
		if log {
			return math.Exp(math.Log(span[0])*(1-part) + math.Log(span[1])*part)
		}
		return span[0]*(1-part) + span[1]*part
	}
	return value(x/(2*textColumns-1), c.x, c.f.LogX), value(1-y/(4*textRows-1), c.y, c.f.LogY)
}

// value interpolates the matrix at a point. ok is false outside of its rectangle.
func (l Layer) value(x, y float64) (z float64, ok bool) {
	index := func(v float64, span [2]float64, n int) (k int, part float64, ok bool) {
		at := (v - span[0]) / (span[1] - span[0]) * float64(n-1)
		if slack := 1e-9 * float64(n); !(at >= -slack && at <= float64(n-1)+slack) {
			return 0, 0, false
		}
		at = math.Min(math.Max(at, 0), float64(n-1))
		k = min(int(at), max(n-2, 0))
		return k, at - float64(k), true
	}
	c, u, inX := index(x, l.Ranges[0], len(l.Rows[0]))
	r, v, inY := index(y, l.Ranges[1], len(l.Rows))
	if !inX || !inY {
		return 0, false
	}
	next := func(k, n int) int { return min(k+1, n-1) }
	mix := func(row []float64) float64 {
		if u == 0 {
			return row[c]
		}
		return row[c]*(1-u) + row[next(c, len(row))]*u
	}
	if v == 0 {
		return mix(l.Rows[r]), true
	}
	return mix(l.Rows[r])*(1-v) + mix(l.Rows[next(r, len(l.Rows))])*v, true
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

// place returns the position of a point, in dots from the left and from the top.
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

// stroke draws a line between two points. On the first pass it extends the view instead.
func (c *dots) stroke(from, to [2]float64) {
	if !c.f.visible(from[0], from[1]) || !c.f.visible(to[0], to[1]) {
		return
	}
	if !c.drawing {
		c.x = [2]float64{
			math.Min(c.x[0], math.Min(from[0], to[0])),
			math.Max(c.x[1], math.Max(from[0], to[0])),
		}
		c.y = [2]float64{
			math.Min(c.y[0], math.Min(from[1], to[1])),
			math.Max(c.y[1], math.Max(from[1], to[1])),
		}
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

// room widens a view that contains a single value.
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
