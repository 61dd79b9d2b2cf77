package driver

import (
	"math"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// The tests of the module `random` draw with fixed seeds, so that they give the
// same answer each time; a sound generator would fail one with a fresh seed
// less often than once in 10^6 runs.

// valueOf evaluates an expression that may use any module of the library.
func valueOf(t *testing.T, expr string) value.Value {
	t.Helper()
	v, d := onFloats(t, expr)
	if d != nil {
		t.Fatal(d)
	}
	return v
}

// chiSquare checks counts against equal likelihood: the statistic of k counts
// has mean k - 1 and variance 2 (k - 1), and is nearly normal where k is large;
// with few, Laurent and Massart's bound holds all the same.
func chiSquare(t *testing.T, counts []int) {
	t.Helper()
	total := 0
	for _, c := range counts {
		total += c
	}
	expected := float64(total) / float64(len(counts))
	statistic := 0.0
	for _, c := range counts {
		statistic += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	const x = 14 // e^-14 < 10^-6
	free := float64(len(counts) - 1)
	if low, high := free-2*math.Sqrt(free*x), free+2*math.Sqrt(free*x)+2*x; statistic < low || statistic > high {
		t.Errorf("chi-square %.1f of %d counts, not within [%.1f, %.1f]", statistic, len(counts), low, high)
	}
}

// kolmogorov checks a sample against a distribution function: the largest
// difference exceeds 2.7 / sqrt n with a probability below 10^-6.
func kolmogorov(t *testing.T, sample []float64, distribution func(float64) float64) {
	t.Helper()
	xs := slices.Clone(sample)
	slices.Sort(xs)
	n := float64(len(xs))
	largest := 0.0
	for i, x := range xs {
		p := distribution(x)
		largest = max(largest, p-float64(i)/n, float64(i+1)/n-p)
	}
	if largest > 2.7/math.Sqrt(n) {
		t.Errorf("the distribution is off by %.5f with %d numbers", largest, len(xs))
	}
}

func TestRandomDistributions(t *testing.T) {
	const n = "100000"
	for name, c := range map[string]struct {
		expr         string
		distribution func(float64) float64
	}{
		"uniforms": {"random.uniforms " + n + " (random.key 1)", func(x float64) float64 { return x }},
		"betweens": {"random.betweens (-1) 3 " + n + " (random.key 2)", func(x float64) float64 { return (x + 1) / 4 }},
		"normals":  {"random.normals " + n + " (random.key 3)", func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }},
		// One number a key: what splitting gives is as good as what drawing gives.
		"splits":      {"map random.uniform (random.splits " + n + " (random.key 4))", func(x float64) float64 { return x }},
		"seeds":       {"[random.uniform (random.key i) for i < " + n + "]", func(x float64) float64 { return x }},
		"exponential": {"map random.exponential (random.splits " + n + " (random.key 5))", func(x float64) float64 { return -math.Expm1(-x) }},
		"normal":      {"map random.normal (random.splits " + n + " (random.key 6))", func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }},
		// A key split again and again, always to the left.
		"chain": {"map random.uniform (scan (fun k _ => fst (random.split k)) (random.key 7) (iota " + n + "))", func(x float64) float64 { return x }},
	} {
		t.Run(name, func(t *testing.T) {
			kolmogorov(t, valueOf(t, c.expr).(value.Reals), c.distribution)
		})
	}
}

func TestRandomIntegers(t *testing.T) {
	for name, c := range map[string]struct {
		expr string
		n    int
	}{
		"six":      {"random.integers 6 60000 (random.key 1)", 6},
		"thousand": {"random.integers 1000 200000 (random.key 2)", 1000},
		"choices":  {"random.choices 50000 (iota 10) (random.key 3)", 10},
		"below":    {"[random.below 7 k for k in random.splits 50000 (random.key 4)]", 7},
		// Three quarters of the words are accepted: without the rejection the
		// lower third would come twice as often as the others.
		"large": {"let third = 2^61 in [div x third for x in random.integers (3 * third) 60000 (random.key 5)]", 3},
		// Which of six orders each of many shuffles has.
		"shuffles": {"[(fun p => 2 * p[0] + (if p[1] < p[2] then 0 else 1)) (random.permutation 3 k) for k in random.splits 60000 (random.key 6)]", 6},
		// Where the first element of an array goes.
		"places": {"[(random.shuffle (iota 20) k)[0] for k in random.splits 40000 (random.key 7)]", 20},
		"sample": {"[(random.sample 3 (iota 10) k)[2] for k in random.splits 40000 (random.key 8)]", 10},
		"chance": {"[if random.chance 0.5 k then (1 : Int) else 0 for k in random.splits 40000 (random.key 9)]", 2},
	} {
		t.Run(name, func(t *testing.T) {
			counts := make([]int, c.n)
			for _, x := range valueOf(t, c.expr).(value.Ints) {
				if x < 0 || int(x) >= c.n {
					t.Fatalf("%d is out of range", x)
				}
				counts[x]++
			}
			chiSquare(t, counts)
		})
	}
}

