package driver

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Certified is the result of a run on doubles, with what is certain about it.
type Certified struct {
	Result
	Enclosed value.Value // the result with each real enclosed; nil if there are no enclosures
	// the number of certain digits of each real, from left to right: see goodDigits
	Digits  []int
	Outside int // how many reals lie outside their enclosures
}

// Least returns the number of digits that are certain in every real.
func (c Certified) Least() int {
	least := mostDigits
	for _, n := range c.Digits {
		least = min(least, n)
	}
	return least
}

// mostDigits is the greatest number of digits of a double.
const mostDigits = 17

// RunCertified runs a unit on doubles, and then once over intervals of doubles, which enclose the
// true result over the reals. It returns a diagnostic if that fails, or if some real of the
// result has no certain digit. The remaining fields of the result are valid in either case.
func RunCertified(ctx context.Context, u *Unit, s Settings) (Certified, *diag.Diagnostic) {
	result, d := Run(ctx, u, s)
	if d != nil {
		return Certified{}, d
	}
	c := Certified{Result: result}
	linked, d := Link(u)
	if d != nil {
		return c, d
	}
	c.Warnings = approximations(u, linked)
	program, d := opt.Prepare(linked, opt.Options{Exact: true, Verify: s.Verify,
		Watch: stop.Of(ctx)})
	if d != nil {
		return c, d
	}
	options := exact.Options{Eps: searchEps(result.Value), Limits: ExactLimits(s.Limits),
		TrustRules: s.Compile.TrustRules}
	v, why := exact.Once(ctx, program, options)
	if v == nil {
		return c, uncertified(program.Main.At, why,
			"nothing is known about the result over the reals")
	}
	c.Enclosed = finely(v)
	pairs, ok := certificates(result.Value, c.Enclosed)
	if !ok {
		return c, uncertified(program.Main.At, why,
			"on doubles the result is %s, and over the reals %s",
			value.ShowAtMost(result.Value, 10), value.ShowAtMost(c.Enclosed, 10))
	}
	var worst *certificate
	for k, pair := range pairs {
		n := goodDigits(pair.x, pair.e)
		if outside(pair.x, pair.e) {
			c.Outside++
		}
		if c.Digits = append(c.Digits, n); n == 0 && worst == nil {
			worst = &pairs[k]
		}
	}
	if worst != nil {
		return c, uncertified(program.Main.At, why,
			"no digit of the result%s is certain: it is %s on doubles, and lies in %s",
			worst.name, value.Show(value.Real(worst.x)), worst.e.Fluxion())
	}
	return c, nil
}

// uncertified returns the diagnostic for a result that is not certain. why says why there is no
// enclosure, and may be nil.
func uncertified(at diag.Span, why *diag.Diagnostic, format string, args ...any) *diag.Diagnostic {
	if why != nil {
		if why.Code.Limit() {
			return why
		}
		at = why.Span
	}
	d := diag.Errorf(diag.Uncertified, at, format, args...)
	if why != nil {
		d = d.WithHint("%s", why.Message)
	}
	return d.WithHint("`--exact` computes with as many digits as it takes")
}

// searchEps returns the tolerance for integrals, roots and optima: fine enough for most digits of
// the smallest real of the result.
func searchEps(v value.Value) *big.Rat {
	least := 1.0
	for _, x := range value.RealsOf(v) {
		if x = math.Abs(x); x > 0x1p-900 && x < least {
			least = x
		}
	}
	return new(big.Rat).SetFloat64(least * 0x1p-46)
}

// certificate is a real of the result, with the set that contains its true value.
type certificate struct {
	name string
	x    float64
	e    exact.Enclosure
}

// certificates pairs the reals of a result with their enclosures. ok is false if the enclosed
// result differs in anything but reals.
func certificates(v, enclosed value.Value) (all []certificate, ok bool) {
	points := exact.MapEnclosures(enclosed, func(exact.Enclosure) value.Value {
		return value.Real(0)
	})
	if value.Show(value.MapReals(v, func(float64) float64 { return 0 })) != value.Show(points) {
		return nil, false
	}
	sets := exact.Enclosures(enclosed)
	value.EachLeaf(v, "", func(name string, leaf value.Value) {
		if x, ok := leaf.(value.Real); ok {
			all = append(all, certificate{name, float64(x), sets[len(all)]})
		}
	})
	return all, true
}

// goodDigits returns how many digits of x are right for every number of the enclosure: x is off
// by at most half a unit of the last one. Digits count from the first digit of the number, or
// from the decimal point if the number may be 0.
func goodDigits(x float64, e exact.Enclosure) int {
	if math.IsNaN(x) || math.IsInf(x, 0) || e.Lo.IsInf() || e.Hi.IsInf() {
		return 0
	}
	off := 0.0
	for _, end := range []*big.Float{e.Lo, e.Hi} {
		d := new(big.Float).SetPrec(64).SetMode(big.AwayFromZero).Sub(big.NewFloat(x), end)
		off = max(off, exact.Outward(d.Abs(d), 1))
	}
	first := -1.0 // the power of 10 of the first digit
	switch {
	case off == 0:
		return mostDigits
	case e.Lo.Sign() > 0:
		first = decade(e.Lo)
	case e.Hi.Sign() < 0:
		first = decade(new(big.Float).Neg(e.Hi))
	}
	digits := math.Floor(first + 1 - math.Log10(2*off))
	return int(min(max(digits, 0), mostDigits))
}

// decade returns the power of 10 of the first digit of x > 0.
func decade(x *big.Float) float64 {
	f, _ := x.Float64()
	return math.Floor(math.Log10(f))
}

// outside reports whether a double is not in an enclosure.
func outside(x float64, e exact.Enclosure) bool {
	if math.IsNaN(x) {
		return true
	}
	p := big.NewFloat(x)
	return p.Cmp(e.Lo) < 0 || p.Cmp(e.Hi) > 0
}

// finely returns a value whose enclosures are printed with enough digits to tell their ends
// apart.
func finely(v value.Value) value.Value {
	return exact.MapEnclosures(v, func(e exact.Enclosure) value.Value {
		e.Eps = finest
		return e
	})
}

// finest is the smallest positive double, so no two doubles are closer than it.
var finest = new(big.Rat).SetFloat64(math.SmallestNonzeroFloat64)

// String says how many digits are certain.
func (c Certified) String() string {
	text := fmt.Sprintf("at least %d digits of each real are certain", c.Least())
	switch n := c.Least(); {
	case len(c.Digits) == 0:
		return "there are no reals in it"
	case n == mostDigits:
		return "all digits are certain"
	case n == 0:
		text = "not every real has a digit that is certain"
	case n == 1:
		text = "one digit is certain"
	case len(c.Digits) == 1:
		text = fmt.Sprintf("%d digits are certain", n)
	}
	if c.Outside > 0 {
		text += fmt.Sprintf("; on doubles %d of %d reals lie outside of their enclosures",
			c.Outside, len(c.Digits))
	}
	return text
}
