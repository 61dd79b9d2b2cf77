// Package curry is Abadi, Wei, Plotkin, Vytiniotis & Belov, "The Differentiable
// Curry": a program becomes a term of combinators, and each combinator is a
// rep-function, which gives a value together with its pullback.
//
//	Fig. 1  translate.go  core to combinators (term.go, print.go)
//	Fig. 2  rep.go        combinators as rep-functions: id, ∘, prod, proj, const
//	        prim.go       primitives, by the table's partial derivatives; those
//	                      that only move elements are in structural.go
//	§6.2    control.go    sums, choice and recursion
//	        array.go      arrays, as products whose width is known when they run
//	Fig. 3  list.go       curry and eval, simply typed: the tangent of a function
//	                      is the list of its calls (strategy curry-list)
//	Fig. 5  env.go        curry and eval, dependently typed: the tangent of a
//	                      function is one of its environment (curry-env)
//	Fig. 6  tangent.go    zeros and sums of tangents
//	§6.1    inside.go     vjp inside programs
//
// The two strategies share everything but curry, eval and the recursive curry,
// which is what the interface discipline says.
//
// # Departures from the print
//
// Composition is written f ; g, and runs f first: the paper writes f ∘ g for
// that. An object is a product, flat and of any width: an environment, a tuple,
// a record, an array. Where the paper says (a, b) for an environment and its
// extension, it is one flat product here, environment first; Def. 5.1 and
// Fig. 5 order the two oppositely.
//
// Fig. 1 makes a closure of all variables in scope. Here an environment is
// narrowed to the variables that are still needed, at each binding and at each
// closure: by the laws of products it is the same function, and terms can be
// read.
//
// Core's functions take several arguments at a time, so curry and eval have an
// arity; a function that is given too few is curried again: Note [Arity].
//
// The pullback of eval in Fig. 3 is λg. ([(x, g)], pb g): its gc is a misprint.
// Addition at products in Fig. 6 is (x11 + x21, x12 + x22): the indices are
// exchanged in print.
//
// In Fig. 5 every combinator has a witness for the environment that it
// captures. Here only function values have: composition collects units alone.
// fig5_test.go has the figure's comp, curry and eval as printed, and compares.
//
// §4.1 has tangents of functions up to an equivalence of lists; nothing here
// depends on the choice among equivalent lists. calls_test.go has the
// equivalence, as a normal form, and the laws up to it.
//
// A pullback is run call-by-value, as the paper's language is: the tangents
// that fst and snd throw away in Fig. 3 are computed.
package curry
