package lower_test

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

// updates are functions of an array that update arrays in loops, as users write them: sorts,
// eliminations, tables, records.
//
//go:embed testdata/updates.flx
var updates string

// updating are the names of those functions.
func updating() []string {
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^let (\w+) \(p : \[\]Real\) : Real`).FindAllStringSubmatch(updates, -1) {
		names = append(names, m[1])
	}
	return names
}

// TestUpdatesAgree: functions that update arrays, and their derivatives of orders 1 and 2, are
// compiled, and give the same by every engine.
func TestUpdatesAgree(t *testing.T) {
	used := &regions{}
	with := everyEngine(t, used)
	for _, f := range updating() {
		text := updates + fmt.Sprintf("\nlet at = [1 + 0.5 * sin (real (i * 7)) for i < 5]\nlet d = [cos (real i) for i < 5]\n"+
			"(%[1]s at, grad %[1]s at, jvp %[1]s at d, jvp (grad %[1]s) at d, grad (fun v => inner (grad %[1]s v) d) at)\n", f)
		before := used.ran
		compare(t, f, with, func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		})
		if used.ran == before {
			t.Errorf("%s: no region ran as compiled code", f)
		}
	}
}

// TestUpdatesMakeLittle: the memory that those functions and their gradients make grows as the
// number of updates does.
func TestUpdatesMakeLittle(t *testing.T) {
	// Gradients that are tied.
	others := map[string]bool{"editRow": true, "edit": true}
	var roots []string
	for _, f := range updating() {
		roots = append(roots, "main."+f)
	}
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", updates, nil, &list)
	program, d := driver.PrepareRoots(context.Background(), unit, roots...)
	if d != nil {
		t.Fatal(d)
	}
	source := lower.NewSource(program)
	seen := map[string]bool{}
	program.EachDef(func(def *core.Def) {
		name := def.Name[len("main."):]
		fun := def.Function()
		if fun == nil || len(fun.Params) != 1 || !regexp.MustCompile(`(?m)^let `+regexp.QuoteMeta(name)+` \(p : \[\]Real\) : Real`).MatchString(updates) {
			return
		}
		seen[name] = true
		value, err := source.Definition(def)
		if err != nil {
			t.Fatal(err)
		}
		gradient, err := source.Gradient(def)
		if err != nil {
			t.Fatal(err)
		}
		for order, low := range []*lower.Lowered{value, gradient} {
			low.Optimize()
			if order == 1 && others[name] {
				continue
			}
			made := func(n int) float64 {
				xs := make([]float64, n)
				for i := range xs {
					xs[i] = 1 + 0.5*math.Sin(float64(7*i))
				}
				args := []loop.Value{loop.IntValue(int64(n)), loop.RealsValue(xs)}
				cost := loop.Measure(low.Func, args...)
				return float64(cost.Made) / float64(cost.Work+1)
			}
			if few, many := made(12), made(48); many > 1.5*few+1 {
				t.Errorf("%s, order %d: %.1f elements a step at 12, %.1f at 48", name, order, few, many)
			}
		}
	})
	for _, f := range updating() {
		if !seen[f] {
			t.Errorf("%s was not looked at", f)
		}
	}
}
