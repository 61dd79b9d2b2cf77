package degenerate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Integrals of functions that oscillate for ever, or that are singular at their ends, in closed
// form, and their derivatives by a parameter. Most of them converge by cancellation only. More of
// them, with what is refused:
//
//	RAPID_CHECKS=10000 go test -v -run Oscillating -timeout 2h ./internal/driver/degenerate
const oscillatingCases = 12

// oscillatingPatience is how long a case may take, which is refused if it takes longer.
const oscillatingPatience = 10 * time.Second

// oscillation is a function of x and p from 0 to some end, with the integral and its first two
// derivatives by p.
type oscillation struct {
	name  string
	f     string
	at    float64 // p
	truth [3]float64
	end   float64 // 0 for infinity
	// splits reports whether f is good for any range on either side of a point.
	splits bool
}

// powerLaw is c p^-a with its derivatives.
func powerLaw(c, a, p float64) [3]float64 {
	y := c * math.Pow(p, -a)
	return [3]float64{y, -a * y / p, a * (a + 1) * y / (p * p)}
}

// digamma is ψ(s) for s > 0.
func digamma(s float64) (y float64) {
	for ; s < 12; s++ {
		y -= 1 / s
	}
	q := 1 / (s * s)
	return y + math.Log(s) - 1/(2*s) - q*(1.0/12-q*(1.0/120-q*(1.0/252-q*(1.0/240-q/132))))
}

// sineIntegrals are Si x and Ci x for x > 0, by their series or the continued fraction of E₁.
func sineIntegrals(x float64) (si, ci float64) {
	if x < 3 {
		ci = 0.57721566490153286 + math.Log(x)
		term := 1.0
		for k := 1; k < 40; k++ {
			switch term *= x / float64(k); k % 4 {
			case 0:
				ci += term / float64(k)
			case 1:
				si += term / float64(k)
			case 2:
				ci -= term / float64(k)
			case 3:
				si -= term / float64(k)
			}
		}
		return si, ci
	}
	z := complex(0, x)
	fraction := complex(0, 0)
	for k := 400.0; k > 0; k-- {
		fraction = complex(k*k, 0) / (z + complex(2*k+1, 0) - fraction)
	}
	e := cmplx.Exp(-z) / (z + 1 - fraction) // E₁(ix) = -Ci x + i (Si x - π/2)
	return math.Pi/2 + imag(e), -real(e)
}

// finite is ∫ x^(k-1) sin (p x^k) from 0 to b, (1 - cos (p B))/(k p) where B = b^k.
func finite(p, k, b float64) [3]float64 {
	B := math.Pow(b, k)
	sin, cos := math.Sin(p*B), math.Cos(p*B)
	y := (1 - cos) / p
	slope := (B*sin - y) / p
	return [3]float64{y / k, slope / k, (B*B*cos - 2*slope) / p / k}
}

