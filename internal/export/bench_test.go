package export

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

// measured is the program whose gradients BenchmarkGo measures.
const measured = `
--| The sum of the squared lengths of a matrix times some points.
let stretch (a : [][]Real) (points : [][]Real) : Real =
  sum [sum [(sum [row[j] * x[j] for j < length x])^2 for row in a] for x in points]

--| A sum of exponentials.
let exponentials (x : []Real) : Real = sum (map exp x)

--| The negative logarithm of the likelihood of a logistic regression.
let logistic (w : []Real) (rows : [][]Real) (labels : []Real) : Real =
  sum [(let z = inner w rows[i] in log1p (exp z) - labels[i] * z) for i < length labels]
`

// goMain calls a gradient 300 times, and prints the shortest time in nanoseconds and the sum of the
// results' bits.
const goMain = `package main

import (
	"fmt"
	"math"
	"time"
)

var state uint64 = 1

func number() float64 {
	state = state*6364136223846793005 + 1442695040888963407
	return float64(int64(state)>>11)*0x1p-53 + 0x1p-60
}

func numbers(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = number()
	}
	return list
}

func rows(n, m int) [][]float64 {
	list := make([][]float64, n)
	for i := range list {
		list[i] = numbers(m)
	}
	return list
}

func main() {
	%s
	var best time.Duration = 1 << 60
	var sum uint64
	for range 300 {
		start := time.Now()
		d, err := %s
		if best = min(best, time.Since(start)); err != nil {
			panic(err)
		}
		sum = 0
		%s
	}
	fmt.Println(best.Nanoseconds(), sum)
}
`

const cMain = `#include "targets.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state = 1;

static double number(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)((int64_t)state >> 11) * 0x1p-53 + 0x1p-60;
}

static double *numbers(int64_t n) {
    double *list = malloc(8 * n);
    for (int64_t i = 0; i < n; i++) list[i] = number();
    return list;
}

static int64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000 + t.tv_nsec; }

int main(void) {
    %s
    fx_arena arena = {malloc(1 << 24), 1 << 24, 0, 0};
    int64_t best = INT64_MAX, d_n, rows, columns;
    uint64_t sum;
    double *d;
    (void)rows, (void)columns;
    for (int i = 0; i < 300; i++) {
        arena.top = 0;
        int64_t start = now();
        if (%s != FX_OK) return 1;
        int64_t took = now() - start;
        if (took < best) best = took;
        sum = 0;
        for (int64_t i = 0; i < d_n; i++) { uint64_t w; memcpy(&w, &d[i], 8); sum += w; }
    }
    printf("%%" PRId64 " %%" PRIu64 "\n", best, sum);
    return 0;
}
`

const (
	sumOfList = "for _, x := range d {\nsum += math.Float64bits(x)\n}"
	sumOfRows = "for _, r := range d {\nfor _, x := range r {\nsum += math.Float64bits(x)\n}\n}"
)

// layouts is the number of orders in which functions of Go are linked. A small loop takes up to
// half as long again if it lies across two lines of the cache, and Go does not align loops; so the
// mean of several orders is reported, and the worst.
const layouts = 4

