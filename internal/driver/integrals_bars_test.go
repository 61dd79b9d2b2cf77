package driver

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// genz are Genz's families of integrals over [0, 1]^n: how difficult they are is the sum of the
// numbers a; u moves what they have in their middle.
var genz = []struct {
	name       string
	difficulty float64
	smooth     bool
	text       func(a, u, x []string) string // of the integrand
	truth      func(a, u []float64) float64
}{
	{"oscillatory", 9, true, func(a, u, x []string) string {
		return fmt.Sprintf("cos (2 * pi * %s + %s)", u[0], joined(" + ", "%s * %s", a, x))
	}, func(a, u []float64) float64 {
		middle, size := 2*math.Pi*u[0], 1.0
		for _, a := range a {
			middle, size = middle+a/2, size*2*math.Sin(a/2)/a
		}
		return size * math.Cos(middle)
	}},
	{"product peak", 7.25, true, func(a, u, x []string) string {
		return "1 / (" + joined(" * ", "(%s^(-2) + (%s - %s)^2)", a, x, u) + ")"
	}, each(func(a, u float64) float64 { return a * (math.Atan(a*(1-u)) + math.Atan(a*u)) })},
	{"corner peak", 1.85, true, func(a, u, x []string) string {
		return fmt.Sprintf("(1 + %s)^(-%d)", joined(" + ", "%s * %s", a, x), len(x)+1)
	}, func(a, u []float64) float64 {
		all := 0.0
		for set := range 1 << len(a) {
			at, sign := 1.0, 1.0
			for i := range a {
				if set>>i&1 == 1 {
					at, sign = at+a[i], -sign
				}
			}
			all += sign / at
		}
		for i, a := range a {
			all /= a * float64(i+1)
		}
		return all
	}},
	{"Gaussian", 7.03, true, func(a, u, x []string) string {
		return "exp (neg (" + joined(" + ", "%s^2 * (%s - %s)^2", a, x, u) + "))"
	}, each(func(a, u float64) float64 {
		return math.Sqrt(math.Pi) / 2 / a * (math.Erf(a*(1-u)) + math.Erf(a*u))
	})},
	{"continuous", 20.4, false, func(a, u, x []string) string {
		return "exp (neg (" + joined(" + ", "%s * abs (%s - %s)", a, x, u) + "))"
	}, each(func(a, u float64) float64 { return (2 - math.Exp(-a*u) - math.Exp(-a*(1-u))) / a })},
	{"discontinuous", 4.3, false, func(a, u, x []string) string {
		inside := "exp (" + joined(" + ", "%s * %s", a, x) + ")"
		return fmt.Sprintf("if x0 < %s && x1 < %s then %s else 0", u[0], u[1], inside)
	}, func(a, u []float64) float64 {
		all := 1.0
		for i, a := range a {
			end := 1.0
			if i < 2 {
				end = u[i]
			}
			all *= math.Expm1(a*end) / a
		}
		return all
	}},
}

// each is the product of integrals over one coordinate.
func each(of func(a, u float64) float64) func(a, u []float64) float64 {
	return func(a, u []float64) float64 {
		all := 1.0
		for i := range a {
			all *= of(a[i], u[i])
		}
		return all
	}
}

// joined is a term for each coordinate, with what lies between them.
func joined(between, term string, lists ...[]string) string {
	var terms []string
	for i := range lists[0] {
		var args []any
		for _, list := range lists {
			args = append(args, list[i])
		}
		terms = append(terms, fmt.Sprintf(term, args...))
	}
	return strings.Join(terms, between)
}

// genzProgram is one of a family in n dimensions, and its value.
func genzProgram(family, n int) (text string, truth float64) {
	f := genz[family]
	var a, u []float64
	total := 0.0
	for i := range n {
		_, part := math.Modf(0.37 * float64(i+1))
		a = append(a, 0.5+part)
		total += a[i]
		u = append(u, math.Round(1000*(0.2+math.Mod(0.291*float64(i+1), 0.6)))/1000)
	}
	var as, us, xs, zeros, ones []string
	for i := range a {
		a[i] = math.Round(1e4*a[i]*f.difficulty/total) / 1e4
		as, us = append(as, fmt.Sprint(a[i])), append(us, fmt.Sprint(u[i]))
		xs = append(xs, fmt.Sprintf("x%d", i))
		zeros, ones = append(zeros, "0"), append(ones, "1")
	}
	list := func(of []string) string { return "(" + strings.Join(of, ", ") + ")" }
	return fmt.Sprintf("integral %s %s (fun %s => %s)",
		list(zeros), list(ones), list(xs), f.text(as, us, xs)), f.truth(a, u)
}

// TestGenz: Genz's integrals, to eight digits: all in two to four dimensions, and smooth ones in
// up to six. The closed forms are rounded.
func TestGenz(t *testing.T) {
	t.Parallel()
	for family, f := range genz {
		for n := 2; n <= 6; n++ {
			if n > 3 && !property.Long() || n > 4 && !f.smooth {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d", f.name, n), func(t *testing.T) {
				text, truth := genzProgram(family, n)
				got, d := solved(t, text, 8)
				if d != nil {
					t.Fatalf("%s\n%v", text, d)
				}
				lo, _ := got[0].Lo.Float64()
				hi, _ := got[0].Hi.Float64()
				grain := 1e-12 * math.Max(1, math.Abs(truth))
				if lo > truth+grain || hi < truth-grain || hi-lo > 1.0001e-8 {
					t.Errorf("%s is %v, not %s", text, truth, got[0].Fluxion())
				}
			})
		}
	}
}

// hundred are the problems of the hundred-digit challenge that are among the examples, and the first
// ten digits of their published answers.
var hundred = []struct {
	name   string
	to     int64 // digits behind the point
	digits string
	quick  bool
}{
	{"heat", 11, "0.4240113870", true},
	{"maximised", 11, "0.7859336743", false},
	{"minimum", 11, "-3.306868647", true},
	{"oscillating", 11, "0.3233674316", true},
	{"photon", 11, "0.9952629194", true},
	{"plate", 18, "0.0000003837587979", true},
	{"walk", 12, "0.06191395447", false},
}

// TestHundredDigits: the examples prove the first ten digits of the answers.
func TestHundredDigits(t *testing.T) {
	t.Parallel()
	for _, c := range hundred {
		if !c.quick && !property.Long() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			text, err := os.ReadFile("../../examples/hundred/" + c.name + ".flx")
			if err != nil {
				t.Fatal(err)
			}
			got, d := solved(t, string(text), c.to)
			if d != nil {
				t.Fatal(d)
			}
			for _, end := range []string{got[0].Lo.Text('f', 40), got[0].Hi.Text('f', 40)} {
				if !strings.HasPrefix(end, c.digits) {
					t.Errorf("%s does not begin with %s", end, c.digits)
				}
			}
		})
	}
}