// draw makes a random oscillation. Numbers are dyadic, so that both modes have the same program.
func draw(r *rand.Rand) oscillation {
	eighths := func(lo, hi int) float64 { return float64(lo+r.IntN(hi-lo+1)) / 8 }
	p, a := eighths(4, 40), eighths(2, 24)
	k := 1 + r.IntN(3)
	s := float64(1+r.IntN(8*k-1)) / 8 // 0 < s < k
	fine := func(lo, hi float64) float64 { return math.Round((lo+(hi-lo)*r.Float64())*(1<<20)) / (1 << 20) }
	if r.IntN(2) == 0 {
		s = fine(0.01, float64(k)-0.01)
	}
	trig, wave := "sin", math.Sin
	if r.IntN(2) == 0 {
		trig, wave = "cos", math.Cos
	}
	phase := wave(math.Pi * s / (2 * float64(k)))
	gamma := math.Gamma(s / float64(k))
	switch r.IntN(20) {
	case 0: // Fresnel and his relatives
		return oscillation{"fresnel", fmt.Sprintf("x ** (%v) * %s (p * x^%d)", s-1, trig, k), p,
			powerLaw(gamma*phase/float64(k), s/float64(k), p), 0, true}
	case 1:
		return oscillation{"reciprocal", fmt.Sprintf("x ** (%v) * %s (p / x^%d)", -s-1, trig, k), p,
			powerLaw(gamma*phase/float64(k), s/float64(k), p), 0, true}
	case 2:
		return oscillation{"dirichlet", "sin (p * x) / x", p, [3]float64{math.Pi / 2}, 0, true}
	case 3: // Im or Re Γ(s) (a - i p)^-s
		s := eighths(2, 24)
		part := func(z complex128) float64 {
			if trig == "sin" {
				return imag(z)
			}
			return real(z)
		}
		var truth [3]float64
		c, power := complex(math.Gamma(s), 0), -s
		for n := range truth {
			truth[n] = part(c * cmplx.Pow(complex(a, -p), complex(power, 0)))
			c *= complex(0, -1) * complex(power, 0)
			power--
		}
		return oscillation{"exponential", fmt.Sprintf("exp (-%v * x) * x ** (%v) * %s (p * x)", a, s-1, trig), p, truth, 0, true}
	case 4: // p^-s (A + B log p)
		s := eighths(1, 7)
		g, sin, cos := math.Gamma(s), math.Sin(math.Pi*s/2), math.Cos(math.Pi*s/2)
		A, B := g*(digamma(s)*sin+math.Pi/2*cos), -g*sin
		y, l := math.Pow(p, -s), A+B*math.Log(p)
		truth := [3]float64{y * l, y / p * (B - s*l), y / (p * p) * (s*(s+1)*l - (2*s+1)*B)}
		return oscillation{"logarithm", fmt.Sprintf("x ** (%v) * log x * sin (p * x)", s-1), p, truth, 0, true}
	case 5:
		y := math.Pi / (2 * a) * math.Exp(-a*p)
		return oscillation{"rational", fmt.Sprintf("cos (p * x) / (x^2 + %v)", a*a), p, [3]float64{y, -a * y, a * a * y}, 0, true}
	case 6:
		y := math.Pi / 2 * math.Exp(-a*p)
		return oscillation{"rational times x", fmt.Sprintf("x * sin (p * x) / (x^2 + %v)", a*a), p, [3]float64{y, -a * y, a * a * y}, 0, true}
	case 7:
		return oscillation{"bessel", fmt.Sprintf("besselJ %d (p * x)", r.IntN(4)), p, powerLaw(1, 1, p), 0, true}
	case 8:
		n := 1 + r.IntN(3)
		return oscillation{"bessel over x", fmt.Sprintf("besselJ %d (p * x) / x", n), p, [3]float64{1 / float64(n)}, 0, false}
	case 9: // ∫ x^(p-1) (log x)^n from 0 to 1
		n, p := float64(r.IntN(3)), fine(0.005, 1)
		truth := powerLaw(math.Gamma(n+1)*(1-2*math.Mod(n, 2)), n+1, p)
		return oscillation{"power", fmt.Sprintf("x ** (p - 1) * log x ^ %v", n), p, truth, 1, false}
	case 10: // ∫ x^(p-1) / (1 + x)
		p := fine(0.01, 0.99)
		sin, cos := math.Sincos(math.Pi * p)
		truth := [3]float64{math.Pi / sin, -math.Pi * math.Pi * cos / (sin * sin),
			math.Pi * math.Pi * math.Pi * (1 + cos*cos) / (sin * sin * sin)}
		return oscillation{"beta", "x ** (p - 1) / (1 + x)", p, truth, 0, true}
	case 11: // long, but finite
		b := math.Ldexp(eighths(4, 8), 2+r.IntN(12/k))
		return oscillation{"long", fmt.Sprintf("x^%d * sin (p * x^%d)", k-1, k), p, finite(p, float64(k), b), b, true}
	case 12:
		q := p + a
		return oscillation{"product", fmt.Sprintf("sin (p * x) * cos (%v * x) / x", q), p, [3]float64{}, 0, true}
	}
	switch q := p + a; r.IntN(7) {
	case 0: // from 0 to b
		b := eighths(1, 64)
		si, _ := sineIntegrals(p * b)
		sin, cos := math.Sincos(p * b)
		return oscillation{"sine integral", "sin (p * x) / x", p,
			[3]float64{si, sin / p, b*cos/p - sin/(p*p)}, b, true}
	case 1: // ∫ (1 - cos (p x)) / x from 0 to b
		b := eighths(1, 64)
		_, ci := sineIntegrals(p * b)
		sin, cos := math.Sincos(p * b)
		return oscillation{"cosine integral", "(1 - cos (p * x)) / x", p,
			[3]float64{0.57721566490153286 + math.Log(p*b) - ci, (1 - cos) / p,
				b*sin/p - (1-cos)/(p*p)}, b, true}
	case 2: // Im or Re of d/ds Γ(s) z^-s for z = a - i p
		s := eighths(2, 24)
		z := complex(a, -p)
		y := complex(math.Gamma(s), 0) * cmplx.Pow(z, complex(-s, 0))
		l := complex(digamma(s), 0) - cmplx.Log(z)
		all := [3]complex128{y * l, y / z * (complex(-s, 0)*l - 1) * complex(0, -1),
			-y / (z * z) * (complex(s*(s+1), 0)*l + complex(2*s+1, 0))}
		var truth [3]float64
		for n, v := range all {
			if truth[n] = real(v); trig == "sin" {
				truth[n] = imag(v)
			}
		}
		return oscillation{"damped logarithm",
			fmt.Sprintf("exp (-%v * x) * x ** (%v) * log x * %s (p * x)", a, s-1, trig),
			p, truth, 0, true}
	case 3: // x^(s-1) sin (p x) cos (q x), half of the sum of two sines
		s := eighths(1, 7)
		c := math.Gamma(s) * math.Sin(math.Pi*s/2) / 2
		sum, difference := powerLaw(c, s, q+p), powerLaw(c, s, q-p)
		return oscillation{"product with a power",
			fmt.Sprintf("x ** (%v) * sin (p * x) * cos (%v * x)", s-1, q), p, [3]float64{
				sum[0] - difference[0], sum[1] + difference[1], sum[2] - difference[2]}, 0, true}
	case 4: // Weber's integral
		n := r.IntN(3)
		m := eighths(-7, 3)
		c := math.Pow(2, m) * math.Gamma((1+float64(n)+m)/2) / math.Gamma((1+float64(n)-m)/2)
		return oscillation{"bessel with a power",
			fmt.Sprintf("x ** (%v) * besselJ %d (p * x)", m, n), p, powerLaw(c, m+1, p), 0, n == 0}
	case 5: // Lipschitz's integral
		h := a*a + p*p
		return oscillation{"damped bessel", fmt.Sprintf("exp (-%v * x) * besselJ 0 (p * x)", a), p,
			[3]float64{1 / math.Sqrt(h), -p / math.Pow(h, 1.5),
				(2*p*p - a*a) / math.Pow(h, 2.5)}, 0, true}
	}
	q := p + a
	return oscillation{"square", fmt.Sprintf("sin (p * x) * sin (%v * x) / x^2", q), p, [3]float64{math.Pi / 2 * p, math.Pi / 2, 0}, 0, true}
}

