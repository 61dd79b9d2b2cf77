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
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/fit"
	"github.com/fluxion-lang/fluxion/internal/replace"
)

var kills = flag.Int("kills", 3, "how often TestKilled kills a fit")

func killedOptions() fit.Options {
	o := growthOptions()
	o.Method, o.Iterations, o.Batch, o.Seed = "adam", 40000, 5, 9
	return o
}

// TestChild is a fit that another process kills.
func TestChild(t *testing.T) {
	path := os.Getenv("FLUXION_KILLED_FIT")
	if path == "" {
		t.Skip("it is run by TestKilled")
	}
	r, list := try(growth, killedOptions(), fit.Control{Checkpoint: &fit.Checkpoint{Path: path,
		Every: 10 * time.Millisecond, Resume: true}})
	if r == nil {
		t.Fatal(list.Sorted())
	}
	text, err := json.Marshal(r.Q)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path+".result"); err != nil { // whole, whenever it is killed
		t.Fatal(err)
	}
}

// TestKilled kills a fit without warning, some random time after it has written a checkpoint, and
// resumes it: the doubles at the end are those of a fit that was left alone. The checkpoint is
// whole after every kill.
func TestKilled(t *testing.T) {
	want, err := json.Marshal(run(t, growth, killedOptions()).Q)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state.json")
	child := func() *exec.Cmd {
		c := exec.Command(os.Args[0], "-test.run=^TestChild$")
		c.Env = append(os.Environ(), "FLUXION_KILLED_FIT="+path)
		return c
	}
	random := rand.New(rand.NewPCG(1, 2))
	for left := *kills; left > 0; {
		if killed(t, child(), path, time.Duration(random.IntN(30))*time.Millisecond) {
			left--
		}
		if text, err := os.ReadFile(path); err != nil || !json.Valid(text) {
			t.Fatalf("the checkpoint is not whole: %v", err)
		}
		replace.Clean(path) // as the next fit does
		if parts, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".fluxion-*")); len(parts) > 0 {
			t.Fatalf("what was killed has left %v", parts)
		}
		if _, err := os.Stat(path + ".result"); err == nil && left > 0 {
			compare(t, path, want) // it was faster, and another one begins
			if err := errors.Join(os.Remove(path), os.Remove(path+".result")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if out, err := child().CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("%w: %s", err, out))
	}
	compare(t, path, want)
}

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
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return false
		case <-time.After(time.Millisecond):
		}
		if written() != before {
			time.Sleep(later)
			_ = child.Process.Kill()
			return <-ended != nil
		}
	}
}

// compare compares the result of a fit.
func compare(t *testing.T, path string, want []byte) {
	t.Helper()
	if got, err := os.ReadFile(path + ".result"); err != nil || string(got) != string(want) {
		t.Fatalf("%s, and without kills %s: %v", got, want, err)
	}
}
