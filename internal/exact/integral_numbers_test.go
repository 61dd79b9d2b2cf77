package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// TestGaussRules: with n nodes the powers of x up to 2n - 1 are integrated exactly, and
// x^2n with exactly the remainder.
func TestGaussRules(t *testing.T) {
	for _, bits := range []uint{60, 200, 1000} {
		m := jet.NewMulti(bits)
		for _, n := range []int{1, 2, 3, 7, 16, 61} {
			r := newGaussRule(ruleKey{n, bits})
			for _, power := range []int64{0, 1, int64(n), int64(2*n - 1), int64(2 * n)} {
				sum := m.Float(0)
				for i, x := range r.nodes {
					sum = m.Add(sum, m.Mul(r.weights[i], new(ball.Ball).PowInt(x, power, bits)))
				}
				if power == int64(2*n) {
					sum = m.Add(sum, m.Rat(gaussRemainder(n)))
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

// valueAt is what a germ says of its value at u, with plenty of bits.
func (g germs) valueAt(h germ, u float64) *ball.Ball {
	n := jet.NewMulti(400)
	sum := func(terms []term) *ball.Ball {
		all := n.Float(0)
		for _, t := range terms {
			at := new(ball.Ball).Pow(ball.FromFloat64(u), t.power.number(), 400)
			log := new(ball.Ball).Log(ball.FromFloat64(u), 400)
			at.Mul(at, log.PowInt(log, int64(t.logs), 400), 400)
			all = n.Add(all, n.Mul(at, t.c))
		}
		return all
	}
	if h.rest != nil {
		h.terms = append(h.terms[:len(h.terms):len(h.terms)], term{power: h.order, c: h.rest})
	}
	all := sum(h.terms)
	for _, w := range h.waves {
		phase := sum([]term{{power: w.power, c: w.rate}})
		all = n.Add(all, n.Mul(g.valueAt(w.cos, u), new(ball.Ball).Cos(phase, 400)))
		all = n.Add(all, n.Mul(g.valueAt(w.sin, u), new(ball.Ball).Sin(phase, 400)))
	}
	return n.Mul(all, new(ball.Ball).Exp(sum(h.scale), 400))
}

// TestGerms evaluates random expressions in u as germs and at points: the value must lie in
// what the germ says there.
func TestGerms(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	const bits = 128
	series := func(f tier.Fun1, x *ball.Ball, degree int) []*ball.Ball {
		a := jet.NewAlgebra(jet.NewBalls(bits))
		unary := a.Unary(prim.ID(f.Row))
		if unary == nil {
			return nil
		}
		y := unary(a.Series(1, degree, []jet.Jet{a.Const(jet.OfBall(x)), a.One()}))
		if !a.Complete(y) {
			return nil
		}
		all := make([]*ball.Ball, degree+1)
		for i := range all {
			all[i] = a.Coeff(y, 1, i).Val().Ball
		}
		return all
	}
	rows := []prim.ID{prim.Exp, prim.Log, prim.Sqrt, prim.Cbrt, prim.Sin, prim.Cos, prim.Tan, prim.Sinh, prim.Cosh, prim.Tanh, prim.Sigmoid}
	answers := 0
	for range property.Rounds(300) {
		g := newGerms(bits, series)
		a := jet.NewAlgebra(jet.Balls{Of: g})
		points := []float64{1, 0.7, 0.1, 1e-3, 1e-9}
		plain := jet.NewAlgebra(jet.NewBalls(400))
		type pair struct {
			germ jet.Jet
			at   []jet.Jet
		}
		w, base := float64(1+random.IntN(4)), float64(random.IntN(3)-1)
		if random.IntN(2) == 0 {
			w /= 16
		}
		x := pair{germ: a.Const(jet.OfBall(g.Add(g.Int(int64(base)), g.line(ball.FromFloat64(w), grain))))}
		for _, u := range points {
			x.at = append(x.at, plain.Add(plain.Float(base), plain.Mul(plain.Float(w), plain.Float(u))))
		}
		if random.IntN(3) == 0 { // towards infinity
			x.germ = a.Const(jet.OfBall(g.line(ball.FromFloat64(w), -grain)))
			for i, u := range points {
				x.at[i] = plain.Quo(plain.Float(w), plain.Float(u))
			}
		}
		constant := func(c int64) pair {
			p := pair{germ: a.Const(jet.OfBall(g.Int(c)))}
			for range points {
				p.at = append(p.at, plain.Float(float64(c)))
			}
			return p
		}
		pool := []pair{x, constant(1), constant(-2), constant(int64(random.IntN(5)))}
		for range 6 {
			p, q := pool[random.IntN(len(pool))], pool[random.IntN(len(pool))]
			if random.IntN(2) == 0 {
				p = pool[len(pool)-1]
			}
			op, exponent := random.IntN(8+len(rows)), []float64{0.75, 0.99, -1.01, math.Pi}[random.IntN(4)]
			on := func(a *jet.Algebra, x, y jet.Jet) jet.Jet {
				switch op {
				case 0:
					return a.Add(x, y)
				case 1, 2:
					return a.Sub(x, y)
				case 3:
					return a.Mul(x, y)
				case 4:
					return a.Quo(x, y)
				case 5:
					return a.PowInt(x, 3)
				case 6:
					return a.Pow(x, a.Float(exponent), false)
				case 7:
					return a.Max(x, y)
				}
				return a.Unary(rows[op-8])(x)
			}
			r := pair{germ: on(a, p.germ, q.germ)}
			for i := range points {
				r.at = append(r.at, on(plain, p.at[i], q.at[i]))
			}
			pool = append(pool, r)
			if !r.germ.Known() || g.get(r.germ.Val().Ball).lost {
				continue
			}
			answers++
			for i, u := range points {
				if (op == 6 || op == 9 || op == 10) && plain.N.Sign(p.at[i].Val()) < 0 {
					t.Fatalf("operation %d at u = %g has no value, but a germ", op, u)
				}
				bound := g.valueAt(g.full(r.germ.Val().Ball), u)
				if r.at[i].Known() && !bound.Overlaps(r.at[i].Val().Ball) {
					t.Fatalf("operation %d at u = %g: %v is not in %v", op, u, r.at[i].Val().Ball, bound)
				}
			}
		}
	}
	if answers < 200 {
		t.Errorf("only %d germs", answers)
	}
}
