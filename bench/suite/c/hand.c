/* Hand tracking, with all vertices posed and dense weights, as the problem is stated. Input: bones vertices triangles points complicated; parents; for each bone 16 and 16 numbers
   (base relative, inverse base absolute); for each vertex 3 coordinates and a weight for each bone; 3 corners of
   each triangle; for each point its vertex or triangle and 3 coordinates; if complicated 2 numbers for
   each point; 26 numbers theta. Results: 3 errors a point. Partial derivatives: column by column, if
   complicated first the two of each point's own numbers, then theta. */
#include "harness.h"

typedef double mat[12]; /* the first three rows of an affine map */

static long bones, verts, tris, npts, complicated;
static long *parent, *tri, *index_;
static mat *base, *inverse, *T, *A, (*dT)[20];
static double *pos, *weight, *pts, *us, *theta, *posed, *dposed; /* by coordinate or bone, then by vertex */

static void get_mat(mat a) {
  for (int i = 0; i < 12; i++) a[i] = get();
  for (int i = 0; i < 4; i++) get();
}

static void setup(void) {
  bones = get(), verts = get(), tris = get(), npts = get(), complicated = get();
  parent = malloc(bones * sizeof(long)), base = malloc(bones * sizeof(mat)), inverse = malloc(bones * sizeof(mat));
  T = malloc(bones * sizeof(mat)), A = malloc(bones * sizeof(mat)), dT = malloc(bones * sizeof(*dT));
  for (long b = 0; b < bones; b++) parent[b] = get();
  for (long b = 0; b < bones; b++) get_mat(base[b]), get_mat(inverse[b]);
  pos = reals(3 * verts), weight = reals(bones * verts);
  for (long v = 0; v < verts; v++) {
    for (int i = 0; i < 3; i++) pos[i * verts + v] = get();
    for (long b = 0; b < bones; b++) weight[b * verts + v] = get();
  }
  tri = malloc((3 * tris + 1) * sizeof(long)), index_ = malloc(npts * sizeof(long)), pts = reals(3 * npts);
  for (long i = 0; i < 3 * tris; i++) tri[i] = get();
  for (long i = 0; i < npts; i++) {
    index_[i] = get();
    for (int k = 0; k < 3; k++) pts[3 * i + k] = get();
  }
  us = complicated ? get_all(2 * npts) : NULL;
  theta = get_all(26);
  posed = reals(3 * verts), dposed = reals(20 * 3 * verts);
  results = 3 * npts, partials = results * (complicated ? 28 : 26);
}

static void mul(const mat a, const mat b, mat c) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      c[4 * i + j] = a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] + a[4 * i + 2] * b[8 + j] + (j == 3 ? a[4 * i + 3] : 0);
}

/* Rz(z) Rx(x), and its derivatives by x and z, whose last column stays 0 */
static void joint(double x, double z, mat r, mat dx, mat dz) {
  double sx = sin(x), cx = cos(x), sz = sin(z), cz = cos(z);
  mat m = {cz, -cx * sz, sx * sz, 0, sz, cx * cz, -sx * cz, 0, 0, sx, cx, 0};
  mat mx = {0, sx * sz, cx * sz, 0, 0, -sx * cz, -cx * cz, 0, 0, cx, -sx, 0};
  mat mz = {-sz, -cx * cz, sx * cz, 0, cz, -cx * sz, sx * sz, 0, 0, 0, 0, 0};
  memcpy(r, m, sizeof(mat)), memcpy(dx, mx, sizeof(mat)), memcpy(dz, mz, sizeof(mat));
}

/* which of the 20 angles bend a bone: about x, about z, or -1 */
static void angles(long b, int *x, int *z) {
  long finger = (b - 1) / 4;
  *x = *z = -1;
  if (b < 1 || finger > 4) return;
  switch ((b - 1) % 4) {
  case 1: *x = 4 * finger, *z = 4 * finger + 1; break;
  case 2: *x = 4 * finger + 2; break;
  case 3: *x = 4 * finger + 3; break;
  }
}

static void rotation(const double *r, double G[3][3], double dG[3][3][3], int derive) {
  double s2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  memset(dG, 0, 27 * sizeof(double));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) G[i][j] = i == j;
  if (sqrt(s2) < 1e-4) return;
  double th = sqrt(s2), c = cos(th), s = sin(th), a[3] = {r[0] / th, r[1] / th, r[2] / th};
  double K[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) G[i][j] = (i == j ? c : 0) + s * K[i][j] + (1 - c) * a[i] * a[j];
  for (int k = 0; derive && k < 3; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = ((i == k) - a[i] * a[k]) / th;
    double D[3][3] = {{0, -d[2], d[1]}, {d[2], 0, -d[0]}, {-d[1], d[0], 0}};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        dG[k][i][j] = a[k] * ((i == j ? -s : 0) + c * K[i][j] + s * a[i] * a[j]) + s * D[i][j] + (1 - c) * (d[i] * a[j] + a[i] * d[j]);
  }
}

/* the motions of the bones; with derive, dT[b][k] is the derivative of T[b] by angle k where mask[b] has bit k */
static unsigned long mask[64];

