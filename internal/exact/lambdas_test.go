package exact_test

import (
	"math/big"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// The definitions of λS, as its figures print them, but for what ../tour says is
// wrong with Fig. 1c.
const (
	surfaces = `
let dot (x y : Real^2) : Real = x[0] * y[0] + x[1] * y[1]
let scaleBy (c : Real) (x : Real^2) : Real^2 = (c * x[0], c * x[1])
let norm2 (x : Real^2) : Real = x[0]^2 + x[1]^2
let normalize (x : Real^2) : Real^2 = scaleBy (1 / sqrt (norm2 x)) x
let gradient (f : Real^2 -> Real) (x : Real^2) : Real^2 =
  (deriv (fun z => f (z, x[1])) x[0], deriv (fun z => f (x[0], z)) x[1])
let gradientAsPublished (f : Real^2 -> Real) (x : Real^2) : Real^2 =
  (deriv (fun z => f (z, x[0])) x[0], deriv (fun z => f (x[1], z)) x[0])
let circle (c : Real^2) (r : Real) : Real^2 -> Real = fun x => r^2 - (x[0] - c[0])^2 - (x[1] - c[1])^2
let halfplane (normal : Real^2) : Real^2 -> Real = fun x => dot normal x
let union (s t : Real^2 -> Real) : Real^2 -> Real = fun x => max (s x) (t x)
let intersection (s t : Real^2 -> Real) : Real^2 -> Real = fun x => min (s x) (t x)
let complement (s : Real^2 -> Real) : Real^2 -> Real = fun x => -(s x)
let raytrace gradient (s : Real^2 -> Real) (lightPos rayDirection : Real^2) : Real =
  let tStar = firstRoot (fun t => s (scaleBy t rayDirection))
  let y = scaleBy tStar rayDirection
  let normal : Real^2 = -(gradient s y)
  let surfToLight = lightPos - y
  max 0 (dot (normalize normal) (normalize surfToLight)) / (norm2 y * norm2 surfToLight)
let f (t y : Real) : Real = 1 - (t - 1)^2 - y^2
let tStar (y : Real) : Real = firstRoot (fun t => f t y)
let brightness (y : Real) : Real = integral01 (fun y0 => max 0 ((y0 - y) / sqrt (1 + (y0 - y)^2)))
`
	integrals = `
type Integral a = (a -> Real) -> Real
let dirac (x : a) : Integral a = fun f => f x
let bind (x : Integral a) (f : a -> Integral b) : Integral b = fun k => x (fun a => f a k)
let nothing (_ : Real -> Real) : Real = 0
let add (x y : Integral a) : Integral a = fun f => x f + y f
let map (f : a -> b) (e : Integral a) : Integral b = fun k => e (fun x => k (f x))
let factor (x : Real) : Integral () = fun f => f () * x
let measToProb (e : Integral a) : Integral a = fun f => e f / e (fun _ => 1)
let bernoulli (p : Real) : Integral Bool = fun f => p * f true + (1 - p) * f false
let uniform (f : Real -> Real) : Real = integral01 f
let totalMass (mu : Integral a) : Real = mu (fun _ => 1)
let mean (mu : Integral Real) : Real = mu (fun x => x)
let variance (mu : Integral Real) : Real = mu (fun x => (x - mean mu)^2)
let change (f : Real -> Real) : Real = integral01 (fun x => (x - 1/2) * f x)
let der (f : Integral a -> Real) (x dx : Integral a) : Real =
  snd (tangentReal.to (tangent f (tangentFun.from (x, dx))))
`
	maximizers = `
type Maximizer a = (a -> Real) -> Real
let point (x : a) : Maximizer a = fun f => f x
let indexedUnion (ka : Maximizer a) (kb : a -> Maximizer b) : Maximizer b = fun f => ka (fun a => kb a f)
let union (k l : Maximizer a) : Maximizer a = fun f => max (k f) (l f)
let map (g : a -> b) (k : Maximizer a) : Maximizer b = fun f => k (fun a => f (g a))
let sup (k : Maximizer a) (f : a -> Real) : Real = k f
let inf (k : Maximizer a) (f : a -> Real) : Real = -(k (fun x => -(f x)))
let hausdorffDist (d : a -> a -> Real) (k l : Maximizer a) : Real =
  max (sup k (fun x => inf l (fun y => d x y))) (sup l (fun y => inf k (fun x => d x y)))
let unitInterval (f : Real -> Real) : Real = max01 f
let quarterCircle (y : Real) : Maximizer (Real^2) =
  map (fun theta => (cos (pi / 2 * theta), sin (pi / 2 * theta) + y)) unitInterval
let lShape (f : Real^2 -> Real) : Real =
  union (map (fun x => (x, 1)) unitInterval) (map (fun y => (1, y)) unitInterval) f
let dist (a b : Real^2) : Real = sqrt ((a[0] - b[0])^2 + (a[1] - b[1])^2)
`
)

// TestLambdaSExamples: the examples that λS prints, at its tolerance and at
// finer ones. True values by closed forms or by mpmath.
func TestLambdaSExamples(t *testing.T) {
	for _, c := range []struct {
		where, text, eps, paper string // what it prints
		want                    string
	}{
		{"§1", "deriv (fun c => integral01 (fun x => relu (x - c))) 0.6", "1e-2", "[-0.407, -0.398]", "-0.4!"},
		{"§2", surfaces + "raytrace gradient (circle (1, -3/4) 1) (1, 1) (1, 0)", "1e-5", "",
			"1.58183571413877542065049831693216927158227617902118561621608"},
		{"§2", surfaces + "deriv (fun y => raytrace gradient (circle (1, y) 1) (1, 1) (1, 0)) (-3/4)", "1e-3", "",
			"-4.53501175649235322513258237915988463454936404613392788530314"},
		{"§2", surfaces + "deriv (deriv (fun y => raytrace gradient (circle (1, y) 1) (1, 1) (1, 0))) (-3/4)", "1e-3", "",
			"-69.0325561850094093499275639749842882516772487734371007342081"},
		{"§2", surfaces + "raytrace gradientAsPublished (circle (1, -3/4) 1) (1, 1) (1, 0)", "1e-5", "[2.587289, 2.587299]",
			"2.58729411714278783029"},
		{"§2", surfaces + "deriv (fun y => raytrace gradientAsPublished (circle (1, y) 1) (1, 1) (1, 0)) (-3/4)", "1e-3", "[1.3477, 1.3484]",
			"1.34803216630158334323"},
		{"§2.3", surfaces + "deriv brightness (1/2)", "1e-3", "[-0.4476, -0.4469]",
			"-0.447213595499957939281834733746255247088123671922305144854179"},
		{"§7.1", integrals + "der mean uniform change", "1e-3", "[0.0829, 0.0837]", "0.08333333333333333333333333333333333333333333333333"},
		{"§7.1", integrals + "der variance uniform change", "1e-2", "[-0.005, 0.004]", "0!"},
		{"§7.3", maximizers + "hausdorffDist dist lShape (quarterCircle 0)", "1e-3", "[0.4138, 0.4145]",
			"0.41421356237309504880168872420969807856967187537694807317668"},
		{"§7.3", maximizers + "deriv (fun y => hausdorffDist dist lShape (quarterCircle y)) 0", "1e-1", "[-0.752, -0.664]",
			"-0.70710678118654752440084436210484903928483593768847403658834"},
	} {
		for _, eps := range []string{c.eps, "1e-12"} {
			check(t, c.text, eps, c.want)
		}
		if c.paper == "" {
			continue
		}
		v, d := evaluate(t, c.text, c.eps)
		lo, hi := between(c.paper)
		if d != nil || !meets(exact.Enclosures(v)[0], lo, hi) {
			t.Errorf("%s: %s is not as the paper's %s", c.where, value.Show(v), c.paper)
		}
	}
}

func meets(e exact.Enclosure, lo, hi *big.Rat) bool {
	a, _ := e.Lo.Rat(nil)
	b, _ := e.Hi.Rat(nil)
	return a.Cmp(hi) <= 0 && b.Cmp(lo) >= 0
}

// TestLambdaSEquations: what λS says to be equal is, as far as enclosures tell: those of the
// two sides overlap, at every tolerance, and they are as narrow as was asked.
func TestLambdaSEquations(t *testing.T) {
	for _, c := range []struct{ where, program, left, right string }{
		{"§2.1", surfaces, "deriv tStar (-3/4)", "-(deriv (fun y0 => f (tStar (-3/4)) y0) (-3/4)) / deriv (fun t => f t (-3/4)) (tStar (-3/4))"},
		{"§2.1", surfaces, "deriv tStar (-3/4)", "3/4 / (tStar (-3/4) - 1)"},
		{"§2.1, once more derived", surfaces, "deriv (deriv tStar) (-3/4)", "deriv (fun y => -y / (tStar y - 1)) (-3/4)"},
		{"§2.2", surfaces, "-(gradient (circle (0, 0) 1) (1 / sqrt 2, 1 / sqrt 2))", "(sqrt 2, sqrt 2)"},
		{"§3", "let by (f : Real -> Real) (x : Real) : Real = snd (tangentReal.to (tangent f (tangentReal.from (x, 1))))",
			"by (by (fun x => exp (sin x))) 0.3", "deriv (deriv (fun x => exp (sin x))) 0.3"},
		{"§4.3, linear", "", "(deriv (fun x => 3 * x) 7, deriv (deriv (fun x => 3 * x)) 7)", "(3, 0)"},
		{"§4.3, sin and cos", "", "(deriv sin 1, deriv cos 1)", "(cos 1, -(sin 1))"},
		{"§4.3.1", "", "jvp (fun (x, y) => x * y) (2, 3) (5, 7)", "2 * 7 + 3 * 5"},
		{"§4.3.3", "let f (x : Real) : Real = exp (sin x)\nlet f1 ((x, v) : Real^2) : Real = deriv f x * v",
			"jvp f1 (1, 2) (3, 5)", "deriv (deriv f) 1 * 2 * 3 + deriv f 1 * 5"},
		{"§4.3.3, second", "let f (x : Real) : Real = exp (sin x)\nlet f1 ((x, v) : Real^2) : Real = deriv f x * v",
			"jvp (fun p => jvp f1 p (3, 5)) (1, 2) (7, 11)",
			"deriv (deriv (deriv f)) 1 * 2 * 3 * 7 + deriv (deriv f) 1 * 5 * 7 + deriv (deriv f) 1 * 3 * 11"},
		{"§4.4, second", "let (f, g) = (exp, sin)", "deriv (deriv (fun x => g (f x))) 0.7",
			"deriv (deriv g) (f 0.7) * (deriv f 0.7)^2 + deriv g (f 0.7) * deriv (deriv f) 0.7"},
		{"§4.4, third", "let (f, g) = (exp, sin)\nlet d (h : Real -> Real) (x : Real) : Real = deriv h x", "d (d (d (fun x => g (f x)))) 0.7",
			"d (d (d g)) (f 0.7) * (d f 0.7)^3 + 3 * d (d g) (f 0.7) * d (d f) 0.7 * d f 0.7 + d g (f 0.7) * d (d (d f)) 0.7"},
		{"Prop. 4.2", "let f (x : Real) : Real = exp (x^2)", "deriv (deriv (fun x => 3 * f x)) 0.5", "3 * deriv (deriv f) 0.5"},
		{"Prop. 4.3", "let g (x : Real) : Real = exp (x^2)", "deriv (deriv (fun x => g (3 * x))) 0.5", "9 * deriv (deriv g) 1.5"},
		{"§5.2.1", "let f (c x : Real) : Real = sin (c * x) * exp (x - c)",
			"deriv (fun c => integral01 (fun x => f c x)) 2", "integral01 (fun x => deriv (fun c => f c x) 2)"},
		{"§5.2.1, second", "let f (c x : Real) : Real = sin (c * x) * exp (x - c)",
			"deriv (deriv (fun c => integral01 (fun x => f c x))) 2", "integral01 (fun x => deriv (deriv (fun c => f c x)) 2)"},
		{"§5.2.2", "let f (c x : Real) : Real = c - x^3 - x\nlet y (c : Real) : Real = cutRoot (fun x => f c x)",
			"deriv y 2", "-(deriv (fun c => f c (y 2)) 2) / deriv (fun x => f 2 x) (y 2)"},
		{"§5.2.3", "let f (c x : Real) : Real = sin (c * x) - x^2\nlet y (c : Real) : Real = argmax01 (fun x => f c x)",
			"deriv y 2", "-(deriv (fun c => deriv (fun x => f c x) (y 2)) 2) / deriv (deriv (fun x => f 2 x)) (y 2)"},
		{"§5.2.3", "let f (c x : Real) : Real = sin (c * x) - x^2\nlet y (c : Real) : Real = argmax01 (fun x => f c x)",
			"(max01 (fun x => f 2 x), deriv (fun c => max01 (fun x => f c x)) 2)", "(f 2 (y 2), deriv (fun c => f c (y c)) 2)"},
		{"§5.3, a functor", "let t f = tangentReal.to (tangent f (tangentReal.from (1, 2)))",
			"t (fun x => sin (exp x))", "tangentReal.to (tangent sin (tangent exp (tangentReal.from (1, 2))))"},
		{"§5.3, a functor", "", "tangentReal.to (tangent (fun (x : Real) => x) (tangentReal.from (1, 2)))", "(1, 2)"},
		{"§5.3, at functions", "let twice (f : Real -> Real) (x : Real) : Real = f (f x)",
			"(tangentFun.to (tangent twice (tangentFun.from (sin, exp))))[1] 2", "exp (sin 2) + cos (sin 2) * exp 2"},
		{"§5.3, two ways", "let g ((x, y) : Real^2) : Real = exp x * y",
			"tangentReal.to (tangent g (tangentProd.from (tangentReal.from (0, 1), tangentReal.from (1, 0))))",
			"tangentReal.to (tangent (fun t => g (0 + t * 1, 1 + t * 0)) (tangentReal.from (0, 1)))"},
		{"Prop. 5.1", "let (u, v) = tangentProd.to (tangentProd.from (tangentReal.from (1, 2), tangentReal.from (3, 4)))",
			"(tangentReal.to u, tangentReal.to v)", "((1, 2), (3, 4))"},
		{"Prop. 5.2", "", "(tangentReal.to (tangentReal.from (3, 5)), tangentValue (tangentReal.from (3, 5)))", "((3, 5), 3)"},
		{"Prop. 5.3", "let (f, df) = tangentFun.to (tangentFun.from (fun x => x^2, sin))", "(f 3, df 3)", "(9, sin 3)"},
		{"§6", "", "(sqrt 2)^2", "2"},
		{"§6", "", "1/5 + 2/5", "3/5"},
		{"§7.1, linear", integrals, "uniform (fun x => 3 * exp x + 5 * sin x)", "3 * uniform exp + 5 * uniform sin"},
		{"§7.1, monad", integrals, "bind (dirac 3) (fun x => dirac (x^2)) exp", "exp 9"},
		{"§7.1, monad", integrals, "(bind uniform dirac) sin", "uniform sin"},
		{"§7.1, monad", integrals, "bind (bind uniform (fun x => dirac (x^2))) (fun y => bernoulli y) (fun b => if b then 1 else 3)",
			"bind uniform (fun x => bind (dirac (x^2)) (fun y => bernoulli y)) (fun b => if b then 1 else 3)"},
		{"§7.1, mass", integrals, "(totalMass uniform, totalMass change, totalMass nothing, totalMass (factor 3))", "(1, 0, 0, 3)"},
		{"§7.1, probability", integrals, "totalMass (measToProb (add (map exp uniform) (dirac 7)))", "1"},
		{"§7.1", integrals, "(mean uniform, variance uniform)", "(1/2, 1/12)"},
		{"§7.1, mean", integrals, "der mean uniform change", "mean change"},
		{"§7.1, mean", integrals, "mean change", "integral01 (fun x => (x - 1/2) * x)"},
		{"§7.1, mean", integrals, "der mean uniform change", "1/12"},
		{"§7.1, variance", integrals, "der variance uniform change", "der (fun mu => mu (fun x => x^2) - (mean mu)^2) uniform change"},
		{"§7.1, variance", integrals, "der variance uniform change", "change (fun x => x^2) - 2 * mean uniform * mean change"},
		{"§7.1, variance", integrals, "change (fun x => x^2)", "1/12"},
		{"§7.2", surfaces, "-(gradient (union (circle (-1, 0) 2) (halfplane (0, 1))) (-2, -3))", "(0, -1)"},
		{"§7.2", surfaces, "firstRoot (fun t => intersection (circle (1, 0) 1) (complement (circle (0, 0) 0.5)) (t, 0.1))", "sqrt 0.24"},
		{"§7.3, constants", maximizers, "(quarterCircle 0 (fun _ => 3), lShape (fun _ => 5))", "(3, 5)"},
		{"§7.3, max", maximizers, "quarterCircle 0 (fun p => max (p[0] + 2 * p[1]) (2 * p[0] - p[1]))",
			"max (quarterCircle 0 (fun p => p[0] + 2 * p[1])) (quarterCircle 0 (fun p => 2 * p[0] - p[1]))"},
		{"§7.3, monad", maximizers, "indexedUnion (point 3) (fun x => point (x^2)) exp", "exp 9"},
		{"§7.3, monad", maximizers, "indexedUnion unitInterval point (fun x => x * (1 - x))", "unitInterval (fun x => x * (1 - x))"},
		{"§7.3", maximizers, "(sup lShape (fun p => p[0] + p[1]), inf lShape (fun p => p[0] + p[1]))", "(2, 1)"},
		{"§7.3", maximizers, "hausdorffDist dist lShape (quarterCircle 0)", "sqrt 2 - 1"},
		{"§8.1", "let rec power (n : Int) (x : Real) : Real = if n == 0 then 1 else x * power (n - 1) x", "deriv (power 10) 2", "10 * 2^9"},
	} {
		for _, eps := range []string{"1e-2", "1e-12"} {
			tolerance, _ := new(big.Rat).SetString(eps)
			text := func(side string) string { return c.program + "\n" + side }
			left, d := evaluate(t, text(c.left), eps)
			right, e := evaluate(t, text(c.right), eps)
			if d != nil || e != nil {
				t.Errorf("%s: %s = %s: %v, %v", c.where, c.left, c.right, d, e)
				continue
			}
			ls, rs := exact.Enclosures(left), exact.Enclosures(right)
			if len(ls) != len(rs) || len(ls) == 0 {
				t.Errorf("%s: %s is %s, %s is %s", c.where, c.left, value.Show(left), c.right, value.Show(right))
				continue
			}
			for i := range ls {
				lo, _ := rs[i].Lo.Rat(nil)
				hi, _ := rs[i].Hi.Rat(nil)
				if !meets(ls[i], lo, hi) || ls[i].Width().Cmp(tolerance) > 0 || rs[i].Width().Cmp(tolerance) > 0 {
					t.Errorf("%s: %s is %s, %s is %s", c.where, c.left, value.Show(left), c.right, value.Show(right))
				}
			}
		}
	}
}

// TestLambdaSPartial: what is not a real number in λS. A set is the answer if it is narrow enough
// for the tolerance, and else it is reported; ⊥ is reported at any tolerance.
func TestLambdaSPartial(t *testing.T) {
	for _, c := range []struct{ where, text, eps, want string }{
		{"§2.3", "deriv relu 0", "2", "[0, 1]"},
		{"§2.3", "deriv (fun y => max 0 ((1/2 - y) / sqrt (1 + (1/2 - y)^2))) (1/2)", "2", "[-1, 0]"},
		{"§4.3.2, left", "deriv (fun t => max (2 + 3 * t) (1 + 5 * t)) 0", "1e-12", "3!"},
		{"§4.3.2, right", "deriv (fun t => max (1 + 3 * t) (2 + 5 * t)) 0", "1e-12", "5!"},
		{"§4.3.2, tie", "deriv (fun t => max (1 + 3 * t) (1 + 5 * t)) 0", "3", "[3, 5]"},
		{"§4.3.2, second", "deriv (deriv (fun t => max (2 + 3 * t) (1 + 5 * t))) 0", "1e-12", "0!"},
		{"Prop. 4.4", "deriv (fun x => max x 0 + min 0 x) 0", "3", "[0, 2]"},
		{"§5.2.3, hull", "argmax01 (fun x => (x - 1/2)^2)", "2", "[0, 1]"},
		{"§5.2.3, end", "deriv (fun c => argmax01 (fun x => x * (c - x))) 3", "1e-12", "0!"},
		{"§5.2.3, Danskin", "deriv (fun c => max01 (fun x => c * x)) 0", "2", "[0, 1]"},
		{"§7.2, corner", surfaces + "fst (gradient (union (circle (-1, 0) 2) (circle (1, 0) 2)) (0, sqrt 3))", "5", "[-2, 2]"},
	} {
		v, d := evaluate(t, c.text, c.eps)
		if d != nil {
			t.Errorf("%s: %s: %v", c.where, c.text, d)
			continue
		}
		got := exact.Enclosures(v)[0]
		lo, hi := between(c.want)
		a, _ := got.Lo.Rat(nil)
		b, _ := got.Hi.Rat(nil)
		slack := big.NewRat(1, 1e9)
		if a.Cmp(lo) > 0 || b.Cmp(hi) < 0 || a.Add(a, slack).Cmp(lo) < 0 || b.Sub(b, slack).Cmp(hi) > 0 {
			t.Errorf("%s: %s is %s, not %s", c.where, c.text, got.Fluxion(), c.want)
		}
	}
	for _, c := range []struct {
		where, text, eps string
		code             diag.Code
	}{
		{"§2.3", "deriv relu 0", "1e-1", diag.NotNarrowed},
		{"§4.3.1, reciprocal of 0", "deriv (fun x => 1 / x) 0", "1e6", diag.Undefined},
		{"§4.3.2, second", "deriv (deriv (fun t => max (1 + 3 * t) (1 + 5 * t))) 0", "1e6", diag.NotNarrowed},
		{"Prop. 5.3, x + 0 ⊥ = ⊥", "let (f, _) = tangentFun.to (tangentFun.from (fun x => x^2, fun x => 1 / x))\nf 0", "1e6", diag.Undefined},
		{"§8.1", "deriv (fun (x : Real) => if x < 0 then 0 else x) 0", "2", diag.Undecided},
	} {
		if v, d := evaluate(t, c.text, c.eps); d == nil || d.Code != c.code {
			t.Errorf("%s: %s is %s, with %v", c.where, c.text, value.Show(v), d)
		}
	}
}
