package delta_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// plainly runs programs without a second look.
var plainly = lab.Evaluator(driver.Settings{Limits: interp.Limits{Memory: 1 << 30, Depth: 100_000}})

// TestLemma1: dt • F{e}(s, ds) = R{e}(s, dt) • ds, where both sides are one
// program each, on the shared programs and on random ones.
func TestLemma1(t *testing.T) {
	compared := 0
	for i, program := range paperstest.Programs(t) {
		if i%3 == 1 {
			p := problem(t, program.Source, program.Fn, program.At)
			p.Evaluate = plainly
			compared += lemma1(t, program.Name, p, uint64(i))
		}
	}
	for seed := range int64(200) {
		p := paperstest.Random(seed)
		if p == nil {
			continue
		}
		p.Evaluate = plainly
		y, _, d := delta.At(p, p.Program, p.Fun)
		if d != nil {
			continue
		}
		p.Cotangent = value.MapReals(y, func(float64) float64 { return 0.5 })
		compared += lemma1(t, fmt.Sprint("seed ", seed), p, uint64(seed))
	}
	if compared < 150 {
		t.Errorf("only %d functions were compared", compared)
	}
}

func lemma1(t *testing.T, name string, p *papers.Problem, seed uint64) int {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	ds := value.MapReals(p.At, func(float64) float64 { return r.Float64()*2 - 1 })
	from, to := delta.Signature(p.Fun)
	program, f, d := delta.Forward(p.Program, p.Fun)
	if d != nil {
		t.Fatalf("%s: %v", name, d)
	}
	dy := applied(t, p, program, f, from, p.At, from, ds)
	program, g, d := delta.Reverse(p.Program, p.Fun)
	if d != nil {
		t.Fatalf("%s: %v", name, d)
	}
	both := applied(t, p, program, g, from, p.At, to, p.Cotangent)
	if dy == nil || both == nil {
		return 0
	}
	forward, reverse, scale := 0.0, 0.0, 1.0
	weights := value.RealsOf(p.Cotangent)
	for i, x := range value.RealsOf(dy) {
		forward += weights[i] * x
		scale += math.Abs(weights[i] * x)
	}
	directions := value.RealsOf(ds)
	for i, x := range value.RealsOf(both.(value.Tuple)[1]) {
		reverse += directions[i] * x
		scale += math.Abs(directions[i] * x)
	}
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		return 0 // the program has a pole there
	}
	if math.Abs(forward-reverse) > 1e-12*scale {
		t.Errorf("%s: dt • F = %v, R • ds = %v", name, forward, reverse)
	}
	return 1
}

// applied returns a definition of a program at two values; nil if the program fails.
func applied(t *testing.T, p *papers.Problem, program *core.Program, f *core.Def, s types.Type, x value.Value, u types.Type, y value.Value) value.Value {
	t.Helper()
	var b core.Builder
	r := b.Emit("r", &core.Apply{Fun: f.Use(), Args: []core.Atom{b.Embed(x, s), b.Embed(y, u)}}, diag.Span{})
	main := &core.Def{Name: "lemma.main", Type: r.Ty, Body: b.Block(r)}
	mono, d := opt.Mono(&core.Program{Datas: program.Datas, Defs: program.Defs, Main: main}, opt.Options{})
	if d != nil {
		return nil
	}
	v, _, d := p.Evaluate(context.Background(), mono, 2_000_000)
	if d != nil {
		return nil
	}
	return v
}

// maxCost is how many operations the strategy delta executes, forward and
// backward, for each of the function's own. docs/papers.md states it.
const maxCost = 9

// maxCells is how many cells of memory it takes for each of them: constructors
// of the Delta, and entries of its map.
const maxCells = 9

var million = flag.Bool("million", false, "let the families grow to a million operations")

// TestLinearCost (§7.4): over families of programs that grow (with -million
// to more than a million operations), of loops, recursion, closures, data and
// arrays, the bounds of time and of memory hold at every size.
func TestLinearCost(t *testing.T) {
	sizes := []int{10, 1_000, 10_000}
	if *million {
		sizes = append(sizes, 300_000)
	}
	for name, family := range map[string]string{
		"loop":      "let f (x : Real) : Real = loop y = x for _ < %d do sin (y * x) + x",
		"closure":   "let f (x : Real) : Real =\n  let step = fun y => sin (x * y) + x\n  loop y = x for _ < %d do step y",
		"recursion": "let rec go (n : Int) (x y : Real) : Real = if n == 0 then y else go (n - 1) x (sin (y * x) + x)\nlet f (x : Real) : Real = go %d x x",
		"array":     "let f (x : Real) : Real = sum [sin (x * real i) * x for i < %d]",
		"list":      "let f (x : Real) : Real =\n  let xs = loop xs = Nil for i < %d do Cons (x * real i) xs\n  let rec total xs acc = match xs with | Nil -> acc | Cons y rest -> total rest (acc + sin y * x)\n  total xs 0",
		"fold":      "let f (x : Real) : Real = fold (fun a b => a * x + b) x [sin (real i * x) for i < %d]",
	} {
		for _, n := range sizes {
			p := bench.Problem(t, paperstest.Program{Name: name, Source: fmt.Sprintf(family, n), Fn: "f", At: "0.3"}, 100_000_000)
			answer, d := strategy("delta").Run(context.Background(), p)
			if d != nil {
				t.Fatal(d)
			}
			o := answer.Ops
			if cells := float64(answer.Cells) / float64(o.Primal); cells > maxCells {
				t.Errorf("%s, n = %d: %d operations and %d cells: %.2f each", name, n, o.Primal, answer.Cells, cells)
			} else if n == sizes[len(sizes)-1] {
				t.Logf("%s, n = %d: %.2f cells for each operation", name, n, cells)
			}
			if cost := float64(o.Forward+o.Backward) / float64(o.Primal); cost > maxCost {
				t.Errorf("%s, n = %d: %d operations and %d of delta: %.2f each", name, n, o.Primal, o.Forward+o.Backward, cost)
			} else if n == sizes[len(sizes)-1] {
				t.Logf("%s, n = %d: %d operations and %d of delta: %.2f each", name, n, o.Primal, o.Forward+o.Backward, cost)
			}
		}
	}
}
