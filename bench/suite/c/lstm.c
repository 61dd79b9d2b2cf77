/* A diagonal LSTM. Input: l c b; 2l rows of 4b parameters; 3 rows of b; 2l rows of b state; c rows of b
   characters. Partial derivatives: the parameters, row after row. */
#include "harness.h"

static long l, c, b;
static double *params, *extra, *state, *seq;
static double *tape, *h, *ce, *x, *bh, *bc, *bx, *xs;
enum { F, I, O, G, C, H, X, T, FIELDS }; /* gates, the old cell, the old hidden, the input, tanh of the new cell */

static void setup(void) {
  l = get(), c = get(), b = get();
  params = get_all(8 * l * b), extra = get_all(3 * b), state = get_all(2 * l * b), seq = get_all(c * b);
  tape = reals((c - 1) * l * FIELDS * b), xs = reals(c * b);
  h = reals(l * b), ce = reals(l * b), x = reals(b), bh = reals(l * b), bc = reals(l * b), bx = reals(b);
  results = 1, partials = 8 * l * b + 3 * b;
}

static double sigmoid(double z) { return 1 / (1 + exp(-z)); }

/* the loss; with keep, what the derivative needs is stored */
static double run(int keep) {
  double total = 0;
  for (long k = 0; k < l; k++)
    memcpy(h + k * b, state + 2 * k * b, b * sizeof(double)), memcpy(ce + k * b, state + (2 * k + 1) * b, b * sizeof(double));
  for (long t = 0; t < c - 1; t++) {
    for (long j = 0; j < b; j++) x[j] = seq[t * b + j] * extra[j];
    for (long k = 0; k < l; k++) {
      const double *restrict w = params + 8 * k * b, *restrict v = w + 4 * b;
      double *restrict hk = h + k * b, *restrict ck = ce + k * b, *restrict s = tape + (t * l + k) * FIELDS * b;
      for (long j = 0; j < b; j++) {
        double f = sigmoid(x[j] * w[j] + v[j]), i = sigmoid(hk[j] * w[b + j] + v[b + j]);
        double o = sigmoid(x[j] * w[2 * b + j] + v[2 * b + j]), g = tanh(hk[j] * w[3 * b + j] + v[3 * b + j]);
        double next = ck[j] * f + i * g, th = tanh(next);
        if (keep) {
          s[F * b + j] = f, s[I * b + j] = i, s[O * b + j] = o, s[G * b + j] = g;
          s[C * b + j] = ck[j], s[H * b + j] = hk[j], s[X * b + j] = x[j], s[T * b + j] = th;
        }
        ck[j] = next, hk[j] = x[j] = o * th;
      }
    }
    double sum = 2, part = 0, ones = 0;
    for (long j = 0; j < b; j++) {
      double y = x[j] * extra[b + j] + extra[2 * b + j], a = seq[(t + 1) * b + j];
      sum += exp(y), part += a * y, ones += a;
    }
    if (keep) memcpy(xs + t * b, x, b * sizeof(double));
    total += part - ones * log(sum);
  }
  return -total / ((c - 1) * b);
}

static void objective(double *restrict r) { r[0] = run(0); }

static void gradient(double *restrict g) {
  run(1);
  memset(g, 0, partials * sizeof(double));
  memset(bh, 0, l * b * sizeof(double)), memset(bc, 0, l * b * sizeof(double));
  double *restrict ge = g + 8 * l * b, scale = -1.0 / ((c - 1) * b);
  for (long t = c - 2; t >= 0; t--) {
    double sum = 2, ones = 0, e[b];
    for (long j = 0; j < b; j++) {
      e[j] = exp(xs[t * b + j] * extra[b + j] + extra[2 * b + j]);
      sum += e[j], ones += seq[(t + 1) * b + j];
    }
    for (long j = 0; j < b; j++) {
      double by = scale * (seq[(t + 1) * b + j] - ones * e[j] / sum);
      ge[b + j] += by * xs[t * b + j], ge[2 * b + j] += by, bx[j] = by * extra[b + j];
    }
    for (long k = l - 1; k >= 0; k--) {
      const double *restrict w = params + 8 * k * b, *restrict s = tape + (t * l + k) * FIELDS * b;
      double *restrict gw = g + 8 * k * b, *restrict gv = gw + 4 * b, *restrict bhk = bh + k * b, *restrict bck = bc + k * b;
      for (long j = 0; j < b; j++) {
        double f = s[F * b + j], i = s[I * b + j], o = s[O * b + j], ch = s[G * b + j], th = s[T * b + j];
        double out = bhk[j] + bx[j], cell = bck[j] + out * o * (1 - th * th);
        double zf = cell * s[C * b + j] * f * (1 - f), zi = cell * ch * i * (1 - i);
        double zo = out * th * o * (1 - o), zg = cell * i * (1 - ch * ch);
        double xj = s[X * b + j], hj = s[H * b + j];
        gw[j] += zf * xj, gw[b + j] += zi * hj, gw[2 * b + j] += zo * xj, gw[3 * b + j] += zg * hj;
        gv[j] += zf, gv[b + j] += zi, gv[2 * b + j] += zo, gv[3 * b + j] += zg;
        bck[j] = cell * f;
        bhk[j] = zi * w[b + j] + zg * w[3 * b + j];
        bx[j] = zf * w[j] + zo * w[2 * b + j];
      }
    }
    for (long j = 0; j < b; j++) ge[j] += bx[j] * seq[t * b + j];
  }
}
