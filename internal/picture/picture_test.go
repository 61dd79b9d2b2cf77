package picture

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestWrite reads back what was drawn: a picture, and beside it one with both
// signs.
func TestWrite(t *testing.T) {
	list, err := Of(value.Tuple{
		value.Array{value.Reals{0, 1}, value.Reals{0.25, 0.5}},
		value.Array{value.Reals{-1, 1}, value.Reals{0, math.NaN()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	width, height, err := Write(&b, list)
	if err != nil || width != 2*comfort+gap || height != comfort {
		t.Fatal(width, height, err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y int) [3]uint32 {
		r, g, b, _ := img.At(x, y).RGBA()
		return [3]uint32{r >> 8, g >> 8, b >> 8}
	}
	half, right := comfort/2, comfort+gap
	for _, c := range []struct {
		x, y int
		want [3]uint32
	}{
		{0, 0, [3]uint32{0, 0, 0}}, {half, 0, [3]uint32{255, 255, 255}}, {half, half, [3]uint32{186, 186, 186}},
		{right, 0, [3]uint32{0, 127, 255}}, {right + half, 0, [3]uint32{255, 127, 0}}, {right, half, [3]uint32{0, 0, 0}},
		{right + half, half, [3]uint32{255, 0, 255}},
	} {
		if got := at(c.x, c.y); got != c.want {
			t.Errorf("at %d, %d: %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// TestOf refuses what is not a picture.
func TestOf(t *testing.T) {
	for want, v := range map[string]value.Value{
		"matrix of reals": value.Real(3),
		"one length":      value.Array{value.Reals{1, 2}, value.Reals{1}},
		"tuple of them":   value.Tuple{},
		"a picture is":    value.Array{value.Reals{}},
	} {
		if _, err := Of(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", v, err, want)
		}
	}
	row := make(value.Reals, 1<<14)
	rows := make(value.Array, 1<<13)
	for k := range rows {
		rows[k] = row
	}
	list, err := Of(rows)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Write(&bytes.Buffer{}, list); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("%v", err)
	}
}
