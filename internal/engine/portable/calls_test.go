package portable

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// countdown calls functions that call each other, n deep. Each has a buffer of its own, which must
// be as it was after the call within.
const countdown = `func main(n : i64) {
  call down n gives x : f64, xs : f64s, own : f64s
  z = xs[0]
  t = add.f x z
  yield t
}

func down(n : i64) {
  own = alloc f64s 2
  x = real n
  own[0] = x
  c = lt.i n 1
  if c {
    yield 0.5 own
  } else {
    m = sub.i n 1
    call up m gives y : f64, ys : f64s, k : i64
    z = ys[0]
    mine = own[0]
    kx = real k
    a = add.f y z
    b = add.f a mine
    d = add.f b kx
    yield d ys
  } gives r : f64, rs : f64s
  yield r rs own
}

func up(n : i64) {
  call down n gives x : f64, xs : f64s, own : f64s
  last = own[0]
  y = add.f x last
  k = add.i n 1
  yield y own k
}
`

func countdownValue(n int) float64 {
	x, first := 0.5, 0.0 // of down 0
	for k := 1; k <= n; k++ {
		first = float64(k - 1)
		x = (x + first) + first + float64(k) + float64(k)
	}
	return x + first
}

// TestCalls: calls nest as deep as a run may go and no deeper, and a run that was stopped within
// calls leaves nothing for the next one.
func TestCalls(t *testing.T) {
	code := Compile(program(t, countdown))
	at := func(n int, opts loop.RunOptions) (float64, error) {
		out, err := code.Run([]loop.Arg{{Word: uint64(n)}}, opts)
		if err != nil {
			return 0, err
		}
		return out[0].Real(), nil
	}
	for _, n := range []int{0, 1, 7, 100, 3, 2000} {
		calls := 2*n + 1
		for _, opts := range []loop.RunOptions{{}, {MaxDepth: calls}} {
			if x, err := at(n, opts); err != nil || x != countdownValue(n) {
				t.Errorf("%d calls within %d: %v, %v, not %v", calls, opts.MaxDepth, x, err, countdownValue(n))
			}
		}
		if calls > 1 {
			if _, err := at(n, loop.RunOptions{MaxDepth: calls - 1}); err != loop.ErrCheck {
				t.Errorf("%d calls within %d: %v", calls, calls-1, err)
			}
		}
		if _, err := at(n, loop.RunOptions{MaxBytes: 8}); err != loop.ErrMemory {
			t.Errorf("buffers of %d calls within 8 bytes: %v", calls, err)
		}
	}
	if _, err := at(maxDepth, loop.RunOptions{MaxDepth: 10 * maxDepth}); err != loop.ErrCheck {
		t.Errorf("more than %d calls: %v", maxDepth, err)
	}
}
