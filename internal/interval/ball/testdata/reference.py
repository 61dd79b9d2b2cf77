"""Writes reference values for the ball package, by Arb (python-flint), and checks
those that MPFR (gmpy2) has too against it.

    python reference.py            # in this directory, with python-flint and gmpy2

Lines of ref200.txt:   name arg [arg] : e m         value ~ m*2^e, m of 264 bits
Lines of ref3000.txt:  name arg [arg] : e head tail  m of 3064 bits, its leading 64
                                                     and its trailing 128 bits
An argument is m:e, the exact number m*2^e, m in hexadecimal. Every m is the true
mantissa within 1 unit. The seed is fixed, so the files are reproducible.
"""

import random
import sys
from fractions import Fraction

import gmpy2
from flint import acb, arb, ctx, fmpz


def num(a):
    m, e = a
    return arb(fmpz(m)) * arb(2) ** e if e >= 0 else arb(fmpz(m)) / arb(2) ** (-e)


def dyadic(x):  # of a float
    f = Fraction(x)
    return norm(f.numerator, -(f.denominator.bit_length() - 1))


def norm(m, e):
    while m and m % 2 == 0:
        m //= 2
        e += 1
    return (m, e) if m else (0, 0)


def ulp(a, bits, d):  # a changed by d units in the last of so many bits
    m, e = a
    s = bits - abs(m).bit_length()
    return norm((m << s) + d, e - s)


def near(value, bits):  # a dyadic number of so many bits near a value
    old, ctx.prec = ctx.prec, bits + 200
    v = value()
    m, e = v.mid().man_exp()
    ctx.prec = old
    m, e = int(m), int(e)
    s = abs(m).bit_length() - bits
    return norm((m >> s) if m > 0 else -((-m) >> s), e + s)


def pi_multiple(q, bits):
    return near(lambda: arb.pi() * q / 2, bits)


def psi(n, x):
    return acb.polygamma(acb(x), acb(n)).real


def lgamma(x):
    if x > 0:
        return x.lgamma()
    return -(abs(arb.sin_pi(x)) / arb.pi()).log() - (1 - x).lgamma()


def digamma(x):
    if x > 0:
        return x.digamma()
    return (1 - x).digamma() - arb.pi() * arb.cos_pi(x) / arb.sin_pi(x)


def sigmoid(x):
    return 1 / (1 + (-x).exp())


def softplus(x):
    return x.exp().log1p() if x < 0 else x + (-x).exp().log1p()


def logaddexp(x, y):
    return x + softplus(y - x)


def cbrt(x):
    return x.root(3) if x > 0 else -(-x).root(3)


FUN = {
    "sqrt": lambda x: x.sqrt(), "cbrt": cbrt, "recip": lambda x: 1 / x,
    "exp": lambda x: x.exp(), "expm1": lambda x: x.expm1(), "exp2": lambda x: arb(2) ** x, "exp10": lambda x: arb(10) ** x,
    "log": lambda x: x.log(), "log1p": lambda x: x.log1p(),
    "log2": lambda x: x.log() / arb(2).log(), "log10": lambda x: x.log() / arb(10).log(),
    "sin": lambda x: x.sin(), "cos": lambda x: x.cos(), "tan": lambda x: x.tan(),
    "asin": lambda x: x.asin(), "acos": lambda x: x.acos(), "atan": lambda x: x.atan(),
    "sinh": lambda x: x.sinh(), "cosh": lambda x: x.cosh(), "tanh": lambda x: x.tanh(),
    "asinh": lambda x: x.asinh(), "acosh": lambda x: x.acosh(), "atanh": lambda x: x.atanh(),
    "erf": lambda x: x.erf(), "erfc": lambda x: x.erfc(),
    "lgamma": lgamma, "digamma": digamma,
    "sigmoid": sigmoid, "softplus": softplus,
    "atan2": lambda y, x: arb.atan2(y, x), "pow": lambda x, y: x ** y, "hypot": lambda x, y: (x * x + y * y).sqrt(),
    "logaddexp": logaddexp,
    "polygamma": lambda n, x: psi(n, x),
    "pi": lambda: arb.pi(), "e": lambda: arb.const_e(), "ln2": lambda: arb.const_log2(),
    "ln10": lambda: arb.const_log10(), "gamma": lambda: arb.const_euler(),
}
MPFR = {
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "expm1": "expm1", "exp2": "exp2", "exp10": "exp10", "log": "log",
    "log1p": "log1p", "log2": "log2", "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin",
    "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh",
    "acosh": "acosh", "atanh": "atanh", "erf": "erf", "erfc": "erfc", "digamma": "digamma",
    "atan2": "atan2", "hypot": "hypot",
}


