package driver

import (
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// TestWrittenTypes: documentation prints types as they are written, with the
// constraints that were inferred, and what is not written as it was inferred.
func TestWrittenTypes(t *testing.T) {
	const text = `
type Point = {y : Real, x : Real}
type Surface a = a -> Real
data Pair a = Pair a a
let origin : Point = {x = 0, y = 0}
let ball (center : v) (r : Real) : Surface v = fun x => r^2 - inner (x - center) (x - center)
let inferred p = p * 2
let partly (p : Point) = p.x
let unit () : Point = origin
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
ball : Vec v => v -> Real -> Surface v
inferred : Num a => a -> a
partly : {x : Real, y : Real} -> Real
unit : () -> {x : Real, y : Real}
first : Real
second : Real
curried : (Real -> Real) -> Point -> Real^2
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
