package driver_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var (
	fuzzed = flag.Int64("engines", 12, "how many random functions are run by every engine")
	from   = flag.Int64("from", 0, "the first of them")
)

// askOrders are a function and its derivatives of orders 1 to 3, in several combinations of modes.
var askOrders = []string{
	"f p",
	"(valueAndGrad f p, jvp f p d)",
	"(grad (fun v => inner (grad f v) d) p, grad (fun v => jvp f v d) p, jvp (fun v => inner (grad f v) d) p e, jvp (fun v => jvp f v d) p e)",
	"(jvp (fun v => jvp (fun w => inner (grad f w) d) v e) p d, grad (fun v => jvp (fun w => jvp f w d) v e) p)",
}

// TestEnginesFuzz: random functions of arrays and their derivatives have the same values, and the
// same errors at the same places, by every engine as by the interpreter. If they are to be
// deterministic, all engines agree to the last bit. By hand:
//
//	go test ./internal/driver -run TestEnginesFuzz -v -engines 100000 -timeout 0
//
// Package looptest has random functions of the loop form, by which every pass, every derivative,
// every engine and every target is compared with the semantics of the form on its own:
// RAPID_CHECKS=10000 go test ./internal/loop/... ./internal/engine/jit
func TestEnginesFuzz(t *testing.T) { enginesFuzz(t, strict) }

// TestLooseEnginesFuzz is TestEnginesFuzz with ties decided as IEEE compares, and with infinities
// and NaNs as results.
func TestLooseEnginesFuzz(t *testing.T) { enginesFuzz(t, loose) }

var (
	strict interp.Options // what runs have that ask for nothing else
	loose  = interp.Options{IEEETies: true, AllowInfinite: true}
)

func enginesFuzz(t *testing.T, opts interp.Options) {
	for seed := *from; seed < *from+*fuzzed; seed++ {
		g := &calculus{Rand: rand.New(rand.NewSource(seed + 3_000_000)), length: 2 + int(seed%7), nested: seed%3 == 0, pointed: seed%2 == 0, chosen: seed%5 == 1, updated: seed%4 != 1, resizes: seed%4 == 3, shapes: seed%3 == 1}
		f := "let f = g"
		if seed%4 >= 2 { // which no engine compiles as a whole: Note [Regions on the tape] of package region
			f = "let f (v : []Real) : Real = g v * gammaP 2 (1 + v[0]^2)"
		}
		text := fmt.Sprintf("import linalg\n"+shapeTypes+"let g : []Real -> Real = %s\n%s\nlet p = %s\nlet d = %s\nlet e = %s\n",
			g.function(2+int(seed%3)), f, g.point(), g.point(), g.point())
		asks := askOrders
		if seed%4 != 0 { // order 3 takes longest
			asks = asks[:3]
		}
		if agreesTogether(t, opts, text+"("+strings.Join(asks, ", ")+")\n") {
			continue
		}
		for order, ask := range asks {
			if !agreesTogether(t, opts, text+ask+"\n") {
				what := fmt.Sprintf("seed %d, order %d", seed, order)
				t.Logf("%s: engines run one by one", what)
				agreeWith(t, opts, what, text+ask+"\n")
			}
		}
	}
}

// agreeOn runs a program by all engines.
func agreeOn(t *testing.T, what, text string) {
	t.Helper()
	agreeWith(t, strict, what, text)
}

// agreeWith is agreeOn with options.
func agreeWith(t *testing.T, opts interp.Options, what, text string) {
	t.Helper()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%s\n%v", what, text, list.Sorted()[0])
	}
	run := func(s driver.Settings) (value.Value, *diag.Diagnostic) {
		if s.Limits = interp.DefaultLimits(); !s.Compile.IEEETies {
			s.Compile = opts
		}
		s.Compile.Eager = true
		result, d := driver.Run(context.Background(), unit, s)
		return result.Value, d
	}
	want, failed := run(driver.Settings{})
	if _, d := run(driver.Settings{Engine: "interp", Deterministic: true}); (d == nil) != (failed == nil) {
		return // rounding decides whether sides that are equal are tied: norms of the same numbers in another order, say
	}
	var bits value.Value
	for _, engine := range driver.Engines() {
		for _, s := range []driver.Settings{{Engine: engine}, {Engine: engine, Deterministic: true}} {
			got, d := run(s)
			if d == nil && failed != nil && failed.Code == diag.TiedComparison {
				// The sides are the same real, which only compiled code found, or nothing needs the
				// outcome. Then it does not matter which branch is taken.
				if v, d := run(driver.Settings{Compile: interp.Options{IEEETies: true}}); d != nil || !closeReals(v, got, 1e-8) {
					t.Errorf("%s: %v by the interpreter, %s of the branch taken, %s by %s\n%s", what, failed, value.Show(v), value.Show(got), engine, text)
				}
				continue
			}
			switch {
			case (d == nil) != (failed == nil) || d != nil && (d.Code != failed.Code || d.Message != failed.Message || d.Span != failed.Span):
				t.Errorf("%s: %v by the interpreter, %v by %s\n%s", what, failed, d, engine, text)
			case d == nil && !closeReals(want, got, 1e-8):
				t.Errorf("%s: %s by the interpreter, %s by %s\n%s", what, value.Show(want), value.Show(got), engine, text)
			case d == nil && s.Deterministic && bits != nil && value.Show(bits) != value.Show(got):
				t.Errorf("%s: not deterministic: %s, %s by %s\n%s", what, value.Show(bits), value.Show(got), engine, text)
			}
			if s.Deterministic && bits == nil {
				bits = got
			}
		}
	}
}
