package uses

import (
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
)

// function parses a definition and gives the function that it is.
func function(t *testing.T, text string) *core.Lambda {
	t.Helper()
	p, d := core.Parse("test.core", text)
	if d != nil {
		t.Fatal(d)
	}
	return p.Defs[0].Function()
}

// TestLiveness: a variable dies at its last use, on both sides of a choice, and at a loop that uses
// it.
func TestLiveness(t *testing.T) {
	fun := function(t, `
def f : Real -> Real -> Real -> Bool -> Real =
  let g : Real -> Real -> Real -> Bool -> Real = fun (x : Real) (y : Real) (z : Real) (b : Bool) ->
    let s : Real = %+[Real] x x
    let c : Real = if b then
      let u : Real = %*[Real] s y
      ret u
    else
      let v : Real = %neg[Real] s
      ret v
    let one : []Real = [c]
    let n : Int = %length[Real] one
    let l : Real = loop (t : Real) from c for (i : Int) < n do
      let w : Real = %*[Real] t z
      ret w
    ret l
  ret g
`)
	live := LivenessOf(fun.Body)
	dies := map[string][]string{} // the names of the variables by that of what a statement binds
	core.Walk(fun.Body, func(s core.Stmt) {
		if let, ok := s.(*core.Let); ok {
			for _, v := range live.Dies[s] {
				dies[let.Var.Name] = append(dies[let.Var.Name], v.Name)
			}
			slices.Sort(dies[let.Var.Name])
		}
	})
	for at, want := range map[string][]string{
		"s": {"x"}, "u": {"s", "y"}, "v": {"s"}, "l": {"c", "n", "z"}, "w": {"t"},
	} {
		if !slices.Equal(dies[at], want) {
			t.Errorf("at %s die %v, want %v", at, dies[at], want)
		}
	}
	if got := live.Uses.Get(fun.Params[0]); got != 2 {
		t.Errorf("x is used %d times", got)
	}
}

// TestRows: an update of an element of a row is one update, unless something else keeps the row.
func TestRows(t *testing.T) {
	for result, want := range map[string]int{"r": 1, "(r, next)": 0} {
		ty := "[][]Real"
		bind := ""
		if want == 0 {
			ty = "([][]Real, []Real)"
			bind = "let both : ([][]Real, []Real) = (r, next)\n    "
			result = "both"
		}
		fun := function(t, `
def f : [][]Real -> Int -> Real -> `+ty+` =
  let g : [][]Real -> Int -> Real -> `+ty+` = fun (m : [][]Real) (i : Int) (x : Real) ->
    let row : []Real = index m i
    let at : []Int = [i]
    let xs : []Real = [x]
    let next : []Real = %scatter[Real] row at xs
    let rows : [][]Real = [next]
    let where : []Int = [i]
    let r : [][]Real = %scatter[[]Real] m where rows
    `+bind+`ret `+result+`
  ret g
`)
		if got := len(RowsOf(fun.Body, LivenessOf(fun.Body)).Paths); got != want {
			t.Errorf("%d updates of rows in the function with the result %s, want %d", got, result, want)
		}
	}
}
