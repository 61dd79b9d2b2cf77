package prim

import (
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// Host makes a row for a function of reals that the host of Fluxion has: a family (Note
// [Families]), which is asked for the function and for its partial derivatives alike, by their
// orders. The row is not in the table: a program sees it only if it is given to the checker.
func Host(name string, reals []string, doc string, float Family, sets tier.FunFamily) *Prim {
	orders := make([]string, len(reals))
	for i, r := range reals {
		orders[i] = "by_" + r
	}
	return rowOf(name, orders, reals, float, sets, Prim{Doc: doc})
}
