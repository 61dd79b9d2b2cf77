//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// interrupted is a command that takes much longer than anyone waits, most of it in one stage.
type interrupted struct {
	slow
	reached string // the pattern of a file that is there when the stage is reached, or ""
}

// interruptedCommands are such commands, each in another stage.
func interruptedCommands() []interrupted {
	one := nested(4500)
	long := many(150, func(b *strings.Builder, i int) {
		b.WriteString(strings.ReplaceAll(one, "let f ", "let f"+strings.Repeat("'", i)+" "))
	})
	rows := func() string { return "x,y\n" + strings.Repeat("1.25,2.5\n2.25,2.9\n3.25,4.5\n", 2_000_000) }
	list := []slow{
		program("checking", long, "check", "in.flx"),
		program("the optimiser", "let f0 (x : Real) = sin x\n"+chain(40, "let f@ (x : Real) = f# (f# x)\n")+"f40 1\n", "run", "in.flx"),
		program("lowering", strings.Repeat("deriv (", 40)+"fun x => sin x"+strings.Repeat(")", 40)+" 1\n", "run", "in.flx"),
		program("machine code", "sum [sum [sin (real (i * j)) for i < 1000000] for j < 1000000]\n", "run", "in.flx"),
		program("an exact search", "integral 0 1000 (fun x => besselJ 0 x * besselJ 1 x * besselJ 2 x)\n", "run", "--exact", "in.flx"),
		program("a search in a box", hardInBox, "solve", "in.flx", "--fn=f", "--min", "--box=x=replicate 9 (-5)..replicate 9 5"),
		program("proofs", "sum [sin (real i) for i < 100000000]\n", "run", "--certify", "in.flx"),
		program("building", many(3000, func(b *strings.Builder, i int) {
			fmt.Fprintf(b, "let f%d (v : []Real) : Real = sum [sin (x * %d) for x in v]\n", i, i)
		}), "build", "in.flx", "--fn=f0"+many(2999, func(b *strings.Builder, i int) { fmt.Fprintf(b, ",f%d", i+1) }),
			"--grad", "--target=go", "-o=out"),
		program("writing a file", "[real i * 0.1 for i < 20000000]\n", "run", "--memory=8GiB", "--out=o.csv", "in.flx"),
		program("a picture", "let f (x : Real) : Real = sum [sin (real i * x) for i < 100000000]\n", "plot", "-f", "in.flx", "--out=o.png", "f"),
		program("comparing algorithms", "let f (v : []Real) : Real = sum [sin x for x in v] * sum [sin (real i) for i < 1000000000]\n",
			"diff", "in.flx", "--fn=f", "--at=[1]", "--strategy=all"),
		program("measuring", "let f (x : Real) : Real = sum [sin (real i * x) for i < 100000000]\n", "bench", "in.flx", "--fn=f", "--at=1"),
		{"reading data", map[string]func() string{"d.csv": rows}, []string{"data", "d.csv"}, true},
		{"a fit", map[string]func() string{
			"in.flx": func() string { return "let model (a, b) x = a * exp (b * x)\n" },
			"d.csv":  func() string { return "x,y\n1,2\n2,3\n3,5\n4,9\n" },
		}, []string{"fit", "in.flx", "--fn=model", "--data=d.csv", "--y=y", "--start=1,1", "--method=adam",
			"--iterations=1000000000", "--checkpoint=state.json"}, true},
	}
	var all []interrupted
	for _, c := range list {
		all = append(all, interrupted{c, map[string]string{"writing a file": ".fluxion-*",
			"a fit": "state.json"}[c.stage]})
	}
	return all
}

// wait waits for a while, or until a file of a folder shows that the stage is reached.
func (c interrupted) wait(dir string, while time.Duration) {
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(dir, c.reached))
		if over := time.Since(start); c.reached == "" && over > while || c.reached != "" && len(found) > 0 || over > time.Minute {
			return
		}
	}
}

// TestSignals: Ctrl-C and the signal that asks a process to end do so wherever it is. It reports
// that it was interrupted, its exit status is 1, and it leaves no temporary files. A process that
// the signal has met before it listens is started again, and waited for longer.
func TestSignals(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}
	for k, c := range interruptedCommands() {
		for i, signal := range signals {
			if property.Rounds(1) == 1 && (i+k)%2 != 0 {
				continue // each command gets one of them
			}
			t.Run(c.stage+"/"+signal.String(), func(t *testing.T) {
				dir := t.TempDir()
				for name, text := range c.files {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(text()), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				for wait := 150 * time.Millisecond; ; wait *= 2 {
					var out bytes.Buffer
					run := exec.Command(self)
					run.Args, run.Dir = append([]string{"fluxion"}, c.args...), dir
					run.Env = append(os.Environ(), "FLUXION_ENGINE=") // the usual one
					run.Stdout, run.Stderr = &out, &out
					if err := run.Start(); err != nil {
						t.Fatal(err)
					}
					c.wait(dir, wait)
					if err := run.Process.Signal(signal); err != nil {
						t.Fatal(err)
					}
					_ = run.Wait()
					if run.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
						continue
					}
					if run.ProcessState.ExitCode() != exitFailed || !strings.Contains(out.String(), "interrupted") {
						t.Errorf("the exit status is %d: %.500s", run.ProcessState.ExitCode(), &out)
					}
					break
				}
				if left, _ := filepath.Glob(filepath.Join(dir, ".fluxion-*")); len(left) > 0 {
					t.Errorf("it leaves %v", left)
				}
			})
		}
	}
}
