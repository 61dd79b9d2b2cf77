package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// measured returns the command, followed by what the process has held at most, as Linux tells.
func measured() {
	status := run(os.Args[1:])
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, "%s", text)
	os.Exit(status)
}

var peakOf = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// TestMemoryLimit: whatever fills the memory, the process holds little more than the limit.
func TestMemoryLimit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a process holds is measured on Linux")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(t.TempDir(), "measured") // under this name the test is that command: see TestMain
	if err := os.Symlink(self, command); err != nil {
		t.Fatal(err)
	}
	const limit, besides = 96 << 20, 64 << 20
	for name, text := range map[string]string{
		"calls":  "let rec f (n : Int) : Real = if n == 0 then 0 else 1 + f (n - 1)\nf 100000000",
		"tape":   "let rec f (n : Int) (x : Real) : Real = if n == 0 then x else sin x + f (n - 1) (x / 2)\nderiv (f 100000000) 1",
		"tuples": "let rec f (n : Int) : (Real, [2]Real) = if n == 0 then (0, [1, 2]) else let (a, b) = f (n - 1) in (a + 1, [b[1], a])\nf 100000000",
		"list":   "let rec f (xs : List Real) : Real = f (Cons 1 xs)\nf Nil",
		"arrays": "let rec f (xs : List ([1000]Real)) (n : Real) : Real = f (Cons [n + real i for i < 1000] xs) (n + 1)\nf Nil 0",
		"texts":  `loop s = "a\n" for _ < 60 do show (s, s)`,
	} {
		for _, mode := range []string{"--timeout=1m", "--eps=0.1"} {
			t.Run(name+mode, func(t *testing.T) {
				t.Parallel()
				run := exec.Command(command, "run", mode, "--memory=96MiB", "--depth=1000000000", "-")
				run.Stdin = strings.NewReader(text)
				out, _ := run.CombinedOutput()
				if !strings.Contains(string(out), "error[E0602]") {
					t.Errorf("%s", out)
				}
				peak := peakOf.FindSubmatch(out)
				if peak == nil {
					t.Fatalf("no peak in\n%s", out)
				}
				if kib, err := strconv.Atoi(string(peak[1])); err != nil || kib > (limit+besides)>>10 {
					t.Errorf("%d MiB were held, and the limit is %d MiB", kib>>10, limit>>20)
				}
			})
		}
	}
}
