package coretest_test

import (
	"fmt"
	"math/rand"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// TestGenerated: every generated program verifies, reads back from its text, and evaluates to a
// value or a proper error.
func TestGenerated(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := coretest.Programs().Draw(t, "program")
		if err := core.Verify(p, core.Mono); err != nil {
			t.Fatalf("%v\n%s", err, core.Print(p))
		}
		text := core.Print(p)
		q, d := core.Parse("generated", text)
		if d != nil {
			t.Fatalf("%v\n%s", d, text)
		}
		if !core.Equal(p, q) || core.Print(q) != text {
			t.Fatalf("reads back as another program:\n%s", text)
		}
		v, err := coretest.Eval(p)
		w, err2 := coretest.Eval(q)
		if err == nil && coretest.Show(v) != coretest.Show(w) || (err == nil) != (err2 == nil) || err != nil && err.Code != err2.Code {
			t.Fatalf("the text has another value:\n%s", text)
		}
	})
}

// TestGeneratedCoverage: a fair part of the programs must have a value, and use every operation,
// or the tests that rest on them say little.
func TestGeneratedCoverage(t *testing.T) {
	const n = 2000
	values, ops := 0, map[string]int{}
	for seed := range int64(n) {
		p := coretest.Generate(rand.New(rand.NewSource(seed)))
		if _, err := coretest.Eval(p); err == nil {
			values++
		}
		p.EachDef(func(d *core.Def) {
			core.Walk(d.Body, func(s core.Stmt) {
				if let, ok := s.(*core.Let); ok {
					ops[opName(let.Op)]++
				}
			})
		})
	}
	t.Logf("%d of %d have a value; %v", values, n, ops)
	if values < n/3 || values > n-n/20 {
		t.Errorf("%d of %d programs have a value", values, n)
	}
	if len(ops) != 19 {
		t.Errorf("%d kinds of operation: %v", len(ops), ops)
	}
}

func opName(op core.Op) string { return fmt.Sprintf("%T", op) }
