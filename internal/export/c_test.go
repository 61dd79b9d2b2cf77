package export

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestC(t *testing.T) {
	m := module(t, everything)
	m.functions = append(m.functions, module(t, Options{Functions: []string{"rows"}}).functions...)
	m.functions = append(m.functions, module(t,
		Options{Functions: []string{"tiny"}, Grad: true}).functions[1:]...)
	files, err := m.Print("c")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, File{"main.c", []byte(`#include <stdio.h>
#include <stdlib.h>
#include "int.h"

int main(void) {
    fx_arena a = {malloc(1 << 16), 1 << 16, 0, 0};
    double w[] = {1, 2}, xs[] = {3, 4}, ones[] = {1, 1}, l, j, *dw, *dx;
    int64_t n, m;
    int_loss(&a, w, 2, xs, 2, &l);
    int_loss_grad(&a, w, 2, xs, 2, &dw, &n, &dx, &m);
    int_loss_jvp(&a, w, 2, xs, 2, ones, 2, ones, 2, &j);
    printf("%.2f %.2f %.2f %.2f %.2f %.2f\n", l, dw[0], dw[1], dx[0], dx[1], j);
    double e, de;
    int_int(&a, 1, &e);
    int_int_grad(&a, 1, &de);
    printf("%.2f %.2f\n", e, de);
    int_u03b1(&a, 2, &e);
    int_u03b1_vjp(&a, 2, 1, &de);
    printf("%.2f %.2f\n", e, de);
    double m4[] = {1, 2, 3, 4}, *r;
    int_rows(&a, 2, 2, m4, 4, 1, 1, &r, &n);
    double *none;
    const char *words[] = {"false", "true"};
    const int bad = int_rows(&a, 2, 2, m4, 3, 1, 1, &none, &n) != FX_OK, tie = int_tiny_grad(&a, 0, &e) != FX_OK;
    printf("%.2f %.2f %s %s\n", r[0], r[1], words[bad], words[tie]);
    int_power(&a, 3, 2, &e);
    int_power_grad(&a, 3, 2, &n, &de);
    printf("%.2f %.2f %s\n", e, de, words[int_power(&a, 1000000000, 1, &l) == FX_DEPTH]);
    return 0;
}
`)})
	gcc := []string{"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1",
		"-ffp-contract=off", "main.c", "int.c", "-lm", "-o", "main"}
	if got := write(t, files, gcc, []string{"./main"}); got != want {
		t.Errorf("printed\n%s", got)
	}
}

