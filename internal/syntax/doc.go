// Package syntax turns the text of one file into a tree, and a tree back into
// text.
//
// It is given a diag.File and hands on a *Module: the declarations as they were
// written, every node with its place, every expression and pattern with a dense
// number, every comment. What is wrong with the text goes to a diag.List, and
// the tree then has Bad nodes where nothing could be read, so that later stages
// can still look at the rest.
//
// It must not know what names mean: no scopes, no types, no primitives, no other
// file. `∇` is the name "grad" and `ℝ` the name "Real" because they are spelling,
// but which of the names are defined is not decided here.
//
// The parts, in the order in which text passes through them:
//
//	token.go lexer.go lex_*.go   text to tokens, one at a time
//	layout.go                    the offside rule: which token ends what
//	parser.go parse_*.go         recursive descent over the tokens
//	recover.go complaints.go     what happens, and is said, when that fails
//	ast.go walk.go equal.go      the tree
//	doc_*.go format*.go          the tree to text in the one canonical layout
package syntax
