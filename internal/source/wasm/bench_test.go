package wasm

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/engine/jit"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
)

// BenchmarkNode is the time of gradients in Node, over that of machine code with AVX2 in the same
// run.
func BenchmarkNode(b *testing.B) {
	node, err := exec.LookPath("node")
	if err != nil {
		b.Skip("node is not installed")
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name  string
		f     *loop.Func
		first int
		args  []loop.Value
	}{
		{"mixture, 10 dimensions", looptest.Mixture(), 4, looptest.MixtureArgs(rnd, 1000, 25, 10)},
		{"mixture, 32 dimensions", looptest.Mixture(), 4, looptest.MixtureArgs(rnd, 1000, 25, 32)},
		{"recurrent network", looptest.Recurrent(), 2, looptest.RecurrentArgs(rnd, 1000, 16)},
	} {
		b.Run(c.name, func(b *testing.B) {
			g := gradient(b, c.f, c.first)
			p := &loop.Program{Funcs: []*loop.Func{g}}
			values := append(c.args, loop.RealValue(1))
			code, err := jit.Compile(p, jit.Options{CPU: "avx2"})
			if err != nil {
				b.Skip(err)
			}
			args := make([]loop.Arg, len(values))
			for i, v := range values {
				args[i] = loop.Arg{Word: v.Word}
				if g.Params[i].Kind == loop.F64s {
					args[i].F = v.Reals()
				}
			}
			names := map[*loop.Func]string{g: "f"}
			js, _ := Wrapper(exportsOf(p, names), "f.wasm")
			main := "import { load } from './f.mjs';\nconst m = await load();\n" + fmt.Sprintf("const args = [%s];\n", literals(g, values)) + `
for (let i = 0; i < args.length; i++) if (Array.isArray(args[i])) args[i] = Float64Array.from(args[i]);
let best = 1e9;
for (const end = performance.now() + 1500; performance.now() < end; ) {
  const start = performance.now();
  m.f(...args);
  best = Math.min(best, performance.now() - start);
}
console.log(JSON.stringify(best));`
			native, module := time.Hour, time.Hour
			for b.Loop() {
				for range 200 {
					start := time.Now()
					if _, err := code.Run(args, loop.RunOptions{}); err != nil {
						b.Fatal(err)
					}
					native = min(native, time.Since(start))
				}
				var ms float64
				out := run(b, node, map[string]string{"f.wasm": string(Print(p, names, false)), "f.mjs": js, "main.mjs": main})
				if err := json.Unmarshal([]byte(out), &ms); err != nil {
					b.Fatal(err, out)
				}
				module = min(module, time.Duration(ms*1e6))
			}
			b.ReportMetric(float64(native.Microseconds()), "AVX2-µs")
			b.ReportMetric(float64(module.Microseconds()), "Node-µs")
			b.ReportMetric(float64(module)/float64(native), "quotient")
		})
	}
}
