package region

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// A region that is ready is used for small arrays too, unless it is a simple loop.
func TestNested(t *testing.T) {
	for text, want := range map[string]bool{
		"x = xs[0]\nyield x": false,
		"for i < n parallel, add.f from 0.0 {\nx = xs[i]\nyield x\n} gives t : f64\nyield t":                                                                 false,
		"for i < n, s : f64 = 0.0 {\nx = xs[i]\ny = add.f s x\nyield y\n} gives t : f64\nyield t":                                                            true,
		"for i < n parallel, add.f from 0.0 {\nfor j < n parallel, add.f from 0.0 {\nx = xs[j]\nyield x\n} gives u : f64\nyield u\n} gives t : f64\nyield t": true,
	} {
		program, err := loop.Parse("func f(n : i64, xs : f64s) {\n" + text + "\n}")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := nested(program.Funcs[0].Body); got != want {
			t.Errorf("%v for\n%s", got, text)
		}
	}
}
