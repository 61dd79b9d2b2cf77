package wasmgen

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

// TestAgainstEval runs random functions in Node and compares their results, bit for bit, with those
// of the executable semantics.
func TestAgainstEval(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	const count = 20
	p, names := &loop.Program{}, map[*loop.Func]string{}
	var calls strings.Builder
	var want []string
	for i := range count {
		f, args := looptest.Random(rand.New(rand.NewPCG(uint64(i), 7)), looptest.Options{Updates: true, Whiles: true})
		names[f] = fmt.Sprintf("random %d", i)
		p.Funcs = append(p.Funcs, f)
		fmt.Fprintf(&calls, "show(() => m[%q](%s));\n", names[f], literals(f, args))
		out, err := loop.Eval(vmath.Inline(f), args...)
		want = append(want, expected(f, out, err))
	}
	code := Print(p, names)
	js, _ := Wrapper(p, names, nil, "random.wasm")
	main := "import { load } from './random.mjs';\nconst m = await load();\n" + show + calls.String()
	got := run(t, node, map[string]string{"random.wasm": string(code), "random.mjs": js, "main.mjs": main})
	for i, line := range strings.Split(got, "\n") {
		if line != want[i] {
			t.Fatalf("function %d gives\n%s\nnot\n%s\n%s", i, line, want[i], p.Funcs[i])
		}
	}
}

func run(t *testing.T, node string, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(node, filepath.Join(dir, "main.mjs")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

const show = `
const word = (x) => {
  if (typeof x === "number" && Number.isNaN(x)) return "nan";
  const view = new DataView(new ArrayBuffer(8));
  if (typeof x === "bigint") view.setBigInt64(0, x); else view.setFloat64(0, x);
  return view.getBigUint64(0).toString(16);
};
const show = (f) => {
  let r;
  try { r = f(); } catch (e) { console.log("failed"); return; }
  console.log(r.map((x) => (x instanceof Float64Array || x instanceof BigInt64Array ? Array.from(x, word).join(" ") : word(x))).join(" "));
};
`

func literals(f *loop.Func, args []loop.Value) string {
	var out []string
	for i, p := range f.Params {
		switch p.Kind {
		case loop.F64:
			out = append(out, fmt.Sprintf("%v", args[i].Real()))
		case loop.F64s:
			out = append(out, strings.ReplaceAll(fmt.Sprint(args[i].Reals()), " ", ", "))
		case loop.I64s:
			var ns []string
			for _, w := range args[i].Buf {
				ns = append(ns, fmt.Sprint(int64(w)))
			}
			out = append(out, "["+strings.Join(ns, ", ")+"]")
		default:
			out = append(out, fmt.Sprint(int64(args[i].Word)))
		}
	}
	return strings.Join(out, ", ")
}

func expected(f *loop.Func, out []loop.Value, err error) string {
	if err != nil {
		return "failed"
	}
	var parts []string
	for i, a := range f.Body.Yield {
		words := out[i].Buf
		if !a.AtomKind().IsBuffer() {
			words = []uint64{out[i].Word}
		}
		var row []string
		for _, w := range words {
			if x := math.Float64frombits(w); x != x && (a.AtomKind() == loop.F64 || a.AtomKind() == loop.F64s) {
				row = append(row, "nan")
			} else {
				row = append(row, fmt.Sprintf("%x", w))
			}
		}
		parts = append(parts, strings.Join(row, " "))
	}
	return strings.Join(parts, " ")
}

// TestFma: sums of products are rounded once.
func TestFma(t *testing.T) {
	f := fma()
	rnd := rand.New(rand.NewPCG(1, 2))
	number := func() float64 {
		x := math.Ldexp(rnd.Float64()-0.5, rnd.IntN(40)-20)
		if rnd.IntN(3) == 0 { // few digits, so that ties occur
			x = math.Ldexp(float64(rnd.IntN(1<<20)), rnd.IntN(80)-60)
		}
		return x
	}
	for range 20000 {
		x, y, z := number(), number(), number()
		if rnd.IntN(2) == 0 {
			z = -x * y * (1 + math.Ldexp(float64(rnd.IntN(5)), -52))
		}
		out, _ := loop.Eval(f, loop.RealValue(x), loop.RealValue(y), loop.RealValue(z))
		if want := math.FMA(x, y, z); out[0].Real() != want {
			t.Fatalf("fma %v %v %v = %v, not %v", x, y, z, out[0].Real(), want)
		}
	}
}
