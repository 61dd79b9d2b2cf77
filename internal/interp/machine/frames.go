package machine

import "github.com/fluxion-lang/fluxion/internal/diag"

// frame is a call that waits for another: where it goes on. Its windows lie
// directly below those of the function that it called.
type frame struct {
	fn *Function
	pc int
}

const frameBytes = 16

// frames is the list of the calls that wait, the newest last. It lies in blocks that never move:
// to copy a list of a million calls while the garbage collector runs would take tenths of a second,
// in which nothing can be interrupted.
type frames struct {
	now   []frame   // the newest block
	full  [][]frame // the blocks before it, of blockOfFrames each
	below int       // the number of frames in them
	spare []frame   // an empty block, so that calls to and fro do not allocate
}

const blockOfFrames = 1 << 14

// count returns the number of frames.
func (l *frames) count() int { return l.below + len(l.now) }

// at returns a frame by its number.
func (l *frames) at(n int) frame {
	if n < l.below {
		return l.full[n/blockOfFrames][n%blockOfFrames]
	}
	return l.now[n-l.below]
}

// push adds a frame to the list, whose growth is charged before it is allocated.
func (m *Machine) push(fn *Function, pc int) *diag.Diagnostic {
	l := &m.frames
	if n := len(l.now); n == cap(l.now) {
		if n < blockOfFrames {
			n = min(max(2*n, 64), blockOfFrames)
			if d := m.Charge(int64(n) * frameBytes); d != nil {
				return d
			}
			l.now = append(make([]frame, 0, n), l.now...)
		} else {
			if l.spare == nil {
				if d := m.Charge(blockOfFrames * frameBytes); d != nil {
					return d
				}
				l.spare = make([]frame, 0, blockOfFrames)
			}
			l.full = append(l.full, l.now)
			l.below += n
			l.now, l.spare = l.spare, nil
		}
	}
	l.now = append(l.now, frame{fn, pc})
	return nil
}

// pop removes the newest frame.
func (l *frames) pop() frame {
	top := len(l.now) - 1
	f := l.now[top]
	l.now = l.now[:top]
	if top == 0 && l.below > 0 {
		l.back()
	}
	return f
}

// back makes the block before the newest, which is empty, the newest.
func (l *frames) back() {
	last := len(l.full) - 1
	l.spare, l.now, l.full = l.now, l.full[last], l.full[:last]
	l.below -= blockOfFrames
}

// cut leaves the n oldest frames.
func (l *frames) cut(n int) {
	for n <= l.below && l.below > 0 {
		l.now = l.now[:0]
		l.back()
	}
	l.now = l.now[:n-l.below]
}
