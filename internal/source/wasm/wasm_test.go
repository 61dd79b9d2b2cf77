package wasm

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
	"github.com/fluxion-lang/fluxion/internal/source"
)

var count = flag.Int("functions", 60, "random functions")

// sample is functions with arguments, and their results by the executable semantics.
type sample struct {
	p     loop.Program
	names map[*loop.Func]string
	calls strings.Builder
	want  []string
}

func (s *sample) add(f *loop.Func, args []loop.Value) {
	if s.names == nil {
		s.names = map[*loop.Func]string{}
	}
	name, known := s.names[f]
	if !known {
		name = fmt.Sprintf("function %d", len(s.p.Funcs))
		s.names[f] = name
		s.p.Funcs = append(s.p.Funcs, f)
	}
	fmt.Fprintf(&s.calls, "show(() => m[%q](%s));\n", name, literals(f, args))
	out, err := loop.Eval(vmath.Inline(f), args...)
	s.want = append(s.want, expected(f, out, err))
}

// run runs the functions in Node.
func (s *sample) run(t *testing.T, deterministic bool) []string {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	code := Print(&s.p, s.names, deterministic)
	js, _ := Wrapper(exportsOf(&s.p, s.names), "sample.wasm")
	main := "import { load } from './sample.mjs';\nconst m = await load();\n" + show + s.calls.String()
	out := run(t, node, map[string]string{"sample.wasm": string(code), "sample.mjs": js, "main.mjs": main})
	return strings.Split(out, "\n")
}

// TestAgainstEval compares the results of random functions, bit for bit, with those of the
// executable semantics.
func TestAgainstEval(t *testing.T) {
	var s sample
	for i := range *count {
		f, args := looptest.Random(rand.New(rand.NewPCG(uint64(i), 7)), looptest.Options{Updates: true, Whiles: true, Copies: i%2 == 0})
		if i%2 == 1 {
			pass.Optimize(f, pass.Options{Schedule: true})
		}
		s.add(f, args)
	}
	for i, got := range s.run(t, true) {
		if got != s.want[i] {
			t.Fatalf("function %d gives\n%s\nnot\n%s\n%s", i, got, s.want[i], s.p.Funcs[i])
		}
	}
}

// TestVectors: with totals in vectors, and without fma, results agree to rounding.
func TestVectors(t *testing.T) {
	var s sample
	for i := range *count {
		f, args := looptest.Random(rand.New(rand.NewPCG(uint64(i), 8)), looptest.Options{Updates: true, Whiles: true, Copies: i%2 == 0})
		pass.Optimize(f, pass.Options{Schedule: true})
		s.add(f, args)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	mixture, network := gradient(t, looptest.Mixture(), 4), gradient(t, looptest.Recurrent(), 2)
	for _, n := range []int{1, 2, 3, 7, 8, 17, 21} {
		s.add(mixture, append(looptest.MixtureArgs(rnd, n, 3, 4), loop.RealValue(1)))
		s.add(network, append(looptest.RecurrentArgs(rnd, 5, n), loop.RealValue(1)))
	}
	for i, got := range s.run(t, false) {
		if !near(got, s.want[i]) {
			t.Errorf("call %d gives\n%s\nnot\n%s", i, got, s.want[i])
		}
	}
}

// gradient is that of a function with respect to its first arguments.
func gradient(t testing.TB, f *loop.Func, first int) *loop.Func {
	by := make([]bool, len(f.Params))
	for i := range first {
		by[i] = true
	}
	pass.Optimize(f, pass.Options{})
	g, err := grad.Reverse(&loop.Program{}, f, by, looptest.Sharing)
	if err != nil {
		t.Fatal(err)
	}
	pass.Optimize(g, pass.Options{Schedule: true})
	return g
}

// near tells whether words agree, as they are or as doubles but for rounding.
func near(got, want string) bool {
	if got == want {
		return true
	}
	xs, ys := strings.Fields(got), strings.Fields(want)
	if len(xs) != len(ys) {
		return false
	}
	for i := range xs {
		a, err := strconv.ParseUint(xs[i], 16, 64)
		b, err2 := strconv.ParseUint(ys[i], 16, 64)
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		if xs[i] != ys[i] && (err != nil || err2 != nil || !(math.Abs(x-y) <= 1e-9*(1+math.Abs(y)))) {
			return false
		}
	}
	return true
}

func run(t testing.TB, node string, files map[string]string) string {
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

// exportsOf are the functions of a program, with what the loop form has as parameters and results.
func exportsOf(p *loop.Program, names map[*loop.Func]string) (list []Export) {
	valueOf := func(k loop.Kind) *source.Value {
		kinds := map[loop.Kind]source.ValueKind{loop.F64: source.Real, loop.F64s: source.Real,
			loop.I64: source.Integer, loop.I64s: source.Integer, loop.Bool: source.Truth}
		v := &source.Value{Kind: kinds[k]}
		if k.IsBuffer() {
			return &source.Value{Kind: source.List, Parts: []*source.Value{v}}
		}
		return v
	}
	for _, f := range p.Funcs {
		e := Export{Name: names[f], Result: &source.Value{Kind: source.Tuple}}
		for _, v := range f.Params {
			e.Params, e.Types = append(e.Params, v.Name), append(e.Types, valueOf(v.Kind))
		}
		for _, a := range f.Body.Yield {
			e.Result.Parts = append(e.Result.Parts, valueOf(a.AtomKind()))
		}
		if len(e.Result.Parts) == 1 {
			e.Result = e.Result.Parts[0]
		}
		list = append(list, e)
	}
	return list
}
