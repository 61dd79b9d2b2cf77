package driver_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestThriftyEngines: loops in checkpoints have the same values and derivatives by every engine.
func TestThriftyEngines(t *testing.T) {
	for _, f := range []string{
		"checkpoint (fun y => loop y = y for k < 50 do y + 0.1 * sin (c[0] * y + c[1] * real k)) c[2]",
		"checkpoint (fun (y, s) => loop (y, s) = (y, s) for k < 37 do (y + 0.1 * sin (c[0] * y), s + y * c[1])) (c[2], 1) |> (fun (y, s) => y * s)",
		"sum (checkpoint (fun ys => loop ys = ys for k < 20 do map (fun y => 0.9 * y + 0.1 * sin (c[1] * y)) ys) c)",
		"sum (checkpoint (fun ys => loop ys = ys for k < 20 do {ys with [mod k 3] = 0.5 * ys[mod (k + 1) 3] * c[0]}) c)",
		"loop y = c[0] for j < 6 do checkpoint (fun y => loop y = y for k < 7 do y + 0.1 * sin (c[1] * y + real (j * k))) y",
		"sum [checkpoint (fun y => loop y = y for k < 10 do y * cos (c[1] * y)) x for x in c]",
		"checkpointed 40 (fun k y => y + 0.1 * sin (c[0] * y + c[1] * real k)) c[2]",
		"checkpoint (fun y => if y > 0 then loop y = y for k < 9 do y * c[1] else y) c[2]",
		"checkpoint (fun y => loop y = y for k < 9 do checkpoint (fun z => loop z = z for j < 4 do sin (z * c[0])) (y + c[1])) c[2]",
		"checkpoint (fun y => loop y = y while y < 4 do y + c[0]) c[2]",
		"checkpoint (fun y => loop y = y for k < 0 - 3 do y + c[0]) c[2]",
	} {
		for order, ask := range askOrders[:3] {
			text := "let f (c : []Real) : Real = " + f + "\nlet p = [0.4, 0.5, 0.6]\nlet d = [1, -2, 0.5]\nlet e = [0.1, 0.7, -1]\n"
			agreeOn(t, fmt.Sprintf("%s, order %d", f, order), text+ask+"\n")
		}
	}
}

// TestThriftyMemory: the compiled gradient of a loop in a checkpoint takes little memory.
func TestThriftyMemory(t *testing.T) {
	gradient := func(f string, engine string, memory int64) (value.Value, *diag.Diagnostic) {
		t.Helper()
		var list diag.List
		text := "let step (c : []Real) (k : Int) (y : Real) : Real = y + 0.001 * sin (c[0] * y + c[1] * c[2] + c[3] * y * c[4] + real k)\n" +
			"let f (c : []Real) : Real = " + f + "\ngrad f [0.4, 0.5, 0.6, 0.7, 0.8]\n"
		unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
		if list.Failed() {
			t.Fatalf("%s\n%v", text, list.Sorted()[0])
		}
		s := driver.Settings{Engine: engine, Limits: interp.Limits{Memory: memory, Depth: 10_000}}
		s.Compile.Eager = true
		result, d := driver.Run(context.Background(), unit, s)
		return result.Value, d
	}
	const plain = "loop y = 1 for k < 300000 do step c k y"
	for _, engine := range driver.Engines() {
		if engine == "interp" {
			continue
		}
		want, d := gradient(plain, engine, 1<<30)
		if d != nil {
			t.Fatal(d)
		}
		if _, d := gradient(plain, engine, 2<<20); d == nil || d.Code != diag.MemoryLimit {
			t.Errorf("%s: the gradient of a loop takes little memory: %v", engine, d)
		}
		for _, f := range []string{
			"checkpoint (fun y => loop y = y for k < 300000 do step c k y) 1",
			"checkpointed 300000 (step c) 1",
			"loop y = 1 for j < 500 do checkpoint (fun y => loop y = y for k < 600 do step c (600 * j + k) y) y",
		} {
			got, d := gradient(f, engine, 2<<20)
			if d != nil || !closeReals(want, got, 1e-10) {
				t.Errorf("%s by %s: %v, not %v (%v)", f, engine, got, want, d)
			}
		}
	}
}
