package driver

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// distributionFacts are what SciPy 1.17 and NumPy give.
var distributionFacts = []struct {
	expr string
	want float64
}{
	{"(dist.normal 1 2).logpdf 0.3", -1.6733357137646179},
	{"(dist.normal 1 2).cdf 0.3", 0.3631693488243809},
	{"(dist.normal 1 2).quantile 0.8", 2.6832424671458286},
	{"(dist.normal 1 2).mean", 1.0},
	{"(dist.normal 1 2).variance", 4.0},
	{"(dist.logNormal 0.5 0.8).logpdf 1.7", -1.2271561155800765},
	{"(dist.logNormal 0.5 0.8).cdf 1.7", 0.5152698999650813},
	{"(dist.logNormal 0.5 0.8).quantile 0.8", 3.2326330369036405},
	{"(dist.logNormal 0.5 0.8).mean", 2.270499837532406},
	{"(dist.logNormal 0.5 0.8).variance", 4.621510897294227},
	{"(dist.uniform 1 4).logpdf 2.5", -1.0986122886681098},
	{"(dist.uniform 1 4).cdf 2.5", 0.5},
	{"(dist.uniform 1 4).quantile 0.8", 3.4000000000000004},
	{"(dist.uniform 1 4).mean", 2.5},
	{"(dist.uniform 1 4).variance", 0.75},
	{"(dist.exponential 1.5).logpdf 0.7", -0.6445348918918357},
	{"(dist.exponential 1.5).cdf 0.7", 0.6500622508888447},
	{"(dist.exponential 1.5).quantile 0.8", 1.0729586082894003},
	{"(dist.exponential 1.5).mean", 0.6666666666666666},
	{"(dist.exponential 1.5).variance", 0.4444444444444444},
	{"(dist.gamma 2.5 1.5).logpdf 3.2", -1.6869527593681422},
	{"(dist.gamma 2.5 1.5).cdf 3.2", 0.4883045460133676},
	{"(dist.gamma 2.5 1.5).quantile 0.8", 5.4669570949867206},
	{"(dist.gamma 2.5 1.5).mean", 3.75},
	{"(dist.gamma 2.5 1.5).variance", 5.625},
	{"(dist.chiSquared 7).logpdf 5.5", -2.1151185037108196},
	{"(dist.chiSquared 7).cdf 5.5", 0.4008161293336442},
	{"(dist.chiSquared 7).quantile 0.8", 9.803249900240838},
	{"(dist.chiSquared 7).mean", 7.0},
	{"(dist.chiSquared 7).variance", 14.0},
	{"(dist.beta 2.5 0.75).logpdf 0.4", -0.7988915826652239},
	{"(dist.beta 2.5 0.75).cdf 0.4", 0.06904886285407918},
	{"(dist.beta 2.5 0.75).quantile 0.8", 0.9543708787385773},
	{"(dist.beta 2.5 0.75).mean", 0.7692307692307693},
	{"(dist.beta 2.5 0.75).variance", 0.041768186564566656},
	{"(dist.student 4.5 1 2).logpdf (-3.0)", -3.416176978330233},
	{"(dist.student 4.5 1 2).cdf (-3.0)", 0.054128953590562495},
	{"(dist.student 4.5 1 2).quantile 0.8", 2.857931137152019},
	{"(dist.cauchy 1 2).logpdf (-3.0)", -3.447314978843446},
	{"(dist.cauchy 1 2).cdf (-3.0)", 0.14758361765043326},
	{"(dist.cauchy 1 2).quantile 0.8", 3.752763840942348},
	{"(dist.laplace 1 2).logpdf (-3.0)", -3.386294361119891},
	{"(dist.laplace 1 2).cdf (-3.0)", 0.06766764161830635},
	{"(dist.laplace 1 2).quantile 0.8", 2.8325814637483107},
	{"(dist.laplace 1 2).mean", 1.0},
	{"(dist.laplace 1 2).variance", 8.0},
	{"(dist.logistic 1 2).logpdf (-3.0)", -2.9470032026458903},
	{"(dist.logistic 1 2).cdf (-3.0)", 0.11920292202211755},
	{"(dist.logistic 1 2).quantile 0.8", 3.7725887222397816},
	{"(dist.logistic 1 2).mean", 1.0},
	{"(dist.logistic 1 2).variance", 13.159472534785811},
	{"(dist.gumbel 1 2).logpdf (-1.5)", -2.933490138021787},
	{"(dist.gumbel 1 2).cdf (-1.5)", 0.03049041346306221},
	{"(dist.gumbel 1 2).quantile 0.8", 3.9998799735190316},
	{"(dist.gumbel 1 2).mean", 2.1544313298030655},
	{"(dist.gumbel 1 2).variance", 6.579736267392906},
	{"(dist.weibull 1.7 2).logpdf 1.1", -0.9429281541938708},
	{"(dist.weibull 1.7 2).cdf 1.1", 0.3036642420809459},
	{"(dist.weibull 1.7 2).quantile 0.8", 2.646080611775615},
	{"(dist.weibull 1.7 2).mean", 1.7844890049986482},
	{"(dist.weibull 1.7 2).variance", 1.167419308983415},
	{"(dist.bernoulli 0.3).logpdf 1", -1.2039728043259361},
	{"(dist.bernoulli 0.3).cdf 1", 1.0},
	{"(dist.bernoulli 0.3).mean", 0.3},
	{"(dist.bernoulli 0.3).variance", 0.21},
	{"(dist.binomial 12 0.3).logpdf 5", -1.8420272373863824},
	{"(dist.binomial 12 0.3).cdf 5", 0.882151261138},
	{"(dist.binomial 12 0.3).mean", 3.5999999999999996},
	{"(dist.binomial 12 0.3).variance", 2.5199999999999996},
	{"(dist.poisson 4.5).logpdf 6", -2.054786831352457},
	{"(dist.poisson 4.5).cdf 6", 0.8310505787254115},
	{"(dist.poisson 4.5).mean", 4.5},
	{"(dist.poisson 4.5).variance", 4.5},
	{"(dist.geometric 0.3).logpdf 4", -2.6306725800808657},
	{"(dist.geometric 0.3).cdf 4", 0.83193},
	{"(dist.geometric 0.3).mean", 2.3333333333333335},
	{"(dist.geometric 0.3).variance", 7.777777777777779},
	{"(dist.negativeBinomial 2.5 0.4).logpdf 3", -1.9418320730656171},
	{"(dist.negativeBinomial 2.5 0.4).cdf 3", 0.5558019215511945},
	{"(dist.negativeBinomial 2.5 0.4).mean", 3.75},
	{"(dist.negativeBinomial 2.5 0.4).variance", 9.374999999999998},
	{"(dist.multivariateNormal [1, 2] [[2, 0.5], [0.5, 1]]).logpdf [0, 3]", -3.2605421032342},
	{"(dist.dirichlet [1.5, 2, 3]).logpdf [0.2, 0.3, 0.5]", 1.695210995269564},
	{"stats.quantile 0.3 [2.5, 1, 7.25, 3, 4.5]", 2.6},
	{"stats.std [2.5, 1, 7.25, 3, 4.5]", 2.369071548096427},
	{"stats.correlation [2.5, 1, 7.25, 3, 4.5] [1, 0.5, 3, 2.5, 2]", 0.8549424582567701},
	{"stats.rankCorrelation [2.5, 1, 7.25, 3, 4.5] [1, 0.5, 3, 2.5, 2]", 0.8999999999999998},
	{"stats.skewness [2.5, 1, 7.25, 3, 4.5]", 0.5647384130016273},
	{"stats.kurtosis [2.5, 1, 7.25, 3, 4.5]", -0.8201831836151605},
	{"(stats.line [2.5, 1, 7.25, 3, 4.5] [1, 0.5, 3, 2.5, 2]).slope", 0.3741648106904232},
	{"(stats.line [2.5, 1, 7.25, 3, 4.5] [1, 0.5, 3, 2.5, 2]).intercept", 0.4342984409799555},
	{"(stats.line [2.5, 1, 7.25, 3, 4.5] [1, 0.5, 3, 2.5, 2]).r2", 0.730926606930129},
	{"(stats.line [2.5, 1, 7.25, 3, 4.5] [1, 0.5, 3, 2.5, 2]).slopeError", 0.13106924730922603},
	{"(stats.line [2.5, 1, 7.25, 3, 4.5] [1, 0.5, 3, 2.5, 2]).interceptError", 0.5531758910604865},
}

