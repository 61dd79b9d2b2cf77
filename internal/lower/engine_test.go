package lower_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// reference runs loop form by its executable semantics, which panics where a program is not well formed.
type reference struct {
	t     *testing.T
	entry *loop.Func
	used  *regions
	runs  *int
}

// maxRuns is how often a region runs by the semantics, which are slow.
const maxRuns = 3

// regions counts the regions that ran as compiled code, and those that gave up.
type regions struct {
	mu        sync.Mutex
	ran, left int
}

func (r reference) Run(args []loop.Arg, opts loop.RunOptions) (out []loop.Arg, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.t.Errorf("%s: %v", r.entry.Name, p)
			err = loop.ErrCheck
		}
		r.used.mu.Lock()
		defer r.used.mu.Unlock()
		if err == nil {
			r.used.ran++
		} else {
			r.used.left++
		}
	}()
	if *r.runs++; *r.runs > maxRuns {
		return nil, loop.ErrCheck
	}
	values := make([]loop.Value, len(args))
	for i, p := range r.entry.Params {
		switch p.Kind {
		case loop.F64s:
			values[i] = loop.RealsValue(args[i].F)
		case loop.I64s:
			values[i] = loop.IntsValue(args[i].I)
		default:
			values[i] = loop.Value{Word: args[i].Word}
		}
	}
	results, err := loop.Eval(r.entry, values...)
	if err != nil {
		return nil, err
	}
	for i, a := range r.entry.Body.Yield {
		v := results[i]
		switch a.AtomKind() {
		case loop.F64s:
			out = append(out, loop.Arg{F: v.Reals()})
		case loop.I64s:
			xs := make([]int64, len(v.Buf))
			for k, w := range v.Buf {
				xs[k] = int64(w)
			}
			out = append(out, loop.Arg{I: xs})
		default:
			out = append(out, loop.Arg{Word: v.Word})
		}
	}
	return out, nil
}

// referenceEngine verifies programs and runs them by their semantics.
func referenceEngine(t *testing.T, used *regions) interp.Engine {
	return func(p *loop.Program) (loop.Code, error) {
		if err := loop.Verify(p); err != nil {
			t.Errorf("%v\n%s", err, loop.Print(p))
			return nil, err
		}
		return reference{t, p.Funcs[0], used, new(int)}, nil
	}
}

// agree tells whether two results are equal but for rounding.
func agree(a, b value.Value) bool {
	x, y := value.Show(a), value.Show(b)
	if x == y {
		return true
	}
	xs, ys := papers.Reals(a), papers.Reals(b)
	if len(xs) != len(ys) {
		return false
	}
	scale := 0.0
	for _, x := range xs {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			scale = max(scale, math.Abs(x))
		}
	}
	for i, x := range xs {
		y := ys[i]
		same := x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-8*(math.Abs(x)+1e-3*scale)
		if !same {
			return false
		}
	}
	return true
}

// runBoth runs a program by the interpreter alone and with an engine, and compares.
func runBoth(t *testing.T, name, text string, engine interp.Engine, load func(sink *diag.List) *driver.Unit) {
	var list diag.List
	unit := load(&list)
	if unit == nil || list.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	limits := interp.Limits{Memory: 1 << 30, Depth: 100_000}
	want, d := driver.Run(ctx, unit, driver.Settings{Limits: limits})
	got, e := driver.Run(ctx, unit, driver.Settings{Limits: limits, Compile: interp.Options{Engine: engine, Eager: true}})
	switch {
	case d != nil && e == nil, d == nil && e != nil, d != nil && (d.Code != e.Code || d.Message != e.Message || d.Span != e.Span):
		t.Errorf("%s: by the interpreter: %v, with the engine: %v", name, d, e)
	case d == nil && !agree(want.Value, got.Value):
		t.Errorf("%s: by the interpreter %s, with the engine %s", name, value.ShowAtMost(want.Value, 20), value.ShowAtMost(got.Value, 20))
	}
}

// TestEngineAgrees: programs give the same with compiled code as without, errors and their places
// included.
func TestEngineAgrees(t *testing.T) {
	t.Parallel()
	used := &regions{}
	engine := referenceEngine(t, used)
	files, _ := filepath.Glob("../../testdata/run/*.txtar")
	for _, file := range files {
		base := filepath.Base(file)
		if only := os.Getenv("ENGINE_ONLY"); only != "" && !strings.Contains(base, only) {
			continue
		}
		if slices.ContainsFunc([]string{"err-memory", "timeout", "err-depth", "searches"}, func(s string) bool { return strings.Contains(base, s) }) {
			continue // about the limits of the interpreter, or slow without engines
		}
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if !strings.HasSuffix(f.Name, ".flx") {
				continue
			}
			world := driver.NewWorld(nil)
			runBoth(t, base, string(f.Data), engine, func(sink *diag.List) *driver.Unit {
				return world.LoadText("main", string(f.Data), nil, sink)
			})
		}
	}
	t.Logf("%d regions ran, %d gave up", used.ran, used.left)
	if used.ran < 100 && os.Getenv("ENGINE_ONLY") == "" {
		t.Errorf("only %d regions ran as compiled code", used.ran)
	}
}
