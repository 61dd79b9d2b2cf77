package service

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// wide is a program that takes some tenths of a second to check.
func wide() string {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "let d%d (x : Real) : Real = sin x + %d\n", i, i)
	}
	return b.String()
}

// timeIsUp reports whether the time is the only thing that was found.
func timeIsUp(found *diag.List) bool {
	all := found.Sorted()
	return len(all) == 1 && all[0].Code == diag.TimeLimit
}

// TestSessionLimits: whatever a session loads, it ends with the limit of the session, and is loaded
// when there is time.
func TestSessionLimits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wide.flx")
	if err := os.WriteFile(file, []byte(wide()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, s := context.Background(), NewSession()
	s.Settings.Timeout = time.Millisecond
	var load, again, typed diag.List
	if s.LoadFile(ctx, file, &load); !timeIsUp(&load) {
		t.Errorf("a file: %v", load.Sorted())
	}
	if s.TypeOf(ctx, wide()+"d1 2\n", &typed); !timeIsUp(&typed) {
		t.Errorf("a type: %v", typed.Sorted())
	}
	s.Settings.Timeout = 0
	var found diag.List
	if all := s.LoadFile(ctx, file, &found); len(all) != 20_000 || found.Failed() {
		t.Errorf("%d definitions: %v", len(all), found.Sorted())
	}
	s.Settings.Timeout = time.Millisecond
	if _, err := s.Reload(ctx, &again); err != nil || !timeIsUp(&again) {
		t.Errorf("again: %v, %v", err, again.Sorted())
	}
}

// TestServiceLimits: the check of a document ends with its limit, which is what is found.
func TestServiceLimits(t *testing.T) {
	s := New()
	s.limits.Timeout = time.Millisecond
	s.Open("/wide.flx", wide(), 1)
	found := s.Diagnostics("/wide.flx")
	if len(found) != 1 || found[0].Code != diag.TimeLimit {
		t.Errorf("%d things are found: %v", len(found), found)
	}
}
