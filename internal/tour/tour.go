// Package tour holds what the papers show and claim, as programs. Each stop is an example or a
// statement of a paper, with the value that the paper gives. The package runs a stop through the
// driver, and returns the results and whether they are what the paper says. The command decides
// how that looks.
//
// There is one file per paper. To add a paper, write its file and its line in Papers.
package tour

import (
	"context"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Paper is a part of the tour.
type Paper struct {
	Name  string // as it is cited: "Delta"
	Title string // the title and the authors
	Stops []Stop
}

// Papers lists the parts of the tour.
func Papers() []Paper {
	return []Paper{
		{"A–P", "Abadi and Plotkin, A Simple Differentiable Programming Language", abadiPlotkin},
		{"λS", "Sherman, Michel and Carbin, λS: Computable Semantics for Differentiable " +
			"Programming", lambdaS},
		{"Curry", "Abadi, Wei, Plotkin, Vytiniotis and Belov, The Differentiable Curry", curry},
		{"Delta", "Krawiec et al., Provably Correct, Asymptotically Efficient, Higher-Order " +
			"Reverse-Mode AD", delta},
	}
}

// Stop is an example or a claim of a paper.
type Stop struct {
	Title string
	Where string // the place in the paper: "§3, after Fig. 6"
	Says  string // what the paper says there, in our words
	Wrong string // what is wrong with that, and why, or ""
	// Source is the program, if the questions share one.
	Source string
	Asks   []Ask
	Diff   *Diff
	Grow   *Growth
}

// Ask is an expression in the scope of the stop's program, with its expected result.
type Ask struct {
	Expr string
	// the value as it is printed, or the code of an error; for an exact run see encloses
	Want string
	Eps  string // the tolerance of an exact run; "" for a run on floats
}

// Diff asks every strategy for the gradient of a function of the stop's program.
type Diff struct {
	Fun, At, Cotangent string
	// the gradient as at least one strategy prints it; "" if the paper has none
	Want    string
	Only    []string // the strategies; nil for all
	Explain []string // what the explanations must contain
}

// Visit is the result of a stop.
type Visit struct {
	Answers  []string // the answers to Asks: values, or an error's code and message
	Agree    []bool   // whether each answer is as expected
	Outcomes []lab.Outcome
	// the counts of Grow: a row for each size, in the order of its strategies; -1 beyond the
	// bound
	Counts [][]int64
	Holds  bool // whether everything agrees with the paper
}

// maxOps bounds the operations of each strategy at each stop. It is enough to show exponential
// growth.
const maxOps = 1_000_000

// Visit runs a stop. Errors in the tour itself go to sink.
func (s Stop) Visit(ctx context.Context, settings driver.Settings, sink *diag.List) Visit {
	v := Visit{Holds: true}
	for _, ask := range s.Asks {
		answer, holds := ask.answer(ctx, s.Source, settings)
		v.Answers, v.Agree = append(v.Answers, answer), append(v.Agree, holds)
		v.Holds = v.Holds && holds
	}
	if s.Diff != nil {
		v.Outcomes = s.Diff.run(ctx, s.Source, settings, sink)
		v.Holds = v.Holds && s.Diff.holds(v.Outcomes)
	}
	if s.Grow != nil {
		v.Counts = s.Grow.counts(ctx, settings, sink)
		v.Holds = v.Holds && s.Grow.Holds(v.Counts)
	}
	return v
}

func (a Ask) answer(ctx context.Context, source string, settings driver.Settings) (shown string,
	holds bool) {
	ctx, done := settings.Within(ctx)
	defer done()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("example.flx", source+"\n"+a.Expr+"\n", nil, &list)
	var failure *diag.Diagnostic
	if list.Failed() {
		failure = list.Sorted()[0]
	} else {
		result, d := a.run(ctx, unit, settings)
		if d == nil {
			shown = value.Show(result.Value)
			return shown, shown == a.Want || a.Eps != "" && encloses(result.Value, a.Want)
		}
		failure = d
	}
	return string(failure.Code) + ": " + failure.Message, string(failure.Code) == a.Want
}

func (a Ask) run(ctx context.Context, unit *driver.Unit, settings driver.Settings) (driver.Result,
	*diag.Diagnostic) {
	if a.Eps == "" {
		return driver.Run(ctx, unit, settings)
	}
	eps, err := driver.ParseEps(a.Eps)
	if err != nil {
		panic("tour: " + err.Error())
	}
	return driver.RunExact(ctx, unit, settings, driver.Exactly{Eps: eps})
}

// encloses reports whether the sets of an exact value can contain what is written. A number
// stands for itself, a number that ends in … for every continuation of its digits, and an
// interval for some number in it. Everything but the reals is ignored.
func encloses(v value.Value, want string) bool {
	sets := exact.Enclosures(v)
	wants := written.FindAllStringSubmatch(want, -1)
	if len(sets) != len(wants) {
		return false
	}
	for i, w := range wants {
		lo, hi := bounds(w)
		if sets[i].Lo.Cmp(hi) > 0 || sets[i].Hi.Cmp(lo) < 0 {
			return false
		}
	}
	return true
}

// written matches an interval, or a number with or without …
var written = regexp.MustCompile(`\[(-?[\d.]+), (-?[\d.]+)\]|(-?[\d.]+)(…?)`)

// bounds returns the bounds of a match of written. They are rounded outwards in the last of many
// bits.
func bounds(match []string) (lo, hi *big.Float) {
	number := func(text string, mode big.RoundingMode) *big.Float {
		x, _, err := big.ParseFloat(text, 10, 1000, mode)
		if err != nil {
			panic("tour: " + err.Error())
		}
		return x
	}
	if match[3] == "" {
		return number(match[1], big.ToNegativeInf), number(match[2], big.ToPositiveInf)
	}
	lo, hi = number(match[3], big.ToNegativeInf), number(match[3], big.ToPositiveInf)
	if match[4] == "" {
		return lo, hi
	}
	_, fraction, _ := strings.Cut(match[3], ".")
	unit := number("1e-"+strconv.Itoa(len(fraction)), big.ToPositiveInf)
	if strings.HasPrefix(match[3], "-") {
		return lo.Sub(lo, unit), hi
	}
	return lo, hi.Add(hi, unit)
}

func (d *Diff) run(ctx context.Context, source string, settings driver.Settings,
	sink *diag.List) []lab.Outcome {
	strategies := lab.Strategies()
	if d.Only != nil {
		strategies = only(d.Only)
	}
	return differentiate(ctx, source, *d, strategies, settings, sink)
}

// only returns the strategies with these names.
func only(names []string) []papers.Strategy {
	var chosen []papers.Strategy
	for _, name := range names {
		for _, s := range lab.Strategies() {
			if s.Name == name {
				chosen = append(chosen, s)
			}
		}
	}
	return chosen
}

func differentiate(ctx context.Context, source string, d Diff, strategies []papers.Strategy,
	settings driver.Settings, sink *diag.List) []lab.Outcome {
	w := driver.NewWorld(nil)
	unit := w.LoadText("example.flx", source+"\n", nil, sink)
	if sink.Failed() {
		return nil
	}
	e := lab.Experiment{Unit: unit, Fun: d.Fun, At: d.At, Cotangent: d.Cotangent, MaxOps: maxOps,
		Explain: d.Explain != nil, Settings: settings, Each: settings.Timeout}
	return lab.Differentiate(ctx, w, e, strategies, sink)
}

// holds reports whether the strategies that answer agree with one another and with the paper, and
// whether the explanations contain what the stop shows.
func (d *Diff) holds(outcomes []lab.Outcome) bool {
	worst := lab.Agreement(outcomes)
	found, explanations := d.Want == "", ""
	for _, o := range outcomes {
		if o.Answer == nil {
			continue
		}
		found = found || value.Show(o.Answer.Gradient) == d.Want
		explanations += o.Answer.Explanation
	}
	for _, part := range d.Explain {
		found = found && strings.Contains(explanations, part)
	}
	return found && worst <= 1e-11
}
