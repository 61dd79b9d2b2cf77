package plot

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// picture is a value as the library makes it.
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

// TestGraph: a jump is a gap, a kink a mark, and a smooth curve has neither.
func TestGraph(t *testing.T) {
	for _, c := range []struct {
		f, df       func(x float64) float64
		gaps, kinks int
	}{
		{math.Sin, math.Cos, 0, 0},
		{func(x float64) float64 { return math.Floor(x) }, func(float64) float64 { return 0 }, 2, 0},
		{func(x float64) float64 { return math.Abs(x - 1.1) }, func(x float64) float64 { return math.Copysign(1, x-1.1) }, 0, 1},
	} {
		var xs, ys, slopes []float64
		for k := range 601 {
			x := 0.5 + float64(k)/300
			xs, ys, slopes = append(xs, x), append(ys, c.f(x)), append(slopes, c.df(x))
		}
		f, err := Graph(xs, ys, slopes, false)
		if err != nil {
			t.Fatal(err)
		}
		gaps, marks := 0, 0
		for _, l := range f.Layers {
			if l.Kind == "Scatter" {
				marks = len(l.Xs)
				continue
			}
			for _, y := range l.Ys {
				if math.IsNaN(y) {
					gaps++
				}
			}
		}
		if gaps != c.gaps || marks != c.kinks {
			t.Errorf("%d gaps and %d kinks, want %d and %d", gaps, marks, c.gaps, c.kinks)
		}
	}
}
