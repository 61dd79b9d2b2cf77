/* Gaussian mixture with a Wishart prior. Input: d K n m gamma; K weights; K rows of d means; K rows of d
   logarithms of the diagonal; K rows of d(d-1)/2 entries below it, column by column; n rows of d
   points. Partial derivatives: weights, means, then for each component diagonal and below. */
#include "harness.h"

static long d, K, n, m, below;
static double gamma_, *alpha, *mu, *q, *l, *x;
static double *ediag, *sums, *y, *z, *t, *sunk;

static void setup(void) {
  d = get(), K = get(), n = get(), m = get(), gamma_ = get();
  below = d * (d - 1) / 2;
  alpha = get_all(K), mu = get_all(K * d), q = get_all(K * d), l = get_all(K * below), x = get_all(n * d);
  ediag = reals(K * d), sums = reals(K), y = reals(K * d), z = reals(K * d), t = reals(K), sunk = reals(K * d);
  results = 1, partials = K + K * d + K * (d + below);
}

static double lse(const double *v) {
  double top = v[0], s = 0;
  for (long k = 1; k < K; k++) top = v[k] > top ? v[k] : top;
  for (long k = 0; k < K; k++) s += exp(v[k] - top);
  return top + log(s);
}

static void prepare(void) {
  for (long k = 0; k < K; k++) {
    sums[k] = 0;
    for (long j = 0; j < d; j++) sums[k] += q[k * d + j], ediag[k * d + j] = exp(q[k * d + j]);
  }
}

/* y = x - mu and z = Q y for each component, and t = the exponents */
static void exponents(const double *restrict point) {
  for (long k = 0; k < K; k++) {
    double *restrict yk = y + k * d, *restrict zk = z + k * d;
    const double *restrict col = l + k * below, *restrict mk = mu + k * d, *restrict ek = ediag + k * d;
    for (long j = 0; j < d; j++) yk[j] = point[j] - mk[j], zk[j] = ek[j] * yk[j];
    for (long j = 0; j < d; j++) {
      double v = yk[j];
      for (long i = j + 1; i < d; i++) zk[i] += col[i - j - 1] * v;
      col += d - j - 1;
    }
    double s = 0;
    for (long j = 0; j < d; j++) s += zk[j] * zk[j];
    t[k] = alpha[k] + sums[k] - 0.5 * s;
  }
}

static double rest(void) {
  double freedom = d + m + 1, total = -0.5 * n * d * log(2 * M_PI) - n * lse(alpha);
  double c = freedom * d * (log(gamma_) - 0.5 * log(2)) - 0.25 * d * (d - 1) * log(M_PI);
  for (long j = 0; j < d; j++) c -= lgamma(0.5 * (freedom - j));
  for (long k = 0; k < K; k++) {
    double s = 0;
    for (long j = 0; j < d; j++) s += ediag[k * d + j] * ediag[k * d + j];
    for (long i = 0; i < below; i++) s += l[k * below + i] * l[k * below + i];
    total += 0.5 * gamma_ * gamma_ * s - m * sums[k];
  }
  return total - K * c;
}

static void objective(double *restrict r) {
  prepare();
  double total = rest();
  for (long i = 0; i < n; i++) exponents(x + i * d), total += lse(t);
  r[0] = total;
}

static void gradient(double *restrict g) {
  double *restrict ga = g, *restrict gm = g + K, *restrict gq = g + K + K * d;
  long row = d + below;
  prepare();
  memset(g, 0, partials * sizeof(double));
  memset(sunk, 0, K * d * sizeof(double));
  for (long i = 0; i < n; i++) {
    exponents(x + i * d);
    double top = lse(t);
    for (long k = 0; k < K; k++) {
      double p = exp(t[k] - top);
      ga[k] += p;
      double *restrict diag = gq + k * row, *restrict col = diag + d, *restrict s = sunk + k * d;
      const double *restrict yk = y + k * d, *restrict zk = z + k * d;
      for (long j = 0; j < d; j++) s[j] += p * zk[j], diag[j] -= p * zk[j] * yk[j];
      for (long j = 0; j < d; j++) {
        double v = p * yk[j];
        for (long i = j + 1; i < d; i++) col[i - j - 1] -= v * zk[i];
        col += d - j - 1;
      }
    }
  }
  double top = lse(alpha);
  for (long k = 0; k < K; k++) {
    double *restrict diag = gq + k * row, *restrict low = diag + d;
    const double *restrict lk = l + k * below, *restrict s = sunk + k * d, *restrict ek = ediag + k * d;
    for (long j = 0, at = 0; j < d; j++) {
      double v = ek[j] * s[j]; /* the means, by the transposed factor of the summed vectors */
      for (long i = j + 1; i < d; i++) v += lk[at++] * s[i];
      gm[k * d + j] = v;
      diag[j] = diag[j] * ek[j] + ga[k] + gamma_ * gamma_ * ek[j] * ek[j] - m;
    }
    for (long i = 0; i < below; i++) low[i] += gamma_ * gamma_ * lk[i];
    ga[k] -= n * exp(alpha[k] - top);
  }
}
