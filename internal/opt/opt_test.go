package opt_test

import (
	"math/rand"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// sameOutcome checks that Prepare keeps what a program comes to: its value,
// bit for bit, or the code and the place of its error.
func sameOutcome(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *core.Program, opts opt.Options) {
	t.Helper()
	before := core.Print(p)
	want := coretest.Outcome(coretest.Eval(p))
	opts.Verify = true
	q, d := opt.Prepare(p, opts)
	if d != nil {
		t.Fatalf("%v\n%s", d, before)
	}
	if core.Print(p) != before {
		t.Fatalf("Prepare changed what it was given:\n%s", before)
	}
	if got := coretest.Outcome(coretest.Eval(q)); got != want {
		t.Fatalf("before: %s\nafter:  %s\n%s\n--- became\n%s", want, got, before, core.Print(q))
	}
	if limit := 4*p.Size() + 2000; q.Size() > limit {
		t.Fatalf("grew from %d to %d operations", p.Size(), q.Size())
	}
}

func TestMeaningIsKept(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := coretest.Programs().Draw(t, "program")
		sameOutcome(t, p, opt.Options{})
	})
}

func TestMeaningIsKeptOften(t *testing.T) {
	n := int64(property.Rounds(400))
	for seed := range n {
		sameOutcome(t, coretest.Generate(rand.New(rand.NewSource(seed))), opt.Options{})
	}
}
