package jet

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/property"
)

func doubles() *Algebra { return NewAlgebra(Double{}) }

// TestMag compares magnitudes with rationals: sums and products are never too
// small, and hardly too large.
func TestMag(t *testing.T) {
	magnitude := rapid.Custom(func(t *rapid.T) Mag {
		m := Mag{rapid.Float64Range(0.5, 1).Filter(func(x float64) bool { return x < 1 }).Draw(t, "m"), 0}
		return m.shift(rapid.Int64Range(-4000, 4000).Draw(t, "e"))
	})
	value := func(a Mag) *big.Float {
		f := new(big.Float).SetPrec(20000).SetFloat64(a.m)
		return f.SetMantExp(f, int(a.e))
	}
	property.Check(t, func(t *rapid.T) {
		a, b := magnitude.Draw(t, "a"), magnitude.Draw(t, "b")
		x, y := value(a), value(b)
		exact := func() *big.Float { return new(big.Float).SetPrec(20000) }
		for _, c := range []struct {
			got  Mag
			want *big.Float
		}{{a.Add(b), exact().Add(x, y)}, {a.Mul(b), exact().Mul(x, y)}} {
			if value(c.got).Cmp(c.want) < 0 {
				t.Fatalf("%v and %v: %v is too small", a, b, c.got)
			}
			if slack := exact().Mul(c.want, big.NewFloat(1+1e-15)); value(c.got).Cmp(slack) > 0 {
				t.Fatalf("%v and %v: %v is too large", a, b, c.got)
			}
		}
		if a.Less(b) != (x.Cmp(y) < 0) {
			t.Fatalf("%v < %v is wrong", a, b)
		}
		if f := a.Float(); !math.IsInf(f, 1) && new(big.Float).SetPrec(2000).SetFloat64(f).Cmp(x) < 0 {
			t.Fatalf("%v as a double is %v", a, f)
		}
		if exact().SetMantExp(big.NewFloat(1), int(a.Exp())).Cmp(x) < 0 {
			t.Fatalf("%v is more than 2^%d", a, a.Exp())
		}
	})
}

// TestKinds checks what structural zeros, computed zeros and unknown
// coefficients do to one another: Note [Coefficients].
func TestKinds(t *testing.T) {
	a := doubles()
	zero, computed, unknown := a.Zero(), a.Float(0), a.Unknown()
	for _, c := range []struct {
		name          string
		got           Jet
		known, isZero bool
	}{
		{"0 · ⊥ for a structural zero", a.Mul(zero, unknown), true, true},
		{"0 · ⊥ for a computed one", a.Mul(computed, unknown), false, false},
		{"0 + ⊥", a.Add(zero, unknown), false, false},
		{"0 - 1", a.Sub(zero, a.One()), true, false},
		{"0 / 0", a.Quo(zero, computed), false, false},
		{"structural zero / 2", a.Quo(zero, a.Float(2)), true, true},
		{"plain zero · ⊥", a.Mul(a.Plain(zero), unknown), false, false},
		{"max of ⊥", a.Max(unknown, a.One()), false, false},
	} {
		if c.got.Known() != c.known || c.got.IsZero() != c.isZero {
			t.Errorf("%s: known %v, structural zero %v", c.name, c.got.Known(), c.got.IsZero())
		}
	}
	x := a.Var(1, 3, a.Float(2), a.One())
	if square := a.Mul(x, x); square.Degree(1) != 2 {
		t.Errorf("x² has degree %d", square.Degree(1))
	}
	if third := a.Coeff(a.Mul(x, x), 1, 3); !third.IsZero() {
		t.Error("the third coefficient of x² is computed")
	}
}

// TestFloor: variables below the floor cost nothing and leave no trace.
func TestFloor(t *testing.T) {
	a := doubles()
	outer := a.Var(1, 1, a.Float(2), a.One())
	a.Floor = 2
	inner := a.Var(2, 1, outer, outer)
	for _, y := range []Jet{inner, a.Mul(inner, outer), a.Add(outer, outer), a.Sin(outer), a.Exp(inner), a.PowInt(inner, 3)} {
		if y.Has(1) {
			t.Error("the ignored variable is still there")
		}
	}
	if !a.Mul(inner, outer).Has(2) {
		t.Error("the variable above the floor is gone")
	}
}

// TestParts: a jet is the sum of its homogeneous parts.
func TestParts(t *testing.T) {
	a := doubles()
	x := a.Var(1, 2, a.Float(0.5), a.One())
	y := a.Var(2, 2, a.Float(0.25), a.Float(3))
	z := a.Exp(a.Mul(a.Sin(x), y))
	sum := a.Zero()
	for n := range 5 {
		part := a.Part(z, n)
		a.Each(part, func(degree int, _ Set, _ bool) bool {
			if degree != n {
				t.Errorf("part %d has a term of degree %d", n, degree)
			}
			return true
		})
		sum = a.Add(sum, part)
	}
	if difference, ok := a.Intersect(sum, z); !ok || a.Width(difference) != a.Width(z) {
		t.Error("the parts are not the whole")
	}
}

// TestClarkeTower is λS §4.3.2: at a tie the first derivatives lie in the hull, mixed and
// higher ones are unknown, and variables that neither side depends on stay absent.
func TestClarkeTower(t *testing.T) {
	a := doubles()
	x := a.Var(1, 2, a.Float(0), a.One())
	y := a.Var(3, 2, a.Float(0), a.Float(2))
	m := a.Max(x, y)
	if lo, hi := a.N.Ends(a.Coeff(a.Coeff(m, 3, 0), 1, 1).Val()); lo != 0 || hi != 1 {
		t.Errorf("the derivative by x is [%v, %v]", lo, hi)
	}
	if lo, hi := a.N.Ends(a.Coeff(m, 3, 1).Val()); lo != 0 || hi != 2 {
		t.Errorf("the derivative by y is [%v, %v]", lo, hi)
	}
	for _, c := range []Jet{a.Coeff(m, 3, 2), a.Coeff(a.Coeff(m, 3, 1), 1, 1), a.Coeff(a.Coeff(m, 3, 0), 1, 2)} {
		if c.Known() {
			t.Error("a second derivative at a tie is known")
		}
	}
	if m.Has(2) {
		t.Error("a variable came from nowhere")
	}
}