// BenchmarkGo measures gradients of functions that are built for Go beside the same loop form in C,
// compiled by gcc for scalars. The results of both must be the same bits. Go makes code for any
// amd64 (v1), and for processors with fused multiplication (v3).
func BenchmarkGo(b *testing.B) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		b.Skip("gcc is not installed")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		b.Skip("the go command is not installed")
	}
	levels := []string{""}
	if runtime.GOARCH == "amd64" {
		levels = []string{"v1", "v3"}
	}
	for _, c := range []struct{ name, by, goArguments, goCall, goSum, cArguments, cCall string }{
		{"stretch", "a", "a, points := rows(32, 32), rows(1000, 32)", "StretchGrad(a, points)", sumOfRows,
			"double *a = numbers(32 * 32), *points = numbers(1000 * 32);",
			"targets_stretch_grad(&arena, 32, 32, a, 32 * 32, 1000, 32, points, 1000 * 32, &rows, &columns, &d, &d_n)"},
		{"exponentials", "x", "x := numbers(100_000)", "ExponentialsGrad(x)", sumOfList,
			"double *x = numbers(100000);", "targets_exponentials_grad(&arena, x, 100000, &d, &d_n)"},
		{"logistic", "w", "w, x, labels := numbers(32), rows(10_000, 32), numbers(10_000)", "LogisticGrad(w, x, labels)", sumOfList,
			"double *w = numbers(32), *x = numbers(10000 * 32), *labels = numbers(10000);",
			"targets_logistic_grad(&arena, w, 32, 10000, 32, x, 10000 * 32, labels, 10000, &d, &d_n)"},
	} {
		b.Run(c.name, func(b *testing.B) {
			dir := b.TempDir()
			put := func(name, text string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			run := func(environment string, command ...string) string {
				cmd := exec.Command(command[0], command[1:]...)
				cmd.Dir = dir
				if cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off"); environment != "" {
					cmd.Env = append(cmd.Env, environment)
				}
				text, err := cmd.CombinedOutput()
				if err != nil {
					b.Fatalf("%v: %v\n%s", command, err, text)
				}
				return string(text)
			}
			for _, target := range []string{"go", "c"} {
				for _, f := range targetFiles(b, c.name, c.by, target) {
					put(f.Name, strings.Replace(string(f.Text), "package targets\n", "package main\n", 1))
				}
			}
			put("go.mod", "module example\n\ngo 1.24\n")
			put("main.go", fmt.Sprintf(goMain, c.goArguments, c.goCall, c.goSum))
			put("main.c", fmt.Sprintf(cMain, c.cArguments, c.cCall))
			run("", gcc, "-O3", "-march=native", "-ffp-contract=off", "-fno-tree-vectorize", "-o", "c.out", "targets.c", "main.c", "-lm")
			for _, level := range levels {
				for k := range layouts {
					run("GOAMD64="+level, tool, "build", fmt.Sprint("-ldflags=-randlayout=", k+1), "-o", fmt.Sprint("go", level, k), "main.go", "targets.go")
				}
			}
			best, sums := map[string]float64{}, map[string]bool{}
			measure := func(name string) {
				var took float64
				var sum string
				if _, err := fmt.Sscan(run("", filepath.Join(dir, name)), &took, &sum); err != nil {
					b.Fatal(err)
				}
				if sums[sum] = true; len(sums) > 1 {
					b.Fatalf("the results of %s are not those of C", name)
				}
				if best[name] == 0 || took < best[name] {
					best[name] = took
				}
			}
			for b.Loop() {
				measure("c.out")
				for k := range layouts {
					for _, level := range levels {
						measure(fmt.Sprint("go", level, k))
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(best["c.out"]/1e3, "gcc-µs")
			for _, level := range levels {
				mean, worst := 0.0, 0.0
				for k := range layouts {
					took := best[fmt.Sprint("go", level, k)]
					mean, worst = mean+took/layouts, max(worst, took)
				}
				b.ReportMetric(mean/1e3, "go"+level+"-µs")
				b.ReportMetric(mean/best["c.out"], "quotient"+level)
				b.ReportMetric(worst/best["c.out"], "worst"+level)
			}
		})
	}
}

// targetFiles builds a function of the measured program, and its gradient.
func targetFiles(b *testing.B, function, by, target string) []File {
	var list diag.List
	w := driver.NewWorld(nil)
	unit := w.LoadText("targets", measured, nil, &list)
	if list.Failed() {
		b.Fatal(list.Sorted())
	}
	m := Functions(b.Context(), w, unit, Options{Functions: []string{function}, Grad: true, By: []string{by}, Typed: Typed(target)}, &list)
	if m == nil {
		b.Fatal(list.Sorted())
	}
	files, err := m.Print(target)
	if err != nil {
		b.Fatal(err)
	}
	return files
}
