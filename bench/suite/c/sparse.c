/* The energy of a chain, sum (x[i+1] - x[i]^2)^2 + (1 - x[i])^4 / 10, and its Hessian, whose pattern is known:
   the entries of each row from left to right. Input: the length, the chain. */
#include "harness.h"

static long n;
static double *x;

static void setup(void) {
  n = get();
  x = get_all(n);
  results = 1, partials = 3 * n - 2;
}

static void objective(double *restrict r) {
  double total = 0;
  for (long i = 0; i + 1 < n; i++) {
    double a = x[i + 1] - x[i] * x[i], b = (1 - x[i]) * (1 - x[i]);
    total += a * a + 0.1 * b * b;
  }
  r[0] = total;
}

static void gradient(double *restrict g) {
  long k = 0;
  for (long i = 0; i < n; i++) {
    double diagonal = 0;
    if (i > 0) g[k++] = -4 * x[i - 1], diagonal += 2;
    if (i + 1 < n) diagonal += 12 * x[i] * x[i] - 4 * x[i + 1] + 1.2 * (1 - x[i]) * (1 - x[i]);
    g[k++] = diagonal;
    if (i + 1 < n) g[k++] = -4 * x[i];
  }
}
