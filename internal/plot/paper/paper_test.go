package paper

import (
	"bytes"
	"encoding/xml"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
)

var (
	ink   = color.NRGBA{0, 0, 0, 255}
	faint = color.NRGBA{0, 0, 0, 100}
)

// page draws on a PNG of 100 by 60 points with a pixel each, and returns it.
func page(t *testing.T, draw func(p Paper)) image.Image {
	t.Helper()
	p := NewPNG(100, 60, 72)
	draw(p)
	var text bytes.Buffer
	if err := p.Finish(&text); err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(&text)
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds().Max != image.Pt(100, 60) {
		t.Fatalf("the page is %v", m.Bounds())
	}
	return m
}

// dark returns how dark a pixel is, from 0 to 1.
func dark(m image.Image, x, y int) float64 {
	r, _, _, _ := m.At(x, y).RGBA()
	return 1 - float64(r)/0xffff
}

// darkness returns how much ink is in a rectangle, in pixels.
func darkness(m image.Image, area image.Rectangle) (sum float64) {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			sum += dark(m, x, y)
		}
	}
	return sum
}

// TestStroke: a line has its width in any direction, and covers a place once where it meets itself.
func TestStroke(t *testing.T) {
	for angle := 0.; angle < math.Pi; angle += 0.3 {
		dx, dy := 20*math.Cos(angle), 20*math.Sin(angle)
		m := page(t, func(p Paper) {
			p.Stroke([]Point{{50 - dx, 30 - dy}, {50, 30}, {50 + dx, 30 + dy}}, 4, ink)
		})
		want := 40*4 + math.Pi*4 // the ends are half circles
		if got := darkness(m, m.Bounds()); math.Abs(got-want) > 0.02*want {
			t.Errorf("at the angle %.1f the ink is %.1f, want %.1f", angle, got, want)
		}
	}
	m := page(t, func(p Paper) {
		p.Stroke([]Point{{10, 30.5}, {90, 30.5}, {90, 10}, {50.5, 10}, {50.5, 50}}, 3, faint)
	})
	if crossing, beside := dark(m, 50, 30), dark(m, 30, 30); crossing != beside || beside < 0.3 {
		t.Errorf("the crossing is %v dark, the line %v", crossing, beside)
	}
}

// TestFill: an area covers the parts of pixels that are in it, and a dot is round.
func TestFill(t *testing.T) {
	m := page(t, func(p Paper) {
		p.Fill(Rectangle(Point{10, 10}, Point{20.5, 30}), ink)
		p.Dot(Point{60, 30}, 8, ink)
	})
	left := image.Rect(0, 0, 40, 60)
	if got := darkness(m, left); math.Abs(got-10.5*20) > 0.5 {
		t.Errorf("the rectangle covers %.2f pixels", got)
	}
	if edge := dark(m, 20, 20); math.Abs(edge-0.5) > 0.01 {
		t.Errorf("half a pixel is %.2f dark", edge)
	}
	if got := darkness(m, image.Rect(40, 0, 100, 60)); math.Abs(got-64*math.Pi) > 2 {
		t.Errorf("the dot covers %.2f pixels", got)
	}
	page(t, func(p Paper) { // what is beyond the page is left out
		p.Fill(Rectangle(Point{-50, -50}, Point{500, 500}), ink)
		p.Fill(Rectangle(Point{-50, -50}, Point{-20, -20}), ink)
		p.Stroke([]Point{{-1000, -1000}, {1000, 1000}}, 3, ink)
	})
}

// TestText: words are as wide as is said, above their line, and upwards when they are turned.
func TestText(t *testing.T) {
	const words, size = "AVgÄλ0", 20
	wide := NewFace().Width(words, size)
	flat := page(t, func(p Paper) { p.Text(words, Point{10, 40}, size, false) })
	whole := darkness(flat, flat.Bounds())
	box := image.Rect(10, 20, 11+int(wide), 46)
	if inside := darkness(flat, box); whole < 100 || inside < 0.99*whole {
		t.Errorf("%.1f of %.1f pixels are in %v", inside, whole, box)
	}
	if wide < 4*size*0.5 || wide > 6*size {
		t.Errorf("the words are %.1f wide", wide)
	}
	turned := page(t, func(p Paper) { p.Text("AV", Point{50, 55}, size, true) })
	same := page(t, func(p Paper) { p.Text("AV", Point{50, 55}, size, false) })
	for y := 25; y < 55; y++ {
		for x := 30; x < 50; x++ {
			if a, b := dark(turned, x, y), dark(same, 50+54-y, 55+x-50); math.Abs(a-b) > 0.05 {
				t.Fatalf("the turned pixel (%d, %d) is %.2f dark, not %.2f", x, y, a, b)
			}
		}
	}
}

// TestImage: an image fills its rectangle, and is smooth between the middles of its pixels.
func TestImage(t *testing.T) {
	two := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	two.SetNRGBA(0, 0, ink)
	two.SetNRGBA(1, 0, color.NRGBA{255, 255, 255, 255})
	m := page(t, func(p Paper) { p.Image(two, Point{10, 10}, Point{50, 20}) })
	if a, b, c := dark(m, 10, 10), dark(m, 30, 15), dark(m, 49, 19); a != 1 || c != 0 ||
		math.Abs(b-0.5) > 0.05 {
		t.Errorf("the left, the middle and the right are %v, %v and %v dark", a, b, c)
	}
	if outside := darkness(m, image.Rect(50, 0, 100, 60)); outside != 0 {
		t.Errorf("%v pixels are outside of the rectangle", outside)
	}
}

// TestSVG: a page is well-formed whatever its words are, and has all that was drawn.
func TestSVG(t *testing.T) {
	p := NewSVG(100, 60)
	p.Stroke([]Point{{1, 2}, {3.14159, 4}}, 1.5, ink)
	p.Fill([]Point{{1, 2}, {3, 4}, {-0.001, 6}}, faint)
	p.Dot(Point{5, 6}, 2, ink)
	p.Image(image.NewNRGBA(image.Rect(0, 0, 2, 2)), Point{1, 2}, Point{3, 5})
	p.Text("a < b & \x00 \"c\"", Point{10, 20}, 9.5, true)
	var text strings.Builder
	if err := p.Finish(&text); err != nil {
		t.Fatal(err)
	}
	elements := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(text.String())); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text.String())
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
		}
	}
	for name, n := range map[string]int{"svg": 1, "path": 3, "circle": 1, "image": 1, "text": 1} {
		if elements[name] != n {
			t.Errorf("there are %d elements %s, want %d", elements[name], name, n)
		}
	}
	for _, part := range []string{`d="M1 2L3.14 4"`, `M1 2L3 4L0 6Z`, `fill-opacity="0.39"`,
		`rotate(-90 10 20)`, "a &lt; b &amp;"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("%q is not in\n%s", part, text.String())
		}
	}
}
