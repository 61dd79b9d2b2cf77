/* A Kalman filter of a level that drifts, with tangents by the two variances. Input: noise, drift, the number
   of measurements, the measurements. */
#include "harness.h"

static double noise, drift, *seen;
static long n;

static void setup(void) {
  noise = get(), drift = get(), n = get(), seen = get_all(n);
  results = 1, partials = 2;
}

static void objective(double *restrict r) {
  double level = 0, var = 1, total = 0;
  for (long i = 0; i < n; i++) {
    double spread = var + noise, e = seen[i] - level, gain = var / spread;
    total -= 0.5 * (log(2 * M_PI * spread) + e * e / spread);
    level += gain * e, var = var * (1 - gain) + drift;
  }
  r[0] = total;
}

static void gradient(double *restrict g) {
  double level = 0, var = 1, dl[2] = {0}, dv[2] = {0}, total[2] = {0};
  for (long i = 0; i < n; i++) {
    double spread = var + noise, inv = 1 / spread, e = seen[i] - level, gain = var * inv;
    for (int j = 0; j < 2; j++) {
      double ds = dv[j] + (j == 0), de = -dl[j], dg = (dv[j] - gain * ds) * inv;
      total[j] -= 0.5 * (ds * inv + (2 * e * de - e * e * inv * ds) * inv);
      dl[j] += dg * e + gain * de;
      dv[j] = dv[j] * (1 - gain) - var * dg + (j == 1);
    }
    level += gain * e, var = var * (1 - gain) + drift;
  }
  g[0] = total[0], g[1] = total[1];
}