// realsOf evaluates expressions of reals in one program.
func realsOf(t *testing.T, exprs []string) []float64 {
	t.Helper()
	var list diag.List
	unit := NewWorld(nil).LoadText("facts", "["+strings.Join(exprs, ",\n ")+"]", nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	result, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits()})
	if d != nil {
		t.Fatal(d)
	}
	return result.Value.(value.Reals)
}

// TestDistributionFacts compares `dist` and `stats` with SciPy.
func TestDistributionFacts(t *testing.T) {
	t.Parallel()
	var exprs []string
	for _, c := range distributionFacts {
		exprs = append(exprs, c.expr)
	}
	for k, got := range realsOf(t, exprs) {
		if want := distributionFacts[k].want; math.Abs(got-want) > 2e-13*math.Max(1e-3, math.Abs(want)) {
			t.Errorf("%s is %v, SciPy says %v", exprs[k], got, want)
		}
	}
}

// TestLaplaceMedian: the two pieces of the distribution of Laplace have the same derivatives at its
// median, in both modes.
func TestLaplaceMedian(t *testing.T) {
	t.Parallel()
	facts := []struct {
		expr string
		want float64
	}{
		{"deriv (dist.laplace 1 2).cdf 1", 0.25},
		{"deriv (dist.laplace 1 2).quantile 0.5", 4},
		{"deriv (fun m => (dist.laplace m 2).cdf 1) 1", -0.25},
		{"deriv (fun s => (dist.laplace 1 s).cdf 1) 2", 0},
		{"deriv (deriv (dist.laplace 1 2).cdf) 0.5", 0.0625 * math.Exp(-0.25) * 2},
		{"deriv (deriv (dist.laplace 1 2).quantile) 0.25", -32},
	}
	var exprs []string
	for _, f := range facts {
		exprs = append(exprs, f.expr)
	}
	enclosures, d := solved(t, "import dist\n["+strings.Join(exprs, ", ")+"]", 12)
	if d != nil {
		t.Fatal(d)
	}
	for k, got := range realsOf(t, exprs) {
		lo, _ := enclosures[k].Lo.Float64()
		if want := facts[k].want; !(math.Abs(got-want) <= 1e-15*(1+math.Abs(want))) || !(math.Abs(lo-want) <= 1e-11) {
			t.Errorf("%s is %v and %v, want %v", exprs[k], got, lo, want)
		}
	}
}

