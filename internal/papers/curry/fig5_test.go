package curry

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// exT is a rep-function of Def. 5.1 as Fig. 5 prints it: with the tangent of
// its environment beside that of its argument, in every combinator. The
// existential type τ♭ itself is erased; unit is the tangent of no environment,
// and pairs are Tangents.
type exT func(x Product) (Value, func(g Tangent) (env, gx Tangent))

var unit = Tangents{}

// printedFun is a function value of Fig. 5. Ours is Fun.
type printedFun struct {
	arity int
	f     exT
}

// printedComp: comp (exT τf♭ f) (exT τg♭ g) = exT (τf♭, τg♭) h where h a =
//
//	let (b, pb_f) = f a
//	    (c, pb_g) = g b
//	in (c, λgc. let (envg, gb) = pb_g gc
//	                (envf, ga) = pb_f gb
//	            in ((envf, envg), ga))
func printedComp(f, g exT) exT {
	return func(a Product) (Value, func(Tangent) (Tangent, Tangent)) {
		b, pbF := f(a)
		c, pbG := g(b.(Product))
		return c, func(gc Tangent) (Tangent, Tangent) {
			envG, gb := pbG(gc)
			envF, ga := pbF(gb)
			return Tangents{envF, envG}, ga
		}
	}
}

// printedCurry: curry (exT τ♭ f) = exT () new_f where new_f t =
//
//	let gf s = let (r, pullback) = f (t, s)
//	           in (r, λgr. let (cte, (ctt, cts)) = pullback gr
//	                       in ((cte, ctt), cts))
//	    g = exT (τ♭, T[t]) gf
//	    new_pb env = env
//	in (g, new_pb)
//
// The result of new_pb is (τ♭, T[t]): that of exT () new_f is (T[t], ()), and
// τ♭ goes where the witness of curry's own argument goes.
func printedCurry(m *machine, arity int, f exT) exT {
	return func(t Product) (Value, func(Tangent) (Tangent, Tangent)) {
		gf := func(s Product) (Value, func(Tangent) (Tangent, Tangent)) {
			r, pullback := f(concat(t, s))
			return r, func(gr Tangent) (Tangent, Tangent) {
				cte, both := pullback(gr)
				ctt, cts := m.split(both, len(t), len(t)+arity)
				return Tangents{cte, tangents(ctt)}, tangents(cts)
			}
		}
		newPb := func(env Tangent) (Tangent, Tangent) {
			if isZero(env) { // nobody called g
				return unit, env
			}
			pair := m.components(env, 2)
			return pair[0], pair[1]
		}
		return &printedFun{arity, gf}, newPb
	}
}

// printedEval: eval = exT () new_f where
//
//	new_f (exT τ♭ f, x) = let (y, pb) = f x in (y, λg. ((), pb g))
func printedEval(m *machine) exT {
	return func(x Product) (Value, func(Tangent) (Tangent, Tangent)) {
		f := x[0].(*printedFun)
		y, pb := f.f(x[1:])
		return y, func(g Tangent) (Tangent, Tangent) {
			env, gx := pb(g)
			return unit, append(Tangents{env}, m.components(gx, len(x)-1)...)
		}
	}
}

// printed returns a term by the combinators of Fig. 5, with those of Fig. 2 for the
// rest: they capture nothing, and prod has both witnesses.
func printed(m *machine, t Term) exT {
	switch t := t.(type) {
	case *Comp:
		all := printed(m, t.Steps[0])
		for _, step := range t.Steps[1:] {
			all = printedComp(all, printed(m, step))
		}
		return all
	case *Prod:
		parts := make([]exT, len(t.Parts))
		for i, part := range t.Parts {
			parts[i] = printed(m, part)
		}
		return func(x Product) (Value, func(Tangent) (Tangent, Tangent)) {
			y, pullbacks := make(Product, len(parts)), make([]func(Tangent) (Tangent, Tangent), len(parts))
			for i, part := range parts {
				y[i], pullbacks[i] = part(x)
			}
			return y, func(g Tangent) (Tangent, Tangent) {
				envs, sum := make(Tangents, len(parts)), Tangent(Zero{})
				for i, gi := range m.components(g, len(parts)) {
					var gx Tangent
					envs[i], gx = pullbacks[i](gi)
					sum = m.add(sum, gx)
				}
				return envs, sum
			}
		}
	case *Curry:
		return printedCurry(m, len(t.Params), printed(m, t.Body))
	case *Eval:
		return printedEval(m)
	}
	return func(x Product) (Value, func(Tangent) (Tangent, Tangent)) {
		y, pullback := t.run(m, x)
		return y, func(g Tangent) (Tangent, Tangent) { return unit, pullback(g) }
	}
}

// isUnits reports whether the tangent of an environment is made of units alone.
func isUnits(env Tangent) bool {
	parts, ok := env.(Tangents)
	return ok && !slices.ContainsFunc(parts, func(part Tangent) bool { return !isUnits(part) })
}

// TestFig5AsPrinted: Fig. 5's comp, curry and eval, with a witness in every
// combinator, give what ours give without. Composition collects the tangents of
// environments, and all it collects is units: only function values have
// an environment. That is why a rep-function that is not a function value can
// do without.
func TestFig5AsPrinted(t *testing.T) {
	m := disciplines()["curry-env"]
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		n := 1 + r.IntN(3)
		f, x, gy := random(r, n, 24), point(r, n), r.Float64()*2-1
		y, pullback := f.run(m, x)
		z, printedPullback := printed(m, f)(x)
		env, gx := printedPullback(gy)
		if !isUnits(env) {
			t.Fatalf("the environment of %s has the tangent %s", Print(f), showTangent(env))
		}
		ours := append(leaves(y), leaves(m.spread(pullback(gy), x))...)
		theirs := append(leaves(z), leaves(m.spread(gx, x))...)
		if !nearly(ours, theirs) {
			t.Fatalf("%s at %v: ours %v, as printed %v", Print(f), x, ours, theirs)
		}
	}
}
