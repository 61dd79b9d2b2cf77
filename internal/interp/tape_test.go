package interp

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Code that is ready for boxes gives what other code gives, on programs
// without derivatives.
func TestTapedCode(t *testing.T) {
	for seed := range int64(400) {
		p := coretest.Generate(rand.New(rand.NewSource(seed)))
		numberPlaces(p)
		run := func(code *Code, d *diag.Diagnostic) string {
			if d != nil {
				t.Fatal(d)
			}
			v, d := code.Run(context.Background(), DefaultLimits())
			if d != nil {
				return fmt.Sprint(d.Code, " ", d.Span.Start)
			}
			return value.Show(v)
		}
		want := run(Compile(p))
		if got := run(compileWith(p, Options{}, true, false)); got != want {
			t.Fatalf("seed %d: got %s, want %s\n%s", seed, got, want, core.Print(p))
		}
	}
}
