#!/usr/bin/env python3
"""Reference values for the double tier, by MPFR (gmpy2) and Arb (python-flint).

    python3 reference.py > ../reference.txt

The output has a line `# name arity` for each function and then one line a
point: the arguments as the 16 hexadecimal digits of their doubles, and the
value as `mantissa exponent`, meaning mantissa * 2^exponent, with 120 bits
rounded to nearest from a value correct to at least 400 bits. Points are random
(all magnitudes), and nasty: +-2^k +- 1 ulp, neighbours of multiples of pi/2 and
pi/128, of zeros, poles and ends of the domain, and huge ones.
"""

import math
import random
import struct

import flint
import gmpy2
from gmpy2 import mpfr

BITS = 120
WORK = 400
RANDOM = 110

gmpy2.get_context().precision = WORK
gmpy2.get_context().emax = gmpy2.get_emax_max()
gmpy2.get_context().emin = gmpy2.get_emin_min()
flint.ctx.prec = 3000


def bits(x):
    return struct.unpack(">Q", struct.pack(">d", x))[0]


def around(x, n=1):
    """x and its n neighbours either side."""
    out = [x]
    a = b = x
    for _ in range(n):
        a, b = math.nextafter(a, math.inf), math.nextafter(b, -math.inf)
        out += [a, b]
    return out


def logarithmic(rng, lo=-1074, hi=1023, signs=True):
    x = math.ldexp(rng.uniform(1, 2), rng.randint(lo, hi))
    return -x if signs and rng.random() < 0.5 else x


POWERS = [p for k in (-1074, -1022, -1021, -600, -56, -55, -28, -27, -10, -3, -2, -1, 0, 1, 2, 5, 9, 13, 14, 30, 60, 511, 1023)
          for p in around(math.ldexp(1.0, k))]
POWERS += [-p for p in POWERS]

with gmpy2.context(gmpy2.get_context(), precision=3000):
    PI = gmpy2.const_pi()
    MULTIPLES = []
    for n in list(range(1, 9)) + [22, 355, 1000, 12345, 103993, 2**40 + 1, 2**60, 3**200, 3**400]:
        for step in (PI / 2, PI / 128):
            MULTIPLES += around(float(n * step))
# The double nearest to a multiple of pi/2 (Muller, Elementary Functions).
MULTIPLES += [6381956970095103 * 2.0**797, 5.319372648326541e255, 1.7976931348623157e308]
MULTIPLES += [-m for m in MULTIPLES]


def arb(f):
    """An mpfr function from one on arb, exact to WORK bits."""
    def g(*xs):
        v = f(*[flint.arb(x) for x in xs])
        if not v.is_finite() or v.rel_accuracy_bits() < WORK:
            return mpfr("nan")
        man, exp = v.mid().man_exp()
        return gmpy2.mul_2exp(mpfr(int(man), 3000), int(exp)) if exp >= 0 else gmpy2.div_2exp(mpfr(int(man), 3000), -int(exp))
    return g


def wide(f):
    """f evaluated at 4000 bits, for formulas that cancel."""
    def g(*xs):
        with gmpy2.context(gmpy2.get_context(), precision=4000):
            return f(*[mpfr(x, 4000) for x in xs])
    return g


def near(*centres):
    return [p for c in centres for p in around(c, 3)]


def uniform(lo, hi):
    return lambda rng: rng.uniform(lo, hi)


def positive(rng):
    return logarithmic(rng, signs=False)


ANY = logarithmic
MEDIUM = lambda rng: logarithmic(rng, -60, 10)
UNIT = lambda rng: rng.choice([rng.uniform(-1, 1), logarithmic(rng, -1074, -1), 1 - logarithmic(rng, -53, -1, False)])

# Doubles nearest to zeros of digamma far to the left, by arb's Newton steps.
def digamma_zero(g):
    a = flint.arb(g) + math.atan2(math.pi, math.log(-g)) / math.pi  # digamma(a) = digamma(1-a) - pi*cot(pi*a)
    for _ in range(10):
        d = flint.acb(a)
        a = (a - d.digamma().real / d.polygamma(1).real).mid()
    return float(a)


with flint.ctx.workprec(300):
    DIGAMMA_ZEROS = [digamma_zero(g) for g in (-25, -26, -50, -100, -1000, -12345)]

