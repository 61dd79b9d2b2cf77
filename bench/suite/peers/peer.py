"""Measures a problem of the suite in another system: peer.py jax|torch PROBLEM IN OUT SECONDS.

IN is the problem's input as JSON. OUT gets the shortest times in milliseconds and the gradient, in
the order of the suite. Everything runs on one thread, is compiled beforehand, and in doubles.
"""

import json
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import numpy as np

import problems


class Jax:
    def __init__(self):
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax, self.xp, self.scan = jax, jax.numpy, jax.lax.scan

    def array(self, x, kind=float):
        return self.xp.asarray(np.asarray(x, np.float64 if kind is float else np.int64))

    def compiled(self, f):
        jitted = self.jax.jit(f)
        return lambda *args: self.jax.block_until_ready(jitted(*args))

    def gradient(self, f, n):
        return self.jax.grad(f, tuple(range(n)))

    def rows(self, f):
        """A function and its Jacobian matrix, for each row of an array."""
        return self.jax.vmap(f), self.jax.vmap(self.jax.jacrev(f))

    def forward(self, f):
        return self.jax.jacfwd(f)

    def along(self, f, x, dx):
        return self.jax.jvp(f, (x,), (dx,))[1]


class Torch:
    def __init__(self):
        import torch

        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        self.xp = torch

    def array(self, x, kind=float):
        return self.xp.as_tensor(np.asarray(x, np.float64 if kind is float else np.int64))

    def scan(self, step, state, xs):
        kept = []
        for x in xs:
            state, y = step(state, x)
            kept.append(y)
        return state, self.xp.stack(kept)

    def compiled(self, f):
        return f

    def gradient(self, f, n):
        def backward(*args):
            leaves = [x.detach().requires_grad_() for x in args]
            return self.xp.autograd.grad(f(*leaves), leaves)

        return backward

    def rows(self, f):
        from torch.func import jacrev, vmap

        return vmap(f), vmap(jacrev(f))

    def forward(self, f):
        return self.xp.func.jacfwd(f)

    def along(self, f, x, dx):
        return self.xp.func.jvp(f, (x,), (dx,))[1]


def functions(name, system, given):
    """The value and the derivative, with arguments, and what the suite reports of the derivative."""
    f, args = getattr(problems, name)(system.xp, system.array, system.scan, given)
    if name == "ba":
        values, blocks = system.rows(f)
        weight = lambda vs: 1 - vs[:, 14] ** 2
        slopes = lambda vs: -2 * vs[:, 14]
        return (lambda vs: (values(vs), weight(vs))), (lambda vs: (blocks(vs), slopes(vs))), args, flat
    if name == "hand" and len(args) == 1:
        return f, system.forward(f), args, lambda j: np.asarray(j).T.ravel()
    if name == "hand":

        def derivative(theta, us):
            along = [system.along(lambda us: f(theta, us), us, us * 0 + system.array(e)) for e in ([1, 0], [0, 1])]
            return along, system.forward(lambda theta: f(theta, us))(theta)

        report = lambda d: np.concatenate([np.asarray(d[0][0]), np.asarray(d[0][1]), np.asarray(d[1]).T.ravel()])
        return f, derivative, args, report
    if name == "gmm":
        report = lambda g: np.concatenate(
            [np.asarray(g[0]), np.asarray(g[1]).ravel(), np.concatenate([np.asarray(g[2]), np.asarray(g[3])], 1).ravel()]
        )
        return f, system.gradient(f, len(args)), args, report
    return f, system.gradient(f, len(args)), args, flat


def flat(parts):
    return np.concatenate([np.asarray(p).ravel() for p in parts])


def main():
    system, name, source, target, seconds = sys.argv[1:]
    system = {"jax": Jax, "torch": Torch}[system]()
    with open(source) as file:
        given = json.load(file)
    value, derivative, args, report = functions(name, system, given)
    runs = [system.compiled(value), system.compiled(derivative)]
    gradient = report(runs[1](*args))
    runs[0](*args)
    best = [float("inf")] * 2
    start, rounds = time.perf_counter(), 0
    while rounds < 2 or time.perf_counter() - start < float(seconds):
        for k, run in enumerate(runs):
            before = time.perf_counter()
            run(*args)
            best[k] = min(best[k], time.perf_counter() - before)
        rounds += 1
    with open(target, "w") as file:
        json.dump({"primal_ms": 1e3 * best[0], "grad_ms": 1e3 * best[1], "gradient": gradient.tolist()}, file)


main()
