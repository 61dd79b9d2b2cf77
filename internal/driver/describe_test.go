package driver

import (
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// TestNotation: every keyword, operator, class and basic type has documentation.
func TestNotation(t *testing.T) {
	words := append(syntax.Keywords(), "Real", "Int", "Bool", "String", "Num", "Vec", "Add", "Eq", "Ord", "Cmp", "Diff", "->", "=>", "()", "|")
	for op := syntax.OpPipe; op <= syntax.OpPowR; op++ {
		words = append(words, op.String())
	}
	w := NewWorld(nil)
	for _, word := range words {
		if text, ok := w.Describe(word); !ok || !strings.Contains(text, word) {
			t.Errorf("%s is not described: %q", word, text)
		}
	}
}

// TestWrittenTypes: documentation prints types as they are written, with the names of
// parameters and the constraints that were inferred, and what is not written as it was
// inferred.
func TestWrittenTypes(t *testing.T) {
	const text = `
type Point = {y : Real, x : Real}
type Surface a = a -> Real
data Pair a = Pair a a
let origin : Point = {x = 0, y = 0}
let ball (center : v) (r : Real) : Surface v = fun x => r^2 - inner (x - center) (x - center)
let grouped (x y : Real) (z : Real) (f : Real -> Real) = f (x + y + z)
let inferred p = p * 2
let partly (p : Point) = p.x
let unit () : Point = origin
let functions (f, _) = f (fail "none")
let (first, second) = (1, 2)
let curried : (Real -> Real) -> Point -> Real^2 = fun f p => (f p.x, f p.y)
`
	var sink diag.List
	unit := NewWorld(nil).LoadText("in", text, nil, &sink)
	if sink.Failed() {
		t.Fatal(sink.Sorted()[0])
	}
	var got strings.Builder
	for _, e := range EntriesOf(unit) {
		got.WriteString(e.String())
	}
	const want = `type Point = {y : Real, x : Real}
type Surface a = a -> Real
data Pair a = Pair a a
origin : Point
ball : Vec v => (center : v) -> (r : Real) -> Surface v
grouped : (x y z : Real) -> (f : Real -> Real) -> Real
inferred : Scalar a => (p : a) -> a
partly : (p : Point) -> Real
unit : () -> Point
functions : (a -> b, c) -> b
first : Real
second : Real
curried : (Real -> Real) -> Point -> Real^2
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
