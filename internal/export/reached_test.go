package export

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

const failing = `
let always (xs : []Real) : Real = if length xs == 0 then fail "none" else fail "some"
let rest (n : Int) (xs : []Real) : Real =
  let y = sum [x * x for x in xs]
  if n > 3 then (if n > 5 then fail "large" else y) else (if n < 1 then y + 1 else fail "small")
let doubled (n : Int) (xs : []Real) : []Real = if n < 3 then [2 * x for x in xs] else if n > 7 then fail "large" else xs
let inside (xs : []Real) : Real = sum [if x > 3 then fail "large" else x * 2 for x in xs]
`

// TestGoReached: Go functions have no statements behind a return, and compile.
func TestGoReached(t *testing.T) {
	files := printed(t, "go", "failing", failing, Options{Functions: []string{"always", "rest", "doubled", "inside"}, VJP: true, Typed: true})
	text := files[0].Text
	file, err := parser.ParseFile(token.NewFileSet(), "failing.go", text, 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if b, ok := n.(*ast.BlockStmt); ok {
			for _, s := range b.List[:max(len(b.List)-1, 0)] {
				if _, ok := s.(*ast.ReturnStmt); ok {
					t.Errorf("there are statements behind a return\n%s", text)
				}
			}
		}
		return true
	})
	write(t, append(files, File{"go.mod", []byte("module example\n\ngo 1.24\n")}), []string{"go", "vet", "."})
}
