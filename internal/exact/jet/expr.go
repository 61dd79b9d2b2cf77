package jet

import (
	"math/big"
	"reflect"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// The second tier keeps expressions: package ball, Note [Expressions]. Constants of the program
// have one, and so have variables, by Symbol. The number 0 that jets have where there is nothing
// (Note [Coefficients]) has none, because something that moves may be added to it.

// Rat encloses a rational.
func (m Multi) Rat(q *big.Rat) *ball.Ball { return m.Multi.Rat(q).Named(ball.Rational(q)) }

// Int is the integer.
func (m Multi) Int(n int64) *ball.Ball { return ball.FromInt64(n).Named(ball.Whole(n)) }

// Add is x + y.
func (m Multi) Add(x, y *ball.Ball) *ball.Ball {
	return m.Multi.Add(x, y).Named(x.Expr().Add(y.Expr()))
}

// Sub is x - y.
func (m Multi) Sub(x, y *ball.Ball) *ball.Ball {
	return m.Multi.Sub(x, y).Named(x.Expr().Sub(y.Expr()))
}

// Mul is x y.
func (m Multi) Mul(x, y *ball.Ball) *ball.Ball {
	return m.Multi.Mul(x, y).Named(x.Expr().Mul(y.Expr()))
}

// Quo is x / y.
func (m Multi) Quo(x, y *ball.Ball) *ball.Ball {
	return m.Multi.Quo(x, y).Named(x.Expr().Quo(y.Expr()))
}

// Neg is -x.
func (m Multi) Neg(x *ball.Ball) *ball.Ball {
	return m.Multi.Neg(x).Named(x.Expr().Neg())
}

// Apply0 is the constant f.
func (m Multi) Apply0(f tier.Fun0) *ball.Ball {
	x := m.Multi.Apply0(f)
	if sameFunction(f.Double, piFun.Double) {
		x.Named(ball.PiExpr())
	}
	return x
}

// Apply1 is f x.
func (m Multi) Apply1(f tier.Fun1, x *ball.Ball) *ball.Ball {
	y := m.Multi.Apply1(f, x)
	if x.Expr() != nil {
		switch {
		case y.IsExact() && x.Expr().Constant():
			y.Named(ball.Point(y))
		case sameFunction(f.Double, sqrtFun.Double):
			y.Named(x.Expr().Sqrt())
		case sameFunction(f.Double, sinFun.Double):
			y.Named(x.Expr().Sin())
		case sameFunction(f.Double, cosFun.Double):
			y.Named(x.Expr().Cos())
		}
	}
	return y
}

// Apply2 is f x y.
func (m Multi) Apply2(f tier.Fun2, x, y *ball.Ball) *ball.Ball {
	z := m.Multi.Apply2(f, x, y)
	if z.IsExact() && x.Expr().Constant() && y.Expr().Constant() {
		z.Named(ball.Point(z))
	}
	return z
}

// ApplyInt is f x n.
func (m Multi) ApplyInt(f tier.FunInt, x *ball.Ball, n int64) *ball.Ball {
	y := m.Multi.ApplyInt(f, x, n)
	if x.Expr() != nil && sameFunction(f.Double, powIntFun.Double) {
		y.Named(x.Expr().PowInt(n))
	}
	return y
}

// Symbol is x as a real of which nothing else is said.
func (m Multi) Symbol(x *ball.Ball) *ball.Ball {
	if x.Expr() == nil {
		return x
	}
	return new(ball.Ball).Set(x).Named(ball.Symbol())
}

var piFun = prim.Pi.Row().Interval.(tier.Fun0)

// sameFunction tells whether two functions that are not closures are the same.
func sameFunction(f, g any) bool {
	return reflect.ValueOf(f).Pointer() == reflect.ValueOf(g).Pointer()
}
