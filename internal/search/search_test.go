package search

import (
	"math"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// plain is a problem without variables, on numbers only.
type plain struct {
	row      prim.ID
	bounds   []float64
	f, slope func(x float64) float64
}

func (p *plain) Row() prim.ID                                             { return p.row }
func (p *plain) Place() diag.Span                                         { return diag.Span{} }
func (p *plain) Bounds() []float64                                        { return p.bounds }
func (p *plain) Value(x float64) (float64, error)                         { return p.f(x), nil }
func (p *plain) Slope(x float64) (float64, error)                         { return p.slope(x), nil }
func (p *plain) Varying(exact.Builder) ([]float64, int, *diag.Diagnostic) { return nil, 0, nil }
func (p *plain) Build(exact.Builder) (any, exact.Slots, *diag.Diagnostic) {
	panic("nothing is certified here")
}
func (p *plain) Core() *core.Program                                    { return &core.Program{} }
func (p *plain) Define(exact.Builder, map[string]bool) *diag.Diagnostic { return nil }
func (p *plain) Stop() error                                            { return nil }
func (p *plain) Watch() *stop.Watch                                     { return nil }

// TestUnguardedValues: each primitive has its heuristic.
func TestUnguardedValues(t *testing.T) {
	wave := func(x float64) float64 { return math.Cos(x) - x }
	fall := func(x float64) float64 { return -math.Sin(x) - 1 }
	const fixed = 0.7390851332151607 // cos x = x
	for _, c := range []struct {
		plain
		want float64
	}{
		{plain{prim.Integral, []float64{0, 1}, wave, fall}, math.Sin(1) - 0.5},
		{plain{prim.Integral, []float64{1, 0}, wave, fall}, 0.5 - math.Sin(1)},
		{plain{prim.Integral, []float64{2, 2}, wave, fall}, 0},
		{plain{prim.IntegralFrom, []float64{1}, func(x float64) float64 { return math.Exp(-x) }, nil}, math.Exp(-1)},
		{plain{prim.Root, []float64{2, 0}, wave, fall}, fixed},
		{plain{prim.CutRoot, nil, wave, fall}, fixed},
		{plain{prim.FirstRoot, nil, wave, fall}, fixed},
		{plain{prim.MaxOver, []float64{-1, 1}, wave, fall}, math.Cos(1) + 1},
		{plain{prim.ArgmaxOver, []float64{-1, 1}, wave, fall}, -1},
	} {
		found, d := New(&c.plain, true).Run(&c.plain)
		if d != nil || math.Abs(found.Value-c.want) > 1e-12 || found.Series != nil {
			t.Errorf("%s: %v, want %v (%v)", c.row, found.Value, c.want, d)
		}
	}
	p := &plain{prim.Crosses, nil, wave, fall}
	if found, d := New(p, true).Run(p); d != nil || !found.Yes {
		t.Error(found, d)
	}
}

// TestEstimatesAreBounded: an estimate that is to be certified ends, whatever the integrand does,
// and still has a size.
func TestEstimatesAreBounded(t *testing.T) {
	evals := 0
	noise := func(x float64) float64 {
		evals++
		return math.Mod(float64(evals)*math.Pi, 1) - 0.5
	}
	p := &plain{prim.Integral, []float64{0, 1}, noise, nil}
	r := &run{Searcher: New(p, false), problem: p}
	r.depth = 1
	if e, d := r.quadrature(); d != nil || evals > mostCalls || !(e.size > 0.1 && e.size < 1) {
		t.Errorf("%v after %d points (%v)", e, evals, d)
	}
}

// one is a size.
func one(float64) float64 { return 1 }

// TestSeries: derivatives of a Taylor series are those of its polynomial.
func TestSeries(t *testing.T) {
	point := func(x float64) interval.Interval { return interval.Point(x) }
	p := &Series{} // 7 + 2 x + 5 x² y
	p.addAll([]int{0, 1}, []exact.Coefficient{
		{Powers: []int{0, 0}, Set: point(7), Known: true},
		{Powers: []int{1, 0}, Set: point(2), Known: true},
		{Powers: []int{2, 1}, Set: point(5), Known: true},
	}, nil)
	if d := p.settle(math.NaN(), guardAccepts, one); d != nil {
		t.Fatal(d)
	}
	for _, c := range []struct {
		by   []int
		want float64
		some bool
	}{{nil, 7, true}, {[]int{0}, 2, true}, {[]int{1}, 0, false}, {[]int{0, 1, 0}, 10, true}, {[]int{0, 0, 0}, 0, false}} {
		q := p
		for _, k := range c.by {
			q = q.By(k)
		}
		if got, some, wrong := q.Value(); got != c.want || some != c.some || wrong != nil {
			t.Errorf("by %v: %v %v %v", c.by, got, some, wrong)
		}
	}
	wide, _ := interval.New(0, 1)
	q := &Series{terms: []term{{set: wide, known: true}}}
	if q.settle(0.5, guardAccepts, one) == nil || q.settle(0.5, math.Inf(1), one) != nil {
		t.Error("a wide value is accepted if and only if any width is")
	}
}

// TestGroups: every derivative of an order is by the variables of some group.
func TestGroups(t *testing.T) {
	if list := groups(60, 60); len(list) != 1 || len(list[0]) != 60 { // not all subsets are visited
		t.Errorf("all of 60 variables are %v", list)
	}
	for n := range 6 {
		for order := 1; order <= 3; order++ {
			list := groups(n, order)
			for a := range n {
				for b := range n {
					for c := range n {
						of := []int{a, b, c}[:order]
						if !slices.ContainsFunc(list, func(by []int) bool {
							return !slices.ContainsFunc(of, func(k int) bool { return !slices.Contains(by, k) })
						}) {
							t.Errorf("%d variables: no group has %v", n, of)
						}
					}
				}
			}
		}
	}
}
