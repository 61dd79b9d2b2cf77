package lower_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// large is a program whose sums, maxima and gradient are over arrays that several threads divide.
const large = `
let n = 3000
let xs = [sin (real i) for i < n]
let rows = [[cos (real (i * j)) for j < 3] for i < n]
let loss w = sum [exp (-(square (inner w row - x))) for (row, x) in zip rows xs]
let w = [0.1, 0.2, 0.3]
(loss w, grad loss w, maximum [inner w row for row in rows], sum [log (1 + x * x) for x in xs])
`

// TestDeterministic: with Settings.Deterministic every engine gives the same digits, with any
// number of threads.
func TestDeterministic(t *testing.T) {
	texts := map[string]string{"large": large}
	for i, f := range functions {
		texts[f.fun] = fmt.Sprintf("import linalg\nimport array\nlet f (x : Real) : Real = (%s) x\n[(f x, deriv f x) for x in [%s, 0.9]]\n", f.fun, f.at)
		if testing.Short() && i > 3 {
			break
		}
	}
	for _, f := range []string{"own'", "back'", "itself'", "fun x => sum (each' [x, 2 * x, x * x])"} {
		texts[f] = ruledFunctions + fmt.Sprintf("let f (x : Real) : Real = sum [(%s) (x + real i / 100) for i < 700]\n"+
			"let g (x : Real) : Real = grad f x\n(f 1.1, [g x for x in [1.1, 0.9, 1.3]], deriv g 1.2)\n", f)
	}
	files, _ := filepath.Glob("../../testdata/run/[cd]*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".flx") {
				texts[file+f.Name] = string(f.Data)
			}
		}
	}
	for name, text := range texts {
		var list diag.List
		unit := driver.NewWorld(nil).LoadText("main", text, nil, &list)
		if unit == nil || list.Failed() {
			continue
		}
		want := ""
		for _, engine := range driver.Engines() {
			for _, threads := range []int{1, 2, 5} {
				s := driver.Settings{Engine: engine, Deterministic: true, Limits: interp.DefaultLimits(), Compile: interp.Options{Eager: true, Threads: threads}}
				got := ""
				if result, d := driver.Run(context.Background(), unit, s); d != nil {
					got = d.Message
				} else {
					got = value.Show(result.Value)
				}
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("%s: %s with %d threads gives\n%s\nand another engine\n%s", name, engine, threads, got, want)
				}
			}
		}
	}
}
