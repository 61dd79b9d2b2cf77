package export

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var orders = flag.Int("orders", 1, "TestTargetsAgree compares derivatives up to this order")

// givenUp has the functions of which a target may report a failure that the interpreter knows to be
// none, each with the lowest order at which it does:
//
//   - branchUpdate: an element of an array that varies is compared, and does not vary itself;
//   - scanRows: the second derivative of a maximum of equal operands does not depend on which it is;
//   - bellman: a sum is compared with itself as it was computed before;
//   - nanSort: a slope that is not a number is multiplied by 0;
//   - notRO: the determinant of a singular matrix is 0, but for rounding errors, of which nothing is known.
var givenUp = map[string]string{"branchUpdate": "1", "scanRows": "2", "bellman": "1", "nanSort": "1Reverse", "notRO": "0"}

// refused are functions that cannot be compiled, by what the compiler says of them.
var refused = map[string][]string{
	"a new value of the recursive type":        {"tree", "symbolic"},
	"a result of type List Real":               {"listSum"},
	"recursive data that is not an argument's": {"dictWords"},
	"a function that is made of others":        {"closures"},
	"a function or a text":                     {"strings"},
	"rows whose lengths may differ":            {"keptRows", "layered", "mixed", "options", "cholRagged"},
	"rows of different lengths":                {"rkf", "pagerank", "unevenSide", "unevenRows", "idxRagged", "matRagged", "transBad"},
}

// isRefused reports whether a message says of a function what it is refused for.
func isRefused(name, message string) bool {
	for why, names := range refused {
		if slices.Contains(names, name) && strings.Contains(message, why) {
			return true
		}
	}
	return false
}

// places returns the points at which a function is compared, by its name.
type places func(name string) []float64

// few are the points at which the functions of the corpus and their derivatives are compared.
func few(string) []float64 { return []float64{0.7, 0.31} }

// corpus returns the text of a file of functions as people write them, with their derivatives of
// the orders that are compared, and the names of these.
func corpus(t *testing.T, file string) (text string, names []string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var more strings.Builder
	define := func(name, format string, args ...any) {
		fmt.Fprintf(&more, "let %s (s : Real) : Real = %s\n", name, fmt.Sprintf(format, args...))
		names = append(names, name)
	}
	for _, m := range regexp.MustCompile(`(?m)^let (\w+) \((s : Real|p : \[\]Real)\) : Real`).FindAllStringSubmatch(string(b), -1) {
		f := m[1] + "Order"
		if m[2] == "s : Real" {
			define(f+"0", "%s s", m[1])
		} else {
			define(f+"0", "%s [1 + 0.5 * sin (s * real (i * 7)) for i < 5]", m[1])
		}
		if *orders > 0 {
			define(f+"1Reverse", "grad %s0 s", f)
		}
		for k := range *orders {
			define(fmt.Sprintf("%s%d", f, k+1), "deriv %s%d s", f, k)
		}
	}
	return string(b) + "\n" + more.String(), names
}

