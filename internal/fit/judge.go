package fit

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Note [Judging chains]. R-hat and the effective sample sizes follow Vehtari, Gelman, Simpson,
// Carpenter and Bürkner (2021): chains are split into halves, and draws are replaced by the
// normal scores of their ranks. R-hat is the larger of two values: that of the draws, and that of
// their distances from the median.

// split cuts each chain into halves.
func split(chains [][]float64) (out [][]float64) {
	for _, c := range chains {
		half := len(c) / 2
		out = append(out, c[:half], c[len(c)-half:])
	}
	return out
}

// rankNormal replaces draws by the normal scores of their ranks among all.
func rankNormal(chains [][]float64) [][]float64 {
	type place struct{ chain, draw int }
	var order []place
	out := make([][]float64, len(chains))
	for i, c := range chains {
		out[i] = make([]float64, len(c))
		for j := range c {
			order = append(order, place{i, j})
		}
	}
	at := func(p place) float64 { return chains[p.chain][p.draw] }
	slices.SortFunc(order, func(a, b place) int { return cmp.Compare(at(a), at(b)) })
	n := float64(len(order))
	for k := 0; k < len(order); {
		end := k + 1
		for end < len(order) && at(order[end]) == at(order[k]) {
			end++
		}
		rank := float64(k+end+1) / 2 // ties share a rank
		score := distuv.UnitNormal.Quantile((rank - 0.375) / (n + 0.25))
		for ; k < end; k++ {
			out[order[k].chain][order[k].draw] = score
		}
	}
	return out
}

// rHat returns the larger of R-hat of the draws and R-hat of their distances from the median.
func rHat(chains [][]float64) float64 {
	halves := split(chains)
	var all []float64
	for _, c := range halves {
		all = append(all, c...)
	}
	slices.Sort(all)
	median := quantile(all, 0.5)
	folded := make([][]float64, len(halves))
	for i, c := range halves {
		for _, x := range c {
			folded[i] = append(folded[i], math.Abs(x-median))
		}
	}
	return max(between(rankNormal(halves)), between(rankNormal(folded)))
}

// between returns the potential scale reduction factor.
func between(chains [][]float64) float64 {
	n := float64(len(chains[0]))
	var means []float64
	within := 0.0
	for _, c := range chains {
		mean, variance := moments(c)
		means = append(means, mean)
		within += variance / float64(len(chains))
	}
	_, b := moments(means)
	return math.Sqrt(((n-1)/n*within + b) / within)
}

// below returns 1 for each draw that is at most x, and 0 for the others.
func below(chains [][]float64, x float64) [][]float64 {
	out := make([][]float64, len(chains))
	for i, c := range chains {
		for _, y := range c {
			indicator := 0.0
			if y <= x {
				indicator = 1
			}
			out[i] = append(out[i], indicator)
		}
	}
	return out
}

// effective returns the effective sample size, by Geyer's initial monotone sequence of the
// autocorrelations.
func effective(chains [][]float64) float64 {
	m, n := float64(len(chains)), len(chains[0])
	var means, variances []float64
	for _, c := range chains {
		mean, variance := moments(c)
		means, variances = append(means, mean), append(variances, variance)
	}
	within, _ := moments(variances)
	_, b := moments(means)
	pooled := (float64(n)-1)/float64(n)*within + b
	if pooled == 0 || math.IsNaN(pooled) {
		return math.NaN()
	}
	correlation := func(lag int) float64 {
		sum := 0.0
		for i, c := range chains {
			for t := range n - lag {
				sum += (c[t] - means[i]) * (c[t+lag] - means[i]) / float64(n)
			}
		}
		return 1 - (within-sum/m)/pooled
	}
	total, last := 0.0, math.Inf(1)
	for lag := 0; lag+1 < n; lag += 2 {
		pair := correlation(lag) + correlation(lag+1)
		if pair < 0 {
			break
		}
		last = min(last, pair)
		total += last
	}
	tau := max(2*total-1, 1/math.Log10(m*float64(n)))
	return m * float64(n) / tau
}
