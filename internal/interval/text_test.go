package interval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestString(t *testing.T) {
	for _, c := range []struct {
		x        Interval
		text, pm string
	}{
		{Empty(), "[empty]", "[empty]"},
		{Entire(), "[entire]", "[entire]"},
		{Interval{1, infinity}, "[1, inf]", "[1, inf]"},
		{Interval{-infinity, -0.5}, "[-inf, -0.5]", "[-inf, -0.5]"},
		{Interval{0, 0}, "[0]", "0"},
		{Interval{1, 1}, "[1]", "1"},
		{Interval{-2.5, -2.5}, "[-2.5]", "-2.5"},
		{Interval{0.1, 0.1}, "[0.1, 0.10000000000000001]", "0.1 ± 1e-17"},
		{Interval{1e300, 1e300}, "[1e300, 1.0000000000000001e300]", "1e300 ± 1e284"},
		{Pi(), "[3.14159265358979311, 3.14159265358979357]", "3.14159265358979334 ± 2.3e-16"},
		{Interval{3, 4}, "[3.00, 4.00]", "3.50 ± 0.50"},
		{Interval{-1, 1e6}, "[-10000, 1000000]", "490000 ± 510000"},
		{Interval{1.2345e-9, 1.2346e-9}, "[1.234500e-9, 1.234601e-9]", "1.234550e-9 ± 5.1e-14"},
	} {
		if got := c.x.String(); got != c.text {
			t.Errorf("String of %x is %s, want %s", c.x, got, c.text)
		}
		if got := c.x.PlusMinus(); got != c.pm {
			t.Errorf("PlusMinus of %x is %s, want %s", c.x, got, c.pm)
		}
	}
}

// checkPrinted fails unless both printed forms of x parse to supersets that
// are not much wider.
func checkPrinted(t *testing.T, x Interval) {
	t.Helper()
	for _, s := range []string{x.String(), x.PlusMinus()} {
		y, err := Parse(s)
		if err != nil || !x.Subset(y) || x.IsEmpty() != y.IsEmpty() {
			t.Fatalf("%x printed as %s parses to %x, %v", x, s, y, err)
		}
		if x.IsBounded() && !x.IsEmpty() && y.Width() > 1.5*x.Width()+8*ulpOf(x.Mag()) {
			t.Fatalf("%x printed as %s is much wider: %x", x, s, y)
		}
	}
}

func ulpOf(x float64) float64 {
	if x == math.MaxFloat64 {
		return x - nextDn(x)
	}
	return nextUp(x) - x
}

func TestPrintedEncloses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		checkPrinted(t, randomInterval(r))
	}
}

// randomDouble is any finite double: all exponents alike, sometimes near a
// power of two, sometimes a small integer.
func randomDouble(r *rand.Rand) float64 {
	switch r.IntN(8) {
	case 0:
		return float64(r.IntN(41) - 20)
	case 1:
		x := math.Ldexp(1, r.IntN(2098)-1074)
		for range r.IntN(3) {
			x = nextUp(x)
		}
		for range r.IntN(3) {
			x = nextDn(x)
		}
		if r.IntN(2) == 0 {
			x = -x
		}
		return math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, x))
	case 2:
		return r.NormFloat64()
	}
	for {
		if x := math.Float64frombits(r.Uint64()); x-x == 0 {
			return x
		}
	}
}

func randomInterval(r *rand.Rand) Interval {
	a := randomDouble(r)
	switch r.IntN(6) {
	case 0:
		return Interval{a, a}
	case 1:
		b := a
		for range r.IntN(40) {
			b = nextUp(b)
		}
		return Interval{a, math.Min(b, math.MaxFloat64)}
	case 2:
		b := a * (1 + r.Float64()*math.Ldexp(1, -r.IntN(50)))
		if b-b == 0 {
			return hullOf(a, b)
		}
	case 3:
		if r.IntN(4) == 0 {
			return Interval{a, infinity}
		}
	}
	return hullOf(a, randomDouble(r))
}

func TestFromRat(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		q := big.NewRat(r.Int64N(1<<40)-1<<39, r.Int64N(1<<40)+1)
		v := FromRat(q)
		lo, hi := new(big.Rat).SetFloat64(v.Lo), new(big.Rat).SetFloat64(v.Hi)
		if lo.Cmp(q) > 0 || hi.Cmp(q) < 0 || (v.Lo != v.Hi && nextUp(v.Lo) != v.Hi) || (v.Lo != v.Hi && (lo.Cmp(q) == 0 || hi.Cmp(q) == 0)) {
			t.Fatalf("FromRat(%v) = %x", q, v)
		}
	}
}

// FuzzParse: no text makes Parse panic, and whatever it reads prints and
// parses back to a superset.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"[1, 2]", "3.56?1e2", "[-0x1.3p-1, 2/3]", "1 ± 2e-3", "[,]", "10??u", "[1e400]", "-10?12", "1e-99999", "[ entire ]", "+1/3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, err := Parse(s)
		if err != nil {
			return
		}
		if !x.IsEmpty() && !(x.Lo <= x.Hi && x.Lo < infinity && x.Hi > -infinity) {
			t.Fatalf("Parse(%q) = %x is no interval", s, x)
		}
		checkPrinted(t, x)
	})
}

// FuzzPrint: every interval prints to text that encloses it.
func FuzzPrint(f *testing.F) {
	f.Add(1.0, 2.0)
	f.Add(0.1, 0.1)
	f.Add(-5e-324, math.MaxFloat64)
	f.Fuzz(func(t *testing.T, a, b float64) {
		if x, ok := New(a, b); ok {
			checkPrinted(t, x)
		}
	})
}
