package lab

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"text/tabwriter"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// tower returns λS's algorithm: exact evaluation with derivative towers over intervals. Its
// gradient is a set for each component. At a kink the set is Clarke's interval.
func tower() papers.Strategy {
	return papers.Strategy{Name: "tower", Paper: "λS §4, exact evaluation", Run: runTower}
}

// towerEps returns the greatest width of a component of its gradient.
func towerEps() *big.Rat { return big.NewRat(1, 1e12) }

func runTower(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	p = enclosing(p)
	answer, d := enclosedGradient(ctx, p, papers.Enclosing{})
	if d == nil && p.Explain {
		answer.Explanation, d = explainTower(ctx, p)
	}
	if d != nil {
		return nil, d
	}
	return answer, nil
}

// enclosing returns a problem with an evaluator that encloses.
func enclosing(p *papers.Problem) *papers.Problem {
	if p.Enclose != nil {
		return p
	}
	whole := *p
	whole.Enclose = encloser(driver.Settings{Limits: interp.DefaultLimits()})
	return &whole
}

// enclosedGradient returns the answer of exact evaluation.
func enclosedGradient(ctx context.Context, p *papers.Problem, how papers.Enclosing) (*papers.Answer,
	*diag.Diagnostic) {
	// The run on floats comes first, because there the bound on operations holds.
	_, primal, d := p.Evaluate(ctx, applied(p), p.MaxOps)
	if d != nil {
		return nil, d
	}
	v, d := p.Enclose(ctx, reversed(p), how)
	if v == nil || d != nil && d.Code != diag.NotNarrowed {
		return nil, refused(p, d)
	}
	both := v.(value.Tuple)
	return &papers.Answer{Value: middle(both[0]), Gradient: middle(both[1]), Enclosed: both[1],
		Ops: papers.Ops{Primal: primal, Uncounted: true}}, nil
}

// refused turns a failure to enclose into the report that the strategy does not cover the
// program. Failures that every algorithm would have stay as they are.
func refused(p *papers.Problem, d *diag.Diagnostic) *diag.Diagnostic {
	switch d.Code {
	case diag.Undecided, diag.Undefined, diag.EffortSpent, diag.NoText:
		at := d.Span
		if !at.Known() {
			at = p.Fun.At
		}
		return papers.NotCovered(at, "%s", d.Message)
	}
	return d
}

// encloser returns a function that runs programs exactly.
func encloser(s driver.Settings) func(
	context.Context, *core.Program, papers.Enclosing,
) (value.Value, *diag.Diagnostic) {
	return func(
		ctx context.Context, p *core.Program, how papers.Enclosing,
	) (value.Value, *diag.Diagnostic) {
		prepared, d := opt.Mono(p, opt.Options{Verify: s.Verify, Watch: stop.Of(ctx)})
		if d != nil {
			return nil, d
		}
		options := exact.Options{Eps: towerEps(), Limits: driver.ExactLimits(s.Limits),
			TrustRules: s.Compile.TrustRules, Mode: exact.Forward, Rules: true}
		if how.Term != nil {
			options.Mode = exact.Reverse
			options.Term = func(nodes []exact.Node) {
				*how.Term = papers.Term{Nodes: len(nodes), Text: func(inputs []string) string {
					return showTerm(nodes, inputs)
				}}
			}
		}
		if how.Powers == nil {
			return exact.Run(ctx, prepared, options)
		}
		all, d := exact.Tower(ctx, prepared, options, how.Powers)
		return value.Tuple(all), d
	}
}

// ---- sets and points

// middle replaces the sets of a value by their midpoints.
func middle(v value.Value) value.Value {
	return exact.MapEnclosures(v, func(e exact.Enclosure) value.Value {
		if e.Lo.IsInf() || e.Hi.IsInf() {
			return value.Real(math.NaN())
		}
		sum := new(big.Float).Add(e.Lo, e.Hi)
		x, _ := sum.SetMantExp(sum, -1).Float64()
		return value.Real(x)
	})
}

// span is a component of a gradient: a point, or the set that contains it.
type span struct{ lo, hi float64 }

func spans(a *papers.Answer) []span {
	var all []span
	if a.Enclosed == nil {
		for _, x := range value.RealsOf(a.Gradient) {
			all = append(all, span{x, x})
		}
		return all
	}
	value.EachLeaf(a.Enclosed, "", func(_ string, leaf value.Value) {
		if e, ok := leaf.(exact.Enclosure); ok {
			all = append(all, span{exact.Outward(e.Lo, -1), exact.Outward(e.Hi, 1)})
		}
	})
	return all
}

// ---- explanation

// explainTower prints the function's tower at the point: its value and its partial derivatives.
// They go up to the third order for one real, to the second for a few, and otherwise to the
// first.
func explainTower(ctx context.Context, p *papers.Problem) (string, *diag.Diagnostic) {
	point := argumentName(p)
	names := namesOf(p, point)
	pair := withMain(p, func(b *core.Builder) *core.Var {
		x := b.Embed(p.At, types.Resolve(p.Fun.Type).(*types.Fun).Param)
		return b.Emit("tower", &core.Tuple{Elems: []core.Atom{p.Fun.Use(), x}}, p.Fun.At)
	})
	var b strings.Builder
	fmt.Fprintf(&b, "derivative tower at %s = %s (λS §4.2); ⊥ is what does not exist or is not "+
		"known\n", point, value.ShowAtMost(p.At, 20))
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, powers := range towerPowers(len(names)) {
		all, d := p.Enclose(ctx, pair, papers.Enclosing{Powers: powers})
		coefficients, _ := all.(value.Tuple)
		if d != nil && len(coefficients) == 0 {
			return "", refused(p, d)
		}
		for i, c := range coefficients {
			shown := strings.ReplaceAll(value.ShowAtMost(c, 20), "[-inf, inf]", "⊥")
			fmt.Fprintf(table, "  %s\t%s\n", derivativeName(names, powers[i]), shown)
		}
	}
	table.Flush()
	return b.String(), nil
}

// argumentName returns the name of the function's argument.
func argumentName(p *papers.Problem) string {
	if fun := p.Fun.Function(); fun != nil {
		return fun.Params[0].Name
	}
	return "x"
}

// namesOf returns the expressions for the reals of the point.
func namesOf(p *papers.Problem, point string) (names []string) {
	value.EachLeaf(p.At, point, func(name string, leaf value.Value) {
		if _, ok := leaf.(value.Real); ok {
			names = append(names, name)
		}
	})
	return names
}

// towerPowers returns the powers whose coefficients are shown for n reals. Those in one inner
// list are evaluated together, since a series in n variables has exponentially many.
func towerPowers(n int) [][][]int {
	const together, most = 4, 20
	switch {
	case n <= 1:
		return [][][]int{exact.Powers(n, 3)}
	case n <= together:
		return [][][]int{exact.Powers(n, 2)}
	}
	all := [][][]int{{make([]int, n)}}
	for k := range min(n, most) {
		power := make([]int, n)
		power[k] = 1
		all = append(all, [][]int{power})
	}
	return all
}

// derivativeName writes a derivative: "∂³/∂x∂y²".
func derivativeName(names []string, power []int) string {
	raised := []string{"", "", "²", "³"}
	order, below := 0, ""
	for k, n := range power {
		if n > 0 {
			order += n
			below += "∂" + names[k] + raised[n]
		}
	}
	if order == 0 {
		return "value"
	}
	return "∂" + raised[order] + "/" + below
}
