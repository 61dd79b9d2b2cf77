package fit_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/fit"
)

var kills = flag.Int("kills", 3, "how often TestKilled kills each fit; more than 3 kill all methods")

// killable returns the fits that are killed: one by adam that takes long, and with the flag one
// by each method.
func killable() map[string]fit.Options {
	all := map[string]fit.Options{}
	if *kills > 3 {
		all = interruptible()
	}
	o := growthOptions()
	o.Method, o.Iterations, o.Batch, o.Seed = "adam", 15000, 5, 9
	all["adam, long"] = o
	return all
}

// TestChild returns a fit that another process kills.
func TestChild(t *testing.T) {
	path := os.Getenv("FLUXION_KILLED_FIT")
	if path == "" {
		t.Skip("it is run by TestKilled")
	}
	wait, err := time.ParseDuration(os.Getenv("FLUXION_KILLED_WAIT"))
	if err != nil {
		t.Fatal(err)
	}
	control := fit.Control{Checkpoint: &fit.Checkpoint{Path: path, Every: 2 * time.Millisecond, Resume: true}}
	if wait > 0 { // so that a kill meets a short fit at any evaluation
		control.OnEvaluation(func() { time.Sleep(wait) })
	}
	r, list := try(growth, killable()[os.Getenv("FLUXION_KILLED_METHOD")], control)
	if err := os.WriteFile(path+".new", []byte(told(t, r, list)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path+".result"); err != nil { // whole, whenever it is killed
		t.Fatal(err)
	}
}

// TestKilled kills a fit without warning, some random time after it has written a checkpoint, and
// resumes it: all that it tells at the end, counters included, is what a fit tells that was left
// alone. The checkpoint is whole after every kill, and the next fit removes temporary files.
func TestKilled(t *testing.T) {
	for name, o := range killable() {
		t.Run(name, func(t *testing.T) {
			var evaluations atomic.Int64
			control := fit.Control{}
			control.OnEvaluation(func() { evaluations.Add(1) })
			r, list := try(growth, o, control)
			want := told(t, r, list)
			wait := 60 * time.Millisecond / time.Duration(evaluations.Load()+1)
			if wait < 20*time.Microsecond {
				wait = 0
			}
			path := filepath.Join(t.TempDir(), "state.json")
			child := func() *exec.Cmd {
				c := exec.Command(os.Args[0], "-test.run=^TestChild$", fmt.Sprint("-kills=", *kills))
				c.Env = append(os.Environ(), "FLUXION_KILLED_FIT="+path, "FLUXION_KILLED_METHOD="+name,
					"FLUXION_KILLED_WAIT="+wait.String())
				return c
			}
			random := rand.New(rand.NewPCG(1, 2))
			again := func() { // it was faster, and another one begins
				compare(t, path, want)
				if err := errors.Join(os.Remove(path), os.Remove(path+".result")); err != nil {
					t.Fatal(err)
				}
			}
			for left := *kills; left > 0; {
				stale := filepath.Join(filepath.Dir(path), fmt.Sprintf(".fluxion-state.json-%d-7", ended(t)))
				if err := os.WriteFile(stale, nil, 0o644); err != nil {
					t.Fatal(err)
				}
				if killed(t, child(), path, time.Duration(random.IntN(30))*time.Millisecond) {
					left--
				}
				if text, err := os.ReadFile(path); err != nil || !json.Valid(text) {
					t.Fatalf("the checkpoint is not whole: %v", err)
				}
				if _, err := os.Stat(stale); err == nil {
					t.Fatal("the fit has not removed what another one has left")
				}
				if _, err := os.Stat(path + ".result"); err == nil {
					again()
				}
			}
			if out, err := child().CombinedOutput(); err != nil {
				t.Fatal(fmt.Errorf("%w: %s", err, out))
			}
			compare(t, path, want)
			if parts, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".fluxion-*")); len(parts) > 0 {
				t.Fatalf("what was killed has left %v", parts)
			}
		})
	}
}

// ended is the number of a process that has ended.
var ended = func() func(t *testing.T) int {
	pid := 0
	return func(t *testing.T) int {
		if pid == 0 {
			c := exec.Command(os.Args[0], "-test.run=^$")
			if err := c.Run(); err != nil {
				t.Fatal(err)
			}
			pid = c.Process.Pid
		}
		return pid
	}
}()

// killed starts a fit, waits until it has written a checkpoint and a while longer, and kills it. It
// tells whether the fit had not ended by then.
func killed(t *testing.T, child *exec.Cmd, path string, later time.Duration) bool {
	t.Helper()
	written := func() (at time.Time) {
		if info, err := os.Stat(path); err == nil {
			at = info.ModTime()
		}
		return at
	}
	before := written()
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- child.Wait() }()
	for {
		select {
		case err := <-over:
			if err != nil {
				t.Fatal(err)
			}
			return false
		case <-time.After(time.Millisecond):
		}
		if written() != before {
			time.Sleep(later)
			_ = child.Process.Kill()
			return <-over != nil
		}
	}
}

// compare compares the result of a fit.
func compare(t *testing.T, path string, want string) {
	t.Helper()
	if got, err := os.ReadFile(path + ".result"); err != nil || string(got) != want {
		t.Fatalf("%s, and without kills %s: %v", short(string(got)), short(want), err)
	}
}
