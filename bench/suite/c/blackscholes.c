/* A call by Monte Carlo. Input: spot, rate, volatility, strike, years, the number of paths, their normal
   numbers. Partial derivatives: by spot, rate and volatility. */
#include "harness.h"

static double spot, rate, vol, strike, years, *z;
static long n;

static void setup(void) {
  spot = get(), rate = get(), vol = get(), strike = get(), years = get(), n = get(), z = get_all(n);
  results = 1, partials = 3;
}

static void objective(double *restrict r) {
  double drift = (rate - vol * vol / 2) * years, spread = vol * sqrt(years), sum = 0;
  for (long i = 0; i < n; i++) {
    double gain = spot * exp(drift + spread * z[i]) - strike;
    sum += gain > 0 ? gain : 0;
  }
  r[0] = exp(-rate * years) * sum / n;
}

static void gradient(double *restrict g) {
  double root = sqrt(years), drift = (rate - vol * vol / 2) * years, spread = vol * root;
  double sum = 0, ends = 0, weighted = 0;
  for (long i = 0; i < n; i++) {
    double end = spot * exp(drift + spread * z[i]);
    double paid = end > strike ? end : 0;
    sum += end > strike ? end - strike : 0, ends += paid, weighted += paid * z[i];
  }
  double discount = exp(-rate * years) / n;
  g[0] = discount * ends / spot;
  g[1] = discount * years * (ends - sum);
  g[2] = discount * (root * weighted - vol * years * ends);
}
