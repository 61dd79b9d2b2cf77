package facts

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// ends are integers at which rules of spans change.
var ends = []int64{math.MinInt64, math.MinInt64 + 1, -1 << 40, -65, -3, -1, 0, 1, 2, 63, 64, 1 << 31,
	1 << 40, math.MaxInt64 - 1, math.MaxInt64}

func integers() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.SampledFrom(ends), rapid.Int64Range(-9, 9), rapid.Int64())
}

// within draws a span and an integer in it.
func within(t *rapid.T, name string) (Span, int64) {
	three := []int64{integers().Draw(t, name), integers().Draw(t, name), integers().Draw(t, name)}
	slices.Sort(three)
	return Span{three[0], three[2]}, three[1]
}

// TestSpans: what an operation gives is in the span of its result, and a sum that Exact knows does
// not wrap around.
func TestSpans(t *testing.T) {
	ops := []*loop.Op{
		loop.AddI, loop.SubI, loop.MulI, loop.MinI, loop.MaxI, loop.DivI, loop.ModI, loop.AndI, loop.ShrI,
	}
	property.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom(ops).Draw(t, "op")
		x, a := within(t, "x")
		y, b := within(t, "y")
		got := loop.Fold(op, []loop.Atom{loop.Int(a), loop.Int(b)}).I
		if s := Result(op, x, y); got < s.Lo || got > s.Hi {
			t.Fatalf("%s of %d in %v and %d in %v is %d, not in %v", op.Name, a, x, b, y, got, s)
		}
		exact := new(big.Int)
		switch op {
		case loop.AddI:
			exact.Add(big.NewInt(a), big.NewInt(b))
		case loop.SubI:
			exact.Sub(big.NewInt(a), big.NewInt(b))
		case loop.MulI:
			exact.Mul(big.NewInt(a), big.NewInt(b))
		default:
			return
		}
		if _, fits := Exact(op, x, y); fits && exact.Cmp(big.NewInt(got)) != 0 {
			t.Fatalf("%s of %d in %v and %d in %v wraps around", op.Name, a, x, b, y)
		}
	})
}

// TestDecided: comparisons of integers that are a few apart are what spans decide, and every one
// that holds, or fails, for all integers of two spans is decided.
func TestDecided(t *testing.T) {
	var spans []Span
	for lo := int64(-2); lo <= 2; lo++ {
		for hi := lo; hi <= 2; hi++ {
			spans = append(spans, Span{Lo: lo, Hi: hi})
		}
	}
	for _, op := range []*loop.Op{loop.LtI, loop.LeI, loop.EqI, loop.NeI} {
		for _, x := range spans {
			for _, y := range spans {
				some, all := false, true
				for a := x.Lo; a <= x.Hi; a++ {
					for b := y.Lo; b <= y.Hi; b++ {
						holds := loop.Fold(op, []loop.Atom{loop.Int(a), loop.Int(b)}).I != 0
						some, all = some || holds, all && holds
					}
				}
				known, truth := Decided(op, x, y)
				if known && (truth && !all || !truth && some) || !known && some == all {
					t.Errorf("%s of %v and %v: %t %t", op.Name, x, y, known, truth)
				}
			}
		}
	}
}

// TestForms: a polynomial has the value of the integer that it was made of.
func TestForms(t *testing.T) {
	expanded := 0
	property.Check(t, func(t *rapid.T) {
		atoms := []loop.Atom{loop.Int(rapid.Int64Range(-9, 9).Draw(t, "c"))}
		values := map[loop.Atom]int64{atoms[0]: atoms[0].(*loop.Const).I}
		for range 3 {
			v := loop.NewVar("v", loop.I64)
			values[v] = integers().Draw(t, "value")
			atoms = append(atoms, v)
		}
		defs := map[*loop.Var]*loop.Let{}
		for range rapid.IntRange(1, 8).Draw(t, "operations") {
			op := rapid.SampledFrom([]*loop.Op{loop.AddI, loop.SubI, loop.MulI}).Draw(t, "op")
			x, y := rapid.SampledFrom(atoms).Draw(t, "x"), rapid.SampledFrom(atoms).Draw(t, "y")
			v := loop.NewVar("a", loop.I64)
			defs[v] = &loop.Let{Var: v, Op: op, Args: []loop.Atom{x, y}}
			values[v] = loop.Fold(op, []loop.Atom{loop.Int(values[x]), loop.Int(values[y])}).I
			atoms = append(atoms, v)
		}
		last := atoms[len(atoms)-1]
		forms := Forms{Def: func(v *loop.Var) *loop.Let { return defs[v] }, Most: 6}
		form := forms.Of(last)
		if form == nil {
			return
		}
		expanded++
		sum := int64(0)
		for _, term := range form {
			product := term.C
			for _, v := range forms.Factors(term.M) {
				product *= values[v]
			}
			sum += product
		}
		if sum != values[last] {
			t.Fatalf("the polynomial %v is %d, the integer %d", form, sum, values[last])
		}
	})
	if expanded == 0 {
		t.Error("no integer was expanded")
	}
}
