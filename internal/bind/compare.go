package bind

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [Comparing primitives]
//
// Nothing proves what a host says about its function, so it is tested. The host gives samples,
// points where the function is smooth. There derivatives are compared with differences of the
// function or derivative below them: central differences with shrinking steps, extrapolated to a
// step of 0 (Ridders), which are accurate to about 1e-9. An enclosure of a point, and one of a
// small box around it, must contain the function and its derivatives at the point.
//
// A derivative may be right at the samples and wrong elsewhere. So it is also compared where
// programs use it, on a schedule (loop.Schedule). There the function may have a kink or a jump
// that the host knows about, and differences across it say nothing. So the derivative is reported
// as wrong only if the differences on both sides of the point agree with each other, at several
// steps, and disagree with it.

// agreement is the relative error up to which a derivative agrees with the differences.
const agreement = 1e-6

// compare tests everything that the host says about the primitive at a point.
func (p *Primitive) compare(x []float64) *diag.Diagnostic {
	zero := make([]int64, len(x))
	if y := p.at(zero, x); math.IsNaN(y) || math.IsInf(y, 0) {
		return p.wrong(x, "the function is %v", y)
	}
	if d := p.compareEnclosure(zero, x); d != nil || p.Grad == nil {
		return d
	}
	for i := range x {
		first := raised(zero, i)
		if d := p.compareDerivative(zero, x, i); d != nil {
			return d
		}
		if d := p.compareEnclosure(first, x); d != nil {
			return d
		}
		for j := i; j < len(x) && p.Higher != nil; j++ {
			if d := p.compareDerivative(first, x, j); d != nil {
				return d
			}
			// Higher need not have it: then it is NaN
			if d := p.compareUsed(raised(raised(first, j), j), x); d != nil {
				return d
			}
		}
	}
	return nil
}

// float evaluates the function or a derivative for a program. If a derivative is due for
// comparison and is wrong, it ends the program's run.
func (p *Primitive) float(orders []int64, x []float64) float64 {
	if slices.Max(orders) > 0 && p.due(orders, x) {
		if d := p.compareUsed(orders, x); d != nil {
			panic(&stop.Reached{Why: d})
		}
	}
	return p.at(orders, x)
}

// primitiveArgument is the parameter list by which the schedule compares uses of a derivative.
var primitiveArgument = []*loop.Var{loop.NewVar("x", loop.F64s)}

// due counts a use of a derivative and reports whether to compare it.
func (p *Primitive) due(orders []int64, x []float64) bool {
	key := make([]byte, 0, 16)
	for _, n := range orders {
		key = append(key, byte(n))
	}
	p.comparing.Lock()
	defer p.comparing.Unlock()
	s := p.uses[string(key)]
	if s == nil {
		if p.uses == nil {
			p.uses = map[string]*loop.Schedule{}
		}
		s = &loop.Schedule{}
		p.uses[string(key)] = s
	}
	return s.Due(primitiveArgument, []loop.Arg{{F: x}})
}

// compareUsed compares a derivative with differences of the derivative below it, at a point where
// the function need not be smooth.
func (p *Primitive) compareUsed(orders []int64, x []float64) *diag.Diagnostic {
	given := p.at(orders, x)
	if given-given != 0 {
		return nil // if it matters, the code that differentiates reports it
	}
	i := len(orders) - 1
	for orders[i] == 0 {
		i--
	}
	below := slices.Clone(orders)
	below[i]--
	at := slices.Clone(x)
	f := func(xi float64) float64 {
		at[i] = xi
		return p.at(below, at)
	}
	found, off := ridders(f, x[i])
	y := f(x[i])
	scale := math.Max(math.Abs(found), math.Max(math.Abs(given), math.Abs(y)))
	apart := math.Abs(given - found)
	if !(apart > 100*agreement*scale+4*off) {
		return nil
	}
	for _, by := range []float64{1e-3, 1e-4, 1e-5} {
		h := by * math.Max(math.Abs(x[i]), 1e-2)
		up, down := (f(x[i]+h)-y)/h, (y-f(x[i]-h))/h
		if rounding := 0x1p-50 * math.Abs(y) / h; !(math.Abs(up-down)+rounding < 0.1*math.Abs(
			up-given)) {
			return nil
		}
	}
	d := p.wrong(x, "the derivative by `%s` is given as %v, and differences give %.6g", p.Params[i],
		given, found)
	if slices.Max(orders) > 1 || len(slices.DeleteFunc(slices.Clone(orders), func(n int64) bool {
		return n == 0
	})) > 1 {
		d.WithHint("it is the one of orders %v", orders)
	}
	return d
}

