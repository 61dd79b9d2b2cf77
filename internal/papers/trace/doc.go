// Package trace is differentiation as Abadi and Plotkin define it: A Simple
// Differentiable Programming Language, POPL 2020 (A–P). A function is traced
// at a point, the trace is differentiated symbolically, and the derivative,
// which is a trace term again, is evaluated.
//
// One file a figure:
//
//	term.go      trace terms C, D and their types (§3); print.go, their text
//	typing.go    Fig. 1 on trace terms
//	op.go        the operations op and their reverse derivatives op_r (§3);
//	             rule.go, those that a program defines
//	ordinary.go  Figs. 2–3: ordinary evaluation, φ | ρ ⊢ M ⇒ V
//	eval.go      the same of trace terms, φ | ρ ⊢ C ⇒ V
//	symbolic.go  Figs. 4–5: symbolic evaluation, φ | ρ ⊢ M ⇝ C
//	reverse.go   Fig. 6: symbolic differentiation, W.R_V(x:T. C)
//	run.go       the strategy; forward mode by eq. (6)
//
// Besides, machine.go has what the evaluators share, prim.go the primitives at
// closed values, value.go the real parts of values. derivation.go writes down
// the judgements while they are found, for explanations, and text.go the
// programs in them.
//
// The programs M are first-order core. It is in A-normal form, so that every
// evaluation context E of A–P is `let x = [ ] in N`, and Figs. 3 and 5, which
// are about contexts, become the one rule for a statement of a block.
//
// # Discrete data
//
// A–P's types are real, unit and products. Ours have Int, Bool, String, data
// types and arrays besides. At a point all of that is known: which
// constructor, how long, which number. So the trace of a value is its real
// part alone: a tuple, record, array or constructor becomes the product of its
// components, and what has no real inside becomes ∗ : unit. Trace terms thus
// stay A–P's own, Prop. 3.3 holds as stated, and the discrete part is carried
// by evaluation. Products are n-ary, which are A–P's iterated ones.
//
// # Where we deviate
//
// Figs. 4–5 name every intermediate result by a let. Fig. 6 differentiates
// the body of a let twice, so each let doubles the derivative. We name what
// an operation or a nested block computes, and leave values and projections
// in place: C is then equal to that of the figures with some values
// substituted for variables.
//
// The first rules of Fig. 6 begin by let x:T = V in, one within the other; ours
// has that let once, on the outside.
//
// At a point every function that is called is known, be it passed as an
// argument, returned, chosen, partially applied or kept in data. Its call is
// unrolled like that of a global one, which is inlining and leaves nothing
// higher-order in the trace: a function has no real part, so in a trace it is ∗.
//
// Symbolic evaluation finds the value of what it traces together with the
// trace, and a derivative that is evaluated ordinarily has the values of what
// it captures in the place of their variables.
//
// The comparison of reals is A–P's: undefined where the sides are equal. A
// comparison of numbers that do not depend on what is differentiated is
// decided as usual. The same goes for the jumps of floor and friends.
package trace
