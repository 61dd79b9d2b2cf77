package prim_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// anyInt draws integers of all sizes, the ends of the range often.
var anyInt = rapid.OneOf(
	rapid.Int64(),
	rapid.Int64Range(-20, 20),
	rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64, math.MaxInt64 - 1, 1 << 31, 1 << 32, -1 << 32, 3037000499, 3037000500}),
)

// agrees checks a result of 64-bit arithmetic against the unbounded one, nil
// for a division by zero.
func agrees(t *rapid.T, got int64, code diag.Code, want *big.Int) {
	t.Helper()
	switch {
	case want == nil:
		if code != diag.DivisionByZero {
			t.Fatalf("code %q, want a division by zero", code)
		}
	case !want.IsInt64():
		if code != diag.IntOverflow {
			t.Fatalf("%d, code %q, want an overflow", got, code)
		}
	case code != "" || got != want.Int64():
		t.Fatalf("%d, code %q, want %d", got, code, want)
	}
}

// TestIntegers compares the Int column with unbounded integers.
func TestIntegers(t *testing.T) {
	floorDiv := func(a, b *big.Int) (q, m *big.Int) {
		if b.Sign() == 0 {
			return nil, nil
		}
		q, m = new(big.Int).QuoRem(a, b, new(big.Int))
		if m.Sign() != 0 && m.Sign() != b.Sign() {
			q.Sub(q, big.NewInt(1))
			m.Add(m, b)
		}
		return q, m
	}
	binary := map[string]func(a, b *big.Int) *big.Int{
		"+":   func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) },
		"-":   func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) },
		"*":   func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
		"max": func(a, b *big.Int) *big.Int { return map[bool]*big.Int{true: a, false: b}[a.Cmp(b) > 0] },
		"min": func(a, b *big.Int) *big.Int { return map[bool]*big.Int{true: a, false: b}[a.Cmp(b) < 0] },
		"div": func(a, b *big.Int) *big.Int { q, _ := floorDiv(a, b); return q },
		"mod": func(a, b *big.Int) *big.Int { _, m := floorDiv(a, b); return m },
		"mix": func(a, b *big.Int) *big.Int { return splitMix(a, b) },

		"bitAnd": func(a, b *big.Int) *big.Int { return new(big.Int).And(a, b) },
		"bitOr":  func(a, b *big.Int) *big.Int { return new(big.Int).Or(a, b) },
		"bitXor": func(a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) },
	}
	unary := map[string]func(a *big.Int) *big.Int{
		"neg": func(a *big.Int) *big.Int { return new(big.Int).Neg(a) },
		"abs": func(a *big.Int) *big.Int { return new(big.Int).Abs(a) },
	}
	order := map[string]func(c int) bool{
		"==": func(c int) bool { return c == 0 }, "!=": func(c int) bool { return c != 0 },
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	}
	each(t, func(t *testing.T, row *prim.Prim) {
		property.Check(t, func(t *rapid.T) {
			a, b := anyInt.Draw(t, "a"), anyInt.Draw(t, "b")
			switch f := row.Int.(type) {
			case prim.Int1:
				if reference := unary[row.Name]; reference != nil {
					got, code := f(a)
					agrees(t, got, code, reference(big.NewInt(a)))
				}
			case prim.Int2:
				if reference := binary[row.Name]; reference != nil { // ^ and shifts have tests of their own
					got, code := f(a, b)
					agrees(t, got, code, reference(big.NewInt(a), big.NewInt(b)))
				}
			case prim.IntCompare:
				if f(a, b) != order[row.Name](big.NewInt(a).Cmp(big.NewInt(b))) {
					t.Fatal("wrong")
				}
			case nil:
			default:
				t.Fatalf("the Int column is a %T", f)
			}
		})
	})
}

