//go:build !page

package plot

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// picture returns a value as the library makes it.
func picture(layers ...value.Value) value.Value {
	axes := value.Record{{Name: "logX", Value: value.Bool(false)}, {Name: "logY", Value: value.Bool(false)},
		{Name: "title", Value: value.String("T")}, {Name: "x", Value: value.String("x")}, {Name: "y", Value: value.String("y")}}
	return value.Con{Name: "Plot", Args: []value.Value{axes, value.Array(layers)}}
}

func line(xs, ys []float64) value.Value {
	return value.Con{Name: "Line", Args: []value.Value{value.Reals(xs), value.Reals(ys), value.String("a")}}
}

// TestWrite: SVG and PNG are made, the same each time, also of numbers that have no place.
func TestWrite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, ys := range [][]float64{{1, 2, 3}, {1, nan, 3}, {inf, 2, 3}, {5, 5, 5}, {1e308, -1e308, nan}, {1e-320, 0, 2e-320}} {
		f, err := Of(picture(line([]float64{0, 1, 2}, ys)))
		if err != nil {
			t.Errorf("%v: %v", ys, err)
			continue
		}
		var first, second bytes.Buffer
		_, err = f.Write(&first, ".svg")
		if huge := ys[0] == 1e308; (err != nil) != huge {
			t.Errorf("%v: %v", ys, err)
		}
		f.Write(&second, ".svg")
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%v: two drawings differ", ys)
		}
		if err := f.Text(&second); err != nil {
			t.Errorf("%v: %v", ys, err)
		}
	}
	f, _ := Of(picture(line([]float64{0, 1}, []float64{0, 1})))
	var png bytes.Buffer
	if _, err := f.Write(&png, ".png"); err != nil || !strings.HasPrefix(png.String(), "\x89PNG") {
		t.Errorf("a PNG is %.10q, %v", png.String(), err)
	}
}

