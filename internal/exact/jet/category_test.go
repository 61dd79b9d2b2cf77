package jet

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// The category of derivative towers (λS §4.4, §4.5). A tower of f at x is the list of its
// derivatives there, each a set or ⊥; jets compute them, with factorials divided out.

// towerOrder is the highest derivative that is compared.
const towerOrder = 4

type (
	doubleJet = Jet
	smoothish func(a *Algebra, x doubleJet) doubleJet
)

// larger is the maximum of two jets, decided where it can be.
func larger(a *Algebra, x, y doubleJet) doubleJet {
	switch {
	case a.Less(y.Val(), x.Val()):
		return x
	case a.Less(x.Val(), y.Val()):
		return y
	}
	return a.Max(x, y)
}

// corners are where the random maps have their kinks, and where they are evaluated.
var corners = rapid.SampledFrom([]float64{-1, -0.5, 0, 0.5, 1})

// randomMaps draws smoothish maps: compositions, sums and products of smooth functions and kinks.
func randomMaps(depth int) *rapid.Generator[smoothish] {
	return rapid.Custom(func(t *rapid.T) smoothish {
		c := corners.Draw(t, "c")
		inner := func(name string) smoothish {
			if depth == 0 {
				return func(a *Algebra, x doubleJet) doubleJet { return a.Add(x, a.Float(c)) }
			}
			return randomMaps(depth-1).Draw(t, name)
		}
		f := inner("f")
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			return func(a *Algebra, x doubleJet) doubleJet { return a.Sin(f(a, x)) }
		case 1:
			return func(a *Algebra, x doubleJet) doubleJet { return a.Exp(a.Tanh(f(a, x))) }
		case 2:
			return func(a *Algebra, x doubleJet) doubleJet { return a.Sqr(f(a, x)) }
		case 3:
			return func(a *Algebra, x doubleJet) doubleJet { return larger(a, f(a, x), a.Float(c)) }
		case 4:
			return func(a *Algebra, x doubleJet) doubleJet { return larger(a, f(a, x), a.Neg(f(a, x))) }
		case 5:
			return func(a *Algebra, x doubleJet) doubleJet { return a.Scale(f(a, x), a.N.Float(c)) }
		}
		g := inner("g")
		if rapid.Bool().Draw(t, "sum") {
			return func(a *Algebra, x doubleJet) doubleJet { return a.Sub(f(a, x), g(a, x)) }
		}
		return func(a *Algebra, x doubleJet) doubleJet { return a.Mul(f(a, x), g(a, x)) }
	})
}

// towerAt is the tower of f at a set.
func towerAt(a *Algebra, f smoothish, x doubleJet) []doubleJet {
	y := f(a, a.Var(1, towerOrder, x, a.One()))
	tower, factorial := make([]doubleJet, towerOrder+1), 1
	for k := range tower {
		if k > 0 {
			factorial *= k
		}
		tower[k] = a.MulInt(a.Coeff(y, 1, k), factorial)
	}
	return tower
}

// compose is Faà di Bruno's formula: from the tower of f at x and that of g at f(x) the one of
// g ∘ f at x.
func compose(a *Algebra, g, f []doubleJet) []doubleJet {
	tower := make([]doubleJet, towerOrder+1)
	tower[0] = g[0]
	for k := 1; k <= towerOrder; k++ {
		tower[k] = a.Zero()
		for _, blocks := range partitions(k) {
			term := g[len(blocks)]
			for _, size := range blocks {
				term = a.Mul(term, f[size])
			}
			tower[k] = a.Add(tower[k], term)
		}
	}
	return tower
}

// partitions lists those of {1 … k}, each as the sizes of its blocks.
func partitions(k int) (all [][]int) {
	if k == 0 {
		return [][]int{nil}
	}
	for _, blocks := range partitions(k - 1) {
		all = append(all, append(append([]int(nil), blocks...), 1))
		for i := range blocks {
			larger := append([]int(nil), blocks...)
			larger[i]++
			all = append(all, larger)
		}
	}
	return all
}

