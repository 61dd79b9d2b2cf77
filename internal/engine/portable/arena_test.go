package portable

import "testing"

// TestGrowingChunks: turns of a loop that take ever larger buffers, and give them back, leave
// chunks of little more than the last ones.
func TestGrowingChunks(t *testing.T) {
	var a arena
	last, made := 0, 0
	before := 0
	for n := 1; n < 1<<17; n += 1 + n/1000 {
		m := a.mark()
		xs, ys := a.reals.take(n), a.reals.take(n/2)
		xs[n-1], last = 1, n
		if len(ys) != n/2 {
			t.Fatalf("a buffer of %d elements has %d", n/2, len(ys))
		}
		a.release(m)
		if c := len(a.reals.chunks[0]); c != before {
			before = c
			made++
		}
	}
	total := 0
	for _, c := range a.reals.chunks {
		total += len(c)
	}
	if total > 2*last+minChunk || made > 40 {
		t.Errorf("%d chunks hold %d elements for %d, and the first one was made %d times", len(a.reals.chunks), total, last+last/2, made)
	}
}
