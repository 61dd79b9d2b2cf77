package ball

import (
	"math/big"
	"math/bits"
	"sync"
	"sync/atomic"
)

// Note [Constants]
//
// A constant is kept as one fixed-point integer at the highest precision that was
// ever asked for (rounded up, so that rising demands cost a geometric series).
// Readers take an immutable snapshot; the lock only keeps two from computing the
// same thing. The stored integer c with P fractional bits obeys |c − C·2^P| < 1,
// so that cut to w < P bits it is within 2 units, which is what fixed promises.

// A constant is a lazily computed real; see Note [Constants].
type constant struct {
	mu      sync.Mutex
	value   atomic.Pointer[constValue]
	compute func(z *big.Int, w uint) // z within 2^16 units of C·2^w
}

type constValue struct {
	c big.Int
	w uint
}

const constGuard = 32

// fixed sets z to the constant with w fractional bits, within 2 units.
func (k *constant) fixed(z *big.Int, w uint) {
	v := k.at(w)
	z.Rsh(&v.c, v.w-w)
}

func (k *constant) at(w uint) *constValue {
	if v := k.value.Load(); v != nil && v.w >= w {
		return v
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if v := k.value.Load(); v != nil && v.w >= w {
		return v
	}
	// A power of two or one and a half times one.
	p := max(uint(512), uint(1)<<bits.Len(w-1))
	if p/4*3 >= w {
		p = p / 4 * 3
	}
	v := &constValue{w: p}
	k.compute(&v.c, p+constGuard)
	v.c.Rsh(&v.c, constGuard)
	k.value.Store(v)
	return v
}

// ball sets z to the constant, with prec bits.
func (k *constant) ball(z *Ball, prec uint) *Ball {
	w := max(prec, 2) + 8
	k.fixed(&z.man, w)
	z.exp, z.rad, z.kind, z.part = -int64(w), magUp(2, -int64(w)), finite, false
	return z.finish(prec)
}

var (
	constPi  = constant{compute: computePi}
	constLn2 = constant{compute: computeLn2}
	constE   = constant{compute: computeE}
)

// Pi sets z to π.
func (z *Ball) Pi(prec uint) *Ball { return constPi.ball(z, prec) }

// E sets z to Euler's number e.
func (z *Ball) E(prec uint) *Ball { return constE.ball(z, prec) }

// Ln2 sets z to the natural logarithm of 2.
func (z *Ball) Ln2(prec uint) *Ball { return constLn2.ball(z, prec) }

// Note [Binary splitting]
//
// A series of rationals whose consecutive terms have simple ratios is summed
// exactly, as one fraction, by splitting its range in halves: integers of balanced
// size meet in products, where fast multiplication pays. Error arises only in
// the tail cut off and in the final division.

// computePi uses Chudnovsky's series,
//
//	1/π = 12 Σ (−1)^k (6k)! (13591409 + 545140134k) / ((3k)! (k!)³ 640320^(3k+3/2)),
//
// whose terms alternate in sign and fall by more than 2^47 each, so that the tail is less than
// the first term left out. The root and the quotient are cut at w + 16 bits.
func computePi(z *big.Int, w uint) {
	n := int64(w+16)/47 + 2
	_, q, t := chudnovsky(0, n)
	// π = 426880·√10005·q / t
	u := w + 16
	var s, r big.Int
	var rt rooter
	s.Lsh(big.NewInt(10005), 2*u)
	rt.floor(&r, &s)
	r.Mul(&r, q)
	r.Mul(&r, big.NewInt(426880))
	z.Quo(&r, t)
	z.Rsh(z, 16)
}

func chudnovsky(a, b int64) (p, q, t *big.Int) {
	if b-a == 1 {
		if a == 0 {
			return big.NewInt(1), big.NewInt(1), big.NewInt(13591409)
		}
		p = big.NewInt(6*a - 5)
		p.Mul(p, big.NewInt(2*a-1))
		p.Mul(p, big.NewInt(6*a-1))
		p.Neg(p)
		q = big.NewInt(a)
		q.Mul(q, q)
		q.Mul(q, big.NewInt(a))
		q.Mul(q, big.NewInt(10939058860032000)) // 640320³/24
		t = new(big.Int).Mul(p, big.NewInt(13591409+545140134*a))
		return p, q, t
	}
	m := (a + b) / 2
	p1, q1, t1 := chudnovsky(a, m)
	p2, q2, t2 := chudnovsky(m, b)
	t1.Mul(t1, q2)
	t2.Mul(t2, p1)
	t1.Add(t1, t2)
	return p1.Mul(p1, p2), q1.Mul(q1, q2), t1
}

// computeLn2 uses ln 2 = 18 atanh(1/26) − 2 atanh(1/4801) + 8 atanh(1/8749).
func computeLn2(z *big.Int, w uint) {
	var t big.Int
	atanhRecip(z, 26, w)
	z.Mul(z, big.NewInt(18))
	atanhRecip(&t, 4801, w)
	t.Lsh(&t, 1)
	z.Sub(z, &t)
	atanhRecip(&t, 8749, w)
	t.Lsh(&t, 3)
	z.Add(z, &t)
}

// atanhRecip sets z to 2^w·atanh(1/n), within 2 units: Σ 1/((2k+1) n^(2k+1)) is cut
// where n^(-2k) < 2^-w.
func atanhRecip(z *big.Int, n int64, w uint) {
	terms := int64(w)/int64(2*(bits.Len64(uint64(n))-1)) + 1
	b, q, t := atanhSplit(0, terms, big.NewInt(n*n))
	t.Mul(t, big.NewInt(n))
	t.Lsh(t, w)
	z.Quo(t, b.Mul(b, q))
}

// atanhSplit returns t/(b·q) = Σ_{a≤k<c} n2^-(k-a+1)/(2k+1).
func atanhSplit(a, c int64, n2 *big.Int) (b, q, t *big.Int) {
	if c-a == 1 {
		return big.NewInt(2*a + 1), new(big.Int).Set(n2), big.NewInt(1)
	}
	m := (a + c) / 2
	b1, q1, t1 := atanhSplit(a, m, n2)
	b2, q2, t2 := atanhSplit(m, c, n2)
	t1.Mul(t1, b2)
	t1.Mul(t1, q2)
	t2.Mul(t2, b1)
	t1.Add(t1, t2)
	return b1.Mul(b1, b2), q1.Mul(q1, q2), t1
}

// computeE sums 1/k! up to a k with k! > 2^w; the tail is less than 2/k!.
func computeE(z *big.Int, w uint) {
	n, lg := int64(1), uint(0)
	for lg <= w+2 {
		n++
		lg += uint(bits.Len64(uint64(n)) - 1)
	}
	p, q := eSplit(0, n)
	z.Lsh(p, w)
	z.Quo(z, q)
	z.Add(z, new(big.Int).Lsh(intOne, w))
}

// eSplit returns p/q = Σ_{a<k≤b} a!/k!.
func eSplit(a, b int64) (p, q *big.Int) {
	if b-a == 1 {
		return big.NewInt(1), big.NewInt(b)
	}
	m := (a + b) / 2
	p1, q1 := eSplit(a, m)
	p2, q2 := eSplit(m, b)
	p1.Mul(p1, q2)
	p1.Add(p1, p2)
	return p1, q1.Mul(q1, q2)
}
