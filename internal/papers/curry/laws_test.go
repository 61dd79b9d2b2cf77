package curry

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// disciplines returns the two ways to differentiate functions, on machines of
// their own.
func disciplines() map[string]*machine {
	machines := map[string]*machine{}
	for name, make := range map[string]func(*machine) discipline{
		"curry-list": func(m *machine) discipline { return callList{m} },
		"curry-env":  func(m *machine) discipline { return environment{m} },
	} {
		m := &machine{ctx: context.Background(), defs: map[string]*definition{}, derived: map[*prim.Prim]*derivative{}}
		m.discipline = make(m)
		machines[name] = m
	}
	return machines
}

// ---- terms by hand

func pr(i int) Term                { return &Proj{i, fmt.Sprint("x", i)} }
func fork(parts ...Term) Term      { return &Prod{Parts: parts} }
func nested(steps ...Term) Term    { return &Comp{steps} } // without the laws that comp uses
func eval(f Term, x ...Term) Term  { return nested(fork(append([]Term{f}, x...)...), &Eval{}) }
func curried(n int, f Term) *Curry { return &Curry{Params: make([]string, n), Body: f} }

func op(name string, args ...Term) Term {
	inst := []types.Type{types.Real}
	return nested(fork(args...), &Prim{Row: prim.Lookup(name), Inst: inst})
}

func num(x float64) Term { return &Const{x} }

// random returns an arrow from n reals to a real. Some go through functions.
func random(r *rand.Rand, n, size int) Term {
	if size <= 1 {
		if r.IntN(4) == 0 {
			return num(r.Float64()*2 - 1)
		}
		return pr(r.IntN(n))
	}
	sub := func() Term { return random(r, n, size/2) }
	switch r.IntN(7) {
	case 0:
		return op("+", sub(), sub())
	case 1:
		return op("*", sub(), sub())
	case 2:
		return op("sin", sub())
	case 3:
		return op("exp", op("sin", sub()))
	case 4: // a variable: ⟨π…, x⟩ ; body
		return nested(extended(n, sub()), random(r, n+1, size/2))
	case 5: // a function, called twice
		f := nested(fork(extended(n).(*Prod).Parts...), curried(1, random(r, n+1, size/2)))
		return nested(extended(n, f), op("+", eval(pr(n), pr(0)), eval(pr(n), eval(pr(n), pr(n-1)))))
	}
	return op("-", sub(), sub())
}

// extended is ⟨π…, f…⟩ over n components.
func extended(n int, fs ...Term) Term {
	p := &Prod{}
	for i := range n {
		p.Parts = append(p.Parts, pr(i))
	}
	p.Parts = append(p.Parts, fs...)
	return p
}

func point(r *rand.Rand, n int) Product {
	return productOf(n, func(int) Value { return r.Float64()*2 - 1 })
}

// same says that two arrows from reals agree at a point: in their values, and
// in their pullbacks.
func same(t *testing.T, m *machine, law string, f, g Term, x Product, r *rand.Rand) {
	t.Helper()
	y, pf := f.run(m, x)
	z, pg := g.run(m, x)
	var gy Tangent = r.Float64()*2 - 1
	if p, ok := y.(Product); ok {
		ts := zeros(len(p))
		for i := range ts {
			ts[i] = r.Float64()*2 - 1
		}
		gy = ts
	}
	a := append(leaves(y), leaves(m.spread(pf(gy), x))...)
	b := append(leaves(z), leaves(m.spread(pg(gy), x))...)
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9*max(1, math.Abs(a[i])) {
			t.Fatalf("%s at %v: %v and %v\n%s\n%s", law, x, a, b, Print(f), Print(g))
		}
	}
}

func leaves(v Value) []float64 {
	if p, ok := v.(Product); ok {
		var all []float64
		for _, e := range p {
			all = append(all, leaves(e)...)
		}
		return all
	}
	return []float64{v.(float64)}
}

// TestLaws: the combinators of both disciplines satisfy the laws of cartesian
// closed categories, which §4.1 and §5 state, on values and on pullbacks.
func TestLaws(t *testing.T) {
	for name, m := range disciplines() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 300 {
				n := 1 + r.IntN(3)
				x := point(r, n)
				f, g, h := random(r, n, 12), random(r, n, 12), random(r, 2, 12)
				pair := fork(f, g)
				same(t, m, "id ; f = f", nested(Id{}, f), f, x, r)
				same(t, m, "f ; id = f", nested(f, Id{}), f, x, r)
				same(t, m, "associativity", nested(nested(pair, fork(pr(1), pr(0))), h), nested(pair, nested(fork(pr(1), pr(0)), h)), x, r)
				same(t, m, "⟨f, g⟩ ; π₁ = f", nested(pair, pr(0)), f, x, r)
				same(t, m, "⟨f, g⟩ ; π₂ = g", nested(pair, pr(1)), g, x, r)
				same(t, m, "p ; ⟨h, h'⟩ = ⟨p ; h, p ; h'⟩", nested(pair, fork(h, pr(0))), fork(nested(pair, h), nested(pair, pr(0))), x, r)
				same(t, m, "⟨π₁, …⟩ = id", extended(n), Id{}, x, r)

				// β: eval ∘ (curry f × id) = f
				k := r.IntN(n) // how many components are captured
				captured := fork(extended(k).(*Prod).Parts...)
				rest := extended(n).(*Prod).Parts[k:]
				closure := nested(captured, curried(n-k, f))
				same(t, m, "eval ∘ (curry f × id) = f", eval(closure, rest...), f, x, r)
				if n-k > 1 {
					// the same with the arguments one at a time: Note [Arity]
					same(t, m, "partial application", eval(eval(closure, rest[0]), rest[1:]...), f, x, r)
					two := nested(captured, curried(1, curried(n-k-1, f)))
					same(t, m, "over-application", eval(two, rest...), f, x, r)
				}
				// naturality: g ; curry h = curry ((g × id) ; h)
				left := eval(nested(fork(g), curried(1, h)), f)
				right := eval(curried(1, nested(fork(nested(extended(n), g), pr(n)), h)), f)
				same(t, m, "naturality of curry", left, right, x, r)
				// η: curry (eval ∘ (c × id)) = c, applied twice
				c := nested(fork(g), curried(1, h))
				eta := curried(1, eval(nested(extended(n), c), pr(n)))
				twice := func(c Term) Term { return nested(extended(n, c), eval(pr(n), eval(pr(n), pr(0)))) }
				same(t, m, "curry (eval ∘ (c × id)) = c", twice(eta), twice(c), x, r)
			}
		})
	}
}

