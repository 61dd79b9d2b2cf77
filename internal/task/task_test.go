package task

import (
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/stop"
)

// TestPanic: a panic of a goroutine is one of who waits for it; that work was stopped is none.
func TestPanic(t *testing.T) {
	var g Group
	g.Go(func() { panic(&stop.Reached{}) })
	g.Wait()
	g.Go(fails)
	defer func() { tells(t, recover()) }()
	g.Wait()
}

// fails has a bug.
func fails() { panic("a bug") }

// tells checks that a panic shows the bug of fails, and where it is.
func tells(t *testing.T, r any) {
	t.Helper()
	if b, ok := r.(*Bug); !ok || b.Value != "a bug" || !strings.Contains(b.Error(), "task.fails(") {
		t.Errorf("the owner panics with %v", r)
	}
}

// TestOnce: work that a panic has ended is done by the next one who asks.
func TestOnce(t *testing.T) {
	var o Once
	n := 0
	func() {
		defer func() { _ = recover() }()
		o.Do(func() { n++; panic("stopped") })
	}()
	for range 2 {
		o.Do(func() { n++ })
	}
	if n != 2 {
		t.Errorf("it was done %d times", n)
	}
}
