package ball

import (
	"fmt"
	"math/big"
	"testing"
)

// benchArgs: arguments vary from call to call, so that branches are not learnt.
func benchArgs(p uint) []*Ball {
	xs := make([]*Ball, 16)
	for i := range xs {
		x := new(Ball).Quo(FromInt64(int64(10+i)), FromInt64(7), p)
		x.rad = mag{}
		xs[i] = x
	}
	return xs
}

// BenchmarkFunctions at points; testdata/mpfr.py compares with MPFR.
func BenchmarkFunctions(b *testing.B) {
	for _, p := range []uint{128, 1000, 10000} {
		xs := benchArgs(p)
		z := new(Ball)
		for _, f := range []struct {
			n string
			f pointFunc
		}{{"exp", (*Ball).Exp}, {"log", (*Ball).Log}, {"sin", (*Ball).Sin}, {"atan", (*Ball).Atan}, {"sqrt", (*Ball).Sqrt},
			{"erf", (*Ball).Erf}, {"lgamma", (*Ball).Lgamma}} {
			if p > 1000 && (f.n == "erf" || f.n == "lgamma") && testing.Short() {
				continue
			}
			b.Run(fmt.Sprintf("%s/%d", f.n, p), func(b *testing.B) {
				b.ReportAllocs()
				for i := range b.N {
					f.f(z, xs[i&15], p)
				}
			})
		}
	}
}

// BenchmarkMul compares with big.Float.
func BenchmarkMul(b *testing.B) {
	for _, p := range []uint{128, 1000, 10000} {
		xs := benchArgs(p)
		fs := make([]*big.Float, len(xs))
		for i, x := range xs {
			fs[i] = new(big.Float).SetPrec(p).SetInt(&x.man)
		}
		ws := benchArgs(p)
		for _, w := range ws {
			w.rad = magPow2(w.top() - int64(p))
		}
		b.Run(fmt.Sprintf("float/%d", p), func(b *testing.B) {
			z := new(big.Float).SetPrec(p)
			for i := range b.N {
				z.Mul(fs[i&15], fs[(i+5)&15])
			}
		})
		b.Run(fmt.Sprintf("exact/%d", p), func(b *testing.B) {
			z := new(Ball)
			b.ReportAllocs()
			for i := range b.N {
				z.Mul(xs[i&15], xs[(i+5)&15], p)
			}
		})
		b.Run(fmt.Sprintf("ball/%d", p), func(b *testing.B) {
			z := new(Ball)
			b.ReportAllocs()
			for i := range b.N {
				z.Mul(ws[i&15], ws[(i+5)&15], p)
			}
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	for _, p := range []uint{128, 1000} {
		ws := benchArgs(p)
		for _, w := range ws {
			w.rad = magPow2(w.top() - int64(p))
		}
		b.Run(fmt.Sprint(p), func(b *testing.B) {
			z := new(Ball)
			b.ReportAllocs()
			for i := range b.N {
				z.Add(ws[i&15], ws[(i+5)&15], p)
			}
		})
	}
}
