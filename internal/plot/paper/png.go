package paper

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/vector"
)

// dots is a page of pixels.
type dots struct {
	page  *image.RGBA
	scale float64 // pixels in a point
	face  *Face
}

// NewPNG returns a white page of a size as PNG, with so many dots in an inch.
func NewPNG(width, height, perInch float64) Paper {
	scale := perInch / 72
	area := image.Rect(0, 0, int(math.Ceil(width*scale)), int(math.Ceil(height*scale)))
	d := &dots{page: image.NewRGBA(area), scale: scale, face: NewFace()}
	draw.Draw(d.page, area, image.White, image.Point{}, draw.Src)
	return d
}

// pixels returns where a point is on the page, in pixels.
func (d *dots) pixels(p Point) Point { return Point{p.X * d.scale, p.Y * d.scale} }

// around returns the pixels of the page within a distance of points, which are pixels.
func (d *dots) around(points []Point, distance float64) image.Rectangle {
	lo, hi := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		lo = Point{math.Min(lo.X, p.X), math.Min(lo.Y, p.Y)}
		hi = Point{math.Max(hi.X, p.X), math.Max(hi.Y, p.Y)}
	}
	clip := func(x float64, most int) int { return int(max(0, min(x, float64(most)))) }
	size := d.page.Bounds().Max
	return image.Rect(clip(lo.X-distance, size.X), clip(lo.Y-distance, size.Y),
		clip(hi.X+distance+1, size.X), clip(hi.Y+distance+1, size.Y))
}

// Stroke is as Paper says. A pixel is covered as far as it is within half the width of the nearest
// segment: so joints and ends are round, and a line that crosses itself covers a pixel once.
func (d *dots) Stroke(line []Point, width float64, c color.NRGBA) {
	points := make([]Point, len(line))
	for k, p := range line {
		points[k] = d.pixels(p)
	}
	if len(points) == 1 {
		points = append(points, points[0])
	}
	radius := math.Max(width*d.scale/2, 0.4)
	mask := image.NewAlpha(d.around(points, radius+1))
	for k := range len(points) - 1 {
		cover(mask, points[k], points[k+1], radius)
	}
	draw.DrawMask(d.page, mask.Rect, image.NewUniform(c), image.Point{}, mask, mask.Rect.Min,
		draw.Over)
}

// cover raises a mask to how far its pixels are within a radius of a segment.
func cover(mask *image.Alpha, a, b Point, radius float64) {
	area, reach := mask.Rect, radius+1
	dx, dy := b.X-a.X, b.Y-a.Y
	square := dx*dx + dy*dy
	low, high := math.Min(a.Y, b.Y), math.Max(a.Y, b.Y)
	for y := max(area.Min.Y, int(low-reach)); y < min(area.Max.Y, int(high+reach)+1); y++ {
		// The part of the segment that is near this row.
		from, to := 0., 1.
		middle := float64(y) + 0.5
		if dy != 0 {
			p, q := (middle-reach-a.Y)/dy, (middle+reach-a.Y)/dy
			from, to = math.Max(0, math.Min(p, q)), math.Min(1, math.Max(p, q))
		}
		left, right := a.X+math.Min(from*dx, to*dx)-reach, a.X+math.Max(from*dx, to*dx)+reach
		for x := max(area.Min.X, int(left)); x < min(area.Max.X, int(right)+1); x++ {
			px, py := float64(x)+0.5-a.X, middle-a.Y
			along := 0.
			if square > 0 {
				along = math.Max(0, math.Min(1, (px*dx+py*dy)/square))
			}
			distance := math.Hypot(px-along*dx, py-along*dy)
			part := math.Max(0, math.Min(1, radius+0.5-distance))
			at := mask.PixOffset(x, y)
			mask.Pix[at] = max(mask.Pix[at], uint8(part*255+0.5))
		}
	}
}

// Dot is as Paper says.
func (d *dots) Dot(at Point, radius float64, c color.NRGBA) {
	d.Stroke([]Point{at}, 2*radius, c)
}

