package tape

import (
	"math"
	"testing"
	"unsafe"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// An operation takes what the documents say.
func TestNodeSize(t *testing.T) {
	if size := unsafe.Sizeof(Node{}); size != NodeBytes {
		t.Errorf("a node takes %d bytes, not %d", size, NodeBytes)
	}
}

// Boxes are NaNs that arithmetic neither makes nor mistakes for its own.
func TestBoxes(t *testing.T) {
	for _, h := range []Handle{1, 77, ElementBit, ElementBit | 12345, ^Handle(0)} {
		x := Box(h)
		if x == x || !IsBox(x) || Unbox(x) != h || IsAbsent(x) {
			t.Errorf("%#x is boxed as %#x", h, math.Float64bits(x))
		}
	}
	inf := math.Inf(1)
	for _, x := range []float64{math.NaN(), inf - inf, 0 * inf, math.Sqrt(-1), math.Log(-1), -math.NaN(), inf, -inf, 0} {
		if IsBox(x) || IsAbsent(x) {
			t.Errorf("%v (%#x) is taken for a box", x, math.Float64bits(x))
		}
	}
	if IsBox(Absent) || !IsAbsent(Absent) {
		t.Error("what is absent is taken for a box")
	}
}

// nobody is a host without limits.
type nobody struct{}

func (nobody) Charge(int64) *diag.Diagnostic { return nil }
func (nobody) Tick() *diag.Diagnostic        { return nil }
func (nobody) Family(eval prim.Family, ints []int64, xs []float64) (float64, *diag.Diagnostic) {
	return eval(ints, xs), nil
}
func (nobody) Place() diag.Span { return diag.Span{} }

// TestNested takes the second derivative of x³ sin x at 2, forwards over backwards, on a tape
// alone.
func TestNested(t *testing.T) {
	fuel, counts := int64(1)<<40, Counts{}
	tape := &Tape{}
	tape.Reset(nobody{}, &fuel, &counts, false)
	slope := func(x float64) float64 { // of x³ sin x, backwards
		r := tape.Begin()
		leaf := tape.Leaf(x, r.SelfMask)
		cube := tape.Apply(RowOf(prim.PowInt), leaf, 0, 3)
		y := tape.Apply2(RowOf(prim.Mul), cube, tape.Apply(RowOf(prim.Sin), leaf, 0, 0))
		s, ok := tape.NewSweep(r, r.Outside != 0)
		if !ok {
			t.Fatal(tape.Failed())
		}
		s.To(y, 1)
		if !s.Backward() {
			t.Fatal(tape.Failed())
		}
		d := tape.Leave(r, s.Get(leaf))
		tape.End(r, IsBox(d))
		return d
	}
	const x = 2.0
	if got, want := slope(x), 3*x*x*math.Sin(x)+x*x*x*math.Cos(x); math.Abs(got-want) > 1e-13 {
		t.Errorf("the slope is %v, want %v", got, want)
	}
	r := tape.Begin()
	leaf := tape.Leaf(x, r.SelfMask)
	d := slope(leaf)
	s, _ := tape.NewSweep(r, false)
	*s.Place(Unbox(leaf)) = 1
	if !s.Forward() {
		t.Fatal(tape.Failed())
	}
	got := s.Get(d)
	tape.End(r, false)
	if want := 6*x*math.Sin(x) + 6*x*x*math.Cos(x) - x*x*x*math.Sin(x); math.Abs(got-want) > 1e-12 {
		t.Errorf("the second derivative is %v, want %v", got, want)
	}
	if tape.count != 1 || counts.Taped == 0 {
		t.Errorf("%d operations are left of %d", tape.count-1, counts.Taped)
	}
}
