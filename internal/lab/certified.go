package lab

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// certified returns Delta's algorithm over λS's numbers. The program runs once on enclosures, and
// each carries the term of its derivative. Then the term of the result is evaluated backwards.
// The gradient is a set for each component.
func certified() papers.Strategy {
	const paper = "Delta's translation over λS's enclosures"
	return papers.Strategy{Name: "certified", Paper: paper, Run: runCertified}
}

func runCertified(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	var term papers.Term
	answer, d := enclosedGradient(ctx, enclosing(p), papers.Enclosing{Term: &term})
	if d != nil {
		return nil, d
	}
	answer.Cells = int64(term.Nodes)
	if p.Explain && term.Text != nil {
		point := argumentName(p)
		answer.Explanation = fmt.Sprintf("term of the derivative at %s = %s; "+
			"the adjoints are computed from the last node to the first\n%s",
			point, value.ShowAtMost(p.At, 20), term.Text(namesOf(p, point)))
	}
	return answer, nil
}

// mostNodes bounds the nodes of a term that are shown.
const mostNodes = 1000

// showTerm prints a term with one node per line, each after the nodes that it refers to, with its
// adjoint.
func showTerm(nodes []exact.Node, inputs []string) string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for k, n := range nodes {
		if k == mostNodes {
			fmt.Fprintf(table, "  …\tand %d more\n", len(nodes)-mostNodes)
			break
		}
		var text string
		switch {
		case n.Input >= 0:
			text = "input " + inputs[n.Input]
		case n.Sum:
			text = fmt.Sprintf("d%d + d%d", n.A, n.B)
		case n.B < 0:
			text = fmt.Sprintf("%s · d%d", n.By.Fluxion(), n.A)
		default:
			text = fmt.Sprintf("%s · d%d + d%d", n.By.Fluxion(), n.A, n.B)
		}
		if n.Kink {
			text += " (a kink)"
		}
		adjoint := strings.ReplaceAll(n.Adjoint.Fluxion(), "[-inf, inf]", "⊥")
		fmt.Fprintf(table, "  d%d = %s\tadjoint %s\n", k, text, adjoint)
	}
	table.Flush()
	return b.String()
}
