package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxion-lang/fluxion/internal/fit"
)

// TestFitProgress: a terminal is shown the loss, the norm of the gradient and the rate, in one line
// that is cleared at the end; anything else is shown nothing.
func TestFitProgress(t *testing.T) {
	synctest.Test(t, testFitProgress) // whose clock stands still unless all wait
}

func testFitProgress(t *testing.T) {
	var out bytes.Buffer
	c := &call{terminal: terminal{err: &out}}
	watch, done := c.fitProgress()
	if done(); watch != nil || out.Len() > 0 {
		t.Errorf("shown to what is not a terminal: %q", out.String())
	}
	c.errTTY = true
	watch, done = c.fitProgress()
	p := fit.Progress{Start: 2, Starts: 5, Record: fit.Record{Iteration: 30, Loss: 12.5,
		Gradient: 0.25}, Last: 40, Rate: 1000}
	watch(p) // too early: a fit that ends at once shows nothing
	time.Sleep(310 * time.Millisecond)
	watch(p)
	watch(p) // too soon after the one before
	done()
	const want = "\r\x1b[Kstart 2 of 5, iteration 30 of 40: loss 12.5, gradient 2.50e-01, 1000 iterations/s (Ctrl-C ends it)\r\x1b[K"
	if out.String() != want {
		t.Errorf("shown: %q", strings.ReplaceAll(out.String(), want, "…"))
	}
}
