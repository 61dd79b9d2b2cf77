/* A perceptron with one hidden layer: the mean cross-entropy of a batch. Input: inputs, hidden, outputs, batch;
   the matrices and biases of both layers, by inputs and then by outputs; the images; the labels. Partial
   derivatives: the same matrices and biases. */
#include "harness.h"

static long n, m, k, batch;
static double *w1, *b1, *w2, *b2, *x, *label, *h, *s, *bh;

static void setup(void) {
  n = get(), m = get(), k = get(), batch = get();
  w1 = get_all(n * m), b1 = get_all(m), w2 = get_all(m * k), b2 = get_all(k), x = get_all(batch * n), label = get_all(batch);
  h = reals(batch * m), s = reals(batch * k), bh = reals(batch * m);
  results = 1, partials = n * m + m + m * k + k;
}

/* c += a b, for a of r rows and q columns and b of p columns, four rows at a time */
static void multiply(long r, long q, long p, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < r; i += 4)
    for (long l = 0; l < q; l++)
      for (long e = i; e < i + 4 && e < r; e++) {
        double v = a[e * q + l];
        for (long j = 0; j < p; j++) c[e * p + j] += v * b[l * p + j];
      }
}

static double forward(void) {
  double total = 0;
  for (long i = 0; i < batch; i++) memcpy(h + i * m, b1, m * sizeof(double)), memcpy(s + i * k, b2, k * sizeof(double));
  multiply(batch, n, m, x, w1, h);
  for (long i = 0; i < batch * m; i++) h[i] = tanh(h[i]);
  multiply(batch, m, k, h, w2, s);
  for (long i = 0; i < batch; i++) { /* s becomes the probabilities */
    double *si = s + i * k, top = si[0], sum = 0, chosen = si[(long)label[i]];
    for (long j = 1; j < k; j++) top = si[j] > top ? si[j] : top;
    for (long j = 0; j < k; j++) sum += si[j] = exp(si[j] - top);
    for (long j = 0; j < k; j++) si[j] /= sum;
    total += top + log(sum) - chosen;
  }
  return total / batch;
}

static void objective(double *restrict r) { r[0] = forward(); }

static void gradient(double *restrict g) {
  double *restrict gw1 = g, *restrict gb1 = g + n * m, *restrict gw2 = gb1 + m, *restrict gb2 = gw2 + m * k;
  forward();
  memset(g, 0, partials * sizeof(double));
  for (long i = 0; i < batch; i++) {
    double *restrict si = s + i * k, *restrict hi = h + i * m, *restrict z = bh + i * m;
    si[(long)label[i]] -= 1;
    for (long j = 0; j < k; j++) si[j] /= batch, gb2[j] += si[j];
    for (long l = 0; l < m; l++) {
      double v = 0;
      for (long j = 0; j < k; j++) gw2[l * k + j] += hi[l] * si[j], v += w2[l * k + j] * si[j];
      z[l] = v * (1 - hi[l] * hi[l]), gb1[l] += z[l];
    }
  }
  for (long l = 0; l < n; l++)
    for (long i = 0; i < batch; i++) {
      double v = x[i * n + l];
      for (long j = 0; j < m; j++) gw1[l * m + j] += v * bh[i * m + j];
    }
}
