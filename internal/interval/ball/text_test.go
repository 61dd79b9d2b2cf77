package ball

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

func TestText(t *testing.T) {
	third := new(Ball).Quo(FromInt64(1), FromInt64(3), 60)
	for _, c := range []struct {
		x        *Ball
		iv, pm   string
		decimals int
	}{
		{FromInt64(0), "[0, 0]", "0", 20},
		{FromFloat64(0.1), "[0.1000000000000000055511151231257827021181583404541015625, 0.1000000000000000055511151231257827021181583404541015625]", "0.1000000000000000055511151231257827021181583404541015625", 60},
		{FromFloat64(-2.5), "[-2.5, -2.5]", "-2.5", 20},
		{FromFloat64(1e300), "[1.000000000e300, 1.000000001e300]", "1.000000000e300 ± 1e291", 10},
		{FromFloat64(-1e-300), "[-1.000000001e-300, -1.000000000e-300]", "-1.000000001e-300 ± 1e-309", 10},
		{third, "[0.33333333333333333217, 0.33333333333333333392]", "0.33333333333333333304 ± 8.8e-19", 60},
		{FromFloat64s(1, 2), "[1.00, 2.00]", "1.50 ± 0.50", 20},
		{FromFloat64s(-1, 3), "[-1.0, 3.0]", "1.0 ± 2.0", 20},
		{new(Ball).SetEmpty(), "[empty]", "[empty]", 20},
		{new(Ball).SetWhole(), "[entire]", "[entire]", 20},
	} {
		if s := c.x.Interval(c.decimals); s != c.iv {
			t.Errorf("got %s want %s", s, c.iv)
		}
		if s := c.x.PlusMinus(c.decimals); s != c.pm {
			t.Errorf("got %s want %s", s, c.pm)
		}
	}
}

// TestTextEncloses: what is written encloses, and is not much wider.
func TestTextEncloses(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for i := range 4000 {
		p := 10 + r.Intn(200)
		x := randBall(r, p, -100, 100)
		if i%10 == 0 {
			x.Mul2(x, int64(r.Intn(1<<40)-1<<39))
		}
		digits := 1 + r.Intn(80)
		for _, s := range []string{x.Interval(digits), x.PlusMinus(digits)} {
			y, err := Parse(s, uint(p)+300)
			if err != nil {
				t.Fatal(err)
			}
			if !y.Contains(x) {
				t.Fatalf("%s with %d digits does not enclose %.100v", s, digits, x)
			}
			limit := x.rad.add(x.rad.shl(-1)).add(magInt(&x.man, x.exp).add(x.rad).mul(pow10mag(2 - digits)))
			if y.rad.cmp(limit) > 0 {
				t.Fatalf("%s with %d digits is too wide for %.100v", s, digits, x)
			}
		}
	}
}

func pow10mag(n int) mag {
	var z Ball
	z.Exp10(FromInt64(int64(n)), 64)
	return magInt(&z.man, z.exp).add(z.rad)
}

func TestParse(t *testing.T) {
	for s, want := range map[string]*big.Rat{
		"0.1": big.NewRat(1, 10), "-12.5e-3": big.NewRat(-1, 80), "1e3": big.NewRat(1000, 1), "+7": big.NewRat(7, 1), ".5": big.NewRat(1, 2), "5.": big.NewRat(5, 1),
		"[0.1]": big.NewRat(1, 10), "1 ± 0.5": big.NewRat(3, 2), "1 +/- 0.5": big.NewRat(1, 2), "[1, 2]": big.NewRat(5, 3),
	} {
		z, err := Parse(s, 80)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		if w := FromRat(want, 200); !z.Overlaps(w) {
			t.Errorf("%s: %v", s, z)
		}
	}
	for _, s := range []string{"", "x", "1e", "e5", "1..2", "[1, 2", "[2, 1]", "1 ± -1", "0x10", "1e99999999999999999999", "--1", "[1,2,3]", "."} {
		if z, err := Parse(s, 80); err == nil {
			t.Errorf("%q was read as %v", s, z)
		}
	}
	if z, err := Parse("0.5", 10); err != nil || !z.IsExact() {
		t.Error("0.5 is dyadic and must be exact")
	}
}

