package driver

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestWorldConcurrent: a world loads files and texts for several goroutines at once, each file once,
// while others run what it has loaded. Loads that a context ends take nothing from the others.
func TestWorldConcurrent(t *testing.T) {
	files := map[string]string{"base.flx": "let c = sum [1, 2, 3]\nlet f (x : Real) : Real = c * sin x\n"}
	for k := range 4 {
		files[fmt.Sprintf("m%d.flx", k)] = fmt.Sprintf("import \"./base.flx\"\nimport stats\n"+
			"let g (x : Real) : Real = deriv base.f x + %d + stats.mean [x, 0, 0]\n", k)
	}
	w := NewWorld(func(path string) (string, error) { return files[path], nil })
	settings := Settings{Engine: BestEngine(), Limits: interp.DefaultLimits()}
	units := make([][4]*Unit, 8)
	var wait sync.WaitGroup
	for n := range units {
		wait.Go(func() {
			for turn := range 4 {
				k := (turn + n) % 4
				var list diag.List
				own := w.Until(context.Background())
				unit := own.LoadFile(fmt.Sprintf("m%d.flx", k), &list)
				units[n][k] = unit
				text := own.LoadText("<expression>", "g 0\n", []*Unit{unit}, &list)
				own.Discard(text)
				if list.Failed() {
					t.Error(list.Sorted()[0])
					return
				}
				result, d := Run(context.Background(), text, settings)
				if d != nil {
					t.Error(d)
				} else if got := value.Show(result.Value); got != fmt.Sprint(6+k) {
					t.Errorf("module %d: %s", k, got)
				}
				over, cancel := context.WithCancel(context.Background())
				cancel()
				var ended diag.List
				gone := w.Until(over).LoadText("<other>", "1 + 1\n", []*Unit{unit}, &ended)
				if w.Discard(gone); !ended.Failed() {
					t.Error("a text is loaded when its context is over")
				}
			}
		})
	}
	wait.Wait()
	for k := range 4 {
		for n := range units {
			if units[n][k] != units[0][k] {
				t.Errorf("module %d was loaded more than once", k)
			}
		}
	}
}

// TestWorldTurns: who waits for another load ends with its own context.
func TestWorldTurns(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	w := NewWorld(func(path string) (string, error) {
		if path == "slow.flx" {
			close(begun)
			<-end
		}
		return "let x = 1\n", nil
	})
	var wait sync.WaitGroup
	wait.Go(func() { w.LoadFile("slow.flx", &diag.List{}) })
	<-begun
	ctx, done := stop.Within(context.Background(), 20*time.Millisecond)
	defer done()
	var file, text diag.List
	if unit := w.Until(ctx).LoadFile("other.flx", &file); unit.Core != nil {
		t.Error("a file is loaded beside another")
	}
	unit := w.Until(ctx).LoadText("<text>", "1\n", nil, &text)
	close(end)
	wait.Wait()
	w.Discard(unit)
	for _, list := range []*diag.List{&file, &text} {
		if all := list.Sorted(); len(all) != 1 || !strings.Contains(all[0].Message, "the limit of 20ms") {
			t.Errorf("the waiting ends with %v", all)
		}
	}
}
