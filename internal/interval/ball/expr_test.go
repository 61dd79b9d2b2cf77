package ball_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// TestExpressions computes with random expressions and with the numbers that they stand for: an
// expression that is 0 must be that of numbers that may be 0, and x - x must be one.
func TestExpressions(t *testing.T) {
	const prec = 200
	random := rand.New(rand.NewPCG(3, 8))
	zeros := 0
	for range 2000 {
		two, half := ball.FromInt64(2), ball.FromFloat64(0.5)
		pool := []*ball.Ball{
			new(ball.Ball).Pi(prec).Named(ball.PiExpr()),
			new(ball.Ball).Sqrt(two, prec).Named(ball.Whole(2).Sqrt()),
			new(ball.Ball).Sqrt(ball.FromInt64(12), prec).Named(ball.Whole(12).Sqrt()),
			half.Named(ball.Rational(big.NewRat(1, 2))),
			ball.FromFloat64(random.NormFloat64()).Named(ball.Symbol()),
			ball.FromFloat64(random.NormFloat64()).Named(ball.Symbol()),
		}
		for range 8 {
			x, y := pool[random.IntN(len(pool))], pool[random.IntN(len(pool))]
			z := new(ball.Ball)
			switch random.IntN(6) {
			case 0:
				z.Add(x, y, prec).Named(x.Expr().Add(y.Expr()))
			case 1:
				z.Sub(x, y, prec).Named(x.Expr().Sub(y.Expr()))
			case 2:
				z.Mul(x, y, prec).Named(x.Expr().Mul(y.Expr()))
			case 3:
				if y.ContainsZero() {
					continue
				}
				z.Quo(x, y, prec).Named(x.Expr().Quo(y.Expr()))
			case 4:
				z.PowInt(x, 2, prec).Named(x.Expr().PowInt(2))
			default:
				z.Sin(x, prec).Named(x.Expr().Sin())
				if z.Expr() == nil {
					z.Cos(x, prec).Named(x.Expr().Cos())
				}
			}
			if q, ok := z.Expr().Rat(); ok && !z.Overlaps(ball.FromRat(q, prec)) {
				t.Fatalf("%v is said to be %v", z, q)
			}
			if z.Vanishes() {
				zeros++
			}
			pool = append(pool, z)
		}
	}
	if zeros < 100 {
		t.Errorf("only %d zeros", zeros)
	}
	root := ball.Whole(2).Sqrt()
	if d := root.Mul(root).Sub(ball.Whole(2)); d == nil || !new(ball.Ball).Named(d).Vanishes() {
		t.Error("√2² - 2 is not known to be 0")
	}
	if b := ball.Symbol(); new(ball.Ball).Named(b.Sub(ball.Whole(1))).Vanishes() {
		t.Error("a symbol is taken for 1")
	}
}
