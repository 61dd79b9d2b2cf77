package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// doubling doubles an array until nothing can hold it.
const doubling = "length (loop xs = ([1.0] : []Real) for _ < 40 do [xs[mod i (length xs)] for i < 2 * length xs])"

// TestMemoryFaces: whatever runs a program, it is refused when it needs more memory than the limit,
// and the process holds little more than that.
func TestMemoryFaces(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a process holds is measured on Linux")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	command := filepath.Join(dir, "measured") // under this name the test is that command: see TestMain
	if err := os.Symlink(self, command); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	model := write("model.flx", "let f (x : Real) : Real = x * real ("+doubling+")\nlet model (a : Real) (x : Real) : Real = a * f x\n")
	points := write("points.csv", "x,y\n1,2\n2,3\n")
	wide := write("wide.csv", "x,y\n"+strings.Repeat("1,2\n", 8_000_000))
	reads := write("reads.flx", "let rows : []{x : Real, y : Real} = file \"wide.csv\"\nlength rows\n")
	for _, c := range []struct {
		name, in string
		args     []string
	}{
		{"eval", "", []string{"eval", doubling}},
		{"eval jit", "", []string{"eval", "--engine", "jit", doubling}},
		{"eval portable", "", []string{"eval", "--engine", "portable", doubling}},
		{"eval exact", "", []string{"eval", "--exact", doubling}},
		{"run", doubling + "\n", []string{"run", "-"}},
		{"repl", doubling + "\n", []string{"repl"}},
		{"plot", "", []string{"plot", "-f", model, "f"}},
		{"fit", "", []string{"fit", model, "--fn", "model", "--data", points, "--y", "y", "--start", "1"}},
		{"diff", "", []string{"diff", model, "--fn", "f", "--at", "1", "--strategy", "compiled", "--ops", "1000000000000"}},
		{"solve", "", []string{"solve", model, "--fn", "f", "--box", "x=0..1"}},
		{"data", "", []string{"data", wide}},
		{"run data", "", []string{"run", reads}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := exec.Command(command, append([]string{c.args[0], "--memory=96MiB"}, c.args[1:]...)...)
			run.Stdin = strings.NewReader(c.in)
			out, _ := run.CombinedOutput()
			if !regexp.MustCompile(`E0602|E1107|more memory than the limit|fit into memory`).Match(out) {
				t.Errorf("%.2000s", out)
			}
			heldAtMost(t, out, 96+64)
		})
	}
	t.Run("serve", func(t *testing.T) { servesWithin(t, command) })
}

// heldAtMost checks the peak that a measured command tells, in MiB.
func heldAtMost(t *testing.T, out []byte, most int) {
	t.Helper()
	peak := peakOf.FindSubmatch(out)
	if peak == nil {
		t.Fatalf("no peak in\n%.2000s", out)
	}
	if kib, err := strconv.Atoi(string(peak[1])); err != nil || kib>>10 > most {
		t.Errorf("%d MiB were held", kib>>10)
	}
}

// servesWithin asks a page's server to run a program.
func servesWithin(t *testing.T, command string) {
	run := exec.Command(command, "serve", "--memory=96MiB")
	pipe, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	run.Stderr = &errs
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 256)
	n, _ := pipe.Read(line)
	at := regexp.MustCompile(`http://[^ /]+`).FindString(string(line[:n]))
	body := fmt.Sprintf(`{"method": "run", "text": %q}`, doubling+"\n")
	ask, err := http.NewRequest(http.MethodPost, at+"/call", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	ask.Header.Set("Origin", at)
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if !strings.Contains(string(text), "E0602") {
		t.Errorf("%.2000s", text)
	}
	if err := run.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	heldAtMost(t, errs.Bytes(), 96+64)
}

// TestMemoryDefault: every command that runs or reads something has the same limit of memory, and
// its help says which.
func TestMemoryDefault(t *testing.T) {
	runs := []string{"eval", "run", "repl", "fit", "solve", "plot", "diff", "build", "data", "bench", "serve",
		"lsp", "kernel", "gradbench", "check"}
	for _, c := range commands() {
		if !slices.Contains(runs, c.name) {
			continue
		}
		if f := (&call{command: c}).flagSet().Lookup("memory"); f == nil || f.DefValue != "2GiB" {
			t.Errorf("%s has no limit of memory, or another one", c.name)
		}
	}
}
