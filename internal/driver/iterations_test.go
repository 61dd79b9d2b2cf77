package driver

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
	"pgregory.net/rapid"
)

// curve is a function of c, as a program and with its derivatives.
type curve struct{ a, k, p, b float64 }

func (m curve) String() string {
	return fmt.Sprintf("(%v * sin (%v * c + %v) + %v * c^3)", m.a, m.k, m.p, m.b)
}

// at returns the derivative of an order, up to 3.
func (m curve) at(c float64, order int) float64 {
	cubic := []float64{c * c * c, 3 * c * c, 6 * c, 6}[order]
	return m.a*math.Pow(m.k, float64(order))*math.Sin(m.k*c+m.p+float64(order)*math.Pi/2) + m.b*cubic
}

// drawn returns a number of two digits.
func drawn(t *rapid.T, from, to float64) float64 {
	return float64(rapid.IntRange(int(from*100), int(to*100)).Draw(t, "hundredths")) / 100
}

func drawCurve(t *rapid.T) curve {
	return curve{drawn(t, 0.2, 1), drawn(t, 0.5, 2), drawn(t, -3, 3), drawn(t, -0.3, 0.3)}
}

// minimum is a problem with a known minimum: the sum of the weighted squares of
// T x - T m and of their products, with T x = x + x³/3 for each of the parameters x, of which m
// is the minimum; and a known value.
type minimum struct {
	at    []curve
	value curve
	c     float64
	shape int // a number or a pair, an array, a record
	start []float64
}

// drawMinimum draws a problem that starts at most at a distance from the minimum.
func drawMinimum(t *rapid.T, shape int, most float64) minimum {
	p := minimum{value: drawCurve(t), c: drawn(t, -1, 1), shape: shape}
	near := min(most, rapid.SampledFrom([]float64{0, 0, 1e-9, 0.01, 1}).Draw(t, "distance"))
	for range rapid.IntRange(1, 3).Draw(t, "parameters") {
		m := drawCurve(t)
		p.at = append(p.at, m)
		p.start = append(p.start, m.at(p.c, 0)+near*drawn(t, -1, 1))
	}
	return p
}

// tuple writes values in the shape of the parameters.
func (p minimum) tuple(xs []string) string {
	switch {
	case p.shape == 1:
		return "[" + strings.Join(xs, ", ") + "]"
	case p.shape == 2:
		for k := range xs {
			xs[k] = fmt.Sprintf("x%d = %s", k, xs[k])
		}
		return "{" + strings.Join(xs, ", ") + "}"
	case len(xs) == 1:
		return xs[0]
	}
	return "(" + strings.Join(xs, ", ") + ")"
}

// part returns a parameter of a point.
func (p minimum) part(of string, k int) string {
	switch {
	case p.shape == 2:
		return fmt.Sprintf("%s.x%d", of, k)
	case p.shape == 0 && len(p.at) == 1:
		return of
	}
	return fmt.Sprintf("%s[%d]", of, k)
}

func (p minimum) each(f func(k int) string) []string {
	xs := make([]string, len(p.at))
	for k := range xs {
		xs[k] = f(k)
	}
	return xs
}

// residuals returns the differences T x - T m.
func (p minimum) residuals() string {
	return "[" + strings.Join(p.each(func(k int) string {
		x := p.part("x", k)
		return fmt.Sprintf("(%s + %s^3 / 3) - (%s + %s^3 / 3)", x, x, p.at[k], p.at[k])
	}), ", ") + "]"
}

// function is of a point x.
func (p minimum) function() string {
	return "let r = " + p.residuals() + " in inner r r + 0.3 * (sum r)^2 + (inner r r)^2 + 0.1 * sum [v^3 for v in r] * sin c + " + p.value.String()
}

// methods are how a minimum is found: %[1]s is the function, %[2]s the residuals and %[3]s the
// start.
var methods = []string{
	"optim.newton optim.standard (fun x => %[1]s) %[3]s",
	"optim.lbfgs optim.standard (fun x => %[1]s) %[3]s",
	"optim.minimize (fun x => %[1]s) %[3]s",
	"optim.descend {tolerance = 1e-8, iterations = 100000} (optim.gradientDescent (0.02 * exp (c / 10))) (fun x => %[1]s) %[3]s",
	"optim.leastSquares optim.standard (fun x => %[2]s) %[3]s",
	"optim.gaussNewton optim.standard (fun x => %[2]s) %[3]s",
	"optim.bounded optim.standard (-9 .* like) (9 .* like) (fun x => %[1]s) %[3]s",
}

// nested returns the derivative of an order of a function of c, in one of the modes.
func nested(f string, order, mode int) string {
	f = "(fun c => " + f + ")"
	for k := range order {
		f = "(" + [][2]string{{"deriv", "deriv"}, {"grad", "grad"}, {"deriv", "grad"}, {"grad", "deriv"}}[mode][k%2] + " " + f + ")"
	}
	return f
}

