package service

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

func result(t *testing.T, text string, eps *big.Rat) *Result {
	t.Helper()
	s := New()
	s.Open(path, text, 1)
	r, err := s.Evaluate(context.Background(), path, Ask{Exact: eps, Settings: driver.Settings{Limits: interp.DefaultLimits()}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPresentations: each kind of value has the presentations that suit it.
func TestPresentations(t *testing.T) {
	kinds := func(p Part) string {
		var names []string
		for name, has := range map[string]bool{"table": p.Table != nil, "figure": p.Figure != nil, "picture": p.Picture != nil, "enclosed": p.Enclosed != nil} {
			if has {
				names = append(names, name)
			}
		}
		if len(names) == 2 && names[0] == "table" { // in one order
			names[0], names[1] = names[1], names[0]
		}
		return p.Name + ":" + strings.Join(names, " ")
	}
	for _, c := range []struct{ text, want string }{
		{"1 + 2\n", ":"},
		{"[1.0, 2, 3]\n", ":"},
		{"[real i for i < 20]\n", ":table"},
		{"[{a = 1, b = \"x\"}, {a = 2, b = \"y\"}]\n", ":table"},
		{"[(1, true), (2, false)]\n", ":table"},
		{"[[1, 2, 3], [4, 5, 6]]\n", ":picture table"},
		{"import plot\nplot.line [0, 1] [1, 2]\n", ":figure"},
		{"import plot\n{fit = 2, picture = plot.line [0, 1] [1, 2]}\n", ": picture:figure"},
		{"fun x => x + 1\n", ":"},
	} {
		var got []string
		for _, p := range result(t, c.text, nil).Parts {
			got = append(got, kinds(p))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s has %q, want %q", c.text, got, c.want)
		}
	}
}

// TestEnclosures: the reals of an exact value are listed with where they stand, and their certain
// digits.
func TestEnclosures(t *testing.T) {
	r := result(t, "{root = sqrt 2, all = [(pi, 1)]}\n", big.NewRat(1, 1e9))
	var got []string
	for _, e := range r.Parts[0].Enclosed {
		got = append(got, e.Path+" "+e.Certain())
	}
	const want = ".all[0][0] 3.14159265; .all[0][1] 1; .root 1.41421356"
	if all := strings.Join(got, "; "); all != want {
		t.Errorf("the enclosures are %s, want %s", all, want)
	}
	for _, c := range [][3]string{{"1.99", "2.01", ""}, {"-1.25", "-1.21", "-1.2"}, {"99.9", "100.1", ""}, {"3", "3", "3"}, {"2.9", "2.4", "2"}} {
		if got := (Enclosure{Lo: c[0], Hi: c[1]}).Certain(); got != c[2] {
			t.Errorf("[%s, %s] has the certain digits %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