// TestStretched: the image of a heat map fills its rectangle in SVG, whatever the proportions.
func TestStretched(t *testing.T) {
	span := value.Tuple{value.Real(0), value.Real(1)}
	matrix := value.Array{value.Reals{1, 2}, value.Reals{3, 4}}
	f, err := Of(picture(value.Con{Name: "Heatmap", Args: []value.Value{span, span, matrix}}))
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if _, err := f.Write(&svg, ".svg"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(svg.String(), `<image preserveAspectRatio="none"`) {
		t.Errorf("%.300s", svg.String())
	}
}

// TestRefused: what is empty or not a picture is an error.
func TestRefused(t *testing.T) {
	for _, v := range []value.Value{value.Real(1), picture(), picture(line(nil, nil)), picture(line([]float64{math.NaN()}, []float64{1})),
		value.Con{Name: "Facets", Args: []value.Value{value.Int(2), value.Array{}}},
		picture(value.Con{Name: "Histogram", Args: []value.Value{value.Int(0), value.Reals{1}, value.String("")}}),
		picture(value.Con{Name: "Heatmap", Args: []value.Value{value.Tuple{value.Real(1), value.Real(1)},
			value.Tuple{value.Real(0), value.Real(1)}, value.Array{value.Reals{1}}}})} {
		if f, err := Of(v); err == nil {
			t.Errorf("%s is %v", value.Show(v), f)
		}
	}
}

// TestThinned: a long curve keeps its ends and its peaks.
func TestThinned(t *testing.T) {
	run := make([][2]float64, 1_000_000)
	for k := range run {
		run[k] = [2]float64{float64(k), 0}
	}
	run[123456][1] = 7
	kept := thinned(run, 4000)
	peak := 0.0
	for _, p := range kept {
		peak = math.Max(peak, p[1])
	}
	if len(kept) > 4000 || peak != 7 || kept[len(kept)-1][0] != 999_999 {
		t.Errorf("%d points with the peak %v are kept", len(kept), peak)
	}
}

// TestGraph: a jump is a gap, a kink a mark, a smooth curve has neither, and where there is no
// value a line says so. Points are closer where the curve bends.
func TestGraph(t *testing.T) {
	constant := func(float64) float64 { return 0 }
	for name, c := range map[string]struct {
		f, df       func(x float64) float64
		gaps, kinks int
		missing     bool
	}{
		"sin":   {math.Sin, math.Cos, 0, 0, false},
		"floor": {math.Floor, constant, 2, 0, false},
		"abs": {func(x float64) float64 { return math.Abs(x - 1.1) },
			func(x float64) float64 { return math.Copysign(1, x-1.1) }, 0, 1, false},
		"sqrt": {func(x float64) float64 { return math.Sqrt(x - 1) },
			func(x float64) float64 { return 0.5 / math.Sqrt(x-1) }, 0, 0, true},
		"pole": {func(x float64) float64 { return 1 / (x - 1.0003) },
			func(x float64) float64 { return -1 / ((x - 1.0003) * (x - 1.0003)) }, 1, 0, false},
		"peak": {func(x float64) float64 { return math.Exp(-1e3 * (x - 1) * (x - 1)) },
			func(x float64) float64 { return -2e3 * (x - 1) * math.Exp(-1e3*(x-1)*(x-1)) }, 0, 0, false},
	} {
		sampled := Sample(0.5, 2.5, func(xs []float64) (ys, slopes []float64) {
			for _, x := range xs {
				ys, slopes = append(ys, c.f(x)), append(slopes, c.df(x))
			}
			return ys, slopes
		})
		f, err := sampled.Graph(false)
		if err != nil {
			t.Fatal(err)
		}
		gaps, marks, missing := 0, 0, false
		for _, l := range f.Layers {
			switch l.Name {
			case "kink":
				marks = len(l.Xs)
			case "no value":
				missing = true
			default:
				for k, y := range l.Ys {
					if math.IsNaN(y) && k > 0 && !math.IsNaN(l.Ys[k-1]) {
						gaps++
					}
				}
			}
		}
		if gaps != c.gaps || marks != c.kinks || missing != c.missing {
			t.Errorf("%s: %d gaps and %d kinks, %v; want %d and %d, %v", name, gaps, marks, missing, c.gaps, c.kinks, c.missing)
		}
		if n := len(sampled.xs); n > mostPoints || name == "peak" && n < 2*evenPoints+20 || name == "sin" && n != 2*evenPoints-1 {
			t.Errorf("%s: %d points", name, n)
		}
	}
}

// TestTextOfFields: a heat map is shaded by its values, and a contour follows its level.
func TestTextOfFields(t *testing.T) {
	rows := make([][]float64, 30)
	for r := range rows {
		for c := range 30 {
			x, y := float64(c)/14.5-1, float64(r)/14.5-1
			rows[r] = append(rows[r], x*x+y*y)
		}
	}
	square := [2][2]float64{{-1, 1}, {-1, 1}}
	show := func(l Layer) []string {
		l.Rows, l.Ranges = rows, square
		var b strings.Builder
		if err := (&Figure{Layers: []Layer{l}}).Text(&b); err != nil {
			t.Fatal(err)
		}
		return strings.Split(b.String(), "\n")
	}
	heat := show(Layer{Kind: "Heatmap"})
	middle := []rune(heat[textRows/2])
	if c := middle[len(middle)/2+1]; c != '.' || !strings.HasPrefix(strings.TrimLeft(heat[0], " 1"), "@") {
		t.Errorf("the heat map is\n%s", strings.Join(heat, "\n"))
	}
	contour := show(Layer{Kind: "Contour", Levels: []float64{0.5}})
	if strings.TrimLeft(contour[0], " 1") != "" || len([]rune(contour[textRows/2])) < textColumns*3/4 {
		t.Errorf("the contour is\n%s", strings.Join(contour, "\n"))
	}
}

// TestContour: the lines of a level are where it is, also at a saddle and where it meets the values
// of the matrix, and they end only at the edge.
func TestContour(t *testing.T) {
	for name, f := range map[string]func(x, y float64) float64{
		"circle": func(x, y float64) float64 { return x*x + y*y - 1 },
		"saddle": func(x, y float64) float64 { return x * y },
		"flat":   func(x, y float64) float64 { return math.Max(0, x*x-1) },
	} {
		l := Layer{Kind: "Contour", Levels: []float64{0}, Ranges: [2][2]float64{{-2, 2}, {-2, 2}}}
		for r := range 41 {
			var row []float64
			for c := range 41 {
				row = append(row, f(float64(c)/10-2, float64(r)/10-2))
			}
			l.Rows = append(l.Rows, row)
		}
		ends, lines := map[[2]float64]int{}, 0
		contours{field{l}, &Figure{}}.each(func(from, to [2]float64) {
			lines++
			for _, p := range [][2]float64{from, to} {
				if z := f(p[0], p[1]); math.Abs(z) > 0.01 {
					t.Errorf("%s: the level is %v at %v", name, z, p)
				}
				ends[p]++
			}
		})
		for p, n := range ends {
			if inside := math.Abs(p[0]) < 2 && math.Abs(p[1]) < 2; inside && n%2 == 1 {
				t.Errorf("%s: a line ends at %v", name, p)
			}
		}
		if lines < 20 && name != "flat" {
			t.Errorf("%s: %d lines", name, lines)
		}
	}
}