// program integrates from 0 to the end, in one piece or in two, with a derivative of some order and
// perhaps something that does not oscillate.
func (o oscillation) program(r *rand.Rand) (source string, truth float64) {
	order := r.IntN(3)
	truth = o.truth[order]
	f := o.f
	if o.end == 0 && r.IntN(4) == 0 {
		f += " + p^2 * exp (-x)"
		truth += []float64{o.at * o.at, 2 * o.at, 2}[order]
	}
	part := func(from, to float64) string {
		if to == 0 {
			return fmt.Sprintf("integralFrom %v (fun x => %s)", from, f)
		}
		return fmt.Sprintf("integral %v %v (fun x => %s)", from, to, f)
	}
	body := part(0, o.end)
	if o.splits && r.IntN(2) == 0 {
		b := float64(1+r.IntN(24)) / 8
		body = part(0, b) + " + " + part(b, o.end)
	}
	source = fmt.Sprintf("(fun p => %s)", body)
	for range order {
		source = fmt.Sprintf("deriv %s", source)
		if order == 2 {
			source = "(" + source + ")"
		}
	}
	return fmt.Sprintf("%s %v", source, o.at), truth
}

// TestOscillatingFloat: on doubles such an integral is right to 2^-27 of what it is made of, or
// an error.
func TestOscillatingFloat(t *testing.T) {
	t.Parallel()
	oscillate(t, property.Rounds(oscillatingCases), func(
		source string, truth float64,
	) (refused diag.Code, wrong string) {
		ctx, done := stop.Within(context.Background(), oscillatingPatience)
		defer done()
		result, d := driver.Run(ctx, load(t, driver.NewWorld(nil), source), driver.Settings{Limits: interp.DefaultLimits()})
		if d != nil {
			return d.Code, ""
		}
		got := float64(result.Value.(value.Real))
		if math.Abs(got-truth) > 0x1p-27*math.Max(1, math.Abs(truth)) {
			wrong = fmt.Sprintf("answered %v", got)
		}
		return "", wrong
	})
}