// TestDistributionSlopes: the density is the slope of the distribution function, also after
// both are differentiated by a parameter; and a quantile moves with a parameter as the
// distribution function says.
func TestDistributionSlopes(t *testing.T) {
	t.Parallel()
	var exprs []string
	for _, c := range []struct{ d, x string }{
		{"dist.normal a 2", "0.3"}, {"dist.logNormal 0.5 a", "1.7"}, {"dist.gamma a 1.5", "3.2"}, {"dist.beta a 0.75", "0.4"},
		{"dist.beta 2.5 a", "0.4"}, {"dist.student a 1 2", "(-3)"}, {"dist.weibull a 2", "1.1"}, {"dist.logistic 1 a", "0.2"},
	} {
		// d/da d/dx cdf = d/da exp logpdf
		exprs = append(exprs,
			"deriv (fun a => deriv ("+c.d+").cdf "+c.x+") 1.25",
			"deriv (fun a => exp (("+c.d+").logpdf "+c.x+")) 1.25",
			// cdf (quantile p) = p, whatever a is
			"deriv (fun a => ("+c.d+").quantile 0.3) 1.25",
			"let q = (fun a => "+c.d+") 1.25 in -(deriv (fun a => ("+c.d+").cdf (q.quantile 0.3)) 1.25) / exp (q.logpdf (q.quantile 0.3))")
	}
	xs := realsOf(t, exprs)
	for k := 0; k < len(xs); k += 2 {
		if math.Abs(xs[k]-xs[k+1]) > 1e-10*math.Max(1, math.Abs(xs[k])) {
			t.Errorf("%s is %v, but %s is %v", exprs[k], xs[k], exprs[k+1], xs[k+1])
		}
	}
}

