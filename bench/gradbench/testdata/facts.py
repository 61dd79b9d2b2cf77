"""Writes facts.jsonl: small inputs of GradBench's evals with their outputs, a message a line.

    python3 facts.py > facts.jsonl

The functions are written from the benchmark's definitions, on complex numbers; derivatives are
imaginary parts of a function at x + ih (the complex step), which has no rounding error to speak of.
"""
import cmath
import json
import math
import random

rng = random.Random(7)
H = 1e-30


def draw(*shape, low=-1, high=1):
    if not shape:
        return round(rng.uniform(low, high), 3)
    return [draw(*shape[1:], low=low, high=high) for _ in range(shape[0])]


def leaves(v):
    return [x for e in v for x in leaves(e)] if isinstance(v, list) else [v]


def like(v, xs):
    return [like(e, xs) for e in v] if isinstance(v, list) else next(xs)


def along(f, x, dx):
    """The derivative of f at x along dx, both nested lists."""
    y = f(like(x, iter([a + 1j * H * b for a, b in zip(leaves(x), leaves(dx))])))
    return like(y, iter([complex(v).imag / H for v in leaves(y)])) if isinstance(y, list) else complex(y).imag / H


def unit(x, k):
    return like(x, iter([float(i == k) for i in range(len(leaves(x)))]))


def grad(f, x):
    n = len(leaves(x))
    return like(x, iter([along(f, x, unit(x, k)) for k in range(n)]))


def real(v):
    return like(v, iter([complex(x).real for x in leaves(v)])) if isinstance(v, list) else complex(v).real


def fact(module, function, data, output):
    print(json.dumps({"module": module, "function": function, "input": data, "output": output}))


def lse(xs):
    top = max(complex(x).real for x in xs)
    return top + cmath.log(sum(cmath.exp(x - top) for x in xs))


# hello
for x in (1.5, -3):
    fact("hello", "square", x, x * x)
    fact("hello", "double", x, 2 * x)

# llsq
for n, m in ((4, 3), (7, 5)):
    x = draw(m)

    def llsq(x):
        total = 0
        for i in range(n):
            t = -1 + 2 * i / (n - 1)
            s = (t > 0) - (t < 0)
            total += (s - sum(c * t**j for j, c in enumerate(x)))**2
        return total / 2
    fact("llsq", "primal", {"x": x, "n": n}, real(llsq(x)))
    fact("llsq", "gradient", {"x": x, "n": n}, grad(llsq, x))

# lse
for n in (1, 5):
    x = draw(n, low=-30, high=30)
    fact("lse", "primal", {"x": x}, real(lse(x)))
    fact("lse", "gradient", {"x": x}, grad(lse, x))