// splitMix returns the output of SplitMix64 at a position, over integers modulo 2^64.
func splitMix(seed, n *big.Int) *big.Int {
	modulus := new(big.Int).Lsh(big.NewInt(1), 64)
	number := func(hex string) *big.Int { x, _ := new(big.Int).SetString(hex, 16); return x }
	// scramble is (z xor z / 2^shift) factor modulo 2^64.
	scramble := func(z *big.Int, shift uint, factor *big.Int) *big.Int {
		z = new(big.Int).Xor(z, new(big.Int).Rsh(z, shift))
		z.Mul(z, factor)
		return z.Mod(z, modulus)
	}
	z := new(big.Int).Add(n, big.NewInt(1))
	z.Mul(z, number("9e3779b97f4a7c15"))
	z.Add(z, seed)
	z.Mod(z, modulus)
	z = scramble(z, 30, number("bf58476d1ce4e5b9"))
	z = scramble(z, 27, number("94d049bb133111eb"))
	z = scramble(z, 31, big.NewInt(1))
	if z.Bit(63) == 1 {
		z.Sub(z, modulus)
	}
	return z
}

// TestMix compares the generator with the outputs of its published program
// for the seeds 1234567 and 0.
func TestMix(t *testing.T) {
	mix := prim.Lookup("mix").Int.(prim.Int2)
	known := map[int64][]uint64{
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821},
		0:       {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec},
	}
	for seed, outputs := range known {
		for n, want := range outputs {
			if got, _ := mix(seed, int64(n)); uint64(got) != want {
				t.Errorf("seed %d, position %d: %d, want %d", seed, n, uint64(got), want)
			}
		}
	}
}

// TestIntegerPower compares Int powers with unbounded ones.
func TestIntegerPower(t *testing.T) {
	power := prim.Lookup("^").Int.(prim.Int2)
	property.Check(t, func(t *rapid.T) {
		a := anyInt.Draw(t, "a")
		n := rapid.OneOf(rapid.Int64Range(-3, 70), anyInt).Draw(t, "n")
		got, code := power(a, n)
		switch {
		case n < 0:
			if code != diag.NegativeExponent {
				t.Fatalf("code %q", code)
			}
		case n > 100 && a != 0 && a != 1 && a != -1:
			agrees(t, got, code, new(big.Int).Lsh(big.NewInt(1), 64))
		default:
			if n > 100 {
				n = 100 + n%2 // the powers of 0, 1 and -1 depend on parity only
			}
			agrees(t, got, code, new(big.Int).Exp(big.NewInt(a), big.NewInt(n), nil))
		}
	})
}

// TestRounding checks the four ways to an Int at ties and at the ends.
func TestRounding(t *testing.T) {
	const fails = math.MaxInt64
	cases := []struct {
		x                         float64
		floor, ceil, round, trunc int64
	}{
		{2.5, 2, 3, 2, 2}, {3.5, 3, 4, 4, 3}, {-2.5, -3, -2, -2, -2}, {-0.5, -1, 0, 0, 0}, {0.49999999999999994, 0, 1, 0, 0},
		{7, 7, 7, 7, 7}, {math.Copysign(0, -1), 0, 0, 0, 0}, {5e-324, 0, 1, 0, 0}, {-5e-324, -1, 0, 0, 0},
		{-0x1p63, math.MinInt64, math.MinInt64, math.MinInt64, math.MinInt64}, {0x1p62, 1 << 62, 1 << 62, 1 << 62, 1 << 62},
		{0x1p63, fails, fails, fails, fails}, {-0x1.0000000000001p63, fails, fails, fails, fails}, {math.NaN(), fails, fails, fails, fails},
		{math.Inf(1), fails, fails, fails, fails}, {math.Inf(-1), fails, fails, fails, fails},
	}
	for _, c := range cases {
		for name, want := range map[string]int64{"floor": c.floor, "ceil": c.ceil, "round": c.round, "trunc": c.trunc} {
			got, code := prim.Lookup(name).Float.(prim.ToInt)(c.x)
			if want == fails {
				if code != diag.NoInt {
					t.Errorf("%s %v: %d, code %q", name, c.x, got, code)
				}
			} else if got != want || code != "" {
				t.Errorf("%s %v: %d, code %q, want %d", name, c.x, got, code, want)
			}
		}
	}
}
