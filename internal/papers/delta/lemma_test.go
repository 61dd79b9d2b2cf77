package delta

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// linear is a Delta of §7.1, to be evaluated in more than one way.
type linear struct {
	con  string
	c    float64 // of Scale
	id   int64   // of Var and Let
	a, b *linear
}

// generate makes a Delta over the variables 1, …, free and those that it lets,
// which are numbered from next on.
func generate(r *rand.Rand, scope []int64, next *int64, depth int) *linear {
	k := r.IntN(6)
	if depth == 0 {
		k = r.IntN(4) / 3 * 5 // Var, or Zero
	}
	switch k {
	case 1:
		return &linear{con: "Scale", c: r.Float64()*4 - 2, a: generate(r, scope, next, depth-1)}
	case 2:
		return &linear{con: "Add", a: generate(r, scope, next, depth-1), b: generate(r, scope, next, depth-1)}
	case 3, 4:
		id := *next
		*next++
		rhs := generate(r, scope, next, depth-1)
		return &linear{con: "Let", id: id, a: rhs, b: generate(r, append(scope[:len(scope):len(scope)], id), next, depth-1)}
	case 5:
		return &linear{con: "Zero"}
	}
	return &linear{con: "Var", id: scope[r.IntN(len(scope))]}
}

// meaning is ⟦u⟧γ of §9: the conventional semantics, with an environment of
// vectors.
func (u *linear) meaning(gamma map[int64][]float64, n int) []float64 {
	out := make([]float64, n)
	switch u.con {
	case "Scale":
		for i, x := range u.a.meaning(gamma, n) {
			out[i] = u.c * x
		}
	case "Add":
		a, b := u.a.meaning(gamma, n), u.b.meaning(gamma, n)
		for i := range out {
			out[i] = a[i] + b[i]
		}
	case "Var":
		copy(out, gamma[u.id])
	case "Let":
		gamma[u.id] = u.a.meaning(gamma, n)
		return u.b.meaning(gamma, n)
	}
	return out
}

// core returns the Delta as a term of core.
func (u *linear) core(b *core.Builder) core.Atom {
	ty := data("Delta")
	switch u.con {
	case "Scale":
		return construct(b, ty, "Scale", double(u.c), u.a.core(b))
	case "Add":
		return construct(b, ty, "Add", u.a.core(b), u.b.core(b))
	case "Var":
		return construct(b, ty, "Var", core.IntLit(u.id))
	case "Let":
		return construct(b, ty, "Let", core.IntLit(u.id), u.a.core(b), u.b.core(b))
	}
	return construct(b, ty, "Zero")
}

func double(x float64) core.Atom { return core.RealLit(new(big.Rat).SetFloat64(x)) }

// TestLemma6: eval s u m adds s ⟦u⟧ to the map m: for all Deltas u, maps m,
// scales s and meanings γ of the free variables,
//
//	s · ⟦u⟧γ = Σ_a (lookup (eval s u m) a - lookup m a) · γ(a).
func TestLemma6(t *testing.T) {
	const free, dimension = 3, 2
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 6))
		next := int64(free + 1)
		u := generate(r, []int64{1, 2, 3}, &next, 2+int(seed)%4)
		s := r.Float64()*4 - 2
		gamma := map[int64][]float64{}
		before := map[int64]float64{}
		var b core.Builder
		um := construct(&b, data("DeltaMap"), "Empty")
		for a := int64(1); a <= free; a++ {
			gamma[a] = []float64{r.NormFloat64(), r.NormFloat64()}
			before[a] = r.NormFloat64()
			um = call(&b, "um", lib("addDelta").Use(), core.IntLit(a), double(before[a]), um)
		}
		um = call(&b, "um", lib("eval").Use(), double(s), u.core(&b), um)
		var after []core.Atom
		for a := int64(1); a <= free; a++ {
			after = append(after, call(&b, "x", lib("lookupOrZero").Use(), core.IntLit(a), um))
		}
		result := b.Emit("xs", &core.Array{Elem: types.Real, Elems: after}, diag.Span{})
		got := runMain(t, b.Block(result), result.Ty).(value.Reals)

		want := u.meaning(gamma, dimension)
		for i := range dimension {
			sum, scale := 0.0, 1.0
			for a := int64(1); a <= free; a++ {
				term := (got[a-1] - before[a]) * gamma[a][i]
				sum, scale = sum+term, scale+math.Abs(term)
			}
			if math.Abs(sum-s*want[i]) > 1e-12*scale {
				t.Fatalf("seed %d: %s: %v, want %v", seed, u, sum, s*want[i])
			}
		}
	}
}

func (u *linear) String() string {
	switch u.con {
	case "Scale":
		return fmt.Sprintf("Scale %v (%s)", u.c, u.a)
	case "Add":
		return fmt.Sprintf("Add (%s) (%s)", u.a, u.b)
	case "Var":
		return fmt.Sprintf("Var %d", u.id)
	case "Let":
		return fmt.Sprintf("Let %d (%s) (%s)", u.id, u.a, u.b)
	}
	return "Zero"
}

// runMain evaluates an expression over the library of translated programs.
func runMain(t *testing.T, body *core.Block, ty types.Type) value.Value {
	t.Helper()
	library := library()
	main := &core.Def{Name: "main", Type: ty, Body: body}
	program, d := opt.Mono(&core.Program{Datas: library.Datas, Defs: library.Defs, Main: main}, opt.Options{})
	if d != nil {
		t.Fatal(d)
	}
	code, d := interp.Compile(program)
	if d != nil {
		t.Fatal(d)
	}
	v, d := code.Run(context.Background(), interp.DefaultLimits())
	if d != nil {
		t.Fatal(d)
	}
	return v
}
