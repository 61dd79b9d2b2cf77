package lab_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestDeterminacy (A–P Prop. 3.4): a program has one value, whoever computes
// it. Each shared program has the same value, bit for bit, by the executable
// semantics of core, by the interpreter, and after the optimiser; and it has one gradient, whatever the number
// of processors and however many runs there are at once.
func TestDeterminacy(t *testing.T) {
	bench := paperstest.NewLab()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i, p := range paperstest.Programs(t) {
		problem := bench.Problem(t, p, 0)
		value := values(t, problem)
		for engine, shown := range value {
			if shown != value["interp"] {
				t.Errorf("%s: %s gives %s, interp %s", p.Name, engine, shown, value["interp"])
			}
		}
		if i%4 > 0 {
			continue
		}
		code, d := interp.Compile(reverseProgram(problem))
		if d != nil {
			t.Fatal(d)
		}
		first := ""
		for _, processors := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(processors)
			for _, shown := range atOnce(t, code, processors) {
				if first == "" {
					first = shown
				}
				if shown != first {
					t.Errorf("%s: on %d processors %s, on one %s", p.Name, processors, shown, first)
				}
			}
		}
	}
}

// values returns the value of a problem's function by each engine, as a text that
// tells all values apart.
func values(t *testing.T, p *papers.Problem) map[string]string {
	t.Helper()
	fun := types.Resolve(p.Fun.Type).(*types.Fun)
	var b core.Builder
	y := b.Emit("y", &core.Apply{Fun: p.Fun.Use(), Args: []core.Atom{b.Embed(p.At, fun.Param)}}, p.Fun.At)
	program := &core.Program{Datas: p.Program.Datas, Defs: p.Program.Defs, Main: &core.Def{Name: "determinacy.main", Type: y.Ty, Body: b.Block(y)}}
	shown := map[string]string{}
	v, d := coretest.Eval(program)
	if d != nil {
		t.Fatal(d)
	}
	shown["coretest"] = value.Show(coretest.Export(v, fun.Result))
	run := func(engine string, program *core.Program, options interp.Options) {
		code, d := interp.CompileWith(program, options)
		if d != nil {
			t.Fatal(d)
		}
		v, d := code.Run(context.Background(), interp.DefaultLimits())
		if d != nil {
			t.Fatal(d)
		}
		shown[engine] = value.Show(v)
	}
	run("interp", program, interp.Options{})
	prepared, d := opt.Prepare(program, opt.Options{})
	if d != nil {
		t.Fatal(d)
	}
	run("interp after opt", prepared, interp.Options{})
	return shown
}

// reverseProgram returns the program of a problem's gradient.
func reverseProgram(p *papers.Problem) *core.Program {
	fun := types.Resolve(p.Fun.Type).(*types.Fun)
	var b core.Builder
	x, w := b.Embed(p.At, fun.Param), b.Embed(p.Cotangent, fun.Result)
	r := b.Emit("r", &core.Prim{Prim: prim.Lookup("reverse"), Inst: []types.Type{fun.Param, fun.Result}, Args: []core.Atom{p.Fun.Use(), x, w}}, p.Fun.At)
	return &core.Program{Datas: p.Program.Datas, Defs: p.Program.Defs, Main: &core.Def{Name: "determinacy.main", Type: r.Ty, Body: b.Block(r)}}
}

// atOnce runs a program several times at once.
func atOnce(t *testing.T, code *interp.Code, runs int) []string {
	t.Helper()
	shown := make([]string, runs)
	var wg sync.WaitGroup
	for i := range runs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			v, d := code.Run(context.Background(), interp.DefaultLimits())
			if d != nil {
				t.Error(d)
				return
			}
			shown[i] = value.Show(v)
		}()
	}
	wg.Wait()
	return shown
}
