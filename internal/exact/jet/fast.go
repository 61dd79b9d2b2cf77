package jet

import (
	"unsafe"

	"github.com/fluxion-lang/fluxion/internal/interval"
)

// Note [Double tier]. Jets over doubles are where almost all of the time goes. Calls through the
// interface Number cost more there than the arithmetic itself, so the four operations
// that matter go to package interval directly when the number is Double. Go has no
// specialisation of generic functions; the algebra decides once for a number, and the
// conversions below are between a type and itself.

// isDouble tells whether n is Double, and so T is interval.Interval.
func isDouble[T any](n Number[T]) bool {
	_, ok := any(n).(Double)
	return ok
}

func asDouble[T any](x *T) *interval.Interval { return (*interval.Interval)(unsafe.Pointer(x)) }

func fromDouble[T any](x *interval.Interval) *T { return (*T)(unsafe.Pointer(x)) }

func (a *Algebra[T]) add(x, y T) T {
	if a.double {
		z := interval.Add(*asDouble(&x), *asDouble(&y))
		return *fromDouble[T](&z)
	}
	return a.N.Add(x, y)
}

func (a *Algebra[T]) sub(x, y T) T {
	if a.double {
		z := interval.Sub(*asDouble(&x), *asDouble(&y))
		return *fromDouble[T](&z)
	}
	return a.N.Sub(x, y)
}

func (a *Algebra[T]) mul(x, y T) T {
	if a.double {
		z := interval.Mul(*asDouble(&x), *asDouble(&y))
		return *fromDouble[T](&z)
	}
	return a.N.Mul(x, y)
}

func (a *Algebra[T]) quo(x, y T) T {
	if a.double {
		z := interval.Div(*asDouble(&x), *asDouble(&y))
		return *fromDouble[T](&z)
	}
	return a.N.Quo(x, y)
}

func (a *Algebra[T]) neg(x T) T {
	if a.double {
		z := interval.Neg(*asDouble(&x))
		return *fromDouble[T](&z)
	}
	return a.N.Neg(x)
}

// powInt is x^n.
func (a *Algebra[T]) powInt(x T, n int64) T {
	if a.double && n == 2 {
		z := interval.Sqr(*asDouble(&x))
		return *fromDouble[T](&z)
	}
	return a.N.ApplyInt(powIntFun, x, n)
}

// sign is 1 or -1 if all of x is positive or negative, else 0.
func (a *Algebra[T]) sign(x T) int {
	if a.double {
		switch z := asDouble(&x); {
		case z.Lo > 0:
			return 1
		case z.Hi < 0:
			return -1
		}
		return 0
	}
	return a.N.Sign(x)
}

// Less tells whether every point of x is less than every point of y.
func (a *Algebra[T]) Less(x, y T) bool {
	if a.double {
		return asDouble(&x).Hi < asDouble(&y).Lo
	}
	return a.N.Less(x, y)
}