// TestQuantiles: a quantile solves its equation up to rounding, from one tail to the other; below
// the range of doubles it is 0.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	var exprs []string
	for _, d := range []string{
		"dist.gamma 0.05 1", "dist.gamma 0.5 2", "dist.gamma 3 1", "dist.gamma 50 1", "dist.gamma 1e4 1",
		"dist.beta 0.1 2", "dist.beta 0.5 30", "dist.beta 1 1", "dist.beta 20 3", "dist.beta 500 700",
		"dist.normal 0 1", "dist.student 5 0 1",
	} {
		exprs = append(exprs, "let d = "+d+"\n in maximum ["+
			"let q = d.quantile p in abs (d.cdf q - p) / (p + abs q * exp (d.logpdf q)) "+
			"for p in [1e-12, 1e-6, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-12]]")
	}
	exprs = append(exprs, "(dist.gamma 0.05 1).quantile 1e-300", "(dist.beta 0.1 0.2).quantile 1e-300")
	for k, miss := range realsOf(t, exprs) {
		if !(miss >= 0 && miss < 2e-14) {
			t.Errorf("%v off: %s", miss, exprs[k])
		}
	}
}

// TestSamples: the means of samples are where they should be, within five standard errors.
func TestSamples(t *testing.T) {
	t.Parallel()
	var exprs []string
	sampled := func(d, real string, n string) {
		exprs = append(exprs, "let d = "+d+"\n let xs = ["+real+" (d.sample (random.child i (random.key 7))) for i < "+n+"]\n in (mean xs - d.mean) / sqrt (d.variance / "+n+")")
	}
	for _, d := range []string{"dist.normal 1 2", "dist.logNormal 0 0.5", "dist.uniform 1 4", "dist.exponential 2", "dist.laplace 1 2", "dist.logistic 1 2", "dist.gumbel 1 2", "dist.weibull 1.5 2", "dist.gamma 2.5 2", "dist.beta 2 3"} {
		sampled(d, "id", "500")
	}
	for _, d := range []string{"dist.bernoulli 0.3", "dist.binomial 20 0.3", "dist.poisson 2.5", "dist.poisson 250", "dist.geometric 0.2", "dist.categorical [1, 2, 3]"} {
		sampled(d, "real", "500")
	}
	sampled("dist.negativeBinomial 2.5 0.4", "real", "500")
	for k, z := range realsOf(t, exprs) {
		if !(math.Abs(z) < 5) {
			t.Errorf("%v standard errors off: %s", z, exprs[k])
		}
	}
}

// TestSampleDerivatives: a sample that is a root of the distribution function moves with the
// parameters as the implicit function does; by a scale it is linear.
func TestSampleDerivatives(t *testing.T) {
	const key = "(random.key 5)"
	for _, d := range []string{"dist.gamma c 1.5", "dist.beta c 3", "dist.beta 2 c", "dist.gamma 2 c"} {
		text := "let sample = fun c => (" + d + ").sample " + key + " in let x = sample 2.5 in " +
			"let cdf = fun c x => (" + d + ").cdf x in " +
			"deriv sample 2.5 + deriv (fun c => cdf c x) 2.5 / deriv (cdf 2.5) x"
		near(t, text, 0, 1e-12)
	}
	near(t, "nthDeriv 2 (fun c => (dist.gamma 2 c).sample "+key+") 2.5", 0, 1e-12) // c is a scale
}
