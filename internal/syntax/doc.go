// Package syntax turns the text of one file into a tree, and a tree back into text.
//
// It is given a diag.File and returns a *Module: the declarations as written, every node with its
// place, every expression and pattern with a dense number, and every comment. Errors in the text
// go to a diag.List. The tree then has Bad nodes where nothing could be parsed, so that later
// stages can still look at the rest.
//
// It must not know what names mean: no scopes, no types, no primitives, no other file. `∇` is the
// name "grad" and `ℝ` the name "Real" because that is spelling, but this package does not decide
// which names are defined.
//
// The parts, in the order in which text passes through them:
//
//	token.go lexer.go lex_*.go   text to tokens, one at a time
//	layout.go                    the offside rule: which token ends what
//	parser.go parse_*.go         recursive descent over the tokens
//	recover.go complaints.go     recovery from errors, and their messages
//	ast.go walk.go equal.go      the tree
//	doc_*.go format*.go          the tree to text in the one canonical layout
package syntax
