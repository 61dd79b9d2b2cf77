package interp

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

// TestPrimsLimit: a run that executes too much is stopped while it runs.
func TestPrimsLimit(t *testing.T) {
	program, d := core.Parse("endless.core", `main : Real =
  let x : Real = loop (y : Real) from 1.0 while
    let c : Bool = %<[Real] 0.0 y
    ret c
  do
    let z : Real = %+[Real] y 1.0
    ret z
  ret x
`)
	if d != nil {
		t.Fatal(d)
	}
	code, d := CompileWith(program, Options{Count: true})
	if d != nil {
		t.Fatal(d)
	}
	m := code.NewMachine()
	defer m.Release()
	if _, d := m.Run(context.Background(), Limits{Prims: 1_000_000}); d == nil || d.Code != diag.StrategyBudget {
		t.Fatalf("%v", d)
	}
	if n := m.Stats().Prims; n < 1_000_000 || n > 1_100_000 {
		t.Errorf("it was stopped after %d operations", n)
	}
}
