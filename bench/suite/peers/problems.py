"""The objectives of the suite, as a user of NumPy would write them.

`xp` is jax.numpy or torch, `scan` is a loop that keeps what each turn gives. Each problem takes its
input as read from JSON and gives a pair: a function, and the arguments to differentiate it by.
"""

import math


def gmm(xp, array, scan, given):
    x, gamma, m = array(given["x"]), given["gamma"], given["m"]
    n, d = x.shape
    k = len(given["alpha"])
    rows, columns = [], []
    for j in range(d):
        for i in range(j + 1, d):
            rows.append(i)
            columns.append(j)
    place = array([i * d + j for i, j in zip(rows, columns)], int)
    a = 0.5 * (d + m + 1)
    lgammas = sum(math.lgamma(a - 0.5 * j) for j in range(d)) + 0.25 * d * (d - 1) * math.log(math.pi)
    constant = k * (2 * a * d * (math.log(gamma) - 0.5 * math.log(2)) - lgammas)

    def logsumexp(v):
        largest = v.max(-1) if xp.__name__ != "torch" else v.max(-1).values
        return largest + xp.log(xp.exp(v - largest[..., None]).sum(-1))

    def loss(alpha, mu, q, l):
        if xp.__name__ == "torch":
            flat = xp.zeros((k, d * d), dtype=l.dtype).index_copy(1, place, l)
        else:
            flat = xp.zeros((k, d * d)).at[:, place].set(l)
        lower = flat.reshape(k, d, d)
        y = x[:, None, :] - mu[None]
        z = xp.exp(q)[None] * y + xp.einsum("kij,nkj->nki", lower, y)
        exponents = alpha + q.sum(-1) - 0.5 * (z * z).sum(-1)
        normaliser = 0.5 * d * math.log(2 * math.pi) + logsumexp(alpha)
        squares = xp.exp(2 * q).sum() + (l * l).sum()
        prior = constant + m * q.sum() - 0.5 * gamma**2 * squares
        return logsumexp(exponents).sum() - n * normaliser - prior

    return loss, [array(given[name]) for name in ("alpha", "mu", "q", "l")]


def ba(xp, array, scan, given):
    """The residuals of all observations, from their cameras, points and weights."""
    n, m, p = given["n"], given["m"], given["p"]
    feature = array(given["feat"])

    def residual(v):
        rotation, center, focal, principal, distortion = v[0:3], v[3:6], v[6], v[7:9], v[9:11]
        point, weight = v[11:14], v[14]
        angle = xp.sqrt((rotation * rotation).sum())
        axis, y = rotation / angle, point - center
        turned = xp.cos(angle) * y + xp.sin(angle) * xp.linalg.cross(axis, y)
        turned = turned + (1 - xp.cos(angle)) * (axis * y).sum() * axis
        image = turned[:2] / turned[2]
        s = (image * image).sum()
        seen = focal * (1 + distortion[0] * s + distortion[1] * s * s) * image + principal
        return weight * (seen - feature)

    return residual, [array([given["cam"] + given["x"] + [given["w"]]] * p)]


