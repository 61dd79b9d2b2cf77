package delta_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestSeparateCompilation (§7.5): what a library function is translated to
// serves every program that calls it, whatever the type of its argument; only
// what is new is translated.
func TestSeparateCompilation(t *testing.T) {
	w := driver.NewWorld(nil)
	const product = "import list\nlet f (xs : List Real) : Real = list.fold (fun a x => a * x) 1 xs"
	const boxes = "import list\ndata Box = Box Real\nlet f (bs : List Box) : Real = list.fold (fun a b => match b with | Box x -> a * x) 1 bs"
	for _, step := range []struct {
		name, source, at, want string
		translations           int // f, and what of the library is new
	}{
		{"first", product, "Cons 2 (Cons 3 Nil)", "Cons 3 (Cons 2 Nil)", 2},
		{"again", product, "Cons 5 (Cons 7 Nil)", "Cons 7 (Cons 5 Nil)", 1},
		{"another argument type", "import list\nlet f (c : Real) (xs : List Real) : Real = list.fold (fun a x => a * x + c) 1 xs", "(1, Cons 2 (Cons 3 Nil))", "(4, Cons 3 (Cons 3 Nil))", 2},
		{"a type of its own", boxes, "Cons (Box 2) (Cons (Box 3) Nil)", "Cons (Box 3) (Cons (Box 2) Nil)", 2},
		{"another type of that name", boxes, "Cons (Box 2) (Cons (Box 3) Nil)", "Cons (Box 3) (Cons (Box 2) Nil)", 2},
		{"another instance", "import list\nlet f (xs : List Real) : Real = list.fold (fun (a, n) x => (a * x, n + 1)) (1, (0 : Int)) xs |> fst", "Cons 2 (Cons 3 Nil)", "Cons 3 (Cons 2 Nil)", 3},
	} {
		w.Forget()
		var list diag.List
		e := lab.Experiment{Unit: w.LoadText("program.flx", step.source, nil, &list), Fun: "f", At: step.at, Explain: true}
		e.Settings.Limits = interp.DefaultLimits()
		p := lab.Problem(context.Background(), w, e, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		before := delta.Translated(p)
		answer, d := strategy("delta").Run(context.Background(), p)
		if d != nil {
			t.Fatal(d.Message)
		}
		if got := value.Show(answer.Gradient); got != step.want {
			t.Errorf("%s: the gradient is %s, want %s", step.name, got, step.want)
		}
		if n := delta.Translated(p) - before; n != step.translations {
			t.Errorf("%s: %d definitions were translated, want %d", step.name, n, step.translations)
		}
		if !strings.Contains(answer.Explanation, "-- of module list\n\ndef \"𝒟{list.fold<") {
			t.Errorf("%s: the explanation has no translation of list.fold:\n%s", step.name, answer.Explanation)
		}
	}
}
