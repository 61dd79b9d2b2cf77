// Package kernel evaluates elementary and special functions of doubles with proved error bounds.
//
// It is given doubles. It returns either the result rounded to a double (Exp, Log, …: within one
// unit in the last place of the true value, and in practice within 0.51), or a Val: an
// unevaluated sum with a bound of its distance from the true value, from which package interval
// takes outward-rounded ends. It must not know about intervals. Nothing here allocates except
// near zeros by cancellation (Note [Near zeros]), and results are the same on every architecture.
package kernel

//go:generate go run ./gen
