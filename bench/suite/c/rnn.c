/* A recurrent network. Input: states, steps; the matrices w and u; the bias; the inputs; the target. Partial
   derivatives: w, u, the bias. */
#include "harness.h"

static long n, steps;
static double *w, *u, *b, *in, *target, *h, *bar, *z;

static void setup(void) {
  n = get(), steps = get();
  w = get_all(n * n), u = get_all(n * n), b = get_all(n), in = get_all(steps * n), target = get_all(n);
  h = reals((steps + 1) * n), bar = reals(n), z = reals(n);
  results = 1, partials = 2 * n * n + n;
}

static void run(void) {
  for (long t = 0; t < steps; t++) {
    const double *restrict old = h + t * n, *restrict x = in + t * n;
    for (long i = 0; i < n; i++) {
      double s = b[i];
#pragma omp simd reduction(+ : s)
      for (long j = 0; j < n; j++) s += w[i * n + j] * old[j] + u[i * n + j] * x[j];
      h[(t + 1) * n + i] = tanh(s);
    }
  }
}

static void objective(double *restrict r) {
  run();
  double s = 0;
  for (long i = 0; i < n; i++) s += 0.5 * (h[steps * n + i] - target[i]) * (h[steps * n + i] - target[i]);
  r[0] = s;
}

static void gradient(double *restrict g) {
  double *restrict gw = g, *restrict gu = g + n * n, *restrict gb = g + 2 * n * n;
  run();
  memset(g, 0, partials * sizeof(double));
  for (long i = 0; i < n; i++) bar[i] = h[steps * n + i] - target[i];
  for (long t = steps - 1; t >= 0; t--) {
    const double *restrict old = h + t * n, *restrict x = in + t * n, *restrict now_ = old + n;
    for (long i = 0; i < n; i++) z[i] = bar[i] * (1 - now_[i] * now_[i]), gb[i] += z[i], bar[i] = 0;
    for (long i = 0; i < n; i++) {
      double zi = z[i];
      for (long j = 0; j < n; j++) gw[i * n + j] += zi * old[j], gu[i * n + j] += zi * x[j], bar[j] += zi * w[i * n + j];
    }
  }
}
