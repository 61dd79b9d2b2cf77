#!/usr/bin/env python3
"""How near a double can come to a nonzero multiple of pi/128.

For every binade, doubles are m * 2^e with m < 2^53, and n * (pi/128) with
n <= 2^53 * 2^e / (pi/128). With alpha = (pi/128) / 2^e, |n*alpha - m| is at least
|q*alpha - p| for the last convergent p/q of alpha with q not above the bound of n
(the best approximations of the second kind are convergents). Prints the least distances, as
base-2 logarithms, below and above 2^14.
"""

from fractions import Fraction

import gmpy2

gmpy2.get_context().precision = 4000
STEP = Fraction(*map(int, (gmpy2.const_pi() / 128).as_integer_ratio()))


def least(e):
    """A lower bound of |x - n*pi/128| over doubles x = m * 2^e, n >= 1."""
    alpha = STEP / Fraction(2) ** e
    bound = int(Fraction(2) ** 53 / alpha) + 1
    if bound < 1:
        return None
    p0, q0, p1, q1 = 0, 1, 1, 0
    x, best = alpha, None
    while True:
        a = x.numerator // x.denominator
        p0, q0, p1, q1 = p1, q1, a * p1 + p0, a * q1 + q0
        if q1 > bound:
            return best
        d = abs(q1 * alpha - p1) * Fraction(2) ** e
        if d == 0:
            return best
        best = d if best is None else min(best, d)
        x = 1 / (x - a)


def logarithm(f):
    return f.numerator.bit_length() - f.denominator.bit_length()


small = min(d for e in range(-61, -38) if (d := least(e)))
large = min(d for e in range(-39, 972) if (d := least(e)))
print("|x| < 2^14: distance above 2^%d" % (logarithm(small) - 1))
print("|x| >= 2^14: distance above 2^%d" % (logarithm(large) - 1))
