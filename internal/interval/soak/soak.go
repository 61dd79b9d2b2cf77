// Package soak tests the double tier of interval arithmetic against the multi-precision tier, at
// random and in volume.
//
// It is given an operation and a number of points. At each point it evaluates the operation in
// multi-precision, on four nested random intervals around the point, and as a kernel's unrounded
// value. It reports values outside an interval, results that are not nested (inclusion
// isotonicity, which ends that are not tightest may break by one double), unrounded errors beyond
// the stated budget, and how much wider than tightest the intervals of single points are. It must
// not know how either tier works.
package soak

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Stats is the result of a run.
type Stats struct {
	Points   int     // points with a reference value
	Checks   int     // containment checks: points times intervals around them
	Ends     int     // ends of single-point results compared with tightest
	Tight    int     // of these, the tightest
	Excess   float64 // doubles by which they are wider, in sum
	Worst    float64 // the greatest such number
	WorstAt  [3]float64
	Budget   float64 // largest unrounded error, as a fraction of what is allowed
	Unnested int     // results that stick out of the result on a larger interval
	Failures []string
}

// Merge adds the findings of t to s.
func (s *Stats) Merge(t Stats) {
	s.Points += t.Points
	s.Checks += t.Checks
	s.Ends += t.Ends
	s.Tight += t.Tight
	s.Excess += t.Excess
	if t.Worst > s.Worst {
		s.Worst, s.WorstAt = t.Worst, t.WorstAt
	}
	s.Unnested += t.Unnested
	s.Budget = math.Max(s.Budget, t.Budget)
	s.Failures = append(s.Failures, t.Failures...)
}

// maxFailures bounds the list; a broken operation fails everywhere.
const maxFailures = 10

func (s *Stats) fail(format string, args ...any) {
	if len(s.Failures) < maxFailures {
		s.Failures = append(s.Failures, fmt.Sprintf(format, args...))
	}
}

// refBits is the precision of references. It is far above the 53 bits of an
// end and the 106 of an unrounded value, so that a reference is nearly always
// decisive; where its own enclosure straddles a double it is evaluated again
// with more.
const refBits = 150

// morePrecise lists the precisions to try when refBits does not decide. Sums
// and products of doubles are exact with 4,400 bits.
func (op *Op) morePrecise() []uint {
	if op.Val == nil {
		return exactBits[:]
	}
	return exactBits[:1]
}

var exactBits = [...]uint{8 * refBits, 4400}

// Run draws n points for op.
func Run(op *Op, n int, seed uint64) Stats {
	var s Stats
	r := rand.New(rand.NewPCG(seed, 0x1788))
	var b [3]*ball.Ball
	for i := range b {
		b[i] = ball.New()
	}
	ref, diff, tmp := ball.New(), ball.New(), ball.New()
	for range n {
		p := op.Draw(r)
		for i := range op.Arity {
			b[i].SetFloat64(p[i])
		}
		op.Ref(ref, b[0], b[1], b[2], refBits)
		if ref.IsEmpty() || ref.IsWhole() {
			continue
		}
		lo, hi := ref.Float64s()
		for _, prec := range op.morePrecise() {
			if hi == lo || hi == math.Nextafter(lo, hi) {
				break
			}
			// Not decisive: the enclosure straddles a double.
			op.Ref(ref, b[0], b[1], b[2], prec)
			lo, hi = ref.Float64s()
		}
		s.Points++
		op.intervals(&s, r, p, interval.Interval{Lo: lo, Hi: hi})
		if op.Val == nil || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			continue
		}
		v := op.Val(p[0], p[1])
		if v.K > 1100 || v.K < -1100 {
			continue // beyond the range of doubles: only the ends matter
		}
		diff.Mul2(ref, int64(-v.K))
		diff.Sub(diff, tmp.SetFloat64(v.H), 4*refBits)
		diff.Sub(diff, tmp.SetFloat64(v.L), 4*refBits)
		a, c := diff.Float64s()
		miss := math.Max(math.Abs(a), math.Abs(c))
		allowed := v.E / 2
		if v.L+v.E == 0 || v.L-v.E == 0 {
			allowed = v.E // an exact one-sided enclosure
		}
		// The reference has an error of its own, below 2^-140 of it, and the
		// difference was rounded outward.
		miss -= miss*0x1p-50 + (math.Abs(v.H)+math.Abs(v.L))*0x1p-140
		switch {
		case miss <= 0:
		case miss > allowed:
			s.fail("%s at %x: unrounded value {%x %x} is %.3g of its budget off", op.Name,
				p[:op.Arity], v.H, v.L, miss/allowed)
		case allowed == v.E/2:
			s.Budget = math.Max(s.Budget, miss/allowed)
		}
	}
	return s
}