// TestCTypes: enumerations and variants in C, and numbers that no constructor has.
func TestCTypes(t *testing.T) {
	m := moduleOf(t, "things", structures, Options{Functions: []string{"next", "area", "root"}})
	m.functions = append(m.functions, moduleOf(t, "things", structures, Options{Functions: []string{"kink", "half"}, VJP: true}).functions...)
	files, err := m.Print("c")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, File{"main.c", []byte(`#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "things.h"

int main(void) {
    fx_arena a = {malloc(1 << 16), 1 << 16, 0, 0};
    int64_t m[] = {things_Colour_Red, things_Colour_Green, things_Colour_Blue, things_Colour_Red}, rows, columns, *r, n, tag;
    things_next(&a, things_Colour_Red, 2, 2, m, 4, &rows, &columns, &r, &n);
    printf("%d %d: %d %d %d %d\n", (int)rows, (int)columns, (int)r[0], (int)r[1], (int)r[2], (int)r[3]);
    double x, y;
    things_area(&a, things_Shape_Box, 0, 2, 3, NULL, 0, 10, &x);
    things_root(&a, -1, &tag, &y);
    const int bad = things_area(&a, 4, 0, 2, 3, NULL, 0, 10, &y) == FX_CHECK;
    m[3] = 3;
    const int worse = things_next(&a, things_Colour_Red, 2, 2, m, 4, &rows, &columns, &r, &n) == FX_CHECK;
    printf("%g %d %d %d\n", x, tag == things_Option_None, bad, worse);

    double disc, w, h, *path, nan = NAN;
    things_kink_vjp(&a, things_Shape_Box, nan, 2, 2, NULL, 0, 4, &tag, &disc, &w, &h, &path, &n);
    printf("%d %g %g %g %d\n", tag == things_Shape_Box, disc, w, h, (int)n);
    /* Box 2 3, Disc 4, Path [5, 6], Void; the cotangents of Disc 5, Box 4 1, Disc 11, Void */
    int64_t tags[] = {1, 0, 2, 3}, back[] = {0, 1, 0, 3}, len, width, *dtags, dn;
    double discs[] = {nan, 4, nan, nan}, ws[] = {2, nan, nan, nan}, hs[] = {3, nan, nan, nan};
    double paths[] = {nan, nan, nan, nan, 5, 6, nan, nan};
    double cds[] = {1, nan, 10, nan}, cws[] = {nan, 2, nan, nan}, chs[] = {nan, 3, nan, nan}, *ds, *dws, *dhs, *dps;
    double none[1];
    const int ok = things_half_vjp(&a, 4, tags, 4, discs, 4, ws, 4, hs, 4, 2, paths, 8, 4, back, 4, cds, 4, cws, 4, chs, 4, 0, none, 0,
        &len, &dtags, &dn, &ds, &dn, &dws, &dn, &dhs, &dn, &width, &dps, &dn);
    printf("%d %g %g %g %g %g %d\n", ok == FX_OK, dws[0], dhs[0], ds[1], dps[4], dps[5], (int)dtags[2]);
    back[2] = 1;
    printf("%d\n", things_half_vjp(&a, 4, tags, 4, discs, 4, ws, 4, hs, 4, 2, paths, 8, 4, back, 4, cds, 4, cws, 4, chs, 4, 0, none, 0,
        &len, &dtags, &dn, &ds, &dn, &dws, &dn, &dhs, &dn, &width, &dps, &dn) == FX_CHECK);
    return 0;
}
`)})
	gcc := []string{"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "main.c", "things.c", "-lm", "-o", "main"}
	if got := write(t, files, gcc, []string{"./main"}); got != "2 2: 2 1 2 2\n60 1 1 1\n1 0 2 2 0\n1 0.5 1 2 10 10 2\n1" {
		t.Errorf("printed\n%s\n%s", got, files[1].Text)
	}
}

