package machine

import (
	"runtime"
	"testing"
)

// TestHeapBaseline: what was alive is read anew after each collection.
func TestHeapBaseline(t *testing.T) {
	const size = 64 << 20
	large := make([]byte, size)
	runtime.GC()
	with := heapBaseline()
	if with < size {
		t.Errorf("%d bytes are alive, and not %d and more", with, size)
	}
	if again := heapBaseline(); again < size {
		t.Errorf("the second time %d bytes are alive, and not %d and more", again, size)
	}
	runtime.KeepAlive(large)
	runtime.GC()
	if without := heapBaseline(); without > with-size/2 {
		t.Errorf("after a collection %d bytes are alive, and not %d less than %d", without, size, with)
	}
}
