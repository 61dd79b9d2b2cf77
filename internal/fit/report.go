package fit

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// structured arranges one number per parameter in the structure of the parameters. If the
// standard deviation of the response is estimated, its number goes beside them.
func (r *Result) structured(xs []float64) any {
	own := value.JSON(r.Value(xs))
	if !r.Noise {
		return own
	}
	return map[string]any{"parameters": own, sigmaName: number(xs[len(xs)-1])}
}

// number returns a double for JSON, with null for numbers that are not finite.
func number(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

func numbers(xs []float64) []any {
	out := make([]any, len(xs))
	for k, x := range xs {
		out[k] = number(x)
	}
	return out
}

// JSON returns the result for machines.
func (r *Result) JSON() map[string]any {
	out := map[string]any{
		"method": r.Method, "kind": r.Kind, "observations": r.Used, "parameters": r.Names,
		"estimate": r.structured(r.Q), "stderr": r.structured(r.Errors),
		"confidence": map[string]any{"level": r.Level, "lower": r.structured(r.Lower),
			"upper": r.structured(r.Upper)},
		"objective":   number(r.Loss),
		"converged":   r.Converged(),
		"reason":      r.Reason,
		"iterations":  r.iterations(),
		"evaluations": r.count,
		"warnings":    append([]string{}, r.Warnings...),
	}
	if r.Condition > 0 {
		out["condition"] = number(r.Condition)
	}
	if r.Correlation != nil {
		out["correlation"] = r.correlations()
	}
	if r.linear != nil {
		out["rss"] = r.linear.squares
		if r.GaussNewton != nil {
			out["stderrGaussNewton"] = r.structured(r.GaussNewton)
		}
	}
	if r.Freedom > 0 {
		out["freedom"], out["residualError"] = r.Freedom, math.Sqrt(r.Variance)
	}
	if r.Robust != "" {
		out["robust"] = map[string]any{"loss": r.Robust, "scale": r.Scale}
	}
	if s := r.Residuals; s != nil {
		out["residuals"] = map[string]any{
			"rSquared": number(s.RSquared), "durbinWatson": number(s.DurbinWatson),
			"runs":      number(s.Runs),
			"normality": number(s.Normality), "outliers": append([]int{}, s.Outliers...),
		}
	}
	if len(r.Ends) > 1 {
		starts := []any{}
		for _, e := range r.Ends {
			starts = append(starts, map[string]any{"start": r.structured(e.From),
				"end": r.structured(e.At), "objective": number(e.Loss),
				"converged": e.Reason.converged(), "iterations": e.Iterations})
		}
		out["starts"] = starts
	}
	if r.Profiles != nil {
		profiles := map[string]any{}
		for _, f := range r.Profiles {
			profiles[r.Names[f.Parameter]] = map[string]any{"lower": number(f.Lower),
				"upper": number(f.Upper),
				"at":    numbers(f.Xs), "excess": numbers(f.Ys)}
		}
		out["profiles"] = profiles
	}
	if r.Draws != nil {
		out["posterior"] = r.Draws.json(r)
	}
	if r.Certificate != nil {
		out["certified"] = r.Certificate.json(r)
	}
	if r.Global != nil {
		out["global"] = r.Global.json(r)
	}
	return out
}

// json returns the draws for machines.
func (d *Draws) json(r *Result) any {
	list := func(xs []float64) any {
		out := map[string]any{}
		for k, x := range xs {
			out[r.Names[k]] = number(x)
		}
		return out
	}
	draws := map[string]any{}
	for k, name := range r.Names {
		chains := [][]any{}
		for _, c := range d.Chains {
			chain := make([]any, len(c))
			for i, draw := range c {
				chain[i] = number(draw[k])
			}
			chains = append(chains, chain)
		}
		draws[name] = chains
	}
	return map[string]any{"rHat": list(d.RHat), "effective": list(d.ESS),
		"effectiveTails": list(d.Tail), "warmup": d.Warmup,
		"divergent": d.Divergent, "acceptance": number(d.Acceptance), "leaps": d.Leaps,
		"seconds": d.Seconds, "draws": draws}
}

// write prints the draws for people.
func (d *Draws) write(w io.Writer, r *Result) {
	count := 0
	for _, c := range d.Chains {
		count += len(c)
	}
	fmt.Fprintf(w, "%s of %s: %s from %s, %.2f s, %s, mean acceptance %.2f\n\n", "posterior",
		r.what(), plural(count, "draw"),
		plural(len(d.Chains), "chain"), d.Seconds, plural(d.Leaps, "gradient"), d.Acceptance)
	if count == 0 { // the run ended during warm-up
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table,
		"parameter\tmean\tstd. deviation\t%g %% of the draws\tR-hat\teffective\ttails\n",
		100*r.Level)
	for k, name := range r.Names {
		if k == mostShown {
			fmt.Fprintf(table, "…\t%d more\n", len(r.Names)-k)
			break
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s … %s\t%s\t%.0f\t%.0f\n", name, digits(r.Q[k], 6),
			digits(r.Errors[k], 4),
			digits(r.Lower[k], 5), digits(r.Upper[k], 5), strconv.FormatFloat(d.RHat[k], 'f', 3,
				64), d.ESS[k], d.Tail[k])
	}
	table.Flush()
}

// json returns the certificate for machines: the certain digits as decimals, and the enclosures.
func (c *Certificate) json(r *Result) any {
	list := func(sets []exact.Enclosure) any {
		out := map[string]any{}
		for k, e := range sets {
			if e.Lo == nil || r.coordinates[k].held {
				continue
			}
			text, n := Decimal(e, mostCertain)
			out[r.Names[k]] = map[string]any{"value": text, "digits": n,
				"lower": e.Lo.Text('g', 25), "upper": e.Hi.Text('g', 25)}
		}
		return out
	}
	out := map[string]any{"estimate": list(c.Parameters), "stderr": list(c.Errors), "bits": c.Bits,
		"uniqueWithin": c.Unique,
		"digits":       c.least(r)}
	if c.Others != nil {
		out["stderrGaussNewton"] = list(c.Others)
	}
	return out
}

// least returns the number of digits that are certain in every estimate and every standard error.
func (c *Certificate) least(r *Result) int {
	least := mostCertain
	for _, sets := range [][]exact.Enclosure{c.Parameters, c.Errors, c.Others} {
		for k, e := range sets {
			if e.Lo != nil && !r.coordinates[k].held {
				_, n := Decimal(e, mostCertain)
				least = min(least, n)
			}
		}
	}
	return least
}

// mostCertain is the greatest number of certain digits that are printed.
const mostCertain = 15

// write prints the certificate for people.
func (c *Certificate) write(w io.Writer, r *Result) {
	fmt.Fprint(w, "\ncertified: a local minimum")
	if c.Unique > 0 {
		fmt.Fprintf(w, ", and the only stationary point within %g standard errors", c.Unique)
	}
	fmt.Fprint(w, "; all digits here are proved\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "parameter\testimate\tstd. error\n")
	for k, e := range c.Parameters {
		if r.coordinates[k].held {
			continue
		}
		x, _ := Decimal(e, mostCertain)
		s, _ := Decimal(c.Errors[k], 10)
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.Names[k], x, s)
	}
	table.Flush()
}

// correlations returns the correlation matrix with the names of its parameters.
func (r *Result) correlations() any {
	names, rows := []string{}, [][]any{}
	for i, k := range r.Of {
		names = append(names, r.Names[k])
		row := make([]any, len(r.Of))
		for j := range r.Of {
			row[j] = number(r.Correlation.At(i, j))
		}
		rows = append(rows, row)
	}
	return map[string]any{"of": names, "matrix": rows}
}

func (r *Result) iterations() int {
	n := 0
	for _, e := range r.Ends {
		n += e.Iterations
	}
	return n
}

// digits returns a number with n significant digits.
func digits(x float64, n int) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strconv.FormatFloat(x, 'g', n, 64)
}

