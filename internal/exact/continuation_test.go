package exact

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
)

// TestContinuations evaluates random expressions on rectangles and at complex points: the values
// must lie in what the continuation says, and those at real points in the values on the cell.
func TestContinuations(t *testing.T) {
	t.Run("doubles", func(t *testing.T) { testContinuations(t, jet.Double{}, false) })
	t.Run("balls", func(t *testing.T) { testContinuations(t, jet.NewBalls(80), false) })
	t.Run("narrow", func(t *testing.T) { testContinuations(t, jet.NewBalls(80), true) })
}

func testContinuations(t *testing.T, number jet.Number, narrow bool) {
	random := rand.New(rand.NewPCG(11, 2))
	known, polynomials := 0, 0
	for range 2000 {
		n := newContinuations(number, narrow)
		a := jet.NewAlgebra(n)
		type pair struct {
			set jet.Jet
			at  []complex128
		}
		mid, w := 2*random.Float64()-0.5, math.Exp2(-4*random.Float64())
		off := rectangle.Rect{Re: interval.Interval{Lo: -w, Hi: w}, Im: interval.Interval{Lo: -w, Hi: w}}
		z := continuation{on: number.Span(number.Float(mid-w/2), number.Float(mid+w/2)), degree: 1,
			base: number.Float(mid), based: true, off: off}
		if !narrow {
			z.off, z.based = n.around(z), false
		}
		x := pair{set: a.Const(n.make(z))}
		for i := range 6 {
			z := complex(mid+w*(random.Float64()-0.5), 0) // the first three are on the cell
			if i >= 3 {
				z += complex(0, w*(2*random.Float64()-1))
			}
			x.at = append(x.at, z)
		}
		constant := float64(random.IntN(5)) / 4
		c := pair{set: a.Float(constant)}
		for range x.at {
			c.at = append(c.at, complex(constant, 0))
		}
		pool := []pair{x, c, x}
		pick := func() pair { return pool[random.IntN(len(pool))] }
		for range 6 {
			p, q := pick(), pick()
			var r pair
			var at func(x, y complex128) complex128
			switch random.IntN(10) {
			case 0, 1:
				r.set, at = a.Add(p.set, q.set), func(x, y complex128) complex128 { return x + y }
			case 2:
				r.set, at = a.Sub(p.set, q.set), func(x, y complex128) complex128 { return x - y }
			case 3, 4:
				r.set, at = a.Mul(p.set, q.set), func(x, y complex128) complex128 { return x * y }
			case 5:
				r.set, at = a.Quo(p.set, q.set), func(x, y complex128) complex128 { return x / y }
			case 6:
				k := int64(random.IntN(5) - 1)
				r.set, at = a.PowInt(p.set, k), func(x, _ complex128) complex128 { return cmplx.Pow(x, complex(float64(k), 0)) }
			case 7:
				r.set, at = a.Exp(p.set), func(x, _ complex128) complex128 { return cmplx.Exp(x) }
			case 8:
				r.set, at = a.Log(p.set), func(x, _ complex128) complex128 { return cmplx.Log(x) }
			case 9:
				r.set, at = a.Sin(p.set), func(x, _ complex128) complex128 { return cmplx.Sin(x) }
			}
			if !r.set.Known() {
				continue
			}
			for i := range x.at {
				r.at = append(r.at, at(p.at[i], q.at[i]))
			}
			pool = append(pool, r)
			got := n.of(r.set.Val())
			around := n.around(got)
			for i, value := range r.at {
				slack := 1e-9 * (1 + cmplx.Abs(value))
				near := func(x interval.Interval, v float64) bool { return v > x.Lo-slack && v < x.Hi+slack }
				on, _ := n.on(r.set.Val())
				lo, hi := number.Ends(on)
				if i < 3 && !near(interval.Interval{Lo: lo, Hi: hi}, real(value)) {
					t.Fatalf("%v is not in [%g, %g]", value, lo, hi)
				}
				if !around.IsNone() && !(near(around.Re, real(value)) && near(around.Im, imag(value))) {
					t.Fatalf("%v is not in %v", value, around)
				}
			}
			if _, varies := n.on(r.set.Val()); varies && !around.IsNone() {
				known++
				if got.degree < transcendental {
					polynomials++
				}
			}
		}
	}
	if known < 3000 || polynomials < 1000 || polynomials > known-1000 {
		t.Errorf("only %d were continued, %d of them polynomials", known, polynomials)
	}
}

// TestEllipseError: the bound holds for functions whose integral is known, and is not much more
// than a hundred times the error.
func TestEllipseError(t *testing.T) {
	// 1 / (a - x) over [-1, 1], whose pole is just outside of the ellipse.
	for _, rho := range []float64{1.5, 2, 4, 8} {
		a := (rho + 1/rho) / 2 * (1 + 1.0/16)
		most := 1 / (a - (rho+1/rho)/2)
		for n := 2; n <= 8; n++ {
			rule := newGaussRule(ruleKey{n, 80})
			sum := 0.0
			for i, x := range rule.nodes {
				sum += 2 * rule.weights[i].Float64() / (a - (2*x.Float64() - 1))
			}
			wrong := math.Abs(sum - math.Log((a+1)/(a-1)))
			bound := ellipseError(rho, n).MulFloat(2 * most).Float()
			if wrong > bound*(1+1e-9)+1e-14 || bound > 1e3*wrong+1e-9 {
				t.Errorf("ρ = %g, %d nodes: the error is %g, the bound %g", rho, n, wrong, bound)
			}
		}
	}
}
