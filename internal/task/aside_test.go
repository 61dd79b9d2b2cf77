package task

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestLeftBehind: at most MostLeft operations are left behind. Then another one waits, and fails if
// its context ends before one of them has; it runs when one has. In the end no goroutine is left.
func TestLeftBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	release := make(chan struct{})
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range MostLeft {
		a, d := Begin(context.Background(), func() int { <-release; return 1 })
		if d != nil {
			t.Fatal(d)
		}
		if _, ok := a.Wait(ended); ok {
			t.Fatal("the operation has ended")
		}
		a.Leave() // does not count twice
	}
	short, done := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer done()
	ran := false
	if _, d := Begin(short, func() int { ran = true; return 1 }); d == nil || ran ||
		!strings.Contains(strings.Join(d.Hints, " "), "cannot be interrupted still run") {
		t.Fatalf("with %d operations left behind another one gives %v", MostLeft, d)
	}
	started := make(chan struct{})
	go func() {
		close(started)
		release <- struct{}{} // ends one of them
	}()
	<-started
	a, d := Begin(context.Background(), func() int { return 7 })
	if d != nil {
		t.Fatal(d)
	}
	if y, ok := a.Wait(context.Background()); !ok || y != 7 {
		t.Errorf("the operation gives %v, %v", y, ok)
	}
	close(release)
	for wait := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(wait) > 10*time.Second {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
	for range 2 * MostLeft { // what has ended by the time that it is left does not count
		a, d := Begin(context.Background(), func() int { return 1 })
		if d != nil {
			t.Fatal(d)
		}
		<-a.Finished()
		a.Leave()
	}
	if behind.count != 0 {
		t.Errorf("%d operations count as left behind", behind.count)
	}
}

// TestAsidePanics: a panic of an operation is one of its call.
func TestAsidePanics(t *testing.T) {
	a, _ := Begin(context.Background(), func() int { fails(); return 0 })
	defer func() { tells(t, recover()) }()
	a.Wait(context.Background())
}
