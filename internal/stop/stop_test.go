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

// TestAfter: what is done after an interrupt ends soon, and not later than at the deadline of before;
// without an interrupt nothing changes.
func TestAfter(t *testing.T) {
	timed, done := Within(context.Background(), time.Hour)
	defer done()
	ctx, cancel := context.WithCancel(timed)
	same, end := After(ctx, time.Minute)
	defer end()
	if same != ctx {
		t.Error("work that goes on has another context")
	}
	cancel()
	for _, c := range []struct{ grace, least, most time.Duration }{
		{time.Minute, 0, time.Minute}, {2 * time.Hour, time.Minute, time.Hour},
	} {
		after, end := After(ctx, c.grace)
		defer end()
		at, ok := after.Deadline()
		if left := time.Until(at); after.Err() != nil || !ok || left < c.least || left > c.most {
			t.Errorf("after an interrupt there are %v, and %v", left, after.Err())
		}
	}
	short, done := Within(context.Background(), time.Nanosecond)
	defer done()
	<-short.Done()
	late, end := After(short, time.Minute)
	defer end()
	if late.Err() == nil {
		t.Error("there is time after the deadline")
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

// TestHolding: work that fills the heap ends, and work that only makes garbage does not. Where the
// work is not alone, what others hold does not end it unless it has allocated much itself.
func TestHolding(t *testing.T) {
	const limit = 32 << 20
	work := func(ctx context.Context, polls, bytes int, keep bool) (d *diag.Diagnostic) {
		defer Catch(&d)
		var kept [][]byte
		w := Of(ctx)
		for range polls {
			b := make([]byte, bytes)
			if w.Poll(); keep {
				kept = append(kept, b)
			}
		}
		runtime.KeepAlive(kept)
		return nil
	}
	for _, alone := range []bool{true, false} {
		begin := func() context.Context {
			runtime.GC() // what the tests before have held is none of it
			return Holding(context.Background(), limit, alone)
		}
		if d := work(begin(), 3*limit/perPollShared, perPollShared, false); d != nil {
			t.Errorf("garbage: %v", d)
		}
		d := work(begin(), 3*limit/perPollShared, perPollShared, true)
		if d == nil || d.Code != diag.MemoryLimit || !strings.Contains(d.Message, "the limit of 32 MiB") {
			t.Errorf("more than the limit: %v", d)
		}
		ctx := begin()
		others := make([]byte, 2*limit)
		polls, bytes := limit/perPollShared/2, perPollShared/4 // an eighth of the limit
		if alone {
			polls = limit / perPollAlone / 2
		}
		if d := work(ctx, polls, bytes, true); d != nil {
			t.Errorf("others, alone %v: %v", alone, d)
		}
		runtime.KeepAlive(others)
	}
	runtime.GC()
	d := work(Holding(context.Background(), limit, true), 3*limit/perPollAlone, perPollAlone, true)
	if d == nil || d.Code != diag.MemoryLimit {
		t.Errorf("much for each poll: %v", d)
	}
	for _, alone := range []bool{true, false} { // work that a goroutine beside it watches
		runtime.GC()
		filled := Filled(Holding(context.Background(), limit, alone))
		if d := filled(); d != nil {
			t.Errorf("at the start: %v", d)
		}
		for range 3 { // garbage
			_ = append([]byte(nil), make([]byte, limit/2)...)
			if d := filled(); d != nil {
				t.Errorf("garbage that is watched: %v", d)
			}
		}
		kept := make([]byte, 2*limit)
		if d := filled(); d == nil || d.Code != diag.MemoryLimit {
			t.Errorf("more than the limit, watched: %v", d)
		}
		runtime.KeepAlive(kept)
	}
	if Of(Holding(context.Background(), 0, true)) != nil {
		t.Error("no limit ends work")
	}
}