// TestFixUnrolls: a recursive function is its body with itself for itself.
func TestFixUnrolls(t *testing.T) {
	// go (y) = if y < 1 then y * x else go (y / 2) over (x, go, y)
	recur := func(self Term) Term {
		branch := &If{op("*", pr(2), pr(0)), eval(self, op("/", pr(2), num(2)))}
		return nested(extended(3, op("<", pr(2), num(1))), branch)
	}
	fix := &Fix{Names: []string{"go"}, Curry: []*Curry{curried(1, recur(pr(1)))}}
	f := nested(fork(pr(0), nested(fork(pr(0)), fix, pr(0))), fork(pr(0), pr(1)))
	folded := nested(f, eval(pr(1), op("*", pr(0), num(7))))
	unrolled := nested(f, fork(pr(0), pr(1), op("*", pr(0), num(7))), recur(pr(1)))
	for _, m := range disciplines() {
		r := rand.New(rand.NewPCG(3, 4))
		for range 50 {
			same(t, m, "fix", folded, unrolled, Product{1 + r.Float64()}, r)
		}
	}
}

// TestFig2: the library of combinators as printed.
func TestFig2(t *testing.T) {
	m := disciplines()["curry-env"]
	y, pullback := op("*", pr(0), pr(1)).run(m, Product{3.0, 5.0})
	if got := showTangent(pullback(2.0)); y != 15.0 || got != "(10, 6)" {
		t.Errorf("mult (3, 5) = %v, pullback of 2 = %s", y, got)
	}
	_, pullback = pr(0).run(m, Product{3.0, 5.0})
	if got := showTangent(pullback(2.0)); got != "(2, 0)" {
		t.Errorf("proj_left: %s", got)
	}
}

// ---- Fig. 4. In each column foo1 and foo2 are over (f, …).

var columns = []struct {
	name       string
	foo1, foo2 Term // over (f, g, x)
	list1      string
	list2      string
}{
	{"Forgetting Results",
		nested(fork(eval(pr(0), pr(2)), eval(pr(1), pr(2))), pr(0)), eval(pr(0), pr(2)),
		"([(0.5, 1)], [(0.5, 0)], 2)", "([(0.5, 1)], 0, 2)"},
	{"Summing Results",
		op("+", eval(pr(0), pr(2)), eval(pr(0), pr(2))),
		nested(fork(eval(pr(0), pr(2))), op("+", pr(0), pr(0))),
		"([(0.5, 1), (0.5, 1)], 0, 4)", "([(0.5, 2)], 0, 4)"},
}

// TestFig4Lists: the tangents that §4.1 computes for the two columns about
// functions are different lists, which are to be equivalent.
func TestFig4Lists(t *testing.T) {
	m := disciplines()["curry-list"]
	double := m.closed(1, "double", m.rep(op("*", pr(0), num(2))))
	for _, c := range columns {
		for i, foo := range []Term{c.foo1, c.foo2} {
			_, pullback := foo.run(m, Product{double, double, 0.5})
			if got, want := showTangent(pullback(1.0)), []string{c.list1, c.list2}[i]; got != want {
				t.Errorf("%s: foo%d pulls 1 back to %s, want %s", c.name, i+1, got, want)
			}
		}
	}
}

// TestFig4: with functions that capture, foo1 and foo2 have the same pullback.
func TestFig4(t *testing.T) {
	for name, m := range disciplines() {
		r := rand.New(rand.NewPCG(5, 6))
		for range 100 {
			closures := fork(curried(1, random(r, 3, 12)), curried(1, random(r, 3, 12)), pr(1))
			for _, c := range columns {
				same(t, m, name+": "+c.name, nested(closures, c.foo1), nested(closures, c.foo2), point(r, 2), r)
			}
			f := random(r, 2, 12)
			partial := eval(nested(fork(pr(0)), curried(1, f)), pr(1))
			same(t, m, name+": Partial Application", partial, f, point(r, 2), r)
		}
	}
}

// TestErasedTypesAreChecked: tangents of functions with different environments
// do not mix.
func TestErasedTypesAreChecked(t *testing.T) {
	m := disciplines()["curry-env"]
	f, g := curried(1, op("*", pr(0), pr(1))), curried(1, op("+", pr(0), pr(1)))
	_, newPb := f.run(m, Product{2.0})
	defer func() {
		if recover() == nil {
			t.Error("the tangent of another function was taken")
		}
	}()
	newPb(&EnvTangent{g, Tangents{1.0}})
}
