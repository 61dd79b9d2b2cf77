package interp

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"testing"
	"unsafe"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// An operation takes what the documents say.
func TestTapeNodeSize(t *testing.T) {
	if size := unsafe.Sizeof(tapeNode{}); size != tapeNodeBytes {
		t.Errorf("a node takes %d bytes, not %d", size, tapeNodeBytes)
	}
}

// Boxes are NaNs that arithmetic neither makes nor mistakes for its own.
func TestBoxes(t *testing.T) {
	for _, h := range []handle{1, 77, elementBit, elementBit | 12345, ^handle(0)} {
		x := box(h)
		if x == x || !isBox(x) || unbox(x) != h || isAbsent(x) {
			t.Errorf("%#x is boxed as %#x", h, math.Float64bits(x))
		}
	}
	inf := math.Inf(1)
	for _, x := range []float64{math.NaN(), inf - inf, 0 * inf, math.Sqrt(-1), math.Log(-1), -math.NaN(), inf, -inf, 0} {
		if isBox(x) || isAbsent(x) {
			t.Errorf("%v (%#x) is taken for a box", x, math.Float64bits(x))
		}
	}
	if isBox(absent) || !isAbsent(absent) {
		t.Error("what is absent is taken for a box")
	}
}

// The generic direction vanishes on no combination of a few variables with
// small coefficients.
func TestDirectionIsGeneric(t *testing.T) {
	const variables, most, terms = 12, 3, 3
	var combine func(k, left int, sum float64)
	combine = func(k, left int, sum float64) {
		if left == 0 || k == variables {
			if left < terms && math.Abs(sum) < 1e-9 {
				t.Fatalf("a combination gives %g", sum)
			}
			return
		}
		combine(k+1, left, sum)
		for c := -most; c <= most; c++ {
			if c != 0 {
				combine(k+1, left-1, sum+float64(c)*direction(k))
			}
		}
	}
	combine(0, terms, 0)
	seen := map[float64]bool{}
	for k := range 100_000 {
		d := direction(k)
		if d < 1 || d >= 2 || seen[d] {
			t.Fatalf("component %d is %v", k, d)
		}
		seen[d] = true
	}
}

// Code that is ready for boxes gives what other code gives, on programs
// without derivatives.
func TestTapedCode(t *testing.T) {
	for seed := range int64(400) {
		p := coretest.Generate(rand.New(rand.NewSource(seed)))
		numberPlaces(p)
		run := func(code *Code, d *diag.Diagnostic) string {
			if d != nil {
				t.Fatal(d)
			}
			v, d := code.Run(context.Background(), DefaultLimits())
			if d != nil {
				return fmt.Sprint(d.Code, " ", d.Span.Start)
			}
			return value.Show(v)
		}
		want := run(Compile(p))
		for _, opts := range []Options{{}, {NoVector: true}, {strip: 2}} {
			if got := run(compileTaped(p, opts)); got != want {
				t.Fatalf("seed %d, %+v: got %s, want %s\n%s", seed, opts, got, want, core.Print(p))
			}
		}
	}
}
