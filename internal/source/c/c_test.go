package c

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
)

// TestAgainstEval compiles random functions with gcc and compares their results, bit for bit, with
// those of the executable semantics.
func TestAgainstEval(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed")
	}
	const count = 6
	p, names, exported := &loop.Program{}, map[*loop.Func]string{}, map[*loop.Func]Export{}
	var calls strings.Builder
	var want []string
	for i := range count {
		f, args := looptest.Random(rand.New(rand.NewPCG(uint64(i), 7)), looptest.Options{Updates: true, Whiles: true, Copies: i%2 == 0})
		names[f], exported[f] = fmt.Sprintf("random_%d", i), Export{}
		p.Funcs = append(p.Funcs, f)
		calls.WriteString(callOf(f, names[f], args))
		out, err := loop.Eval(vmath.Inline(f), args...)
		want = append(want, expected(f, names[f], out, err)...)
	}
	dir := t.TempDir()
	c, h := Print(p, names, exported, nil, "random.h")
	main := "#include <stdio.h>\n#include <stdlib.h>\n#include \"random.h\"\n" + mainHelpers +
		"int main(void) {\n    fx_arena a = {malloc(1 << 20), 1 << 20, 0, 0};\n" + calls.String() + "    return 0;\n}\n"
	for name, text := range map[string]string{"random.c": c, "random.h": h, "main.c": main} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(gcc, "-std=c99", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-o", "main", "main.c", "random.c", "-lm")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "main")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("line %d is %q, not %q\n%s", i+1, got[min(i, len(got)-1)], want[i], p.Funcs[0])
		}
	}
}

const mainHelpers = `
static inline void real(double x) { int64_t w; __builtin_memcpy(&w, &x, 8); if (x != x) puts("nan"); else printf("%016llx\n", (long long)w); }
static inline void whole(int64_t n) { printf("%016llx\n", (long long)n); }
`

// callOf calls a function with the arguments and prints what it gives.
func callOf(f *loop.Func, name string, args []loop.Value) string {
	var b strings.Builder
	b.WriteString("    {\n")
	parts := []string{"&a"}
	for i, p := range f.Params {
		switch p.Kind {
		case loop.F64:
			parts = append(parts, fmt.Sprintf("%x", args[i].Real()))
		case loop.F64s, loop.I64s:
			fmt.Fprintf(&b, "        const %s p%d[] = {", strings.TrimSuffix(ctype(p.Kind), " *"), i)
			for j, w := range args[i].Buf {
				if p.Kind == loop.F64s {
					fmt.Fprintf(&b, "%x, ", args[i].Reals()[j])
				} else {
					fmt.Fprintf(&b, "%d, ", int64(w))
				}
			}
			b.WriteString("};\n")
			parts = append(parts, fmt.Sprintf("p%d, %d", i, len(args[i].Buf)))
		default:
			parts = append(parts, fmt.Sprint(int64(args[i].Word)))
		}
	}
	show := ""
	for i, a := range f.Body.Yield {
		k := a.AtomKind()
		fmt.Fprintf(&b, "        %s;\n", declaration(k, fmt.Sprintf("r%d", i)))
		parts = append(parts, fmt.Sprintf("&r%d", i))
		print := "whole"
		if k == loop.F64 || k == loop.F64s {
			print = "real"
		}
		if k.IsBuffer() {
			fmt.Fprintf(&b, "        int64_t n%d;\n", i)
			parts = append(parts, fmt.Sprintf("&n%d", i))
			show += fmt.Sprintf("            for (int64_t j = 0; j < n%d; j++) %s(r%d[j]);\n", i, print, i)
		} else {
			show += fmt.Sprintf("            %s(r%d);\n", print, i)
		}
	}
	fmt.Fprintf(&b, "        a.top = 0;\n        const int status = %s(%s);\n        printf(\"%s %%d\\n\", status);\n", name, strings.Join(parts, ", "), name)
	fmt.Fprintf(&b, "        if (status == 0) {\n%s        }\n    }\n", show)
	return b.String()
}

func expected(f *loop.Func, name string, out []loop.Value, err error) (lines []string) {
	status := 0
	if err != nil {
		status = 1
	}
	lines = append(lines, fmt.Sprintf("%s %d", name, status))
	show := func(k loop.Kind, w uint64) {
		if x := math.Float64frombits(w); (k == loop.F64 || k == loop.F64s) && x != x {
			lines = append(lines, "nan")
		} else {
			lines = append(lines, fmt.Sprintf("%016x", w))
		}
	}
	if err != nil {
		return lines
	}
	for i, a := range f.Body.Yield {
		if k := a.AtomKind(); k.IsBuffer() {
			for _, w := range out[i].Buf {
				show(k, w)
			}
		} else {
			show(k, out[i].Word)
		}
	}
	return lines
}
