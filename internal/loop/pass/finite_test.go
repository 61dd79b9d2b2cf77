package pass_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestFinite: of a sum that is only tested for being finite no logarithm is computed, and the test
// fails where it failed before. A sum that is needed keeps its logarithms.
func TestFinite(t *testing.T) {
	const text = `func f(xs : f64s, n : i64) {
  for i < n parallel, add.f from 0.0 {
    x = xs[i]
    l = log x
    c = cos x
    s = sub.f l c
    y = mul.f s -0.5
    z = add.f y x
    yield z
  } gives total : f64
  size = abs.f total
  finite = lt.f size inf
  check finite
  yield %s
}`
	inf := math.Inf(1)
	samples := [][]float64{{}, {1, 2}, {1, 0, 2}, {-1}, {3, inf}, {-inf}, {math.NaN()}, {5e-324, math.MaxFloat64},
		{math.MaxFloat64, math.MaxFloat64}}
	for _, yield := range []string{"n", "total"} {
		for _, xs := range samples {
			p, err := loop.Parse(fmt.Sprintf(text, yield))
			if err != nil {
				t.Fatal(err)
			}
			args := []loop.Value{loop.RealsValue(xs), loop.IntValue(int64(len(xs)))}
			want, failed := loop.Eval(p.Funcs[0], clone(args)...)
			pass.Optimize(p.Funcs[0], pass.Options{Schedule: true})
			got, fails := loop.Eval(p.Funcs[0], clone(args)...)
			if (failed == nil) != (fails == nil) {
				t.Errorf("%v: %v before, %v after\n%s", xs, failed, fails, p.Funcs[0])
			} else if failed == nil && !close(p.Funcs[0], want, got) {
				t.Errorf("%v: %v before, %v after\n%s", xs, want, got, p.Funcs[0])
			}
			bounded := loop.Any(p.Funcs[0].Body, func(s loop.Stmt) bool {
				let, ok := s.(*loop.Let)
				return ok && (let.Op == loop.Lookup("log") || let.Op == loop.Lookup("cos"))
			})
			if bounded != (yield == "total") {
				t.Errorf("%s is needed, and logarithms and cosines are computed: %v\n%s", yield, bounded, p.Funcs[0])
			}
		}
	}
}
