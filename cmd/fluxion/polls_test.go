//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// polledCommands are commands that compile, print or translate a large program, and run little.
func polledCommands() []slow {
	defs := definitions(2000) + "d1 2\n"
	one := nested(400)
	functions := many(100, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "let f%d (x : Real) (v : []Real) : Real = sum [sin (x * y + %d) for y in v]\n", i, i)
	})
	names := "--fn=f0" + many(99, func(b *strings.Builder, i int) { fmt.Fprintf(b, ",f%d", i+1) })
	all := []slow{
		program("check", defs, "check", "in.flx"),
		program("check nested lets", one, "check", "in.flx"),
		program("run", defs, "run", "in.flx"),
		program("run mutual recursion", "let rec g0 (x : Real) : Real = g1 x\n"+many(1000, func(b *strings.Builder, i int) {
			fmt.Fprintf(b, "and g%d (x : Real) : Real = if x > 1 then x else g%d (x + 1)\n", i+1, i*7919%1000)
		})+"g0 2\n", "run", "in.flx"),
		program("run --exact", "sum "+array(5000)+"\n", "run", "--exact", "in.flx"),
		program("run --certify", one+"f 1\n", "run", "--certify", "in.flx"),
	}
	for _, target := range []string{"go", "c", "wasm"} {
		all = append(all,
			program("build a long function for "+target, one, "build", "in.flx", "--fn=f", "--target="+target, "-o=out"),
			program("build many functions for "+target, functions, "build", "in.flx", names, "--grad", "--target="+target, "-o=out"))
	}
	for _, strategy := range []string{"forward", "reverse2", "delta", "curry-env", "compiled"} {
		all = append(all, program("diff "+strategy, nested(100), "diff", "in.flx", "--fn=f", "--at=0.5",
			"--explain", "--strategy="+strategy))
	}
	return all
}

// TestPolls: whatever a command does before it runs a program, and to print and translate one, it
// polls so often that little memory is allocated between two polls, and it ends wherever a poll
// ends it.
func TestPolls(t *testing.T) {
	for _, c := range polledCommands() {
		t.Run(c.stage, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, text := range c.files {
				if err := os.WriteFile(name, []byte(text()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			run := func(poll func() bool) (code int, out string) {
				var text bytes.Buffer
				code = dispatch(stop.Polled(context.Background(), poll), c.args,
					terminal{in: strings.NewReader(""), out: &text, err: &text})
				return code, text.String()
			}
			run(func() bool { return false }) // loads the library
			var polls, most, last atomic.Int64
			last.Store(allocated())
			look := func() {
				now := allocated()
				most.Store(max(most.Load(), now-last.Swap(now)))
			}
			code, out := run(func() bool {
				polls.Add(1)
				look()
				return false
			})
			look() // at what follows the last poll
			if code != exitOK {
				t.Fatalf("%.300s", out)
			}
			t.Logf("%d polls, at most %d KiB between two", polls.Load(), most.Load()>>10)
			if most.Load() > mostBetween {
				t.Errorf("%d MiB are allocated between two polls", most.Load()>>20)
			}
			ends := int64(property.Rounds(4))
			for k := range ends {
				if err := os.RemoveAll("out"); err != nil {
					t.Fatal(err)
				}
				at, n := 1+polls.Load()*k/ends, atomic.Int64{}
				code, out := run(func() bool { return n.Add(1) >= at })
				if code != exitFailed || !strings.Contains(out, "E0601") {
					t.Fatalf("ended at poll %d of %d: status %d, %.300s", at, polls.Load(), code, out)
				}
				if more := n.Load() - at; more > 32 {
					t.Errorf("ended at poll %d of %d: %d more polls", at, polls.Load(), more)
				}
				if left, _ := filepath.Glob("out/*"); len(left) > 0 {
					t.Errorf("ended at poll %d of %d: %v is written", at, polls.Load(), left)
				}
			}
		})
	}
}

// mostBetween bounds what is allocated between two polls: as much as is allocated in 30 ms or so.
const mostBetween = 8 << 20

// allocated is how many bytes the process has allocated.
func allocated() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
