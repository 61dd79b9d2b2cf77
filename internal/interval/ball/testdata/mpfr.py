"""Times functions of the ball package against MPFR (gmpy2) and its product against
big.Float. Processor time is compared, not wall-clock time, the two alternate so
that both see the same noise, and minima are taken. What a call from Python costs
is measured with a trivial function and taken off MPFR's times; what starting the
Go program costs is taken off the ball's.

    python mpfr.py [rounds]        # in this directory, with gmpy2 and go in the path
"""

import resource
import subprocess
import sys
import tempfile
import time
import timeit

import gmpy2

NAMES, BITS = ("exp", "log", "sin", "atan", "sqrt"), (128, 1000, 10000)
COUNT = {128: 40000, 1000: 6000, 10000: 120}


def least(best, key, t):
    best[key] = min(best.get(key, 1e18), t)


def mpfr(best):
    for p in BITS:
        with gmpy2.context(precision=p):
            xs = [gmpy2.mpfr(10 + i) / 7 for i in range(16)]
            for n in NAMES + ("is_finite",):
                f = getattr(gmpy2, n)
                k = 4 if p == 10000 else 200
                t = min(timeit.repeat(lambda: [f(x) for x in xs], timer=time.process_time, number=k, repeat=3))
                least(best, (n, p), t / k / 16 * 1e9)


def child(binary, bench, count):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([binary, "-test.run=xx", f"-test.bench={bench}", f"-test.benchtime={count}x", "-test.cpu=1"],
                   capture_output=True, check=True, cwd="..")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ball(best, binary):
    for p in BITS:
        for n in NAMES:
            bench = f"Functions/{n}/{p}$"
            t = child(binary, bench, COUNT[p]) - min(child(binary, bench, 1) for _ in range(2))
            least(best, (n, p), t / COUNT[p] * 1e9)
        for n in ("float", "exact", "ball"):
            bench, k = f"Mul/{n}/{p}$", COUNT[p] * 20
            t = child(binary, bench, k) - min(child(binary, bench, 1) for _ in range(2))
            least(best, (n, p), t / k * 1e9)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    a, b = {}, {}
    with tempfile.TemporaryDirectory() as d:
        subprocess.run(["go", "test", "-c", "-o", d + "/ball.bin", "."], check=True, cwd="..")
        for _ in range(rounds):
            mpfr(a)
            ball(b, d + "/ball.bin")
    print("ns: ball / MPFR = ratio")
    for n in NAMES:
        print(f"{n:5}", "   ".join(
            f"{p:6}: {b[n, p]:8.0f} / {a[n, p] - a['is_finite', p]:8.0f} = {b[n, p] / (a[n, p] - a['is_finite', p]):5.2f}" for p in BITS))
    print("ns: product of balls, of exact balls / of big.Float = ratios")
    for p in BITS:
        f, x, y = b["float", p], b["exact", p], b["ball", p]
        print(f"{p:6}: {y:6.0f}, {x:6.0f} / {f:6.0f} = {y / f:5.2f}, {x / f:5.2f}")


main()
