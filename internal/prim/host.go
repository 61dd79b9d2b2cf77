package prim

import (
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// Host makes a row for a function of reals that the host of Fluxion has: a family (Note
// [Families]), which is asked for the function and for its partial derivatives alike, by their
// orders. The row is not in the table: a program sees it only if it is given to the checker.
//
// It has all partial derivatives of an order below orders, or all if that is 0.
func Host(name string, reals []string, doc string, orders int, float Family,
	sets tier.FunFamily) *Prim {
	by := make([]string, len(reals))
	for i, r := range reals {
		by[i] = "by_" + r
	}
	return rowOf(name, by, reals, float, sets, Prim{Doc: doc, Orders: orders})
}