def points(rnd, bits, count):
    """Arguments by function: nasty ones and random ones."""
    def uniform(lo, hi):
        m = rnd.getrandbits(bits) | 1
        f = Fraction(lo) + Fraction(m, 1 << bits) * (Fraction(hi) - Fraction(lo))
        n = (f.numerator << (bits + 20)) // f.denominator
        return norm(n, -bits - 20)

    def log_uniform(lo, hi, sign=True):
        m = rnd.getrandbits(53) | 1 << 52
        s = -1 if sign and rnd.random() < 0.5 else 1
        return norm(s * m, rnd.randint(lo, hi) - 53)

    one = (1, 0)
    near1 = [ulp(one, b, d) for b in (10, 53, 190, 2 * bits) for d in (1, -1)]
    powers = [ulp((1, k), 53, d) for k in (-60, -3, 0, 1, 5, 9) for d in (-1, 0, 1)]
    tiny = [(1, -40), (-3, -150), (5, -4000), (1, -100000), (-7, -90)]
    neg = lambda ps: [(-m, e) for m, e in ps]
    real = powers + neg(powers[:6]) + tiny + [log_uniform(-60, 12) for _ in range(count)] + [uniform(-2, 2) for _ in range(count)]
    moderate = [a for a in real if abs(a[0]).bit_length() + a[1] < 12]
    positive = [(abs(m), e) for m, e in real] + near1 + [(1, 100000), (3, -100000), (1, 4000), (5**20, 20)]
    trig = real + [pi_multiple(q, b) for q in (1, 2, 3, -4, 7, 1000001, 2**70 + 1) for b in (53, 190, bits)] + [
        (1, 1000), (dyadic(6381956970095103.0)[0], 797), (12345, 5000), (-3, 64), dyadic(1e22)]
    unit = [a for a in real if abs(a[0]).bit_length() + a[1] <= 0] + [
        a for a in near1 + neg(near1) if abs(a[0]).bit_length() + a[1] <= 0] + [uniform(-1, 1) for _ in range(count)]
    over1 = [a for a in positive if a[0].bit_length() + a[1] >= 1 and a != one]
    pairs = [(log_uniform(-60, 60), log_uniform(-60, 60)) for _ in range(count)] + [(uniform(-3, 3), uniform(-3, 3)) for _ in range(count)] + [
        ((3, 0), (4, 0)), ((1, -5000), (1, 0)), ((1, 0), (-1, -5000)), ((-1, -3000), (-1, 0)), ((1, 3000), (1, -3000))]
    pows = [(log_uniform(-30, 30, False), log_uniform(-30, 6)) for _ in range(2 * count)] + [
        (ulp(one, 53, 1), (1, 60)), (ulp(one, 190, -1), (3, 180)), ((2, 0), (1, -1)), ((3, 0), (1000, 0)), ((7, 0), (-1001, -1)), ((1, -900), (355, -7))]
    lae = [(uniform(-5, 5), uniform(-5, 5)) for _ in range(count)] + [
        ((1, 20), (1, 20)), ((-1, 12), (1, -80)), ((1, -80), (-1, 12)), (near(lambda: -arb(2).log(), 53), near(lambda: -arb(2).log(), 53)),
        (near(lambda: -arb(2).log(), bits), near(lambda: -arb(2).log(), bits)), ((1000, 0), (-1000, 0))]
    erfs = [a for a in real if abs(a[0]).bit_length() + a[1] < 6] + [dyadic(x) for x in (4.5, -6, 11.5, 11.9, 12.1, 13, 26.5, 45.7, 46, 100, -100)]
    gam = [(a[0], a[1]) for a in positive if a[0].bit_length() + a[1] < 200 and a != one and a != (1, 1)] + [
        ulp((1, 1), b, d) for b in (10, 53, 190, 2 * bits) for d in (1, -1)] + [dyadic(x) for x in (
            1.4616321449683622, -0.5, -1.5, -2.457024738220801, -2.7476826467274127, -10.5, -100.25, 30.0, 171.5, 1e5, -0.0009765625,
            0.75, -1.0000000000000002, -19.999999999999996, 1e22)] + [uniform(-8, 8) for _ in range(count)]
    poly = [((n, 0), a) for n in (1, 2, 3, 7) for a in [dyadic(x) for x in (1.0, 0.5, 1e-5, 3.25, 40.125, -0.5, -1.25, -7.0009765625, 1e10)] + [uniform(-5, 5)]]
    out = {}
    for n in ("sin", "cos", "tan"):
        out[n] = trig
    for n in ("exp", "expm1", "exp2", "exp10", "sinh", "cosh", "tanh", "sigmoid", "softplus"):
        out[n] = moderate + near1[:4]
    for n in ("atan", "asinh", "cbrt", "recip"):
        out[n] = real + [(1, 100000), (-1, 3000)]
    for n in ("log", "log2", "log10", "sqrt"):
        out[n] = positive
    out["log1p"] = [a for a in real if a[0] > 0 or a[1] + abs(a[0]).bit_length() <= 0] + near1 + neg([a for a in near1 if a[0].bit_length() + a[1] <= 0]) + [(1, 3000)]
    for n in ("asin", "acos", "atanh"):
        out[n] = unit
    out["acosh"] = over1
    out["erf"], out["erfc"] = erfs, erfs
    out["lgamma"], out["digamma"] = gam, gam
    out = {n: [(a,) for a in ps if a[0]] for n, ps in out.items()}
    out["atan2"], out["hypot"], out["pow"], out["logaddexp"], out["polygamma"] = pairs, pairs, pows, lae, poly
    for n in ("pi", "e", "ln2", "ln10", "gamma"):
        out[n] = [()]
    return out


