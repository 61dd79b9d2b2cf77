package task

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/stop"
)

// TestPanic: a panic of a goroutine is one of who waits for it; that work was stopped is none.
func TestPanic(t *testing.T) {
	var g Group
	g.Go(func() { panic(&stop.Reached{}) })
	g.Wait()
	g.Go(func() { panic("a bug") })
	defer func() {
		if r := recover(); r != "a bug" {
			t.Errorf("Wait panics with %v", r)
		}
	}()
	g.Wait()
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
