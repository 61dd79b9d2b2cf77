package jit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// TestOver: what writes its result over an argument leaves the other arguments as they are,
// wherever they lie.
func TestOver(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for round := range property.Rounds(60) {
		buf, n := loop.NewVar("xs", loop.F64s), loop.NewVar("n", loop.I64)
		var b loop.Builder
		reals, words := b.Alloc("reals", loop.F64s, n, false), b.Alloc("words", loop.I64s, n, false)
		many := 2 + r.IntN(50) // so that some are in registers, and some are not
		b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
			var xs, ws []loop.Atom
			x := b.Load("x", buf, i)
			for k := range many {
				y := b.Let("y", loop.MulF, x, loop.Real(float64(k)-1.5))
				xs, ws = append(xs, y), append(ws, b.Let("w", loop.Bits, y))
			}
			for range 40 {
				less := b.Let("less", loop.LtF, pick(r, xs), pick(r, xs))
				first := b.Let("first", pick(r, []*loop.Op{loop.MulF, loop.DivF, loop.AddF}), pick(r, xs), pick(r, xs))
				xs[r.IntN(many)] = b.Let("y", loop.SelF, less, first, pick(r, xs))
				bits := []*loop.Op{loop.AndI, loop.OrI, loop.XorI}
				second := b.Let("second", pick(r, bits), pick(r, ws), pick(r, append([]loop.Atom{loop.Int(0x5555)}, ws...)))
				ws[r.IntN(many)] = b.Let("w", pick(r, bits), pick(r, ws), second)
			}
			sum, all := xs[0], ws[0]
			for k := range xs[1:] {
				sum = b.Let("sum", loop.AddF, sum, xs[k+1])
				all = b.Let("all", loop.AddI, all, ws[k+1])
			}
			b.Store(reals, i, sum)
			b.Store(words, i, all)
		})
		f := &loop.Func{Name: "f", Params: []*loop.Var{buf, n}, Body: b.Block(reals, words)}
		setLanes(f.Body)
		var xs []float64
		for range 21 {
			xs = append(xs, r.NormFloat64())
		}
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			check(t, program(f), []loop.Value{loop.RealsValue(xs), loop.IntValue(int64(len(xs)))})
		})
	}
}
