package family

import (
	"math"
	"math/rand"
	"testing"
)

// TestQuickFamilies: the kernels on doubles are within a unit in the last place of the certified
// values, and decline few points.
func TestQuickFamilies(t *testing.T) {
	points := 300
	if testing.Short() {
		points = 50
	}
	r := rand.New(rand.NewSource(7))
	spread := func(least, most float64) float64 { // evenly in the logarithm
		return math.Exp(math.Log(least) + r.Float64()*math.Log(most/least))
	}
	near := func(a float64) float64 { return a * math.Exp(r.NormFloat64()/math.Sqrt(a+0.1)) }
	for _, c := range []struct {
		name  string
		f     *Function
		ints  []int64
		draw  func() []float64
		fewer float64 // the part of the points that may be declined
	}{
		{"P", GammaP, []int64{0, 0}, func() []float64 { a := spread(0.01, 400); return []float64{a, near(a)} }, 0.01},
		{"Q", GammaQ, []int64{0, 0}, func() []float64 { a := spread(0.01, 400); return []float64{a, near(a)} }, 0.01},
		{"P, all over", GammaP, []int64{0, 0}, func() []float64 { return []float64{spread(1e-3, 100), spread(1e-6, 300)} }, 0.1},
		{"Q, all over", GammaQ, []int64{0, 0}, func() []float64 { return []float64{spread(1e-3, 100), spread(1e-6, 300)} }, 0.1},
		{"density", GammaP, []int64{0, 1}, func() []float64 { a := spread(0.01, 400); return []float64{a, near(a)} }, 0.01},
		{"I", BetaI, []int64{0, 0, 0}, func() []float64 {
			return []float64{spread(0.05, 120), spread(0.05, 120), 1 / (1 + math.Exp(2*r.NormFloat64()))}
		}, 0.01},
		{"beta density", BetaI, []int64{0, 0, 1}, func() []float64 {
			return []float64{spread(0.05, 120), spread(0.05, 120), 1 / (1 + math.Exp(2*r.NormFloat64()))}
		}, 0.01},
		{"J", BesselJ, []int64{0, 0}, func() []float64 { return []float64{spread(1e-3, 200)} }, 0.2},
		{"J2", BesselJ, []int64{0, 2}, func() []float64 { return []float64{-spread(1e-3, 2000)} }, 0.2},
		{"J9", BesselJ, []int64{0, -9}, func() []float64 { return []float64{spread(1e-3, 100)} }, 0.4},
		{"Y", BesselY, []int64{0, 1}, func() []float64 { return []float64{spread(26, 500)} }, 0.1},
		{"I", BesselI, []int64{0, 3}, func() []float64 { return []float64{-spread(1e-3, 500)} }, 0.01},
		{"erfcx", Erfcx, []int64{0}, func() []float64 { return []float64{spread(1e-3, 1e30)} }, 0},
		{"slope of erfcx", Erfcx, []int64{1}, func() []float64 { return []float64{spread(2, 1e18)} }, 0},
		{"erfcx, order 4", Erfcx, []int64{4}, func() []float64 { return []float64{spread(2, 100)} }, 0},
		{"K", BesselK, []int64{0, -2}, func() []float64 { return []float64{spread(26, 500)} }, 0.01},
	} {
		declined, worst := 0, 0.0
		for range points {
			xs := c.draw()
			got, ok := c.f.quick(c.ints, xs)
			if !ok {
				declined++
				continue
			}
			want := c.f.nearest(c.ints, xs)
			far := math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
			if worst = max(worst, far); !(far <= 1) {
				t.Errorf("%s %v: %v, want %v: %v units away", c.name, xs, got, want, far)
			}
		}
		t.Logf("%s: %v units, %d of %d declined", c.name, worst, declined, points)
		if float64(declined) > c.fewer*float64(points) {
			t.Errorf("%s: %d of %d points are declined", c.name, declined, points)
		}
	}
}

func BenchmarkQuick(b *testing.B) {
	b.Run("gammaP", func(b *testing.B) {
		for b.Loop() {
			GammaP.Float([]int64{0, 0}, []float64{3, 5})
		}
	})
	b.Run("betaI", func(b *testing.B) {
		for b.Loop() {
			BetaI.Float([]int64{0, 0, 0}, []float64{2, 3, 0.4})
		}
	})
}
