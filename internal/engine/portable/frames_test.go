package portable

import "testing"

// TestFramesAreCleared: when a run ends, the frames that it used keep no buffers, also those of
// calls within calls and of functions that were called often.
func TestFramesAreCleared(t *testing.T) {
	f := &fn{index: 0, nb: 1}
	r := &run{frames: &frames{free: make([]*frame, 1)}}
	for _, depth := range []int{3, 1, 2} {
		var open []*frame
		for range depth {
			fr := r.frame(f)
			fr.b[0].f = make([]float64, 8)
			open = append(open, fr)
		}
		for k := range open {
			r.drop(f, open[depth-1-k])
		}
		r.frames.clear()
		n := 0
		for fr := r.frames.free[0]; fr != nil; fr = fr.next {
			if n++; fr.b[0].f != nil || fr.run != nil {
				t.Errorf("depth %d: frame %d keeps a buffer", depth, n)
			}
		}
		if n != 3 {
			t.Errorf("depth %d: %d frames are free", depth, n)
		}
	}
}
