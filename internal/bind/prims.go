package bind

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Primitive is a Go function of reals that programs may call, with what is known of it.
type Primitive struct {
	Name    string
	Params  []string
	Doc     string
	Func    func(x []float64) float64
	Grad    func(grad, x []float64)
	Higher  func(orders []int, x []float64) float64
	Enclose func(orders []int, x []Ends) Ends
	Samples [][]float64
}

// Ends are the ends of an interval.
type Ends struct{ Lo, Hi *big.Float }

// Row is the primitive as a row, if it passes the comparisons of Note [Comparing primitives].
func (p *Primitive) Row() (row *prim.Prim, d *diag.Diagnostic) {
	defer stop.Catch(&d)
	for _, name := range append([]string{p.Name}, p.Params...) {
		if first, _ := utf8.DecodeRuneInString(name); !isName(name) || 'A' <= first &&
			first <= 'Z' {
			return nil, misfit("`%s` is not a name for a primitive or its parameter", name)
		}
	}
	switch {
	case len(p.Params) == 0 || p.Func == nil:
		return nil, misfit("the primitive `%s` needs names of parameters and a function", p.Name)
	case p.Higher != nil && p.Grad == nil:
		return nil, misfit("the primitive `%s` has Higher, and lacks Grad", p.Name)
	case len(p.Samples) == 0:
		return nil, misfit("the primitive `%s` has no samples", p.Name).
			WithHint("its derivative is compared with the function at the samples")
	}
	for i, name := range p.Params {
		if slices.Contains(p.Params[:i], name) {
			return nil, misfit("two parameters of the primitive `%s` are called `%s`", p.Name, name)
		}
	}
	for _, x := range p.Samples {
		if len(x) != len(p.Params) {
			return nil, misfit("a sample of the primitive `%s` has %d numbers for %d parameters",
				p.Name, len(x), len(p.Params))
		}
		for _, xi := range x {
			if math.IsNaN(xi) || math.IsInf(xi, 0) {
				return nil, misfit("a sample of the primitive `%s` has the number %v", p.Name, xi)
			}
		}
		if d := p.compare(x); d != nil {
			return nil, d
		}
	}
	orders := 0
	switch {
	case p.Grad == nil:
		orders = 1
	case p.Higher == nil:
		orders = 2
	}
	return prim.Host(p.Name, p.Params, p.Doc, orders, p.float,
		tier.FunFamily{Double: p.double, Multi: p.multi}), nil
}

func isName(name string) bool {
	if name == "" {
		return false
	}
	for i, r := range name {
		if i == 0 && !notation.StartsName(r) || !notation.ContinuesName(r) {
			return false
		}
	}
	return true
}

// report is deferred where a function of the host is called. If that panics, the call of the program
// ends with an error: whoever begins one catches it (stop.Catch).
func (p *Primitive) report() {
	if r := recover(); r != nil {
		panic(&stop.Reached{Why: misfit("the primitive `%s` has panicked: %v", p.Name, r)})
	}
}

// float is the function or a derivative. One that is not known is NaN, which whoever differentiates
// reports. The host may keep and change the numbers that it is given.
func (p *Primitive) float(orders []int64, x []float64) float64 {
	defer p.report()
	x = slices.Clone(x)
	total, last := 0, 0
	for i, n := range orders {
		if total += int(n); n > 0 {
			last = i
		}
	}
	switch {
	case total == 0:
		return p.Func(x)
	case total == 1 && p.Grad != nil:
		grad := make([]float64, len(x))
		p.Grad(grad, x)
		return grad[last]
	case total > 1 && p.Higher != nil:
		return p.Higher(small(orders), x)
	}
	return math.NaN()
}

func small(orders []int64) []int {
	out := make([]int, len(orders))
	for i, n := range orders {
		out[i] = int(n)
	}
	return out
}

func (p *Primitive) double(orders []int64, x []interval.Interval) interval.Interval {
	if p.Enclose == nil {
		return interval.Entire()
	}
	box := make([]Ends, len(x))
	for i, set := range x {
		if set.IsEmpty() {
			return interval.Empty()
		}
		box[i].Lo, box[i].Hi = exact.Ends(set)
	}
	set, ok := p.enclose(small(orders), box)
	if !ok {
		return interval.Entire()
	}
	return interval.Interval{Lo: exact.Outward(set.Lo, -1), Hi: exact.Outward(set.Hi, 1)}
}

