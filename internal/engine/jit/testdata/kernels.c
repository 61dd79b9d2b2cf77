// The kernels of bench_test.go in C, for comparison:
//
//	gcc -O3 -march=native -mprefer-vector-width=512 -ffast-math kernels.c -lm -o kernels && ./kernels
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

__attribute__((noinline)) double dot(const double *restrict x, const double *restrict y, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}
__attribute__((noinline)) double sum(const double *restrict x, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s += x[i];
  return s;
}
__attribute__((noinline)) double sumexp(const double *restrict x, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s += exp(x[i]);
  return s;
}
__attribute__((noinline)) double sumlog(const double *restrict x, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s += log(fabs(x[i]));
  return s;
}
__attribute__((noinline)) void axpy(double a, const double *restrict x, const double *restrict y, double *restrict z, long n) {
  for (long i = 0; i < n; i++) z[i] = a * x[i] + y[i];
}

#define TIME(name, call)                                         \
  {                                                              \
    double best = 1e18;                                          \
    for (int r = 0; r < 400; r++) {                              \
      double t = now();                                          \
      call;                                                      \
      t = now() - t;                                             \
      if (t < best) best = t;                                    \
    }                                                            \
    printf("%s/%ld %.0f best-ns\n", name, n, best);              \
  }

int main(void) {
  for (long n = 1000; n <= 100000; n *= 100) {
    double *x = malloc(n * 8), *y = malloc(n * 8), *z = malloc(n * 8);
    for (long i = 0; i < n; i++) x[i] = y[i] = 3 * sin(i * 1.7), z[i] = 0;
    volatile double keep = 0;
    TIME("dot", keep += dot(x, y, n));
    TIME("sum", keep += sum(x, n));
    TIME("exp", keep += sumexp(x, n));
    TIME("log", keep += sumlog(x, n));
    TIME("axpy", axpy(3, x, y, z, n));
  }
}
