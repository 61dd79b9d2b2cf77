package paper

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strconv"
)

// svg is a page as text.
type svg struct{ text bytes.Buffer }

// NewSVG returns a white page of a size as SVG.
func NewSVG(width, height float64) Paper {
	s := &svg{}
	w, h := short(width), short(height)
	fmt.Fprintf(&s.text, `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s"`+
		" font-family=\"'Liberation Sans', Arial, Helvetica, sans-serif\""+
		` stroke-linejoin="round" stroke-linecap="round">
`, w, h, w, h)
	s.Fill(Rectangle(Point{}, Point{width, height}), color.NRGBA{255, 255, 255, 255})
	return s
}

// short returns a length with at most two digits behind the point.
func short(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// paint returns the attributes of a colour for lines or areas.
func paint(what string, c color.NRGBA) string {
	text := fmt.Sprintf(`%s="#%02x%02x%02x"`, what, c.R, c.G, c.B)
	if c.A < 255 {
		text += fmt.Sprintf(` %s-opacity="%s"`, what, short(float64(c.A)/255))
	}
	return text
}

func (s *svg) path(points []Point) {
	s.text.WriteString(`<path d="`)
	for k, p := range points {
		s.text.WriteByte("ML"[min(k, 1)])
		s.text.WriteString(short(p.X) + " " + short(p.Y))
	}
}

// Stroke is as Paper says.
func (s *svg) Stroke(line []Point, width float64, c color.NRGBA) {
	s.path(line)
	fmt.Fprintf(&s.text, `" fill="none" %s stroke-width="%s"/>`+"\n", paint("stroke", c),
		short(width))
}

// Fill is as Paper says.
func (s *svg) Fill(outline []Point, c color.NRGBA) {
	s.path(outline)
	fmt.Fprintf(&s.text, `Z" %s/>`+"\n", paint("fill", c))
}

// Dot is as Paper says.
func (s *svg) Dot(at Point, radius float64, c color.NRGBA) {
	fmt.Fprintf(&s.text, `<circle cx="%s" cy="%s" r="%s" %s/>`+"\n",
		short(at.X), short(at.Y), short(radius), paint("fill", c))
}

// Image is as Paper says. Viewers keep the proportions of an image unless they are told not to.
func (s *svg) Image(m image.Image, from, to Point) {
	var data bytes.Buffer
	if err := png.Encode(&data, m); err != nil {
		panic(err) // a buffer takes all, and an image in memory has a size
	}
	fmt.Fprintf(&s.text, `<image preserveAspectRatio="none" x="%s" y="%s" width="%s" height="%s" `+
		`href="data:image/png;base64,%s"/>`+"\n",
		short(from.X), short(from.Y), short(to.X-from.X), short(to.Y-from.Y),
		base64.StdEncoding.EncodeToString(data.Bytes()))
}

// Text is as Paper says.
func (s *svg) Text(words string, at Point, size float64, turned bool) {
	if words == "" {
		return
	}
	fmt.Fprintf(&s.text, `<text x="%s" y="%s" font-size="%s"`, short(at.X), short(at.Y),
		short(size))
	if turned {
		fmt.Fprintf(&s.text, ` transform="rotate(-90 %s %s)"`, short(at.X), short(at.Y))
	}
	s.text.WriteByte('>')
	if err := xml.EscapeText(&s.text, []byte(words)); err != nil {
		panic(err) // a buffer takes all
	}
	s.text.WriteString("</text>\n")
}

// Finish is as Paper says.
func (s *svg) Finish(w io.Writer) error {
	s.text.WriteString("</svg>\n")
	_, err := s.text.WriteTo(w)
	return err
}
