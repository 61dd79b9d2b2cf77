/* Predators and prey by Runge and Kutta, with tangents by the four rates. Input: the rates (birth, eaten,
   death, growth), the start, the time, the steps. */
#include "harness.h"

static double a, b, c, d, start_x, start_y, span_;
static long steps;

static void setup(void) {
  a = get(), b = get(), c = get(), d = get(), start_x = get(), start_y = get(), span_ = get(), steps = get();
  results = 1, partials = 4;
}

static void objective(double *restrict r) {
  double x = start_x, y = start_y, h = span_ / steps;
  for (long s = 0; s < steps; s++) {
    double u1 = a * x - b * x * y, v1 = d * x * y - c * y, p = x + h / 2 * u1, q = y + h / 2 * v1;
    double u2 = a * p - b * p * q, v2 = d * p * q - c * q;
    p = x + h / 2 * u2, q = y + h / 2 * v2;
    double u3 = a * p - b * p * q, v3 = d * p * q - c * q;
    p = x + h * u3, q = y + h * v3;
    double u4 = a * p - b * p * q, v4 = d * p * q - c * q;
    x += h / 6 * (u1 + 2 * u2 + 2 * u3 + u4), y += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
  }
  r[0] = x;
}

typedef struct { double x, y, dx[4], dy[4]; } state;

/* the slope at s, with its tangents by the rates */
static void slope(const state *s, state *k) {
  double x = s->x, y = s->y;
  k->x = a * x - b * x * y, k->y = d * x * y - c * y;
  for (int j = 0; j < 4; j++) {
    double dx = s->dx[j], dy = s->dy[j], dxy = dx * y + x * dy;
    k->dx[j] = a * dx - b * dxy + (j == 0 ? x : j == 1 ? -x * y : 0);
    k->dy[j] = d * dxy - c * dy + (j == 2 ? -y : j == 3 ? x * y : 0);
  }
}

static void plus(const state *s, double h, const state *k, state *out) {
  out->x = s->x + h * k->x, out->y = s->y + h * k->y;
  for (int j = 0; j < 4; j++) out->dx[j] = s->dx[j] + h * k->dx[j], out->dy[j] = s->dy[j] + h * k->dy[j];
}

static void gradient(double *restrict g) {
  state s = {start_x, start_y, {0}, {0}}, k1, k2, k3, k4, t;
  double h = span_ / steps;
  for (long i = 0; i < steps; i++) {
    slope(&s, &k1), plus(&s, h / 2, &k1, &t);
    slope(&t, &k2), plus(&s, h / 2, &k2, &t);
    slope(&t, &k3), plus(&s, h, &k3, &t);
    slope(&t, &k4);
    plus(&s, h / 6, &k1, &s), plus(&s, h / 3, &k2, &s), plus(&s, h / 3, &k3, &s), plus(&s, h / 6, &k4, &s);
  }
  memcpy(g, s.dx, sizeof s.dx);
}
