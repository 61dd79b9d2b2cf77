package driver_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// onFloats evaluates a program as `fluxion run` does.
func onFloats(p *core.Program) (value.Value, *diag.Diagnostic) {
	ready, d := opt.Prepare(p, opt.Options{})
	if d != nil {
		return nil, d
	}
	code, d := interp.Compile(ready)
	if d != nil {
		return nil, d
	}
	return code.Run(context.Background(), interp.Limits{Memory: 1 << 28, Depth: 10_000, Timeout: 10 * time.Second})
}

// exactly evaluates a program as `fluxion run --eps 1e-9` does.
func exactly(p *core.Program) (value.Value, *diag.Diagnostic) {
	ready, d := opt.Prepare(p, opt.Options{})
	if d != nil {
		return nil, d
	}
	return exact.Run(context.Background(), ready, exact.Options{
		Eps: big.NewRat(1, 1e9), Limits: exact.Limits{Timeout: 2 * time.Second, Memory: 1 << 28, Depth: 10_000},
	})
}

// agree holds a result of an engine to the denotation of the program. A double
// may be off by rounding; an enclosure may not.
func agree(got value.Value, want coretest.Value) error {
	all := func(got []value.Value, want []coretest.Value) error {
		if len(got) != len(want) {
			return fmt.Errorf("%d parts instead of %d", len(got), len(want))
		}
		for i := range want {
			if err := agree(got[i], want[i]); err != nil {
				return err
			}
		}
		return nil
	}
	var parts []value.Value
	switch got := got.(type) {
	case value.Reals:
		for _, x := range got {
			parts = append(parts, value.Real(x))
		}
	case value.Ints:
		for _, n := range got {
			parts = append(parts, value.Int(n))
		}
	case value.Array:
		parts = got
	case value.Tuple:
		parts = got
	case value.Record:
		for _, f := range got {
			parts = append(parts, f.Value)
		}
	case value.Con:
		parts = got.Args
	}
	switch want := want.(type) {
	case *ball.Ball:
		return near(got, want)
	case coretest.Array:
		return all(parts, want)
	case coretest.Tuple:
		return all(parts, want)
	case coretest.Con:
		if con, ok := got.(value.Con); !ok || con.Name != want.Con.Name {
			return fmt.Errorf("%s instead of %s", value.Show(got), want.Con.Name)
		}
		return all(parts, want.Args)
	case *coretest.Closure:
		return nil
	}
	if shown := value.Show(coretest.Export(want, nil)); value.Show(got) != shown {
		return fmt.Errorf("%s instead of %s", value.Show(got), shown)
	}
	return nil
}

func near(got value.Value, want *ball.Ball) error {
	switch got := got.(type) {
	case value.Real:
		x := want.Float64()
		if math.Abs(float64(got)-x) <= 1e-7*(1+math.Abs(x)) {
			return nil
		}
	case exact.Enclosure:
		if got.Lo.IsInf() || got.Hi.IsInf() {
			return nil
		}
		lo, hi := new(ball.Ball).SetFloat(got.Lo), new(ball.Ball).SetFloat(got.Hi)
		if lo.LessEq(new(ball.Ball).Upper(want)) && new(ball.Ball).Lower(want).LessEq(hi) {
			return nil
		}
	}
	return fmt.Errorf("%s instead of %v", value.Show(got), want)
}

func TestAdequacyRandom(t *testing.T) {
	counts := map[string]int{}
	property.Check(t, func(t *rapid.T) {
		p := coretest.ProgramsWithDerivatives().Draw(t, "program")
		want, d := coretest.Denote(p, 20_000)
		gotF, df := onFloats(p)
		gotE, de := exactly(p)
		key := func(d *diag.Diagnostic) string { if d == nil { return "value" }; return string(d.Code) }
		counts[key(d)+" float "+key(df)]++
		counts[key(d)+" exact "+key(de)]++
		if d != nil { return }
		if df == nil {
			if err := agree(gotF, want); err != nil {
				t.Fatalf("%s\nfloats: %v (%s)", core.Print(p), err, value.Show(gotF))
			}
		}
		if de == nil {
			if err := agree(gotE, want); err != nil {
				t.Fatalf("%s\nexact: %v (%s)", core.Print(p), err, value.Show(gotE))
			}
		}
	})
	for k, n := range counts { t.Log(k, n) }
}
