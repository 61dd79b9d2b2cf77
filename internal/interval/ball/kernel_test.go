package ball

import (
	"math/big"
	"math/rand"
	"testing"
)

// TestErrorCounters: the error counters of the fixed-point kernels, asserted directly: a kernel
// with w bits against itself with 80 more, in units 2^-w. Containment tests would not notice a
// counter that is exceeded by a little.
func TestErrorCounters(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	kernels := []struct {
		name  string
		limit int64
		top   int64 // arguments are below top/100
		low   int64
		run   func(sc *scratch, z, x *big.Int, w uint)
	}{
		{"expm1", expErr, 74, 0, func(sc *scratch, z, x *big.Int, w uint) { sc.expm1Fixed(z, x, w) }},
		{"exp", expErr, 74, 0, func(sc *scratch, z, x *big.Int, w uint) { sc.expFixed(z, x, w) }},
		{"sin", sinErr, 78, 0, func(sc *scratch, z, x *big.Int, w uint) { sc.sinCosFixed(z, &sc.a, x, w) }},
		{"versine", sinErr, 78, 0, func(sc *scratch, z, x *big.Int, w uint) { sc.sinCosFixed(nil, z, x, w) }},
		{"log", logErr, 149, 75, func(sc *scratch, z, x *big.Int, w uint) { sc.logFixed(z, x, w, w) }},
		{"atan", atanErr, 100, 0, func(sc *scratch, z, x *big.Int, w uint) { sc.atanFixed(z, x, w, w) }},
		{"series of exp", seriesErr, 25, 0, func(sc *scratch, z, x *big.Int, w uint) { sc.sumFactorial(z, x, w, divExp, false, 1) }},
		{"series of cos", seriesErr, 25, 0, func(sc *scratch, z, x *big.Int, w uint) { sc.sumFactorial(z, x, w, divCos, true, 1) }},
		{"series of sin", seriesErr, 25, 0, func(sc *scratch, z, x *big.Int, w uint) { sc.sumFactorial(z, x, w, divSin, true, 0) }},
		{"series of erf", seriesErr, 25, 0, func(sc *scratch, z, x *big.Int, w uint) { sc.sumFactorial(z, x, w, divErf, false, 0) }},
	}
	for _, k := range kernels {
		worst := new(big.Int)
		for i := range 1500 {
			w := uint(16 + r.Intn(400))
			if i%50 == 0 {
				w = uint(1000 + r.Intn(3000))
			}
			x := new(big.Int).Rand(r, new(big.Int).Lsh(big.NewInt(k.top-k.low), w))
			x.Add(x, new(big.Int).Lsh(big.NewInt(k.low), w))
			x.Quo(x, big.NewInt(100))
			if k.low == 0 && i%3 == 0 {
				x.Rsh(x, uint(r.Intn(int(w))))
			}
			sc := getScratch()
			var z, ref, xs big.Int
			k.run(sc, &z, x, w)
			xs.Lsh(x, 80)
			k.run(sc, &ref, &xs, w+80)
			sc.put()
			z.Lsh(&z, 80)
			z.Sub(&z, &ref)
			z.Abs(&z)
			if z.Cmp(worst) > 0 {
				worst.Set(&z)
			}
		}
		units, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(worst), -80).Float64()
		if units > float64(k.limit) {
			t.Errorf("%s errs by %.2f units, bound %d", k.name, units, k.limit)
		}
		t.Logf("%-14s errs by %6.2f units at most, bound %d", k.name, units, k.limit)
	}
}

// TestConstants: the cached constants agree with fresh ones of other precisions.
func TestConstants(t *testing.T) {
	for name, c := range map[string]*constant{"pi": &constPi, "ln 2": &constLn2, "e": &constE, "ln 10": &constLn10, "gamma": &constGamma} {
		for _, w := range []uint{60, 333, 1000, 2500} {
			var a, b, d big.Int
			c.compute(&a, w)
			c.compute(&b, w+100)
			d.Sub(d.Rsh(&b, 100), &a)
			if d.Abs(&d).BitLen() > 16 {
				t.Errorf("%s with %d bits is off by %v units", name, w, &d)
			}
			c.fixed(&a, w)
			d.Sub(d.Rsh(&b, 100), &a)
			if d.Abs(&d).Cmp(big.NewInt(2)) > 0 {
				t.Errorf("cached %s with %d bits is off by %v units", name, w, &d)
			}
		}
	}
}

