package exact_test

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// λS Figs. 1 and 9, with the gradient as Fig. 1b defines it.
const rayTracer = `
let dot (x y : Real^2) : Real = x[0] * y[0] + x[1] * y[1]
let scaled (c : Real) (x : Real^2) : Real^2 = (c * x[0], c * x[1])
let norm2 (x : Real^2) : Real = x[0]^2 + x[1]^2
let normalize (x : Real^2) : Real^2 = scaled (1 / sqrt (norm2 x)) x
let circle (c : Real^2) (r : Real) : Real^2 -> Real = fun x => r^2 - (x[0] - c[0])^2 - (x[1] - c[1])^2
let raytrace (s : Real^2 -> Real) (light dir : Real^2) : Real =
  let t = firstRoot (fun t => s (scaled t dir))
  let y = scaled t dir
  let normal = -(grad s y)
  let toLight = light - y
  max 0 (dot (normalize normal) (normalize toLight)) / (norm2 y * norm2 toLight)
let pixel (y : Real) : Real = raytrace (circle (1, y) 1) (1, 1) (1, 0)
`

// λS Fig. 10.
const shapes = `
let dist (p q : Real^2) : Real = sqrt ((p[0] - q[0])^2 + (p[1] - q[1])^2)
let inf (k : (Real^2 -> Real) -> Real) (f : Real^2 -> Real) : Real = -(k (fun x => -(f x)))
let hausdorff (k l : (Real^2 -> Real) -> Real) : Real =
  max (k (fun x => inf l (fun y => dist x y))) (l (fun y => inf k (fun x => dist x y)))
let arc (r y : Real) : (Real^2 -> Real) -> Real =
  fun f => max01 (fun t => f (r * cos (pi / 2 * t), r * sin (pi / 2 * t) + y))
let corner (f : Real^2 -> Real) : Real = max (max01 (fun x => f (x, 1))) (max01 (fun y => f (1, y)))
`

// TestPaperRootsAndOptima: ray tracing and the Hausdorff distance. The digits of the ray tracer
// come from its closed form, by mpmath:
//
//	def pixel(y):
//	    t = 1 - sqrt(1 - y**2)
//	    n, l = (t - 1, -y), (1 - t, 1)
//	    return (n[0] * l[0] + n[1] * l[1]) / hypot(*n) / hypot(*l)**3 / t**2
//	pixel(-0.75), diff(pixel, -0.75), diff(pixel, -0.75, 2)
//
// The distance is sqrt 2 - 1, its derivative -1/sqrt 2, and between the arcs 1.
func TestPaperRootsAndOptima(t *testing.T) {
	for _, c := range []struct {
		text  string
		eps   []string
		want  string
		calls int64 // of functions by primitives, at most
	}{
		{rayTracer + "pixel (-3/4)", []string{"1e-5", "1e-12", "1e-30"}, "1.58183571413877542065", 60},
		{rayTracer + "deriv pixel (-3/4)", []string{"1e-3", "1e-12", "1e-30"}, "-4.53501175649235322513", 60},
		{rayTracer + "deriv (deriv pixel) (-3/4)", []string{"1e-3", "1e-12"}, "-69.0325561850094093499", 80},
		{shapes + "hausdorff corner (arc 1 0)", []string{"1e-3", "1e-6", "1e-12"}, "0.414213562373095048802", 15_000},
		{shapes + "deriv (fun y => hausdorff corner (arc 1 y)) 0", []string{"1e-1", "1e-8"}, "-0.707106781186547524401", 15_000},
		{shapes + "hausdorff (arc 1 0) (arc 2 0)", []string{"1e-3", "1e-6"}, "1!", 40_000},
		{"import shape\nshape.sup (shape.disc (0, 0) 1) (fun x => shape.distance shape.dist (shape.circle (3, 0) 2) x)", []string{"1e-4"}, "2!", 12_000},
		{"sum [maxOver 0 1 (fun x => sin (x * real i)) for i < 1000]", []string{"1e-8"}, "998.841470984807896507", 100_000},
		{"maxOver 0 3 (fun x => (sin x)^2 + (cos x)^2)", []string{"1e-6", "1e-12"}, "1!", 500},
		{"maxOver 0 1 (fun x => minOver 0 1 (fun y => (x - y)^2))", []string{"1e-6"}, "0!", 3_000},
		{"deriv (fun c => maxOver 0 1 (fun x => c * sin (50 * x))) 2", []string{"1e-9"}, "1!", 500},
	} {
		for _, eps := range c.eps {
			check(t, c.text, eps, c.want)
			if n := calls(t, c.text, eps); n > c.calls {
				t.Errorf("%s at %s: %d calls", c.text, eps, n)
			}
		}
	}
}

// TestPolygonAndCircle differentiates the Hausdorff distance of a square and a unit circle, whose
// centre is at (0, y), with respect to y = 1/10. The corners (±1, -1) are equally far from the
// circle, and there are two points of the circle equally far from the square, each as far from
// one side as from another: four maximisers, two of them kinks. With
// h = sqrt (1 + 1.21), the distance of the corners from the centre, the derivative of the first
// distance is 1.1 / h. The other is 1 - c where the circle meets the diagonal at (-c, -c):
// (c + y)^2 + c^2 = 1, so that its derivative is (c + y) / (2 c + y).
func TestPolygonAndCircle(t *testing.T) {
	square := `
import shape
let square = shape.polygon [(-1, -1), (1, -1), (1, 1), (-1, 1)]
let circle (y : Real) = shape.circle (0, y) 1
let triangle = shape.polygon [(-1, -1), (1, -1), (0, 1)]
let farthest k l = shape.sup k (fun p => shape.distance shape.dist l p)
`
	for _, c := range []struct {
		text, want string
		calls      int64 // at most, 0 if they are not counted
	}{
		{"deriv (fun y => farthest square (circle y)) 0.1", "0.739940073395943713", 8_000},
		{"deriv (fun y => farthest (circle y) square) 0.1", "0.535444060250416795", 17_000},
		{"deriv (fun y => shape.hausdorffDist shape.dist square (circle y)) 0.1", "0.739940073395943713", 0},
		// both farthest distances are 1 - (1 - y) / √5, each reached twice
		{"deriv (fun y => shape.hausdorffDist shape.dist triangle (circle y)) 0.2", "0.447213595499957939", 0},
	} {
		check(t, square+c.text, "1e-3", c.want)
		if c.calls == 0 {
			continue
		}
		if n := calls(t, square+c.text, "1e-3"); n > c.calls {
			t.Errorf("%s: %d calls", c.text, n)
		}
	}
}

// calls counts the calls of functions by primitives, on all rungs and by the previews before them.
func calls(t *testing.T, text, eps string) (sum int64) {
	t.Helper()
	var list diag.List
	unit := library.LoadText("test.flx", text, nil, &list)
	tolerance, _ := new(big.Rat).SetString(eps)
	watch := func(p exact.Progress) { sum += p.Calls }
	settings := driver.Settings{Limits: interp.Limits{Memory: 1 << 30}}
	ctx, done := stop.Within(context.Background(), time.Minute)
	defer done()
	driver.RunExact(ctx, unit, settings, driver.Exactly{Eps: tolerance, Watch: watch})
	return sum
}