// Fill is as Paper says.
func (d *dots) Fill(outline []Point, c color.NRGBA) {
	points := make([]Point, len(outline))
	for k, p := range outline {
		points[k] = d.pixels(p)
	}
	area := d.around(points, 1)
	if area.Empty() {
		return
	}
	z := vector.NewRasterizer(area.Dx(), area.Dy())
	place := func(p Point) (x, y float32) {
		return float32(p.X - float64(area.Min.X)), float32(p.Y - float64(area.Min.Y))
	}
	z.MoveTo(place(points[0]))
	for _, p := range points[1:] {
		z.LineTo(place(p))
	}
	z.ClosePath()
	z.Draw(d.page, area, image.NewUniform(c), image.Point{})
}

// Image is as Paper says.
func (d *dots) Image(m image.Image, from, to Point) {
	from, to = d.pixels(from), d.pixels(to)
	whole := image.Rect(int(from.X+0.5), int(from.Y+0.5), int(to.X+0.5), int(to.Y+0.5))
	area, size := whole.Intersect(d.page.Bounds()), m.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		top, down := neighbours(y-whole.Min.Y, whole.Dy(), size.Dy())
		for x := area.Min.X; x < area.Max.X; x++ {
			left, right := neighbours(x-whole.Min.X, whole.Dx(), size.Dx())
			at := func(x, y int) color.Color { return m.At(size.Min.X+x, size.Min.Y+y) }
			upper := mix(at(left, top), at(min(left+1, size.Dx()-1), top), right)
			below := min(top+1, size.Dy()-1)
			lower := mix(at(left, below), at(min(left+1, size.Dx()-1), below), right)
			d.page.Set(x, y, mix(upper, lower, down))
		}
	}
}

// neighbours returns which of n pixels, stretched to some length, has its middle before the middle
// of a place, and what part of the way to the next one the place is.
func neighbours(place, length, n int) (k int, part float64) {
	x := math.Max(0, (float64(place)+0.5)*float64(n)/float64(length)-0.5)
	return int(x), x - math.Floor(x)
}

// mix returns a colour between two.
func mix(a, b color.Color, part float64) color.Color {
	if part == 0 {
		return a
	}
	between := func(x, y uint32) uint16 {
		return uint16(float64(x)*(1-part) + float64(y)*part + 0.5)
	}
	ar, ag, ab, aa := a.RGBA()
	br, bg, bb, ba := b.RGBA()
	return color.RGBA64{between(ar, br), between(ag, bg), between(ab, bb), between(aa, ba)}
}

// Text is as Paper says.
func (d *dots) Text(words string, at Point, size float64, turned bool) {
	wide := d.face.Width(words, size)
	ends := []Point{{at.X - size, at.Y - size}, {at.X + wide + size, at.Y + size}}
	if turned {
		ends = []Point{{at.X - size, at.Y - wide - size}, {at.X + size, at.Y + size}}
	}
	area := d.around([]Point{d.pixels(ends[0]), d.pixels(ends[1])}, 1)
	if area.Empty() {
		return
	}
	z := vector.NewRasterizer(area.Dx(), area.Dy())
	units := size / float64(d.face.em)
	d.face.set(words, size, func(g sfnt.GlyphIndex, begin float64) {
		outline, err := d.face.font.LoadGlyph(&d.face.buf, g, d.face.em, nil)
		if err != nil {
			return
		}
		for _, s := range outline {
			var args [3][2]float32
			for k, p := range s.Args {
				x, y := begin+float64(p.X)*units, float64(p.Y)*units
				if turned {
					x, y = y, -x
				}
				p := d.pixels(Point{at.X + x, at.Y + y})
				args[k] = [2]float32{float32(p.X - float64(area.Min.X)),
					float32(p.Y - float64(area.Min.Y))}
			}
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				z.ClosePath()
				z.MoveTo(args[0][0], args[0][1])
			case sfnt.SegmentOpLineTo:
				z.LineTo(args[0][0], args[0][1])
			case sfnt.SegmentOpQuadTo:
				z.QuadTo(args[0][0], args[0][1], args[1][0], args[1][1])
			case sfnt.SegmentOpCubeTo:
				z.CubeTo(args[0][0], args[0][1], args[1][0], args[1][1], args[2][0], args[2][1])
			}
		}
		z.ClosePath()
	})
	z.Draw(d.page, area, image.Black, image.Point{})
}

// Finish is as Paper says.
func (d *dots) Finish(w io.Writer) error { return png.Encode(w, d.page) }
