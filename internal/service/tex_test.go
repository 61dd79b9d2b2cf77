package service

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

func session(t *testing.T, inputs ...string) *Session {
	t.Helper()
	s := NewSession()
	s.Settings = driver.Settings{Limits: interp.DefaultLimits()}
	for _, input := range inputs {
		if a := s.Submit(context.Background(), input); a.Found.Failed() {
			t.Fatalf("%s: %v", input, a.Found.Sorted()[0])
		}
	}
	return s
}

func TestFormulas(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{"let f x = x^2 + sin x / 2", `f(x) = x^{2} + \frac{\sin\left(x\right)}{2}`},
		{"let f = fun (x, y) => -x * (y - 1)", `f((x, y)) = -x \, \left(y - 1\right)`},
		{"let f sigma x0 = exp (-(x0^2)) ^ 2 * sqrt sigma", `f(\sigma, x_{0}) = \left(e^{-x_{0}^{2}}\right)^{2} \, \sqrt{\sigma}`},
		{"let f (xs : []Real) = 2 * sum [x^2 for x in xs]", `f(\mathrm{xs}) = 2 \, \left(\sum_{x \in \mathrm{xs}} x^{2}\right)`},
		{"let f a = integral 0 a (fun t => t + 1)", `f(a) = \int_{0}^{a} \left(t + 1\right) \, dt`},
		{"let f x = if x < 0 then 0.0 else if x >= 1 then 1 else x", `f(x) = \begin{cases} 0.0 & \text{if } x < 0 \\ 1 & \text{if } x \ge 1 \\ x & \text{else} \end{cases}`},
		{"let f x =\n  let y = x + 1\n  y * 2.5e-3", `f(x) = y \cdot 2.5 \cdot 10^{-3} \quad\text{where}\quad y = x + 1`},
		{"let f (xs : []Real) = xs[0] - deriv sin (xs[1])", `f(\mathrm{xs}) = \mathrm{xs}_{0} - \sin'\left(\mathrm{xs}_{1}\right)`},
		{`let f x = "a_b{x + 1}"`, `f(x) = \texttt{"a\_b\{x + 1\}"}`},
	} {
		got, err := session(t, c.input).Formula("f")
		if err != nil || got != c.want {
			t.Errorf("%s is %s (%v), want %s", c.input, got, err, c.want)
		}
	}
	if _, err := session(t).Formula("f"); err == nil {
		t.Error("what is not defined has a formula")
	}
}

func TestMathOfValues(t *testing.T) {
	for _, c := range []struct{ digits, input, want string }{
		{"", "[[1, 2.5e-20], [3, 4]]", `\begin{pmatrix} 1 & 2.5 \cdot 10^{-20} \\ 3 & 4 \end{pmatrix}`},
		{"", "[1, 2]", `\begin{pmatrix} 1 \\ 2 \end{pmatrix}`},
		{"", "[real i for i < 11]", ""},
		{"", "1.5", ""},
		{"20", "pi", `3.1415926535897932384\ldots`},
		{"1", "sqrt 2", `\left[1.4,\, 1.5\right]`},
		{"20", "[0.5, sqrt 2]", `\begin{pmatrix} 0.5 \\ 1.4142135623730950488\ldots \end{pmatrix}`},
	} {
		s := session(t)
		if c.digits != "" {
			s.Eps, _ = driver.ParseDigits(c.digits)
		}
		a := s.Submit(context.Background(), c.input)
		if a.Result == nil {
			t.Fatal(a.Found.Sorted())
		}
		if got := mathOf(a.Result.Value); got != c.want {
			t.Errorf("%s is %s, want %s", c.input, got, c.want)
		}
	}
}