func (p *Primitive) multi(orders []int64, x []*ball.Ball, prec uint) *ball.Ball {
	if p.Enclose == nil {
		return new(ball.Ball).SetWhole()
	}
	box := make([]Ends, len(x))
	for i, set := range x {
		if set.IsEmpty() {
			return new(ball.Ball).SetEmpty()
		}
		box[i].Lo, box[i].Hi = exact.Ends(set)
		for _, end := range []*big.Float{box[i].Lo, box[i].Hi} {
			if !end.IsInf() && end.Prec() < prec {
				// what the host computes with the ends has the precision that is asked for
				end.SetPrec(prec)
			}
		}
	}
	set, ok := p.enclose(small(orders), box)
	if !ok {
		return new(ball.Ball).SetWhole()
	}
	return new(ball.Ball).SetEnds(new(ball.Ball).SetFloat(set.Lo), new(ball.Ball).SetFloat(set.Hi),
		prec)
}

// enclose is the enclosure that the host gives, if it is one with finite ends.
func (p *Primitive) enclose(orders []int, box []Ends) (Ends, bool) {
	defer p.report()
	set := p.Enclose(orders, box)
	return set, set.Lo != nil && set.Hi != nil && !set.Lo.IsInf() && !set.Hi.IsInf() &&
		set.Lo.Cmp(set.Hi) <= 0
}

// Note [Comparing primitives]
//
// Nothing proves what a host says of its function, so it is compared where the host says that the
// function is usual: at the samples. Derivatives are compared with differences of what they are the
// derivatives of: central ones with shrinking steps, extrapolated to a step of 0 (Ridders), which
// are right to about 1e-9. An enclosure of a point, and of a small box around it, must contain what
// the function and its derivatives are there.

// agreement is how far, relative to its size, a derivative may be from the differences.
const agreement = 1e-6

// compare compares what is known of the primitive at a point.
func (p *Primitive) compare(x []float64) *diag.Diagnostic {
	zero := make([]int64, len(x))
	if y := p.float(zero, x); math.IsNaN(y) || math.IsInf(y, 0) {
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
		}
	}
	return nil
}

func raised(orders []int64, i int) []int64 {
	out := slices.Clone(orders)
	out[i]++
	return out
}

// compareDerivative compares the derivative of order one more in argument i with differences.
func (p *Primitive) compareDerivative(orders []int64, x []float64, i int) *diag.Diagnostic {
	given := p.float(raised(orders, i), x)
	at := slices.Clone(x)
	found, off := ridders(func(xi float64) float64 {
		at[i] = xi
		return p.float(orders, at)
	}, x[i])
	scale := math.Max(math.Abs(found), math.Max(math.Abs(given), math.Abs(p.float(orders, x))))
	switch {
	case math.IsNaN(given) || math.IsInf(given, 0):
		return p.wrong(x, "the derivative by `%s` is %v", p.Params[i], given)
	case !(off <= 1e-3*math.Max(scale, 1e-300)):
		return p.wrong(x,
			"the derivative by `%s` cannot be compared with differences of the function", p.Params[i]).
			WithHint("give samples at which the function is smooth")
	case math.Abs(given-found) > agreement*math.Max(scale, 1e-300)+4*off:
		return p.wrong(x, "the derivative by `%s` is given as %v, and differences give %.9g",
			p.Params[i], given, found)
	}
	return nil
}

// ridders is the derivative of f at x, with an estimate of its error.
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
	y := p.float(orders, x)
	slack := big.NewFloat(1e-9 * math.Max(math.Abs(y), 1e-6)) // the function rounds
	for _, by := range []float64{0, 1e-3} {
		box := make([]Ends, len(x))
		for i, xi := range x {
			wide := by * math.Max(math.Abs(xi), 1e-3)
			box[i] = Ends{big.NewFloat(xi - wide), big.NewFloat(xi + wide)}
		}
		set, ok := p.enclose(small(orders), box)
		if !ok {
			continue // which says nothing
		}
		lo, hi := new(big.Float).Sub(set.Lo, slack), new(big.Float).Add(set.Hi, slack)
		if at := big.NewFloat(y); at.Cmp(lo) < 0 || at.Cmp(hi) > 0 {
			return p.wrong(x, "the enclosure [%.17g, %.17g] misses the value %v", set.Lo, set.Hi, y)
		}
	}
	return nil
}

// wrong says that something is the matter at a sample.
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
