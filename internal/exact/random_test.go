package exact_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestRandomPrograms compares exact evaluation with the executable semantics of
// core over doubles: the same shape, the same integers, truth values and texts, and reals
// that contain what doubles give, to within their error. What stops one with an
// error of the program stops the other.
func TestRandomPrograms(t *testing.T) {
	compared := 0
	property.Check(t, func(t *rapid.T) {
		program := coretest.Programs().Draw(t, "program")
		if d := comparePrograms(t, program); d != nil {
			t.Logf("not compared: %v", d)
			return
		}
		compared++
	})
	if compared == 0 {
		t.Error("no program was compared")
	}
}

// comparePrograms gives a reason if there is nothing to compare.
func comparePrograms(t *rapid.T, program *core.Program) error {
	ready, d := opt.Prepare(program, opt.Options{})
	if d != nil {
		t.Fatal(d)
	}
	want, wantErr := coretest.Eval(program)
	ctx, done := stop.Within(context.Background(), 2*time.Second)
	defer done()
	got, gotErr := exact.Run(ctx, ready, exact.Options{
		Eps: big.NewRat(1, 1e12), Limits: exact.Limits{Memory: 1 << 30},
	})
	if gotErr != nil {
		switch gotErr.Code {
		case diag.Undecided, diag.EffortSpent, diag.Undefined, diag.NotNarrowed, diag.NoText, diag.TimeLimit:
			return gotErr // doubles have an answer there, or think so
		}
	}
	switch {
	case wantErr != nil && wantErr.Code == diag.NoInt, wantErr != nil && gotErr == nil && wantErr.Code == diag.Failure:
		return wantErr
	case wantErr != nil || gotErr != nil:
		if wantErr == nil || gotErr == nil || wantErr.Code != gotErr.Code {
			t.Fatalf("%s\nends with %v, in doubles with %v", core.Print(program), gotErr, wantErr)
		}
		return wantErr
	}
	if err := agree(got, coretest.Export(want, program.Main.Type)); err != nil {
		t.Fatalf("%s\nis %s, in doubles %s: %v", core.Print(program), value.Show(got), value.Show(coretest.Export(want, program.Main.Type)), err)
	}
	return nil
}

// agree compares a result with enclosures to one with doubles.
func agree(got, want value.Value) error {
	switch want := want.(type) {
	case value.Real:
		return contains(got, float64(want))
	case value.Reals:
		xs, ok := got.(value.Array)
		if !ok || len(xs) != len(want) {
			return errors.New("another array")
		}
		for i, x := range want {
			if err := contains(xs[i], x); err != nil {
				return err
			}
		}
		return nil
	case value.Tuple:
		xs, ok := got.(value.Tuple)
		if !ok {
			return errors.New("no tuple")
		}
		return agreeAll(xs, want)
	case value.Array:
		xs, ok := got.(value.Array)
		if !ok {
			return errors.New("no array")
		}
		return agreeAll(xs, want)
	case value.Record:
		xs, ok := got.(value.Record)
		if !ok || len(xs) != len(want) {
			return errors.New("no record")
		}
		for i, f := range want {
			if err := agree(xs[i].Value, f.Value); err != nil {
				return err
			}
		}
		return nil
	case value.Con:
		con, ok := got.(value.Con)
		if !ok || con.Name != want.Name {
			return errors.New("another constructor")
		}
		return agreeAll(con.Args, want.Args)
	}
	if value.Show(got) != value.Show(want) {
		return errors.New(value.Show(got) + " is not " + value.Show(want))
	}
	return nil
}

func agreeAll(got, want []value.Value) error {
	if len(got) != len(want) {
		return errors.New("another length")
	}
	for i := range want {
		if err := agree(got[i], want[i]); err != nil {
			return err
		}
	}
	return nil
}

// contains tells whether an enclosure contains a double, to within its error.
func contains(got value.Value, x float64) error {
	e, ok := got.(exact.Enclosure)
	if !ok {
		return errors.New("no real")
	}
	lo, _ := e.Lo.Float64()
	hi, _ := e.Hi.Float64()
	slack := 1e-9 * math.Max(1, math.Abs(x))
	if math.IsNaN(x) || math.IsInf(x, 0) || lo-slack <= x && x <= hi+slack {
		return nil
	}
	return errors.New(e.Fluxion() + " does not contain it")
}