# gmm
for d, k, n, m, gamma in ((2, 3, 4, 0, 1.0), (4, 2, 3, 2, 1.5)):
    x = draw(n, d)
    p = [draw(k), draw(k, d), draw(k, d), draw(k, d * (d - 1) // 2)]

    def gmm(p):
        alpha, mu, q, l = p
        factors = []
        for c in range(k):
            f = [[0] * d for _ in range(d)]
            below = iter(l[c])
            for j in range(d):
                f[j][j] = cmath.exp(q[c][j])
                for i in range(j + 1, d):
                    f[i][j] = next(below)
            factors.append(f)
        total = -n * (d / 2 * math.log(2 * math.pi) + lse(alpha))
        for point in x:
            terms = []
            for c in range(k):
                y = [a - b for a, b in zip(point, mu[c])]
                z = [sum(f * v for f, v in zip(row, y)) for row in factors[c]]
                terms.append(alpha[c] + sum(q[c]) - sum(v * v for v in z) / 2)
            total += lse(terms)
        freedom = d + m + 1
        log_gamma = d * (d - 1) / 4 * math.log(math.pi) + sum(
            math.lgamma(freedom / 2 + (1 - j) / 2) for j in range(1, d + 1))
        total += k * (freedom * d * (math.log(gamma) - math.log(2) / 2) - log_gamma)
        for c in range(k):
            total += m * sum(q[c]) - gamma**2 / 2 * sum(v * v for v in leaves(factors[c]))
        return total
    data = {"d": d, "k": k, "n": n, "x": x, "m": m, "gamma": gamma,
            "alpha": p[0], "mu": p[1], "q": p[2], "l": p[3]}
    fact("gmm", "objective", data, real(gmm(p)))
    fact("gmm", "jacobian", data, dict(zip(("alpha", "mu", "q", "l"), grad(gmm, p))))


# ba
def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def rotate(r, y, small=0.0):
    s = dot(r, r)
    if complex(s).real <= small:
        return [a + b for a, b in zip(y, cross(r, y))]
    th = cmath.sqrt(s)
    a = [v / th for v in r]
    w = cross(a, y)
    h = dot(a, y) * (1 - cmath.cos(th))
    return [y[i] * cmath.cos(th) + w[i] * cmath.sin(th) + a[i] * h for i in range(3)]


for n, m, p, turn in ((2, 3, 11, 0.4), (3, 2, 12, 0.0)):
    cam = draw(3, low=-turn, high=turn) + draw(8)
    x, w, feat = draw(2) + [4.0], draw(low=0.2), draw(2)

    def residual(v):
        cam, x, w = v[:11], v[11:14], v[14]
        y = rotate(cam[:3], [a - b for a, b in zip(x, cam[3:6])])
        q = [y[0] / y[2], y[1] / y[2]]
        s = dot(q, q)
        scale = cam[6] * (1 + cam[9] * s + cam[10] * s * s)
        return [w * (scale * q[i] + cam[7 + i] - feat[i]) for i in range(2)]
    v = cam + x + [w]
    data = {"n": n, "m": m, "p": p, "cam": cam, "x": x, "w": w, "feat": feat}
    fact("ba", "objective", data, {"reproj_error": {"elements": real(residual(v)), "repeated": p},
                                   "w_err": {"element": 1 - w * w, "repeated": p}})
    columns = [along(residual, v, unit(v, k)) for k in range(15)]
    rows, cols, vals = [0], [], []
    for i in range(p):
        for e in range(2):
            cols += [11 * (i % n) + j for j in range(11)]
            cols += [11 * n + 3 * (i % m) + j for j in range(3)] + [11 * n + 3 * m + i]
            vals += [c[e] for c in columns]
            rows.append(len(cols))
    for i in range(p):
        cols.append(11 * n + 3 * m + i)
        vals.append(-2 * w)
        rows.append(len(cols))
    some = {k: a[:30] + a[-1:] for k, a in (("rows", rows), ("cols", cols), ("vals", vals))}
    fact("ba", "jacobian", data, some)

# lstm
for l, c, b in ((1, 4, 2), (2, 5, 3)):
    main, extra, state = draw(2 * l, 4 * b), draw(3, b), draw(2 * l, b)
    sequence = [[rng.randint(0, 1) for _ in range(b)] for _ in range(c)]

    def sigmoid(z):
        return 1 / (1 + cmath.exp(-z))

    def lstm(p):
        main, extra = p
        s = [list(row) for row in state]
        total = 0
        for t in range(c - 1):
            x = [a * w for a, w in zip(sequence[t], extra[0])]
            for k in range(l):
                w, bias = main[2 * k], main[2 * k + 1]
                h, ce = s[2 * k], s[2 * k + 1]
                for j in range(b):
                    def gate(g, v):
                        return w[g * b + j] * v + bias[g * b + j]
                    ce[j] = ce[j] * sigmoid(gate(0, x[j])) + sigmoid(gate(1, h[j])) * cmath.tanh(gate(3, h[j]))
                    h[j] = sigmoid(gate(2, x[j])) * cmath.tanh(ce[j])
                x = list(h)
            y = [a * w + v for a, w, v in zip(x, extra[1], extra[2])]
            norm = cmath.log(2 + sum(cmath.exp(v) for v in y))
            total += sum(a * (v - norm) for a, v in zip(sequence[t + 1], y))
        return -total / (b * (c - 1))
    data = {"main_params": main, "extra_params": extra, "state": state, "sequence": sequence}
    fact("lstm", "objective", data, real(lstm([main, extra])))
    fact("lstm", "jacobian", data, leaves(grad(lstm, [main, extra])))


# ht: a hand of four bones, of which one is a knuckle, and five vertices
def mul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def turned(axis, t):
    c, s = cmath.cos(t), cmath.sin(t)
    m = [[float(i == j) for j in range(4)] for i in range(4)]
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    m[i][i], m[i][j], m[j][i], m[j][j] = c, -s, s, c
    return m


def affine():
    return draw(3, 4) + [[0, 0, 0, 1]]


for us, mirrored, still in (([], True, False), (draw(3, 2, low=0, high=0.5), False, False), ([], False, True)):
    bones = 4
    model = {"bone_count": bones, "bone_names": list("abcd"), "parents": [-1, 0, 1, 2],
             "base_relatives": [affine() for _ in range(bones)],
             "inverse_base_absolutes": [affine() for _ in range(bones)],
             "base_positions": [draw(3) + [1] for _ in range(5)],
             "weights": draw(5, bones, low=0), "triangles": [[0, 1, 2], [3, 4, 0]], "is_mirrored": mirrored}
    theta = ([0.0] * 3 if still else draw(3)) + draw(23)
    corr = [0, 1, 1] if us else [2, 4, 0]
    points = draw(3, 3)

    def errors(v):
        theta, us = v
        angles = [(0, 0, 0)] * bones
        angles[2] = (theta[6], theta[7], 0)
        angles[3] = (theta[8], 0, 0)
        moves, absolutes = [], []
        for b in range(bones):
            turn = mul(mul(turned(2, angles[b][1]), turned(1, angles[b][2])), turned(0, angles[b][0]))
            rel = mul(model["base_relatives"][b], turn)
            parent = model["parents"][b]
            absolutes.append(rel if parent < 0 else mul(absolutes[parent], rel))
            moves.append(mul(absolutes[b], model["inverse_base_absolutes"][b]))
        posed = []
        for pos, weights in zip(model["base_positions"], model["weights"]):
            v = [sum(w * dot(t[i], pos) for w, t in zip(weights, moves)) for i in range(3)]
            if mirrored:
                v[0] = -v[0]
            if complex(dot(theta[:3], theta[:3])).real >= 1e-8:
                v = rotate(theta[:3], v)
            posed.append([a + b for a, b in zip(v, theta[3:6])])
        out = []
        for i, c in enumerate(corr):
            where = posed[c]
            if us:
                tri = [posed[t] for t in model["triangles"][c]]
                u, w = us[i]
                where = [u * a + w * b + (1 - u - w) * c for a, b, c in zip(*tri)]
            out += [a - b for a, b in zip(points[i], where)]
        return out
    data = {"theta": theta, "us": us, "data": {"correspondences": corr, "points": points, "model": model}}
    fact("ht", "objective", data, real(errors([theta, us])))
    tangents = [[[0.0] * 26, [[float(k == j) for j in range(2)] for _ in us]] for k in range(2)] if us else []
    tangents += [[unit(theta, k), [[0.0, 0.0] for _ in us]] for k in range(26)]
    columns = [along(errors, [theta, us], t) for t in tangents]
    fact("ht", "jacobian", data, [list(row) for row in zip(*columns)])

# kmeans: the step is the distance from the mean of the points that are nearest
points, centroids = draw(9, 2), [[-0.5, -0.5], [0.5, 0.0], [0.0, 0.7]]
nearest = [min(range(3), key=lambda j: sum((a - b)**2 for a, b in zip(centroids[j], p))) for p in points]
data = {"points": points, "centroids": centroids}
fact("kmeans", "cost", data, sum(sum((a - b)**2 for a, b in zip(centroids[j], p)) for j, p in zip(nearest, points)))
steps = []
for j, c in enumerate(centroids):
    own = [p for p, k in zip(points, nearest) if k == j]
    steps.append([c[t] - sum(p[t] for p in own) / len(own) for t in range(2)])
fact("kmeans", "dir", data, steps)

# ode
for n, s in ((1, 2), (4, 3), (6, 2)):
    x = draw(n)

    def ode(x):
        def f(y):
            return [x[0]] + [x[i] * y[i - 1] for i in range(1, n)]

        def plus(y, h, k):
            return [a + h * b for a, b in zip(y, k)]
        y, h = [0] * n, 2 / s
        for _ in range(s):
            k1 = f(y)
            k2 = f(plus(y, h / 2, k1))
            k3 = f(plus(y, h / 2, k2))
            k4 = f(plus(y, h, k3))
            y = [a + h / 6 * (p + 2 * q + 2 * r + t) for a, p, q, r, t in zip(y, k1, k2, k3, k4)]
        return y
    fact("ode", "primal", {"x": x, "s": s}, real(ode(x)))
    fact("ode", "gradient", {"x": x, "s": s}, grad(lambda x: ode(x)[-1], x))

# det
for ell in (1, 2, 4):
    def det(a, ell=ell):
        if ell == 0:
            return 1
        rest = [a[i * ell + j] for i in range(1, ell) for j in range(ell)]
        total = 0
        for c in range(ell):
            minor = [v for i, v in enumerate(rest) if i % ell != c]
            total += (-1)**c * a[c] * det(minor, ell - 1)
        return total
    a = draw(ell * ell)
    fact("det", "primal", {"A": a, "ell": ell}, real(det(a)))
    fact("det", "gradient", {"A": a, "ell": ell}, grad(det, a))


# particle and saddle
def argmin(f, g, x):
    fx, gx, i, eta = f(x), g(x), 0, 1e-5
    while True:
        if math.sqrt(dot(gx, gx)) <= 1e-5:
            return x
        if i == 10:
            eta, i = 2 * eta, 0
            continue
        y = [a - eta * b for a, b in zip(x, gx)]
        if math.sqrt(sum((a - b)**2 for a, b in zip(x, y))) <= 1e-5:
            return x
        fy = f(y)
        if fy < fx:
            x, fx, gx, i = y, fy, g(y), i + 1
        else:
            eta, i = eta / 2, 0


def landing(w):
    x, v, h = [0, 8], [0.75, 0], 0.1
    while True:
        acc = [0, 0]
        for c in ([10, 10 - w], [10, 0]):
            d = [x[0] - c[0], x[1] - c[1]]
            r = cmath.sqrt(dot(d, d))
            acc = [a + b / r**3 for a, b in zip(acc, d)]
        x = [a + h * b for a, b in zip(x, v)]
        if complex(x[1]).real <= 0:
            return (x[0] - x[1] / v[1] * v[0])**2
        v = [a + h * b for a, b in zip(v, acc)]


w = argmin(lambda w: landing(w[0]).real, lambda w: [landing(w[0] + 1j * H).imag / H], [0.0])[0]
fact("particle", "rr", {"w": 0.0}, w)
start = [0.02, -0.01]
x = argmin(lambda x: dot(x, x), lambda x: [2 * v for v in x], start)
for mode in ("ff", "fr", "rf", "rr"):
    fact("saddle", mode, {"start": start}, x + x)
