package stop

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// TestWithin: the earliest deadline holds, an inner limit does not make it later, and the reason
// names the limit that it was made of.
func TestWithin(t *testing.T) {
	outer, done := Within(context.Background(), time.Hour)
	defer done()
	inner, cancel := Within(outer, 2*time.Hour)
	defer cancel()
	want, _ := outer.Deadline()
	if at, ok := inner.Deadline(); !ok || !at.Equal(want) {
		t.Errorf("a later limit moves the deadline from %v to %v", want, at)
	}
	short, cancel := Within(inner, time.Millisecond)
	defer cancel()
	<-short.Done()
	if d := Why(short); d.Code != diag.TimeLimit || !strings.Contains(d.Message, "limit of 1ms") {
		t.Errorf("the reason is %v", d)
	}
	own, cancel := context.WithTimeout(outer, time.Millisecond)
	defer cancel()
	<-own.Done()
	if d := Why(own); d.Code != diag.TimeLimit || strings.Contains(d.Message, "limit of") {
		t.Errorf("the reason for a deadline of the caller is %v", d)
	}
}

// TestBegin: a deadline without a timer is seen by what polls.
func TestBegin(t *testing.T) {
	var c Timed
	c.Begin(context.Background(), 5*time.Millisecond)
	w, polls := Of(&c), 0
	var why *diag.Diagnostic
	func() {
		defer Catch(&why)
		for {
			w.Poll()
			polls++
		}
	}()
	if why == nil || why.Code != diag.TimeLimit || polls == 0 || c.Err() != context.DeadlineExceeded {
		t.Errorf("%v after %d polls", why, polls)
	}
	c.Begin(context.Background(), 0)
	if Of(&c) != nil || c.Err() != nil {
		t.Error("a call without a limit has one")
	}
}

// TestInterrupted: a context that is cancelled is no matter of time.
func TestInterrupted(t *testing.T) {
	timed, done := Within(context.Background(), time.Hour)
	defer done()
	ctx, cancel := context.WithCancel(timed)
	w := Of(ctx)
	if w.Err() != nil {
		t.Error("it is over before the end")
	}
	cancel()
	if d := w.Err(); d == nil || d.Code != diag.Interrupted {
		t.Errorf("the reason is %v", d)
	}
}

// TestHolding: work that fills the heap ends, and work that only makes garbage does not. Work that
// polls seldom is not what fills it.
func TestHolding(t *testing.T) {
	const limit = 32 << 20
	var kept [][]byte
	work := func(ctx context.Context, polls int, keep bool) (d *diag.Diagnostic) {
		defer Catch(&d)
		defer func() { kept = nil }()
		w := Of(ctx)
		for range polls {
			b := make([]byte, perPoll)
			if w.Poll(); keep {
				kept = append(kept, b)
			}
		}
		return nil
	}
	ctx := Holding(context.Background(), limit)
	if d := work(ctx, 3*limit/perPoll, false); d != nil {
		t.Errorf("garbage: %v", d)
	}
	if d := work(ctx, 3*limit/perPoll, true); d == nil || d.Code != diag.MemoryLimit {
		t.Errorf("more than the limit: %v", d)
	}
	others := make([]byte, 2*limit)
	if d := work(Holding(context.Background(), limit), limit/perPoll/2, true); d != nil {
		t.Errorf("others: %v", d)
	}
	runtime.KeepAlive(others)
	if Of(Holding(context.Background(), 0)) != nil {
		t.Error("no limit ends work")
	}
}