// intervals evaluates op on four nested intervals around p; tight is the
// tightest enclosure of the true value at p.
func (op *Op) intervals(s *Stats, r *rand.Rand, p [3]float64, tight interval.Interval) {
	var x [3]interval.Interval
	for i := range op.Arity {
		x[i] = interval.Interval{Lo: p[i], Hi: p[i]}
	}
	// A value too near a double to tell on which side it lies: then every
	// enclosure contains that double.
	value := tight
	if tight.Lo != tight.Hi && math.Nextafter(tight.Lo, tight.Hi) != tight.Hi {
		value = interval.Interval{Lo: math.Nextafter(tight.Lo, tight.Hi),
			Hi: math.Nextafter(tight.Hi, tight.Lo)}
	}
	inner := interval.Empty()
	for k := range 4 {
		y := op.On(x[0], x[1], x[2])
		s.Checks++
		if !value.Subset(y) {
			s.fail("%s on %s = %s misses the value in %s at %x", op.Name, hex(x[:op.Arity]...),
				hex(y), hex(value), p[:op.Arity])
		}
		if !inner.Subset(y) {
			s.Unnested++
		}
		if steps(inner.Lo, y.Lo) > op.Slack || steps(y.Hi, inner.Hi) > op.Slack ||
			(y.IsEmpty() && !inner.IsEmpty()) {
			s.fail("%s on %s = %s does not contain %s, its value on a part", op.Name,
				hex(x[:op.Arity]...), hex(y), hex(inner))
		}
		if k == 0 {
			s.sharpness(y, tight, p, op.Slack, op.Name)
		}
		inner = y
		for i := range op.Arity {
			x[i] = widen(r, x[i])
		}
	}
}

func (s *Stats) sharpness(y, tight interval.Interval, p [3]float64, slack float64, name string) {
	for _, d := range [2]float64{steps(y.Lo, tight.Lo), steps(tight.Hi, y.Hi)} {
		s.Ends++
		s.Excess += d
		if d == 0 {
			s.Tight++
		}
		if d > s.Worst {
			s.Worst, s.WorstAt = d, p
		}
		if d > slack {
			s.fail("%s at %x: an end is %g doubles from tightest: %s, %s", name, p, d, hex(y),
				hex(tight))
		}
	}
}

// hex writes ends exactly.
func hex(x ...interval.Interval) string {
	s := ""
	for _, v := range x {
		s += fmt.Sprintf("[%x, %x] ", v.Lo, v.Hi)
	}
	return s[:len(s)-1]
}

// widen moves both ends of x outward by random amounts of any size.
func widen(r *rand.Rand, x interval.Interval) interval.Interval {
	return interval.Interval{Lo: -outward(r, -x.Lo), Hi: outward(r, x.Hi)}
}

func outward(r *rand.Rand, x float64) float64 {
	switch r.IntN(8) {
	case 0:
		return x
	case 1:
		return math.Min(math.MaxFloat64, math.Nextafter(x, math.Inf(1)))
	case 2, 3:
		return math.Min(math.MaxFloat64, x+math.Abs(x)*math.Ldexp(r.Float64(), -r.IntN(60)))
	case 4, 5, 6:
		return math.Min(math.MaxFloat64, x+math.Ldexp(r.Float64(), r.IntN(20)-10))
	}
	return math.Max(x, drawAny(r))
}

// steps counts doubles from a to b, zero unless a < b.
func steps(a, b float64) float64 {
	if !(a < b) {
		return 0
	}
	return float64(key(b) - key(a))
}

func key(x float64) int64 {
	t := int64(math.Float64bits(x))
	if t < 0 {
		t = math.MinInt64 - t
	}
	return t
}
