package object

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interp/layout"
)

// TestCopySlots: copies count shared parts once, and hold nothing of the original.
func TestCopySlots(t *testing.T) {
	long := make([]float64, 100_000)
	long[7] = 3
	shared := &Refs{V: []Ref{&Reals{V: long[5:1005]}, &Cell{Tag: 1, P: &Text{S: "12345678"}}}}
	original := Slots{F: []float64{1}, P: []Ref{shared, shared}}
	const want = 8 + 2*layout.RefBytes + HeaderBytes + 2*layout.RefBytes + HeaderBytes + 8000 + CellBytes + TextBytes + 8
	value, bytes := CopySlots(original, 1<<20)
	if bytes != want {
		t.Errorf("the value takes %d bytes, want %d", bytes, want)
	}
	if value.P[0] != value.P[1] || value.P[0] == original.P[0] {
		t.Error("what is shared is not shared in the copy, or shared with it")
	}
	parts := value.P[0].(*Refs).V
	if xs := parts[0].(*Reals).V; xs[2] != 3 || cap(xs) > 1100 {
		t.Errorf("of the slice there are %d elements, the third %v", cap(xs), xs[2])
	}
	if o := parts[1].(*Cell); o.Tag != 1 || o.P.(*Text).S != "12345678" {
		t.Errorf("the data value is %v", o)
	}
	if _, bytes := CopySlots(original, 100); bytes <= 100 {
		t.Errorf("beyond 100 bytes there are %d", bytes)
	}
	var list Ref
	for range 100_000 {
		list = &Cell{Tag: 1, P: list}
	}
	if _, bytes := CopySlots(Slots{P: []Ref{list}}, 1<<30); bytes != layout.RefBytes+100_000*CellBytes {
		t.Errorf("a long list takes %d bytes", bytes)
	}
}
