package looptest

import (
	"math"
	"math/rand/v2"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Mixture is the log likelihood of a Gaussian mixture as lowering gives it: the sum over points i
// of
//
//	logsumexp over k of alpha_k + Σ_j q_kj - ½ ‖Q_k (x_i - mu_k)‖²
//
// where Q_k is lower triangular with the diagonal exp q_k and l_k below it, row by
// row. Its parameters are alpha, mu, q, l, x and then n, k, d.
func Mixture() *loop.Func {
	alpha, mu, q, l, x := buf("alpha"), buf("mu"), buf("q"), buf("l"), buf("x")
	n, k, d := loop.NewVar("n", loop.I64), loop.NewVar("k", loop.I64), loop.NewVar("d", loop.I64)
	var b loop.Builder
	size := b.Let("size", loop.MulI, k, d)
	below := b.Let("below", loop.DivI,
		b.Let("t", loop.MulI, d, b.Let("t", loop.SubI, d, loop.Int(1))), loop.Int(2))
	diag := b.Alloc("diag", loop.F64s, size, false)
	b.Parallel("i", size, func(b *loop.Builder, i *loop.Var) {
		b.Store(diag, i, b.Let("e", loop.Lookup("exp"), b.Load("q", q, i)))
	})
	sums := b.Alloc("sums", loop.F64s, k, false)
	b.Parallel("c", k, func(b *loop.Builder, c *loop.Var) {
		b.Store(sums, c, b.Sum("j", d, func(b *loop.Builder, j *loop.Var) loop.Atom {
			return b.Load("q", q, at(b, c, d, j))
		}))
	})
	total := b.Sum("i", n, func(b *loop.Builder, i *loop.Var) loop.Atom {
		terms := b.Alloc("terms", loop.F64s, k, false)
		b.Parallel("c", k, func(b *loop.Builder, c *loop.Var) {
			y := b.Alloc("y", loop.F64s, d, false)
			b.Parallel("j", d, func(b *loop.Builder, j *loop.Var) {
				b.Store(y, j, b.Let("z", loop.SubF, b.Load("x", x, at(b, i, d, j)),
					b.Load("mu", mu, at(b, c, d, j))))
			})
			norm := b.Sum("r", d, func(b *loop.Builder, r *loop.Var) loop.Atom {
				half := b.Let("t", loop.DivI,
					b.Let("t", loop.MulI, r, b.Let("t", loop.SubI, r, loop.Int(1))), loop.Int(2))
				row := b.Let("row", loop.AddI, b.Let("t", loop.MulI, c, below), half)
				rest := b.Sum("j", r, func(b *loop.Builder, j *loop.Var) loop.Atom {
					return b.Let("p", loop.MulF, b.Load("l", l, b.Let("at", loop.AddI, row, j)),
						b.Load("y", y, j))
				})
				own := b.Let("p", loop.MulF, b.Load("e", diag, at(b, c, d, r)), b.Load("y", y, r))
				v := b.Let("v", loop.AddF, own, rest)
				return b.Let("v2", loop.MulF, v, v)
			})
			t := b.Let("t", loop.AddF, b.Load("a", alpha, c), b.Load("s", sums, c))
			b.Store(terms, c, b.Let("t", loop.SubF, t, b.Let("h", loop.MulF, loop.Real(0.5), norm)))
		})
		return logsumexp(b, terms, k)
	})
	return &loop.Func{Name: "mixture", Params: []*loop.Var{alpha, mu, q, l, x, n, k, d},
		Body: b.Block(total)}
}

func buf(name string) *loop.Var { return loop.NewVar(name, loop.F64s) }

// at is i * width + j.
func at(b *loop.Builder, i, width, j loop.Atom) loop.Atom {
	return b.Let("at", loop.AddI, b.Let("t", loop.MulI, i, width), j)
}

func logsumexp(b *loop.Builder, xs *loop.Var, n loop.Atom) loop.Atom {
	i, body, m := loop.NewVar("i", loop.I64), &loop.Builder{}, loop.NewVar("m", loop.F64)
	x := body.Load("x", xs, i)
	b.Add(&loop.For{Index: i, Count: n, Parallel: true, Body: body.Block(x),
		Reds: []loop.Red{{Op: loop.MaxF, Init: loop.Real(math.Inf(-1)), Result: m}}})
	sum := b.Sum("i", n, func(b *loop.Builder, i *loop.Var) loop.Atom {
		return b.Let("e", loop.Lookup("exp"), b.Let("t", loop.SubF, b.Load("x", xs, i), m))
	})
	return b.Let("lse", loop.AddF, b.Let("log", loop.Lookup("log"), sum), m)
}

// MixtureArgs are random arguments of Mixture.
func MixtureArgs(rng *rand.Rand, n, k, d int) []loop.Value {
	normal := func(n int, scale float64) loop.Value {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = scale * rng.NormFloat64()
		}
		return loop.RealsValue(xs)
	}
	return []loop.Value{normal(k, 1), normal(k*d, 1), normal(k*d, 0.3), normal(k*d*(d-1)/2, 0.3),
		normal(n*d, 1),
		loop.IntValue(int64(n)), loop.IntValue(int64(k)), loop.IntValue(int64(d))}
}