// compatible fails if two towers that should be one have a derivative in which they exclude
// each other. It counts the derivatives that both know.
func compatible(t *rapid.T, a *Algebra, law string, x, y []doubleJet) (known int) {
	for k := range x {
		if !x[k].Known() || !y[k].Known() {
			continue
		}
		known++
		if a.N.IsEmpty(a.N.Intersect(a.N.Widen(x[k].Val(), Exp2(-40)), y[k].Val())) {
			t.Fatalf("%s: derivative %d is in %v and in %v", law, k, x[k].Val(), y[k].Val())
		}
	}
	return known
}

// same fails if two towers are not made of the same sets.
func same(t *rapid.T, a *Algebra, law string, x, y []doubleJet) {
	for k := range x {
		if x[k].Known() != y[k].Known() || x[k].Known() && x[k].Val() != y[k].Val() {
			t.Fatalf("%s: derivative %d is %v and %v", law, k, x[k], y[k])
		}
	}
}

// TestCategory is Prop. 4.5: towers form a Cartesian category. Composition by Faà di Bruno's
// formula is what jets compute; it is associative; the identity is neutral; and projections
// undo pairing, for which Prop. 4.2 says what linear maps do after it.
func TestCategory(t *testing.T) {
	drawn, known := 0, 0
	property.Check(t, func(t *rapid.T) {
		drawn++
		a := doubles()
		f, g, h := randomMaps(1).Draw(t, "f"), randomMaps(1).Draw(t, "g"), randomMaps(1).Draw(t, "h")
		x := a.Float(corners.Draw(t, "x"))
		then := func(g, f smoothish) smoothish {
			return func(a *Algebra, x doubleJet) doubleJet { return g(a, f(a, x)) }
		}
		id := func(_ *Algebra, x doubleJet) doubleJet { return x }
		y := towerAt(a, f, x)
		if !y[0].Known() {
			return
		}
		z := towerAt(a, g, y[0])
		known += compatible(t, a, "g ∘ f", towerAt(a, then(g, f), x), compose(a, z, y))
		if z[0].Known() {
			left := compose(a, towerAt(a, then(h, g), y[0]), y)
			right := compose(a, towerAt(a, h, z[0]), compose(a, z, y))
			known += compatible(t, a, "(h ∘ g) ∘ f = h ∘ (g ∘ f)", left, right)
		}
		same(t, a, "f ∘ id = f", compose(a, y, towerAt(a, id, x)), y)
		same(t, a, "id ∘ f = f", compose(a, towerAt(a, id, y[0]), y), y)

		other := towerAt(a, g, x)
		for _, l := range [][2]float64{{1, 0}, {0, 1}, {2, -3}} { // linear maps after ⟨f, g⟩
			linear := func(u, v doubleJet) doubleJet {
				sum := a.Zero()
				for i, w := range []doubleJet{u, v} {
					if l[i] != 0 { // a projection does not depend on the other component
						sum = a.Add(sum, a.Scale(w, a.N.Float(l[i])))
					}
				}
				return sum
			}
			want := make([]doubleJet, towerOrder+1)
			for k := range want {
				want[k] = linear(y[k], other[k])
			}
			got := towerAt(a, func(a *Algebra, x doubleJet) doubleJet { return linear(f(a, x), g(a, x)) }, x)
			if compatible(t, a, "linear ∘ ⟨f, g⟩", got, want); l[0]*l[1] == 0 {
				same(t, a, "projection ∘ ⟨f, g⟩", got, want)
			}
		}
	})
	if known < 5*drawn {
		t.Errorf("only %d derivatives were compared in %d draws", known, drawn)
	}
}

// near are points around x, at which derivatives are limits of those at x, or nearly so.
func near(x float64) []float64 { return []float64{x - 0x1p-30, x + 0x1p-30} }

// slopeAt is the derivative of f at a point, if it is one number.
func slopeAt(a *Algebra, f smoothish, x float64) (float64, bool) {
	d := towerAt(a, f, a.Float(x))[1]
	if !d.Known() || !a.N.Width(d.Val()).Less(Exp2(-30)) {
		return 0, false
	}
	return a.N.Float64(d.Val()), true
}

