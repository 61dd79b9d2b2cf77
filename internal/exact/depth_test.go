package exact_test

import (
	"context"
	"math/big"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// recursions are functions that call themselves inside each kind of block.
var recursions = map[string]string{
	"plain":    "if n == 0 then 0 else 1 + f (n - 1)",
	"branches": "if n == 0 then 0 else (if n > 0 then (if n > -1 then 1 + f (n - 1) else 1) else 2)",
	"match":    "match (if n == 0 then None else Some (n - 1)) with | None -> 0 | Some m -> 1 + f m",
	"array":    "if n == 0 then 0 else 1 + sum [f (n - 1) for _ < 1]",
	"map":      "if n == 0 then 0 else 1 + sum [f (n - 1 + m) for m in [0]]",
	"fold":     "if n == 0 then 0 else fold (fun s m => s + f (n - 1 + m)) 1 [0]",
	"scan":     "if n == 0 then 0 else (scan (fun s m => s + m * f (n - 1)) 1 [1])[0]",
	"loop":     "if n == 0 then 0 else loop s = 1 for i < 1 do s + f (n - 1)",
	"each":     "if n == 0 then 0 else loop s = 1 for x in [1] do s + x * f (n - 1)",
	"while":    "let (s, _) = if n == 0 then (0, 0) else (loop (s, k) = (1, 0) while k < 1 do (s + f (n - 1), k + 1))\n  s",
	"function": "if n == 0 then 0 else (fun g => 1 + g (n - 1)) f",
	"partial":  "if n == 0 then 0 else 1 + (fun g => g 1) (fun m => f (n - m))",
	"over":     "if n == 0 then 0 else 1 + ((if n > 5 then (fun a => fun b => f (b - a)) else (fun a => fun b => f (a + b))) 1 n)",
	"let":      "let m = n - 1\n  let y = if n == 0 then 0 else f m\n  let z = y * 2 - y\n  z + 1",
	"record":   "if n == 0 then 0 else {a = 1, b = f (n - 1)}.b + 1",
}

// watchedStack is a context that sees how deep Go's stack is when it is asked.
type watchedStack struct {
	context.Context
	low, high uintptr
}

//go:noinline
func (w *watchedStack) Err() error {
	var here byte
	at := uintptr(unsafe.Pointer(&here))
	w.low, w.high = min(w.low, at), max(w.high, at)
	return nil
}

// TestStack: what evaluation counts of Go's stack is at least what it takes. Otherwise deep
// recursion would end the process.
func TestStack(t *testing.T) {
	const counted = 4 << 20                          // on one stack
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection may move the stack
	touch(2 * counted)
	for name, body := range recursions {
		text := "let rec f (n : Int) : Real =\n  " + body + "\nf 1000000"
		var list diag.List
		unit := library.LoadText("test.flx", text, nil, &list)
		if list.Failed() {
			t.Fatalf("%s: %v", name, list.Sorted()[0])
		}
		program, d := driver.Prepare(context.Background(), unit, false)
		if d != nil {
			t.Fatal(d)
		}
		w := &watchedStack{Context: context.Background(), low: ^uintptr(0)}
		_, d = exact.RunWithin(counted, w, program, exact.Options{Eps: big.NewRat(1, 10)})
		if d == nil || d.Code != diag.DepthLimit {
			t.Errorf("%s: %v, and should be too deep", name, d)
		}
		if taken := w.high - w.low; taken > counted || taken < counted/20 {
			t.Errorf("%s: %d bytes of the stack are taken, and %d counted", name, taken, counted)
		}
	}
}

// touch makes the stack large.
//
//go:noinline
func touch(bytes int) byte {
	var some [1 << 12]byte
	if bytes > len(some) {
		some[bytes%len(some)] = touch(bytes - len(some))
	}
	return some[bytes/3%len(some)]
}

// TestMillionCalls: the tour says so.
func TestMillionCalls(t *testing.T) {
	var list diag.List
	unit := library.LoadText("test.flx", "let rec f (n : Int) : Real = if n == 0 then 0 else 1 + f (n - 1)\nf 1000000", nil, &list)
	settings := driver.Settings{Limits: interp.DefaultLimits()}
	result, d := driver.RunExact(context.Background(), unit, settings, driver.Exactly{Eps: big.NewRat(1, 10)})
	if d != nil {
		t.Fatal(d)
	}
	if x := exact.Enclosures(result.Value)[0]; x.Lo.Cmp(big.NewFloat(1e6)) != 0 || x.Hi.Cmp(big.NewFloat(1e6)) != 0 {
		t.Errorf("%s, and not a million", x.Fluxion())
	}
}
