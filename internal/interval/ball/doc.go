// Package ball is the multi-precision tier of certified arithmetic: sets of reals
// given as midpoint ± radius, with operations that are proved to contain every
// true result.
//
// A [Ball] is man·2^exp ± rad, where man is a big.Int of any length and rad a
// 32-bit magnitude with an exponent of its own. Besides there are two improper
// balls, [Ball.IsEmpty] (no real at all) and [Ball.IsWhole] (every real).
// Half-lines are not balls: an operation whose range is a half-line answers with
// the whole line; the double tier keeps half-lines.
//
// # Style
//
// Operations are methods in the style of math/big: the receiver takes the result
// and is returned, operands may alias it, and the last argument is the working
// precision in bits:
//
//	x := ball.FromFloat64(0.5)
//	y := new(ball.Ball).Exp(x, 200)
//	y.Add(y, x, 200)
//	lo, hi := y.Float64s()
//
// # Contract
//
// Containment: for all points of the operands where the operation is defined, its
// true value lies in the result. This holds at every precision.
//
// Tightness: the midpoint has at most prec bits. Where the operands are exact
// (radius 0) the radius is at most 2^(4-prec) times the result's magnitude, and it is 0 where
// the arithmetic operations, roots included, have a result of at most prec bits.
// For operands with a radius the result is wider than the true range by a small
// part of that range (a thousandth or so, where the function is monotone) and by
// that relative rounding. Functions of two arguments that are not arithmetic
// operations take no account of dependence between the arguments.
//
// Domains are set-based: a function is applied to the part of the ball inside its
// natural domain. If that part is empty, so is the result. If some point was
// outside, the result is [Ball.Partial]; the mark is handed on by every later
// operation, so that at the end of a computation it says whether some step was
// undefined somewhere.
//
// # Limits
//
// Exponents are confined to ±2^60: larger results are the whole line, smaller ones
// zero ± a tiny radius. Sine and its like answer [-1, 1] where reducing the
// argument would take over a million bits of pi.
//
// # What this package must not know
//
// Doubles other than as input and output, expressions, derivatives, and how much
// precision somebody needs: it is given balls and a precision and hands on a ball.
//
// The only state outliving a call is a cache of constants (pi, ln 2, Bernoulli
// numbers …), which are computed once and extended when more is asked for, guarded
// by locks, and pools of scratch memory. Neither can be observed in a result's
// validity; all functions may be called concurrently on distinct receivers.
package ball
