package driver_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// outcome returns what an evaluation on doubles came to: a value, as text, or the
// code of an error; "" is ⊥, for want of unfoldings.
func outcome(p *core.Program) string {
	v, d := onFloats(p)
	switch {
	case coretest.IsBottom(d):
		return ""
	case d != nil:
		return string(d.Code)
	}
	return value.Show(v)
}

// meaning is a denotation: a value, or else ⊥, for want of unfoldings or because
// of an error.
type meaning struct {
	value coretest.Value
	d     *diag.Diagnostic
}

func denoted(p *core.Program) meaning {
	v, d := coretest.Denote(p, 10**denoteSteps)
	return meaning{v, d}
}

// known returns false where Denote does not know.
func (m meaning) known() bool { return m.d == nil || !slices.Contains(unknown, m.d.Code) }

// defined reports whether there is a value, or a failure of the program itself.
func (m meaning) defined() bool {
	return m.d == nil || m.known() && !slices.Contains(undefined, m.d.Code) && !coretest.IsBottom(m.d)
}

func (m meaning) equals(n meaning) bool {
	if m.d != nil || n.d != nil {
		return m.d != nil && n.d != nil && m.d.Code == n.d.Code
	}
	return coretest.Agree(m.value, n.value)
}

func (m meaning) String() string { return fmt.Sprint(m.value, m.d) }

// TestApproximants: A–P Lemmas 6.4 to 6.6, on random programs with derivatives
// inside. M⁽ⁿ⁾ is coretest.Approximant, which Denote gives its meaning ⟦M⁽ⁿ⁾⟧,
// and the interpreter evaluates.
func TestApproximants(t *testing.T) {
	const most = 6 // no random program recurses deeper
	recursive, partial := 0, 0
	property.Check(t, func(t *rapid.T) {
		p := coretest.ProgramsWithDerivatives().Draw(t, "program")
		whole := denoted(p)
		evaluated := outcome(p)
		before := ""
		for n := range most + 1 {
			q := coretest.Approximant(p, n)
			if err := core.Verify(q, core.Mono); err != nil {
				t.Fatalf("%v\n%s", err, core.Print(q))
			}
			limited := outcome(q)
			// Lemma 6.6: what M⁽ⁿ⁾ evaluates to, M does.
			if limited != "" && limited != evaluated {
				t.Fatalf("%s\nevaluates to %s, with %d unfoldings to %s", core.Print(p), evaluated, n, limited)
			}
			// Approximants are an increasing chain, here of evaluations.
			if before != "" && limited == "" {
				t.Fatalf("%s\nevaluates to %s with %d unfoldings, but not with %d", core.Print(p), before, n-1, n)
			}
			before = limited
			approximate := denoted(q)
			if !whole.known() || !approximate.known() {
				continue
			}
			// Lemma 6.5: ⟦M⟧ is the least upper bound of all ⟦M⁽ⁿ⁾⟧.
			if (approximate.defined() || whole.defined() && n == most) && !approximate.equals(whole) {
				t.Fatalf("%s\ndenotes %v, with %d unfoldings %v", core.Print(p), whole, n, approximate)
			}
			// Lemma 6.4: if ⟦M⁽ⁿ⁾⟧ is defined, M⁽ⁿ⁾ terminates.
			if approximate.defined() && limited == "" {
				t.Fatalf("%s\ndenotes %v with %d unfoldings, and does not evaluate", core.Print(p), approximate, n)
			}
			if coretest.IsBottom(approximate.d) {
				partial++
			}
		}
		if outcome(coretest.Approximant(p, 0)) == "" {
			recursive++
		}
	})
	t.Logf("%d programs recurse, %d approximants are undefined", recursive, partial)
	if recursive == 0 || partial == 0 {
		t.Error("no program recurses")
	}
}

// TestApproximantsOfFunctions: A–P Props. 4.1 and 4.2, on recursive functions of
// a real, whose approximants f₀ ≤ f₁ ≤ … are defined on growing open sets. Where
// fₙ is defined, so are all its derivatives, and they are those of f. Where fₙ is
// not, neither are they.
func TestApproximantsOfFunctions(t *testing.T) {
	w := driver.NewWorld(nil)
	program := func(text string) *core.Program {
		var list diag.List
		unit := w.LoadText("in.flx", text+"\n", nil, &list)
		if list.Failed() {
			t.Fatalf("%s: %v", text, list.Sorted()[0])
		}
		return monomorphic(t, unit)
	}
	const most = 7
	for _, f := range []string{
		"let rec f (x : Real) : Real = if x < 1 then sin x else 0.5 * x * f (x / 2)",
		"let rec f (x : Real) : Real = if x < 1 then x^3 else g (x - 1) * x\nand g (x : Real) : Real = tanh (f x)",
		"let rec f (x : Real) : Real = if x < 1 then exp x else deriv f (x - 1) + x",
		"let f (x : Real) : Real = let rec h (y : Real) : Real = if y < 1 then x * y else x + h (y / 2) in h (x^2)",
	} {
		for _, x := range []string{"0.3", "1.7", "2.6"} {
			var all []meaning
			orders := []string{"f ", "deriv f ", "deriv (deriv f) "}
			for _, order := range orders {
				all = append(all, denoted(program(f+"\n"+order+x)))
			}
			defined := false
			for n := range most {
				for k, order := range orders {
					p := coretest.Approximant(program(f+"\n"+order+x), n)
					got := denoted(p)
					if k == 0 {
						defined = !coretest.IsBottom(got.d)
					}
					switch {
					case !got.known() || !all[k].known():
						t.Fatalf("%s\n%s%s: %v, with %d unfoldings %v", f, order, x, all[k], n, got)
					case defined && !got.equals(all[k]):
						t.Errorf("%s\n%s%s is %v, with %d unfoldings %v", f, order, x, all[k], n, got)
					case !defined && !coretest.IsBottom(got.d):
						t.Errorf("%s\n%s%s is %v with %d unfoldings, which are too few for f", f, order, x, got, n)
					}
					if v, d := onFloats(p); coretest.IsBottom(d) == defined || defined && agree(v, got.value) != nil {
						t.Errorf("%s\n%s%s is %v with %d unfoldings, on doubles %v, %v", f, order, x, got, n, v, d)
					}
				}
			}
			if !defined {
				t.Errorf("%s\n%s is not defined with %d unfoldings", f, x, most)
			}
			w.Forget()
		}
	}
}
