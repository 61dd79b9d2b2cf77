package driver_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// pointTypes are the data that random functions of data have as arguments. Arrays of reals have one
// length.
const pointTypes = `
data Leaf = One Real | Two Real Real | Zero | Tagged Int Real
data Point = Pair Leaf Real | Row ([]Real) Leaf | Many ([]Leaf) Real | Maybe (Option (Real, Leaf)) ([]Real) | Empty
`

// askData are a function of an array and of data, and its derivatives of orders 1 and 2.
var askData = []string{
	"(valueAndGrad f p, jvp f p d)",
	"(grad (fun v => jvp f v d) p, jvp (grad f) p d)",
	"(jacobianRows (fun (v, q) => (f (v, q), q)) p, jacobianColumns (fun (v, q) => [f (v, q), v[0] * f (v, q)]) p)",
	"vjp (fun (v, q) => (f (v, q), q)) p (2, snd d)",
}

// functionOfData returns the text of a function of an array and of data, which has the given depth.
func (g *calculus) functionOfData(depth int) string {
	g.arrays = []string{"v"}
	r := func() string { return g.real(depth) }
	reals := func(names string) string {
		before := g.reals
		g.reals = append(g.reals[:len(g.reals):len(g.reals)], strings.Fields(names)...)
		defer func() { g.reals = before }()
		return r()
	}
	leaf := fmt.Sprintf("let leaf (v : []Real) (l : Leaf) : Real =\n  match l with\n  | One x -> %s\n  | Two x y -> %s\n  | Zero -> %s\n  | Tagged k x -> %s\n",
		reals("x"), reals("x y"), r(), g.with(&g.ints, "k", func() string { return reals("x") }))
	arms := fmt.Sprintf("  | Pair l x -> leaf v l * %s\n", reals("x")) +
		fmt.Sprintf("  | Row w l -> leaf w l + %s\n", g.with(&g.arrays, "w", r)) +
		fmt.Sprintf("  | Many ls x -> sum (map (leaf v) ls) - %s\n", reals("x")) +
		fmt.Sprintf("  | Maybe o w -> (match o with | None -> %s | Some (x, l) -> leaf w l * %s)\n", r(), reals("x")) +
		fmt.Sprintf("  | Empty -> %s\n", r())
	return leaf + "let f ((v, q) : ([]Real, Point)) : Real =\n  match q with\n" + arms
}

// form returns the text of a value of type Point with # for every real.
func (g *calculus) form() string {
	leaf := func() string {
		return g.some([]string{"(One #)", "(Two # #)", "Zero", fmt.Sprintf("(Tagged %d #)", g.Intn(g.length))})
	}
	row := func() string { return "[" + strings.TrimSuffix(strings.Repeat("#, ", g.length), ", ") + "]" }
	return g.of(
		func() string { return "Pair " + leaf() + " #" },
		func() string { return "Row " + row() + " " + leaf() },
		func() string {
			leaves := make([]string, g.Intn(4))
			for i := range leaves {
				leaves[i] = leaf()
			}
			return "Many [" + strings.Join(leaves, ", ") + "] #"
		},
		func() string { return "Maybe (Some (#, " + leaf() + ")) " + row() },
		func() string { return "Maybe None " + row() },
		func() string { return "Empty" },
	)
}

// filled returns a form with reals. Some are equal, so that there are ties.
func (g *calculus) filled(form string) string {
	for strings.Contains(form, "#") {
		x := g.some([]string{"0.5", "1.25"})
		if g.Intn(4) > 0 {
			x = fmt.Sprintf("%.4f", 2*g.Float64()-1)
		}
		form = strings.Replace(form, "#", strings.Replace("("+x+")", "()", "0", 1), 1)
	}
	return form
}

// TestEnginesFuzzData: random functions of data have the same derivatives, and the same errors at
// the same places, by every engine as by the interpreter. Each is taken at several points, with
// constructors of their own.
func TestEnginesFuzzData(t *testing.T) {
	const points = 3
	for seed := *from; seed < *from+*fuzzed/6; seed++ {
		g := &calculus{Rand: rand.New(rand.NewSource(seed + 7_000_000)), length: 1 + int(seed%4), nested: seed%3 == 0, pointed: seed%2 == 0}
		f := g.functionOfData(1 + int(seed%3))
		for strings.Contains(f, "Cons") { // recursive data, which is not compiled
			f = g.functionOfData(1 + int(seed%3))
		}
		for k := range points {
			form := g.form()
			other := form
			if g.Intn(9) == 0 {
				other = g.form()
			}
			text := fmt.Sprintf("%s%slet p = (%s, %s)\nlet d = (%s, %s)\n", pointTypes, f, g.point(), g.filled(form), g.point(), g.filled(other))
			if agreesTogether(t, strict, text+"("+strings.Join(askData, ", ")+")\n") {
				continue
			}
			for _, ask := range askData {
				if !agreesTogether(t, strict, text+ask+"\n") {
					agreeOn(t, fmt.Sprintf("seed %d, point %d: %s", seed, k, ask), text+ask+"\n")
				}
			}
		}
	}
}