// numberBy returns a program's number by an engine.
func numberBy(text, engine string) (float64, *diag.Diagnostic) {
	var list diag.List
	unit := NewWorld(nil).LoadText("test", "import optim\nimport linalg\nimport poly\n"+text, nil, &list)
	if list.Failed() {
		return 0, list.Sorted()[0]
	}
	result, d := Run(context.Background(), unit, Settings{Engine: engine, Limits: interp.DefaultLimits()})
	if d != nil {
		return 0, d
	}
	return float64(result.Value.(value.Real)), nil
}

// TestDerivativesOfMinima: the derivatives of what a method finds are those of the minimum,
// wherever it starts, at every order, in both modes and by all engines.
func TestDerivativesOfMinima(t *testing.T) {
	t.Parallel()
	engines := Engines()
	property.Check(t, func(t *rapid.T) {
		number, most := rapid.IntRange(0, len(methods)-1).Draw(t, "method"), 1.0
		if strings.Contains(methods[number], "descend") { // from far away it may diverge
			most = 0.01
		}
		p := drawMinimum(t, rapid.IntRange(0, 2).Draw(t, "shape"), most)
		order, mode := rapid.IntRange(0, 3).Draw(t, "order"), rapid.IntRange(0, 3).Draw(t, "mode")
		squares := strings.Contains(methods[number], "%[2]s")
		start := p.tuple(p.each(func(k int) string { return fmt.Sprintf("(%v)", p.start[k]) }))
		run := fmt.Sprintf(methods[number]+"%.0[1]s%.0[2]s", p.function(), p.residuals(), start)
		run = strings.ReplaceAll(run, "like", p.tuple(p.each(func(int) string { return "(1 : Real)" })))
		k := rapid.IntRange(0, len(p.at)-1).Draw(t, "component")
		what, want := p.part("r.point", k), p.at[k].at(p.c, order)
		if rapid.IntRange(0, 3).Draw(t, "what") == 0 {
			if what, want = "r.value", p.value.at(p.c, order); squares {
				want = 0
			}
		}
		engine := rapid.SampledFrom(engines).Draw(t, "engine")
		f := nested("let r = "+run+" in "+what, order, mode)
		got, d := numberBy(fmt.Sprintf("%s (%v)", f, p.c), engine)
		if d != nil {
			t.Fatalf("%s (%v) by %s: %v", f, p.c, engine, d)
		}
		if !(math.Abs(got-want) <= 1e-5*math.Pow(10, float64(order))) {
			t.Errorf("%s (%v) is %v by %s, want %v", f, p.c, got, engine, want)
		}
	})
}

// TestDerivativesOfIterations: those of solutions of linear systems, of roots of polynomials, of
// minima on bounds, of many parameters, and of iterations that end before they have converged.
func TestDerivativesOfIterations(t *testing.T) {
	t.Parallel()
	const bounded = "let r = optim.bounded optim.standard (0, 0) (c, 1) (fun (x, y) => (x - 2)^2 + (y - 0.7)^2 + x * y) (0, 0) in "
	const many = "let r = optim.minimize (fun x => sum [(v - real i * c)^2 + exp (v / 100) for (i, v) in zip (iota 80) x]) [0 for i < 80] in r.point[79]"
	for _, c := range []struct {
		f     string
		at    float64
		order int
		want  float64
	}{
		{"(linalg.conjugateGradients (fun x => [4 * x[0], 2 * x[1]]) 1e-12 [4 * c, 6 * c])[1]", 0, 1, 3},
		{"(linalg.conjugateGradients (fun x => [4 * x[0], c * x[1]]) 1e-12 [4, 6])[1]", 2, 1, -1.5},
		{"(linalg.conjugateGradients (fun x => [4 * x[0], c * x[1]]) 1e-12 [4, 6])[1]", 2, 3, -2.25},
		{"(poly.roots [c, -5, 1])[1][0]", 6, 1, 1},
		{"(poly.roots [c, -5, 1])[0][0]", 6, 2, -2},
		{"(poly.roots [c, 0, 1])[0][1]", 1, 3, 3. / 8},
		{bounded + "r.point[0]", 0.8, 1, 1},
		{bounded + "r.point[1]", 0.8, 1, -0.5},
		{bounded + "r.value", 0.8, 1, -2.1},
		{bounded + "r.value", 0.8, 2, 1.5},
		{"(optim.bounded optim.standard 0 1 (fun x => (x - c)^2) 0).point", -0.001, 1, 0},
		{"(optim.bounded optim.standard 0 1 (fun x => (x - c)^2) 0).point", 0.001, 1, 1},
		{many, 0, 1, 79 / (1 + 1./20000)},
		// a maximum is stationary too
		{"(optim.newton optim.standard (fun x => -(x - c)^2) 2).point", 2, 1, 1},
		// the envelope
		{"(optim.minimize (fun (x, y) => (x + y - c)^2 + c^2) (0, 0)).value", 3, 1, 6},
		// the iterations are what is differentiated
		{"(optim.descend {tolerance = 0, iterations = 3} (optim.gradientDescent c) (fun x => (x - 1)^2) 0).point", 0.1, 1, 3.84},
		{"(optim.descend optim.standard (optim.gradientDescent c) (fun x => (x - 1)^2) 0).point", 0.1, 1, 0},
		// nearer than by rounding the minimum cannot be found
		{"(optim.minimize (fun x => 1e9 + 1e3 * (x - c)^2 + (x - c)^3) 0).point", 0.3, 1, 1},
	} {
		for _, engine := range Engines() {
			for mode := range 2 {
				if mode == 0 && strings.Contains(c.f, "x + y - c") {
					continue
				}
				f := nested(c.f, c.order, mode)
				got, d := numberBy(fmt.Sprintf("%s (%v)", f, c.at), engine)
				if d != nil {
					t.Errorf("%s (%v) by %s: %v", f, c.at, engine, d)
				} else if !(math.Abs(got-c.want) <= 1e-7*math.Max(1, math.Abs(c.want))) {
					t.Errorf("%s (%v) is %v by %s, want %v", f, c.at, got, engine, c.want)
				}
			}
		}
	}
}

