package boxes

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// solve searches with ranges and values that are written NAME=TEXT.
func solve(
	t *testing.T, text string, q Question, ranges, values []string,
) (*Result, *diag.Diagnostic) {
	t.Helper()
	var sink diag.List
	w := driver.NewWorld(nil)
	unit := w.LoadText("test", text, nil, &sink)
	if sink.Failed() {
		t.Fatalf("%s\n%v", text, sink.Sorted()[0])
	}
	o := Options{Function: "f", Question: q, Eps: big.NewRat(1, 1e9)}
	for _, r := range ranges {
		name, ends, _ := strings.Cut(r, "=")
		o.Ranges = append(o.Ranges, Given{name, ends})
	}
	for _, v := range values {
		name, expr, _ := strings.Cut(v, "=")
		o.Set = append(o.Set, driver.Argument{Name: name, Text: expr})
	}
	set := driver.Settings{Limits: interp.DefaultLimits()}
	r := Solve(context.Background(), w, unit, o, set, &sink)
	if list := sink.Sorted(); len(list) > 0 {
		return r, list[0]
	}
	return r, nil
}

// TestUnknowns: the unknowns have the names that the function gives them, whatever its parameters
// are, and are found where they are.
func TestUnknowns(t *testing.T) {
	for _, c := range []struct {
		text           string
		ranges, values []string
		names          string
		at             []float64
	}{
		{"let f (x, y) = (x - 0.25, y - 0.5)\n", []string{"x=-1..1", "y=-1..1"}, nil, "x y", []float64{0.25, 0.5}},
		{"let f (x y : Real) = (x - 0.25, y - 0.5)\n", []string{"y=-1..1", "x=-1..1"}, nil, "x y", []float64{0.25, 0.5}},
		{"let f (p : Real^2) = (p[1] - 0.25, p[0] - 0.5)\n", []string{"p=-1..1"}, nil, "p[0] p[1]", []float64{0.5, 0.25}},
		{"let f (p : {a : Real, b : Real^2}) = (p.a - 0.25, p.b[0] - 0.5, p.b[1] - 0.75)\n",
			[]string{"a=0..1", "p.b=(0, 0)..(1, 2)"}, nil, "a b[0] b[1]", []float64{0.25, 0.5, 0.75}},
		{"let f (p : {a : Real, b : Real}) (c : Real) = [p.a - c, p.b - 2 * c]\n",
			[]string{"p=-1..1"}, []string{"c=1/4"}, "p.a p.b", []float64{0.25, 0.5}},
		{"let f (p : {a : Real, b : Real}) (c : Real) = [p.a - c, c - 0.5]\n",
			[]string{"a=-1..1", "c=-1..1"}, []string{"p.b=9"}, "p.a c", []float64{0.5, 0.5}},
		{"let f (x : [2]Real) = x - [0.25, 0.5]\n", []string{"x=-1..1", "x[1]=0..2"}, nil, "x[0] x[1]", []float64{0.25, 0.5}},
		{"let f (x : []Real) = [2 * t - 1 for t in x]\n", []string{"x=[-1, -1, -1]..[1, 1, 1.5]"}, nil,
			"x[0] x[1] x[2]", []float64{0.5, 0.5, 0.5}},
		{"let f (x : []Real) = [2 * t - 1 for t in x]\n", []string{"x[0]=0..2", "x[1]=0..3"}, nil, "x[0] x[1]", []float64{0.5, 0.5}},
		{"let f (x : [](Real, Real)) = flatten [(a - 0.25, b - 0.5) for (a, b) in x]\n",
			[]string{"x=[(-1, -1), (-1, -1)]..[(1, 1), (1, 1)]"}, nil,
			"x[0][0] x[0][1] x[1][0] x[1][1]", []float64{0.25, 0.5, 0.25, 0.5}},
		{"let g c x = x - c\nlet f = g 0.5\n", []string{"x=-1..1"}, nil, "x", []float64{0.5}},
	} {
		r, d := solve(t, c.text, Unasked, c.ranges, c.values)
		if d != nil || !r.Proved || len(r.known.Found) != 1 {
			t.Errorf("%s: %v", c.text, d)
			continue
		}
		if got := strings.Join(r.Names, " "); got != c.names {
			t.Errorf("%s: the unknowns are %s, not %s", c.text, got, c.names)
		}
		for i, e := range r.known.Found[0] {
			if at := big.NewFloat(c.at[i]); at.Cmp(e.Lo) < 0 || e.Hi.Cmp(at) < 0 {
				t.Errorf("%s: %s is in %s, not %v", c.text, r.Names[i], e.Fluxion(), c.at[i])
			}
		}
	}
}

// TestClusters: the boxes that are left are shown together if they touch, and none is lost.
func TestClusters(t *testing.T) {
	r, d := solve(t, "let f (x, y) = ((x - y)^2 * (x + y - 1), x^2 - 0.25)\n", All, []string{"x=-2..2", "y=-2..2"}, nil)
	if d == nil || d.Code != diag.NoRoot {
		t.Fatal(d)
	}
	all := clusters(r.known)
	if len(all) != 2 { // at the two double roots
		t.Errorf("%d clusters of %d boxes", len(all), r.known.Left)
	}
	for _, x := range r.known.Open {
		if !slices.ContainsFunc(all, func(y exact.Box) bool {
			for i := range x {
				if x[i][0] < y[i][0] || y[i][1] < x[i][1] {
					return false
				}
			}
			return true
		}) {
			t.Errorf("%v is in none of %v", x, all)
		}
	}
}