func TestFloat64s(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	for range 20000 {
		f := math.Float64frombits(r.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		if lo, hi := FromFloat64(f).Float64s(); lo != f || hi != f {
			t.Fatal(f, lo, hi)
		}
		x := FromFloat64(f)
		x.rad = magPow2(-5000)
		if lo, hi := x.Float64s(); lo != math.Nextafter(f, math.Inf(-1)) || hi != math.Nextafter(f, math.Inf(1)) {
			t.Fatal(f, lo, hi)
		}
		g := math.Nextafter(f, math.Inf(1))
		if math.IsInf(g, 0) {
			continue
		}
		m := new(Ball).Add(FromFloat64(f), FromFloat64(g), 3000) // between two doubles
		m.Mul2(m, -1)
		if lo, hi := m.Float64s(); lo != f || hi != g {
			t.Fatal(f, g, lo, hi)
		}
		if x := FromFloat64s(f, g); !x.Contains(FromFloat64(f)) || !x.Contains(FromFloat64(g)) {
			t.Fatal("FromFloat64s", f, g)
		}
	}
	for _, c := range []struct {
		x      *Ball
		lo, hi float64
	}{
		{new(Ball).SetDyadic(intOne, 5000), math.MaxFloat64, math.Inf(1)},
		{new(Ball).SetDyadic(big.NewInt(-1), 5000), math.Inf(-1), -math.MaxFloat64},
		{new(Ball).SetDyadic(intOne, -5000), 0, 5e-324},
		{new(Ball).SetDyadic(big.NewInt(-1), -5000), -5e-324, 0},
		{new(Ball).SetWhole(), math.Inf(-1), math.Inf(1)},
	} {
		if lo, hi := c.x.Float64s(); lo != c.lo || hi != c.hi || math.Signbit(hi) && hi == 0 {
			t.Errorf("%v: %g %g", c.x, lo, hi)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1", "-0.1e5", "[1, 2]", "[empty]", "1.5 ± 0.25", "1e-400", "[ -1 , 1e3]", "0.1 +/- 1e-30", "1e99999"} {
		f.Add(s, uint16(64))
	}
	f.Fuzz(func(t *testing.T, s string, p uint16) {
		prec := uint(p%2000) + 2
		x, err := Parse(s, prec)
		if err != nil {
			return
		}
		for _, text := range []string{x.Interval(30), x.PlusMinus(30)} {
			y, err := Parse(text, prec+200)
			if err != nil {
				t.Fatalf("%q was written as %q: %v", s, text, err)
			}
			if !y.Contains(x) {
				t.Fatalf("%q was written as %q, which does not enclose it", s, text)
			}
		}
	})
}

func FuzzPrint(f *testing.F) {
	f.Add(int64(1), int64(0), uint32(0), int64(0), uint8(10))
	f.Add(int64(-12345678901), int64(-77), uint32(3), int64(-60), uint8(3))
	f.Add(int64(5), int64(1<<40), uint32(1), int64(-1<<40), uint8(60))
	f.Fuzz(func(t *testing.T, m, e int64, rm uint32, re int64, digits uint8) {
		x := new(Ball).SetDyadic(big.NewInt(m), e%(1<<50))
		x.AddRad(x, new(Ball).SetDyadic(big.NewInt(int64(rm)), re%(1<<50)))
		if !x.IsFinite() {
			return
		}
		for _, text := range []string{x.Interval(int(digits)), x.PlusMinus(int(digits))} {
			y, err := Parse(text, 2000)
			if err != nil || !y.Contains(x) {
				t.Fatalf("%v ± %v was written as %q", x.man.String(), x.rad, text)
			}
		}
	})
}
