/* Bundle adjustment. Input: n m p, then n cameras of 11, m points of 3, p weights, p features of 2. Results: p
   pairs of errors, then p errors of weights. Partial derivatives: for each observation the two rows by
   camera, point and weight, then p by the weights. */
#include "harness.h"

static long n, m, p;
static double *cams, *points, *weights, *feats;

static void setup(void) {
  n = get(), m = get(), p = get();
  cams = get_all(11 * n), points = get_all(3 * m), weights = get_all(p), feats = get_all(2 * p);
  results = 3 * p, partials = 31 * p;
}

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

static void objective(double *restrict r) {
  for (long i = 0; i < p; i++) {
    const double *cam = cams + 11 * (i % n), *X = points + 3 * (i % m);
    double w = weights[i], v[3], c[3], Y[3];
    for (int j = 0; j < 3; j++) v[j] = X[j] - cam[3 + j];
    double s2 = cam[0] * cam[0] + cam[1] * cam[1] + cam[2] * cam[2];
    if (s2 != 0) {
      double th = sqrt(s2), a[3], co = cos(th), si = sin(th);
      for (int j = 0; j < 3; j++) a[j] = cam[j] / th;
      cross(a, v, c);
      double h = (a[0] * v[0] + a[1] * v[1] + a[2] * v[2]) * (1 - co);
      for (int j = 0; j < 3; j++) Y[j] = v[j] * co + c[j] * si + a[j] * h;
    } else {
      cross(cam, v, c);
      for (int j = 0; j < 3; j++) Y[j] = v[j] + c[j];
    }
    double q0 = Y[0] / Y[2], q1 = Y[1] / Y[2], s = q0 * q0 + q1 * q1;
    double scale = cam[6] * (1 + cam[9] * s + cam[10] * s * s);
    r[2 * i] = w * (scale * q0 + cam[7] - feats[2 * i]);
    r[2 * i + 1] = w * (scale * q1 + cam[8] - feats[2 * i + 1]);
  }
  for (long i = 0; i < p; i++) r[2 * p + i] = 1 - weights[i] * weights[i];
}

static void gradient(double *restrict g) {
  for (long i = 0; i < p; i++) {
    const double *cam = cams + 11 * (i % n), *X = points + 3 * (i % m);
    double w = weights[i], v[3], R[3][3], dr[3][3], Y[3]; /* dr[k]: dY / dr_k */
    for (int j = 0; j < 3; j++) v[j] = X[j] - cam[3 + j];
    double s2 = cam[0] * cam[0] + cam[1] * cam[1] + cam[2] * cam[2];
    if (s2 != 0) {
      double th = sqrt(s2), a[3], c[3], co = cos(th), si = sin(th), co1 = 1 - co;
      for (int j = 0; j < 3; j++) a[j] = cam[j] / th;
      cross(a, v, c);
      double av = a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
      for (int j = 0; j < 3; j++) Y[j] = v[j] * co + c[j] * si + a[j] * (av * co1);
      double K[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) R[j][k] = (j == k ? co : 0) + si * K[j][k] + co1 * a[j] * a[k];
      for (int k = 0; k < 3; k++) {
        double da[3], dc[3];
        for (int j = 0; j < 3; j++) da[j] = ((j == k) - a[j] * a[k]) / th;
        cross(da, v, dc);
        double dav = da[0] * v[0] + da[1] * v[1] + da[2] * v[2];
        for (int j = 0; j < 3; j++)
          dr[k][j] = a[k] * (-si * v[j] + co * c[j] + si * av * a[j]) + si * dc[j] + co1 * (av * da[j] + dav * a[j]);
      }
    } else {
      double c[3];
      cross(cam, v, c);
      for (int j = 0; j < 3; j++) {
        Y[j] = v[j] + c[j];
        for (int k = 0; k < 3; k++) R[j][k] = j == k;
      }
      for (int k = 0; k < 3; k++) {
        double e[3] = {k == 0, k == 1, k == 2};
        cross(e, v, dr[k]);
      }
    }
    double inv = 1 / Y[2], q[2] = {Y[0] * inv, Y[1] * inv}, s = q[0] * q[0] + q[1] * q[1];
    double f = cam[6], dist = 1 + cam[9] * s + cam[10] * s * s, slope = cam[9] + 2 * cam[10] * s;
    for (int e = 0; e < 2; e++) {
      double *restrict row = g + 30 * i + 15 * e;
      double dq0 = w * f * (slope * 2 * q[0] * q[e] + (e == 0) * dist);
      double dq1 = w * f * (slope * 2 * q[1] * q[e] + (e == 1) * dist);
      double b[3] = {dq0 * inv, dq1 * inv, -(dq0 * q[0] + dq1 * q[1]) * inv};
      for (int k = 0; k < 3; k++) {
        row[k] = b[0] * dr[k][0] + b[1] * dr[k][1] + b[2] * dr[k][2];
        double by = b[0] * R[0][k] + b[1] * R[1][k] + b[2] * R[2][k];
        row[3 + k] = -by, row[11 + k] = by;
      }
      row[6] = w * dist * q[e];
      row[7] = e == 0 ? w : 0, row[8] = e == 1 ? w : 0;
      row[9] = w * f * s * q[e], row[10] = w * f * s * s * q[e];
      row[14] = f * dist * q[e] + cam[7 + e] - feats[2 * i + e];
    }
  }
  for (long i = 0; i < p; i++) g[30 * p + i] = -2 * weights[i];
}