static void motions(int derive) {
  static mat dA[64][20];
  for (long b = 0; b < bones; b++) {
    int x, z;
    angles(b, &x, &z);
    mat r, dx, dz, rel;
    joint(x < 0 ? 0 : theta[6 + x], z < 0 ? 0 : theta[6 + z], r, dx, dz);
    mul(base[b], r, rel);
    long up = parent[b];
    if (up < 0) memcpy(A[b], rel, sizeof(mat)); else mul(A[up], rel, A[b]);
    mul(A[b], inverse[b], T[b]);
    if (!derive) continue;
    mask[b] = up < 0 ? 0 : mask[up];
    for (int k = 0; k < 20; k++)
      if (mask[b] >> k & 1) mul(dA[up][k], rel, dA[b][k]);
    for (int e = 0; e < 2; e++) {
      int k = e ? z : x;
      if (k < 0) continue;
      mat d, linear;
      memcpy(linear, base[b], sizeof(mat));
      linear[3] = linear[7] = linear[11] = 0;
      mul(linear, e ? dz : dx, d);
      if (up < 0) memcpy(dA[b][k], d, sizeof(mat));
      else {
        mat lin;
        memcpy(lin, A[up], sizeof(mat));
        lin[3] = lin[7] = lin[11] = 0;
        mul(lin, d, dA[b][k]);
      }
      mask[b] |= 1ul << k;
    }
    for (int k = 0; k < 20; k++)
      if (mask[b] >> k & 1) mul(dA[b][k], inverse[b], dT[b][k]);
  }
}

/* out += the motion of all vertices by a map, by the weights of a bone */
static void skin(const mat a, long b, double *restrict out) {
  const double *restrict x = pos, *restrict y = pos + verts, *restrict z = y + verts, *restrict w = weight + b * verts;
  for (int i = 0; i < 3; i++) {
    double p = a[4 * i], q = a[4 * i + 1], r = a[4 * i + 2], t = a[4 * i + 3];
    double *restrict o = out + i * verts;
    for (long v = 0; v < verts; v++) o[v] += w[v] * (p * x[v] + q * y[v] + r * z[v] + t);
  }
}

static void pose(void) {
  memset(posed, 0, 3 * verts * sizeof(double));
  for (long b = 0; b < bones; b++) skin(T[b], b, posed);
}

/* corners and their shares of point i */
static int corners(long i, long *v, double *share) {
  if (!complicated) return v[0] = index_[i], share[0] = 1, 1;
  for (int k = 0; k < 3; k++) v[k] = tri[3 * index_[i] + k];
  share[0] = us[2 * i], share[1] = us[2 * i + 1], share[2] = 1 - share[0] - share[1];
  return 3;
}

static void turn(double G[3][3], const double *v, double *out) {
  for (int i = 0; i < 3; i++) out[i] = G[i][0] * v[0] + G[i][1] * v[1] + G[i][2] * v[2];
}

static void objective(double *restrict r) {
  double G[3][3], dG[3][3][3];
  motions(0);
  pose();
  rotation(theta, G, dG, 0);
  for (long i = 0; i < npts; i++) {
    long v[3];
    double share[3], local[3] = {0}, out[3];
    int n = corners(i, v, share);
    for (int e = 0; e < n; e++)
      for (int k = 0; k < 3; k++) local[k] += share[e] * posed[k * verts + v[e]];
    turn(G, local, out);
    for (int k = 0; k < 3; k++) r[3 * i + k] = pts[3 * i + k] - out[k] - theta[3 + k];
  }
}

static void gradient(double *restrict g) {
  double G[3][3], dG[3][3][3];
  motions(1);
  pose();
  memset(dposed, 0, 20 * 3 * verts * sizeof(double));
  for (long b = 0; b < bones; b++)
    for (int k = 0; k < 20; k++)
      if (mask[b] >> k & 1) skin(dT[b][k], b, dposed + 3 * k * verts);
  rotation(theta, G, dG, 1);
  double *restrict col = g + (complicated ? 2 * results : 0);
  for (long i = 0; i < npts; i++) {
    long v[3];
    double share[3], local[3] = {0}, out[3];
    int n = corners(i, v, share);
    for (int e = 0; e < n; e++)
      for (int k = 0; k < 3; k++) local[k] += share[e] * posed[k * verts + v[e]];
    for (int e = 0; e + 1 < n; e++) {
      double apart[3];
      for (int k = 0; k < 3; k++) apart[k] = posed[k * verts + v[2]] - posed[k * verts + v[e]];
      turn(G, apart, out);
      for (int k = 0; k < 3; k++) g[e * results + 3 * i + k] = out[k];
    }
    for (int j = 0; j < 3; j++) {
      turn(dG[j], local, out);
      for (int k = 0; k < 3; k++) col[j * results + 3 * i + k] = -out[k], col[(3 + j) * results + 3 * i + k] = j == k ? -1 : 0;
    }
    for (int j = 0; j < 20; j++) {
      double d[3] = {0};
      for (int e = 0; e < n; e++)
        for (int k = 0; k < 3; k++) d[k] += share[e] * dposed[(3 * j + k) * verts + v[e]];
      turn(G, d, out);
      for (int k = 0; k < 3; k++) col[(6 + j) * results + 3 * i + k] = -out[k];
    }
  }
}
