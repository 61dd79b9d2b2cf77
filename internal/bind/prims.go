package bind

import (
	"math"
	"math/big"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Primitive is a Go function of reals that programs may call, with its derivatives and
// enclosures.
type Primitive struct {
	Name    string
	Params  []string
	Doc     string
	Func    func(x []float64) float64
	Grad    func(grad, x []float64)
	Higher  func(orders []int, x []float64) float64
	Enclose func(orders []int, x []Ends) Ends
	Samples [][]float64

	comparing sync.Mutex
	// uses of each derivative, by its orders; guarded by comparing
	uses map[string]*loop.Schedule
}

// Ends holds the ends of an interval.
type Ends struct{ Lo, Hi *big.Float }

// Row returns the primitive as a row of the table, if it passes the comparisons of Note
// [Comparing primitives].
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

// report is deferred where a function of the host is called. If the function panics, the
// program's call ends with an error; the code that began the call catches it (stop.Catch).
func (p *Primitive) report() {
	if r := recover(); r != nil {
		panic(&stop.Reached{Why: misfit("the primitive `%s` has panicked: %v", p.Name, r)})
	}
}

// at evaluates the function or a derivative. A derivative that is not known is NaN, which the
// code that differentiates reports. The host may keep and change the numbers that it is given.
func (p *Primitive) at(orders []int64, x []float64) float64 {
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
		box[i].Lo, box[i].Hi = exact.Ends(jet.OfInterval(set))
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
		box[i].Lo, box[i].Hi = exact.Ends(jet.OfBall(set))
		for _, end := range []*big.Float{box[i].Lo, box[i].Hi} {
			if !end.IsInf() && end.Prec() < prec {
				// the host computes with the precision of the ends
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

// enclose returns the enclosure that the host computes, if it is a valid one with finite ends.
func (p *Primitive) enclose(orders []int, box []Ends) (Ends, bool) {
	defer p.report()
	set := p.Enclose(orders, box)
	return set, set.Lo != nil && set.Hi != nil && !set.Lo.IsInf() && !set.Hi.IsInf() &&
		set.Lo.Cmp(set.Hi) <= 0
}
