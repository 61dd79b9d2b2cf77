package ball

import (
	"math/big"
	"math/rand"
	"testing"
)

func TestIntegerRoots(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var rt rooter
	for range 30000 {
		n := r.Intn(1100) + 1
		x := new(big.Int).Rand(r, new(big.Int).Lsh(intOne, uint(n)))
		if r.Intn(3) == 0 {
			x.Lsh(intOne, uint(n))
			x.Sub(x, big.NewInt(int64(r.Intn(3))))
		}
		if r.Intn(3) == 0 {
			x.Mul(x, x)
			x.Sub(x, big.NewInt(int64(r.Intn(3))))
			x.Abs(x)
		}
		var s, rem, e big.Int
		rt.floor(&s, x)
		e.Sqrt(x)
		if e.Cmp(&s) != 0 {
			t.Fatal(x, &s, &e)
		}
		if x.Sign() == 0 {
			continue
		}
		x.Lsh(x, rootShift(uint(x.BitLen())))
		rt.rootRem(&s, &rem, x)
		e.Sqrt(x)
		if e.Cmp(&s) != 0 {
			t.Fatal(x, &s, &e)
		}
		if e.Sub(x, e.Mul(&e, &e)).Cmp(&rem) != 0 {
			t.Fatal("remainder", x, &rem, &e)
		}
	}
}

// TestIdentities: identities between the basic functions hold as overlaps of narrow balls.
func TestIdentities(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for i := range 4000 {
		p := uint(20 + r.Intn(300))
		if i%50 == 0 {
			p = uint(1000 + r.Intn(3000))
		}
		x := new(Ball)
		x.man.Rand(r, new(big.Int).Lsh(intOne, uint(r.Intn(int(p))+1)))
		x.man.Add(&x.man, intOne)
		x.exp = int64(-x.man.BitLen() + r.Intn(30) - 15)
		if r.Intn(2) == 0 {
			x.Neg(x)
		}
		var e, l, s, c, u, v Ball
		e.Exp(x, p)
		l.Log(&e, p)
		if !l.Contains(x) {
			t.Fatal("log exp", p, x)
		}
		if l.RelBits(1000000) < int64(p)-40 && x.top() > -15 && x.top() < 2 {
			t.Fatal("log exp too wide", p, l.RelBits(10000), x.man.String(), x.exp)
		}
		SinCos(&s, &c, x, p)
		if s.RelBits(100000) < int64(p)-4 || c.RelBits(100000) < int64(p)-6 {
			t.Fatal("sin too wide")
		}
		u.Sqr(&s, p)
		v.Sqr(&c, p)
		u.Add(&u, &v, p)
		if !u.Contains(FromInt64(1)) {
			t.Fatal("sin²+cos²", p, x.man.String(), x.exp, u.man.String(), u.exp)
		}
		if u.RelBits(1000000) < int64(p)-6 {
			t.Fatal("sin²+cos² wide")
		}
		u.Atan(x, p)
		if u.RelBits(1000000) < int64(p)-6 {
			t.Fatal("atan too wide")
		}
		SinCos(&s, &c, &u, p)
		s.Quo(&s, &c, p)
		if !s.Contains(x) {
			t.Fatal("tan atan", p, x.man.String(), x.exp, s.man.String(), s.exp)
		}
		u.Abs(x)
		v.Sqrt(&u, p)
		v.Sqr(&v, p)
		if !v.Contains(&u) {
			t.Fatal("sqrt")
		}
	}
}
