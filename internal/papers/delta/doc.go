// Package delta is the four translations of Krawiec et al., “Provably Correct,
// Asymptotically Efficient, Higher-Order Reverse-Mode Automatic
// Differentiation” (cited as Delta), each from typed core to typed core:
//
//	𝒟→   Fig. 3   a real becomes a dual number                      plain.go, tangents.go
//	𝒟←1  Fig. 5   a real comes with its whole gradient              tangents.go
//	𝒟←2  Fig. 7   a real comes with a Delta, a symbolic gradient    tangents.go
//	𝒟←   Fig. 9   the same in a state monad that keeps sharing      monad.go, monad_array.go
//
// and their wrappers for general S -> T (Figs. 4, 6, 8, 11 and 15: wrap*.go),
// with the polytypic operations of Fig. 15 (poly.go), the primitives of Fig. 14
// (dual.go), arrays (§10.2), the array-based evaluation of §7.3 (tape.go) and
// separate compilation (§7.5: modules.go). The supporting functions of Figs. 7,
// 8 and 10 are a Fluxion module, delta.flx.
//
// Every translation is homomorphic but for the reals: pairs become pairs,
// functions functions, recursion recursion. The output prints, verifies and
// runs like any program, and can be translated again: R{R{e}}, which §10.4
// leaves open because the paper's source language lacks what its target
// language has, is here simply a second translation. A program that takes
// derivatives itself is first expanded into one that does not (levels.go).
//
// Where this departs from the paper:
//
//   - Core is in A-normal form, so a monadic bind is a let, with the state in
//     a variable. Parts that cannot let anything are not threaded.
//   - A definition that is a constant without functions in it does not depend
//     on the argument: it is evaluated as it is and its reals are paired with
//     Zero (initZeros, Fig. 15). One with functions is a computation that each
//     use runs.
//   - In the condition of a while loop deltas are let and forgotten: a truth
//     value has none.
//   - 𝒟←1 pairs a real with the gradient as an array of the reals of S, which
//     are counted at the point: the zero that §6 wants “out of thin air”.
//   - Figs. 6 and 8 are for T = ℝ. There Fig. 6 starts with dt ⊗ onehot i, and
//     Fig. 8 ends with eval2 dt u z. For general T both start with onehot i,
//     and the tangents u_j of the reals of the result are weighed with those of
//     dt: Σ dt_j ⊗ u_j. By linearity the gradient is the same.
//   - updateAt of Fig. 8 is the primitive accumulate, at one index. Core has no
//     linear types, but eval2 uses each vector once, and the interpreter writes
//     in place where nothing else holds an array. The array that §7.3 puts in
//     place of Fig. 10's map is one of Go (tape.go); R{e} as a program has the
//     map, as a tree (delta.flx).
//   - Fig. 10's runDelta takes the first free number; here it is in the state.
package delta

import "github.com/fluxion-lang/fluxion/internal/papers"

// Strategies returns the four translations, from the simplest to the final one.
func Strategies() []papers.Strategy {
	strategies := []papers.Strategy{
		{Name: "forward", Paper: "Delta Figs. 3, 4, 15", Run: expanding(runForward)},
		{Name: "reverse1", Paper: "Delta Figs. 5, 6", Run: expanding(runReverse1)},
		{Name: "reverse2", Paper: "Delta Figs. 7, 8", Run: expanding(runReverse2)},
		{Name: "delta", Paper: "Delta Figs. 9–11, 14, 15", Run: expanding(runDelta)},
	}
	for k := range strategies {
		strategies[k] = strategies[k].WithRules(papers.Tangents)
	}
	return strategies
}
