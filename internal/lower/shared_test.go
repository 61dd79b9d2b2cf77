package lower_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

const sharedText = `
type Input = {xs : []Real, ys : []Real, w : [3]Real, steps : Int, up : Bool}

-- A constant that is an argument.
let scale : []Real = [exp (real i) for i < 40]

let loss (xs ys : []Real) (w : [3]Real) (up : Bool) : Real =
  sum [(if up then 1 else 2) * scale[i] * sin (xs[i] * w[0] + w[1]) * ys[i] ^ 2 + w[2] for i < length xs]

let primal (input : Input) : Real = loss input.xs input.ys input.w input.up
let gradient (input : Input) : [3]Real = grad (fun w => loss input.xs input.ys w input.up) input.w
let alongside (input : Input) : ([3]Real, Real) = (grad (fun w => loss input.xs input.ys w input.up) input.w, sum input.xs)

-- The lengths of results.
let residuals (xs : []Real) (w : [3]Real) : []Real =
  flatten [[w[0] * x + w[1], exp (w[2] * x)] for x in xs]
let values (input : Input) : []Real = residuals input.xs input.w
let slopes (input : Input) : [][]Real = jacobian (residuals input.xs) input.w
let pulled (input : Input) : [3]Real = vjp (residuals input.xs) input.w [1 for i < 2 * length input.xs]

-- A branch with a side that fails.
let checked (input : Input) : Real = if input.steps < 0 then fail "steps" else primal input

-- The callers of these know more than they do.
let total (xs : []Real) : Real =
  let ys = if length xs == 3 then [exp x for x in xs] else [sin x / (1 + x ^ 2) for x in xs]
  sum [y * xs[0] for y in ys]
let totalOfThree (input : Input) : Real = total input.w
let slopeOfThree (input : Input) : [3]Real = grad total input.w
let power (n : Int) (xs : []Real) : Real =
  let (low, high) = (sum [min x 1 ^ n for x in xs], sum [exp (x ^ n) * sin x for x in xs])
  low * high + cos low / (1 + high ^ 2) + real n
let squares (input : Input) : Real = power 2 input.xs
let slopesOfSquares (input : Input) : []Real = grad (power 2) input.xs
let product (xs ys : []Real) : Real =
  let (a, b) = (sum [exp x * sin x for x in xs], sum [cos y / (1 + y ^ 2) for y in ys])
  sum [xs[i] * ys[j] + a * b for i < length xs for j < length ys]
let square (input : Input) : Real = product input.xs input.xs
let slopesOfSquare (input : Input) : []Real = grad (product input.xs) input.xs
let slopesOfRest (input : Input) : []Real = grad (product input.xs[1:]) input.ys

-- Those that do more than to call it.
let twice (input : Input) : Real = 2 * primal input

-- Those that are not shared.
let rec down (n : Int) (x : Real) : Real = if n == 0 then x else sin (down (n - 1) x) + down (n - 1) (x / 2)
let sumOfDown (n : Int) (xs : []Real) : Real =
  let (a, b) = (sum [exp x * sin x for x in xs], sum [cos x / (1 + x ^ 2) for x in xs])
  sum [a * down n x + b * x for x in xs]
let deep (input : Input) : Real = sumOfDown input.steps input.xs
let deeper (input : Input) : Real = sumOfDown input.steps input.ys

-- Kinks.
let rough (xs ys : []Real) : Real =
  let (a, b) = (sum [exp x * sin x for x in xs], sum [cos y / (1 + y ^ 2) for y in ys])
  sum [a * max xs[i] (abs ys[i]) + min b (ys[i] ^ 3) for i < length xs]
let roughValue (input : Input) : Real = rough input.xs input.ys
let roughSlope (input : Input) : []Real = grad (rough input.xs) input.ys
`

// unnumbered are the names of variables without their numbers.
var unnumbered = regexp.MustCompile(`\b([a-zA-Z_]+)\.\d+\b`)

// lowered gives the code of definitions, which are lowered at the same time, and the names of the
// definitions that they share.
func lowered(t *testing.T, program *core.Program, names []string, shares bool) (texts []string, shared []string) {
	t.Helper()
	source := lower.NewSource(program)
	source.Data, source.Shares = true, shares
	texts = make([]string, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		wait.Go(func() {
			low, err := source.Definition(source.DefOf(name))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			low.Optimize()
			if err := loop.Verify(low.Program()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			texts[i] = unnumbered.ReplaceAllString(loop.Print(low.Program()), "$1")
		})
	}
	wait.Wait()
	return texts, source.SharedForms()
}

// TestSharedForms: what is lowered with forms that it shares is the same code as without: Note
// [Definitions that are lowered once].
func TestSharedForms(t *testing.T) {
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", sharedText, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	main := func(names string) (out []string) {
		for _, name := range strings.Fields(names) {
			out = append(out, "main."+name)
		}
		return out
	}
	for _, test := range []struct{ functions, called, shared string }{
		{"primal gradient", "loss", "loss"},
		{"alongside primal checked twice", "loss", "loss"},
		{"values slopes pulled", "residuals", "residuals"},
		{"totalOfThree slopeOfThree", "total", "total"}, // for nobody
		{"squares slopesOfSquares", "power", ""},
		{"square slopesOfSquare slopesOfRest", "product", ""},
		{"deep deeper", "sumOfDown", ""},
		{"roughValue roughSlope", "rough", "rough"},
	} {
		names := main(test.functions)
		program, d := driver.PrepareRoots(context.Background(), unit, names...)
		if d != nil {
			t.Fatal(d)
		}
		if lower.NewSource(program).DefOf("main."+test.called) == nil {
			t.Errorf("%s do not call %s", test.functions, test.called)
		}
		alone, none := lowered(t, program, names, false)
		together, forms := lowered(t, program, names, true)
		if len(none) > 0 || !slices.Equal(forms, main(test.shared)) {
			t.Errorf("%s: shared are %v", test.functions, forms)
		}
		for i, name := range names {
			if alone[i] != together[i] {
				t.Errorf("%s is\n%s\nwithout shared forms it is\n%s", name, together[i], alone[i])
			}
		}
	}
}