// TestRandomWeighted draws with weights: none with weight 0, the others in
// proportion.
func TestRandomWeighted(t *testing.T) {
	const n = 80000
	drawn := valueOf(t, "[random.weighted [0, 1, 0, 3, 0] k for k in random.splits 80000 (random.key 1)]").(value.Ints)
	ones := 0
	for _, x := range drawn {
		switch x {
		case 1:
			ones++
		case 3:
		default:
			t.Fatalf("%d has no weight", x)
		}
	}
	if deviation := (float64(ones) - n/4.) / math.Sqrt(n*3./16); math.Abs(deviation) > 5 {
		t.Errorf("%.1f standard deviations off", deviation)
	}
}

// TestRandomIndependence correlates streams that share what a weak generator
// would show: neighbours of one key, and the same positions of related keys.
func TestRandomIndependence(t *testing.T) {
	const n = 100000
	for name, pair := range map[string][2]string{
		"neighbours":       {"(random.uniforms 100001 (random.key 1))[0:100000]", "(random.uniforms 100001 (random.key 1))[1:100001]"},
		"split":            {"random.uniforms 100000 (fst (random.split (random.key 1)))", "random.uniforms 100000 (snd (random.split (random.key 1)))"},
		"parent and child": {"random.uniforms 100000 (random.key 1)", "random.uniforms 100000 (random.child 0 (random.key 1))"},
		"words and keys":   {"random.uniforms 100000 (random.key 1)", "map random.uniform (random.splits 100000 (random.key 1))"},
		"seeds":            {"random.uniforms 100000 (random.key 1)", "random.uniforms 100000 (random.key 2)"},
		"normals":          {"(random.normals 100001 (random.key 1))[0:100000]", "(random.normals 100001 (random.key 1))[1:100001]"},
		"squares":          {"[x^2 for x in (random.normals 100001 (random.key 1))[0:100000]]", "[x^2 for x in (random.normals 100001 (random.key 1))[1:100001]]"},
	} {
		t.Run(name, func(t *testing.T) {
			xs, ys := valueOf(t, pair[0]).(value.Reals), valueOf(t, pair[1]).(value.Reals)
			if r := correlation(xs, ys); math.Abs(r) > 5/math.Sqrt(n) {
				t.Errorf("correlation %.5f", r)
			}
		})
	}
}

func correlation(xs, ys []float64) float64 {
	n := float64(len(xs))
	var sx, sy, sxx, syy, sxy float64
	for i, x := range xs {
		y := ys[i]
		sx, sy, sxx, syy, sxy = sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
	}
	return (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
}

// TestRandomBits looks at each of the 53 digits of the uniform numbers, and at
// the pairs of neighbouring numbers in 64 by 64 cells.
func TestRandomBits(t *testing.T) {
	xs := valueOf(t, "random.uniforms 200000 (random.key 12)").(value.Reals)
	for digit := 1; digit <= 53; digit++ {
		ones := 0
		for _, x := range xs {
			if int64(math.Ldexp(x, digit))&1 == 1 {
				ones++
			}
		}
		n := float64(len(xs))
		if deviation := (float64(ones) - n/2) / math.Sqrt(n/4); math.Abs(deviation) > 6 {
			t.Errorf("digit %d is %.1f standard deviations off", digit, deviation)
		}
	}
	cells := make([]int, 64*64)
	for i := 0; i+1 < len(xs); i += 2 {
		cells[int(xs[i]*64)*64+int(xs[i+1]*64)]++
	}
	chiSquare(t, cells)
}
