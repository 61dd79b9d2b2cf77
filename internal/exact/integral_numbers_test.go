package exact

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// TestGaussRules: with n nodes the powers of x up to 2n - 1 are integrated exactly, and
// x^2n with exactly the remainder.
func TestGaussRules(t *testing.T) {
	for _, bits := range []uint{60, 200, 1000} {
		m := jet.NewMulti(bits)
		for _, n := range []int{1, 2, 3, 7, 16, 61} {
			r := &gaussRule[*ball.Ball]{remainder: m.Rat(gaussRemainder(n))}
			r.fill(m, n)
			for _, power := range []int64{0, 1, int64(n), int64(2*n - 1), int64(2 * n)} {
				sum := m.Float(0)
				for i, x := range r.nodes {
					sum = m.Add(sum, m.Mul(r.weights[i], new(ball.Ball).PowInt(x, power, bits)))
				}
				if power == int64(2*n) {
					sum = m.Add(sum, r.remainder)
				}
				if !sum.Contains(ball.FromRat(big.NewRat(1, power+1), bits)) && m.Sign(m.Sub(sum, m.Rat(big.NewRat(1, power+1)))) != 0 {
					t.Errorf("%d nodes, %d bits: the integral of x^%d is %v", n, bits, power, sum)
				}
				if jet.Exp2(20 - int64(bits)).Less(m.Width(sum)) {
					t.Errorf("%d nodes, %d bits: the integral of x^%d is %v wide", n, bits, power, m.Width(sum))
				}
			}
			for i := 1; i < n; i++ {
				if !m.Less(r.nodes[i-1], r.nodes[i]) {
					t.Errorf("%d nodes: two are not disjoint", n)
				}
			}
		}
	}
}

// TestGerms evaluates random expressions in u as germs and at points: the value must lie in
// what the germ says there.
func TestGerms(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	const bits = 128
	for range 3000 {
		g := newGerms(bits)
		a := jet.NewAlgebra[*ball.Ball](g)
		points := []float64{1, 0.7, 0.1, 1e-3, 1e-9}
		plain := jet.NewAlgebra[*ball.Ball](jet.NewMulti(400))
		type pair struct {
			germ jet.Jet[*ball.Ball]
			at   []jet.Jet[*ball.Ball]
		}
		w, base := float64(1+random.IntN(4)), float64(random.IntN(3)-1)
		var pool []pair
		x := pair{}
		switch {
		case random.IntN(3) == 0: // towards infinity
			x.germ = a.Const(g.make(ball.FromFloat64(w), -grain, nil))
			for _, u := range points {
				x.at = append(x.at, plain.Quo(plain.Float(w), plain.Float(u)))
			}
		default:
			var k *ball.Ball
			if base != 0 {
				k = ball.FromFloat64(base)
			}
			x.germ = a.Const(g.make(ball.FromFloat64(w), grain, k))
			for _, u := range points {
				x.at = append(x.at, plain.Add(plain.Float(base), plain.Mul(plain.Float(w), plain.Float(u))))
			}
		}
		constant := func(c float64) pair {
			p := pair{germ: a.Float(c)}
			for range points {
				p.at = append(p.at, plain.Float(c))
			}
			return p
		}
		pool = append(pool, x, constant(1), constant(-0.5), constant(float64(random.IntN(5))))
		for range 6 {
			p, q := pool[random.IntN(len(pool))], pool[random.IntN(len(pool))]
			if random.IntN(2) == 0 {
				p = pool[len(pool)-1]
			}
			op := random.IntN(12)
			on := func(a *jet.Algebra[*ball.Ball], x, y jet.Jet[*ball.Ball]) jet.Jet[*ball.Ball] {
				switch op {
				case 0:
					return a.Add(x, y)
				case 1:
					return a.Sub(x, y)
				case 2:
					return a.Mul(x, y)
				case 3:
					return a.Quo(x, y)
				case 4:
					return a.Exp(x)
				case 5:
					return a.Log(x)
				case 6:
					return a.Sqrt(x)
				case 7:
					return a.Cbrt(x)
				case 8:
					return a.Sin(x)
				case 9:
					return a.PowInt(x, 3)
				case 10:
					return a.Pow(x, a.Float(0.75), false)
				}
				return a.Max(x, y)
			}
			r := pair{germ: on(a, p.germ, q.germ)}
			for i := range points {
				r.at = append(r.at, on(plain, p.at[i], q.at[i]))
			}
			pool = append(pool, r)
			if !r.germ.Known() {
				continue
			}
			power, y := g.flat(r.germ.Val())
			if power == lost {
				continue
			}
			for i, u := range points {
				if (op == 5 || op == 6 || op == 10) && plain.N.Sign(p.at[i].Val()) < 0 {
					t.Fatalf("operation %d at u = %g has no value, but a germ", op, u)
				}
				scale := new(ball.Ball).Pow(ball.FromFloat64(u), ball.FromRat(big.NewRat(power, grain), 400), 400)
				bound := new(ball.Ball).Mul(scale, y, 400)
				if !bound.Overlaps(r.at[i].Val()) {
					t.Fatalf("operation %d at u = %g: %v is not in u^(%d/%d) %v", op, u, r.at[i].Val(), power, grain, y)
				}
			}
		}
	}
}
