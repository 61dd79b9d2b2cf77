package trace_test

import (
	"math"
	"math/rand"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/trace"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// randomProblem returns a function of one real: a random program in which some of
// the literals of the main expression are that real. It is nil if the result
// has functions in it.
func randomProblem(seed int64) *papers.Problem {
	rng := rand.New(rand.NewSource(seed))
	p := coretest.Generate(rng)
	if hasFunctions(p.Main.Type, map[*types.DataDecl]bool{}) {
		return nil
	}
	x := core.NewVar("x", types.Real)
	var mapper core.Mapper
	var block func(*core.Block) *core.Block
	atom := func(a core.Atom) core.Atom {
		if l, ok := a.(*core.Lit); ok && l.Ty == types.Type(types.Real) && rng.Intn(3) > 0 {
			return x
		}
		return a
	}
	block = func(b *core.Block) *core.Block {
		out := &core.Block{}
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *core.Let:
				out.Stmts = append(out.Stmts, &core.Let{Var: s.Var, Op: mapper.Op(s.Op), At: s.At})
			case *core.LetRec:
				rec := &core.LetRec{Vars: s.Vars, At: s.At}
				for _, f := range s.Funs {
					rec.Funs = append(rec.Funs, mapper.Lambda(f))
				}
				out.Stmts = append(out.Stmts, rec)
			}
		}
		out.Result = atom(b.Result)
		return out
	}
	mapper = core.Mapper{Atom: atom, Block: block}
	f := core.FunDef("f", nil, &core.Lambda{Params: []*core.Var{x}, Body: block(p.Main.Body)}, diag.Span{})
	program := &core.Program{Datas: p.Datas, Defs: append(p.Defs[:len(p.Defs):len(p.Defs)], f)}
	return &papers.Problem{Program: program, Fun: f, At: value.Real(rng.NormFloat64()), MaxOps: 100_000}
}

func hasFunctions(t types.Type, seen map[*types.DataDecl]bool) bool {
	found := false
	var walk func(types.Type) types.Type
	walk = func(t types.Type) types.Type {
		switch t := types.Resolve(t).(type) {
		case *types.Fun:
			found = true
		case *types.Data:
			if !seen[t.Decl] {
				seen[t.Decl] = true
				for _, c := range t.Decl.Cons {
					for _, field := range c.FieldTypes(t) {
						found = found || hasFunctions(field, seen)
					}
				}
			}
		}
		return types.Map(t, walk)
	}
	walk(t)
	return found
}

// TestTheoremsOnRandomPrograms: the propositions of §3 on random programs, and the derivatives of
// their traces: of both forms, twice, and against differences.
func TestTheoremsOnRandomPrograms(t *testing.T) {
	n := int64(property.Rounds(800))
	var failed, refused, traced, derived, compared int
	for seed := range n {
		p := randomProblem(seed)
		if p == nil {
			continue
		}
		if err := core.Verify(p.Program, core.Mono); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		code, d := interp.Compile(p.Program)
		if d != nil {
			t.Fatal(d)
		}
		want, fails := code.Call(bg, interp.DefaultLimits(), "f", p.At)
		v, _, d := trace.Evaluate(bg, p)
		if fails != nil {
			if d == nil || d.Code != fails.Code {
				t.Errorf("seed %d: %v, want %v", seed, d, fails)
			}
			failed++
			continue
		}
		if d != nil {
			if d.Code != diag.StrategyBudget {
				t.Errorf("seed %d: %v\n%s", seed, d, core.Print(p.Program))
			}
			continue
		}
		if value.Show(v) != value.Show(want) { // Prop. 3.4
			t.Errorf("seed %d: %s, in interp %s", seed, value.Show(v), value.Show(want))
			continue
		}
		tr, _, d := trace.Symbolic(bg, p)
		if d != nil {
			if d.Code != diag.StrategyLimits {
				t.Errorf("seed %d: %v", seed, d)
			}
			refused++
			continue
		}
		traced++
		x, c := tr.Var, tr.Body
		ty, err := trace.Check([]*trace.Var{x}, c)
		if err != nil || !trace.Equal(ty, typeOfVal(trace.RealPart(v))) { // Prop. 3.6
			t.Fatalf("seed %d: %v\n%s", seed, err, trace.Show(c))
		}
		rho := map[*trace.Var]trace.Val{x: trace.RealPart(p.At)}
		if got, _, _ := trace.Eval(bg, c, rho, 0); !allNear(flat(got), flat(trace.RealPart(v)), 0) { // Prop. 3.5
			t.Errorf("seed %d: the trace gives %v, the program %s", seed, got, value.Show(v))
		}

		w := &trace.Var{Name: "w", Type: ty}
		p.Cotangent = value.MapReals(v, func(float64) float64 { return 1 })
		rho[w] = trace.RealPart(p.Cotangent)
		var slopes []float64
		for _, d := range []trace.Term{trace.ReversePruned(w, x, x, c, 1<<16), trace.Reverse(w, x, x, c, 1<<16)} {
			if d == nil {
				continue
			}
			if got, err := trace.Check([]*trace.Var{x, w}, d); err != nil || !trace.Equal(got, x.Type) { // Prop. 3.3
				t.Fatalf("seed %d: %v\n%s", seed, err, trace.Show(d))
			}
			slope, _, diagnostic := trace.Eval(bg, d, rho, 0)
			if diagnostic != nil {
				t.Fatalf("seed %d: %v", seed, diagnostic)
			}
			slopes = append(slopes, slope.(float64))
			derived++
		}
		if len(slopes) == 0 || math.IsNaN(slopes[0]) || math.IsInf(slopes[0], 0) {
			continue
		}
		if len(slopes) == 2 && !math.IsNaN(slopes[1]) && !near(slopes[0], slopes[1], 1e-9) {
			t.Errorf("seed %d: slopes %v", seed, slopes)
		}
		if _, tangent, d := trace.Forward(bg, p, value.Real(1)); d == nil {
			if forward := inner(value.RealsOf(p.Cotangent), value.RealsOf(tangent)); !math.IsNaN(forward) && !near(forward, slopes[0], 1e-9) {
				t.Errorf("seed %d: forward %v, reverse %v", seed, forward, slopes[0])
			}
		}
		// Differences at two widths; where these differ, they say nothing.
		slope := func(width float64) float64 { return differences(t, c, x, rho[x], width, flat(rho[w])) / width }
		if wide, narrow := slope(10), slope(5); near(wide, narrow, 1e-6) && inner(flat(rho[w]), abs(flat(trace.RealPart(v)))) < 1e6 {
			compared++
			if !near(narrow, slopes[0], 1e-4) {
				t.Errorf("seed %d: slope %v, numerically %v\n%s", seed, slopes[0], narrow, trace.Show(c))
			}
		}
	}
	t.Logf("%d failed, %d refused, %d traced, %d derivatives, %d compared with differences", failed, refused, traced, derived, compared)
	if traced < int(n)/3 {
		t.Errorf("only %d programs were traced", traced)
	}
}

func abs(xs []float64) []float64 {
	ys := make([]float64, len(xs))
	for i, x := range xs {
		ys[i] = math.Abs(x)
	}
	return ys
}