// TestUnknownDerivativesOfIterations: of minima that are not isolated, not found, or on a bound
// that does not hold them, and of roots that are not simple.
func TestUnknownDerivativesOfIterations(t *testing.T) {
	t.Parallel()
	for f, want := range map[string]string{
		"(optim.minimize (fun (x, y) => (0.1 * x + 0.3 * y - c)^2) (0, 0)).point[0]":                       "not isolated",
		"(optim.minimize (fun x => (sum x - c)^2) [0 for i < 100]).point[0]":                               "not isolated",
		"(optim.newton optim.standard (fun x => 1 + 2 * abs (x - c) + x) 1).point":                         "",
		"(optim.newton optim.standard (fun x => 1 + 2 * abs (x - c) + x) 1).value":                         "",
		"(optim.bounded optim.standard 0 1 (fun x => (x - c + 0.5)^2) 0).point":                            "on a bound",
		"(optim.bounded optim.standard (0, 0) (1, 1) (fun (x, y) => (x - c + 0.5)^2 + y) (0, 0)).point[0]": "on a bound",
		"(poly.roots [c - 0.25, -1, 1])[0][0]":                                                             "not simple",
	} {
		for _, engine := range Engines() {
			for mode := range 2 {
				f := nested(f, 1, mode)
				got, d := numberBy(f+" 0.5", engine)
				if d == nil || !strings.Contains(d.Message, want) {
					t.Errorf("%s 0.5 by %s is %v, and ends with %v", f, engine, got, d)
				}
			}
		}
	}
}

// TestValuesTakeNoDerivatives: where nothing is differentiated, only the iterations run.
func TestValuesTakeNoDerivatives(t *testing.T) {
	t.Parallel()
	const quadratic = "(fun x => sum [real i * v^2 - v for (i, v) in zip (iota 50) x])"
	_, alone := ran(t, "grad "+quadratic+" (replicate 50 1)", interp.Options{})
	_, all := ran(t, "import optim\n(optim.descend {tolerance = 0, iterations = 3} (optim.gradientDescent 0.001) "+quadratic+" (replicate 50 1)).point",
		interp.Options{})
	if alone.Taped == 0 || all.Taped > 5*alone.Taped {
		t.Errorf("three steps put %d operations on the tape, and a gradient %d", all.Taped, alone.Taped)
	}
}

// TestIterationsEnclosed: exact mode encloses steps. It does not take their derivatives for those
// of what they converge to, which an enclosure of 0 would be for a method that takes no step.
func TestIterationsEnclosed(t *testing.T) {
	for text, want := range map[string]string{
		"(optim.newton optim.standard (fun x => (x - 1)^2) 0.5).point":                                                                   "[0.9999, 1.0001]",
		"deriv (fun c => (optim.newton optim.standard (fun x => (x - c)^2) 0).point) 0":                                                  "",
		"deriv (fun c => (linalg.conjugateGradients (fun x => 4 .* x) 1e-9 [4 * c])[0]) 0.5":                                             "",
		"deriv (fun r => (optim.descend {tolerance = 1e-9, iterations = 3} (optim.gradientDescent r) (fun x => (x - 1)^2) 0).point) 0.1": "[3.8399, 3.8401]",
	} {
		var list diag.List
		unit := NewWorld(nil).LoadText("<test>", "import optim\nimport linalg\n"+text, nil, &list)
		if unit == nil || list.Failed() {
			t.Fatalf("%s: %v", text, list.Sorted())
		}
		r, d := RunExact(t.Context(), unit, Settings{Limits: interp.DefaultLimits()},
			Exactly{Eps: big.NewRat(1, 1000)})
		switch {
		case want == "" && d == nil:
			t.Errorf("%s is %s, and should be unknown", text, value.Show(r.Value))
		case want != "" && (d != nil || value.Show(r.Value) != want):
			t.Errorf("%s is %s (%v), not %s", text, value.Show(r.Value), d, want)
		}
	}
}