// TestCSizes: a negative number of elements fails, of every buffer, and an empty one has none.
func TestCSizes(t *testing.T) {
	files := printed(t, "c", "sizes", `
let total (xs : []Real) (ys : []Int) : Real = sum xs + real (length ys)
let first (p : {on : []Bool, k : Real}) : Real = p.k
let pairs (ps : []{a : Real, b : Real}) : Real = sum [p.a * p.b for p in ps]
let table (m : [][]Real) : Real = sum [sum r for r in m]
`, Options{Functions: []string{"total", "first", "pairs", "table"}, Grad: true})
	files = append(files, File{"main.c", []byte(`#include <stdio.h>
#include <stdlib.h>
#include "sizes.h"

int main(void) {
    fx_arena a = {malloc(1 << 16), 1 << 16, 0, 0};
    double xs[] = {1, 2}, value, *d, *e;
    int64_t ys[] = {3}, n, rows, columns, *f;
    const int64_t sizes[] = {0, -1, INT64_MIN};
    for (int i = 0; i < 3; i++) {
        const int64_t k = sizes[i];
        printf("%d", sizes_total(&a, xs, k, ys, 1, &value));
        printf("%d", sizes_total(&a, xs, 2, ys, k, &value));
        printf("%d", sizes_total_grad(&a, xs, k, ys, 1, &d, &n, &f, &n));
        printf("%d", sizes_first(&a, 1, ys, k, &value));
        printf("%d", sizes_pairs(&a, xs, k, xs, k, &value));
        printf("%d", sizes_pairs_grad(&a, xs, k, xs, k, &d, &n, &e, &n));
        printf("%d", sizes_table(&a, k, 1, xs, k, &value));
        printf("%d\n", sizes_table_grad(&a, 1, k, xs, k, &rows, &columns, &d, &n));
    }
    return 0;
}
`)})
	gcc := []string{"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "main.c", "sizes.c", "-lm", "-o", "main"}
	if got := write(t, files, gcc, []string{"./main"}); got != "00000000\n11111111\n11111111" {
		t.Errorf("printed\n%s\n%s\n%s", got, files[1].Text, files[0].Text)
	}
}

// TestCPlusPlus: a program in C++ includes the headers of two modules and calls what C made of
// them. Parameters may have names that are words of C++.
func TestCPlusPlus(t *testing.T) {
	files := printed(t, "c", "things", structures, Options{Functions: []string{"next", "area"}})
	files = append(files, printed(t, "c", "model", `
let loss (restrict : []Real) (decltype : []Real) (requires : Real) : Real = sum [x^2 for x in restrict] * requires + sum decltype
`, Options{Functions: []string{"loss"}, Grad: true, Hessian: true})...)
	files = append(files, File{"main.cpp", []byte(`#include "things.h"
#include "model.h"
#include <cstdio>
#include <vector>

int main() {
    std::vector<char> memory(1 << 16);
    fx_arena a = {memory.data(), memory.size(), 0, 0};
    const std::vector<double> w = {1, 2};
    double value, area, *d, *e, by;
    int64_t n, m;
    const int status = model_loss(&a, w.data(), 2, w.data(), 2, 3, &value);
    const int gradient = model_loss_grad(&a, w.data(), 2, w.data(), 2, 3, &d, &n, &e, &m, &by);
    things_area(&a, things_Shape_Box, 0, 2, 3, nullptr, 0, 10, &area);
    std::printf("%d %g %d %g %g %g %g", status == FX_OK, value, gradient == FX_OK, d[1], e[1], by, area);
    return 0;
}
`)})
	strict := []string{"-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c"}
	gcc := append([]string{"gcc", "-std=c99"}, append(strict, "model.c", "things.c")...)
	gxx := append([]string{"g++", "-std=c++11"}, append(strict, "main.cpp")...)
	newest := append([]string{"g++", "-std=c++20"}, append(strict, "main.cpp")...)
	link := []string{"g++", "main.o", "model.o", "things.o", "-lm", "-o", "main"}
	if got := write(t, files, gcc, gxx, newest, link, []string{"./main"}); got != "1 18 1 12 1 5 60" {
		t.Errorf("printed\n%s\n%s", got, files[3].Text)
	}
}

// TestCHessian: the second derivative by a record with a tuple in it, and by an array, has a result
// for each pair of components.
func TestCHessian(t *testing.T) {
	files := printed(t, "c", "model", `
let loss (p : {a : Real, t : (Real, []Real)}) (x : []Real) : Real = p.a * inner p.t[1] x * p.t[0] ^ 2
`, Options{Functions: []string{"loss"}, Hessian: true})
	const names = "d2_p_a_p_a d2_p_a_p_t_1 d2_p_a_p_t_2 d2_p_a_x d2_p_t_1_p_a d2_p_t_1_p_t_1 d2_p_t_1_p_t_2 d2_p_t_1_x " +
		"d2_p_t_2_p_a d2_p_t_2_p_t_1 d2_p_t_2_p_t_2 d2_p_t_2_x d2_x_p_a d2_x_p_t_1 d2_x_p_t_2 d2_x_x"
	var found []string
	for _, m := range regexp.MustCompile(`double \*+(d2_\w+)`).FindAllStringSubmatch(string(files[1].Text), -1) {
		found = append(found, m[1])
	}
	if got := strings.Join(found, " "); got != names {
		t.Errorf("the results are %s", got)
	}
	gcc := []string{"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "model.c"}
	write(t, files, gcc)
}

// TestCFunctionNames: a module and a function may be called what together is a word of C or C++, or
// a name of the output or of a header.
func TestCFunctionNames(t *testing.T) {
	// The modules of a group are compiled in one run, so their names differ.
	for _, group := range [][][2]string{
		{{"fx", "alloc"}, {"size", "t"}, {"static", "cast"}, {"co", "await"}, {"quick", "exit"},
			{"lgamma", "r"}, {"double", "t"}, {"and", "eq"}, {"int", "x"}},
		{{"fx", "arena"}},
	} {
		var files []File
		c := []string{"gcc", "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"}
		main := "#include <cmath>\n#include <cstdlib>\n"
		for _, names := range group {
			module, function := names[0], names[1]
			text := fmt.Sprintf("let %s (x : []Real) : Real = sum [sin y * y for y in x]\n", function)
			own := printed(t, "c", module, text, Options{Functions: []string{function}, Grad: true})
			files, c = append(files, own...), append(c, own[0].Name)
			main += "#include \"" + own[1].Name + "\"\n"
		}
		files = append(files, File{"main.cpp", []byte(main)})
		write(t, files, c, []string{"g++", "-std=c++20", "-Wall", "-Werror", "-fsyntax-only", "main.cpp"})
	}
}
