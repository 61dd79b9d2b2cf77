package fluxion_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

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
	curved := must(fluxion.Hessian[func(x float64) float64](p, "curve"))
	close(t, "the second derivative", curved(0.7), 2*math.Cos(0.49)-4*0.49*math.Sin(0.49))

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

// badly returns a primitive that works at its samples, and goes wrong elsewhere as its functions
// say.
func badly(name string, change func(*fluxion.Primitive)) fluxion.Primitive {
	p := square()
	p.Name = name
	change(&p)
	return p
}

// TestPrimitivesThatPanic: a panic of the host's function is an error of what is called, wherever
// it is called from, and later calls are not affected.
func TestPrimitivesThatPanic(t *testing.T) {
	broken := func(x float64) {
		if x > 100 {
			panic("out of range")
		}
	}
	byValue := badly("byValue", func(p *fluxion.Primitive) {
		f := p.Func
		p.Func = func(x []float64) float64 { broken(x[0]); return f(x) }
	})
	byGrad := badly("byGrad", func(p *fluxion.Primitive) {
		f := p.Grad
		p.Grad = func(grad, x []float64) { broken(x[0]); f(grad, x) }
	})
	byHigher := badly("byHigher", func(p *fluxion.Primitive) {
		f := p.Higher
		p.Higher = func(orders []int, x []float64) float64 { broken(x[0]); return f(orders, x) }
	})
	bySets := badly("bySets", func(p *fluxion.Primitive) {
		f := p.Interval
		p.Interval = func(orders []int, x []fluxion.Interval) fluxion.Interval {
			hi, _ := x[0].Hi.Float64()
			broken(hi)
			return f(orders, x)
		}
	})
	p := parse(t, `
let f (x : Real) : Real = byValue x + 1
let g (x : Real) : Real = byGrad x + 1
let h (x : Real) : Real = byHigher x + 1
let e (x : Real) : Real = bySets x + 1
let many (xs : []Real) : Real = sum [f x for x in xs]
let table = [f 3]
let bad = f 1000
let usesBad (x : Real) : Real = x * bad
let inside (x : Real) : Real = integral 0 x (fun t => byValue t)
`, fluxion.Primitives(byValue, byGrad, byHigher, bySets))
	ctx := context.Background()
	f := must(fluxion.Bind[func(float64) (float64, error)](p, "f"))
	many := must(fluxion.Grad[func(g, xs []float64) error](p, "many"))
	for name, call := range map[string]func(x float64) error{
		"a bound value":  func(x float64) error { return second(f(x)) },
		"a gradient":     func(x float64) error { return many(make([]float64, 2), []float64{1, x}) },
		"by Grad":        func(x float64) error { return second(must(fluxion.Grad[func(float64) (float64, error)](p, "g"))(x)) },
		"by Higher":      func(x float64) error { return second(must(fluxion.Hessian[func(float64) (float64, error)](p, "h"))(x)) },
		"an expression":  func(x float64) error { return second(p.Eval(ctx, fmt.Sprintf("f %v", x))) },
		"its derivative": func(x float64) error { return second(p.Eval(ctx, fmt.Sprintf("deriv g %v", x))) },
		"over the reals": func(x float64) error { return second(p.Exact(ctx, fmt.Sprintf("e %v", x), 1e-9)) },
		"bound over them": func(x float64) error {
			return second(must(fluxion.BindExact[func(float64) (fluxion.Interval, error)](p, "e", 1e-9))(x))
		},
		"in an integral": func(x float64) error {
			return second(must(fluxion.Bind[func(float64) (float64, error)](p, "inside"))(x))
		},
	} {
		for range 2 {
			var e *fluxion.Error
			if err := call(1000); !errors.As(err, &e) || !strings.Contains(err.Error(), "has panicked: out of range") {
				t.Errorf("%s: %v", name, err)
			}
			if err := call(2); err != nil {
				t.Errorf("%s, without a panic: %v", name, err)
			}
		}
	}
	if uses, err := fluxion.Bind[func(float64) (float64, error)](p, "usesBad"); err == nil {
		if _, err = uses(1); err == nil {
			t.Error("a constant whose evaluation panics has a value")
		}
	}
	for want, bad := range map[string]fluxion.Primitive{
		"has panicked": badly("atOnce", func(p *fluxion.Primitive) {
			p.Func = func(x []float64) float64 { return x[7] }
		}),
		"lacks Grad": badly("higher", func(p *fluxion.Primitive) { p.Grad = nil }),
		"the number NaN": badly("nan", func(p *fluxion.Primitive) {
			p.Samples = [][]float64{{math.NaN()}}
		}),
		"are called `x`": badly("twice", func(p *fluxion.Primitive) {
			p.Params, p.Samples = []string{"x", "x"}, [][]float64{{1, 2}}
		}),
	} {
		_, err := fluxion.Parse("p.flx", "", fluxion.Primitives(bad))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// TestPrimitivesKeep: a function may keep and change what it is given.
func TestPrimitivesKeep(t *testing.T) {
	var kept [][]float64
	var mu sync.Mutex
	rude := badly("rude", func(p *fluxion.Primitive) {
		p.Func = func(x []float64) float64 {
			y := x[0] * x[0]
			x[0] = 1e300
			mu.Lock()
			defer mu.Unlock()
			kept = append(kept, x)
			for _, k := range kept {
				k[0] = -1
			}
			return y
		}
		p.Grad = func(grad, x []float64) { grad[0] = 2 * x[0]; x[0] = 1e300 }
	})
	p := parse(t, "let f (x : Real) : Real = let y = rude x in x * y + x\n", fluxion.Primitives(rude))
	f := must(fluxion.ValueAndGrad[func(float64) (float64, float64)](p, "f"))
	for k := range 5 {
		x := float64(k)
		v, g := f(x)
		close(t, "the value", v, x*x*x+x)
		close(t, "the gradient", g, 3*x*x+1)
	}
}

// TestPrimitivesUsed: a derivative that is right at the samples is compared where it is used,
// too, at each order. One that holds is not refused where the function has a kink or a jump
// beside the point.
func TestPrimitivesUsed(t *testing.T) {
	wrong := badly("wrong", func(p *fluxion.Primitive) {
		p.Grad = func(grad, x []float64) {
			if grad[0] = 2 * x[0]; x[0] > 10 {
				grad[0] = x[0]
			}
		}
	})
	later := badly("later", func(p *fluxion.Primitive) {
		p.Higher = func(orders []int, x []float64) float64 {
			if orders[0] == 2 && x[0] < 10 {
				return 2
			}
			return 0
		}
	})
	kinked := badly("kinked", func(p *fluxion.Primitive) {
		p.Func = func(x []float64) float64 { return math.Abs(x[0]) + math.Floor(x[0]/8) }
		p.Grad = func(grad, x []float64) { grad[0] = math.Copysign(1, x[0]) }
		p.Higher, p.Interval = nil, nil
	})
	p := parse(t, `
let f (x : Real) : Real = wrong x * x
let g (x : Real) : Real = later x * x
let h (x : Real) : Real = kinked x * x
`, fluxion.Primitives(wrong, later, kinked))
	type f1 = func(float64) (float64, error)
	grad, second := must(fluxion.Grad[f1](p, "f")), must(fluxion.Hessian[f1](p, "g"))
	for k := range 6 {
		must(grad(float64(k%3) + 1))
		must(second(float64(k%3) + 1))
	}
	for name, f := range map[string]f1{"the first": grad, "the second": second} {
		if y, err := f(20); err == nil || !strings.Contains(err.Error(), "differences give") {
			t.Errorf("%s derivative, which is wrong at 20, gives %v, %v", name, y, err)
		}
	}
	kinks := must(fluxion.Grad[f1](p, "h"))
	for _, x := range []float64{1, -1, 1e-3, 1e-9, -1e-13, 1e-300, 7.9999999, 8.0000001, 8 + 1e-4, -1e5, 1e9} {
		must(kinks(x))
	}
	third := badly("third", func(p *fluxion.Primitive) {
		p.Higher = func(orders []int, x []float64) float64 { return 2 }
	})
	if _, err := fluxion.Parse("p.flx", "", fluxion.Primitives(third)); err == nil || !strings.Contains(err.Error(), "orders [3]") {
		t.Errorf("a third derivative that is wrong at the samples: %v", err)
	}
}

// TestSlowPrimitives: a context ends a call between two calls of slow primitives.
func TestSlowPrimitives(t *testing.T) {
	slow := badly("slow", func(p *fluxion.Primitive) {
		p.Func = func(x []float64) float64 {
			if x[0] > 100 {
				time.Sleep(time.Millisecond)
			}
			return x[0] * x[0]
		}
	})
	p := parse(t, "let f (x : Real) : Real = sum [slow (x + real i) for i < 100000]\n",
		fluxion.Primitives(slow))
	f := must(fluxion.Grad[func(context.Context, float64) (float64, error)](p, "f"))
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	start := time.Now()
	if _, err := f(ctx, 200); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a slow primitive: %v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestOrdersOfPrimitives: binding a derivative that a primitive certainly lacks is an error; one
// that may not be needed is bound, and works where it is not.
func TestOrdersOfPrimitives(t *testing.T) {
	bare := badly("bare", func(p *fluxion.Primitive) { p.Grad, p.Higher = nil, nil })
	p := parse(t, `
let byGo (theta : []Real) (x : Real) : Real = theta[0] * hill x theta[1]
let rows (theta : []Real) (xs : []Real) : Real = sum [(x - hill theta[0] theta[1])^2 for x in xs]
let slope (x : Real) : Real = deriv (fun y => hill y 2) x
let given (theta : []Real) (xs : []Real) : Real = sum [(bare x - theta[0]^2 * hill x 2)^2 for x in xs]
let branch (x : Real) : Real = if x > 1 then hill x 2 else x^3
let packed (p : {a : Real, x : Real}) : Real = p.a^2 * squareOf p.x
let part (a x : Real) : Real = let pair = (a, x) in let (b, y) = pair in b^2 * bare y
let steps (x : Real) : Real = x^2 * bare (real (floor x))
let stopped (x : Real) : Real = x^2 * bare (stopGradient x)
let plain (x : Real) : Real = bare x
`, fluxion.Primitives(hill(), square(), bare))
	type (
		f1  = func(float64) (float64, error)
		f2  = func(theta, xs []float64) ([][]float64, error)
		rec struct{ A, X float64 }
	)
	for name, err := range map[string]error{
		"byGo":          second(fluxion.Hessian[func([]float64, float64) ([][]float64, error)](p, "byGo")),
		"rows":          second(fluxion.Hessian[f2](p, "rows")),
		"rows by HVP":   second(fluxion.HessianVector[func(dst, theta, xs, v []float64)](p, "rows")),
		"slope":         second(fluxion.Grad[f1](p, "slope")),
		"plain":         second(fluxion.Grad[f1](p, "plain")),
		"plain forward": second(fluxion.JVP[func(x, dx float64) float64](p, "plain")),
	} {
		if err == nil || !strings.Contains(err.Error(), "and lacks ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if h := must(must(fluxion.Hessian[f2](p, "given"))([]float64{1, 2}, []float64{3})); len(h) != 2 {
		t.Errorf("the Hessian by what the primitive is not given is %v", h)
	}
	close(t, "branch", must(must(fluxion.Hessian[f1](p, "branch"))(0.5)), 3)
	if _, err := must(fluxion.Hessian[f1](p, "branch"))(2); err == nil {
		t.Error("a second derivative that is not known has a value")
	}
	close(t, "stopped", must(must(fluxion.Grad[f1](p, "stopped"))(3)), 54)
	close(t, "steps", must(must(fluxion.Grad[f1](p, "steps"))(2.5)), 20)
	close(t, "part", must(must(fluxion.Hessian[func(a, x float64) (float64, error)](p, "part"))(1, 3)), 18)
	must(fluxion.Grad[func(rec) (rec, error)](p, "packed"))
	close(t, "the value", must(must(fluxion.Bind[f1](p, "plain"))(3)), 9)
	close(t, "the slope", must(must(fluxion.Bind[f1](p, "slope"))(1)), 0.5)
}