// TestMag: bounds are on the right side, and within a relative 2^-30.
func TestMag(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	rat := func(a mag) *big.Rat {
		z := new(big.Rat).SetInt(new(big.Int).SetUint64(a.m))
		f := new(big.Rat).SetInt(new(big.Int).Lsh(intOne, uint(max(a.e, -a.e))))
		if a.e < 0 {
			return z.Quo(z, f)
		}
		return z.Mul(z, f)
	}
	eps := big.NewRat(1, 1<<30)
	check := func(op string, got mag, want *big.Rat, up bool) {
		t.Helper()
		g := rat(got)
		if g.Cmp(want) < 0 && up || g.Cmp(want) > 0 && !up {
			t.Fatalf("%s on the wrong side: %v for %v", op, g, want)
		}
		d := new(big.Rat).Sub(g, want)
		if d.Abs(d).Cmp(new(big.Rat).Mul(want, eps)) > 0 {
			t.Fatalf("%s too far: %v for %v", op, g, want)
		}
	}
	for range 20000 {
		a := magUp(r.Uint64()>>uint(r.Intn(64)), int64(r.Intn(100)-50))
		b := magUp(r.Uint64()>>uint(r.Intn(64))|1, int64(r.Intn(100)-50))
		ra, rb := rat(a), rat(b)
		check("add", a.add(b), new(big.Rat).Add(ra, rb), true)
		check("addLow", addLow(a, b), new(big.Rat).Add(ra, rb), false)
		check("mul", a.mul(b), new(big.Rat).Mul(ra, rb), true)
		check("mulLow", a.mulLow(b), new(big.Rat).Mul(ra, rb), false)
		check("div", a.div(b), new(big.Rat).Quo(ra, rb), true)
		if a.cmp(b) != ra.Cmp(rb) {
			t.Fatal("cmp")
		}
		if a.cmp(b) > 0 {
			d := new(big.Rat).Sub(ra, rb)
			if g := rat(a.subLow(b)); g.Cmp(d) > 0 {
				t.Fatal("subLow")
			}
			if g := rat(a.sub(b)); g.Cmp(d) < 0 {
				t.Fatal("sub")
			}
		}
		s := rat(a.sqrt())
		s.Mul(s, s)
		if s.Cmp(ra) < 0 {
			t.Fatal("sqrt")
		}
		x := new(big.Int).Rand(r, new(big.Int).Lsh(intOne, uint(r.Intn(300)+1)))
		check("magInt", magInt(x, 0), new(big.Rat).SetInt(x), true)
		check("magIntLow", magIntLow(x, 0), new(big.Rat).SetInt(x), false)
	}
}

// TestRoundedConstants: numbers written into the code are bounds of what they stand for.
func TestRoundedConstants(t *testing.T) {
	for _, c := range []struct {
		name string
		got  mag
		want *Ball
	}{
		{"1/ln 2", mag{3098164010, -31}, new(Ball).Recip(new(Ball).Ln2(100), 100)},
		{"1/ln 10", mag{3730561194, -33}, new(Ball).Recip(new(Ball).Ln10(100), 100)},
		{"pi/2", mag{3373259427, -31}, new(Ball).Mul2(new(Ball).Pi(100), -1)},
	} {
		got := new(Ball).Rad(&Ball{rad: c.got})
		less := new(Ball).Rad(&Ball{rad: mag{c.got.m - 1, c.got.e}})
		if !c.want.Less(got) || !less.Less(c.want) {
			t.Errorf("%s: %v is not the least upper bound of %v", c.name, got, c.want)
		}
	}
}
