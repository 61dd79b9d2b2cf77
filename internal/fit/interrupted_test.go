package fit_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/fit"
)

var moments = flag.Int("moments", 1, "at how many random moments TestInterruptedAnywhere stops each fit")

// interruptible returns one fit by each method, in each of the ways that it runs.
func interruptible() map[string]fit.Options {
	all := map[string]fit.Options{}
	add := func(name string, change func(o *fit.Options)) {
		o := growthOptions()
		o.Seed = 5
		change(&o)
		all[name] = o
	}
	for _, method := range []string{"lm", "newton", "lbfgs"} {
		add(method, func(o *fit.Options) { o.Method = method })
		add(method+", several starts", func(o *fit.Options) {
			o.Method, o.Starts, o.Iterations = method, 4, 30
		})
	}
	for _, method := range []string{"adam", "sgd"} {
		add(method, func(o *fit.Options) { o.Method, o.Iterations, o.Rate = method, 60, 1e-4 })
		add(method+", batches", func(o *fit.Options) {
			o.Method, o.Iterations, o.Rate, o.Batch, o.Starts = method, 40, 1e-5, 5, 2
		})
	}
	add("robust", func(o *fit.Options) { o.Robust = "huber" })
	add("bounds and profile", func(o *fit.Options) {
		o.Bounds, o.Profile = []fit.Given{{Name: "rate", Text: "0:"}}, []string{"rate"}
	})
	add("nuts", func(o *fit.Options) {
		o.Method, o.Chains, o.Draws, o.Warmup = "nuts", 2, 120, 120
	})
	return all
}

// stopAt ends a fit at its k-th evaluation of the model, as Ctrl-C does or as a power cut does. It
// gives the result, and how many evaluations there were.
func stopAt(o fit.Options, path string, k int64, cut bool) (*fit.Result, *diag.List, int64) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	control := fit.Control{Checkpoint: &fit.Checkpoint{Path: path, Resume: true}}
	var count atomic.Int64
	var left []byte // what is in the file at the cut; nil for no file
	control.OnEvaluation(func() {
		if count.Add(1) == k {
			left, _ = os.ReadFile(path)
			cancel()
		}
	})
	r, list := tryWith(ctx, growth, o, control)
	if reached := count.Load(); cut && k > 0 && reached >= k {
		_ = os.Remove(path)
		if left != nil {
			_ = os.WriteFile(path, left, 0o644)
		}
		return nil, list, reached
	}
	return r, list, count.Load()
}

// told returns all that a result tells, but for how long it took.
func told(t *testing.T, r *fit.Result, list *diag.List) string {
	t.Helper()
	if r == nil {
		t.Fatal(list.Sorted())
	}
	all := r.JSON()
	if posterior, ok := all["posterior"].(map[string]any); ok {
		delete(posterior, "seconds")
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestInterruptedAnywhere stops each method at random evaluations of the model, in one of two ways,
// and has it go on: all that it tells at the end, draws and counters included, is what it tells
// if it is left alone. Then each is stopped again and again until it is done.
func TestInterruptedAnywhere(t *testing.T) {
	for name, o := range interruptible() {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(11, uint64(*moments)))
			r, list, most := stopAt(o, filepath.Join(t.TempDir(), "whole.json"), 0, false)
			want := told(t, r, list)
			check := func(what string, path string) {
				t.Helper()
				r, list, _ := stopAt(o, path, 0, false)
				if got := told(t, r, list); got != want {
					t.Errorf("%s:\n%s\ninstead of\n%s", what, short(got), short(want))
				}
			}
			for range *moments {
				path := filepath.Join(t.TempDir(), "state.json")
				stopAt(o, path, 1+random.Int64N(most), random.IntN(2) == 0)
				check("stopped", path)
			}
			path := filepath.Join(t.TempDir(), "state.json")
			for range 1 + *moments/4 {
				if r, _, _ := stopAt(o, path, 1+random.Int64N(most/3+2), random.IntN(2) == 0); r != nil && r.Ended() {
					break
				}
			}
			check("stopped often", path)
		})
	}
}

func short(text string) string {
	if len(text) > 3000 {
		return text[:3000] + "…"
	}
	return text
}

// TestOldCheckpoint: a file of an earlier version, without the states of the generators, is refused
// and stays.
func TestOldCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	old := `{"Format":1,"Key":"k","Method":"nuts","Fit":{},"Chains":[{"Random":{},"U":[1]}]}`
	if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	r, list, _ := stopAt(growthOptions(), path, 0, false)
	if r != nil || !strings.Contains(list.Sorted()[0].Message, "another version of Fluxion") {
		t.Errorf("%v", list.Sorted())
	}
	if text, _ := os.ReadFile(path); string(text) != old {
		t.Errorf("it is now %s", text)
	}
}

// TestInterruptedStarts stops a fit with several starts after the first ones have ended. The result is
// the best of them, says how many have ended, and does not count as done.
func TestInterruptedStarts(t *testing.T) {
	for _, name := range []string{"lm, several starts", "lbfgs, several starts"} {
		o := interruptible()[name]
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r, list := tryWith(ctx, growth, o, fit.Control{Watch: func(p fit.Progress) {
			if p.Start == 3 {
				cancel()
			}
		}})
		if r == nil {
			t.Fatalf("%s: %v", name, list.Sorted())
		}
		said := strings.Join(r.Warnings, "\n")
		if want := fmt.Sprintf("only 2 of %d starts have ended: it was interrupted", o.Starts); r.Ended() ||
			!strings.Contains(said, want) {
			t.Errorf("%s: ended %v, warnings %q", name, r.Ended(), said)
		}
	}
}
