"""Times functions of the ball package against MPFR (gmpy2), alternating between the
two so that both see the same noise, and prints the ratio of the minima.

    python mpfr.py [rounds]        # in this directory, with gmpy2 and go in the path
"""

import re
import subprocess
import sys
import tempfile
import timeit

import gmpy2

NAMES, BITS = ("exp", "log", "sin", "atan", "sqrt"), (128, 1000, 10000)


def mpfr(best):
    for p in BITS:
        with gmpy2.context(precision=p):
            xs = [gmpy2.mpfr(10 + i) / 7 for i in range(16)]
            for n in NAMES:
                f = getattr(gmpy2, n)
                k = 4 if p == 10000 else 200
                t = min(timeit.repeat(lambda: [f(x) for x in xs], number=k, repeat=3)) / k / 16 * 1e9
                best[n, p] = min(best.get((n, p), 1e18), t)


def ball(best, binary):
    out = subprocess.run([binary, "-test.run=xx", "-test.bench=Functions/(%s)/" % "|".join(NAMES), "-test.benchtime=40ms"],
                         capture_output=True, text=True, check=True, cwd="..").stdout
    for n, p, t in re.findall(r"BenchmarkFunctions/(\w+)/(\d+)\S*\s+\d+\s+([\d.]+) ns/op", out):
        k = n, int(p)
        best[k] = min(best.get(k, 1e18), float(t))


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
        print(f"{n:5}", "   ".join(f"{p:6}: {b[n, p]:9.0f} / {a[n, p]:9.0f} = {b[n, p] / a[n, p]:5.2f}" for p in BITS))


main()
