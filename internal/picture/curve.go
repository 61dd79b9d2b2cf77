package picture

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A curve is drawn in dots of Braille characters, two across and four down in
// each.
const (
	curveColumns = 72
	curveRows    = 18

	// Samples is how many values, at equal distances, Curve draws best.
	Samples = 2 * curveColumns
)

// Curve draws the values ys of a function at equal distances from one end of a
// range to the other as text: the curve, the axes where they are in view, and
// the numbers at the corners. Values that are not numbers are gaps, and so is
// what goes far beyond the rest, as at a pole. It tells whether there was
// anything to draw.
func Curve(out io.Writer, from, to float64, ys []float64) bool {
	lo, hi, ok := extent(ys)
	if !ok {
		return false
	}
	c := canvas{lo: lo, hi: hi}
	c.curve(ys)
	top, bottom := short(hi), short(lo)
	margin := max(len(top), len(bottom))
	for row := range curveRows {
		label := ""
		switch row {
		case 0:
			label = top
		case curveRows - 1:
			label = bottom
		}
		line := strings.Repeat(" ", margin-len(label)) + label + " " + c.line(row, from, to)
		io.WriteString(out, strings.TrimRight(line, " ")+"\n")
	}
	left, right := short(from), short(to)
	gap := max(1, curveColumns-len(left)-len(right))
	io.WriteString(out, strings.Repeat(" ", margin+1)+left+strings.Repeat(" ", gap)+right+"\n")
	return true
}

// extent is the range of values in view: all of them, unless a few are far
// away from the others.
func extent(ys []float64) (lo, hi float64, ok bool) {
	var finite []float64
	for _, y := range ys {
		if !math.IsNaN(y) && !math.IsInf(y, 0) {
			finite = append(finite, y)
		}
	}
	if len(finite) == 0 {
		return 0, 0, false
	}
	slices.Sort(finite)
	few := len(finite) / 12
	lo, hi = finite[0], finite[len(finite)-1]
	near, far := finite[few], finite[len(finite)-1-few]
	if spread := far - near; spread > 0 && hi-lo > 10*spread {
		lo, hi = math.Max(lo, near-spread), math.Min(hi, far+spread)
	}
	if height := hi - lo; height > 0 && !math.IsInf(height, 0) {
		return lo, hi, true
	}
	// A line, or values of which no difference is a number: something around it.
	middle := lo/2 + hi/2
	room := math.Max(1, math.Abs(middle)/4)
	return middle - room, middle + room, true
}

// canvas is the dots of a drawing, by character.
type canvas struct {
	lo, hi float64
	dots   [curveRows][curveColumns]byte
}

// height is how many dots down a value is, outside the canvas if it is not in
// view.
func (c *canvas) height(y float64) float64 {
	return math.Round((c.hi - y) / (c.hi - c.lo) * (4*curveRows - 1))
}

// curve joins the values by upright strokes.
func (c *canvas) curve(ys []float64) {
	const tall = 4 * curveRows
	last := math.NaN()
	for x := range Samples {
		at := c.height(ys[x*(len(ys)-1)/(Samples-1)])
		begin, end := at, at
		if math.Abs(at-last) < tall-1 { // the whole height is not a stroke but a jump
			begin, end = math.Min(at, last+1), math.Max(at, last-1)
		}
		last = at
		if !(end >= 0 && begin < tall) {
			continue
		}
		for y := int(math.Max(begin, 0)); y <= int(math.Min(end, tall-1)); y++ {
			c.dots[y/4][x/2] |= brailleDot[y%4][x%2]
		}
	}
}

// brailleDot is the bit of a dot in a Braille character, by its line and side.
var brailleDot = [4][2]byte{{1, 8}, {2, 16}, {4, 32}, {64, 128}}

// line is a row of characters, with the axes behind the curve.
func (c *canvas) line(row int, from, to float64) string {
	zeroRow, zeroColumn := -1, -1
	if y := c.height(0); y >= 0 && y < 4*curveRows {
		zeroRow = int(y) / 4
	}
	if x := math.Round((0 - from) / (to - from) * (Samples - 1)); x >= 0 && x < Samples {
		zeroColumn = int(x) / 2
	}
	var b strings.Builder
	for column, dots := range c.dots[row] {
		switch {
		case dots != 0:
			b.WriteRune('⠀' + rune(dots))
		case row == zeroRow && column == zeroColumn:
			b.WriteRune('┼')
		case row == zeroRow:
			b.WriteRune('─')
		case column == zeroColumn:
			b.WriteRune('│')
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// short is a number as a label.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
