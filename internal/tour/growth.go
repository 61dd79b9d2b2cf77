package tour

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

// Growth is a program of varying size that shows how the costs of strategies differ. The costs
// are operations or, if Memory is set, cells of memory.
type Growth struct {
	Memory     bool
	Sizes      []int
	Strategies []string
	// returns the text of a program of size n, which defines f
	Program func(n int) (source, at string)
	// Holds reports whether the counts, a row for each size, agree with the paper.
	Holds func(counts [][]int64) bool
}

// counts returns, for each size, the primitive operations that each strategy executes, forward
// and backward, or the cells that it takes.
func (g *Growth) counts(ctx context.Context, settings driver.Settings, sink *diag.List) [][]int64 {
	var rows [][]int64
	for _, n := range g.Sizes {
		source, at := g.Program(n)
		var row []int64
		for _, o := range differentiate(ctx, source, Diff{Fun: "f", At: at}, only(g.Strategies),
			settings, sink) {
			switch {
			case o.Answer == nil:
				row = append(row, -1)
			case g.Memory:
				row = append(row, o.Answer.Cells)
			default:
				row = append(row, o.Answer.Ops.Forward+o.Answer.Ops.Backward)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// linear reports whether a column grows in proportion to the size, for sizes at equal distances:
// all its differences are equal.
func linear(counts [][]int64, column int) bool {
	for i := 2; i < len(counts); i++ {
		if counts[i][column] < 0 || counts[i][column]-counts[i-1][column] !=
			counts[1][column]-counts[0][column] {
			return false
		}
	}
	return true
}

// multiplied reports whether each size multiplies a column by at least factor, until it is beyond
// the bound.
func multiplied(counts [][]int64, column int, factor float64) bool {
	for i := 1; i < len(counts); i++ {
		if counts[i][column] >= 0 && float64(counts[i][column]) < factor*float64(
			counts[i-1][column]) {
			return false
		}
	}
	return true
}
