package driver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
)

// TestPlainAndTapedCode: a derivative somewhere does not change the code of what is not reached
// from it. Instructions on reals that may be on the tape end in .t.
func TestPlainAndTapedCode(t *testing.T) {
	const text = `
let rec grow (x : Real) (n : Int) : Real = if n == 0 then x else grow (x * 1.5 + 1) (n - 1)
let rec both (x : Real) (n : Int) : Real = if n == 0 then x else both (x * 2.5 + 1) (n - 1)
let rec inside (x : Real) (n : Int) : Real = if n == 0 then x else inside (x * 3.5 + 1) (n - 1)
let local (n : Int) : Real =
  let rec go (x : Real) (k : Int) : Real = if k == n then x else go (x * 4.5 + 1) (k + 1)
  go 1 0
(grow 1 9, both 1 9, local 9, deriv (fun x => both x 9 + inside x 9) 1)
`
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	program, d := driver.Link(unit)
	if d != nil {
		t.Fatal(d)
	}
	if program, d = opt.Prepare(program, opt.Options{}); d != nil {
		t.Fatal(d)
	}
	code, d := interp.Compile(program)
	if d != nil {
		t.Fatal(d)
	}
	// How often the product with a constant is in plain and in taped code. Every
	// definition has taped code: the program may be called by its names.
	listing := code.Disassemble()
	expected := map[string][2]int{"1.5": {1, 1}, "2.5": {1, 1}, "3.5": {0, 1}, "4.5": {1, 0}}
	for factor, want := range expected {
		var got [2]int
		for line := range strings.Lines(listing) {
			if slices.Contains(strings.Fields(line), factor) {
				if strings.Contains(line, ".t ") {
					got[1]++
				} else {
					got[0]++
				}
			}
		}
		if got != want {
			t.Errorf("the product with %s is %d times in plain and %d times in taped code, want %v\n%s",
				factor, got[0], got[1], want, listing)
		}
	}
}