// Write prints the result for people.
func (r *Result) Write(w io.Writer) {
	if r.Draws != nil {
		r.Draws.write(w, r)
		for _, text := range r.Warnings {
			fmt.Fprintf(w, "warning: %s\n", text)
		}
		return
	}
	state := "converged"
	if r.Reason == stepsAreDone {
		state = "ended"
	} else if !r.Converged() {
		state = "NOT converged"
	}
	fmt.Fprintf(w, "%s by %s: %s after %s (%s)\n\n", r.what(), r.Method, state,
		plural(r.iterations(), "iteration"), r.Reason)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "parameter\testimate\tstd. error\t%g %% confidence\n", 100*r.Level)
	for k, name := range r.Names {
		if k == mostShown {
			fmt.Fprintf(table, "…\t%d more\n", len(r.Names)-k)
			break
		}
		held := ""
		if r.coordinates[k].held {
			held = "held"
		}
		interval := held
		if !math.IsNaN(r.Lower[k]) {
			interval = fmt.Sprintf("%s … %s", digits(r.Lower[k], 6), digits(r.Upper[k], 6))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", name, digits(r.Q[k], 10), digits(r.Errors[k], 4),
			interval)
	}
	table.Flush()
	fmt.Fprintln(w)
	r.writeQuality(w)
	for _, f := range r.Profiles {
		fmt.Fprintf(w, "profile of %s: %s … %s\n", r.Names[f.Parameter], digits(f.Lower, 6),
			digits(f.Upper, 6))
	}
	if r.Certificate != nil {
		r.Certificate.write(w, r)
	}
	if r.Global != nil {
		r.Global.write(w, r)
	}
	for _, text := range r.Warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
}

