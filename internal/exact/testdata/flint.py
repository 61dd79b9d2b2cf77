"""Times integrals to a thousand digits against Arb: processor time of `fluxion run` as a whole, and of
acb.integral in a fresh process, which computes its nodes, and once more, when it has them.

    python flint.py FLUXION [rounds]        # with python-flint in the path
"""

import os
import resource
import subprocess
import sys
import tempfile

INTEGRANDS = (
    ("1 / (1 + 25 * x^2)", "1 / (1 + 25 * x * x)"),
    ("log (1 + x) / (1 + x^2)", "(1 + x).log(analytic=a) / (1 + x * x)"),
    ("exp (sin x)", "x.sin().exp()"),
    ("exp (-(x^2))", "(-(x * x)).exp()"),
)

ARB = """
import time
from flint import acb, ctx
ctx.dps = 1000
for _ in range(2):
    start = time.process_time()
    acb.integral(lambda x, a: %s, 0, 1)
    print(time.process_time() - start)
"""


def child(args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(args, capture_output=True, check=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def main():
    fluxion, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print("integrand               Fluxion  Arb, first  again")
    for ours, theirs in INTEGRANDS:
        with tempfile.NamedTemporaryFile("w", suffix=".flx", delete=False) as file:
            file.write(f"integral 0 1 (fun x => {ours})\n")
        best = [1e9] * 3
        for _ in range(rounds):
            times = [child([fluxion, "run", "--digits", "1000", file.name])[0]]
            times += [float(t) for t in child([sys.executable, "-c", ARB % theirs])[1].split()]
            best = [min(a, b) for a, b in zip(best, times)]
        os.remove(file.name)
        print(f"{ours:24}" + "".join(f"{t:7.3f} s " for t in best))


main()
