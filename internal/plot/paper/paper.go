// Package paper draws lines, areas, dots, images and words on a page, as SVG or PNG. It is given
// places in points (1/72 inch) from the page's upper left corner, and knows nothing of axes. Words
// are set in one family of fonts, Liberation Sans, which is part of the program.
package paper

import (
	"image"
	"image/color"
	"io"
)

// Point is a place on a page. Y grows downwards.
type Point struct{ X, Y float64 }

// Paper is a page.
type Paper interface {
	// Stroke draws a line through points. Its joints and ends are round.
	Stroke(line []Point, width float64, c color.NRGBA)
	// Fill fills a polygon.
	Fill(outline []Point, c color.NRGBA)
	// Dot fills a circle.
	Dot(at Point, radius float64, c color.NRGBA)
	// Image stretches an image to a rectangle, smoothly.
	Image(m image.Image, from, to Point)
	// Text sets black words on a base line that begins at a place, and goes upwards if turned.
	Text(words string, at Point, size float64, turned bool)
	// Finish writes the page.
	Finish(w io.Writer) error
}

// Rectangle returns the corners of a rectangle, in turn.
func Rectangle(from, to Point) []Point {
	return []Point{from, {to.X, from.Y}, to, {from.X, to.Y}}
}
