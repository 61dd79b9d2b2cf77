// Package picture draws matrices of numbers as images. If all numbers are positive it draws
// brightness. Otherwise, as for derivatives of pictures, it draws colours around zero. It is
// given results of programs and writes PNG. It does not know how the results were computed.
package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// Matrix is a picture as rows of numbers of equal length.
type Matrix [][]float64

// Bounds of what is drawn.
const (
	maxPixels = 64 << 20
	comfort   = 480 // smaller pictures are enlarged to about this width
	gap       = 8   // pixels between pictures
)

// Of converts a result to pictures: a matrix of reals, or a tuple or record of matrices, which
// are drawn side by side.
func Of(v value.Value) ([]Matrix, error) {
	var parts []value.Value
	switch v := v.(type) {
	case value.Tuple:
		parts = v
	case value.Record:
		for _, f := range v {
			parts = append(parts, f.Value)
		}
	default:
		parts = []value.Value{v}
	}
	var list []Matrix
	for _, p := range parts {
		m, err := matrix(p)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	if len(list) == 0 {
		return nil, errNoMatrix
	}
	return list, nil
}

var errNoMatrix = fmt.Errorf("a picture is drawn of a matrix of reals, or of a tuple of them")

func matrix(v value.Value) (Matrix, error) {
	rows, ok := v.(value.Array)
	if !ok || len(rows) == 0 {
		return nil, errNoMatrix
	}
	m := make(Matrix, len(rows))
	for k, row := range rows {
		reals, ok := row.(value.Reals)
		switch {
		case !ok || len(reals) == 0:
			return nil, errNoMatrix
		case k > 0 && len(reals) != len(m[0]):
			return nil, fmt.Errorf("the rows of a picture should have one length, but row 0 has "+
				"%d and row %d has %d", len(m[0]), k, len(reals))
		}
		m[k] = reals
	}
	return m, nil
}

// Write draws pictures side by side and returns the size of the image.
func Write(w io.Writer, list []Matrix) (width, height int, err error) {
	scales := make([]int, len(list))
	for k, m := range list {
		scales[k] = max(1, comfort/len(m[0]))
		width += scales[k] * len(m[0])
		height = max(height, scales[k]*len(m))
	}
	width += gap * (len(list) - 1)
	if int64(width)*int64(height) > maxPixels {
		return 0, 0, fmt.Errorf("a picture of %d by %d pixels is too large", width, height)
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	left := 0
	for k, m := range list {
		shade := palette(m)
		for y := range scales[k] * len(m) {
			for x := range scales[k] * len(m[0]) {
				img.SetRGBA(left+x, y, shade(m[y/scales[k]][x/scales[k]]))
			}
		}
		left += scales[k]*len(m[0]) + gap
	}
	return width, height, png.Encode(w, img)
}

// palette returns a function from the numbers of a picture to colours.
func palette(m Matrix) func(v float64) color.RGBA {
	low, most := 0.0, 0.0
	for _, row := range m {
		for _, v := range row {
			if finite(v) {
				low, most = min(low, v), max(most, math.Abs(v))
			}
		}
	}
	return func(v float64) color.RGBA {
		switch {
		case !finite(v):
			return color.RGBA{255, 0, 255, 255}
		case most == 0:
			return color.RGBA{0, 0, 0, 255}
		}
		// Screens raise their input to the power 2.2.
		tone := uint8(math.Round(255 * math.Pow(math.Abs(v)/most, 1/2.2)))
		switch {
		case low == 0:
			return color.RGBA{tone, tone, tone, 255}
		case v < 0:
			return color.RGBA{0, tone / 2, tone, 255}
		}
		return color.RGBA{tone, tone / 2, 0, 255}
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
