package lab

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// ChooseStrategies returns the algorithm with a name, or all of them for "all".
func ChooseStrategies(name string) ([]papers.Strategy, error) {
	all := Strategies()
	if name == "all" {
		return all, nil
	}
	var names []string
	for _, s := range NamedStrategies() {
		if s.Name == name {
			return []papers.Strategy{s}, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("there is no strategy `%s`; there are %s and all", name,
		strings.Join(names, ", "))
}

// NamedStrategies lists what ChooseStrategies finds by a name.
func NamedStrategies() []papers.Strategy { return append(Strategies(), variants()...) }

// tolerance bounds the distance between gradients that agree. They differ because they are summed
// in different orders.
const tolerance = 1e-11

// Agree reports whether the gradients of all outcomes are the same.
func Agree(outcomes []Outcome) bool { return Agreement(outcomes) <= tolerance }

// ShowOutcomes prints a table with a row for each strategy, and then the explanations.
func ShowOutcomes(out io.Writer, outcomes []Outcome) {
	ShowTable(out, outcomes)
	for _, o := range outcomes {
		if o.Answer != nil && o.Answer.Explanation != "" {
			fmt.Fprintf(out, "\n── %s: %s ──\n\n%s\n", o.Strategy.Name, o.Strategy.Paper,
				strings.TrimRight(o.Answer.Explanation, "\n"))
		}
	}
}

// ShowTable prints a row for each strategy, and whether they agree.
func ShowTable(out io.Writer, outcomes []Outcome) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "strategy\tgradient\tprimal\tforward\tbackward\tallocations\ttime")
	answered := 0
	for _, o := range outcomes {
		if o.Failure != nil {
			continue
		}
		answered++
		a := o.Answer
		gradient, counts := a.Gradient, fmt.Sprintf("%d\t%d\t%d", a.Ops.Primal, a.Ops.Forward,
			a.Ops.Backward)
		if a.Enclosed != nil {
			gradient = a.Enclosed
		}
		if a.Ops.Uncounted {
			counts = fmt.Sprintf("%d\t–\t–", a.Ops.Primal)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%v\n", o.Strategy.Name, value.ShowAtMost(gradient, 20),
			counts, o.Allocations, o.Time.Round(10*time.Microsecond))
	}
	table.Flush()
	for _, o := range outcomes {
		if o.Failure != nil {
			fmt.Fprintf(out, "%s does not answer: %s (%s)\n", o.Strategy.Name, o.Failure.Message,
				o.Failure.Span)
		}
	}
	if answered > 1 {
		switch worst := Agreement(outcomes); {
		case worst == 0:
			fmt.Fprintf(out, "all %d agree exactly\n", answered)
		case worst <= tolerance:
			fmt.Fprintf(out, "all %d agree to %.1g\n", answered, worst)
		case math.IsNaN(worst):
			fmt.Fprintln(out, "they DISAGREE")
		default:
			fmt.Fprintf(out, "they DISAGREE by %.1g\n", worst)
		}
	}
}
