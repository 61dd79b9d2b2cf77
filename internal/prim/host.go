package prim

import (
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// Host returns a row for a function of reals that the host of Fluxion provides. The row is a
// family (Note [Families]): its evaluators compute the function and its partial derivatives, by
// their orders. The row is not in the table, so a program sees it only if it is given to the
// checker.
//
// The function has all partial derivatives of an order below orders, or all if orders is 0.
func Host(name string, reals []string, doc string, orders int, float Family,
	sets tier.FunFamily) *Prim {
	by := make([]string, len(reals))
	for i, r := range reals {
		by[i] = "by_" + r
	}
	return rowOf(name, by, reals, float, sets, Prim{Doc: doc, Orders: orders})
}
