package tier

import (
	"math/big"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// rump evaluates Rump's expression, of which doubles get not even the sign,
// in any tier: 333.75 b^6 + a^2 (11 a^2 b^2 - b^6 - 121 b^4 - 2) + 5.5 b^8 + a/(2b).
func rump[T any](t Tier[T]) T {
	pow := FunInt{
		Double: func(x interval.Interval, n int64) interval.Interval { return interval.Pown(x, int(n)) },
		Multi:  (*ball.Ball).PowInt,
	}
	rat := func(p, q int64) T { return t.Rat(big.NewRat(p, q)) }
	power := func(x T, n int64) T { return t.ApplyInt(pow, x, n) }
	a, b := rat(77617, 1), rat(33096, 1)
	inner := t.Mul(rat(11, 1), t.Mul(power(a, 2), power(b, 2)))
	inner = t.Sub(inner, power(b, 6))
	inner = t.Sub(inner, t.Mul(rat(121, 1), power(b, 4)))
	inner = t.Sub(inner, rat(2, 1))
	sum := t.Add(t.Mul(rat(33375, 100), power(b, 6)), t.Mul(power(a, 2), inner))
	sum = t.Add(sum, t.Mul(rat(55, 10), power(b, 8)))
	return t.Add(sum, t.Quo(a, t.Mul(rat(2, 1), b)))
}

// TestRump runs one program in both tiers: doubles enclose the value widely,
// 200 bits know it.
func TestRump(t *testing.T) {
	const exact = -0.8273960599468213681
	lo, hi := Double{}.Ends(rump[interval.Interval](Double{}))
	if !(lo < exact && exact < hi) {
		t.Errorf("doubles: [%v, %v]", lo, hi)
	}
	lo, hi = Multi{200}.Ends(rump[*ball.Ball](Multi{200}))
	if !(lo <= exact && exact <= hi && hi-lo < 1e-15) {
		t.Errorf("200 bits: [%v, %v]", lo, hi)
	}
}

// TestSets checks what is not arithmetic, in both tiers.
func TestSets(t *testing.T) {
	t.Run("double", func(t *testing.T) { sets[interval.Interval](t, Double{}) })
	t.Run("multi", func(t *testing.T) { sets[*ball.Ball](t, Multi{100}) })
}

func sets[T any](t *testing.T, tier Tier[T]) {
	one, two, three := tier.Float(1), tier.Float(2), tier.Float(3)
	low, high := tier.Hull(one, two), tier.Hull(two, three)
	if lo, hi := tier.Ends(tier.Hull(low, high)); lo > 1 || hi < 3 || lo < 0.99 || hi > 3.01 {
		t.Errorf("the hull is [%v, %v]", lo, hi)
	}
	if lo, hi := tier.Ends(tier.Intersect(low, high)); lo > 2 || hi < 2 {
		t.Errorf("the intersection is [%v, %v]", lo, hi)
	}
	if tier.Less(low, high) || !tier.Less(one, tier.Add(two, tier.Neg(tier.Rat(big.NewRat(1, 2))))) {
		t.Error("the order is wrong")
	}
	if tier.IsEmpty(low) || !tier.IsEmpty(tier.Intersect(one, three)) {
		t.Error("emptiness is wrong")
	}
	if text := tier.String(tier.Sub(three, two)); text == "" {
		t.Error("prints nothing")
	}
}

// TestDoubleIsNotBoxed holds generic code over the double tier to no
// allocation.
func TestDoubleIsNotBoxed(t *testing.T) {
	x := interval.Interval{Lo: 0.1, Hi: 0.2}
	exp := Fun1{Double: interval.Exp, Multi: (*ball.Ball).Exp}
	allocations := testing.AllocsPerRun(100, func() { x = horner[interval.Interval](Double{}, exp, x) })
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func horner[T any](t Tier[T], exp Fun1, x T) T {
	y := t.Float(0.5)
	for range 4 {
		y = t.Sub(t.Mul(y, x), t.Apply1(exp, t.Neg(x)))
	}
	return y
}
