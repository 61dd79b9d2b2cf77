package fluxion_test

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion"
)

// hill is x^n / (1 + x^n), for x > 0.
func hill() fluxion.Primitive {
	return fluxion.Primitive{
		Name: "hill", Params: []string{"x", "n"}, Doc: "The Hill function.",
		Func: func(x []float64) float64 { p := math.Pow(x[0], x[1]); return p / (1 + p) },
		Grad: func(grad, x []float64) {
			p := math.Pow(x[0], x[1])
			d := p / ((1 + p) * (1 + p))
			grad[0], grad[1] = d*x[1]/x[0], d*math.Log(x[0])
		},
		Samples: [][]float64{{0.5, 2}, {3, 1.5}},
	}
}

// square is x^2 with all derivatives and enclosures.
func square() fluxion.Primitive {
	return fluxion.Primitive{
		Name: "squareOf", Params: []string{"x"},
		Func: func(x []float64) float64 { return x[0] * x[0] },
		Grad: func(grad, x []float64) { grad[0] = 2 * x[0] },
		Higher: func(orders []int, x []float64) float64 {
			if orders[0] == 2 {
				return 2
			}
			return 0
		},
		Interval: func(orders []int, x []fluxion.Interval) fluxion.Interval {
			lo, hi := x[0].Lo, x[0].Hi
			round := func(mode big.RoundingMode) *big.Float { return new(big.Float).SetPrec(lo.Prec()).SetMode(mode) }
			switch orders[0] {
			case 1:
				return fluxion.Interval{Lo: new(big.Float).Add(lo, lo),
					Hi: new(big.Float).Add(hi, hi)}
			case 2:
				return fluxion.Interval{Lo: big.NewFloat(2), Hi: big.NewFloat(2)}
			case 0:
				least, most := new(big.Float).Abs(lo), new(big.Float).Abs(hi)
				if least.Cmp(most) > 0 {
					least, most = most, least
				}
				if lo.Sign() < 0 && hi.Sign() > 0 {
					least = new(big.Float)
				}
				return fluxion.Interval{Lo: round(big.ToNegativeInf).Mul(least, least),
					Hi: round(big.ToPositiveInf).Mul(most, most)}
			}
			return fluxion.Interval{Lo: new(big.Float), Hi: new(big.Float)}
		},
		Samples: [][]float64{{-1.5}, {0.25}},
	}
}

func TestPrimitives(t *testing.T) {
	p := parse(t, `
let byGo (theta : []Real) (x : Real) : Real = theta[0] * hill x theta[1]
let own (theta : []Real) (x : Real) : Real = theta[0] * (x ** theta[1] / (1 + x ** theta[1]))
let curve (x : Real) : Real = sin (squareOf x)
`, fluxion.Primitives(hill(), square()))
	theta, x := []float64{2, 1.7}, 0.8
	g, want := make([]float64, 2), make([]float64, 2)
	must(fluxion.Grad[func(g, theta []float64, x float64)](p, "byGo"))(g, theta, x)
	must(fluxion.Grad[func(g, theta []float64, x float64)](p, "own"))(want, theta, x)
	for i := range g {
		close(t, "a component", g[i], want[i])
	}
	hessian := must(fluxion.Hessian[func(theta []float64, x float64) ([][]float64, error)](p,
		"byGo"))
	if _, err := hessian(theta, x); err == nil || !strings.Contains(err.Error(), "E0806") {
		t.Errorf("a second derivative that is not known: %v", err)
	}
	second := must(fluxion.Hessian[func(x float64) float64](p, "curve"))
	close(t, "the second derivative", second(0.7), 2*math.Cos(0.49)-4*0.49*math.Sin(0.49))

	v := must(p.Exact(context.Background(), "(curve 0.5, deriv curve 0.5, deriv (deriv curve) 0.5)",
		1e-25))
	var sets struct{ Value, First, Second fluxion.Interval }
	if err := v.Decode(&sets); err != nil {
		t.Fatal(err)
	}
	for i, set := range []fluxion.Interval{sets.Value, sets.First, sets.Second} {
		want := []float64{math.Sin(0.25), math.Cos(0.25), 2*math.Cos(0.25) - math.Sin(0.25)}[i]
		mid, _ := set.Lo.Float64()
		close(t, "an enclosure", mid, want)
		if width := new(big.Float).Sub(set.Hi, set.Lo); width.Cmp(big.NewFloat(1e-25)) > 0 {
			t.Errorf("width %v", width)
		}
	}
	if _, err := p.Exact(context.Background(), "hill 2 1", 1e-3); err == nil {
		t.Error("a primitive without enclosures has a value over the reals")
	}
}

func TestWrongPrimitives(t *testing.T) {
	change := func(f func(*fluxion.Primitive)) fluxion.Primitive { p := square(); f(&p); return p }
	for want, p := range map[string]fluxion.Primitive{
		"differences give": change(func(p *fluxion.Primitive) {
			p.Grad = func(grad, x []float64) { grad[0] = 2*x[0] + 1e-4 }
		}),
		"the derivative by `x` is given as 3": change(func(p *fluxion.Primitive) {
			p.Higher = func([]int, []float64) float64 { return 3 }
		}),
		"misses the value": change(func(p *fluxion.Primitive) {
			p.Interval = func([]int, []fluxion.Interval) fluxion.Interval {
				return fluxion.Interval{Lo: big.NewFloat(0), Hi: big.NewFloat(1)}
			}
		}),
		"no samples":           change(func(p *fluxion.Primitive) { p.Samples = nil }),
		"is not a name":        change(func(p *fluxion.Primitive) { p.Name = "Square" }),
		"there is a primitive": change(func(p *fluxion.Primitive) { p.Name = "sin" }),
		"1 numbers for 2": change(func(p *fluxion.Primitive) {
			p.Params = []string{"x",
				"y"}
		}),
		"the function is NaN": change(func(p *fluxion.Primitive) { p.Func = func([]float64) float64 { return math.NaN() } }),
		"cannot be compared with ": change(func(p *fluxion.Primitive) {
			p.Func = func(x []float64) float64 { return math.Sin(1e9 * x[0]) }
			p.Interval = nil
		}),
	} {
		_, err := fluxion.Parse("p.flx", "let f (x : Real) : Real = x\n", fluxion.Primitives(p))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
