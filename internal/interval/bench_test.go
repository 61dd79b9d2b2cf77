package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// Benchmarks against plain operations and Go's math. Operands are many and
// random, so that no branch predictor learns the roundings.

const benchSize = 1 << 12

func benchPoints(lo, hi float64) []float64 {
	r := rand.New(rand.NewPCG(7, 7))
	xs := make([]float64, benchSize)
	for i := range xs {
		xs[i] = lo + (hi-lo)*r.Float64()
	}
	return xs
}

func benchIntervals(lo, hi float64) []Interval {
	xs := make([]Interval, benchSize)
	for i, p := range benchPoints(lo, hi) {
		xs[i] = Interval{p, p + math.Abs(p)*1e-15}
	}
	return xs
}

var (
	sinkFloat    float64
	sinkInterval Interval
)

// BenchmarkDependent measures chains in which every operation waits for the
// one before.
func BenchmarkDependent(b *testing.B) {
	ps, xs := benchPoints(0.999, 1.001), benchIntervals(0.999, 1.001)
	b.Run("add/plain", func(b *testing.B) {
		s := 0.0
		for i := range b.N {
			s += ps[i&(benchSize-1)]
		}
		sinkFloat = s
	})
	b.Run("add/interval", func(b *testing.B) {
		s := Interval{}
		for i := range b.N {
			s = Add(s, xs[i&(benchSize-1)])
		}
		sinkInterval = s
	})
	b.Run("mul/plain", func(b *testing.B) {
		s := 1.0
		for i := range b.N {
			if i&(benchSize-1) == 0 {
				s = 1 // or the product would drift out of range
			}
			s *= ps[i&(benchSize-1)]
		}
		sinkFloat = s
	})
	b.Run("mul/interval", func(b *testing.B) {
		s := Interval{1, 1}
		for i := range b.N {
			if i&(benchSize-1) == 0 {
				s = Interval{1, 1}
			}
			s = Mul(s, xs[i&(benchSize-1)])
		}
		sinkInterval = s
	})
	b.Run("div/plain", func(b *testing.B) {
		s := 1.0
		for i := range b.N {
			if i&(benchSize-1) == 0 {
				s = 1
			}
			s /= ps[i&(benchSize-1)]
		}
		sinkFloat = s
	})
	b.Run("div/interval", func(b *testing.B) {
		s := Interval{1, 1}
		for i := range b.N {
			if i&(benchSize-1) == 0 {
				s = Interval{1, 1}
			}
			s = Div(s, xs[i&(benchSize-1)])
		}
		sinkInterval = s
	})
}

// BenchmarkFunctions measures one evaluation: Go's math, the kernel rounded
// to nearest, the interval function on an interval of positive width.
func BenchmarkFunctions(b *testing.B) {
	for _, f := range []struct {
		name   string
		plain  func(float64) float64
		near   func(float64) float64
		on     func(Interval) Interval
		lo, hi float64
	}{
		{"sqrt", math.Sqrt, math.Sqrt, Sqrt, 0.1, 10},
		{"exp", math.Exp, kernel.Exp.Nearest, Exp, -20, 20},
		{"log", math.Log, kernel.Log.Nearest, Log, 0.1, 100},
		{"sin", math.Sin, kernel.Sin, Sin, -10, 10},
		{"sinHuge", math.Sin, kernel.Sin, Sin, 1e15, 1e16},
		{"tan", math.Tan, kernel.Tan, Tan, -1.5, 1.5},
		{"atan", math.Atan, kernel.Atan.Nearest, Atan, -10, 10},
		{"tanh", math.Tanh, kernel.Tanh.Nearest, Tanh, -5, 5},
		{"erf", math.Erf, kernel.Erf.Nearest, Erf, -3, 3},
		{"lgamma", func(x float64) float64 { v, _ := math.Lgamma(x); return v }, kernel.Lgamma, Lgamma, 0.1, 30},
		{"digamma", nil, kernel.Digamma, Digamma, 0.1, 30},
	} {
		ps, xs := benchPoints(f.lo, f.hi), benchIntervals(f.lo, f.hi)
		if f.plain != nil {
			b.Run(f.name+"/math", func(b *testing.B) {
				for i := range b.N {
					sinkFloat = f.plain(ps[i&(benchSize-1)])
				}
			})
		}
		b.Run(f.name+"/kernel", func(b *testing.B) {
			for i := range b.N {
				sinkFloat = f.near(ps[i&(benchSize-1)])
			}
		})
		b.Run(f.name+"/interval", func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				sinkInterval = f.on(xs[i&(benchSize-1)])
			}
		})
	}
}