// TestOscillatingExact: an enclosure contains the truth, whether or not it is narrow enough.
func TestOscillatingExact(t *testing.T) {
	t.Parallel()
	oscillate(t, property.Rounds(oscillatingCases/2), func(
		source string, truth float64,
	) (refused diag.Code, wrong string) {
		ctx, done := stop.Within(context.Background(), oscillatingPatience)
		defer done()
		result, d := driver.RunExact(ctx, load(t, driver.NewWorld(nil), source),
			driver.Settings{Limits: interp.DefaultLimits()}, driver.Exactly{Eps: narrow})
		if d != nil {
			refused = d.Code
		}
		e, ok := result.Value.(exact.Enclosure)
		if !ok {
			return refused, ""
		}
		slack := new(big.Rat).SetFloat64(1e-11 * math.Max(1, math.Abs(truth)))
		if !contains(e, new(big.Rat).SetFloat64(truth), slack) {
			wrong = "answered " + e.Fluxion()
		}
		return refused, wrong
	})
}

// oscillate judges n cases.
func oscillate(
	t *testing.T, n int,
	judge func(source string, truth float64) (refused diag.Code, wrong string),
) {
	start := property.First()
	cases, refusals := map[string]int{}, map[string]map[diag.Code]int{}
	for i := range n {
		r := rand.New(rand.NewPCG(start+uint64(i), 29))
		o := draw(r)
		source, truth := o.program(r)
		refused, wrong := judge(source, truth)
		if cases[o.name]++; refused != "" {
			if refusals[o.name] == nil {
				refusals[o.name] = map[diag.Code]int{}
			}
			refusals[o.name][refused]++
			if testing.Verbose() {
				t.Logf("%s %d is refused with %s: %s", o.name, i, refused, source)
			}
		}
		if wrong != "" {
			t.Errorf("%s %d: %s\n    %s, it is %v", o.name, i, source, wrong, truth)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Logf("%-20s %6d cases, refused with %v", name, cases[name], refusals[name])
	}
}

// TestFamilyDeadline: evaluations of a family, each of which takes long, end at the deadline in
// both modes. The margin is that of a machine with other work.
func TestFamilyDeadline(t *testing.T) {
	for _, f := range []string{"besselJ 0 x * besselJ 1 x * besselJ 2 x", "besselJ 0 (x^2)"} {
		unit := load(t, driver.NewWorld(nil), fmt.Sprintf("integral 0 1000 (fun x => %s)", f))
		settings := driver.Settings{Limits: interp.DefaultLimits()}
		for name, run := range map[string]func(ctx context.Context){
			"doubles": func(ctx context.Context) { driver.Run(ctx, unit, settings) },
			"exact":   func(ctx context.Context) { driver.RunExact(ctx, unit, settings, driver.Exactly{Eps: narrow}) },
		} {
			const limit = 200 * time.Millisecond
			ctx, done := stop.Within(context.Background(), limit)
			start := time.Now()
			if run(ctx); time.Since(start) > limit+3*time.Second {
				t.Errorf("%s, %s: it took %v", f, name, time.Since(start))
			}
			done()
		}
	}
}