def value(name, args, want):
    """(m, e) with m of want bits, within 1 unit, or None if it is 0 or undefined."""
    prec = want + 80
    while prec < 1200000:
        ctx.prec = prec
        v = FUN[name](*[num(a) for a in args])
        if v.is_exact() and v.mid() == 0:
            return None
        if v.is_finite() and (v.is_exact() or v.rel_accuracy_bits() > want + 8):
            m, e = v.mid().man_exp()
            m, e = int(m), int(e)
            s = abs(m).bit_length() - want
            if s <= 0:
                return m << -s, e + s
            q = (abs(m) + (1 << (s - 1))) >> s
            return (q if m > 0 else -q), e + s
        prec *= 2
    return None


def check_mpfr(name, args, m, e, want):
    if name not in MPFR or any(abs(a[1]) > 20000 or abs(a[0]).bit_length() > 4 * want for a in args):
        return 0
    c = gmpy2.context(precision=want, emax=2**50, emin=-(2**50))
    wide = gmpy2.context(precision=max([2] + [abs(a[0]).bit_length() for a in args]), emax=2**50, emin=-(2**50))
    with gmpy2.context(wide):
        xs = [gmpy2.mul_2exp(gmpy2.mpfr(a[0]), a[1]) if a[1] >= 0 else gmpy2.div_2exp(gmpy2.mpfr(a[0]), -a[1]) for a in args]
    with gmpy2.context(c):
        v = getattr(gmpy2, MPFR[name])(*xs)
    if not gmpy2.is_finite(v) or v == 0:
        return 0
    vm, ve = v.as_mantissa_exp()
    d = Fraction(int(vm)) * Fraction(2) ** (int(ve) - e) - m
    if abs(d) > 2:
        sys.exit(f"MPFR and Arb differ: {name} {args}")
    return 1


def main():
    for bits, want, count, path in ((200, 264, 12, "ref200.txt"), (3000, 3064, 3, "ref3000.txt")):
        rnd = random.Random(bits)
        lines, checked = [], 0
        for name, tuples in points(rnd, bits, count).items():
            seen = set()
            for args in tuples:
                if args in seen:
                    continue
                seen.add(args)
                if bits == 3000 and name in ("lgamma", "digamma", "polygamma", "erf", "erfc") and len(seen) % 3:
                    continue
                if bits == 3000 and len(seen) % 2 and name not in ("pi", "e", "ln2", "ln10", "gamma"):
                    continue
                r = value(name, args, want)
                if r is None:
                    continue
                m, e = r
                checked += check_mpfr(name, args, m, e, want) if abs(e) < 10**6 else 0
                a = " ".join(f"{x[0]:x}:{x[1]}" for x in args)
                if bits == 200:
                    lines.append(f"{name} {a} : {e} {m:x}")
                else:
                    s = "-" if m < 0 else ""
                    lines.append(f"{name} {a} : {e} {s}{abs(m) >> (want - 64):x} {abs(m) & ((1 << 128) - 1):x}")
        with open(path, "w") as f:
            f.write("\n".join(lines) + "\n")
        print(path, len(lines), "values,", checked, "checked against MPFR")


main()