// exported returns a module with those of the functions that can be compiled, and what the
// interpreter gives for each at its points: NaN for an error too, for which targets have one
// word.
func exported(t *testing.T, text string, names []string, at places) (m *Module, want map[string][]float64) {
	t.Helper()
	var list diag.List
	w := driver.NewWorld(nil)
	unit := w.LoadText("corpus", text, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	m, want = &Module{Name: unit.Info.Name}, map[string][]float64{}
	var compiled []string
	for _, name := range names {
		var own diag.List
		if one := Functions(context.Background(), w, unit, Options{Functions: []string{name}, Typed: true}, &own); one != nil {
			m.functions = append(m.functions, one.functions...)
			compiled = append(compiled, name)
		} else if of, _, _ := strings.Cut(name, "Order"); !isRefused(of, own.Sorted()[0].Message) {
			t.Errorf("%s is not compiled: %v", name, own.Sorted()[0])
		}
	}
	m.shareCalled()
	functions, d := unit.Functions(context.Background(), driver.Settings{Engine: "interp", Limits: interp.DefaultLimits()}, compiled...)
	if d != nil {
		t.Fatal(d)
	}
	for _, name := range compiled {
		for _, x := range at(name) {
			y := math.NaN()
			if v, d := functions.Call(context.Background(), name, value.Real(x)); d == nil {
				y = float64(v.(value.Real))
			}
			want[name] = append(want[name], y)
		}
	}
	return m, want
}

// TestTargetsAgree: functions as people write them, and their derivatives, give in every target
// what they give in the interpreter. Each program is tried in one target, unless there is time for all.
func TestTargetsAgree(t *testing.T) {
	files, _ := filepath.Glob("../lower/testdata/*.flx")
	more, _ := filepath.Glob("../lower/testdata/engines/*.flx")
	if len(files) == 0 || len(more) == 0 {
		t.Fatal("there are no programs")
	}
	files = append(files, more...)
	for n, file := range files {
		text, names := corpus(t, file)
		m, want := exported(t, text, names, few)
		for k, target := range tools {
			if !property.Long() && k != n%len(tools) {
				continue // a tool takes seconds to compile a program
			}
			t.Run(strings.TrimSuffix(filepath.Base(file), ".flx")+"/"+target.name, func(t *testing.T) {
				for name, values := range target.values(t, m, few) {
					for k, x := range few(name) {
						got, y := values[k], want[name][k]
						if of, order, _ := strings.Cut(name, "Order"); givenUp[of] != "" && order >= givenUp[of] && math.IsNaN(got) {
							continue
						}
						if same := got == y || math.IsNaN(got) && math.IsNaN(y) || math.Abs(got-y) <= 1e-8*math.Abs(y); !same {
							t.Errorf("%s %g is %g in the interpreter, %g in %s", name, x, y, got, target.name)
						}
					}
				}
			})
		}
	}
}

// tool runs the functions of a module, as text for a tool, and prints a value a line.
type tool struct {
	name string
	run  func(t *testing.T, m *Module, at places) string
}

var tools = []tool{{"go", runGo}, {"c", runC}, {"wasm", runWasm}}

// values returns what a target gives for each function at its points: NaN for a failure.
func (to tool) values(t *testing.T, m *Module, at places) map[string][]float64 {
	t.Helper()
	lines := strings.Split(to.run(t, m, at), "\n")
	values := map[string][]float64{}
	for _, f := range m.functions {
		for range at(f.name) {
			if len(lines) == 0 {
				t.Fatal("lines are missing")
			}
			x, err := strconv.ParseFloat(lines[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			values[f.name] = append(values[f.name], x)
			lines = lines[1:]
		}
	}
	if len(lines) > 0 {
		t.Fatalf("%d more lines: %s", len(lines), lines[0])
	}
	return values
}

// each returns a text for every function at each of its points, in turn.
func (m *Module) each(at places, line func(f *function, x float64) string) string {
	var b strings.Builder
	for _, f := range m.functions {
		for _, x := range at(f.name) {
			b.WriteString(line(f, x))
		}
	}
	return b.String()
}

func runGo(t *testing.T, m *Module, at places) string {
	files, err := m.Print("go")
	if err != nil {
		t.Fatal(err)
	}
	names, _ := m.named(goName, func(name string) string { return "fx" + goName(name) })
	files[0].Text = []byte(strings.Replace(string(files[0].Text), "package corpus\n", "package main\n", 1))
	main := "package main\n\nimport (\n\t\"fmt\"\n\t\"math\"\n)\n\nfunc show(x float64, err error) {\n" +
		"\tif err != nil {\n\t\tx = math.NaN()\n\t}\n\tfmt.Println(x)\n}\n\nfunc main() {\n" +
		m.each(at, func(f *function, x float64) string { return fmt.Sprintf("\tshow(%s(%g))\n", names[f.loop], x) }) + "}\n"
	files = append(files, File{"go.mod", []byte("module example\n\ngo 1.24\n")}, File{"main.go", []byte(main)})
	return write(t, files, []string{"go", "run", "-gcflags=-l", "-ldflags=-s -w", "."})
}

func runC(t *testing.T, m *Module, at places) string {
	files, err := m.Print("c")
	if err != nil {
		t.Fatal(err)
	}
	names, _ := m.named(func(name string) string { return "corpus_" + ascii(name) }, ascii)
	main := `#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "corpus.h"

static fx_arena a;

static void show(int (*f)(fx_arena *, double, double *), double x) {
    double y = 0;
    a.top = 0;
    if (f(&a, x, &y) != FX_OK || y != y) puts("nan"); else printf("%.17g\n", y);
}

int main(void) {
    a.base = malloc(a.size = 1 << 24);
` + m.each(at, func(f *function, x float64) string { return fmt.Sprintf("    show(%s, %g);\n", names[f.loop], x) }) + "    return 0;\n}\n"
	files = append(files, File{"main.c", []byte(main)})
	warnings := "-w" // they take as long as compiling
	if *orders > 1 {
		warnings = "-Wall"
	}
	return write(t, files, []string{"gcc", "-std=c99", warnings, "-O0", "-ffp-contract=off", "main.c", "corpus.c", "-lm", "-o", "main"}, []string{"./main"})
}

func runWasm(t *testing.T, m *Module, at places) string {
	files, err := m.Print("wasm")
	if err != nil {
		t.Fatal(err)
	}
	names, _ := m.named(ascii, ascii)
	main := "import { load } from \"./corpus.mjs\";\nconst m = await load();\n" +
		"const show = (f, x) => { let y = NaN; try { y = f(x); } catch {} console.log(y); };\n" +
		m.each(at, func(f *function, x float64) string { return fmt.Sprintf("show(m.%s, %g);\n", names[f.loop], x) })
	files = append(files, File{"main.mjs", []byte(main)})
	return write(t, files, []string{"node", "main.mjs"})
}

// TestRagged: an array with rows of different lengths is refused when it is compiled. One that
// starts without rows is not, and neither is a program that always fails.
func TestRagged(t *testing.T) {
	const text = `let ragged (s : Real) : Real =
  let a = [[], [s]]
  sum [sum row for row in a]
let grown (s : Real) : Real = sum (loop rows = [] for i < 3 do array.concat rows [[s, real i]])[2]
let failing (s : Real) : Real = [s, 1][2]
`
	var list diag.List
	w := driver.NewWorld(nil)
	unit := w.LoadText("corpus", "import array\n"+text, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	for name, want := range map[string]string{"ragged": "corpus:3:11", "grown": "", "failing": ""} {
		var own diag.List
		Functions(context.Background(), w, unit, Options{Functions: []string{name}, Grad: true}, &own)
		got := ""
		if own.Failed() {
			d := own.Sorted()[0]
			got = fmt.Sprint(d.Code, d.Message, " ", d.Span, " ", d.Related[0].Span)
		}
		if want != "" {
			want = fmt.Sprintf("%v`%s` cannot be compiled: rows of different lengths corpus:2:5 %s", diag.CannotCompile, name, want)
		}
		if got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}