# Left of zero: near poles, near the middle between two, and elsewhere.
LEFT = [p for g in (-1, -2, -3, -7, -20, -100, -1001, -10**6) for p in near(g + 0.5, g + 0.25) + [math.nextafter(g, 0.0), g + 0.4999, g + 0.5 + 2.0**-12, g + 2.0**-20]]
LEFT += [-0.25, -1e-10, -1e-60, -0.4957156769130384, -0.5000001, -5.08]

# Pairs with exp x + exp y near 1.
CANCELLING = [(x, y) for e in (-1074, -1060, -1000, -700, -300, -53, -20, -5, -2, -1, 0, 1, 2) for x in (-math.ldexp(1.375, e),)
              for y in around(float(gmpy2.log(-gmpy2.expm1(mpfr(x)))), 2)]

# name, function, random sampler, further points
UNARY = [
    ("exp", gmpy2.exp, MEDIUM, POWERS + near(709.782712893384, 709.44, -745.13, -708.4, 640.0, -640.0)),
    ("expm1", gmpy2.expm1, MEDIUM, POWERS + near(0.25, -0.25, 709.78, -60.0, 80.0)),
    ("exp2", gmpy2.exp2, MEDIUM, POWERS + near(1023.9, -1074.5, -1022.0)),
    ("exp10", gmpy2.exp10, MEDIUM, POWERS + near(308.25, -323.3, 22.0, 23.0, -1.0)),
    ("log", gmpy2.log, positive, POWERS + near(1.0, 0.99609375, 1.0078125, 1.4140625, 5e-324, 1e-310)),
    ("log1p", gmpy2.log1p, lambda r: r.choice([positive(r), r.uniform(-1, 1), logarithmic(r, -80, -1)]), POWERS + near(-1.0, 0.125, -0.125)),
    ("log2", gmpy2.log2, positive, POWERS + near(1.0, 3.0, 1e-310)),
    ("log10", gmpy2.log10, positive, POWERS + near(1.0, 10.0, 1e22, 1e23, 1e-310)),
    ("sin", gmpy2.sin, ANY, POWERS + MULTIPLES),
    ("cos", gmpy2.cos, ANY, POWERS + MULTIPLES),
    ("tan", gmpy2.tan, ANY, POWERS + MULTIPLES),
    ("asin", gmpy2.asin, UNIT, POWERS + near(1.0, -1.0, 0.5, 0.7071)),
    ("acos", gmpy2.acos, UNIT, POWERS + near(1.0, -1.0, 0.5)),
    ("atan", gmpy2.atan, ANY, POWERS + near(1.0, 0.0078125)),
    ("sinh", gmpy2.sinh, MEDIUM, POWERS + near(0.5, 40.0, 710.4758600739439, 709.9)),
    ("cosh", gmpy2.cosh, MEDIUM, POWERS + near(0.5, 40.0, 710.4758600739439)),
    ("tanh", gmpy2.tanh, MEDIUM, POWERS + near(0.5, 19.0, 40.0)),
    ("asinh", gmpy2.asinh, ANY, POWERS + near(0.125, 2.0**60)),
    ("acosh", gmpy2.acosh, lambda r: r.choice([1 + logarithmic(r, -52, 10, False), logarithmic(r, 0, 1023, False)]), POWERS + near(1.0, 2.0**60)),
    ("atanh", gmpy2.atanh, UNIT, POWERS + near(1.0, -1.0, 0.125)),
    ("cbrt", gmpy2.cbrt, ANY, POWERS + near(27.0, 1e-310)),
    ("erf", gmpy2.erf, lambda r: logarithmic(r, -60, 3), POWERS + near(0.5, 1.0, 5.9, 6.0)),
    ("erfc", gmpy2.erfc, lambda r: r.choice([r.uniform(-6, 28), logarithmic(r, -60, 4)]), POWERS + near(0.5, 1.0, 26.5, 27.2, 27.3, -5.9)),
    ("lgamma", arb(lambda x: flint.acb(x).lgamma().real if x > 0 else abs(x.gamma()).log()), lambda r: r.choice([r.uniform(0, 5), r.uniform(-20, 0), logarithmic(r, -1000, 12, False), logarithmic(r, 12, 1000, False)]),
        [p for p in POWERS if p > 0 or p > -300] + near(1.0, 2.0, 0.5, 3.0, 16.0, 1.4616321449683623, -2.4570247382208006, -2.747682646727413, -3.0, -3.143580888349980, -1.0, -170.5, 1e305, 2.5e305)),
    ("digamma", arb(lambda x: x.digamma()), lambda r: r.choice([r.uniform(0, 5), r.uniform(-20, 0), logarithmic(r, -1000, 12, False), logarithmic(r, 12, 1000, False)]),
        [p for p in POWERS if p > 0 or p > -300] + near(1.0, 2.0, 1.4616321449683623, 16.0, -0.5040830082644554, -1.5734984731623904, -3.0, -99.5, *DIGAMMA_ZEROS)),
    ("sigmoid", wide(lambda x: 1 / (1 + gmpy2.exp(-x))), MEDIUM, POWERS + near(60.0, -60.0, -708.0, -744.0, 36.7)),
    ("softplus", wide(lambda x: gmpy2.log1p(gmpy2.exp(x))), MEDIUM, POWERS + near(40.0, -40.0, -708.0, -744.0, 745.0)),
    ("polygamma1", arb(lambda x: flint.acb(x).polygamma(1).real), lambda r: r.choice([r.uniform(0, 5), logarithmic(r, -300, 300, False)]), near(1.0, 2.0, 16.0, 0.5) + LEFT),
    ("polygamma2", arb(lambda x: flint.acb(x).polygamma(2).real), lambda r: r.choice([r.uniform(0, 5), logarithmic(r, -200, 200, False)]), near(1.0, 2.0, 16.0, 0.5) + LEFT),
    ("polygamma5", arb(lambda x: flint.acb(x).polygamma(5).real), lambda r: r.choice([r.uniform(0, 5), logarithmic(r, -100, 100, False)]), near(1.0, 2.0, 16.0, 0.5) + LEFT),
]