def lstm(xp, array, scan, given):
    state, sequence = array(given["state"]), array(given["sequence"])
    b = sequence.shape[1]

    def sigmoid(v):
        return 1 / (1 + xp.exp(-v))

    def loss(main, extra):
        xs = sequence[:-1] * extra[0]
        for k in range(main.shape[0] // 2):
            weights, biases = main[2 * k], main[2 * k + 1]

            def step(carried, x):
                hidden, cell = carried

                def gate(g, v):
                    return weights[g * b : (g + 1) * b] * v + biases[g * b : (g + 1) * b]

                cell = cell * sigmoid(gate(0, x)) + sigmoid(gate(1, hidden)) * xp.tanh(gate(3, hidden))
                hidden = sigmoid(gate(2, x)) * xp.tanh(cell)
                return (hidden, cell), hidden

            xs = scan(step, (state[2 * k], state[2 * k + 1]), xs)[1]
        y = xs * extra[1] + extra[2]
        normaliser = xp.log(2 + xp.exp(y).sum(-1))
        score = (sequence[1:] * (y - normaliser[:, None])).sum()
        return -score / ((sequence.shape[0] - 1) * b)

    return loss, [array(given["main_params"]), array(given["extra_params"])]


def hand(xp, array, scan, given):
    data = given["data"]
    model = data["model"]
    relatives, inverses = array(model["base_relatives"]), array(model["inverse_base_absolutes"])
    positions, weights = array(model["base_positions"]), array(model["weights"])
    points = array(data["points"])
    mirror = array([-1.0 if model["is_mirrored"] else 1.0, 1.0, 1.0])
    correspondences = array(data["correspondences"], int)
    triangles = array(model["triangles"], int)
    us = given["us"]

    def matrix(rows):
        return xp.stack([xp.stack(list(row)) for row in rows])

    def euler(x, y, z):
        one = x * 0 + 1
        zero = x * 0
        sx, cx, sy, cy, sz, cz = xp.sin(x), xp.cos(x), xp.sin(y), xp.cos(y), xp.sin(z), xp.cos(z)
        return matrix(
            [
                (cy * cz, sx * sy * cz - cx * sz, sx * sz + cx * sy * cz, zero),
                (cy * sz, cx * cz + sx * sy * sz, cx * sy * sz - sx * cz, zero),
                (-sy, sx * cy, cx * cy, zero),
                (zero, zero, zero, one),
            ]
        )

    def joint(theta, bone):
        zero = theta[0] * 0
        finger, part = divmod(bone - 1, 4)
        first = 6 + 4 * finger
        if bone < 1 or finger > 4 or part == 0:
            return euler(zero, zero, zero)
        if part == 1:
            return euler(theta[first], zero, theta[first + 1])
        return euler(theta[first + part], zero, zero)

    def rotation(r):
        angle = xp.sqrt((r * r).sum())
        a, b, c = r[0] / angle, r[1] / angle, r[2] / angle
        s, t = xp.sin(angle), 1 - xp.cos(angle)
        return matrix(
            [
                (1 - t * (b**2 + c**2), t * a * b - s * c, t * a * c + s * b),
                (t * a * b + s * c, 1 - t * (a**2 + c**2), t * b * c - s * a),
                (t * a * c - s * b, t * b * c + s * a, 1 - t * (a**2 + b**2)),
            ]
        )

    def errors(theta, *us):
        absolutes = []
        for bone, parent in enumerate(model["parents"]):
            relative = relatives[bone] @ joint(theta, bone)
            absolutes.append(relative if parent < 0 else absolutes[parent] @ relative)
        moves = xp.stack(absolutes) @ inverses
        local = xp.einsum("vb,bij,vj->vi", weights, moves, positions)[:, :3] * mirror
        posed = local @ rotation(theta[:3]).T + theta[3:6]
        if us:
            corners = posed[triangles[correspondences]]
            u, v = us[0][:, 0:1], us[0][:, 1:2]
            surface = u * corners[:, 0] + v * corners[:, 1] + (1 - u - v) * corners[:, 2]
        else:
            surface = posed[correspondences]
        return (points - surface).reshape(-1)

    return errors, [array(given["theta"])] + ([array(us)] if us else [])


def mlp(xp, array, scan, given):
    images, labels = array(given["images"]), array(given["labels"], int)
    params = given["params"]

    def loss(w1, b1, w2, b2):
        scores = xp.tanh(images @ w1 + b1) @ w2 + b2
        chosen = scores[range(scores.shape[0]), labels] if xp.__name__ == "torch" else xp.take_along_axis(scores, labels[:, None], 1)[:, 0]
        normaliser = xp.log(xp.exp(scores).sum(-1))
        return -(chosen - normaliser).mean()

    return loss, [array(params[name]) for name in ("w1", "b1", "w2", "b2")]


def rnn(xp, array, scan, given):
    inputs, target, params = array(given["inputs"]), array(given["target"]), given["params"]

    def loss(w, u, b):
        def step(h, x):
            h = xp.tanh(w @ h + u @ x + b)
            return h, h

        last = scan(step, target * 0, inputs)[0]
        return 0.5 * ((last - target) ** 2).sum()

    return loss, [array(params[name]) for name in ("w", "u", "b")]


def transformer(xp, array, scan, given):
    tokens, params = array(given["tokens"]), given["params"]

    def softmax(v):
        e = xp.exp(v - (v.max(-1).values if xp.__name__ == "torch" else v.max(-1))[..., None])
        return e / e.sum(-1)[..., None]

    def normalised(x):
        centred = x - x.mean(-1)[..., None]
        return centred / xp.sqrt((centred * centred).mean(-1)[..., None] + 1e-5)

    def loss(query, key, value, out, up, down):
        y = normalised(tokens)
        scale = 1 / math.sqrt(query.shape[2])
        scores = xp.einsum("td,hdk,hek,se->hts", y, query, key, y) * scale
        heads = softmax(scores) @ (y @ value)
        joined = xp.moveaxis(heads, 0, 1).reshape(tokens.shape[0], -1)
        z = tokens + joined @ out
        hidden = normalised(z) @ up
        result = z + xp.where(hidden > 0, hidden, 0 * hidden) @ down
        return 0.5 * (result * result).sum()

    return loss, [array(params[name]) for name in ("query", "key", "value", "out", "up", "down")]


def conv(xp, array, scan, given):
    images, kernels = array(given["images"]), array(given["kernels"])

    def loss(kernels):
        if xp.__name__ == "torch":
            out = xp.nn.functional.conv2d(images[:, None], kernels[:, None])
        else:
            from jax import lax

            out = lax.conv(images[:, None], kernels[:, None], (1, 1), "VALID")
        return (xp.where(out > 0, out, 0 * out) ** 2).sum() / images.shape[0]

    return loss, [kernels]


def kalman(xp, array, scan, given):
    seen = array(given["seen"])

    def loss(noise, drift):
        def step(state, x):
            level, variance, total = state
            spread = variance + noise
            surprise = x - level
            gain = variance / spread
            likelihood = -0.5 * (xp.log(2 * math.pi * spread) + surprise**2 / spread)
            state = (level + gain * surprise, variance * (1 - gain) + drift, total + likelihood)
            return state, likelihood

        return scan(step, (0 * noise, 0 * noise + 1, 0 * noise), seen)[0][2]

    return loss, [array(given["variances"][name]) for name in ("noise", "drift")]


def blackscholes(xp, array, scan, given):
    zs, years, strike = array(given["normals"]), given["years"], given["strike"]

    def loss(spot, rate, volatility):
        drift = (rate - volatility**2 / 2) * years
        spread = volatility * math.sqrt(years)
        gain = spot * xp.exp(drift + spread * zs) - strike
        return xp.exp(-rate * years) * xp.where(gain > 0, gain, 0 * gain).mean()

    return loss, [array(given["market"][name]) for name in ("spot", "rate", "volatility")]


def lotka(xp, array, scan, given):
    h = given["time"] / given["steps"]
    start = array(given["start"])

    def loss(birth, eaten, death, growth):
        def slope(s):
            x, y = s[0], s[1]
            return xp.stack([birth * x - eaten * x * y, growth * x * y - death * y])

        def step(s, _):
            k1 = slope(s)
            k2 = slope(s + h / 2 * k1)
            k3 = slope(s + h / 2 * k2)
            k4 = slope(s + h * k3)
            s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            return s, s[0]

        return scan(step, start, xp.zeros(given["steps"]))[0][0]

    return loss, [array(given["rates"][name]) for name in ("birth", "eaten", "death", "growth")]


def hmc(xp, array, scan, given):
    seen, errors, h = array(given["seen"]), array(given["errors"]), given["size"]

    def point(p):
        return array([p["mean"], p["logSpread"]] + p["effects"])

    def density(q):
        mean, log_spread, effects = q[0], q[1], q[2:]
        terms = ((seen - mean - xp.exp(log_spread) * effects) / errors) ** 2
        prior = mean**2 / 25 + log_spread**2 + (effects * effects).sum()
        return -0.5 * (prior + terms.sum())

    push = point(given["push"])
    if xp.__name__ == "torch":
        from torch.func import grad
    else:
        from jax import grad
    slope = grad(density)

    def loss(start):
        def step(state, _):
            q, p = state
            half = p + 0.5 * h * slope(q)
            q = q + h * half
            return (q, half + 0.5 * h * slope(q)), q[0]

        q, p = scan(step, (start, push), xp.zeros(given["steps"]))[0]
        return 0.5 * (p * p).sum() - density(q)

    return loss, [point(given["start"])]
