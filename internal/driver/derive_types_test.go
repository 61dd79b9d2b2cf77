package driver_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// structured are functions between types of all kinds, at a point that is long
// enough for arrays to be taken as wholes.
var structured = []struct{ name, fun, at string }{
	{"matrix product", "fun (a, b) => [[inner r c for c in linalg.transpose b] for r in a]",
		"([[0.1 * real (i - j) for j < 30] for i < 25], [[0.1 * real (i + j) for j < 26] for i < 30])"},
	{"rows", "fun m => map (fun r => sum (map sin r)) m", "[[0.1 * real (i * j) for j < 30] for i < 30]"},
	{"ragged rows", "fun m => [logsumexp r for r in m]", "[[0.1 * real (i * j) for j < 1 + 3 * i] for i < 12]"},
	{"pairs", "fun ps => [(x * y, sin x) for (x, y) in ps]", "[(0.1 * real i, real i) for i < 40]"},
	{"records", "fun ps => sum [x * y^2 for {x, y} in ps]", "[{x = 0.1 * real i, y = 2 - 0.1 * real i} for i < 40]"},
	{"mixed", "fun ps => sum [real n * x for (n, x) in ps]", "[(i, 0.1 * real i) for i < 40]"},
	{"options", "fun os => map (fun o => match o with | Some x -> Some (x * x) | None -> None) os",
		"[if mod i 3 == 0 then None else Some (0.1 * real i) for i < 40]"},
	{"list of arrays", "fun l => match l with | Cons a (Cons b _) -> Cons (a + b) (Cons (scale a[0] b) Nil) | _ -> Nil",
		"Cons [0.1 * real i for i < 30] (Cons [1 - 0.1 * real i for i < 30] Nil)"},
	{"triple", "fun t => [[[sin (x * t[0][0][1]) for x in r] for r in m] for m in t]", "[[[0.1 * real (i + j + k) for k < 30] for j < 3] for i < 3]"},
	{"shared", "fun v => (v, v, [v, v])", "[0.1 * real i for i < 30]"},
	{"slices", "fun v => (v[3:20] + v[10:27], v[0:0])", "[0.1 * real i for i < 30]"},
	{"scan of pairs", "fun v => scan (fun (a, b) x => (sin (a + x), b * 0.9 + a)) (0.0, 1.0) v", "[0.1 * real i for i < 40]"},
	{"while", "fun (x, v) => loop (y, i) = (x, 0) while i < 35 do (sin (y + v[i]), i + 1)", "(0.5, [0.1 * real i for i < 40])"},
	{"gather and set", "fun v => array.set (array.reverse v) 7 (v[3] * v[4])", "[0.1 * real i for i < 40]"},
	{"nothing", "fun (v, n) => (n, [1.0, 2.0])", "([0.1 * real i for i < 40], 3)"},
	{"empty", "fun v => map sin v", "[x for x in [1.0, 2.0][0:0]]"},
	{"softmax rows", "fun m => map softmax m", "[[0.1 * real (i * j) for j < 30] for i < 4]"},
	{"a derivative", "fun v => grad (fun u => sum [x^3 * y for (x, y) in zip u v]) v", "[0.1 * real i for i < 40]"},
	{"a Jacobian", "fun v => jacobian (fun u => [sum [x^2 * y for (x, y) in zip u v], u[0] * v[1]]) v", "[0.1 * real i for i < 30]"},
	{"a fold of rows", "fun m => fold (fun acc r => map tanh (acc + r)) m[0] m", "[[0.1 * real (i - j) for j < 30] for i < 5]"},
}

// TestStructuredTypes: Delta's Lemma 1, dt · F(s, ds) = R(s, dt) · ds, at all types, on the tape and by compiled code;
// and the same of the derivative along ds.
func TestStructuredTypes(t *testing.T) {
	t.Parallel()
	const directions = "let vary (k : Real) v = unflatten v [sin (k * real i + x) for (i, x) in zip (iota (length (flatten v))) (flatten v)]\n"
	for _, c := range structured {
		t.Run(c.name, func(t *testing.T) {
			text := fmt.Sprintf("%slet f = %s\nlet s = %s\nlet ds = vary 1.3 s\nlet dt = vary 0.7 (f s)\n", directions, c.fun, c.at)
			var first []float64
			for _, opts := range []interp.Options{{}, {Engine: portableEngine, Eager: true}} {
				v, d := derived(t, text+"let g x = jvp f x ds\n(innerReal dt (g s), innerReal (vjp f s dt) ds, innerReal dt (jvp g s ds), innerReal (vjp g s dt) ds, flatten (vjp f s dt))\n", opts)
				if d != nil {
					t.Fatal(d)
				}
				xs := value.RealsOf(v)
				if first == nil {
					first = xs
				}
				scale := 1.0
				for _, x := range xs {
					scale = max(scale, math.Abs(x))
				}
				if math.Abs(xs[0]-xs[1]) > 1e-10*scale || math.Abs(xs[2]-xs[3]) > 1e-9*scale {
					t.Errorf("compiled %v: forwards %v, backwards %v; of the derivative %v and %v", opts.Eager, xs[0], xs[1], xs[2], xs[3])
				}
				if !closeReals(value.Reals(xs), value.Reals(first), 1e-10) {
					t.Errorf("compiled %v, on the tape %v", xs, first)
				}
			}
		})
	}
}
