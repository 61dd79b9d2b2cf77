package service

import (
	"context"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// TestGraph: a function with derivatives, its kink, and a band that holds all its values.
func TestGraph(t *testing.T) {
	s := New()
	s.Open(path, "let f (x : Real) : Real = max (sin x) 0.3\n", 1)
	settings := driver.Settings{Limits: interp.DefaultLimits()}
	figure, notes, err := s.Graph(context.Background(), path, Graph{Fun: "f", To: 1.5, Orders: 2, Band: true, Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) > 0 {
		t.Errorf("notes: %q", notes)
	}
	found := map[string]int{}
	for k, l := range figure.Layers {
		found[l.Name] = k + 1
	}
	for _, name := range []string{"certified range", "f", "f'", "f''", "kink"} {
		if found[name] == 0 {
			t.Fatalf("there is no layer %s in %v", name, found)
		}
	}
	if kink := figure.Layers[found["kink"]-1]; math.Abs(kink.Xs[0]-math.Asin(0.3)) > 0.01 {
		t.Errorf("the kink is at %v, and not at %v", kink.Xs[0], math.Asin(0.3))
	}
	band := figure.Layers[0]
	if len(band.Xs) != 2*bandCells {
		t.Fatalf("the band has %d ends", len(band.Xs))
	}
	for k := 0; k < len(band.Xs); k += 2 {
		for _, x := range []float64{band.Xs[k], (band.Xs[k] + band.Xs[k+1]) / 2, band.Xs[k+1]} {
			if y := max(math.Sin(x), 0.3); y < band.Ys[k]-1e-15 || y > band.Us[k]+1e-15 {
				t.Errorf("f %v = %v is not between %v and %v", x, y, band.Ys[k], band.Us[k])
			}
		}
	}
	if _, _, err := s.Graph(context.Background(), path, Graph{Fun: "f", From: 2, To: 1, Settings: settings}); err == nil {
		t.Error("an empty range has a graph")
	}
}
