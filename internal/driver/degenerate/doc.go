// Package degenerate generates programs whose derivatives are hard to get right: bounds that
// coincide, jumps and kinks on the end of a range, optima that tie or lie on a kink, roots at
// an end, narrow features, searches inside searches. Each comes with the truth, from one-sided
// limits in exact arithmetic.
//
// A program is D^k (fun c => S c) c₀, where S is an Expr. The oracle evaluates S at c₀, at
// c₀ + ε and at c₀ - ε, where ε is a positive infinitesimal, in the ordered field ℚ(ε)
// (germ.go). There every comparison has an answer, which is the one for all small enough
// numbers in the place of ε, and S c is a rational function of ε, whose Taylor coefficients
// are the one-sided derivatives (truth.go).
//
// It shares nothing with the evaluators that it tests but the text of the programs.
package degenerate