// mostShown is the greatest number of parameters that are printed.
const mostShown = 40

func (r *Result) what() string {
	text := fmt.Sprintf("`%s`", r.Function)
	if len(r.Data) > 0 {
		text += fmt.Sprintf(" fitted to %s", plural(r.Used, "row"))
		if r.Used < r.Rows {
			text += fmt.Sprintf(" (%d more of weight 0)", r.Rows-r.Used)
		}
	}
	return text
}

func (r *Result) writeQuality(w io.Writer) {
	if r.linear == nil {
		fmt.Fprintf(w, "objective %s", digits(r.Loss, 12))
	} else {
		if r.Weight != "" || r.Sigma != "" {
			fmt.Fprint(w, "weighted ")
		}
		fmt.Fprintf(w, "residual sum of squares %s", digits(r.linear.squares, 10))
	}
	if r.Freedom > 0 {
		fmt.Fprintf(w, ", residual std. error %s with %s of freedom",
			digits(math.Sqrt(r.Variance), 6), plural(r.Freedom, "degree"))
	}
	fmt.Fprintln(w)
	if r.Robust != "" {
		fmt.Fprintf(w, "%s loss with scale %s\n", r.Robust, digits(r.Scale, 6))
	}
	if r.Condition > 0 {
		fmt.Fprintf(w, "condition number %s\n", digits(r.Condition, 3))
	}
	if len(r.Ends) > 1 {
		same := 0
		for _, e := range r.Ends {
			if math.Abs(e.Loss-r.Loss) <= 1e-6*math.Abs(r.Loss) {
				same++
			}
		}
		fmt.Fprintf(w, "%d of %d starts ended at this objective\n", same, len(r.Ends))
	}
	if s := r.Residuals; s != nil {
		fmt.Fprintf(w, "R² %s; of the residuals: Durbin–Watson %s, runs p = %s, normality p = %s",
			digits(s.RSquared, 6),
			digits(s.DurbinWatson, 3), digits(s.Runs, 2), digits(s.Normality, 2))
		if len(s.Outliers) > 0 {
			var rows []string
			for _, k := range s.Outliers {
				rows = append(rows, strconv.Itoa(k))
			}
			fmt.Fprintf(w, "; outliers in row %s", strings.Join(firstFew(rows), ", "))
		}
		fmt.Fprintln(w)
	}
}