// holds tells whether a set contains a number, but for the distance of points that are near.
func holds(a *Algebra, set doubleJet, x float64) bool {
	lo, hi := a.N.Ends(set.Val())
	return !set.Known() || lo-0x1p-20 <= x && x <= hi+0x1p-20
}

// TestPairs is Prop. 4.7: the Clarke derivative of a pair lies in the product of those of
// its components: both are limits of derivatives at the same points, and mixed as they are.
func TestPairs(t *testing.T) {
	compared, drawn := 0, 0
	property.Check(t, func(t *rapid.T) {
		drawn++
		a := doubles()
		f, g := randomMaps(2).Draw(t, "f"), randomMaps(2).Draw(t, "g")
		x := corners.Draw(t, "x")
		df, dg := towerAt(a, f, a.Float(x))[1], towerAt(a, g, a.Float(x))[1]
		mix := rapid.Float64Range(0, 1).Draw(t, "mix")
		var u, v []float64
		for _, z := range near(x) {
			p, ok := slopeAt(a, f, z)
			q, both := slopeAt(a, g, z)
			if !ok || !both {
				return
			}
			u, v = append(u, p), append(v, q)
		}
		compared++
		p, q := mix*u[0]+(1-mix)*u[1], mix*v[0]+(1-mix)*v[1]
		if !holds(a, df, p) || !holds(a, dg, q) {
			t.Fatalf("(%v, %v) is not in %v × %v", p, q, df, dg)
		}
	})
	if 2*compared < drawn {
		t.Errorf("only %d pairs were compared in %d draws", compared, drawn)
	}

	// The product may be larger: (|x|, |x|) has only equal slopes.
	a := doubles()
	abs := func(a *Algebra, x doubleJet) doubleJet { return larger(a, x, a.Neg(x)) }
	d := towerAt(a, func(a *Algebra, x doubleJet) doubleJet { return a.Sub(abs(a, x), abs(a, x)) }, a.Float(0))[1]
	if lo, hi := a.N.Ends(d.Val()); lo != -2 || hi != 2 {
		t.Errorf("the slopes of |x| - |x| are in [%v, %v]", lo, hi)
	}
}

// TestTensorProducts is Prop. 4.8, for j = 2 and all dimensions 2: the Clarke derivative of
// g · (f₁ ⊗ f₂) lies in what the product rule gives.
func TestTensorProducts(t *testing.T) {
	compared, drawn := 0, 0
	property.Check(t, func(t *rapid.T) {
		drawn++
		a := doubles()
		var f [2][2]smoothish
		var g [2][2]smoothish // one row of the tensor: the others are alike
		for i := range 2 {
			for j := range 2 {
				f[i][j] = randomMaps(1).Draw(t, fmt.Sprintf("f%d%d", i, j))
				g[i][j] = randomMaps(1).Draw(t, fmt.Sprintf("g%d%d", i, j))
			}
		}
		product := func(a *Algebra, x doubleJet) doubleJet {
			sum := a.Zero()
			for i := range 2 {
				for j := range 2 {
					sum = a.Add(sum, a.Mul(g[i][j](a, x), a.Mul(f[0][i](a, x), f[1][j](a, x))))
				}
			}
			return sum
		}
		x := corners.Draw(t, "x")
		rule := a.Zero()
		for i := range 2 {
			for j := range 2 {
				at := [3][]doubleJet{}
				for k, h := range []smoothish{g[i][j], f[0][i], f[1][j]} {
					at[k] = towerAt(a, h, a.Float(x))
				}
				for k := range at { // the one that is differentiated
					term := a.One()
					for l := range at {
						if l == k {
							term = a.Mul(term, at[l][1])
						} else {
							term = a.Mul(term, at[l][0])
						}
					}
					rule = a.Add(rule, term)
				}
			}
		}
		tower := towerAt(a, product, a.Float(x))[1]
		for _, z := range near(x) {
			if slope, ok := slopeAt(a, product, z); ok {
				compared++
				if !holds(a, rule, slope) || !holds(a, tower, slope) {
					t.Fatalf("%v is not in %v by the rule, or in %v by the tower", slope, rule, tower)
				}
			}
		}
	})
	if 2*compared < drawn {
		t.Errorf("only %d products were compared in %d draws", compared, drawn)
	}
}
