package fit_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/fit"
)

var kills = flag.Int("kills", 3, "how often TestKilled kills a fit")

func killedOptions() fit.Options {
	o := growthOptions()
	o.Method, o.Iterations, o.Batch, o.Seed = "adam", 1500, 5, 9
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
	if err := os.WriteFile(path+".result", text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestKilled kills a fit without warning at random moments, and resumes it: the doubles at the end
// are those of a fit that was left alone. The checkpoint is whole after every kill.
func TestKilled(t *testing.T) {
	want, err := json.Marshal(run(t, growth, killedOptions()).Q)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for left := *kills; left > 0; {
		path := filepath.Join(t.TempDir(), "state.json")
		for left > 0 {
			child := exec.Command(os.Args[0], "-test.run=^TestChild$")
			child.Env = append(os.Environ(), "FLUXION_KILLED_FIT="+path)
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- child.Wait() }()
			select {
			case err := <-ended:
				if err != nil {
					t.Fatal(err)
				}
			case <-time.After(time.Duration(100+random.IntN(400)) * time.Millisecond):
				_ = child.Process.Kill()
				<-ended
				left--
			}
			if text, err := os.ReadFile(path); err == nil && !json.Valid(text) {
				t.Fatal("the checkpoint is not whole")
			}
			if _, err := os.Stat(path + ".result"); err == nil {
				break
			}
		}
		child := exec.Command(os.Args[0], "-test.run=^TestChild$")
		child.Env = append(os.Environ(), "FLUXION_KILLED_FIT="+path)
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatal(fmt.Errorf("%w: %s", err, out))
		}
		got, err := os.ReadFile(path + ".result")
		if err != nil || string(got) != string(want) {
			t.Fatalf("%s, and without kills %s: %v", got, want, err)
		}
	}
}