func raised(orders []int64, i int) []int64 {
	out := slices.Clone(orders)
	out[i]++
	return out
}

// compareDerivative compares the derivative of one order more in argument i with differences.
func (p *Primitive) compareDerivative(orders []int64, x []float64, i int) *diag.Diagnostic {
	given := p.at(raised(orders, i), x)
	at := slices.Clone(x)
	found, off := ridders(func(xi float64) float64 {
		at[i] = xi
		return p.at(orders, at)
	}, x[i])
	scale := math.Max(math.Abs(found), math.Max(math.Abs(given), math.Abs(p.at(orders, x))))
	switch {
	case math.IsNaN(given) || math.IsInf(given, 0):
		return p.wrong(x, "the derivative by `%s` is %v", p.Params[i], given)
	case !(off <= 1e-3*math.Max(scale, 1e-300)):
		return p.wrong(x,
			"the derivative by `%s` cannot be compared with differences of the function",
			p.Params[i]).
			WithHint("give samples at which the function is smooth")
	case math.Abs(given-found) > agreement*math.Max(scale, 1e-300)+4*off:
		return p.wrong(x, "the derivative by `%s` is given as %v, and differences give %.9g",
			p.Params[i], given, found)
	}
	return nil
}

// ridders returns the derivative of f at x, with an estimate of its error.
func ridders(f func(float64) float64, x float64) (best, off float64) {
	const rows, shrink = 12, 1.6
	h := 0.05 * math.Max(math.Abs(x), 1e-2)
	var a [rows][rows]float64
	off = math.Inf(1)
	for i := range rows {
		up, down := x+h, x-h
		a[0][i] = (f(up) - f(down)) / (up - down)
		factor := shrink * shrink
		for j := 1; j <= i; j++ {
			a[j][i] = (a[j-1][i]*factor - a[j-1][i-1]) / (factor - 1)
			factor *= shrink * shrink
			e := math.Max(math.Abs(a[j][i]-a[j-1][i]), math.Abs(a[j][i]-a[j-1][i-1]))
			if e <= off {
				best, off = a[j][i], e
			}
		}
		h /= shrink
	}
	return best, off
}

// compareEnclosure compares the enclosures around a point with the function there.
func (p *Primitive) compareEnclosure(orders []int64, x []float64) *diag.Diagnostic {
	if p.Enclose == nil {
		return nil
	}
	y := p.at(orders, x)
	slack := big.NewFloat(1e-9 * math.Max(math.Abs(y), 1e-6)) // the function rounds
	for _, by := range []float64{0, 1e-3} {
		box := make([]Ends, len(x))
		for i, xi := range x {
			wide := by * math.Max(math.Abs(xi), 1e-3)
			box[i] = Ends{big.NewFloat(xi - wide), big.NewFloat(xi + wide)}
		}
		set, ok := p.enclose(small(orders), box)
		if !ok {
			continue // without finite ends it claims nothing
		}
		lo, hi := new(big.Float).Sub(set.Lo, slack), new(big.Float).Add(set.Hi, slack)
		if at := big.NewFloat(y); at.Cmp(lo) < 0 || at.Cmp(hi) > 0 {
			return p.wrong(x, "the enclosure [%.17g, %.17g] misses the value %v", set.Lo, set.Hi, y)
		}
	}
	return nil
}

// wrong returns the diagnostic for a primitive that fails at a sample.
func (p *Primitive) wrong(x []float64, format string, args ...any) *diag.Diagnostic {
	d := misfit(format, args...)
	d.Code = diag.WrongRule
	var point []string
	for i, xi := range x {
		point = append(point, p.Params[i]+" = "+big.NewFloat(xi).Text('g', -1))
	}
	d.Message = "the primitive `" + p.Name + "`, at " + strings.Join(point, ", ") + ": " + d.Message
	return d
}