PAIRS = [(x, y) for x in (3.0, 4.0, -1.0, 0.1, 1e300, 5e-324, -2.0**-1022) for y in (4.0, 1.0, -3.0, 1e-300, -5e-324, 0.7, 2.0**60)]

BINARY = [
    ("atan2", gmpy2.atan2, lambda r: (logarithmic(r), logarithmic(r)), PAIRS),
    ("hypot", gmpy2.hypot, lambda r: (x := logarithmic(r, -1000, 1000), x * logarithmic(r, -70, 1)), PAIRS),
    ("pow", lambda x, y: gmpy2.mpfr(x) ** gmpy2.mpfr(y), lambda r: (x := logarithmic(r, signs=False), r.uniform(-750, 750) / (math.log(x) or 1)),
        [(abs(x), y) for x, y in PAIRS] + [(p, 1e15) for p in near(1.0)] + [(1 + 2.0**-30, 7e11), (5e-324, 0.5), (5e-324, -0.9), (10.0, 308.2)]),
    ("logaddexp", wide(lambda x, y: gmpy2.log(gmpy2.exp(x) + gmpy2.exp(y))), lambda r: (x := logarithmic(r, -20, 9), x + logarithmic(r, -20, 9)),
        [(0.0, 0.0), (-0.6931471805599453, -0.6931471805599453), (-1.0, -0.4586751453870819), (0.0, -700.0), (0.0, -744.0), (1e-300, -690.0), (300.0, -500.0), (-float.fromhex("0x1.035eae35fa7b8p-1024"), -float.fromhex("0x1.62ef9c5cd019dp+09")), (-1e-20, -46.05)] + CANCELLING),
]


def emit(xs, v):
    if not gmpy2.is_finite(v):
        return
    if v == 0:
        m, e = 0, 0
    else:
        with gmpy2.context(gmpy2.get_context(), precision=BITS):
            m, e = gmpy2.mpfr(v, BITS).as_mantissa_exp()
    print(*["%016x" % bits(x) for x in xs], "%x" % m, e)


def main():
    rng = random.Random(1788)
    for name, f, sample, extra in UNARY:
        print("#", name, 1)
        for x in sorted(set([sample(rng) for _ in range(RANDOM)] + extra)):
            if x == 0 or math.isinf(x):
                continue
            try:
                emit((x,), f(x if name.startswith(("lgamma", "digamma", "polygamma")) else mpfr(x)))
            except (ValueError, ZeroDivisionError):
                pass
    for name, f, sample, extra in BINARY:
        print("#", name, 2)
        for xs in [sample(rng) for _ in range(RANDOM)] + extra:
            if all(math.isfinite(x) for x in xs):
                emit(xs, f(*[mpfr(x) for x in xs]))


main()
