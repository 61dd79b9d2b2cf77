package paper

import (
	"fmt"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Face is the font in which words are set. It is for one goroutine.
type Face struct {
	font *sfnt.Font
	buf  sfnt.Buffer
	em   fixed.Int26_6 // the size at which outlines have the units of the font
}

// NewFace reads the font.
func NewFace() *Face {
	f, err := sfnt.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(fmt.Sprintf("paper: the font that is part of the program: %v", err))
	}
	return &Face{font: f, em: fixed.I(int(f.UnitsPerEm()))}
}

// Width returns how wide words of a size are.
func (f *Face) Width(words string, size float64) float64 {
	return f.set(words, size, nil)
}

// set calls glyph, if it is not nil, with each character's glyph and where it begins on the line,
// and returns the width of the words.
func (f *Face) set(words string, size float64, glyph func(g sfnt.GlyphIndex, at float64)) float64 {
	scale := size / float64(f.em)
	at, before := 0., sfnt.GlyphIndex(0)
	for k, r := range words {
		g, err := f.font.GlyphIndex(&f.buf, r)
		if err != nil {
			continue
		}
		if k > 0 {
			if kern, err := f.font.Kern(&f.buf, before, g, f.em, font.HintingNone); err == nil {
				at += float64(kern) * scale
			}
		}
		if glyph != nil {
			glyph(g, at)
		}
		if wide, err := f.font.GlyphAdvance(&f.buf, g, f.em, font.HintingNone); err == nil {
			at += float64(wide) * scale
		}
		before = g
	}
	return at
}
