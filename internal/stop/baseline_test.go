package stop

import (
	"runtime"
	"testing"
)

// TestBaseline: what is held when work begins is not the work's, and what was held by work before
// is not counted as held, though the last collection found it alive.
func TestBaseline(t *testing.T) {
	const size = 200 << 20
	held := make([]byte, size)
	runtime.GC()
	if n := Baseline(size); n < size {
		t.Errorf("the baseline is %d, with %d held", n, size)
	}
	runtime.KeepAlive(held)
	for range 3 { // each finds the last one's memory alive, and must not add it to its own
		held = make([]byte, size)
		runtime.GC()
		runtime.KeepAlive(held)
		held = nil
		if n := Baseline(size); n > size/2 {
			t.Errorf("the baseline is %d, with nothing held", n)
		}
	}
}
