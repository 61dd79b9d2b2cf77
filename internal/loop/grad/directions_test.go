package grad_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestDirections: the derivative in several directions at once is that in each of them. At least
// half of the tangents are zeros, as masks tell.
func TestDirections(t *testing.T) {
	checked := 0
	for seed := range looptest.Checks(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 5
		if seed%3 == 0 { // several groups of directions
			n = 19
		}
		f, args := looptest.Random(rng, looptest.Options{Size: 4, Whiles: true, Smooth: seed%2 == 0})
		p := &loop.Program{Funcs: []*loop.Func{f}}
		dirs, err := grad.Directions(p, f, all(f), int64(n), looptest.Rules)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, f)
		}
		verify(t, p, dirs)
		fwd := forward(t, f)
		each := make([][]loop.Value, n) // the tangents of a direction
		for k := range each {
			each[k] = like(rng, paramKinds(f.Params), args)
		}
		wide := append([]loop.Value{}, args...)
		var masks []loop.Value
		for j, x := range each[0] {
			size := 1
			if isBuffer(f, j) {
				size = len(x.Buf)
			}
			buf, mask := make([]uint64, size*n), make([]int64, size+1)
			for i := range size {
				if mask[i] = rng.Int64N(1 << n); rng.IntN(2) == 0 { // those of one group
					mask[i] &= 0xff << (8 * rng.IntN(3))
				}
				for k := range each {
					switch {
					case !isBuffer(f, j):
						buf[i*n+k] = each[k][j].Word
					case mask[i]>>k&1 == 0:
						each[k][j].Buf[i] = 0
					default:
						buf[i*n+k] = each[k][j].Buf[i]
					}
				}
			}
			wide = append(wide, loop.Value{Buf: buf})
			if isBuffer(f, j) {
				masks = append(masks, loop.IntsValue(mask))
			}
		}
		wide = append(wide, masks...)
		name := fmt.Sprintf("seed %d", seed)
		got := run(t, dirs, wide...)
		out := kinds(f.Body.Yield)
		anyTied := false
		for k := range each {
			want := run(t, fwd, append(append([]loop.Value{}, args...), each[k]...)...)
			anyTied = anyTied || tied(want)
			if !same(reals(out, want[:len(out)]), reals(out, got[:len(out)])) {
				t.Fatalf("%s: the derivative has another value\n%s\n%s", name, f, dirs)
			}
			var column []float64
			for _, v := range got[len(out) : len(got)-1] {
				for i := k; i < len(v.Buf); i += n {
					column = append(column, loop.Value{Word: v.Buf[i]}.Real())
				}
			}
			if !same(reals(onlyReals(out), want[len(out):]), column) {
				t.Fatalf("%s: direction %d has %v, alone %v\n%s\n%s", name, k, column, reals(onlyReals(out), want[len(out):]), f, dirs)
			}
		}
		if anyTied != tied(got) {
			t.Fatalf("%s: tied is %v, and should be %v\n%s\n%s", name, tied(got), anyTied, f, dirs)
		}
		if seed%4 == 0 { // it stays so in passes, which do not use what nothing has written either
			pass.Optimize(dirs, pass.Options{Schedule: seed%8 == 0})
			verify(t, p, dirs)
			for i, v := range run(t, dirs, wide...)[len(out) : len(got)-1] {
				if !nearly(v.Reals(), got[len(out)+i].Reals()) {
					t.Fatalf("%s: passes change tangent %d from %v to %v\n%s\n%s", name, i, got[len(out)+i].Reals(), v.Reals(), f, dirs)
				}
			}
		}
		checked++
	}
	t.Log(checked, "checked")
}

// nearly tells whether numbers are the same up to rounding.
func nearly(xs, ys []float64) bool {
	for i, x := range xs {
		y := ys[i]
		if x != y && !(math.IsNaN(x) && math.IsNaN(y)) && !(math.Abs(x-y) <= 1e-8*(1+math.Abs(x)+math.Abs(y))) {
			return false
		}
	}
	return len(xs) == len(ys)
}

// isBuffer tells whether the parameter with the tangent j is a buffer.
func isBuffer(f *loop.Func, j int) bool {
	for _, p := range f.Params {
		if p.Kind == loop.F64 || p.Kind == loop.F64s {
			if j == 0 {
				return p.Kind == loop.F64s
			}
			j--
		}
	}
	return false
}
