/* What the baselines share. A baseline defines

     void setup(void)            reads its input by get() and sets results and partials
     void objective(double *r)   the results
     void gradient(double *g)    the partial derivatives

   and is started as "baseline IN OUT SECONDS": files of doubles in the machine's format. OUT gets the
   shortest times of an objective and of a gradient, in seconds, the number of results, these, the number of
   partial derivatives, and these. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static double *input_, *input_end_;
static long results, partials;

static double get(void) {
  if (input_ == input_end_) { fprintf(stderr, "the input is too short\n"); exit(1); }
  return *input_++;
}

static double *reals(long n) {
  double *a = aligned_alloc(64, ((n + 8) * sizeof(double) + 63) / 64 * 64);
  if (!a) { fprintf(stderr, "out of memory\n"); exit(1); }
  memset(a, 0, n * sizeof(double));
  return a;
}

static double *get_all(long n) {
  double *a = reals(n);
  for (long i = 0; i < n; i++) a[i] = get();
  return a;
}

static void setup(void);
static void objective(double *restrict r);
static void gradient(double *restrict g);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
  FILE *f = argc == 4 ? fopen(argv[1], "rb") : NULL;
  if (!f) { fprintf(stderr, "usage: baseline IN OUT SECONDS\n"); return 2; }
  fseek(f, 0, SEEK_END);
  long n = ftell(f) / sizeof(double);
  rewind(f);
  input_ = malloc(n * sizeof(double) + 1);
  input_end_ = input_ + n;
  if (fread(input_, sizeof(double), n, f) != (size_t)n) return 1;
  fclose(f);
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040); /* subnormals are zero */
#endif
  setup();
  double *r = reals(results), *g = reals(partials);
  double best[2] = {INFINITY, INFINITY}, begin = now();
  for (int round = 0; round < 3 || now() - begin < atof(argv[3]); round++) {
    double t0 = now();
    objective(r);
    double t1 = now();
    gradient(g);
    double t2 = now();
    if (t1 - t0 < best[0]) best[0] = t1 - t0;
    if (t2 - t1 < best[1]) best[1] = t2 - t1;
  }
  f = fopen(argv[2], "wb");
  if (!f) return 1;
  double counts[2] = {results, partials};
  fwrite(best, sizeof(double), 2, f);
  fwrite(&counts[0], sizeof(double), 1, f);
  fwrite(r, sizeof(double), results, f);
  fwrite(&counts[1], sizeof(double), 1, f);
  fwrite(g, sizeof(double), partials, f);
  return fclose(f) != 0;
}
